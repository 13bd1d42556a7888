"""What the teller does when Discord does not do as it is told."""

from __future__ import annotations

import itertools
import logging
import random
from pathlib import Path
from typing import Any

import pytest

from canasta_core.actions import AskPartner
from canasta_core.legality import who_acts, why_not
from canasta_core.state import Phase
from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.model import Notice, NoticeKind, Person
from cogs.ui.face import face_of
from cogs.ui.pings import reminder
from data.sqlite_store import SqliteStore
from tests.cogs.finished import finish_game
from tests.cogs.players import click_turn, end_table, is_over, open_table, said, slash_turn, table_of, who_of
from tests.cogs.tables import fullest
from tests.discord.harness import Game, buttons_of, playing, text_of
from tests.discord.wire import Fault, Wire
from tests.games.tables import dealing

SEND = "POST /channels/{channel_id}/messages"
DELETE = "DELETE /channels/{channel_id}/messages/{message_id}"
SEED = 1
"""Of cards with which somebody may ask the partner in the first round."""


async def test_a_deleted_board_is_posted_anew(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        board = game.board("Canasta · table")
        await game.bot.get_partial_messageable(game.channel.id).get_partial_message(board.id).delete()
        await slash_turn(game, random.Random(1))
        anew = game.board("Canasta · table")
        assert anew.id != board.id
        await slash_turn(game, random.Random(1))
        assert game.board("Canasta · table").id == anew.id
        message = await game.bot.service.message(1, "board")  # type: ignore[attr-defined]
        assert message.message_id == anew.id


async def test_a_dead_channel_does_not_stop_the_game(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        refuge, gone = game.guild.create_text_channel("refuge"), game.channel.id
        game.env.backend.delete_channel(game.channel.id)
        await game.env.settle()
        before = len(game.env.backend.http_requests)
        version = (await table_of(game)).version
        rng = random.Random(1)
        game.channel = refuge
        with caplog.at_level(logging.WARNING):
            for _ in range(8):
                await slash_turn(game, rng)
        assert (await table_of(game)).version >= version + 8
        tried = [
            request
            for request in game.env.backend.http_requests[before:]
            if f"/channels/{gone}/" in request.path
        ]
        assert len(tried) <= 1, "what is dead is not tried again and again"
        assert caplog.text.count("is lost: deleted") == 1, "logged once"
        assert "Your hand" in said(await game.slash(0, "hand", table="1"))
        assert "is over" in said(await end_table(game))


@pytest.mark.parametrize("status", [500, 503])
async def test_a_failing_discord_is_tried_again(tmp_path: Path, status: int) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        board = game.board("Canasta · table")
        game.env.inject_error("PATCH", f"/channels/*/messages/{board.id}", status=status, times=6)
        version = (await table_of(game)).version
        await slash_turn(game, random.Random(1))
        await game.advance(120)
        now = await table_of(game)
        assert now.version == version + 1
        assert f":1:{now.version}" in str(game.board("Canasta · table").components)
        assert sum("Canasta · table" in text_of(message) for message in game.messages()) == 1


async def test_pings_do_not_pile_up(tmp_path: Path) -> None:
    """One ping at a time, for one person; AIs are never pinged and their moves are edits."""
    async with playing(tmp_path / "c.db", members=2, ai_delay=1.0) as game:
        await open_table(game, 1)

        async def mine() -> bool:
            table = await table_of(game)
            assert table.state is not None
            return table.state.public.turn == 0

        rng = random.Random(3)
        for _ in range(4):
            await game.until(mine, 60)
            while await mine():
                pings = [m for m in game.messages() if "your turn at" in text_of(m)]
                assert len(pings) == 1
                await click_turn(game, rng)
            assert not [m for m in game.messages() if "your turn at" in text_of(m)]
        assert len(game.messages()) == 1, "the board alone is left"
        for body in game.public_payloads():
            mentions: Any = body.get("allowed_mentions") if isinstance(body, dict) else None
            if mentions and mentions.get("users"):
                assert [int(user) for user in mentions["users"]] == [game.members[0].id]


async def test_a_message_that_was_told_is_not_told_twice(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        for _ in range(3):
            await slash_turn(game, random.Random(1))
            before = [message.id for message in game.messages()]
            await game.restart()
            assert [message.id for message in game.messages()] == before


async def test_a_wrong_request_costs_one_notice_only(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        board = game.board("Canasta · table")
        game.env.inject_error("PATCH", f"/channels/*/messages/{board.id}", status=400, code=50035)
        await slash_turn(game, random.Random(1))
        await slash_turn(game, random.Random(1))
        table = await table_of(game)
        assert game.board("Canasta · table").id == board.id
        assert f":1:{table.version}" in str(game.board("Canasta · table").components)


@pytest.mark.parametrize("code", [30046, 50083])
async def test_what_cannot_be_edited_any_more_is_sent_anew(tmp_path: Path, code: int) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        board = game.board("Canasta · table")
        game.env.inject_error("PATCH", f"/channels/*/messages/{board.id}", status=400, code=code, times=None)
        await slash_turn(game, random.Random(1))
        anew = game.board("Canasta · table")
        assert anew.id != board.id
        await slash_turn(game, random.Random(1))
        assert game.board("Canasta · table").id == anew.id


def locked() -> StoreError:
    return StoreError(StoreCode.LOCKED, "database is locked")


async def test_what_was_sent_is_not_sent_again_when_it_cannot_be_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:

        async def fail(*_: object, **__: object) -> None:
            raise locked()

        with monkeypatch.context() as patch:
            patch.setattr(SqliteStore, "remember_message", fail)
            await open_table(game)
            await slash_turn(game, random.Random(1))
            await game.advance(1000)
        public = game.messages()
        assert sum("Canasta · table" in text_of(message) for message in public) == 1
        assert sum("your turn at" in text_of(message) for message in public) == 1
        sent = [request for request in game.public_payloads() if "your turn at" in str(request)]
        assert len(sent) == 1, "pinged once"
        table = await table_of(game)
        assert table.state is not None
        turn = table.state.public.turn
        while (await table_of(game)).state.public.turn == turn:  # type: ignore[union-attr]
            await slash_turn(game, random.Random(1))
        pings = [message for message in game.messages() if "your turn at" in text_of(message)]
        assert len(pings) == 1, "the last one is known and goes"
        assert len(game.messages()) == 2


async def asked(game: Game) -> tuple[Any, int]:
    """The message of a question, and the seat of who asked it, found by playing."""
    rng = random.Random(1)
    for _ in range(300):
        table = await table_of(game)
        assert table.state is not None
        seat = who_acts(table.state.public)[0]
        if why_not(table.view(seat), AskPartner()) is None:
            await game.slash(who_of(game, table, seat), "ask-partner")
            return game.messages()[-1], seat
        await slash_turn(game, rng)
    raise AssertionError("nobody could ever ask: another seed is needed")


async def test_a_question_can_be_answered_although_somebody_has_left(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4, create=dealing(SEED), ai_delay=3600.0) as game:
        await open_table(game)
        question, seat = await asked(game)
        table = await table_of(game)
        partner = who_of(game, table, (seat + 2) % 4)
        await game.slash(who_of(game, table, (seat + 1) % 4), "canasta leave", table="1")
        pinged = [request for request in game.public_payloads() if "may I go out" in str(request)]
        assert sum("nonce" in request for request in pinged) == 1, "it is asked once"
        assert "You said yes" in said(await game.click(partner, label="Yes", message=question))
        after = next(message for message in game.messages() if message.id == question.id)
        assert "The answer was **yes**" in text_of(after)


async def test_the_next_round_can_be_started_although_somebody_has_left(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4, next_round=3600.0, ai_delay=3600.0) as game:
        await open_table(game)
        rng = random.Random(2)
        while not await is_over(game):
            await slash_turn(game, rng)
        over = game.messages()[-1]
        await game.slash(3, "canasta leave", table="1")
        assert "Round 2" in said(await game.click(0, label="Next round", message=over))
        assert not await is_over(game)
        after = next(message for message in game.messages() if message.id == over.id)
        assert not buttons_of(after)


async def test_an_ended_table_leaves_no_open_question(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4, create=dealing(SEED)) as game:
        await open_table(game)
        question, _ = await asked(game)
        assert {button.label for button in buttons_of(question)} == {"Yes", "No"}
        await end_table(game)
        after = next(message for message in game.messages() if message.id == question.id)
        assert "closed" in text_of(after)
        assert not buttons_of(after)
        assert await game.bot.service.message(1, "question") is None  # type: ignore[attr-defined]


async def test_an_ended_table_leaves_no_next_round(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4, next_round=3600.0) as game:
        await open_table(game)
        rng = random.Random(2)
        while not await is_over(game):
            await slash_turn(game, rng)
        over = game.messages()[-1]
        assert [button.label for button in buttons_of(over)] == ["Next round"]
        await end_table(game)
        after = next(message for message in game.messages() if message.id == over.id)
        assert text_of(after).startswith(text_of(over).split("[")[0].rstrip())
        assert not buttons_of(after)


async def test_nothing_is_remembered_of_a_layout(tmp_path: Path) -> None:
    """A stored ephemeral layout would take the dynamic item along when its 15 minutes are over."""
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        for _ in range(4):
            await click_turn(game, random.Random(1))
        store = game.bot._connection._view_store
        assert not store._views
        assert len(store._dynamic_items) == 1


async def test_a_proposal_is_asked_for_and_says_what_came_of_it(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        ann = Person(game.members[0].id, "Ann")
        with game.env._bot_scope():
            await game.bot.service.propose_clock(1, ann, 3600)  # type: ignore[attr-defined]
        await game.env.settle()
        asked = next(message for message in game.messages() if "proposes another clock" in text_of(message))
        assert "1 hour" in text_of(asked)
        assert [button.label for button in buttons_of(asked)] == ["Agree", "Keep as it is"]
        for who in (1, 2, 3):
            await game.click(who, label="Agree", message=asked)
        after = next(message for message in game.messages() if message.id == asked.id)
        assert "All agreed" in text_of(after)
        assert "**1 hour** a turn" in text_of(after)
        assert not buttons_of(after)


def test_who_is_asked_is_reminded_of_the_answer() -> None:
    for phase, words in ((Phase.PERMISSION, "answer yes or no"), (Phase.PLAY, "your turn")):
        content, _ = reminder(face_of(fullest("classic", 4, phase)), [1], 0.0, "")
        assert words in content


@pytest.mark.parametrize("guest", [None, 4])
async def test_an_invitation_pings_the_guest_alone_and_goes_when_the_seat_is_taken(
    tmp_path: Path, guest: int | None
) -> None:
    async with playing(tmp_path / "c.db", members=5, ai_delay=3600.0) as game:
        await open_table(game, 3)
        ann = Person(game.members[0].id, "Ann")
        invited = None if guest is None else Person(game.members[guest].id, game.members[guest].name)
        with game.env._bot_scope():
            await game.bot.service.invite(1, 3, ann, invited)  # type: ignore[attr-defined]
        await game.env.settle()
        words = "whoever takes it plays on" if guest is None else "you are invited to seat"
        (asked,) = [message for message in game.messages() if words in text_of(message)]
        sent = next(body for body in game.public_payloads() if words in str(body) and "nonce" in body)
        pinged = [] if guest is None else [game.members[guest].id]
        assert [int(user) for user in sent["allowed_mentions"].get("users", [])] == pinged
        await game.click(4, label="Take the seat", message=asked)
        assert (await table_of(game)).seat_of(game.members[4].id) == 3
        assert asked.id not in [message.id for message in game.messages()]


def turns(game: Game) -> list[str]:
    """The pings of turns that stand in the channel."""
    return [text_of(message) for message in game.messages() if "your turn at" in text_of(message)]


async def pass_a_turn(game: Game, rng: random.Random) -> int:
    """Play until another one is in turn; who that is."""
    before = (await table_of(game)).turn_version
    while (now := await table_of(game)).turn_version == before:
        await slash_turn(game, rng)
    assert now.state is not None
    return game.members[who_of(game, now, now.state.public.turn)].id


@pytest.mark.parametrize(
    "fault",
    [
        Fault.of_status(500),
        Fault("429", status=429, retry_after=40.0),
        Fault("hang", silent=True),
        Fault("cut", cut=True),
    ],
    ids=lambda fault: fault.name,
)
@pytest.mark.parametrize("restart", [False, True])
async def test_what_cannot_be_deleted_now_is_deleted_later_and_nobody_waits(
    tmp_path: Path, fault: Fault, restart: bool
) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        wire, rng = Wire.of(game), random.Random(1)
        await pass_a_turn(game, rng)
        wire.fail(DELETE, fault, None)
        for passed in range(1, 4):
            who = await pass_a_turn(game, rng)
            await game.advance(6)
            assert len(turns(game)) == passed + 1
            assert f"<@{who}>" in turns(game)[-1], "the next ping does not wait for the deletion"
        if restart:
            await game.advance(700)  # discord.py has given up by then, and may be stopped
            await game.restart()
        wire.heal()
        if restart:
            await pass_a_turn(game, rng)
        await game.advance(2000)
        assert len(turns(game)) == 1
        assert await game.bot.service.message(1, "left") is None  # type: ignore[attr-defined]
        before = wire.kinds[DELETE]
        await game.advance(7200)
        assert wire.kinds[DELETE] == before, "nothing is tried that is done"


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (404, 10008)])
async def test_what_can_never_be_deleted_is_tried_once(tmp_path: Path, status: int, code: int) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        wire, rng = Wire.of(game), random.Random(1)
        wire.fail(DELETE, Fault.of_status(status, code), None)
        await pass_a_turn(game, rng)
        assert wire.kinds[DELETE] == 1
        wire.heal()
        await game.advance(7200)
        await pass_a_turn(game, rng)
        assert wire.kinds[DELETE] == 2, "the next turn's own"


async def test_what_was_left_in_a_dead_place_goes_when_it_is_back_after_a_restart(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        wire, rng = Wire.of(game), random.Random(1)
        home = f"/channels/{game.channel.id}/"
        wire.fail("*", Fault.of_status(403, 50001), None, lambda path: path.startswith(home))
        await pass_a_turn(game, rng)
        assert (await table_of(game)).lost == "access"
        assert len(turns(game)) == 1
        await game.restart()
        wire.heal()
        await pass_a_turn(game, rng)
        await game.advance(700)
        assert not (await table_of(game)).lost
        assert len(turns(game)) == 1


async def test_one_who_cannot_be_told_in_private_now_costs_nobody_a_message(tmp_path: Path) -> None:
    """Both are told of the end, each once, although messages to the second one fail for a while."""
    async with playing(tmp_path / "c.db", members=2, attend=Wire.attend) as game:
        wire, gone = Wire.of(game), game.channel
        game.env.backend.delete_channel(gone.id)
        teller = game.bot.service._telling._teller  # type: ignore[attr-defined]
        with game.env._bot_scope():
            channels = [await teller._post.direct(member.id) for member in game.members]
        unlucky = f"/channels/{channels[1]}/messages"
        wire.fail(SEND, Fault("cut", cut=True), None, lambda path: path == unlucky)
        await finish_game(game, [0, 1], 3)
        await game.advance(1800)
        wire.heal()
        await game.advance(900)
        layouts = [
            int(path.split("/")[2])
            for kind, path, body in wire.delivered
            if kind == SEND and (body.get("flags") or 0) & 1 << 15
        ]
        assert sorted(layouts) == sorted(channels)


async def test_what_several_are_told_in_private_stays_until_it_is_over(tmp_path: Path) -> None:
    """A question to two partners, say: the second one's message does not take the first one's away."""
    async with playing(tmp_path / "c.db", members=3, attend=Wire.attend) as game:
        await open_table(game, 3)
        teller = game.bot.service._telling._teller  # type: ignore[attr-defined]
        post, backend = teller._post, game.env.backend
        with game.env._bot_scope():
            channels = [await post.direct(member.id) for member in game.members]
            content, row = reminder(face_of(await table_of(game)), [], 0.0, "")

            def standing() -> list[int]:
                return [len(backend.messages.get(one, {})) for one in channels]

            for version in (1, 2):
                notice = Notice(1, 1, version, NoticeKind.QUESTION, {})
                for channel in channels * 2:
                    await post.plain(channel, notice, content, row, beside=True)
                assert standing() == [1, 1, 1], "each once, and the question before it goes"
                assert len(await post.every(1, "question")) == 3
            assert await game.bot.service.message(1, "question") is None, "a crash would lose none"  # type: ignore[attr-defined]
            await post.withdraw(1, "question")
            assert standing() == [0, 0, 0]
            assert await post.every(1, "question") == []


async def test_one_who_cannot_be_told_holds_up_no_other_table(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        for number in ("1", "2"):
            await game.slash(0, "canasta new")
            for who in range(1, 4):
                await game.slash(who, "canasta join", table=number)
        wire, asked = Wire.of(game), itertools.count(1)
        wire.fail("POST /users/@me/channels", Fault("cut", cut=True), None, lambda _: next(asked) == 1)
        game.env.backend.delete_channel(game.channel.id)
        await game.env.settle()
        assert [(await table_of(game, number)).lost for number in (1, 2)] == ["deleted"] * 2

        def told(number: int) -> int:
            words = f"your turn at table {number}"
            direct = [
                path for path in wire.delivered if path[0] == SEND and str(game.channel.id) not in path[1]
            ]
            return sum(words in str(body) for _, _, body in direct)

        assert (told(1), told(2)) == (0, 1), "at once"
        await game.advance(10)
        assert (told(1), told(2)) == (1, 1)


async def test_a_dead_place_is_tried_again_although_the_store_was_locked_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        wire, home = Wire.of(game), f"/channels/{game.channel.id}/"
        wire.fail("*", Fault.of_status(403, 50001), None, lambda path: path.startswith(home))
        await pass_a_turn(game, random.Random(1))
        assert (await table_of(game)).lost == "access"
        service = game.bot.service  # type: ignore[attr-defined]
        tables_in = service.tables_in

        async def fail(*_: object) -> None:
            monkeypatch.setattr(service, "tables_in", tables_in)
            raise locked()

        monkeypatch.setattr(service, "tables_in", fail)
        wire.heal()
        await game.advance(900)
        assert not (await table_of(game)).lost
