"""What the tests of tables play with: people, a clock that stands still, a teller that writes down."""

import asyncio
import heapq
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from canasta_core.actions import AskPartner, Discard, Draw, LayMelds, SeatAction, TakePile
from canasta_core.cards import Card
from canasta_core.codec import state_hash
from canasta_core.events import Event
from canasta_core.legality import who_acts
from canasta_core.offers import offers
from canasta_core.state import Phase
from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.model import Notice, NoticeKind, Person, Stage, Table, What
from canasta_core.tables.ports import Commit
from canasta_core.tables.replay import replay
from canasta_core.tables.service import TableService
from canasta_core.views import PlayerView
from data.sqlite_store import SqliteStore

GUILD = 900_000_000_000_000_001
CHANNEL = 900_000_000_000_000_002
ANN, BEN, CAT, DAN, EVE = (
    Person(700_000_000_000_000_000 + number, name)
    for number, name in enumerate(("Ann", "Ben", "Cat", "Dan", "Eve"), 1)
)
FOUR = (ANN, BEN, CAT, DAN)


class SeededChance:
    """Chance that is the same in every run."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def shuffled(self, pack: Sequence[Card]) -> tuple[Card, ...]:
        return tuple(self._random.sample(list(pack), len(pack)))

    def numbers(self, count: int) -> tuple[int, ...]:
        return tuple(self._random.randrange(2**32) for _ in range(count))

    def salt(self) -> str:
        return f"{self._random.randrange(2**64):016x}"

    def rng(self) -> random.Random:
        return random.Random(self._random.randrange(2**32))


class StillClock:
    """Time that passes only when a test says so."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self._now = now
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        self._count += 1
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, self._count, future))
        await future

    @property
    def alarms(self) -> list[float]:
        """Seconds until each that sleeps wakes, soonest first."""
        return [when - self._now for when, _, future in sorted(self._sleepers) if not future.done()]

    @property
    def pauses(self) -> list[float]:
        """Those of a few minutes at most: what a table does by itself in hours or days is left out."""
        return [seconds for seconds in self.alarms if seconds <= 600]

    def pass_time(self, seconds: float) -> None:
        self._now += seconds
        while self._sleepers and self._sleepers[0][0] <= self._now:
            _, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                future.set_result(None)


class Recorder:
    """A teller that writes down what it is told, and can be made to fail."""

    def __init__(self) -> None:
        self.told: list[tuple[Table, Notice, tuple[Event, ...]]] = []
        self.failures: list[Exception] = []
        """Raised one by one instead of telling."""
        self.tries = 0
        self.on_tell: Callable[[Table, Notice], Awaitable[None]] | None = None

    async def tell(self, table: Table, notice: Notice, events: tuple[Event, ...]) -> None:
        self.tries += 1
        if self.failures:
            raise self.failures.pop(0)
        if self.on_tell is not None:
            await self.on_tell(table, notice)
        self.told.append((table, notice, events))

    def kinds(self) -> list[NoticeKind]:
        return [notice.kind for _, notice, _ in self.told]

    def of(self, kind: NoticeKind) -> list[Notice]:
        return [notice for _, notice, _ in self.told if notice.kind is kind]


class GreedyThinker:
    """Lays what it can, else whatever chance picks: enough to end rounds and games."""

    async def choose(self, level: str, view: PlayerView, rng: random.Random) -> SeatAction:
        return greedy(view, rng)


def greedy(view: PlayerView, rng: random.Random) -> SeatAction:
    found = offers(view)
    rng.shuffle(found)
    for kind in (TakePile, LayMelds, Draw):
        some = [action for action in found if isinstance(action, kind)]
        if some:
            return max(some, key=lambda action: len(str(action)))
    rest = [action for action in found if not isinstance(action, AskPartner)]
    return (rest or found)[0]


class FailingStore(SqliteStore):
    """Fails to commit, or to delete told notices, so many times."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.failures: dict[str, int] = {}

    async def commit(self, commit: Commit) -> int:
        self._fail("commit")
        return await super().commit(commit)

    async def told(self, notice_ids: Iterable[int]) -> None:
        self._fail("told")
        await super().told(notice_ids)

    def _fail(self, what: str) -> None:
        if self.failures.get(what):
            self.failures[what] -= 1
            raise StoreError(StoreCode.FULL, "database or disk is full")


class PlainThinker:
    """Draws and discards: no round ends before the stock does."""

    async def choose(self, level: str, view: PlayerView, rng: random.Random) -> SeatAction:
        return plain(view, rng)


def plain(view: PlayerView, rng: random.Random) -> SeatAction:
    found = offers(view)
    simple = [action for action in found if isinstance(action, Draw | Discard)]
    return (simple or found)[0]


async def eventually(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something has become true in the background; `seconds` are for a machine that is busy."""
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < end, "it never came true"
        await asyncio.sleep(0.002)


async def all_told(service: TableService) -> None:
    """Wait until nothing is left to tell, whatever AI seats wait for."""
    await service._telling.chores.settle()


async def all_done(service: TableService, clock: StillClock) -> None:
    """Wait until every alarm that has come is dealt with, AI seats have moved, and all is told."""
    end = asyncio.get_running_loop().time() + 30.0
    while True:
        await service.settle()
        times = [await service._store.earliest_alarm(), service._alarm._until]
        if not any(when is not None and when <= clock.now() for when in times) and not (
            service._running or service._ai.chores.busy or service._telling.chores.busy
        ):
            return
        assert asyncio.get_running_loop().time() < end, "it never came to rest"
        await asyncio.sleep(0.001)


def turn_of(table: Table) -> tuple[int, Person]:
    """Whose turn it is at a table of these four."""
    assert table.state is not None
    seat = table.state.public.turn
    return seat, FOUR[seat]


async def whats(service: TableService, table_id: int) -> list[What]:
    """What the log of a table records, oldest first."""
    return [entry.what for entry in await service.log(table_id)]


async def four_at_table(service: TableService, profile: str = "classic", **options: object) -> Table:
    """A running game of four persons: the table begins when the last one sits down."""
    table = await service.create(GUILD, CHANNEL, ANN, profile, **options)
    for person in (BEN, CAT, DAN):
        table = await service.join(table.id, person)
    return table


async def assert_log_gives_snapshot(service: TableService, table_id: int) -> None:
    table = await service.get(table_id)
    entries = await service.log(table_id)
    assert [entry.version for entry in entries] == list(range(1, table.version + 1))
    if table.state is None:
        assert all(entry.action is None for entry in entries)
        return
    assert state_hash(replay(entries, table.rules)) == state_hash(table.state)


async def play_on(
    service: TableService,
    table_id: int,
    rng: random.Random,
    *,
    until: Callable[[Table], bool] = lambda table: table.stage is Stage.ENDED,
    choose: Callable[[PlayerView, random.Random], SeatAction] = greedy,
    most: int = 20_000,
) -> Table:
    """The persons at a table act whenever it is their turn, and deal the next round at once."""
    for _ in range(most):
        table = await service.get(table_id)
        if until(table):
            return table
        assert table.state is not None
        if table.state.public.phase is Phase.ROUND_OVER:
            await service.next_round(table_id, Person(table.people[0].user_id or 0, table.people[0].name))
            continue
        persons = [
            (seat, sitter.user_id)
            for seat in who_acts(table.state.public)
            if (sitter := table.sitter(seat)) is not None and sitter.user_id is not None
        ]
        if not persons:
            await service.settle()
            continue
        seat, user_id = persons[0]
        await service.act(table_id, user_id, choose(table.view(seat), rng), table.version)
    raise AssertionError(f"no end after {most} moves")
