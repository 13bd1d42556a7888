"""A store that fails once, wherever that may be: nothing acknowledged is lost, and everything goes on."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from canasta_core.tables.errors import StoreCode, StoreError, TableError
from canasta_core.tables.model import DAY, NoticeKind, Preferences, Stage, Table, What
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    ANN,
    BEN,
    CAT,
    EVE,
    PlainThinker,
    Recorder,
    SeededChance,
    StillClock,
    all_done,
    assert_log_gives_snapshot,
    four_at_table,
    plain,
)

CALLS = (1, 2, 5, 12)
"""Which calls of a request fail, one in each run."""
START = ("pools_in", "forgetting", "to_tell", "waiting_for_ai")
PLAY = (
    "commit",
    "version",
    "load",
    "preferences",
    "set_preference",
    "tables_of",
    "tenures",
    "log_row",
    "notices",
    "message",
    "told",
    "earliest_alarm",
    "due",
    "remind",
)


class FailsOnce:
    """A store of which one call of one method fails: before it was made, or after it was."""

    def __init__(self, store: SqliteStore, name: str, number: int, *, after: bool) -> None:
        self._inner = store
        self._name = name
        self._left = number
        self._after = after

    @property
    def failed(self) -> bool:
        return self._left <= 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        if name != self._name:
            return method

        async def call(*arguments: object, **more: object) -> object:
            self._left -= 1
            if self._left or self._after:
                outcome = await method(*arguments, **more)
            if self._left:
                return outcome
            raise StoreError(StoreCode.UNAVAILABLE, "disk I/O error")

        return call


class Script:
    """What people do at a table; who is told that something failed does it again."""

    def __init__(self, service: TableService, clock: StillClock) -> None:
        self.service = service
        self.clock = clock
        self.acknowledged: dict[int, int] = {}
        """The version of each table that somebody was told of."""

    async def tried(self, request: Callable[[], Awaitable[object]]) -> None:
        try:
            outcome = await request()
        except StoreError:
            # They are told, and try again; it may have been done all the same.
            with contextlib.suppress(TableError):
                await request()
            return
        if isinstance(outcome, Table):
            self.acknowledged[outcome.id] = max(outcome.version, self.acknowledged.get(outcome.id, 0))

    async def move(self, table_id: int) -> Table:
        table = await self.service.get(table_id)
        assert table.state is not None
        seat = table.state.public.turn
        user_id = table.sitters[seat].user_id
        assert user_id is not None
        action = plain(table.view(seat), random.Random(1))
        return (await self.service.act(table_id, user_id, action, table.version)).table

    async def play(self, table_id: int, *, two_step: bool) -> None:
        service, clock = self.service, self.clock
        for _ in range(3):
            await self.tried(lambda: self.move(table_id))
        await self.tried(lambda: service.set_preferences(ANN, Preferences(two_step=two_step)))
        await self.tried(lambda: service.away(table_id, CAT, clock.now() + 2 * DAY))
        await self.tried(lambda: service.pause(table_id, ANN, clock.now() + DAY))
        await self.passed(DAY + 1)
        await self.tried(lambda: service.leave(table_id, BEN))
        await self.tried(lambda: service.invite(table_id, 1, ANN, EVE))
        await self.tried(lambda: service.join(table_id, EVE, 1))
        for _ in range(3):
            await self.passed(DAY - 3600)
            await self.passed(3600)

    async def passed(self, seconds: float) -> None:
        """Time passes; what failed meanwhile is tried again after its pause."""
        self.clock.pass_time(seconds)
        await all_done_patiently(self.service, self.clock)


async def all_done_patiently(service: TableService, clock: StillClock) -> None:
    """As `all_done`, with time for what waits to be tried again."""
    while True:
        task = asyncio.create_task(all_done(service, clock))
        while not task.done():
            await asyncio.sleep(0.002)
            if clock.pauses:
                clock.pass_time(min(clock.pauses))
        try:
            return await task
        except StoreError:
            # It was this look that failed.
            continue


@pytest.fixture
async def inner(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path / "canasta.db")
    await store.open()
    assert store.database._writer is not None
    await store.database._writer.execute("PRAGMA synchronous = OFF")
    yield store
    await store.close()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", PLAY)
async def test_a_store_that_fails_once(inner: SqliteStore, name: str, after: bool) -> None:
    for run, number in enumerate(CALLS):
        clock, teller = StillClock(), Recorder()
        broken = FailsOnce(inner, name, number, after=after)
        service = service_on(broken, clock)
        await service.start(teller)
        table = await four_at_table(service_on(inner, clock))
        script = Script(service, clock)
        await script.play(table.id, two_step=not run % 2)
        kept = await service.get(table.id)
        assert kept.version >= script.acknowledged.get(table.id, 0)
        await service.close()
        assert await inner.to_tell() == []
        fresh = service_on(inner, clock)
        assert await fresh.get(table.id) == kept, "memory and store tell the same"
        await assert_log_gives_snapshot(fresh, table.id)
        assert kept.stage is Stage.PLAYING
        assert What.MISSED in [entry.what for entry in await fresh.log(table.id)], "the clock went on"
        turns = [notice.version for notice in teller.of(NoticeKind.TURN) if notice.table_id == table.id]
        assert len(turns) == len(set(turns)), "nobody is called twice"
        await fresh.end(table.id, ANN, moderator=True)
        if not broken.failed:
            assert run, f"{name} is not called at all"
            break


@pytest.mark.parametrize("name", START)
async def test_a_store_that_fails_at_the_start(inner: SqliteStore, name: str) -> None:
    clock, teller = StillClock(), Recorder()
    table = await four_at_table(service_on(inner, clock))
    service = service_on(FailsOnce(inner, name, 1, after=False), clock)
    with pytest.raises(StoreError):
        await service.start(teller)
    await service.close()
    service = service_on(inner, clock)
    await service.start(teller)
    await all_done(service, clock)
    assert teller.of(NoticeKind.TURN)[-1].version == table.turn_version
    assert len(teller.of(NoticeKind.TURN)) == 1
    await service.close()


def service_on(store: SqliteStore | FailsOnce, clock: StillClock) -> TableService:
    return TableService(
        store,  # type: ignore[arg-type]
        clock=clock,
        chance=SeededChance(1),
        thinker=PlainThinker(),
        ai_delay=0.0,
    )
