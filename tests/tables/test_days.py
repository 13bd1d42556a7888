"""Days at one table in any order of events: moves, absences, pauses, restarts, and jumps of time."""

import asyncio
import contextlib
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from canasta_core.legality import who_acts
from canasta_core.refusals import Refusal
from canasta_core.state import Phase
from canasta_core.tables.clocks import alarm, is_between_rounds, running_for, waited_for
from canasta_core.tables.errors import TableError
from canasta_core.tables.model import (
    DAY,
    Ended,
    Notice,
    NoticeKind,
    Person,
    Preferences,
    Reminders,
    Stage,
    Table,
    What,
)
from canasta_core.tables.replay import positions
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
    PlainThinker,
    Recorder,
    SeededChance,
    StillClock,
    all_done,
    assert_log_gives_snapshot,
    plain,
)

PEOPLE = (ANN, BEN, CAT, DAN)
JUMPS = (1.0, 200.0, 301.0, 3000.0, 4 * 3600.0, DAY, 2 * DAY, 8 * DAY, 31 * DAY)
CHOSEN = (
    Preferences(),
    Preferences(Reminders.OFF),
    Preferences(Reminders.DM, (22 * 60, 7 * 60), "America/New_York"),
    Preferences(quiet=(0, 1439), zone="Asia/Kathmandu"),
)

steps = st.lists(
    st.one_of(
        st.tuples(st.just("play"), st.integers(1, 12)),
        st.tuples(st.just("jump"), st.sampled_from(JUMPS)),
        st.tuples(st.just("next")),
        st.tuples(st.just("away"), st.integers(0, 3), st.sampled_from((60.0, DAY, 5 * DAY))),
        st.tuples(st.just("back"), st.integers(0, 3)),
        st.tuples(st.just("pause"), st.sampled_from((600.0, 3 * DAY))),
        st.tuples(st.just("resume")),
        st.tuples(st.just("leave"), st.integers(1, 3)),
        st.tuples(st.just("join"), st.integers(1, 3)),
        st.tuples(st.just("choose"), st.integers(0, 3), st.sampled_from(CHOSEN)),
        st.tuples(st.just("clock"), st.sampled_from((None, 300, 3600, DAY))),
        st.tuples(st.just("restart")),
    ),
    min_size=15,
    max_size=40,
)


class Days:
    """A table, and what has to be true of it at any time."""

    def __init__(self, store: SqliteStore, people: int, clock_of: int | None) -> None:
        self.store = store
        self.people = people
        self.clock_of = clock_of
        self.clock = StillClock()
        self.teller = Recorder()
        self.rng = random.Random(1)
        self.starts = 0
        self.table_id = 0
        self.clocks = 0
        """How often another clock was set."""

    async def start(self) -> None:
        self.starts += 1
        self.service = TableService(
            self.store,
            clock=self.clock,
            chance=SeededChance(self.starts),
            thinker=PlainThinker(),
            ai_delay=0.0,
            next_round=120.0,
        )
        await self.service.start(self.teller)

    async def open(self) -> None:
        await self.start()
        table = await self.service.create(GUILD, CHANNEL, ANN, "classic", clock=self.clock_of)
        for person in PEOPLE[1 : self.people]:
            await self.service.join(table.id, person)
        self.table_id = table.id
        if self.people < 4:
            await self.service.begin(table.id, ANN)
        await all_done(self.service, self.clock)

    async def step(self, what: str, *facts: object) -> None:
        service, table_id, now = self.service, self.table_id, self.clock.now()
        requests: dict[str, Callable[..., Coroutine[object, object, object]]] = {
            "play": self.play,
            "jump": self.jump,
            "next": self.next,
            "restart": self.restart,
            "away": lambda one, seconds: service.away(table_id, PEOPLE[one], now + seconds),
            "back": lambda one: service.back(table_id, PEOPLE[one]),
            "pause": lambda seconds: service.pause(table_id, ANN, now + seconds, moderator=True),
            "resume": lambda: service.resume(table_id, ANN, moderator=True),
            "leave": lambda one: service.leave(table_id, PEOPLE[one]),
            "join": lambda one: service.join(table_id, PEOPLE[one], by=ANN, moderator=True),
            "choose": lambda one, chosen: service.set_preferences(PEOPLE[one], chosen),
            "clock": lambda seconds: service.propose_clock(table_id, EVE, seconds, moderator=True),
        }
        self.clocks += what == "clock"
        # What cannot be had just now is refused, and must have changed nothing.
        with contextlib.suppress(TableError, Refusal):
            await requests[what](*facts)
        await all_done(self.service, self.clock)
        await self.check()

    async def play(self, moves: int) -> None:
        """Persons who are in turn move, whether they are away or not."""
        for _ in range(moves):
            await self.service.settle()
            table = await self.service.get(self.table_id)
            if table.stage is Stage.ENDED or table.state is None or table.paused is not None:
                return
            if table.state.public.phase is Phase.ROUND_OVER:
                await self.service.next_round(self.table_id, person_of(table.people[0].user_id))
                continue
            for seat in who_acts(table.state.public):
                sitter = table.sitter(seat)
                if sitter is not None and sitter.user_id is not None:
                    action = plain(table.view(seat), self.rng)
                    await self.service.act(self.table_id, sitter.user_id, action, table.version)

    async def jump(self, seconds: float) -> None:
        self.clock.pass_time(seconds)

    async def next(self) -> None:
        """Until just that moment in which something happens by itself."""
        earliest = await self.store.earliest_alarm()
        if earliest is not None:
            self.clock.pass_time(earliest - self.clock.now())

    async def restart(self) -> None:
        before = await self.service.get(self.table_id)
        await self.service.close()
        await self.start()
        assert await self.service.get(self.table_id) == before

    async def check(self) -> None:
        now = self.clock.now()
        table = await self.service.get(self.table_id)
        row, _ = await self.store.load(self.table_id) or (None, None)
        assert row is not None
        assert (row.alarm, row.deadline, row.reminder) == (alarm(table), table.deadline, table.reminder)
        assert row.alarm is None or row.alarm > now, "what has come is dealt with"
        assert row.ai_turn is False, "AI players have moved"
        for sitter in table.sitters:
            assert sitter.away_until is None or sitter.away_until > now
            assert 0 <= sitter.away_used <= table.away_limit + 1e-3
            assert not (sitter.absent and sitter.away_until is not None)
            assert sitter.missed < 3 or sitter.absent
        if table.deadline is None:
            assert table.reminder is None
            assert not running_for(table, now) or table.clock is None
        else:
            assert table.stage is Stage.PLAYING
            assert table.paused is None
            assert is_between_rounds(table) or running_for(table, now), "never for one who is not there"
            assert table.reminder is None or now < table.reminder < table.deadline
        if table.stage is Stage.PLAYING and not waited_for(table) and not is_between_rounds(table):
            assert table.rests, "somebody is waited for, or all rest"
        self.check_pings()

    def check_pings(self) -> None:
        turns = Counter(table.turn_version for table, _, _ in self.told(NoticeKind.TURN))
        assert set(turns.values()) <= {1}, "nobody is pinged twice for a turn"
        reminders = Counter(
            (table.turn_version, table.clock) for table, _, _ in self.told(NoticeKind.REMINDER)
        )
        assert self.clocks > 1 or set(reminders.values()) <= {1}, "nor reminded twice"
        for table, notice, _ in self.told(NoticeKind.TURN) + self.told(NoticeKind.REMINDER):
            seat = notice.data["seat"]
            assert isinstance(seat, int)
            sitter = table.sitter(seat)
            assert sitter is not None
            assert sitter.is_active

    async def check_turns(self) -> None:
        """Nobody is pinged twice for a turn, however often an AI player kept the seat or they came back.

        Only who comes back from such a seat to be away first is told when that time is over.
        """
        began, aways = {}, {}
        turn, since, away = (0, -1), 0, Counter[int | None]()
        table = await self.service.get(self.table_id)
        for entry, state in positions(await self.service.log(self.table_id), table.rules):
            if (state.public.round_number, state.public.turn) != turn:
                turn, since = (state.public.round_number, state.public.turn), entry.version
            away[entry.seat] += entry.what is What.AWAY
            began[entry.version], aways[entry.version] = since, away.copy()
        pings = Counter(
            (began[notice.version], sitter.user_id, sitter.since, aways[notice.version][sitter.seat])
            for table, notice, _ in self.told(NoticeKind.TURN)
            if (sitter := table.sitter(notice.data["seat"])) is not None
        )
        assert set(pings.values()) <= {1}, pings

    def told(self, kind: NoticeKind) -> list[tuple[Table, Notice, object]]:
        return [each for each in self.teller.told if each[1].kind is kind]

    async def end(self) -> None:
        """A table with a clock comes to its end by itself, in bounded time, when everybody is gone."""
        table = await self.service.get(self.table_id)
        for _ in range(400):
            table = await self.service.get(self.table_id)
            if table.stage is Stage.ENDED or (table.clock is None and table.paused is None):
                break
            earliest = await self.store.earliest_alarm()
            assert earliest is not None
            assert earliest > self.clock.now()
            self.clock.pass_time(earliest - self.clock.now())
            await all_done(self.service, self.clock)
            await self.check()
        assert table.clock is None or table.ended in (Ended.DESERTED, Ended.FINISHED)
        await assert_log_gives_snapshot(self.service, self.table_id)
        await self.check_turns()
        await self.service.close()


def person_of(user_id: int | None) -> Person:
    return next(person for person in PEOPLE if person.user_id == user_id)


@given(st.sampled_from((1, 2, 4)), st.sampled_from((None, 300, DAY)), steps)
@example(1, 300, [*[("jump", 301.0)] * 3, ("back", 0), ("jump", 301.0), ("play", 3)])
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_days_at_a_table(people: int, clock_of: int | None, events: list[tuple[object, ...]]) -> None:
    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = SqliteStore(Path(folder) / "canasta.db")
            await store.open()
            days = Days(store, people, clock_of)
            try:
                await days.open()
                for what, *facts in events:
                    await days.step(str(what), *facts)
                await days.end()
            finally:
                await days.service.close()
                await store.close()

    asyncio.run(run())
