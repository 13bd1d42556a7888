"""`scripts/bench --tables 5000`: what thousands of open tables cost, on a real file.

How long a start takes and how much memory, in a process of its own; how long moves take from their call to
the commit while so many a second come in, whether or not those before them are done; how many a second there
can be; and what one move costs with few and many tables, with short and long logs. Every move is a person's,
at a table picked by chance, and includes loading that table, looking at it and choosing the move; everything
is told to a teller that takes its time and remembers its messages, as Discord's does.
"""

import argparse
import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench_file import Deaf, build

from canasta_core.ai import policy
from canasta_core.events import Event
from canasta_core.legality import who_acts
from canasta_core.state import Phase
from canasta_core.tables.model import SLOTS, Notice, Person, Table
from canasta_core.tables.ports import Commit
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from running.memory import look_seldom

SIZES: Final = (100, 1_000)
LOGS: Final = (100, 1_000, 10_000)
NETWORK: Final = 0.15
"""Seconds that telling something takes."""
STEPS: Final = 300
"""Moves whose cost is measured one after the other."""


class CountingStore(SqliteStore):
    """Counts what was stored."""

    commits = 0

    async def commit(self, commit: Commit) -> int:
        table_id = await super().commit(commit)
        self.commits += 1
        return table_id


class Distant(Deaf):
    """A teller whose messages take a while to arrive, and are remembered then."""

    def __init__(self) -> None:
        self.service: TableService | None = None
        self.told = 0

    async def tell(self, table: Table, notice: Notice, events: tuple[Event, ...]) -> None:
        await asyncio.sleep(NETWORK)
        self.told += 1
        if self.service is not None:
            await self.service.remember_message(
                table.id, SLOTS[notice.kind], table.channel_id, notice.id, notice.version
            )


@dataclass
class Crowd:
    """The people of all tables: one of them moves when asked to."""

    service: TableService
    games: list[int]
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    busy: set[int] = field(default_factory=set)

    async def move(self) -> None:
        """Some person at some table does what they have to do."""
        while True:
            table_id = self.games[int(self.rng.random() * len(self.games))]
            if table_id in self.busy:
                continue
            self.busy.add(table_id)
            try:
                if await self._move_at(table_id):
                    return
            finally:
                self.busy.discard(table_id)

    async def _move_at(self, table_id: int) -> bool:
        """False when no person has to act there."""
        table = await self.service.get(table_id)
        if table.state is None:
            return False
        if table.state.public.phase is Phase.ROUND_OVER:
            await self.service.next_round(table_id, Person(table.host_id, "Host"))
            return True
        for seat in who_acts(table.state.public):
            sitter = table.sitter(seat)
            if sitter is not None and sitter.user_id is not None:
                action = policy("medium").choose(table.view(seat), self.rng)
                await self.service.act(table_id, sitter.user_id, action)
                return True
        return False


async def opened(path: Path) -> tuple[CountingStore, TableService, Crowd]:
    store = CountingStore(path)
    await store.open()
    service = TableService(store)
    teller = Distant()
    teller.service = service
    await service.start(teller)
    return store, service, Crowd(service, await store.playing())


async def offered(path: Path, rate: float, seconds: float) -> str:
    """So many moves a second, at times of chance, whether or not those before are done."""
    store, service, crowd = await opened(path)
    took: list[float] = []
    rng = random.Random(5)

    async def move(due: float) -> None:
        await crowd.move()
        took.append(time.perf_counter() - due)

    await asyncio.gather(*(crowd.move() for _ in range(10)))
    before = store.commits
    start, worked = time.perf_counter(), time.process_time()
    due = start
    running: set[asyncio.Task[None]] = set()
    while due < start + seconds:
        due += rng.expovariate(rate)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        running.add(asyncio.create_task(move(due)))
    sent = len(running)
    await asyncio.gather(*running)
    lasted, worked = time.perf_counter() - start, time.process_time() - worked
    stored = store.commits - before
    await service.close()
    await store.close()
    return (
        f"{rate:.0f} moves/s offered for {seconds:.0f} s: {sent / lasted:.0f}/s done, "
        f"{stored / lasted:.0f} commits/s with those of AI seats, the last "
        f"{1000 * (lasted - seconds):.0f} ms after the end · {1000 * worked / sent:.2f} ms of processor "
        f"a move · from call to commit {_spread(took)}"
    )


async def flooded(path: Path, seconds: float, hands: int = 64) -> str:
    """As many moves a second as there can be: so many people, each moving again at once."""
    store, service, crowd = await opened(path)
    took: list[float] = []
    end, worked = time.perf_counter() + seconds, time.process_time()

    async def hand() -> None:
        while (start := time.perf_counter()) < end:
            await crowd.move()
            took.append(time.perf_counter() - start)

    await asyncio.gather(*(hand() for _ in range(hands)))
    worked = time.process_time() - worked
    await service.close()
    await store.close()
    return (
        f"at most {len(took) / seconds:.0f} moves/s ({hands} at once), "
        f"{1000 * worked / len(took):.2f} ms of processor a move: {_spread(took)}"
    )


async def stepped(path: Path, moves: int = STEPS) -> tuple[float, float]:
    """Median seconds of a move, and seconds of processor for each, one after the other."""
    store, service, crowd = await opened(path)
    took = []
    worked = time.process_time()
    for _ in range(moves):
        start = time.perf_counter()
        await crowd.move()
        took.append(time.perf_counter() - start)
    await asyncio.sleep(2 * NETWORK)
    worked = time.process_time() - worked
    await service.close()
    await store.close()
    return statistics.median(took), worked / moves


async def listed(path: Path) -> str:
    """What the busiest server's list costs, and the option `table:`; beside it, all its tables as a whole."""
    store = SqliteStore(path)
    await store.open()
    service = TableService(store)
    busiest = (await service.get(10)).guild_id  # the tenth table is one of its

    async def cost(find: Callable[[int], Coroutine[None, None, Sequence[object]]]) -> tuple[str, int]:
        took, worked, found = [], [], 0
        for _ in range(6):
            start, processor = time.perf_counter(), time.process_time()
            found = len(await find(busiest))
            took.append(1000 * (time.perf_counter() - start))
            worked.append(1000 * (time.process_time() - processor))
        return (
            f"{took[0]:.0f} ms the first time ({worked[0]:.0f} of processor), "
            f"{statistics.median(took[1:]):.1f} ms then ({statistics.median(worked[1:]):.1f})"
        ), found

    glanced, found = await cost(service.glances_in)
    whole, _ = await cost(service.tables_in)
    again, _ = await cost(service.glances_in)
    await store.close()
    return (
        f"the list of a server with {found} tables: {glanced}; its tables as a whole: {whole}; "
        f"its list when they are in memory: {again}"
    )


async def _start(path: Path, began: float) -> None:
    """In a process of its own: the whole bot is loaded, its tables are started, and nobody is told."""
    from bot import create_bot

    loaded = _memory()
    made = create_bot(database=path)
    await made._store.open()
    await made.service.start(Deaf())
    seconds = time.time() - began
    await asyncio.sleep(3.0)
    print(json.dumps({"seconds": seconds, "loaded": loaded, "memory": _memory()}))
    await made.close()


def _memory() -> float:
    """The most memory that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def started(path: Path) -> str:
    command = [sys.executable, __file__, "--start", str(path), "--began", str(time.time())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    found = json.loads(done.stdout)
    return (
        f"start: {found['seconds']:.2f} s from the process's beginning, {found['memory']:.0f} MB at most "
        f"in the first seconds ({found['loaded']:.0f} MB the program alone)"
    )


def _spread(took: list[float]) -> str:
    took = sorted(took)
    p50, p95, p99 = (1000 * took[int(len(took) * part)] for part in (0.5, 0.95, 0.99))
    return f"median {p50:.1f} ms, p95 {p95:.1f}, p99 {p99:.1f}, longest {1000 * took[-1]:.0f}, of {len(took)}"


def measure(tables: int, seconds: float, rate: float, folder: Path, loop: Callable[[], float]) -> None:
    """Print all figures. `loop`: seconds of a turn of the loop that other prices are given in."""
    path = folder / "tables.db"

    def fresh(count: int, log: int | None = None) -> Path:
        for old in folder.glob("tables.db*"):
            if not old.name.endswith(".played"):
                old.unlink()
        build(path, count, log=log)
        return path

    def show(line: Coroutine[None, None, str]) -> None:
        print(asyncio.run(line), flush=True)

    began = time.perf_counter()
    fresh(tables)
    print(
        f"{tables} open tables, {4 * tables} people, {path.stat().st_size / 1e6:.0f} MB, "
        f"made in {time.perf_counter() - began:.0f} s"
    )
    print(started(path), flush=True)
    show(offered(path, rate, seconds))
    show(flooded(path, min(seconds, 10.0)))
    show(listed(path))
    first = 0.0

    def price(what: str) -> None:
        nonlocal first
        turn = min(loop() for _ in range(20))
        median, worked = asyncio.run(stepped(path))
        first = first or worked
        print(
            f"a move {what}: median {1000 * median:.2f} ms; {1000 * worked:.2f} ms of processor, telling "
            f"included, {worked / turn / 1000:.0f} thousand loops, {worked / first:.2f} of the first",
            flush=True,
        )

    price(f"with {tables:6} tables")
    for count in SIZES:
        fresh(count)
        price(f"with {count:6} tables")
    first = 0.0
    for rows in LOGS:
        fresh(100, rows)
        price(f"with logs of {rows:6} rows")


def main(tables: int, seconds: float, rate: float, kept: Path | None, loop: Callable[[], float]) -> None:
    """Measure in a temporary folder, or in one that is `kept`, as the bot runs."""
    look_seldom()
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        measure(tables, seconds, rate, kept, loop)
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(tables, seconds, rate, Path(folder), loop)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--start", type=Path)
    parser.add_argument("--began", type=float)
    given = parser.parse_args()
    look_seldom()
    asyncio.run(_start(given.start, given.began))
