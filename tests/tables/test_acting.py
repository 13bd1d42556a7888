"""The one write path: what counts, what is stale, and what simultaneous requests come to."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from canasta_core.codec import state_hash
from canasta_core.events import Drew, seen_by
from canasta_core.refusals import Code, Refusal
from canasta_core.state import Phase
from canasta_core.tables.errors import StaleTable, StoreCode, StoreError, TableCode, TableError
from canasta_core.tables.model import Acted, Person, Table, What
from canasta_core.tables.ports import Commit
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    ANN,
    CHANNEL,
    EVE,
    FOUR,
    GUILD,
    FailingStore,
    GreedyThinker,
    Recorder,
    SeededChance,
    StillClock,
    assert_log_gives_snapshot,
    eventually,
    four_at_table,
    greedy,
)


def in_turn(table: Table) -> Person:
    assert table.state is not None
    return FOUR[table.state.public.turn]


async def test_an_action_in_notation(service: TableService) -> None:
    table = await four_at_table(service)
    person = in_turn(table)
    acted = await service.act(table.id, person.user_id, "draw", table.version)
    assert isinstance(acted, Acted)
    assert acted.seat == table.seat_of(person.user_id)
    assert acted.table.version == table.version + 1
    assert acted.table == await service.get(table.id)
    (drew,) = [event for event in acted.events if isinstance(event, Drew)]
    assert len(drew.cards) == 1, "who draws sees the card"
    assert replace(drew, cards=()) in acted.table.recent, "nobody else does"
    entry = (await service.log(table.id))[-1]
    assert (entry.what, entry.actor, entry.seat) == (What.MOVE, person.user_id, acted.seat)
    assert entry.events == acted.events


async def test_what_is_refused_changes_nothing(service: TableService, store: SqliteStore) -> None:
    table = await four_at_table(service)
    person = in_turn(table)
    other = next(each for each in FOUR if each is not person)
    before = (await store.load(table.id), await store.log(table.id), await store.notices(table.id))
    for user_id, action, version, code in (
        (person.user_id, "dance", None, Code.UNKNOWN_ACTION),
        (person.user_id, "discard KS", None, Code.WRONG_PHASE),
        (other.user_id, "draw", None, Code.NOT_YOUR_TURN),
        (other.user_id, "draw", table.version, Code.NOT_YOUR_TURN),
        (person.user_id, "draw", table.version - 1, TableCode.STALE_TABLE),
        (person.user_id, "draw", table.version + 1, TableCode.STALE_TABLE),
        (EVE.user_id, "draw", None, TableCode.NOT_SEATED),
    ):
        with pytest.raises((Refusal, TableError)) as caught:
            await service.act(table.id, user_id, action, version)
        assert caught.value.code is code
    with pytest.raises(TableError) as caught:
        await service.act(table.id + 1, person.user_id, "draw")
    assert caught.value.code is TableCode.NO_SUCH_TABLE
    await service.settle()
    assert (await store.load(table.id), await store.log(table.id)) == before[:2]
    assert await service.get(table.id) == table


async def test_nothing_is_played_in_the_lobby(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    with pytest.raises(TableError) as caught:
        await service.act(table.id, ANN.user_id, "draw")
    assert caught.value.code is TableCode.NOT_STARTED
    with pytest.raises(TableError) as caught:
        table.view(0)
    assert caught.value.code is TableCode.NOT_STARTED


async def test_of_fifty_simultaneous_requests_the_valid_ones_count_once(service: TableService) -> None:
    """Clicks and commands of all four, valid, stale and out of turn, several times over."""
    table = await four_at_table(service)
    rng = random.Random(5)
    for _ in range(12):
        table = await service.get(table.id)
        assert table.state is not None
        if table.state.public.phase not in (Phase.DRAW, Phase.PLAY):
            break
        person = in_turn(table)
        seat = table.state.public.turn
        action = greedy(table.view(seat), rng)
        others = [each for each in FOUR if each is not person]
        requests = [
            *((person.user_id, table.version) for _ in range(20)),
            *((person.user_id, table.version - 1) for _ in range(10)),
            *((each.user_id, version) for each in others for version in (table.version, None, None)),
            *((EVE.user_id, None) for _ in range(11)),
        ]
        assert len(requests) == 50
        rng.shuffle(requests)
        outcomes = await asyncio.gather(
            *(service.act(table.id, user_id, action, version) for user_id, version in requests),
            return_exceptions=True,
        )
        assert sum(isinstance(each, Acted) for each in outcomes) == 1
        assert all(isinstance(each, Acted | TableError | Refusal) for each in outcomes), outcomes
        assert (await service.get(table.id)).version == table.version + 1
    await assert_log_gives_snapshot(service, table.id)


async def test_commands_without_a_version_count_as_often_as_they_are_legal(service: TableService) -> None:
    table = await four_at_table(service)
    person = in_turn(table)
    outcomes = await asyncio.gather(
        *(service.act(table.id, person.user_id, "draw") for _ in range(50)), return_exceptions=True
    )
    assert sum(isinstance(each, Acted) for each in outcomes) == 1
    refusals = [each for each in outcomes if isinstance(each, Refusal)]
    assert {each.code for each in refusals} == {Code.WRONG_PHASE}
    assert len(refusals) == 49


async def test_simultaneous_joins_fill_each_seat_once(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    crowd = [Person(1000 + number, f"P{number}") for number in range(20)]
    outcomes = await asyncio.gather(
        *(service.join(table.id, person, 1 + number % 3) for number, person in enumerate(crowd)),
        return_exceptions=True,
    )
    assert sum(isinstance(each, Table) for each in outcomes) == 3
    table = await service.get(table.id)
    assert len(table.sitters) == 4
    assert [entry.what for entry in await service.log(table.id)].count(What.BEGIN) == 1


async def test_another_process_is_noticed(
    service: TableService, store: SqliteStore, clock: StillClock
) -> None:
    """What is kept in memory may be old: the database decides."""
    table = await four_at_table(service)
    other = TableService(store, clock=clock, chance=SeededChance(9), thinker=GreedyThinker())
    person = in_turn(table)
    await other.act(table.id, person.user_id, "draw", table.version)
    assert (await service.get(table.id)).version == table.version, "not seen yet"
    with pytest.raises(StaleTable) as caught:
        await service.act(table.id, person.user_id, "draw", table.version)
    assert caught.value.facts == {"version": table.version + 1}
    seat = table.seat_of(person.user_id)
    assert seat is not None
    move = greedy((await other.get(table.id)).view(seat), random.Random(1))
    acted = await other.act(table.id, person.user_id, move)
    with pytest.raises(Refusal) as refused:
        await service.act(table.id, person.user_id, "draw")
    assert acted.table.version == (await service.get(table.id)).version, (
        "a refusal is judged by what is stored"
    )
    assert refused.value.code in (Code.WRONG_PHASE, Code.NOT_YOUR_TURN)
    assert await service.get(table.id) == await other.get(table.id)
    await other.close()


async def test_a_caller_who_is_cancelled_leaves_no_half_move(service: TableService) -> None:
    table = await four_at_table(service)
    for steps in range(6):
        table = await service.get(table.id)
        assert table.state is not None
        person, seat = in_turn(table), table.state.public.turn
        action = greedy(table.view(seat), random.Random(1))
        task = asyncio.create_task(service.act(table.id, person.user_id, action, table.version))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        # It was made or it was not; asking again tells, and never makes it twice.
        await asyncio.gather(
            service.act(table.id, person.user_id, action, table.version), return_exceptions=True
        )
        assert (await service.get(table.id)).version == table.version + 1
    await assert_log_gives_snapshot(service, table.id)


class SlowStore(SqliteStore):
    """Has written a commit, and says so only when it may."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.written = asyncio.Event()
        self.released = asyncio.Event()
        self.released.set()

    async def commit(self, commit: Commit) -> int:
        table_id = await super().commit(commit)
        self.written.set()
        await self.released.wait()
        return table_id


async def test_a_move_that_was_stored_is_told_although_its_caller_is_gone(
    store: SqliteStore, clock: StillClock, teller: Recorder
) -> None:
    slow = SlowStore(store._database.path)
    await slow.open()
    service = TableService(slow, clock=clock, chance=SeededChance(1), thinker=GreedyThinker())
    await service.start(teller)
    table = await four_at_table(service)
    await service.settle()
    slow.written.clear()
    slow.released.clear()
    task = asyncio.create_task(service.act(table.id, in_turn(table).user_id, "draw"))
    await slow.written.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    slow.released.set()
    await eventually(lambda: not service._running)
    await service.settle()
    assert (await service.get(table.id)).version == table.version + 1
    assert teller.told[-1][1].version == table.version + 1
    assert await store.to_tell() == []
    await service.close()
    await slow.close()


async def test_simultaneous_changes_wait_for_each_other(service: TableService) -> None:
    """None is called stale that did not expect a version: one after the other, all are made."""
    table = await service.create(GUILD, CHANNEL, ANN, "salon", seats=6)
    crowd = [Person(1000 + number, f"P{number}") for number in range(4)]
    await asyncio.gather(*(service.join(table.id, person) for person in crowd))
    table = await service.get(table.id)
    assert (table.version, len(table.people)) == (5, 5)


async def test_a_store_that_fails_leaves_the_table_as_it_was(store: SqliteStore, clock: StillClock) -> None:
    failing = FailingStore(store._database.path)
    await failing.open()
    service = TableService(failing, clock=clock, chance=SeededChance(3), thinker=GreedyThinker())
    table = await four_at_table(service)
    failing.failures = {"commit": 1}
    with pytest.raises(StoreError):
        await service.act(table.id, in_turn(table).user_id, "draw")
    assert await service.get(table.id) == table
    await service.act(table.id, in_turn(table).user_id, "draw", table.version)
    await service.close()
    await failing.close()


async def test_a_table_that_cannot_be_read_is_in_nobodys_way(
    make_service: Callable[..., TableService],
    store: SqliteStore,
    clock: StillClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One of a later format, say: the others of its server and its players are found, and played."""
    first = make_service(ai_delay=3600.0)
    bad, good = [await first.create(GUILD, CHANNEL, ANN, "classic") for _ in range(2)]
    for table in (bad, good):
        await first.begin(table.id, ANN)
    async with store._database.writing() as db:
        await db.execute("UPDATE tables SET rules = ? WHERE id = ?", ('{"v":99}', bad.id))
    service, teller = make_service(), Recorder()
    await service.start(teller)
    for found in (
        await service.tables_in(GUILD),
        await service.tables_of(ANN.user_id),
        await service.playing(),
    ):
        assert [table.id for table in found] == [good.id]
    with pytest.raises(StoreError) as caught:
        await service.get(bad.id)
    assert caught.value.code is StoreCode.DAMAGED
    assert f"table {bad.id} cannot be read" in caplog.text
    await eventually(lambda: not service._ai.chores.busy)
    assert {notice.table_id for _, notice, _ in teller.told} == {good.id}
    table = await service.get(good.id)
    assert table.state is not None
    assert table.state.public.turn == table.seat_of(ANN.user_id), "its AI players go on"


async def test_recent_events_are_public_and_few(service: TableService) -> None:
    table = await four_at_table(service)
    rng = random.Random(3)
    for _ in range(30):
        table = await service.get(table.id)
        assert table.state is not None
        if table.state.public.phase is Phase.ROUND_OVER:
            break
        seat = table.state.public.turn
        await service.act(table.id, FOUR[seat].user_id, greedy(table.view(seat), rng))
    table = await service.get(table.id)
    events = [seen_by(event, None) for entry in await service.log(table.id) for event in entry.events]
    assert table.recent == tuple(events[-8:])


async def test_many_tables_do_not_wait_for_each_other(
    make_service: Callable[..., TableService], store: SqliteStore
) -> None:
    service = make_service()
    tables = [await four_at_table(service) for _ in range(8)]
    before = [state_hash(table.state) for table in tables if table.state is not None]
    acted = await asyncio.gather(
        *(service.act(table.id, in_turn(table).user_id, "draw", table.version) for table in tables)
    )
    after = [state_hash(each.table.state) for each in acted if each.table.state is not None]
    assert len(set(before + after)) == 16
    for table in tables:
        await assert_log_gives_snapshot(service, table.id)
