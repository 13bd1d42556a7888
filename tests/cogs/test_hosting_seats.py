"""Seats of a running game: given to AI players, open to guests, and taken up again."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import discord

from canasta_core.legality import who_acts
from canasta_core.tables.change import Change
from canasta_core.tables.model import DAY, Person, Preferences, Stage, What
from cogs.ui.layout import Verb
from tests.cogs.hosts import GUEST, MODERATOR, PLAYER, assert_no_card, log_of, moderator, use
from tests.cogs.players import (
    enabled,
    open_table,
    said,
    slash_turn,
    table_of,
)
from tests.cogs.test_answers import at_table, is_clear, unchanged
from tests.discord.harness import Game, playing, text_of


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
        assert "sit there already" in said(await game.press(0, board, "cn:take-seat:1:1:1"))
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


# What the others are told


def pings_of(game: Game, words: str) -> list[list[int]]:
    """Whom the messages with these words ping, each when it was sent."""
    return [
        [int(user) for user in body["allowed_mentions"].get("users", [])] for body in sent_with(game, words)
    ]


def sent_with(game: Game, words: str) -> list[Any]:
    """Short messages with these words, as they were sent."""
    return [body for body in game.public_payloads() if words in str(body) and "nonce" in body]


@at_table
async def test_replacing_is_asked_for_and_told_to_who_loses_the_seat(game: Game) -> None:
    before = await table_of(game)
    asked = await game.slash(0, "canasta replace", seat=2)
    assert "Give Bob's seat 2 at table 1 to an AI player (level medium)?" in said(asked)
    assert "comes back only if invited" in said(asked)
    await unchanged(game, before.version)
    board = game.board("Canasta · table")
    older = await game.press(0, board, f"cn:{Verb.REPLACE}:1:{before.version}:2 medium 0")
    assert "older message" in said(older), "only the private question does it"
    await game.click(0, label="Give the seat away", message=asked.response)
    await game.advance(5)
    (told,) = [one for one in game.messages() if "gave your seat 2" in text_of(one)]
    assert text_of(told).startswith(f"{game.members[1].mention} — Ann (host) gave your seat 2 at [table 1](")
    assert pings_of(game, "gave your seat") == [[game.members[1].id]]
    # What was said to one stays when the next is told.
    moderator(game)
    await use(game, MODERATOR, "replace", seat=3)
    await game.advance(5)
    assert "Finn (moderator) gave your seat 3" in str([text_of(one) for one in game.messages()])
    assert told.id in [one.id for one in game.messages()]


@at_table
async def test_who_has_sat_down_since_is_not_meant_by_an_old_question(game: Game) -> None:
    asked = await game.slash(0, "canasta replace", seat=2)
    await game.slash(1, "canasta leave", table="1")
    await use(game, 0, "invite", seat=2, member=GUEST)
    await game.click(GUEST, label="Take the seat")
    await game.click(0, label="Give the seat away", message=asked.response)
    assert "older message" in text_of(asked.response)
    assert (await table_of(game)).seat_of(game.members[GUEST].id) == 1


@at_table
async def test_in_quiet_hours_who_is_replaced_hears_it_silently(game: Game) -> None:
    with game.env._bot_scope():
        await game.bot.service.set_preferences(  # type: ignore[attr-defined]
            Person(game.members[1].id, "Bob"), Preferences(quiet=(0, 1439))
        )
    await use(game, 0, "replace", seat=2)
    await game.advance(5)
    (sent,) = sent_with(game, "gave your seat")
    assert sent["flags"] & discord.MessageFlags.suppress_notifications.flag


@at_table
async def test_the_others_hear_that_somebody_left_and_who_is_the_host_now(game: Game) -> None:
    await game.slash(2, "canasta leave", table="1")
    await game.slash(0, "canasta leave", table="1")
    await game.advance(5)
    lines = [text_of(one) for one in game.messages()]
    assert "Cleo left table 1; Ada (AI) plays seat 3." in lines
    assert "Ann left table 1; Bruno (AI) plays seat 1. Bob is the host now." in lines
    assert pings_of(game, " left table 1") == [[], []]


@at_table
async def test_who_comes_back_sees_the_hand_at_once(game: Game) -> None:
    await game.slash(2, "canasta leave", table="1")
    back = said(await game.slash(2, "canasta join", table="1"))
    assert back.startswith("Welcome back!")
    assert "Your hand" in back
    await use(game, 0, "replace", seat=4)
    await use(game, 0, "invite", seat=4, member=GUEST)
    taken = said(await game.click(GUEST, label="Take the seat"))
    assert taken.startswith("You sit at table 1: seat 4, team B with Bob.")
    assert "Your hand" in taken


async def test_a_seat_that_an_ai_keeps_is_taken_up_by_joining_and_told_when_a_guest_takes_it(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path / "c.db", members=5, ai_delay=1.0) as game:
        await open_table(game, 2)

        def keep(change: Change) -> None:
            sitter = change.table.sitters[1]
            change.set_sitter(replace(sitter, absent=True, kept=True))
            change.step(What.KEPT, seat=1)

        async def is_kept() -> None:
            with game.env._bot_scope():
                await game.bot.service._change(1, keep)  # type: ignore[attr-defined]
            await game.env.settle()

        await is_kept()
        back = said(await game.slash(1, "canasta join", table="1"))
        assert back.startswith("Welcome back!")
        assert (await table_of(game)).sitters[1].is_active
        await is_kept()
        await use(game, 0, "invite", seat=2)
        await game.advance(5)
        offer = next(one for one in game.messages() if "is open" in text_of(one))
        assert "plays on for Bob, who did not come back so far, team B with Bruno (AI)," in text_of(offer)
        await game.click(GUEST, label="Take the seat", message=offer)
        await game.advance(5)
        assert pings_of(game, "Eve took your seat 2 at") == [[game.members[1].id]]


@at_table
async def test_an_open_seat_says_for_whom_one_plays_on_and_with_what(game: Game) -> None:
    await use(game, 0, "replace", seat=3)
    await use(game, 0, "invite", seat=3)
    await game.advance(5)
    offer = next(one for one in game.messages() if "is open" in text_of(one))
    assert "whoever takes it plays on for Cleo, who no longer plays, team A with Ann, " in text_of(offer)

    # The others play until the AI player there holds another number of cards than was offered.
    rng, first = random.Random(3), await size(game)
    for _ in range(60):
        table = await table_of(game)
        assert table.state is not None
        if not table.sitters[who_acts(table.state.public)[0]].is_ai:
            await slash_turn(game, rng)
        await game.advance(5)
        if await size(game) < first:
            break
    assert await size(game) < first
    offer = next(one for one in game.messages() if one.id == offer.id)
    assert f"team A with Ann, {await size(game)} card" in text_of(offer)


async def size(game: Game) -> int:
    """How many cards there are at seat 3."""
    state = (await table_of(game)).state
    assert state is not None
    return state.public.sizes[2]
