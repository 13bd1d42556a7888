"""What hosts and moderators do with a table, by whom and where, and the clicks that answer it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest

from canasta_core.tables.model import DAY, Ended, ServerSettings, Stage, What
from cogs.hosting import PAUSES
from cogs.opening import NO_CLOCK
from cogs.ui.layout import Verb
from tests.cogs.hosts import GUEST, MODERATOR, PLAYER, last, log_of, moderator, people, use
from tests.cogs.players import (
    click_turn,
    is_over,
    open_table,
    said,
    slash_turn,
    table_of,
    who_of,
)
from tests.cogs.test_answers import at_table, is_clear, unchanged
from tests.discord.harness import Game, buttons_of, playing, text_of

TOOLS: dict[str, dict[str, Any]] = {
    "pause": {},
    "replace": {"seat": 2},
    "host": {"to": PLAYER},
    "end": {},
}
"""Commands for hosts and moderators, with options that make sense at the table."""


# Who may


@pytest.mark.parametrize("command", TOOLS)
@at_table
async def test_tools_are_for_host_and_moderators(game: Game, command: str) -> None:
    version = (await table_of(game)).version
    for who in (PLAYER, GUEST):
        assert "Only the host of the table or a moderator" in await use(game, who, command, **TOOLS[command])
    await unchanged(game, version)
    moderator(game)
    answer = await use(game, MODERATOR, command, **TOOLS[command])
    assert "Only the host" not in answer
    is_clear(answer)
    if command != "end":
        assert (await last(game)).detail.get("moderator") is True
        assert "as a moderator" in await log_of(game)


@pytest.mark.parametrize("command", [*TOOLS, "move", "resume", "invite", "clock", "log"])
@at_table
async def test_tools_at_tables_that_are_not_there(game: Game, command: str) -> None:
    version = (await table_of(game)).version
    options = {"invite": {"seat": 2}, "clock": {"to": 3600}}.get(command, TOOLS.get(command, {}))
    for named in ("99", "one", "x" * 6000):
        answer = await use(game, 0, command, table=named, **options)
        assert "no table" in answer or "no such table" in answer
    elsewhere = game.guild.create_text_channel("empty")
    if command != "move":
        answer = said(await game.slash(0, f"canasta {command}", channel_=elsewhere, **people(game, options)))
        assert "no table here" in answer
    await unchanged(game, version)


@at_table
async def test_without_a_name_the_hosts_own_table_is_meant_and_else_it_is_asked(game: Game) -> None:
    await game.slash(1, "canasta new")
    await game.slash(0, "canasta pause")
    assert (await table_of(game, 1)).paused is not None, "table 1 is the one that this host has here"
    moderator(game)
    asked = await game.slash(MODERATOR, "canasta host", to=game.members[2])
    assert "Which one" in said(asked)
    await game.select(MODERATOR, values=["1"], custom_id="cn:choose", message=asked.response)
    assert "Cleo is the host of table 1" in text_of(asked.response)
    assert (await table_of(game, 1)).host_id == game.members[2].id
    # What was typed waits in the question, the guest's name with it.
    asked = await game.slash(MODERATOR, "canasta replace", seat=2, member=game.members[GUEST])
    await game.select(MODERATOR, values=["1"], custom_id="cn:choose", message=asked.response)
    assert game.members[GUEST].mention in text_of(asked.response)
    await game.click(MODERATOR, label="Give the seat away", message=asked.response)
    assert [invite.user_id for invite in (await table_of(game, 1)).invites] == [game.members[GUEST].id]


@at_table
async def test_a_moderators_right_counts_where_the_table_is(game: Game) -> None:
    """Who moderates one channel has no say over tables of another, wherever the command is typed."""
    allowed = discord.PermissionOverwrite(manage_messages=True)
    theirs = game.guild.create_text_channel("theirs", overwrites={game.members[GUEST]: allowed})
    await game.slash(PLAYER, "canasta new", channel_=theirs)
    for command in ("canasta end", "canasta pause"):
        answer = said(await game.slash(GUEST, command, channel_=theirs, table="1"))
        assert "Only the host" in answer
    assert "is over" in said(await game.slash(GUEST, "canasta end", table="2"))
    assert (await table_of(game, 2)).ended is Ended.MODERATOR


# Pause


@at_table
async def test_pause_and_resume(game: Game) -> None:
    table = await table_of(game)
    assert table.state is not None
    who = who_of(game, table, table.state.public.turn)
    assert "not paused" in await use(game, 0, "resume")
    assert "is paused until <t:" in await use(game, 0, "pause", **{"for": PAUSES[0]})
    assert "paused" in said(await game.slash(who, "draw")).lower()
    assert "Only the host" in await use(game, PLAYER, "resume")
    assert "goes on" in await use(game, 0, "resume")
    assert "Your hand" in said(await game.slash(who, "draw"))
    assert "is paused until" in await use(game, 0, "pause", until="in 3 days".removeprefix("in "))
    paused = (await table_of(game)).paused
    assert paused is not None
    now = discord.utils.utcnow().timestamp()
    assert paused.until == pytest.approx(now + 3 * DAY, abs=60)
    for options, words in (
        ({"until": "soonish"}, "cannot read"),
        ({"until": "1 January 2001"}, "has passed"),
        ({"until": "300"}, "too far ahead"),
        ({"until": "tomorrow", "for": PAUSES[0]}, "not both"),
    ):
        answer = await use(game, 0, "pause", **options)
        is_clear(answer)
        assert words in answer
        assert (await table_of(game)).paused == paused
    offered = await game.autocomplete(0, "canasta pause", "until", "friday 18:00")
    assert [choice["name"][:6] for choice in offered] == ["Friday"]
    assert len(await game.autocomplete(0, "canasta pause", "until", "")) > 5
    await game.advance(3 * DAY + 60)
    assert (await table_of(game)).paused is None
    told = await log_of(game)
    assert "Ann paused the table until" in told
    assert "Ann ended the pause" in told
    assert "The pause was over" in told


# The clock


def proposal_of(game: Game) -> Any:
    return next(one for one in reversed(game.messages()) if "proposes another clock" in text_of(one))


@at_table
async def test_another_clock_takes_the_consent_of_all(game: Game) -> None:
    assert "do not sit" in await use(game, GUEST, "clock", to=3600)
    assert "has that clock already" in await use(game, 0, "clock", to=DAY)
    assert "once everybody who plays has agreed" in await use(game, PLAYER, "clock", to=3600)
    message = proposal_of(game)
    assert "1 hour" in text_of(message)
    assert "agreed to this clock already" in said(await game.click(PLAYER, label="Agree", message=message))
    assert "do not sit" in said(await game.click(GUEST, label="Agree", message=message))
    assert "You have agreed" in said(await game.click(0, label="Agree", message=message))
    assert (await table_of(game)).clock == DAY
    await slash_turn(game, random.Random(1))
    await game.click(2, label="Agree", message=proposal_of(game))
    answer = said(await game.click(3, label="Agree", message=proposal_of(game)))
    assert "from now on: 1 hour" in answer
    assert (await table_of(game)).clock == 3600
    stale = await game.press(2, message, f"cn:{Verb.AGREE}:1:{(await table_of(game)).version}")
    assert "No other clock is proposed" in said(stale)
    assert "changed the time for a turn" in await log_of(game) or "All agreed" in await log_of(game)


@at_table
async def test_one_no_ends_a_proposal_and_old_buttons_mean_no_later_one(game: Game) -> None:
    await use(game, 0, "clock", to=3600)
    first = proposal_of(game)
    agree = next(button.custom_id for button in buttons_of(first) if button.label == "Agree")
    assert "stays as it is" in said(await game.click(1, label="Keep as it is", message=first))
    told = next(one for one in game.messages() if one.id == first.id)
    assert text_of(told) == "**Bob** kept the clock at table 1: **1 day** a turn (Ann had proposed 1 hour)."
    await use(game, 0, "clock", to=300)
    assert "No other clock is proposed" in said(await game.press(1, game.messages()[-1], agree))
    proposal = (await table_of(game)).proposal
    assert proposal is not None
    assert proposal.agreed == (game.members[0].id,)
    results = await game.at_once(
        [
            game.click(1, label="Agree", message=proposal_of(game)),
            game.click(2, label="Keep as it is", message=proposal_of(game)),
        ]
    )
    for result in results:
        is_clear(said(result))
    assert (await table_of(game)).proposal is None
    assert (await table_of(game)).clock == DAY


@at_table
async def test_a_moderator_sets_the_clock_at_once(game: Game) -> None:
    moderator(game)
    assert "from now on: no limit" in said(await game.slash(MODERATOR, "canasta clock", to=NO_CLOCK))
    table = await table_of(game)
    assert (table.clock, table.deadline) == (None, None)
    await use(game, 0, "clock", to=3600)
    asked = proposal_of(game)
    await game.slash(MODERATOR, "canasta clock", to=300)
    told = text_of(next(one for one in game.messages() if one.id == asked.id))
    assert "**Finn** has set the clock at table 1: **5 minutes** a turn (Ann had proposed 1 hour)." in told
    assert "as a moderator" in await log_of(game)


async def test_two_moderators_at_once(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=6) as game:
        await open_table(game)
        for who in (4, 5):
            moderator(game, who)
        commands = [("clock", {"to": 300}), ("clock", {"to": 3600})]
        results = await game.at_once(
            [
                game.slash(who, f"canasta {name}", **given)
                for who, (name, given) in zip((4, 5), commands, strict=True)
            ]
        )
        for result in results:
            is_clear(said(result))
        assert (await table_of(game)).clock in (300, 3600)
        asked = [await game.slash(who, "canasta replace", seat=2) for who in (4, 5)]
        await game.at_once(
            [
                game.click(who, label="Give the seat away", message=one.response)
                for who, one in zip((4, 5), asked, strict=True)
            ]
        )
        answers = [text_of(one.response) for one in asked]
        assert sum("plays seat 2" in answer for answer in answers) == 1
        assert sum("No person sits" in answer for answer in answers) == 1
        shown = [await game.slash(who, "canasta end") for who in (4, 5)]
        ended = await game.at_once(
            [
                game.click(who, label="End table 1 for all", message=one.response)
                for who, one in zip((4, 5), shown, strict=True)
            ]
        )
        assert (
            sum("Table 1 is over" in text_of(result.response) for result in ended)
            + sum("Table 1 is over" in text_of(one.response) for one in shown)
            >= 1
        )
        assert sum("That table is over" in text_of(one.response) for one in shown) == 1
        log = await game.bot.service.log(1)  # type: ignore[attr-defined]
        assert sum(entry.what is What.END for entry in log) == 1


# The end


@at_table
async def test_a_running_game_is_ended_by_a_second_click(game: Game) -> None:
    shown = await game.slash(0, "canasta end")
    assert "nobody wins" in said(shown)
    assert "4 people" in said(shown)
    assert (await table_of(game)).stage is Stage.PLAYING
    board = game.board("Canasta · table")
    assert "older message" in said(await game.press(0, board, f"cn:{Verb.END_TABLE}:1:3"))
    # The right to do it is judged again with the click.
    await use(game, 0, "host", to=PLAYER)
    await game.click(0, label="End table 1 for all", message=shown.response)
    assert "Only the host" in text_of(shown.response)
    assert (await table_of(game)).stage is Stage.PLAYING
    await use(game, PLAYER, "host", to=0)
    shown = await game.slash(0, "canasta end")
    await game.click(0, label="End table 1 for all", message=shown.response)
    assert "Table 1 is over" in text_of(shown.response)
    assert (await table_of(game)).ended is Ended.HOST
    assert "Ann, the host, ended the table" in await log_of(game)
    assert "That table is over" in await use(game, 0, "end", table="1")


# Moving


@at_table
async def test_a_table_moves_while_a_turn_runs_and_plays_on(game: Game) -> None:
    rng = random.Random(4)
    for _ in range(5):
        await slash_turn(game, rng)
    old, new = game.channel, game.guild.create_text_channel("new")
    before = await table_of(game)
    assert f"is in <#{new.id}> now" in await use(game, 0, "move", to=new)
    table = await table_of(game)
    assert (table.channel_id, table.played) == (new.id, before.played)
    assert f"<#{new.id}>" in text_of(game.messages(channel=old)[-1]) or any(
        f"has moved to <#{new.id}>" in text_of(one) for one in game.messages(channel=old)
    )
    assert "Canasta · table 1" in text_of(game.board("Canasta · table", channel=new))
    game.channel = new
    for _ in range(20):
        await click_turn(game, rng)
    assert "in that channel already" in await use(game, 0, "move", to=new, table="1")
    # From another channel it comes to where its host types.
    game.channel = old
    assert f"is in <#{old.id}> now" in await use(game, 0, "move")
    assert (await table_of(game)).channel_id == old.id
    assert "Ann moved the table to" in await log_of(game)


@at_table
async def test_where_a_table_may_move_is_checked_for_bot_and_person(game: Game) -> None:
    everyone, service = game.guild.default_role, game.bot.service  # type: ignore[attr-defined]
    closed = discord.PermissionOverwrite(send_messages=False)
    for_all = game.guild.create_text_channel("closed", overwrites={everyone: closed})
    for_bot = game.guild.create_text_channel("no-bot", overwrites={game.bot.user: closed})  # type: ignore[dict-item]
    category = game.guild.create_category("Games")
    version = (await table_of(game)).version
    assert "cannot write in" in await use(game, 0, "move", to=for_all)
    assert "Send Messages" in await use(game, 0, "move", to=for_bot)
    allowed = game.guild.create_text_channel("allowed", category=category)
    await service.set_server_settings(game.guild.id, ServerSettings(channels=frozenset({category.id})))
    other = game.guild.create_text_channel("other")
    assert f"<#{category.id}>" in await use(game, 0, "move", to=other)
    assert "Only the host" in await use(game, PLAYER, "move", to=allowed)
    assert "No table of yours" in await use(game, PLAYER, "move")
    await unchanged(game, version)
    own = discord.PermissionOverwrite(manage_threads=False)
    corners = game.guild.create_text_channel("corners", category=category, overwrites={game.bot.user: own})  # type: ignore[dict-item]
    made = game.env.backend.create_thread(corners.id, "Corner", owner_id=game.members[0].id)
    game.env.backend.edit_channel(made.id, {}, thread_metadata={"locked": True, "archived": True})
    await game.env.settle()
    thread = next(one for one in corners.threads if one.id == made.id)
    assert "locked" in await use(game, 0, "move", to=thread)
    await unchanged(game, version)
    voice = game.guild.create_voice_channel("talk", category=category)
    assert f"is in <#{voice.id}> now" in await use(game, 0, "move", to=voice)


@at_table
async def test_a_table_whose_channel_is_gone_is_fetched_by_anybody_at_it(game: Game) -> None:
    other = game.guild.create_text_channel("other")
    game.env.backend.delete_channel(game.channel.id)
    await game.env.settle()
    game.channel = other
    rng = random.Random(1)
    for _ in range(3):
        await slash_turn(game, rng)
    await game.advance(5)
    assert (await table_of(game)).lost
    assert "No table of yours" in await use(game, GUEST, "move")
    assert f"is in <#{other.id}> now" in await use(game, PLAYER, "move")
    table = await table_of(game)
    assert (table.channel_id, table.lost) == (other.id, "")
    for _ in range(10):
        await click_turn(game, rng)
    told = await log_of(game)
    assert "could no longer write" in told
    assert "Bob moved the table" in told


async def test_a_table_moves_into_a_thread_and_plays_a_round_there(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2, ai_delay=0) as game:
        await open_table(game, people=2, profile="salon", seats=2)
        made = game.env.backend.create_thread(game.channel.id, "Corner", owner_id=game.members[0].id)
        thread = next(one for one in game.channel.threads if one.id == made.id)
        await game.env.settle()
        assert f"is in <#{thread.id}> now" in await use(game, 0, "move", to=thread)
        game.channel = thread
        rng = random.Random(3)
        for _ in range(300):
            if await is_over(game):
                break
            await click_turn(game, rng)
        assert "Round 1" in text_of(game.board("Round 1"))


@pytest.mark.parametrize(
    "error", [aiohttp.ClientConnectionError("cut"), TimeoutError(), OSError("reset")], ids=repr
)
@at_table
async def test_a_place_that_cannot_be_asked_for_changes_nothing(game: Game, error: Exception) -> None:
    made = game.env.backend.create_thread(game.channel.id, "Corner", owner_id=game.members[0].id)
    game.env.backend.edit_channel(made.id, {}, thread_metadata={"archived": True})
    await game.env.settle()
    thread = next(one for one in game.channel.threads if one.id == made.id)
    version = (await table_of(game)).version

    async def fail(*_: Any) -> None:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discord.Guild, "fetch_channel", fail)
        assert "Discord does not answer" in await use(game, 0, "move", to=thread)
    await unchanged(game, version)
