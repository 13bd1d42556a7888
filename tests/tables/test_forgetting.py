"""Somebody is forgotten: what becomes of their tables, and of what happens meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from canasta_core.tables.errors import StoreCode, StoreError, TableCode, TableError
from canasta_core.tables.model import Ended, NoticeKind, Person, Preferences, Stage, Tenure, What
from canasta_core.tables.ports import TableRow
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    ANN,
    BEN,
    CAT,
    CHANNEL,
    DAN,
    EVE,
    GUILD,
    Recorder,
    StillClock,
    all_told,
    assert_log_gives_snapshot,
    eventually,
    four_at_table,
)


class GatedStore(SqliteStore):
    """Waits where a test says so, and fails so many times."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.gates: dict[str, asyncio.Event] = {}
        self.waiting: list[str] = []
        self.failures: dict[str, int] = {}

    async def _pass(self, what: str) -> None:
        if self.failures.get(what):
            self.failures[what] -= 1
            raise StoreError(StoreCode.FULL, "database or disk is full")
        if (gate := self.gates.get(what)) is not None:
            self.waiting.append(what)
            await gate.wait()

    async def load(self, table_id: int) -> tuple[TableRow, list[Tenure]] | None:
        found = await super().load(table_id)
        if self.gates.get("load") is not None and "load" not in self.waiting:
            await self._pass("load")
        return found

    async def forget_at(self, table_id: int, user_id: int, former_id: int) -> None:
        await self._pass("forget_at")
        await super().forget_at(table_id, user_id, former_id)

    async def end_forgetting(self, user_id: int, former_id: int) -> None:
        await self._pass("end_forgetting")
        await super().end_forgetting(user_id, former_id)

    async def wipe(self) -> None:
        await self._pass("wipe")
        await super().wipe()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[GatedStore]:
    store = GatedStore(tmp_path / "canasta.db")
    await store.open()
    yield store
    await store.close()


@pytest.fixture(autouse=True)
async def open_gates(service: TableService, store: GatedStore) -> AsyncIterator[None]:
    """Before the service is closed: a test that failed must not hang."""
    yield
    for gate in store.gates.values():
        gate.set()


async def test_an_ai_player_plays_on_and_the_hosts_part_passes_on(
    service: TableService, teller: Recorder
) -> None:
    table = await four_at_table(service)
    await all_told(service)
    told = len(teller.told)
    forgotten = await service.forget(ANN.user_id)
    assert (forgotten.left, forgotten.tables) == (1, 1)
    table = await service.get(table.id)
    assert table.sitters[0].is_ai
    assert table.host_id == BEN.user_id
    assert NoticeKind.BOARD in [notice.kind for _, notice, _ in teller.told[told:]]
    left = next(entry for entry in await service.log(table.id) if entry.what is What.LEAVE)
    assert (left.actor, left.seat, left.detail) == (-1, 0, {"host": BEN.user_id})
    assert [one.user_id for one in await service.tenures(table.id) if one.seat == 0] == [-1, None]
    await assert_log_gives_snapshot(service, table.id)
    # Nobody knows them, so nobody lets them back; whoever may invite them, may.
    with pytest.raises(TableError) as refused:
        await service.join(table.id, ANN)
    assert refused.value.code is TableCode.NOT_INVITED
    await service.invite(table.id, 0, BEN, ANN)
    assert (await service.join(table.id, ANN)).seat_of(ANN.user_id) == 0


async def test_lobbies_are_left_and_a_table_without_people_ends(service: TableService) -> None:
    alone = await service.create(GUILD, CHANNEL, ANN, "classic")
    shared = await service.join((await service.create(GUILD, CHANNEL, BEN, "classic")).id, ANN)
    playing = await service.create(GUILD, CHANNEL, ANN, "browser", seats=2)
    await service.add_ai(playing.id, ANN)
    assert (await service.forget(ANN.user_id)).left == 3
    alone, shared, playing = [await service.get(one.id) for one in (alone, shared, playing)]
    assert (alone.ended, playing.ended) == (Ended.DESERTED, Ended.DESERTED)
    assert (alone.host_id, playing.host_id) == (-1, -1)
    assert shared.stage is Stage.LOBBY
    assert [sitter.user_id for sitter in shared.sitters] == [BEN.user_id]


async def test_invitations_and_proposals_are_withdrawn(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.join(table.id, BEN)
    await service.begin(table.id, ANN)
    await service.invite(table.id, 2, ANN, EVE)
    await service.invite(table.id, 3, ANN, None)
    await service.propose_clock(table.id, BEN, 3600)
    await service.forget(EVE.user_id)
    table = await service.get(table.id)
    assert [(one.seat, one.user_id) for one in table.invites] == [(3, None)]
    entries = await service.log(table.id)
    assert (entries[-1].what, entries[-1].actor, entries[-1].detail) == (What.INVITE, -1, {"withdrawn": True})
    assert [
        one.detail["user_id"] for one in entries if one.what is What.INVITE and "user_id" in one.detail
    ] == [
        -1,
        None,
    ]
    await service.forget(BEN.user_id)
    assert (await service.get(table.id)).proposal is None


async def test_what_they_do_meanwhile_does_not_count(service: TableService, store: GatedStore) -> None:
    table = await four_at_table(service)
    other = await service.create(GUILD, CHANNEL, EVE, "classic")
    store.gates["end_forgetting"] = gate = asyncio.Event()
    running = asyncio.create_task(service.forget(ANN.user_id))
    await eventually(lambda: bool(store.waiting))
    attempts: list[Callable[[], object]] = [
        lambda: service.join(other.id, ANN),
        lambda: service.join(other.id, CAT, by=ANN),
        lambda: service.create(GUILD, CHANNEL, ANN, "classic"),
        lambda: service.end(other.id, ANN, moderator=True),
        lambda: service.invite(table.id, 0, BEN, ANN),
        lambda: service.set_preferences(ANN, Preferences(two_step=True)),
    ]
    for attempt in attempts:
        with pytest.raises(TableError) as refused:
            await attempt()  # type: ignore[misc]
        assert refused.value.code is TableCode.BEING_FORGOTTEN
    await service.meet(Person(ANN.user_id, "Anna"))
    # The others are not held up, and a second wish is the same one.
    await service.join(other.id, DAN)
    again = asyncio.create_task(service.forget(ANN.user_id))
    await asyncio.sleep(0)
    gate.set()
    assert await running == await again
    assert await service.names([ANN.user_id]) == {}
    assert await store.preferences(ANN.user_id) == {}
    assert (await service.join(other.id, ANN)).seat_of(ANN.user_id) == 2


async def test_a_table_that_was_read_before_is_not_kept(service: TableService, store: GatedStore) -> None:
    """What was on its way from the store when a person was replaced must not bring them back."""
    table = await four_at_table(service)
    await all_told(service)
    await service.leave(table.id, BEN)
    await service.pause(table.id, BEN, service._clock.now() + 3600, moderator=True)
    service._kept.clear()
    store.gates = {"load": asyncio.Event(), "end_forgetting": asyncio.Event()}
    late = asyncio.create_task(service.get(table.id))
    await eventually(lambda: "load" in store.waiting)
    running = asyncio.create_task(service.forget(BEN.user_id))
    await eventually(lambda: "end_forgetting" in store.waiting)
    store.gates["load"].set()
    paused = (await late).paused
    assert paused is not None
    assert paused.by == BEN.user_id
    store.gates["end_forgetting"].set()
    await running
    paused = (await service.get(table.id)).paused
    assert paused is not None
    assert paused.by == -1
    await service.resume(table.id, ANN)
    rows = await store.database.fetch("SELECT paused, host_id FROM tables WHERE id = ?", (table.id,))
    assert tuple(rows[0]) == ("", ANN.user_id)


async def test_a_full_disk_in_the_middle_is_made_good_at_the_next_start(
    service: TableService, make_service: Callable[..., TableService], store: GatedStore, teller: Recorder
) -> None:
    table = await four_at_table(service)
    second = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.set_preferences(ANN, Preferences(two_step=True))
    store.failures["forget_at"] = 1
    with pytest.raises(StoreError):
        await service.forget(ANN.user_id)
    with pytest.raises(TableError) as refused:
        await service.join(table.id, ANN)
    assert refused.value.code is TableCode.BEING_FORGOTTEN
    assert await store.forgetting() == {ANN.user_id: -1}
    await service.close()
    service = make_service()
    await service.start(teller)
    while await store.forgetting():
        await asyncio.sleep(0.01)
    await service.all_wiped()
    assert next(one.user_id for one in await store.tenures(table.id)) == -1
    assert (await service.get(second.id)).host_id == -1
    assert await service.preferences(ANN.user_id) == Preferences()


async def test_what_cannot_be_wiped_now_is_tomorrow(
    service: TableService, store: GatedStore, clock: StillClock
) -> None:
    await four_at_table(service)
    store.failures["wipe"] = 1
    await service.forget(ANN.user_id)
    await eventually(lambda: not store.failures["wipe"])
    assert not await store.is_wiped()
    clock.pass_time(86_399)
    await asyncio.sleep(0.05)
    assert not await store.is_wiped()
    clock.pass_time(1)
    await service.all_wiped()
    assert await store.is_wiped()


async def test_a_caller_who_gives_up_does_not_stop_it(service: TableService, store: GatedStore) -> None:
    await four_at_table(service)
    store.gates["forget_at"] = gate = asyncio.Event()
    caller = asyncio.create_task(service.forget(ANN.user_id))
    await eventually(lambda: bool(store.waiting))
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    gate.set()
    while await store.forgetting():
        await asyncio.sleep(0.01)
    assert await service.names([ANN.user_id]) == {}
