"""The harness against a toy bot: how time, waits, concurrency and restarts behave."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import discord
import pytest
from discord.ext import tasks
from simcord.backend.errors import SetupError

from .harness import Game, buttons_of, playing, selects_of, text_of
from .requests import RefusedRequests
from .toy_bot import SECRET, create_bot


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "toy.db"


async def test_commands_buttons_selects_and_modals(database: Path) -> None:
    async with playing(database, members=2, create=create_bot) as game:
        made = await game.slash(0, "toy new", profile="salon")
        assert text_of(made) == "made counter 1, salon"
        assert text_of(game.board()) == "Counter 1 stands at 0"
        await game.click(1, label="Count")
        await game.click(0, custom_id="toy:1")
        assert text_of(game.board()) == "Counter 1 stands at 2"
        assert [button.label for button in buttons_of(game.board())] == ["Count"]

        choices = await game.autocomplete(0, "toy new", "profile", "c")
        assert [choice["value"] for choice in choices] == ["classic", "canastra"]

        shown = await game.slash(1, "toy pick")
        (select,) = selects_of(shown.response)
        assert (select.min_values, select.max_values, select.values[0]) == (1, 2, "classic")
        picked = await game.select(1, values=["salon", "browser"])
        assert text_of(picked) == "picked salon, browser"

        asked = await game.slash(1, "toy ask")
        assert text_of(await game.submit(1, asked, answer="yes")) == "you said yes"


async def test_ephemeral_messages_are_seen_by_one(database: Path) -> None:
    async with playing(database, members=2, create=create_bot) as game:
        answer = await game.slash(0, "toy secret")
        assert answer.ephemeral
        assert SECRET in text_of(game.messages(0)[-1])
        assert game.messages(1) == []
        assert game.messages() == []
        assert SECRET in json.dumps(game.private_payloads(0))
        assert SECRET not in json.dumps(game.private_payloads(1))
        assert SECRET not in json.dumps(game.public_payloads())
        await game.slash(0, "toy wrong", how="leak")
        assert SECRET in json.dumps(game.public_payloads())


async def test_a_button_that_is_gone_can_still_be_pressed(database: Path) -> None:
    async with playing(database, members=2, create=create_bot) as game:
        await game.slash(0, "toy new")
        await game.click(0, label="Count")
        late = await game.press(1, game.board(), "toy:1:0")
        assert [text_of(one) for one in late.followups] == ["already moved"]
        assert text_of(game.board()) == "Counter 1 stands at 1"
        assert not (await game.press(1, game.board(), "nonsense")).acknowledged
        game.checker.take("unanswered")  # the toy knows no better
        with pytest.raises(SetupError):
            await game.members[1].click(game.board(), custom_id="toy:1:0")
        with pytest.raises(AssertionError, match="no button 'Draw'"):
            await game.click(1, label="Draw")


async def test_sleep_in_a_background_task_follows_virtual_time(database: Path) -> None:
    begun = time.perf_counter()
    async with playing(database, create=create_bot) as game:
        await game.slash(0, "toy new", later=3)  # shorter than the settle timeout, yet nobody waits for it
        assert text_of(game.board()) == "Counter 1 stands at 0"
        await game.advance(2.9)
        assert text_of(game.board()) == "Counter 1 stands at 0"
        await game.until(lambda: "stands at 1" in text_of(game.board()), seconds=10)
        assert game.env.backend.clock.elapsed == pytest.approx(3, abs=0.01)
        with pytest.raises(AssertionError, match="not so after 5 seconds"):
            await game.until(lambda: "stands at 2" in text_of(game.board()), seconds=5)
        await game.advance(3600)
        assert game.bot.woken == 1  # type: ignore[attr-defined]
    assert time.perf_counter() - begun < 2.5


async def test_every_kind_of_timer_follows_virtual_time(database: Path) -> None:
    begun = time.perf_counter()
    fired: list[str] = []
    async with playing(database, create=create_bot) as game:
        bot: Any = game.bot
        never = asyncio.Event()

        async def timeout() -> None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(2):
                    await never.wait()
            fired.append("timeout")

        async def wait_for() -> None:
            start = time.monotonic()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(never.wait(), 3)
            assert time.monotonic() - start == pytest.approx(3, abs=0.01)
            fired.append("wait_for")

        async def queue() -> None:
            lines: asyncio.Queue[str] = asyncio.Queue()
            asyncio.get_running_loop().call_later(4, lines.put_nowait, "call_later")
            fired.append(await lines.get())

        @tasks.loop(seconds=5, count=2)
        async def looping() -> None:
            fired.append("loop")

        async def expiring() -> None:
            view = discord.ui.View(timeout=6)
            view.on_timeout = lambda: asyncio.sleep(0, fired.append("view"))  # type: ignore[method-assign]
            await game.bot.get_partial_messageable(game.channel.id).send(
                "x", view=view.add_item(discord.ui.Button(label="x"))
            )

        with game.env._bot_scope():
            for work in (timeout, wait_for, queue, expiring):
                bot.spawn(work())
            looping.start()
        await game.env.settle()
        assert fired == ["loop"]
        for seconds in range(2, 7):
            await game.advance(1 if seconds > 2 else 2)
            assert len(fired) == seconds
        assert fired == ["loop", "timeout", "wait_for", "call_later", "loop", "view"]
    assert time.perf_counter() - begun < 3


async def test_a_lock_held_over_a_sleep_shows_as_a_late_answer(database: Path) -> None:
    async with playing(database, create=create_bot) as game:
        bot: Any = game.bot
        await game.slash(0, "toy new")

        async def hold() -> None:
            async with bot.store._writing:
                await asyncio.sleep(60)

        with game.env._bot_scope():
            bot.spawn(hold())
        await game.click(0, label="Count")
        assert text_of(game.board()) == "Counter 1 stands at 0"
        await game.advance(60)
        assert text_of(game.board()) == "Counter 1 stands at 1"


async def test_an_idle_event_does_not_hold_up_verbs_but_a_thread_does(database: Path) -> None:
    async with playing(database, create=create_bot) as game:
        bot: Any = game.bot
        await game.slash(0, "toy new")
        # aiosqlite's thread sleeps half a second in reality: the verb must wait for it.
        await bot.store._db.create_function("slow", 0, lambda: time.sleep(0.5) or 1)
        press = bot.store.press

        async def slow_press(counter: int, version: int) -> int | None:
            await bot.store._db.execute_fetchall("SELECT slow()")
            return await press(counter, version)  # type: ignore[no-any-return]

        bot.store.press = slow_press
        begun = time.perf_counter()
        await game.click(0, label="Count")
        assert time.perf_counter() - begun >= 0.5
        assert text_of(game.board()) == "Counter 1 stands at 1"


async def test_a_process_pool_is_waited_for(database: Path) -> None:
    async with playing(database, create=create_bot) as game:
        bot: Any = game.bot
        await game.slash(0, "toy new")
        press = bot.store.press
        with ProcessPoolExecutor(1) as pool:

            async def thought_over(counter: int, version: int) -> int | None:
                await asyncio.get_running_loop().run_in_executor(pool, time.sleep, 0.3)
                return await press(counter, version)  # type: ignore[no-any-return]

            bot.store.press = thought_over
            await game.click(0, label="Count")
        assert text_of(game.board()) == "Counter 1 stands at 1"


async def test_fifty_at_once(database: Path) -> None:
    async with playing(database, members=4, create=create_bot) as game:
        await game.slash(0, "toy new")
        clicks = [game.click(number % 4, label="Count") for number in range(49)]
        results = await game.at_once([*clicks, game.slash(0, "toy secret")])
        said = [text_of(result) for result in results[:-1]]
        assert sum("already moved" in one for one in said) == 48
        assert SECRET in text_of(results[-1])
        assert all(result.acknowledged for result in results)
        assert text_of(game.board()) == "Counter 1 stands at 1"


async def test_at_once_hands_over_everything_before_the_bot_takes_a_step(database: Path) -> None:
    async with playing(database, create=create_bot) as game:
        await game.slash(0, "toy new")
        first = len(game.env.backend.transcript)
        await game.at_once([game.click(0, label="Count"), game.click(1, label="Count")])
        kinds = [kind if kind == "HTTP" else name for kind, name, _ in game.env.backend.transcript[first:]]
        assert kinds[:3] == ["INTERACTION_CREATE", "INTERACTION_CREATE", "HTTP"]


async def test_at_once_with_an_impossible_verb_leaves_a_usable_game(database: Path) -> None:
    async with playing(database, create=create_bot) as game:
        await game.slash(0, "toy new")
        with pytest.raises(AssertionError):
            await game.at_once(
                [game.click(0, label="Count"), game.click(0, label="None"), game.click(1, label="Count")]
            )
        await game.env.settle()
        assert text_of(game.board()) == "Counter 1 stands at 1"
        await game.click(1, label="Count")
        assert text_of(game.board()) == "Counter 1 stands at 2"


@pytest.mark.parametrize("kill", [False, True])
async def test_old_buttons_answer_after_a_restart(database: Path, kill: bool) -> None:
    async with playing(database, create=create_bot) as game:
        await game.slash(0, "toy new")
        await game.click(0, label="Count")
        board, old = game.board().id, game.bot
        closing = old.store  # type: ignore[attr-defined]
        await game.restart(kill=kill)
        assert game.bot is not old
        assert game.board().id == board
        await game.click(1, label="Count")
        assert text_of(game.board()) == "Counter 1 stands at 2"
        await closing.close()


async def test_members_are_told_apart_and_may_be_many(database: Path) -> None:
    async with playing(database, members=9, create=create_bot) as game:
        assert len({member.id for member in game.members}) == 9
        assert game.actor(8).name == "Member8"


@pytest.mark.parametrize(
    ("how", "code", "patience"),
    [
        ("silent", "unanswered", 0),
        ("thinking", "still-thinking", 0),
        ("late", "answered-late", 5),
        ("twice", "answered-twice", 0),
        ("old token", "token-expired", 902),
        ("ephemeral by channel", "ephemeral-by-channel", 0),
        ("everyone", "mentions-parsed", 0),
        ("schema", "description", 0),
        ("by hand", "select-values", 0),
        ("multipart", "description", 0),
    ],
)
async def test_wrong_requests_fail_the_test(database: Path, how: str, code: str, patience: float) -> None:
    async def played() -> None:
        async with playing(database, create=create_bot, check_errors=False) as game:
            await game.slash(0, "toy wrong", how=how)
            await game.advance(patience)

    with pytest.raises(RefusedRequests) as raised:
        await played()
    assert {failure.code for failure in raised.value.failures} == {code}


async def test_wrong_requests_that_are_expected_do_not(database: Path) -> None:
    async with playing(database, create=create_bot) as game:
        await game.slash(0, "toy wrong", how="everyone")
        (failure,) = game.checker.take()
        assert (failure.code, failure.request) == ("mentions-parsed", "POST /channels/{channel_id}/messages")
        assert failure.where == "/allowed_mentions/parse"
        assert "everyone" in failure.excerpt
        await game.slash(0, "toy wrong", how="silent")
        assert [one.code for one in game.checker.take("unanswered")] == ["unanswered"]


async def test_errors_of_the_bot_fail_the_test(database: Path) -> None:
    with pytest.raises(ExceptionGroup) as raised:
        async with playing(database, create=create_bot) as game:
            await game.slash(0, "toy wrong", how="error")
    assert "as asked" in repr(raised.value.exceptions)


async def test_the_clock_of_discord_utils_is_virtual(database: Path) -> None:
    async with playing(database, create=create_bot) as game:
        before = discord.utils.utcnow()
        await game.advance(86400)
        assert (discord.utils.utcnow() - before).total_seconds() == 86400
        assert isinstance(game, Game)
