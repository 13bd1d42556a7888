"""Plays with the bot in a simulated Discord: short verbs for tests, every request checked (`requests.py`).

    async with playing(tmp_path / "canasta.db", members=4) as game:
        await game.slash(0, "canasta new", profile="classic")
        await game.click(1, label="Join")
        assert "waiting" in text_of(game.board())

How time and concurrency behave here (test_harness.py and test_killing.py show it):

* Time is virtual, and moves in `game.advance` and `game.until` only. `asyncio.sleep`, `wait_for`, `timeout`,
  `loop.call_later`, `discord.ext.tasks` and view timeouts of the bot follow it; so do
  `discord.utils.utcnow()` and, in the bot, `time.monotonic()`. `time.time()` and `datetime.now()` do not: a
  bot that asks those cannot be tested.
* A verb returns when the bot has nothing left to do but wait for time or for people. It does wait for
  aiosqlite's thread, other threads' futures, executors and process pools (in reality, `settle_timeout`
  seconds at most; TimeoutError tells which task is stuck). A task that waits for an Event, Condition, Queue,
  Lock or Semaphore counts as idle; a bot stuck on a lock therefore shows as an unanswered interaction.
* Verbs do not overlap. `at_once` hands many interactions to the bot before any of its tasks has taken a step.
* An exception in a command, a component, an event handler or a task is kept and raised when `playing` ends;
  tests that provoke one read `game.env.errors` first, as they read `game.checker.take()` for refused
  requests.
* SystemExit and KeyboardInterrupt in a task of the bot leave the event loop at once, as in a real bot, and
  with it end the test run. `restart` closes the bot in order; for a real SIGKILL see `killing.py`.
* simcord itself refuses what no person could do (SetupError): press a button that is not there or disabled,
  use a command that is not synced. `press` gets around that, for clicks that were under way when the message
  changed.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discord
import simcord
from simcord import actors
from simcord.actors import MemberActor
from simcord.backend import Backend, serializers
from simcord.backend.models import Message
from simcord.builders import ChannelHandle, GuildHandle, UserHandle
from simcord.enums import InteractionType
from simcord.results import InteractionResult, ResponseMessage

from . import waits
from .checks import BUTTON, ROW, STRING_SELECT, walk
from .reading import Button, Select, buttons_of, selects_of, text_of
from .requests import RequestChecker

__all__ = [
    "Button",
    "Game",
    "RequestChecker",
    "Select",
    "World",
    "buttons_of",
    "playing",
    "selects_of",
    "text_of",
]

Who = MemberActor | int
Create = Callable[..., discord.Client]
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal")


def _create_bot() -> Create:
    from bot import create_bot

    return create_bot


@dataclass(frozen=True)
class World:
    """A simulated Discord without a bot, with the ids of what a `Game` is about."""

    backend: Backend
    guild: int
    channel: int
    members: tuple[int, ...]


class Game:
    """A simulated Discord with a bot, a server, a channel and people. Made by `playing`."""

    def __init__(
        self,
        env: simcord.Env,
        make_bot: Callable[[], discord.Client],
        guild: GuildHandle,
        channel: ChannelHandle,
        members: Sequence[MemberActor],
        checker: RequestChecker,
    ) -> None:
        self.env = env
        self.guild = guild
        self.channel = channel
        self.members = list(members)
        self.checker = checker
        self._make_bot = make_bot

    @property
    def bot(self) -> discord.Client:
        """The bot running now; another object after each restart."""
        return self.env.bot

    @property
    def world(self) -> World:
        """The Discord of this game."""
        members = tuple(member.id for member in self.members)
        return World(self.env.backend, self.guild.id, self.channel.id, members)

    def actor(self, who: Who) -> MemberActor:
        """A member, by its number or itself."""
        return self.members[who] if isinstance(who, int) else who

    # what people do

    async def slash(
        self, who: Who, name: str, /, *, channel_: ChannelHandle | None = None, **options: Any
    ) -> InteractionResult:
        """Use a command, subcommands with spaces: `slash(0, "canasta new", seats=4)`."""
        return await self.actor(who).slash(channel_ or self.channel, name, **options)

    async def autocomplete(
        self,
        who: Who,
        name: str,
        option: str,
        typed: str,
        /,
        *,
        channel_: ChannelHandle | None = None,
        **filled: Any,
    ) -> list[dict[str, Any]]:
        """Type into an option, others being filled; the choices offered."""
        return await self.actor(who).autocomplete(channel_ or self.channel, name, option, typed, **filled)

    async def click(
        self, who: Who, *, label: str | None = None, custom_id: str | None = None, message: Any = None
    ) -> InteractionResult:
        """Press a button, by its label or the start of its custom id.

        Without `message`: in the newest message that this member sees and that has such a button.
        """

        def meant(button: Button) -> bool:
            return (label is None or button.label == label) and button.custom_id.startswith(custom_id or "")

        for seen in self._seen(who, message):
            if found := [button for button in buttons_of(seen) if meant(button) and button.custom_id]:
                if len(found) > 1:
                    raise AssertionError(f"several buttons fit: {found}")
                return await self.actor(who).click(seen, custom_id=found[0].custom_id)
        raise AssertionError(
            f"no button {label or custom_id!r} for {self.actor(who).name} to press\n{self.screen(who)}"
        )

    async def select(
        self, who: Who, *, values: Sequence[Any], custom_id: str = "", message: Any = None
    ) -> InteractionResult:
        """Choose in a select, found as buttons are."""
        for seen in self._seen(who, message):
            if found := [one for one in selects_of(seen) if one.custom_id.startswith(custom_id)]:
                if len(found) > 1:
                    raise AssertionError(f"several selects fit: {[one.custom_id for one in found]}")
                return await self.actor(who).select(seen, list(values), custom_id=found[0].custom_id)
        raise AssertionError(f"no select {custom_id!r} for {self.actor(who).name}\n{self.screen(who)}")

    async def submit(self, who: Who, shown: InteractionResult, **values: Any) -> InteractionResult:
        """Fill in the modal that `shown` answered with; the keys are custom ids."""
        return await self.actor(who).submit_modal(shown, values)

    async def press(
        self, who: Who, message: Any, custom_id: str, values: Sequence[str] | None = None
    ) -> InteractionResult:
        """Send a click (with `values`: a choice in a select) whether or not the message still has such a
        component.

        As with a click that was under way when the message changed, the message in it still shows the
        component: Discord lets no other through, and discord.py drops those whose message does not show them.
        """
        actor, backend = self.actor(who), self.env.backend
        place = message.channel_id if isinstance(message, ResponseMessage) else message.channel.id
        stored = backend.get_message(place, message.id)
        shown = dict(serializers.message_payload(backend, stored))
        data: dict[str, Any] = {"custom_id": custom_id, "component_type": BUTTON}
        component: dict[str, Any] = {"type": BUTTON, "style": 2, "label": "old", "custom_id": custom_id}
        if values is not None:
            data |= {"component_type": STRING_SELECT, "values": list(values)}
            options = [{"label": value, "value": value} for value in values]
            component = {
                "type": STRING_SELECT,
                "custom_id": custom_id,
                "options": options,
                "max_values": len(options),
            }
        if not any(one.get("custom_id") == custom_id for _, one in walk(stored.components)):
            shown["components"] = [*shown["components"], {"type": ROW, "components": [component]}]
        channel = ChannelHandle(self.env, self.guild, backend.channels[place])
        self.env._begin_operation("press")
        try:
            return await actors._dispatch_actor_interaction(
                actor,
                InteractionType.MESSAGE_COMPONENT,
                channel,
                data,
                extra={"message": shown},
                source_message_id=stored.id,
            )
        finally:
            self.env._end_operation()

    async def at_once(
        self, verbs: Iterable[Coroutine[Any, Any, InteractionResult]]
    ) -> list[InteractionResult]:
        """Do all of it at the same instant: `at_once([game.click(0, label="Draw"), game.slash(1, "draw")])`.

        Every interaction reaches the bot before any of its tasks takes a step, in the order given; then all
        run until the bot is idle. The results are in the same order, and complete.
        """
        pending = list(verbs)
        settle = self.env._settle_internal

        async def not_yet(**_: Any) -> None:
            return None

        results: list[InteractionResult] = []
        self.env._settle_internal = not_yet  # type: ignore[method-assign, assignment]
        try:
            for verb in pending:
                results.append(await verb)
        finally:
            self.env._settle_internal = settle  # type: ignore[method-assign]
            for verb in pending:
                verb.close()
        await self.env.settle()
        return results

    # time

    async def advance(self, seconds: float) -> None:
        """Let `seconds` of virtual time pass."""
        await self.env.advance_time(seconds)

    async def until(self, predicate: Callable[[], Any], seconds: float = 60) -> Any:
        """Let time pass, from one timer of the bot to the next, until `predicate()` is true; what it
        returned.

        It may be a coroutine function. Raises AssertionError when it is not true after `seconds`.
        """
        end = self.env.backend.clock.elapsed + seconds
        while True:
            result = predicate()
            if inspect.isawaitable(result):
                result = await result
            if result:
                return result
            now = self.env.backend.clock.elapsed
            if now >= end:
                raise AssertionError(f"not so after {seconds} seconds of virtual time\n{self.screen(0)}")
            timer = waits.next_timer(self.env)
            await self.env.advance_time(min(end, max(now, timer or end)) - now or 0.000001)

    async def restart(self, **settings: Any) -> discord.Client:
        """End the bot and start a new one on the same database, in the same Discord; the new bot.

        `settings` are for the new one.
        """
        await _close(self.env)
        await self.env.restart_bot(self._make_bot(**settings))
        return self.bot

    # what people see

    def messages(self, who: Who | None = None, channel: ChannelHandle | None = None) -> list[ResponseMessage]:
        """The messages of a channel that `who` sees (None: everybody), oldest first."""
        viewer = None if who is None else self.actor(who).id
        stored: Iterable[Message] = self.env.backend.messages.get((channel or self.channel).id, {}).values()
        return [
            ResponseMessage(self.env, one)
            for one in sorted(stored, key=lambda one: one.id)
            if one.visible_to(viewer)
        ]

    def board(self, containing: str = "", channel: ChannelHandle | None = None) -> ResponseMessage:
        """The newest public message with components, and with these words."""
        for message in reversed(self.messages(channel=channel)):
            if message.components and containing in text_of(message):
                return message
        raise AssertionError(f"no board with {containing!r}\n{self.screen(0)}")

    def screen(self, who: Who) -> str:
        """The channel as `who` sees it, as text: for the messages of failing tests."""
        lines = []
        for message in self.messages(who):
            lines.append(f"--- {message.id}{' (only you see this)' if message.ephemeral else ''}")
            lines.append(text_of(message))
            lines += [
                f"[{button.label or button.emoji}]{' off' if button.disabled else ''} {button.custom_id}"
                for button in buttons_of(message)
            ]
            lines += [f"({select.custom_id}) {select.values}" for select in selects_of(message)]
        return "\n".join(lines)

    def public_payloads(self) -> list[Any]:
        """Every body the bot sent that is visible to everybody, edits included; commands too."""
        return self.checker.public_payloads()

    def private_payloads(self, who: Who | None = None) -> list[Any]:
        """Every body the bot sent that one person alone can see (that of `who`)."""
        return self.checker.private_payloads(None if who is None else self.actor(who).id)

    def _seen(self, who: Who, message: Any) -> list[Any]:
        if message is None:
            return list(reversed(self.messages(who)))
        if isinstance(message, InteractionResult):
            return [*reversed(message.followups), *([message.response] if message.response else [])]
        return [message]


async def _close(env: simcord.Env) -> None:
    """Close the bot as a process that ends in order does."""
    with env._bot_scope():
        task = asyncio.get_running_loop().create_task(env.bot.close())
    await env.settle()
    await task


@contextlib.asynccontextmanager
async def playing(
    database: Path | str,
    members: int = 4,
    *,
    create: Create | None = None,
    settle_timeout: float = 20.0,
    strict_sync: bool = False,
    check_errors: bool = True,
    world: World | None = None,
    attend: Callable[[simcord.Env, RequestChecker], None] | None = None,
    **settings: Any,
) -> AsyncIterator[Game]:
    """Run `create(database=…, **settings)`, the project's bot by default, among `members` people.

    `strict_sync`: commands that the bot has not synced itself do not exist. `world`: a Discord that exists
    already, instead of a new one. `attend` is called before the bot starts. At the end the bot is closed,
    its uncaught errors are raised, and then `RefusedRequests` when a request was wrong.
    """
    make = create or _create_bot()

    def make_bot(**changed: Any) -> discord.Client:
        return make(database=database, **{**settings, **changed})

    env = simcord.Env(
        make_bot(), strict_sync=strict_sync, check_errors=check_errors, settle_timeout=settle_timeout
    )
    waits.install(env)
    checker = RequestChecker()
    if world is not None:
        env.backend = world.backend
    checker.watch(env)
    if attend is not None:
        attend(env, checker)
    await env.start()
    try:
        with env.time_context():
            game = (
                _people(env, make_bot, checker, members)
                if world is None
                else _return(env, make_bot, checker, world)
            )
            try:
                await env.settle()
                yield game
                await env.settle()
            finally:
                await _close(env)
    finally:
        await env.shutdown()
    if check_errors:
        env._raise_errors_since(env._errors_acknowledged)
    checker.verify()


def _people(
    env: simcord.Env, make_bot: Callable[..., discord.Client], checker: RequestChecker, members: int
) -> Game:
    guild = env.create_guild("Card Room")
    channel = guild.create_text_channel("canasta")
    names = [NAMES[number] if number < len(NAMES) else f"Member{number}" for number in range(members)]
    people = [guild.add_member(env.create_user(name)) for name in names]
    return Game(env, make_bot, guild, channel, people, checker)


def _return(
    env: simcord.Env, make_bot: Callable[..., discord.Client], checker: RequestChecker, world: Any
) -> Game:
    guild = GuildHandle(env, env.backend.guilds[world.guild])
    env._guilds.append(guild)
    channel = ChannelHandle(env, guild, env.backend.channels[world.channel])
    people = [MemberActor(env, guild, UserHandle(env, env.backend.users[one])) for one in world.members]
    return Game(env, make_bot, guild, channel, people, checker)
