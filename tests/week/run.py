"""Runs a week: one process after the other, each on what the last one left, and the judge between them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bot  # noqa: F401 - so that each life begins with everything imported
from tests.week.life import live
from tests.week.plan import Plan
from tests.week.verdict import Verdict
from tests.week.world import load

PATIENCE = 900.0
"""Real seconds for one life."""


@dataclass
class Report:
    """What a week came to."""

    counts: Counter[str]
    wrong: list[str]
    seconds: float

    def lines(self) -> list[str]:
        width = max(map(len, self.counts), default=0)
        return [f"{name:<{width}} {count:>8}" for name, count in sorted(self.counts.items())]


class Broken(Exception):
    """A process ended in a way that nobody had planned."""


def run(folder: Path, plan: Plan, say: Callable[[str], None] = lambda _: None) -> Report:
    """The whole week, in an empty folder. Raises Broken."""
    start = time.monotonic()
    judge = Verdict(folder / "bot.db")
    most = 2 * len(plan.kills) + 2
    for life in range(1, most + 1):
        began = time.monotonic()
        died = _one_life(folder, plan)
        took = time.monotonic() - began
        if not died:
            break
        kept = load(folder / "discord.pickle")
        assert kept is not None
        now = kept[0].backend.clock.elapsed
        how = json.loads((folder / "died").read_text(encoding="utf-8"))["how"]
        found = len(judge.found)
        judge.after_death(now)
        for text in judge.found[found:]:
            say(f"life {life}: {text}")
        judge.found[found:] = [f"after life {life} ({how}): {text}" for text in judge.found[found:]]
        say(f"life {life}: {now / 86400:.2f} d, {took:.1f} s, {kept[1].counts['verbs']} verbs, killed {how}")
    else:
        raise Broken(f"{most} lives, and the week is not over")
    kept = load(folder / "discord.pickle")
    assert kept is not None
    world, week = kept
    judge.at_the_end(week, world.backend)
    counts = week.counts + judge.counts
    return Report(counts, [*week.found, *judge.found], time.monotonic() - start)


def _one_life(folder: Path, plan: Plan) -> bool:
    """Fork a process for one life; whether it was killed as planned. Raises Broken."""
    died = folder / "died"
    before = died.stat().st_mtime_ns if died.exists() else 0
    log = folder / "week.log"
    pid = os.fork()
    if pid == 0:
        _be_the_child(folder, plan, log)
    status = _wait(pid)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        if died.exists() and died.stat().st_mtime_ns != before:
            return True
        raise Broken(f"a process was killed that nobody wanted to kill\n{_tail(log)}")
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
        return False
    raise Broken(f"a process ended with status {status}\n{_tail(log)}")


def _be_the_child(folder: Path, plan: Plan, log: Path) -> None:
    """Live, and never return."""
    code = 1
    try:
        os.setsid()
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(file, 1)
        os.dup2(file, 2)
        asyncio.run(live(folder, plan))
        code = 0
    except BaseException:  # noqa: BLE001 - the parent reads it in the log, and nothing may run on here
        traceback.print_exc()
    finally:
        os._exit(code)


def _wait(pid: int) -> int:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise Broken(f"a life took longer than {PATIENCE} s")


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8")[-6000:]
