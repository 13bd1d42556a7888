"""What lies outside the game and goes wrong for good, or for a while: channels, threads, servers, people.

The game goes on, is told in the nearest place that works, can be moved from anywhere, and finds its place
again by itself.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from simcord.builders import ChannelHandle
from simcord.results import ResponseMessage

from canasta_core.legality import who_acts
from canasta_core.tables.model import Notice, NoticeKind, Preferences, Reminders, Table
from tests.cogs.players import open_table, said, slash_turn, table_of, who_of
from tests.discord.harness import Game, buttons_of, playing, text_of
from tests.discord.test_faults import BOARD, EDIT, SEND, check_as_ever, move, pings, play_a_turn
from tests.discord.wire import Fault, Wire

MOVE = "/canasta move"


@contextlib.asynccontextmanager
async def at_a_table(database: Path, members: int = 4, **settings: Any) -> AsyncIterator[tuple[Game, Wire]]:
    """A game that has begun, on a wire."""
    async with playing(database, members=members, attend=Wire.attend, **settings) as game:
        await open_table(game)
        await game.advance(10)
        yield game, Wire.of(game)


def thread_of(game: Game) -> ChannelHandle:
    """A thread in the game's channel; the game's commands are used there from now on."""
    backend = game.env.backend
    thread = backend.create_thread(game.channel.id, "table", owner_id=game.members[0].id)
    game.channel = ChannelHandle(game.env, game.guild, backend.channels[thread.id])
    return game.channel


async def turn_of(game: Game) -> int:
    """The number of the member who must act."""
    table = await table_of(game)
    assert table.state is not None
    return who_of(game, table, who_acts(table.state.public)[0])


def direct(game: Game, who: int) -> list[str]:
    """The direct messages that the bot has sent to somebody."""
    backend, user = game.env.backend, game.members[who].id
    return [
        text_of(message)
        for channel in backend.channels.values()
        if channel.guild_id is None and user in channel.recipient_ids
        for message in backend.messages.get(channel.id, {}).values()
    ]


def forbid(game: Game, *, view: bool = False, undo: bool = False) -> None:
    """Take from everybody, or give back, what the bot needs in the game's channel."""
    import discord
    from simcord.backend.models import Overwrite
    from simcord.enums import OverwriteType

    backend = game.env.backend
    if undo:
        backend.delete_overwrite(game.channel.id, backend.bot_user.id)
        return
    denied = discord.Permissions(view_channel=view, send_messages=True, send_messages_in_threads=True)
    backend.set_overwrite(
        game.channel.id,
        Overwrite(target_id=backend.bot_user.id, type=OverwriteType.MEMBER, allow=0, deny=denied.value),
    )


async def elsewhere(game: Game) -> ChannelHandle:
    """Another channel, where commands are used from now on; the one before."""
    before, game.channel = game.channel, game.guild.create_text_channel("refuge")
    await game.env.settle()
    return before


def requests_to(wire: Wire, channel: ChannelHandle, since: int) -> int:
    return sum(f"/channels/{channel.id}" in path for _, path in wire.paths[since:])


async def test_a_deleted_channel(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, wire):
        who = await turn_of(game)
        gone = await elsewhere(game)
        game.env.backend.delete_channel(gone.id)
        await game.env.settle()
        assert (await table_of(game)).lost == "deleted"
        (told,) = direct(game, who)
        assert "your turn at table 1" in told
        assert f"{MOVE} table:1" in told
        since = len(wire.paths)
        rng = random.Random(1)
        for _ in range(3):
            await play_a_turn(game, rng)
        assert not requests_to(wire, gone, since), "what was deleted is left alone"
        assert len(direct(game, await turn_of(game))) == 1, "whose turn it is was told"
        assert not direct(game, who), "and a turn that is over is taken back"
        assert "table 1" in text_of(await game.slash(0, "canasta list"))
        await game.slash(0, "canasta move", table="1")
        await game.advance(10)
        assert (await table_of(game)).channel_id == game.channel.id
        await play_a_turn(game, rng)
        await check_as_ever(game)


async def test_a_deleted_thread_is_told_of_in_its_channel(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        parent = game.channel
        thread = thread_of(game)
        await open_table(game)
        game.channel = parent
        game.env.backend.delete_channel(thread.id)
        await game.env.settle()
        told = [text_of(message) for message in game.messages()]
        assert sum("your turn at table 1" in text for text in told) == 1
        assert any(MOVE in text and "deleted" in text for text in told)
        await play_a_turn(game, random.Random(1))
        assert not direct(game, await turn_of(game)), "the channel is nearer than a direct message"
        assert sum("your turn at" in text_of(message) for message in game.messages()) == 1


async def test_an_archived_thread_is_opened(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        thread = thread_of(game)
        await open_table(game)
        wire, board = Wire.of(game), game.board(BOARD)
        game.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
        await game.env.settle()
        wire.fail(EDIT, Fault.of_status(400, 50083))
        await play_a_turn(game, random.Random(1))
        assert not game.env.backend.channels[thread.id].thread_metadata.archived
        assert game.board(BOARD).id == board.id, "the same board goes on"
        await check_as_ever(game)


async def test_a_locked_thread_is_told_of_in_its_channel(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        parent = game.channel
        thread = thread_of(game)
        await open_table(game)
        wire = Wire.of(game)
        inside = f"/channels/{thread.id}"
        wire.fail(EDIT, Fault.of_status(400, 50083), None, lambda path: path.startswith(inside))
        wire.fail("PATCH /channels/{channel_id}", Fault.of_status(403, 50013), None)
        wire.fail(SEND, Fault.of_status(400, 160005), None, lambda path: path.startswith(inside))
        await play_a_turn(game, random.Random(1))
        assert (await table_of(game)).lost == "locked"
        game.channel = parent
        told = [text_of(message) for message in game.messages()]
        assert sum("your turn at" in text for text in told) == 1
        assert any("locked thread" in text for text in told)


@pytest.mark.parametrize("view", [False, True])
async def test_a_lost_permission_that_comes_back(tmp_path: Path, view: bool) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, wire):
        home = game.channel
        forbid(game, view=view)
        await elsewhere(game)
        rng = random.Random(1)
        await play_a_turn(game, rng)
        assert (await table_of(game)).lost == "access"
        assert len(direct(game, await turn_of(game))) == 1
        game.channel = home
        forbid(game, undo=True)
        await game.env.settle()
        await game.advance(10)
        assert not (await table_of(game)).lost
        version = (await table_of(game)).version
        assert f":1:{version}" in str(game.board(BOARD).components), "the board is right again at once"
        assert max(pings(wire).values()) == 1
        await play_a_turn(game, rng)
        await check_as_ever(game)


async def test_a_place_that_comes_back_without_a_word_is_found(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, wire):
        home = f"/channels/{game.channel.id}"
        wire.fail(EDIT, Fault.of_status(403, 50001), None, lambda path: path.startswith(home))
        wire.fail(SEND, Fault.of_status(403, 50001), None, lambda path: path.startswith(home))
        wire.fail("POST /users/@me/channels", Fault.of_status(403, 50007), None)
        await play_a_turn(game, random.Random(1))
        assert (await table_of(game)).lost == "access"
        wire.heal()
        await game.advance(7 * 3600)
        await check_as_ever(game)


async def test_dead_places_are_tried_less_and_less(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db", members=4) as (game, wire):
        table = await table_of(game)
        home = f"/channels/{game.channel.id}"
        wire.fail("*", Fault.of_status(403, 50001), None, lambda path: path.startswith(home))
        await slash_turn(game, random.Random(1))
        since = len(wire.paths)
        await game.advance(12 * 3600)
        assert 4 <= requests_to(wire, game.channel, since) <= 12
        assert (await table_of(game)).lost == "access"
        assert table.channel_id == game.channel.id


async def test_a_bot_that_is_removed_and_invited_again(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, wire):
        from simcord.backend import serializers

        backend = game.env.backend
        guild = backend.guilds[game.guild.id]
        backend.emit("GUILD_DELETE", {"id": str(guild.id)})
        await game.env.settle()
        assert (await table_of(game)).lost == "server"
        since = len(wire.paths)
        await game.advance(3600)
        assert len(wire.paths) == since, "nothing is tried where the bot is not"
        backend.emit("GUILD_CREATE", serializers.guild_create_payload(backend, guild))
        await game.env.settle()
        await game.advance(10)
        assert not (await table_of(game)).lost
        await play_a_turn(game, random.Random(1))
        await check_as_ever(game)


@pytest.mark.parametrize("joined", [False, True])
async def test_a_thread_that_was_put_away_is_found_by_a_bot_that_is_back(
    tmp_path: Path, joined: bool
) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        from simcord.backend import serializers

        thread = thread_of(game)
        await open_table(game)
        await game.advance(10)
        backend = game.env.backend
        guild = backend.guilds[game.guild.id]
        backend.emit("GUILD_DELETE", {"id": str(guild.id)})
        await game.env.settle()
        assert (await table_of(game)).lost == "server"
        backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
        told: dict[str, Any] = {**serializers.guild_create_payload(backend, guild)}
        if joined:
            del told["unavailable"]
        backend.emit("GUILD_CREATE", {**told, "threads": []})  # Discord tells of no archived one
        await game.env.settle()
        await game.advance(10)
        assert not (await table_of(game)).lost
        await play_a_turn(game, random.Random(1))
        await check_as_ever(game)


async def test_edits_that_are_capped_on_an_old_message(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, wire):
        board = game.board(BOARD)
        old = f"/messages/{board.id}"
        wire.fail(
            EDIT,
            Fault("capped", status=429, code=30046, retry_after=1.0),
            None,
            lambda path: path.endswith(old),
        )
        await play_a_turn(game, random.Random(1))
        assert game.board(BOARD).id != board.id
        assert not (await table_of(game)).lost


async def test_somebody_who_has_left_the_server(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, _):
        rng = random.Random(1)
        who = await turn_of(game)
        gone = game.members[(who + 1) % 4]
        game.guild.remove_member(gone)
        await play_a_turn(game, rng)
        assert not (await table_of(game)).lost
        table = await table_of(game)
        assert table.state is not None
        sitter = table.sitter(table.state.public.turn)
        assert sitter is not None
        assert sitter.user_id == gone.id


async def test_an_hour_without_discord_ends_without_a_storm(tmp_path: Path) -> None:
    tables = 12
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        rng, wire = random.Random(1), Wire.of(game)
        for number in range(1, tables + 1):
            await game.slash(0, "canasta new")
            for who in range(1, 4):
                await game.slash(who, "canasta join", table=str(number))
        await game.advance(10)
        wire.down = True
        service = game.bot.service  # type: ignore[attr-defined]
        from tests.cogs.players import choose

        for number in range(1, tables + 1):
            for _ in range(3):
                table = await table_of(game, number)
                assert table.state is not None
                seat = who_acts(table.state.public)[0]
                sitter = table.sitter(seat)
                assert sitter is not None
                assert sitter.user_id is not None
                with game.env._bot_scope():
                    await service.act(number, sitter.user_id, choose(table.view(seat), rng))
        before = len(wire.times)
        await game.advance(3600)
        assert len(wire.times) - before < tables * 60, "an outage is no reason to hammer"
        wire.heal()
        since = len(wire.delivered)
        at = game.env.backend.clock.elapsed
        await game.advance(900)
        told = [(kind, body) for kind, _, body in wire.delivered[since:]]
        assert max(pings(wire).values()) == 1
        assert sum(kind == EDIT and "Canasta" in str(body) for kind, body in told) == tables, "once each"
        moments = sorted(moment for moment, _ in wire.times if moment >= at)
        for first in moments:
            assert sum(first <= moment < first + 1 for moment in moments) <= 40, "spaced"
        for number in range(1, tables + 1):
            version = (await table_of(game, number)).version
            assert f":{number}:{version}" in str(game.board(f"Canasta · table {number}\n").components)


async def tell(game: Game, kind: NoticeKind, **data: object) -> Table:
    """Have a notice told that no table has sent."""
    table = await table_of(game)
    teller = game.bot.service._telling._teller  # type: ignore[attr-defined]
    await teller.tell(table, Notice(0, 1, table.version, kind, data), ())
    await game.env.settle()
    return table


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("chosen", list(Reminders))
async def test_a_reminder_comes_as_its_person_wants_it(
    tmp_path: Path, chosen: Reminders, closed: bool
) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, wire):
        who = await turn_of(game)
        user_id = game.members[who].id
        await _prefer(game, who, Preferences(reminders=chosen))
        if closed:
            wire.fail("POST /users/@me/channels", Fault.of_status(403, 50007), None)
        table = await table_of(game)
        await tell(game, NoticeKind.REMINDER, seat=who, user_ids=[user_id], deadline=table.deadline)
        here = [text_of(message) for message in game.messages() if "runs out" in text_of(message)]
        in_private = [text for text in direct(game, who) if "runs out" in text]
        as_dm = chosen is Reminders.DM and not closed
        assert len(in_private) == as_dm
        assert len(here) == (chosen is Reminders.CHANNEL or (chosen is Reminders.DM and closed))
        pinging = [message for message in game.messages() if "your turn at" in text_of(message)]
        assert len(pinging) == 1, "the reminder stands in for the first ping, or that one stays"
        await play_a_turn(game, random.Random(1))
        assert not any("runs out" in text_of(message) for message in game.messages())
        assert not direct(game, who)


async def _prefer(game: Game, who: int, preferences: Preferences) -> None:
    from canasta_core.tables.model import Person

    person = Person(game.members[who].id, game.members[who].name)
    await game.bot.service.set_preferences(person, preferences)  # type: ignore[attr-defined]


@pytest.mark.parametrize("quiet", [False, True])
async def test_in_quiet_hours_a_ping_makes_no_noise(tmp_path: Path, quiet: bool) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, wire):
        for who in range(4):
            hours = (0, 1439) if quiet else None
            await _prefer(game, who, replace(Preferences(zone="Europe/Vienna"), quiet=hours))
        since = len(wire.delivered)
        await play_a_turn(game, random.Random(1))
        sent = [body for kind, _, body in wire.delivered[since:] if kind == SEND]
        assert sent
        assert all(bool((body.get("flags") or 0) & 1 << 12) is quiet for body in sent)


async def test_a_table_that_moves_leaves_a_pointer_and_takes_its_ping_along(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, wire):
        old = await elsewhere(game)
        await game.slash(0, "canasta move", table="1")
        await game.advance(10)
        await check_as_ever(game)
        assert max(pings(wire).values()) == 1, "who was pinged is not pinged again"
        left = [text_of(message) for message in game.messages(channel=old)]
        assert len(left) == 1
        assert "has moved to" in left[0]
        assert f"<#{game.channel.id}>" in left[0]


async def test_a_reminder_comes_along_without_a_second_ping(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, wire):
        user_id = game.members[await turn_of(game)].id
        table = await table_of(game)
        await tell(game, NoticeKind.REMINDER, user_ids=[user_id], deadline=table.deadline)
        pinged = pings(wire)
        old = await elsewhere(game)
        await game.slash(0, "canasta move", table="1")
        await game.advance(10)
        assert pings(wire) == pinged
        assert len([one for one in game.messages(channel=old) if "has moved" in text_of(one)]) == 1
        assert len(game.messages(channel=old)) == 1, "nothing is left there that pings"
        await check_as_ever(game)


async def test_a_new_turn_that_is_told_in_private_is_heard(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, wire):
        gone = await elsewhere(game)
        since = len(wire.delivered)
        game.env.backend.delete_channel(gone.id)
        await game.env.settle()
        await play_a_turn(game, random.Random(1))
        silent = [
            bool((body.get("flags") or 0) & 1 << 12)
            for kind, _, body in wire.delivered[since:]
            if kind == SEND
        ]
        assert silent == [True, False], "who was pinged already is told softly, who is in turn next is not"


async def test_somebody_is_told_of_a_stand_in_and_comes_back_with_one_click(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, _):
        who = await turn_of(game)
        for _ in range(60):
            await game.advance(6 * 3600)
            table = await table_of(game)
            sitter = table.sitter(table.seat_of(game.members[who].id) or 0)
            assert sitter is not None
            if sitter.absent:
                break
        assert sitter.absent
        message = next(one for one in game.messages() if "I am back" in str(buttons_of(one)))
        await game.click(who, label="I am back", message=message)
        table = await table_of(game)
        sitter = table.sitter(sitter.seat)
        assert sitter is not None
        assert not sitter.absent


async def test_a_direct_message_s_buttons_work(tmp_path: Path) -> None:
    async with at_a_table(tmp_path / "c.db") as (game, _):
        who = await turn_of(game)
        gone = await elsewhere(game)
        game.env.backend.delete_channel(gone.id)
        await game.env.settle()
        backend, user = game.env.backend, game.members[who]
        channel = next(
            one for one in backend.channels.values() if one.guild_id is None and user.id in one.recipient_ids
        )
        (stored,) = backend.messages[channel.id].values()
        message = ResponseMessage(game.env, stored)
        hand = next(one for one in buttons_of(message) if one.label == "My hand")
        seen = await user.user.click(message, custom_id=hand.custom_id)
        assert "Your hand" in said(seen)


async def test_the_same_move_twice_counts_once(tmp_path: Path) -> None:
    """A click whose answer never came, and the same click again."""
    async with at_a_table(tmp_path / "c.db") as (game, _):
        version = (await table_of(game)).version
        await move(game, random.Random(1))
        assert (await table_of(game)).version == version + 1
