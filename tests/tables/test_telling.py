"""Commit, then tell: in order, once, only what still matters, whatever fails."""

import asyncio
import logging
import random
from collections.abc import Callable
from typing import cast

import pytest

from canasta_core.actions import AskPartner
from canasta_core.events import Dealt, Drew, RoundEnded
from canasta_core.legality import why_not
from canasta_core.refusals import Refusal
from canasta_core.state import Phase
from canasta_core.tables.chores import LONGEST_PAUSE, Tries
from canasta_core.tables.errors import StoreCode, StoreError, TellFailed
from canasta_core.tables.model import Notice, NoticeKind, Person, Stage, Table
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    ANN,
    BEN,
    CHANNEL,
    FOUR,
    GUILD,
    FailingStore,
    GreedyThinker,
    Recorder,
    SeededChance,
    StillClock,
    all_told,
    eventually,
    four_at_table,
    greedy,
    plain,
    play_on,
)


async def one_turn(service: TableService, table_id: int, rng: random.Random) -> Table:
    """The person in turn plays until the turn has passed."""
    table = await service.get(table_id)
    assert table.state is not None
    round_and_seat = (table.state.public.round_number, table.state.public.turn)

    def passed(table: Table) -> bool:
        assert table.state is not None
        public = table.state.public
        return (public.round_number, public.turn) != round_and_seat or public.phase is Phase.ROUND_OVER

    return await play_on(service, table_id, rng, until=passed, choose=plain)


async def test_nothing_is_told_before_it_is_stored(
    service: TableService, store: SqliteStore, teller: Recorder
) -> None:
    seen: list[int] = []

    async def look(table: Table, notice: Notice) -> None:
        row, _ = await store.load(notice.table_id) or (None, None)
        assert row is not None
        assert row.version >= notice.version
        assert table.version >= notice.version
        seen.append(notice.id)

    teller.on_tell = look
    table = await four_at_table(service)
    await one_turn(service, table.id, random.Random(1))
    await service.settle()
    assert seen == sorted(set(seen)), "in order, and each once"
    assert await store.to_tell() == []


async def test_each_turn_of_a_person_is_told_once(service: TableService, teller: Recorder) -> None:
    table = await four_at_table(service)
    rng = random.Random(1)
    await service.settle()
    for _ in range(8):
        table = await one_turn(service, table.id, rng)
        await service.settle()
    turns = teller.of(NoticeKind.TURN)
    assert len({notice.version for notice in turns}) == len(turns) == 9
    seats = [cast(int, notice.data["seat"]) for notice in turns]
    assert seats == [(seats[0] + number) % 4 for number in range(9)]
    assert all(
        FOUR[seat].user_id == notice.data["user_id"] for seat, notice in zip(seats, turns, strict=True)
    )


async def test_a_slow_teller_gets_the_newest_board_and_no_old_turns(
    service: TableService, teller: Recorder, store: SqliteStore
) -> None:
    table = await four_at_table(service)
    await service.settle()
    teller.told.clear()
    gate, waiting = asyncio.Event(), asyncio.Event()

    async def wait(table: Table, notice: Notice) -> None:
        waiting.set()
        await gate.wait()

    teller.on_tell = wait
    rng = random.Random(1)
    await one_turn(service, table.id, rng)
    await waiting.wait()
    for _ in range(3):
        table = await one_turn(service, table.id, rng)
    gate.set()
    await service.settle()
    assert teller.kinds() == [NoticeKind.BOARD, NoticeKind.BOARD, NoticeKind.TURN]
    assert [notice.version for _, notice, _ in teller.told[1:]] == [table.version, table.version]
    assert teller.told[1][0].version == table.version
    assert await store.to_tell() == []


async def test_what_fails_for_now_is_tried_again_after_growing_pauses(
    service: TableService, teller: Recorder, clock: StillClock, store: SqliteStore
) -> None:
    teller.failures = [TellFailed("busy"), TellFailed("busy"), TellFailed("limited", retry_after=9.5)]
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    for tries, pause in ((1, 1.0), (2, 2.0), (3, 9.5)):
        await eventually(lambda tries=tries, pause=pause: teller.tries == tries and clock.pauses == [pause])
        assert teller.told == []
        clock.pass_time(pause)
    await service.settle()
    assert teller.kinds() == [NoticeKind.LOBBY]
    assert await store.notices(table.id) == []


async def test_an_outage_of_weeks_is_outlasted(clock: StillClock, caplog: pytest.LogCaptureFixture) -> None:
    tries = Tries(clock, "telling")
    for _ in range(2000):
        waiting = asyncio.ensure_future(tries.wait(TellFailed("down")))
        await asyncio.sleep(0)
        clock.pass_time(LONGEST_PAUSE)
        await waiting
    assert [record.levelname for record in caplog.records] == ["WARNING"]


async def test_an_outage_is_in_the_log_once(
    service: TableService, teller: Recorder, clock: StillClock, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "canasta_core.tables.chores"):
        for outage in (1, 2):
            teller.failures = [TellFailed("busy") for _ in range(5)]
            await service.create(GUILD, CHANNEL, ANN, "classic")
            for _ in range(5):
                await eventually(lambda: bool(clock.pauses))
                clock.pass_time(clock.pauses[-1])
            await service.settle()
            assert [record.levelname for record in caplog.records] == ["WARNING"] * outage


async def test_a_store_that_is_locked_for_a_moment_costs_no_notice(
    service: TableService, teller: Recorder, clock: StillClock, store: SqliteStore
) -> None:
    """The teller reads and writes the store as well; what it tells may not be lost with that."""
    teller.failures = [StoreError(StoreCode.LOCKED, "database is locked")]
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await eventually(lambda: clock.pauses == [1.0])
    clock.pass_time(1.0)
    await service.settle()
    assert teller.kinds() == [NoticeKind.LOBBY]
    assert await store.notices(table.id) == []


async def test_pauses_are_bounded(service: TableService, teller: Recorder, clock: StillClock) -> None:
    teller.failures = [TellFailed("down") for _ in range(12)]
    await service.create(GUILD, CHANNEL, ANN, "classic")
    pauses = []
    for _ in range(12):
        await eventually(lambda: bool(clock.pauses))
        pauses += clock.pauses
        clock.pass_time(pauses[-1])
    await service.settle()
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    assert teller.kinds() == [NoticeKind.LOBBY]


async def test_a_turn_that_passes_while_telling_fails_is_not_told(
    service: TableService, teller: Recorder, clock: StillClock
) -> None:
    table = await four_at_table(service)
    rng = random.Random(1)
    await service.settle()
    teller.told.clear()
    teller.failures = [TellFailed("busy")]
    first = await one_turn(service, table.id, rng)
    await eventually(lambda: bool(clock.pauses))
    second = await one_turn(service, table.id, rng)
    clock.pass_time(5)
    await service.settle()
    assert first.version < second.version
    assert [notice.version for notice in teller.of(NoticeKind.TURN)] == [second.version]


async def test_a_defect_of_the_teller_costs_one_notice_and_no_move(
    service: TableService, teller: Recorder, store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    teller.failures = [RuntimeError("a defect")]
    with caplog.at_level(logging.ERROR):
        table = await four_at_table(service)
        await service.settle()
    assert (await service.get(table.id)).version == table.version
    assert teller.kinds()[-1] is NoticeKind.TURN
    assert await store.to_tell() == []
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert f"table_id={table.id}" in record.getMessage()
    assert record.exc_info is not None
    assert "a defect" in str(record.exc_info[1])


async def test_what_was_left_is_told_at_the_next_start_in_order(
    make_service: Callable[..., TableService], store: SqliteStore
) -> None:
    silent = make_service()
    table = await four_at_table(silent)
    kinds = [row.kind for row in await store.notices(table.id)]
    assert kinds == ["lobby", "lobby", "lobby", "board", "turn"]
    service, teller = make_service(), Recorder()
    await service.start(teller)
    await service.settle()
    assert teller.kinds() == [NoticeKind.BOARD, NoticeKind.TURN]
    assert await store.to_tell() == []
    (dealt,) = [event for event in teller.told[1][2] if isinstance(event, Dealt)]
    assert dealt.round_number == 1


async def test_what_another_process_has_changed_is_told_as_it_is_now(
    make_service: Callable[..., TableService],
) -> None:
    first, second, teller = make_service(), make_service(), Recorder()
    table = await first.create(GUILD, CHANNEL, ANN, "classic")
    assert (await second.get(table.id)).version == table.version
    table = await first.join(table.id, BEN)
    await second.start(teller)
    await second.settle()
    assert [told.version for told, _, _ in teller.told] == [table.version]


async def test_a_remembered_message_is_not_sent_again(
    make_service: Callable[..., TableService], store: SqliteStore
) -> None:
    """A process that died after sending the turn's message, and before deleting the notice."""
    silent = make_service()
    table = await four_at_table(silent)
    await silent.remember_message(table.id, "turn", CHANNEL, 77, table.version)
    service, teller = make_service(), Recorder()
    await service.start(teller)
    await service.settle()
    assert teller.kinds() == [NoticeKind.BOARD]
    assert await store.to_tell() == []


async def test_messages_are_remembered_with_the_notice_that_is_told(
    service: TableService, teller: Recorder
) -> None:
    async def remember(table: Table, notice: Notice) -> None:
        await service.remember_message(table.id, str(notice.kind), CHANNEL, 1000 + notice.id)

    teller.on_tell = remember
    table = await four_at_table(service)
    await service.settle()
    (turn,) = teller.of(NoticeKind.TURN)
    message = await service.message(table.id, "turn")
    assert message is not None
    assert message.version == turn.version
    assert await service.message_id(table.id, "turn") == (CHANNEL, 1000 + turn.id)
    await service.forget_message(table.id, "turn")
    assert await service.message_id(table.id, "turn") is None
    await service.remember_message(table.id, "other", CHANNEL, 5)
    message = await service.message(table.id, "other")
    assert message is not None
    assert message.version == table.version


async def test_no_hidden_card_is_in_what_is_told(service: TableService, teller: Recorder) -> None:
    table = await four_at_table(service)
    assert table.state is not None
    await service.act(table.id, FOUR[table.state.public.turn].user_id, "draw")
    await service.settle()
    drew = [event for _, _, events in teller.told for event in events if isinstance(event, Drew)]
    assert drew
    assert all(event.cards == () for event in drew)


async def test_the_end_of_rounds_and_of_the_game(
    service: TableService, teller: Recorder, clock: StillClock
) -> None:
    table = await four_at_table(service)
    table = await play_on(service, table.id, random.Random(2))
    await service.settle()
    assert table.state is not None
    rounds = table.state.public.round_number
    assert [notice.data["round"] for notice in teller.of(NoticeKind.ROUND_OVER)] == list(range(1, rounds))
    (over,) = teller.of(NoticeKind.GAME_OVER)
    assert over.data == {"round": rounds, "winner": table.state.public.winner}
    for _, notice, events in teller.told:
        if notice.kind in (NoticeKind.ROUND_OVER, NoticeKind.GAME_OVER):
            assert [type(event) for event in events].count(RoundEnded) == 1
    assert teller.kinds()[-1] is NoticeKind.GAME_OVER


async def until_someone_may_ask(service: TableService) -> tuple[Table, Person]:
    """A table where the person in turn may ask the partner, found by playing."""
    for seed in range(40):
        table = await four_at_table(service)
        rng = random.Random(seed)
        for _ in range(400):
            table = await service.get(table.id)
            assert table.state is not None
            if table.state.public.phase is Phase.ROUND_OVER:
                break
            seat = table.state.public.turn
            if why_not(table.view(seat), AskPartner()) is None:
                return table, FOUR[seat]
            await service.act(table.id, FOUR[seat].user_id, greedy(table.view(seat), rng))
        await service.end(table.id, ANN)
    raise AssertionError("nobody could ever ask")


async def test_a_question_is_told_once_and_not_after_its_answer(
    service: TableService, teller: Recorder
) -> None:
    table, asker = await until_someone_may_ask(service)
    await service.settle()
    teller.told.clear()
    seat = table.seat_of(asker.user_id)
    assert seat is not None
    partner = (seat + 2) % 4
    await service.act(table.id, asker.user_id, "ask")
    await service.settle()
    assert teller.kinds() == [NoticeKind.BOARD, NoticeKind.QUESTION]
    assert teller.told[-1][1].data == {
        "seat": seat,
        "pending": [partner],
        "user_ids": [FOUR[partner].user_id],
    }
    await service.act(table.id, FOUR[partner].user_id, "answer yes")
    await service.settle()
    assert teller.kinds()[2:] == [NoticeKind.BOARD], "the turn goes on: nobody is pinged again"


async def test_a_question_that_was_answered_before_it_was_told(
    make_service: Callable[..., TableService],
) -> None:
    silent = make_service()
    table, asker = await until_someone_may_ask(silent)
    seat = table.seat_of(asker.user_id)
    assert seat is not None
    await silent.act(table.id, asker.user_id, "ask")
    await silent.act(table.id, FOUR[(seat + 2) % 4].user_id, "answer no")
    service, teller = make_service(), Recorder()
    await service.start(teller)
    await service.settle()
    assert teller.of(NoticeKind.QUESTION) == []
    assert [notice.kind for _, notice, _ in teller.told if notice.table_id == table.id] == [
        NoticeKind.BOARD,
        NoticeKind.TURN,
    ]


async def test_an_ai_players_turn_is_one_board(service: TableService, teller: Recorder) -> None:
    """Its single moves are not told one by one, and nobody is pinged for it."""
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    table = await service.begin(table.id, ANN)
    await play_on(service, table.id, random.Random(4), until=lambda table: table.version > 60)
    await service.settle()
    ai_moves = {
        entry.version: entry
        for entry in await service.log(table.id)
        if entry.action is not None and entry.actor is None and entry.seat is not None
    }
    told = [notice.version for notice in teller.of(NoticeKind.BOARD) if notice.version in ai_moves]
    ends = [version for version, entry in ai_moves.items() if entry.seat != _next_mover(ai_moves, version)]
    assert len(ai_moves) > 20
    assert set(told) <= set(ends)
    assert all(notice.data["user_id"] == ANN.user_id for notice in teller.of(NoticeKind.TURN))


def _next_mover(moves: dict[int, object], version: int) -> int | None:
    following = moves.get(version + 1)
    return getattr(following, "seat", None)


async def test_the_teller_may_use_the_service(service: TableService, teller: Recorder) -> None:
    """Telling holds no lock: an answer can come from within it."""

    async def draw(table: Table, notice: Notice) -> None:
        if notice.kind is NoticeKind.TURN and len(teller.of(NoticeKind.TURN)) < 1:
            user_id = notice.data["user_id"]
            assert isinstance(user_id, int)
            await service.act(table.id, user_id, "draw", notice.version)

    teller.on_tell = draw
    table = await four_at_table(service)
    await service.settle()
    assert (await service.get(table.id)).version == table.version + 1


async def test_leaving_and_coming_back_in_turn_renews_the_turn(
    make_service: Callable[..., TableService], clock: StillClock
) -> None:
    service, teller = make_service(ai_delay=3600.0), Recorder()
    await service.start(teller)
    table = await four_at_table(service)
    await all_told(service)
    assert table.state is not None
    person = FOUR[table.state.public.turn]
    table = await service.leave(table.id, person)
    await all_told(service)
    assert len(teller.of(NoticeKind.TURN)) == 1, "nobody is pinged for an AI player"
    table = await service.join(table.id, person)
    await all_told(service)
    assert table.stage is Stage.PLAYING
    assert [notice.version for notice in teller.of(NoticeKind.TURN)][1:] == [table.version]


async def test_lobby_notices_collapse_into_the_board(make_service: Callable[..., TableService]) -> None:
    service, teller = make_service(ai_delay=3600.0), Recorder()
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.join(table.id, BEN)
    await service.begin(table.id, ANN)
    await service.start(teller)
    await all_told(service)
    assert teller.kinds()[0] is NoticeKind.BOARD
    assert NoticeKind.LOBBY not in teller.kinds()


async def test_a_refused_move_tells_nothing(service: TableService, teller: Recorder) -> None:
    table = await four_at_table(service)
    await service.settle()
    teller.told.clear()
    assert table.state is not None
    with pytest.raises(Refusal):
        await service.act(table.id, FOUR[table.state.public.turn].user_id, "discard KS")
    await service.settle()
    assert teller.told == []


async def test_a_notice_that_cannot_be_deleted_is_not_told_again(
    store: SqliteStore, clock: StillClock, teller: Recorder
) -> None:
    failing = FailingStore(store._database.path)
    await failing.open()
    failing.failures = {"told": 2}
    service = TableService(failing, clock=clock, chance=SeededChance(1), thinker=GreedyThinker())
    await service.start(teller)
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    for _ in range(2):
        await eventually(lambda: bool(clock.pauses))
        clock.pass_time(clock.pauses[0])
    await all_told(service)
    assert teller.kinds() == [NoticeKind.LOBBY]
    assert await store.notices(table.id) == []
    await service.close()
    await failing.close()
