"""The process that `killing.Child` starts: bot, database and simulated Discord; told what to do line by line.

Every line is a JSON object `{"do": …, …}`, answered by one line `{"ok": …}` or `{"error": …}`, each with
what the request checker and the bot's error handling have newly found.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import importlib
import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any

from simcord.results import InteractionResult, ResponseMessage

from .chance import seed_process
from .harness import Game, buttons_of, playing, selects_of, text_of
from .world import Keeper, load


def arm(keeper: Keeper, at: str, when: str, call: int) -> None:
    """Die `when` ("before" or "after") the `call`-th time from now on, counted from 1, of `at`.

    `at`: a function, "package.module:Class.method"; or a request, "POST /channels/*/messages".
    """
    if when not in ("before", "after"):
        raise ValueError(f"{when!r} is neither 'before' nor 'after'")
    if " /" in at:
        keeper.deadly.append((at, when, call - 1))
        return
    module, _, path = at.partition(":")
    owner: Any = importlib.import_module(module)
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    raw = inspect.getattr_static(owner, name)
    if isinstance(raw, (staticmethod, classmethod, property)):
        raise TypeError(f"{at} is not a plain function")
    left = call

    def now() -> bool:
        nonlocal left
        left -= 1
        return left == 0

    if inspect.iscoroutinefunction(raw):

        @functools.wraps(raw)
        async def deadly_async(*args: Any, **kwargs: Any) -> Any:
            fatal = now()
            if fatal and when == "before":
                keeper.die()
            result = await raw(*args, **kwargs)
            if fatal:
                keeper.die()
            return result

        setattr(owner, name, deadly_async)
        return

    @functools.wraps(raw)
    def deadly(*args: Any, **kwargs: Any) -> Any:
        fatal = now()
        if fatal and when == "before":
            keeper.die()
        result = raw(*args, **kwargs)
        if fatal:
            keeper.die()
        return result

    setattr(owner, name, deadly)


class Servant:
    """Does what the lines say."""

    def __init__(self, game: Game, keeper: Keeper) -> None:
        self.game, self.keeper = game, keeper
        self.modal: InteractionResult | None = None

    def shown(self, message: Any) -> Any:
        if message is None:
            return None
        return {
            "id": message.id,
            "text": text_of(message),
            "ephemeral": message.ephemeral,
            "buttons": [dataclasses.asdict(one) for one in buttons_of(message)],
            "selects": [dataclasses.asdict(one) for one in selects_of(message)],
        }

    def answer(self, result: InteractionResult) -> dict[str, Any]:
        if result.modal is not None:
            self.modal = result
        return {
            "acknowledged": result.acknowledged,
            "ephemeral": result.ephemeral,
            "text": text_of(result),
            "response": self.shown(result.response),
            "followups": [self.shown(one) for one in result.followups],
            "modal": result.modal,
        }

    def _message(self, number: int | None) -> ResponseMessage | None:
        if number is None:
            return None
        for channel in self.game.env.backend.messages.values():
            if number in channel:
                return ResponseMessage(self.game.env, channel[number])
        raise LookupError(f"no message {number}")

    def verb(self, do: str, who: int, **rest: Any) -> Any:
        """The coroutine of one thing that a person does."""
        game = self.game
        if "message" in rest:
            rest["message"] = self._message(rest["message"])
        match do:
            case "slash":
                return game.slash(who, rest["name"], **rest["options"])
            case "click":
                return game.click(who, **rest)
            case "select":
                return game.select(who, **rest)
            case "press":
                return game.press(who, rest["message"], rest["custom_id"], rest.get("values"))
            case "submit":
                if self.modal is None:
                    raise LookupError("no modal was shown")
                return game.submit(who, self.modal, **rest["values"])
        raise ValueError(f"unknown: {do!r}")

    async def obey(self, order: dict[str, Any]) -> Any:
        game = self.game
        match order.pop("do"):
            case "arm":
                arm(self.keeper, order["at"], order["when"], order["call"])
                return None
            case "at_once":
                return [
                    self.answer(one)
                    for one in await game.at_once(self.verb(**verb) for verb in order["verbs"])
                ]
            case "autocomplete":
                filled = order["filled"]
                return await game.autocomplete(
                    order["who"], order["name"], order["option"], order["typed"], **filled
                )
            case "keep":
                return self.keeper.save()
            case "advance":
                return await game.advance(order["seconds"])
            case "until":
                words, who = order["text"], order["who"]
                await game.until(
                    lambda: any(words in text_of(one) for one in game.messages(who)), order["seconds"]
                )
                return None
            case "messages":
                return [self.shown(one) for one in game.messages(order["who"])]
            case "board":
                return self.shown(game.board(order["containing"]))
            case "screen":
                return game.screen(order["who"])
            case "restart":
                await game.restart()
                return None
            case verb:
                return self.answer(await self.verb(verb, **order))


async def serve(config: dict[str, Any], answers: Any) -> None:
    """Run the bot of `config` until the input ends or says quit."""
    directory = Path(config["directory"])
    sent = directory / "sent.jsonl"
    # Each life has a chance of its own, the same in every run of the test.
    seed_process(f"{directory.name} {sent.stat().st_size if sent.exists() else 0}")
    world = load(directory / "discord.pickle")
    keeper = Keeper(
        directory / "discord.pickle", directory / "sent.jsonl", world, every_step=config["every_step"]
    )
    for point in config["kill_points"]:
        arm(keeper, **point)
    module, _, name = config["factory"].partition(":")
    create = getattr(importlib.import_module(module), name)
    async with playing(
        directory / "bot.db",
        config["members"],
        create=create,
        world=world,
        attend=keeper.attend,
        **config["settings"],
    ) as game:
        keeper.of(lambda: game.world)
        servant = Servant(game, keeper)
        loop, seen = asyncio.get_running_loop(), 0
        report(answers, {"ok": [member.id for member in game.members]}, game, 0)
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            order = json.loads(line)
            if order["do"] == "quit":
                break
            if order["do"] == "die":
                keeper.die()
            try:
                answer = {"ok": await servant.obey(order)}
            except Exception as error:  # noqa: BLE001 - the parent is told, and decides
                answer = {"error": f"{type(error).__name__}: {error}"}
            keeper.step()
            seen = report(answers, answer, game, seen)
    keeper.save()  # here, for closing may have sent something


def report(answers: Any, answer: dict[str, Any], game: Game, seen: int) -> int:
    """Send an answer; how many errors of the bot have been told."""
    # Interactions still open are judged when the game ends.
    failures, game.checker.failures = game.checker.failures, []
    errors = game.env.errors_since(seen)
    answer |= {"failures": [str(one) for one in failures], "errors": [repr(one) for one in errors]}
    print(json.dumps(answer), file=answers, flush=True)
    return seen + len(errors)


def main() -> None:
    # What the bot prints must not end up among the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    asyncio.run(serve(json.loads(sys.argv[1]), answers))


if __name__ == "__main__":
    main()
