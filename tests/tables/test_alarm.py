"""The alarm: one task that sleeps until the earliest stored time, and gets on whatever is wrong with one."""

import asyncio
import random
from collections.abc import Callable

import pytest

from canasta_core.tables.clock import AT_ONCE, Alarm
from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.model import DAY, Ended, NoticeKind, What
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    ANN,
    CHANNEL,
    EVE,
    FOUR,
    GUILD,
    PlainThinker,
    Recorder,
    StillClock,
    all_done,
    eventually,
    four_at_table,
)


class Tables:
    """Stored alarms, and what happens when one has come."""

    def __init__(self, clock: StillClock, alarms: dict[int, float]) -> None:
        self.clock = clock
        self.alarms = alarms
        self.rung: list[tuple[int, float]] = []
        self.wrong: dict[int, Exception] = {}
        self.tries: list[int] = []
        self.silent: set[int] = set()
        """What is due at these calls nobody."""
        self.asked = 0

    async def earliest_alarm(self, after: float | None = None) -> float | None:
        self.asked += 1
        return min((when for when in self.alarms.values() if after is None or when > after), default=None)

    async def due(self, now: float) -> list[int]:
        return sorted((one for one in self.alarms if self.alarms[one] <= now), key=self.alarms.__getitem__)

    async def look(self, table_id: int) -> bool:
        self.tries.append(table_id)
        if table_id in self.wrong:
            raise self.wrong[table_id]
        self.rung.append((table_id, self.clock.now()))
        del self.alarms[table_id]
        return table_id not in self.silent

    def alarm(self) -> Alarm:
        alarm = Alarm(self.clock, self, self.look)
        alarm.start()
        return alarm


async def test_an_earlier_time_wakes_it_and_a_later_one_does_not(clock: StillClock) -> None:
    start = clock.now()
    tables = Tables(clock, {1: start + 100})
    alarm = tables.alarm()
    await eventually(lambda: clock.alarms == [100.0])
    assert tables.asked == 1
    tables.alarms[2] = start + 200
    alarm.stored(start + 200)
    await asyncio.sleep(0.01)
    assert tables.asked == 1
    tables.alarms[3] = start + 10
    alarm.stored(start + 10)
    await eventually(lambda: 10.0 in clock.alarms)
    for seconds in (10, 90, 100):
        clock.pass_time(seconds)
        count = len(tables.rung)
        await eventually(lambda count=count: len(tables.rung) == count + 1)
    assert [(one, when - start) for one, when in tables.rung] == [(3, 10), (1, 100), (2, 200)]
    tables.alarms[4] = clock.now() - 5
    alarm.stored(clock.now() - 5)
    await eventually(lambda: len(tables.rung) == 4)
    await alarm.close()


async def test_after_a_downtime_in_order_and_no_storm(clock: StillClock) -> None:
    numbers = list(range(1, AT_ONCE + 6))
    random.Random(1).shuffle(numbers)
    tables = Tables(clock, {one: clock.now() - 1000 + one for one in numbers})
    alarm = tables.alarm()
    await eventually(lambda: len(tables.rung) == AT_ONCE)
    for more in range(1, 6):
        await eventually(lambda: 1.0 in clock.alarms)
        assert len(tables.rung) == AT_ONCE + more - 1
        clock.pass_time(1.0)
        await eventually(lambda more=more: len(tables.rung) == AT_ONCE + more)
    assert [one for one, _ in tables.rung] == sorted(numbers)
    await alarm.close()


async def test_what_calls_nobody_is_not_spaced(clock: StillClock) -> None:
    """Thousands of alarms may be due at the first start of a new version; most of them say nothing."""
    start = clock.now()
    tables = Tables(clock, {one: start - 10_000 + one for one in range(5_000)})
    tables.silent = set(range(5_000)) - {*range(AT_ONCE), 2_000, 4_000}
    alarm = tables.alarm()
    for count in (AT_ONCE, 2_001, 4_001):
        await eventually(lambda count=count: len(tables.rung) == count and 1.0 in clock.alarms)
        clock.pass_time(1.0)
    await eventually(lambda: len(tables.rung) == 5_000)
    assert [one for one, _ in tables.rung] == list(range(5_000)), "in the order of the alarms all the same"
    assert clock.now() == start + 3
    await alarm.close()


async def test_one_that_fails_holds_up_no_other_and_is_tried_with_growing_pauses(
    clock: StillClock, caplog: pytest.LogCaptureFixture
) -> None:
    start = clock.now()
    tables = Tables(clock, {1: start - 3, 2: start - 2, 3: start - 1, 4: start + 5})
    tables.wrong = {1: RuntimeError("a defect"), 2: StoreError(StoreCode.DAMAGED, "unreadable")}
    alarm = tables.alarm()
    await eventually(lambda: tables.tries == [1, 2, 3])
    await eventually(lambda: 5.0 in clock.alarms)
    clock.pass_time(5)
    await eventually(lambda: tables.tries == [1, 2, 3, 4])
    await eventually(lambda: 25.0 in clock.alarms)
    clock.pass_time(25)
    await eventually(lambda: tables.tries == [1, 2, 3, 4, 1, 2])
    await eventually(lambda: 60.0 in clock.alarms)
    assert [record.message.count("a defect") for record in caplog.records] == [1, 0], "each cause once"
    clock.pass_time(59)
    await asyncio.sleep(0.01)
    assert len(tables.tries) == 6
    tables.wrong = {}
    clock.pass_time(1)
    await eventually(lambda: [one for one, _ in tables.rung] == [3, 4, 1, 2])
    await alarm.close()


async def test_a_store_that_is_down_is_not_tried_for_every_table(
    clock: StillClock, caplog: pytest.LogCaptureFixture
) -> None:
    tables = Tables(clock, {one: clock.now() - 100 + one for one in range(1, 8)})
    tables.wrong = dict.fromkeys(range(1, 8), StoreError(StoreCode.LOCKED, "another program"))
    alarm = tables.alarm()
    await eventually(lambda: 30.0 in clock.alarms)
    assert tables.tries == [1, 2]
    tables.wrong = {}
    clock.pass_time(30)
    await eventually(lambda: len(tables.rung) == 7)
    assert caplog.text.count("alarms wait for the store") == 1
    await alarm.close()


async def test_tables_from_before_there_were_clocks_are_set_right(
    make_service: Callable[..., TableService], store: SqliteStore, clock: StillClock
) -> None:
    service = make_service()
    running = await four_at_table(service)
    lobby = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.settle()
    await service.close()
    async with store._database.writing() as db:
        await db.execute("UPDATE tables SET clock = NULL, deadline = NULL, reminder = NULL, alarm = 0")
    later = make_service()
    await later.start(Recorder())
    await all_done(later, clock)
    table = await later.get(running.id)
    assert (table.version, table.clock, table.deadline) == (running.version, None, None)
    row, _ = await store.load(running.id) or (None, None)
    assert row is not None
    assert row.alarm is None
    row, _ = await store.load(lobby.id) or (None, None)
    assert row is not None
    assert row.alarm == lobby.touched_at + 7 * DAY
    await later.propose_clock(running.id, EVE, 300, moderator=True)
    assert (await later.get(running.id)).deadline == clock.now() + 300


async def test_many_quiet_ends_after_a_downtime_at_once(
    make_service: Callable[..., TableService], store: SqliteStore, clock: StillClock
) -> None:
    """Nobody is called when a lobby ends, somebody's time to be away is over in another's turn, or an alarm
    has come for nothing.
    """
    service = make_service()
    await service.start(Recorder())
    lobbies, running = [], []
    for _ in range(AT_ONCE + 1):
        lobbies.append(await service.create(GUILD, CHANNEL, ANN, "classic"))
        table = await four_at_table(service, clock=None)
        assert table.state is not None
        running.append(table)
        await service.away(table.id, FOUR[table.state.public.turn - 1], clock.now() + DAY)
        running.append(await four_at_table(service, clock=None))
    await service.settle()
    await service.close()
    async with store._database.writing() as db:
        await db.execute("UPDATE tables SET alarm = 0 WHERE alarm IS NULL")
    clock.pass_time(20 * DAY)
    teller = Recorder()
    later = make_service()
    await later.start(teller)
    await all_done(later, clock)
    for table in lobbies:
        assert (await later.get(table.id)).ended is Ended.EXPIRED
    rows = [(await later.log(table.id))[-1] for table in running]
    assert [row.what for row in rows] == [What.BACK, What.DEAL] * (AT_ONCE + 1)
    assert set(teller.kinds()) == {NoticeKind.LOBBY, NoticeKind.BOARD}


async def test_many_overdue_turns_after_a_downtime(
    make_service: Callable[..., TableService], clock: StillClock
) -> None:
    """Each table misses one turn, however long nothing ran, and each person who is next is told once."""
    service = make_service(thinker=PlainThinker())
    await service.start(Recorder())
    tables = []
    for _ in range(AT_ONCE + 3):
        tables.append(await four_at_table(service))
        clock.pass_time(10)
    await service.settle()
    await service.close()
    clock.pass_time(20 * DAY)
    teller = Recorder()
    later = make_service(thinker=PlainThinker())
    await later.start(teller)
    for _ in range(3):
        await eventually(lambda: 1.0 in clock.pauses)
        clock.pass_time(1.0)
    await all_done(later, clock)
    missed = []
    for table in tables:
        log = [entry for entry in await later.log(table.id) if entry.version > table.version]
        assert [entry.what for entry in log] == [What.MISSED, What.MOVE, What.MOVE]
        missed.append(log[0].at)
    assert missed == sorted(missed)
    assert missed[-1] - missed[0] == 3.0
    assert len(teller.of(NoticeKind.TURN)) == len(tables)
    assert teller.of(NoticeKind.REMINDER) == []
