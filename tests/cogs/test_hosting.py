"""What hosts and moderators do with a table, by whom and where; the clicks that answer it; the log."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest

from canasta_core.legality import who_acts
from canasta_core.tables.model import DAY, Ended, LogEntry, ServerSettings, Stage, Tenure, What
from cogs.hosting import PAUSES
from cogs.opening import NO_CLOCK
from cogs.ui.cards_text import card_text
from cogs.ui.face import face_of
from cogs.ui.layout import Verb
from cogs.ui.log import MOST_LINES, log_layout
from tests.cogs.players import (
    click_turn,
    enabled,
    end_table,
    is_over,
    open_table,
    said,
    slash_turn,
    table_of,
    who_of,
)
from tests.cogs.tables import LONGEST_NAME, played
from tests.cogs.tables import table_of as layout_table
from tests.cogs.test_answers import at_table, is_clear, unchanged
from tests.cogs.test_layouts import check
from tests.discord.harness import Game, buttons_of, playing, text_of

MODERATOR, PLAYER, GUEST = 5, 1, 4
"""Member 0 is the host, 1 to 3 play, 4 watches; 5 is a moderator."""

TOOLS: dict[str, dict[str, Any]] = {
    "pause": {},
    "replace": {"seat": 2},
    "host": {"to": PLAYER},
    "end": {},
}
"""Commands for hosts and moderators, with options that make sense at the table."""


def moderator(game: Game, who: int = MODERATOR) -> None:
    role = game.guild.create_role(f"mod{who}", permissions=discord.Permissions(manage_messages=True))
    game.env.backend.edit_member(game.guild.id, game.members[who].id, {"role_ids": [role.id]})


def people(game: Game, options: dict[str, Any]) -> dict[str, Any]:
    """Options with members instead of their numbers."""
    return {
        name: game.members[value] if name in ("to", "member") and value in range(6) else value
        for name, value in options.items()
    }


async def use(game: Game, who: int, command: str, **options: Any) -> str:
    """Use a command that takes members; what it answers."""
    return said(await game.slash(who, f"canasta {command}", **people(game, options)))


async def log_of(game: Game, who: int = 0) -> str:
    return said(await game.slash(who, "canasta log", table="1"))


async def last(game: Game) -> LogEntry:
    log = await game.bot.service.log(1)  # type: ignore[attr-defined]
    return log[-1]  # type: ignore[no-any-return]


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


# Seats


@at_table
async def test_a_seat_goes_to_an_ai_and_then_to_a_guest(game: Game) -> None:
    version = (await table_of(game)).version
    for seat, words in ((9, "no seat 9"), (0, "no seat")):
        assert words in await use(game, 0, "replace", seat=seat)
    await unchanged(game, version)
    offered = await game.autocomplete(0, "canasta replace", "seat", "")
    assert [(one["name"], one["value"]) for one in offered] == [
        ("seat 1 · Ann", 1), ("seat 2 · Bob", 2), ("seat 3 · Cleo", 3), ("seat 4 · Dan", 4)
    ]  # fmt: skip
    assert [one["value"] for one in await game.autocomplete(0, "canasta replace", "seat", "cleo")] == [3]
    assert not await game.autocomplete(0, "canasta invite", "seat", "")
    answer = await use(game, 0, "replace", seat=2, member=GUEST)
    assert "(AI) plays seat 2 at table 1 now, in place of Bob" in answer
    assert game.members[GUEST].mention in answer
    assert [one["value"] for one in await game.autocomplete(0, "canasta invite", "seat", "")] == [2]
    assert "No person sits" in await use(game, 0, "replace", seat=2)
    invitation = next(one for one in reversed(game.messages()) if "invited" in text_of(one))
    assert game.members[GUEST].mention in text_of(invitation)
    assert "moderator" in said(await game.click(MODERATOR, label="Take the seat", message=invitation))
    assert "hand of seat 2" not in said(await game.slash(GUEST, "canasta invite", seat=2))
    sat = await game.click(GUEST, label="Take the seat", message=invitation)
    assert "seat 2" in said(sat)
    assert (await table_of(game)).seat_of(game.members[GUEST].id) == 1
    assert "Your hand" in said(await game.slash(GUEST, "hand"))
    assert "do not sit" in said(await game.slash(1, "hand", table="1")), "the old sitter sees it no longer"
    told = await log_of(game)
    for words in ("gave seat 2 of Bob to an AI", "Ann invited Eve to seat 2", "Eve sat down at seat 2"):
        assert words in told
    assert_no_card(await table_of(game), told)


def assert_no_card(table: Any, told: str) -> None:
    assert not any(card_text(card) in told for hand in table.state.hands for card in hand.cards)


@at_table
async def test_nobody_loses_a_seat_to_a_guest_who_cannot_come(game: Game) -> None:
    version = (await table_of(game)).version
    assert "sits at the table already, at seat 3" in await use(game, 0, "replace", seat=2, member=2)
    await unchanged(game, version)
    # Who has seen another hand cannot come; that the seat has changed hands is said as well.
    await game.slash(3, "canasta leave", table="1")
    answer = await use(game, 0, "replace", seat=2, member=3)
    assert "(AI) plays seat 2 at table 1 now, in place of Bob" in answer
    assert "Dan has seen the hand of seat 4" in answer


async def test_the_last_person_is_not_replaced_by_the_end_of_the_game(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5) as game:
        await open_table(game, 1)
        await game.advance(5)
        for options in ({"seat": 1, "member": GUEST}, {"seat": 1}):
            answer = await use(game, 0, "replace", **options)
            assert "without this person it would end" in answer
            is_clear(answer)
        assert "Only the host" in await use(game, PLAYER, "replace", seat=1)
        assert (await table_of(game)).stage is Stage.PLAYING


async def test_a_kept_seat_that_is_open_is_shown_as_both(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, ai_delay=1.0) as game:
        await open_table(game, 2)
        host_plays = random.Random(1)

        async def kept() -> bool:
            table = await table_of(game)
            if table.seat_of(game.members[0].id) in who_acts(table.state.public):  # type: ignore[union-attr]
                await slash_turn(game, host_plays)
            return table.sitters[1].absent

        await game.until(kept, 20 * DAY)
        await use(game, 0, "invite", seat=2)
        await game.advance(5)
        board = game.board("Canasta · table 1")
        assert "an AI keeps the seat, whoever likes may take this seat" in text_of(board)
        assert {"I am back", "Take the seat"} <= enabled(board)
        await use(game, 0, "invite", seat=2, member=GUEST)
        await game.advance(5)
        board = game.board("Canasta · table 1")
        assert f"an AI keeps the seat, {game.members[GUEST].mention} is invited" in text_of(board)
        invited = [one for one in game.messages() if "Take the seat" in str(one.components)]
        assert len(invited) == 2, "the board, and one message"
        # Where the table goes, the board has all that is needed.
        new = game.guild.create_text_channel("new")
        await use(game, 0, "move", to=new)
        await game.advance(5)
        assert len(game.messages()) == 1, "the pointer"
        game.channel, board = new, game.board("Canasta · table 1", channel=new)
        assert "sit there already" in said(await game.press(1, board, "cn:take-seat:1:1:1"))
        await game.click(GUEST, label="Take the seat", message=board)
        assert (await table_of(game)).seat_of(game.members[GUEST].id) == 1
        assert "do not sit" in said(await game.press(1, board, "cn:back:1:1"))
        assert "taken by Eve" in said(await game.slash(1, "canasta join", table="1"))


@at_table
async def test_all_open_seats_are_in_one_message(game: Game) -> None:
    for seat in (2, 3):
        await use(game, 0, "replace", seat=seat)
        await use(game, 0, "invite", seat=seat, **({"member": GUEST} if seat == 3 else {}))
    await game.advance(5)

    def invitation() -> Any:
        found = [one for one in game.messages() if "cn:take-seat" in str(one.components)]
        (message,) = [one for one in found if "Canasta" not in text_of(one)]
        return message

    assert "Seat 2 at" in text_of(invitation())
    assert f"{game.members[GUEST].mention} — you are invited to seat 3" in text_of(invitation())
    assert enabled(invitation()) == {"Take seat 2", "Take seat 3"}
    await use(game, 0, "invite", seat=2, withdraw=True)
    await game.advance(5)
    assert "Seat 2 at" not in text_of(invitation())
    assert enabled(invitation()) == {"Take the seat"}
    assert "seat 3" in said(await game.click(GUEST, label="Take the seat", message=invitation()))


async def test_two_who_are_kept_are_told_in_one_message(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3, ai_delay=1.0) as game:
        await open_table(game, 2)

        async def both() -> bool:
            return all(sitter.absent for sitter in (await table_of(game)).sitters[:2])

        await game.until(both, 40 * DAY)
        await game.advance(5)
        (told,) = [one for one in game.messages() if "keeps your seat" in text_of(one)]
        assert "**Ann (AI)**" in text_of(told) or "**Bob (AI)**" in text_of(told)
        for who in (0, 1):
            await game.click(who, label="I am back", message=told if who == 0 else None)
        await game.advance(5)
        assert not any("keeps your seat" in text_of(one) for one in game.messages())


@at_table
async def test_an_open_seat_is_for_the_first_who_takes_it(game: Game) -> None:
    await use(game, 0, "replace", seat=2)
    assert "whoever likes" in await use(game, 0, "invite", seat=2)
    message = next(one for one in reversed(game.messages()) if "is open" in text_of(one))
    results = await game.at_once(
        [game.click(who, label="Take the seat", message=message) for who in (GUEST, MODERATOR)]
    )
    assert sum("You sit at" in said(result) for result in results) == 1
    for result in results:
        is_clear(said(result))
    await use(game, 0, "replace", seat=3)
    await use(game, 0, "invite", seat=3)
    assert "Nobody is invited" in await use(game, 0, "invite", seat=3, withdraw=True)
    table = await table_of(game)
    late = next(who for who in (GUEST, MODERATOR) if table.seat_of(game.members[who].id) is None)
    assert "moderator" in said(await game.slash(late, "canasta join", seat=3, table="1"))
    assert "took back" in await log_of(game)


@at_table
async def test_who_cannot_be_invited_is_named(game: Game) -> None:
    await use(game, 0, "replace", seat=2)
    version = (await table_of(game)).version
    assert "sits at the table already" in await use(game, 0, "invite", seat=2, member=2)
    assert "taken by" in await use(game, 0, "invite", seat=1, member=GUEST)
    assert "no seat 7" in await use(game, 0, "invite", seat=7)
    bot = game.guild.add_member(game.env.create_user("Robot", bot=True))
    assert "A bot cannot" in said(await game.slash(0, "canasta invite", seat=2, member=bot))
    assert "Only the host" in await use(game, PLAYER, "invite", seat=2)
    await unchanged(game, version)
    board = game.board("Canasta · table")
    assert "older message" in said(await game.press(GUEST, board, f"cn:{Verb.TAKE_SEAT}:1:{version}:x"))
    assert "no seat" in said(await game.press(GUEST, board, f"cn:{Verb.TAKE_SEAT}:1:{version}:99"))


@at_table
async def test_the_host_s_part_is_handed_over(game: Game) -> None:
    assert "Only somebody who plays" in await use(game, 0, "host", to=GUEST)
    assert "is the host already" in await use(game, 0, "host", to=0)
    assert "Bob is the host of table 1 now" in await use(game, 0, "host", to=1)
    assert "Only the host" in await use(game, 0, "host", to=0)
    assert "Ann made Bob the host" in await log_of(game)


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
        results = await game.at_once(
            [
                game.slash(4, "canasta replace", seat=2),
                game.slash(5, "canasta replace", seat=2),
            ]
        )
        answers = [said(result) for result in results]
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


async def test_a_rematch_is_where_it_is_asked_for(tmp_path: Path) -> None:
    """The result may have been told elsewhere, because the table's own channel is gone."""
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        await end_table(game)
        old, game.channel = game.channel, game.guild.create_text_channel("refuge")
        await game.slash(1, "canasta new", profile="salon")
        game.env.backend.delete_channel(old.id)
        await game.env.settle()
        board = game.board("Canasta · table 2")
        for words in ("A rematch is open: table 3", "The rematch is open already: table 3"):
            assert words in said(await game.press(0, board, "cn:rematch:1:9"))
        assert (await table_of(game, 3)).channel_id == game.channel.id
        assert "Canasta · table 3" in text_of(game.board("Canasta · table 3"))


# The log


@at_table
async def test_the_log_says_who_came_and_went_and_nothing_of_the_game(game: Game) -> None:
    rng = random.Random(1)
    for _ in range(30):
        await slash_turn(game, rng)
    await game.slash(3, "canasta leave")
    await game.slash(3, "canasta join")
    told = await log_of(game, GUEST)
    lines = told.split("\n")
    assert "Log of table 1" in lines[0]
    for words in ("Ann opened the table", "Bob sat down at seat 2", "The game began", "Dan left seat 4"):
        assert words in told
    assert all(line.startswith("<t:") for line in lines[1:])
    assert len(lines) == 1 + 7
    assert_no_card(await table_of(game), told)
    entries = await game.bot.service.log(1)  # type: ignore[attr-defined]
    salts = [entry.detail["salt"] for entry in entries if "salt" in entry.detail]
    assert salts
    assert not any(salt in json.dumps(game.private_payloads()) for salt in salts)


def entry(what: What, version: int = 3, **given: Any) -> LogEntry:
    fields = {"at": 1e9, "actor": 100, "seat": 1, "action": None, "events": (), "detail": {}} | given
    return LogEntry(version=version, what=what, **fields)


EVERY: list[tuple[What, dict[str, Any]]] = [
    *((what, {}) for what in What),
    *((What.END, {"detail": {"reason": reason}}) for reason in Ended),
    *((what, {"actor": None}) for what in (What.BACK, What.RESUME, What.BEGIN, What.CLOCK)),
    (What.INVITE, {"detail": {"user_id": None}}),
    (What.INVITE, {"detail": {"user_id": 7}}),
    (What.INVITE, {"detail": {"withdrawn": True}}),
    (What.JOIN, {"detail": {"by": 100, "moderator": True}}),
    (What.LEAVE, {"detail": {"host": 100}}),
    (What.REPLACE, {"detail": {"host": 7, "user_id": 8, "moderator": True}}),
    (What.AWAY, {"detail": {"until": 2e9}}),
    (What.CLOCK, {"detail": {"clock": 3600, "moderator": True}}),
    (What.MOVE_PLACE, {"detail": {"from_channel": 1, "to_channel": 10**18}}),
    (What.LOST, {"detail": {"channel": 1, "why": "deleted"}}),
    (What.LOST, {"detail": {"channel": 1, "why": "of a reason unknown"}}),
]


@pytest.mark.parametrize(("what", "given"), EVERY)
def test_every_change_has_its_line(what: What, given: dict[str, Any]) -> None:
    face = face_of(layout_table(played(moves=1)[0]))
    tenures = [Tenure(1, 7, "", "Old *one*", 1, 0.0, 3, 1.0), Tenure(1, None, "medium", "Ada", 3, 1.0)]
    told = check(log_layout(face, [entry(what, **given)], tenures, {100: "Ann", 8: "Hal"}))
    of_the_game = what in (What.LOTS, What.DEAL, What.MOVE, What.UNDO)
    assert len(told.split("\n")) == (1 if of_the_game else 2)
    assert "{" not in told
    assert ("as a moderator" in told) == bool(given.get("detail", {}).get("moderator"))


def test_the_fullest_log_fits_and_keeps_the_newest() -> None:
    face = face_of(layout_table(played(moves=1)[0], names=(LONGEST_NAME,) * 4))
    tenures = [Tenure(1, 100, "", LONGEST_NAME, 1, 0.0)]
    entries = [
        entry(What.REPLACE, number, detail={"host": 100, "user_id": 100, "moderator": True})
        for number in range(2, 300)
    ]
    told = check(log_layout(face, entries, tenures, {100: LONGEST_NAME}))
    assert told.count("<t:") == MOST_LINES
    assert "278 earlier" in told
