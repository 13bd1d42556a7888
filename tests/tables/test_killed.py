"""A process that dies at the worst moment: nothing lost, nothing twice, what was untold is told."""

import asyncio
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from canasta_core.tables.model import NoticeKind, Table
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.child import FileTeller, Killer
from tests.tables.tools import ANN, GreedyThinker, StillClock, all_told, assert_log_gives_snapshot

PROJECT = Path(__file__).parents[2]


def run_child(
    folder: Path, point: str, count: int, *, kill_after: tuple[int, float] | None = None
) -> list[int]:
    """Let a child play until it dies; the versions that it reported as stored.

    `kill_after`: after how many of its moves, and how many seconds more, it is killed from outside.
    """
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.tables.child"),
            *(str(folder / "canasta.db"), str(folder / "told"), point, str(count)),
        ],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines: list[str] = []
    patience = threading.Timer(60.0, process.terminate)
    patience.start()
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        if kill_after is not None:
            moves, seconds = kill_after
            lines += [process.stdout.readline() for _ in range(1 + moves)]
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        errors = process.stderr.read()
    patience.cancel()
    assert process.returncode == -signal.SIGKILL, errors
    # The last line may be cut off.
    return [int(line.split()[1]) for line in lines if line.startswith("acted") and line.endswith("\n")]


def told(folder: Path) -> list[tuple[str, int]]:
    """Kind and version of each notice that was delivered, of all processes so far."""
    path = folder / "told"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [(line.split()[0], int(line.split()[1])) for line in lines]


async def reopened(folder: Path) -> Table:
    """The table after a restart in which nobody moves; checks that it is whole and all is told."""
    store = SqliteStore(folder / "canasta.db")
    await store.open()
    # It is the moment at which the process died: no clock has run out, and AI seats wait for ever.
    service = TableService(store, clock=StillClock(time.time()), thinker=GreedyThinker(), ai_delay=3600.0)
    teller = FileTeller(folder / "told", Killer("never", 1))
    teller.service = service
    await service.start(teller)
    await all_told(service)
    (table,) = await service.tables_of(ANN.user_id)
    await assert_log_gives_snapshot(service, table.id)
    assert await store.to_tell() == []
    await service.close()
    await store.close()
    return table


@pytest.mark.parametrize("count", [1, 3, 8])
async def test_killed_between_commit_and_telling(tmp_path: Path, count: int) -> None:
    stored = run_child(tmp_path, "tell", count)
    turns = [version for kind, version in told(tmp_path) if kind == NoticeKind.TURN]
    assert len(turns) == count - 1
    table = await reopened(tmp_path)
    assert table.version >= max(stored, default=1)
    after = [version for kind, version in told(tmp_path) if kind == NoticeKind.TURN]
    assert after == [*turns, table.turn_version], "told on start, once"


@pytest.mark.parametrize("count", [2, 7, 20])
async def test_killed_inside_a_commit(tmp_path: Path, count: int) -> None:
    stored = run_child(tmp_path, "commit", count)
    if count < 3:
        assert not stored
    table = await reopened(tmp_path)
    assert table.version >= max(stored, default=1), "what was reported as stored is there"
    turns = Counter(each for each in told(tmp_path) if each[0] == NoticeKind.TURN)
    assert set(turns.values()) <= {1}


@pytest.mark.parametrize("count", [1, 4])
async def test_killed_between_telling_and_deleting(tmp_path: Path, count: int) -> None:
    run_child(tmp_path, "delete", count)
    before = [each for each in told(tmp_path) if each[0] == NoticeKind.TURN]
    assert len(before) == count
    await reopened(tmp_path)
    after = [each for each in told(tmp_path) if each[0] == NoticeKind.TURN]
    assert after == before, "its message was remembered, so it is not sent twice"


async def test_killed_at_any_time_and_again(tmp_path: Path) -> None:
    """Five processes, one after the other, each killed from outside at a moment of chance."""
    rng = random.Random()
    version = 0
    for _ in range(5):
        # However slow the machine is, each comes to a few moves.
        moment = rng.randrange(3, 10), rng.uniform(0.0, 0.05)
        stored = await asyncio.to_thread(run_child, tmp_path, "never", 1, kill_after=moment)
        table = await reopened(tmp_path)
        assert table.version >= max(stored, default=version)
        assert table.version >= version
        version = table.version
    assert version > 20
    turns = Counter(each for each in told(tmp_path) if each[0] == NoticeKind.TURN)
    # Killed between writing TOLD and remembering the message, a turn may come twice, never more.
    assert max(turns.values()) <= 2
    assert sum(count - 1 for count in turns.values()) <= 5
