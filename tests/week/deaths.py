"""How a life ends: SIGKILL, at a place that is counted out or at an instant of real time."""

from __future__ import annotations

import asyncio
import functools
import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn, TypeVar

from canasta_core.tables.model import Message
from data.sqlite_store import SqliteStore
from tests.week import world
from tests.week.world import WITH_A_RESULT, Keeper

T = TypeVar("T")

HOWS = (
    "inside a transaction",
    "while SQLite commits",
    "between commit and telling",
    "before a row goes",
    "after a row has gone",
    "before a request",
    "after a request",
    "at a step",
    "at an instant",
    "inside a transaction",
    "between commit and telling",
    "in the start",
    "before a message",
    "after a message",
    "idle",
)
"""Each as often as it stands here.

inside a transaction: before or after one of its statements. while SQLite commits: a random part of a
millisecond after it has begun to. between commit and telling: stored, and nobody knows. before or after a
request: Discord never gets it, or the bot never hears of it; a message is one that the bot posts. at a step:
before some callback of the event loop. before a row goes, after a row has gone: a notice is told, and its row
in the outbox is still there, or is not any more. at an instant: by a timer of real time, wherever Python is
then. in the start: idle, and the next process dies as well, at a step of its start. idle: when there is
nothing to do.
"""
_BY_REAL_TIME = ("at an instant", "while SQLite commits", "at a step", "in the start")
EXACT = tuple(how for how in HOWS if how not in _BY_REAL_TIME)
"""Those that come at the same place in every run of a seed: steps and instants depend on threads."""

_NOT_OURS = (
    "simcord/backend/",
    "simcord/http/",
    "simcord/actors",
    "simcord/gateway",
    "tests/week/coming",
    "tests/week/doing",
    "tests/week/hosting",
    "tests/week/life",
    "tests/week/people",
    "tests/week/world",
)
"""Where a timer may not interrupt: Discord, which does not die, would be torn; so would people's plans."""


class Reaper:
    """Ends this process once, when what it waits for has come."""

    def __init__(self, keeper: Keeper, seed: str) -> None:
        self.keeper = keeper
        self.how = ""
        """What it waits for now; empty: nothing."""
        self._left = 0
        self._rng = random.Random(seed)
        self._loop = asyncio.get_running_loop()
        self._released = threading.Event()
        keeper.around = self._request
        _watch_connections(self)

    def arm(self, how: str, count: int) -> None:
        """Die in such a way, at the `count`-th chance from now on."""
        self.how, self._left = how, count
        match how:
            case "idle":
                self.keeper.die(how)
            case "inside a transaction":
                self._left = self._rng.randint(1, 8 * count)
            case "between commit and telling":
                self._watch("commit", after=True)
            case "before a row goes" | "after a row has gone":
                self._watch("told", after=how.startswith("after"))
            case "at a step" | world.IN_START:
                self._left = self._rng.randint(1, 60 * count)
                self._watch_steps()
            case "at an instant":
                signal.signal(signal.SIGALRM, self._ring)
                signal.setitimer(signal.ITIMER_REAL, self._rng.uniform(0.0005, 0.08 * count))

    def _comes(self) -> bool:
        """Whether this chance is the one."""
        self._left -= 1
        return self._left == 0

    def _request(self, when: str, request: str) -> None:
        if not self.how.startswith(when):
            return
        if self.how.endswith("a message") and not (
            request.startswith("POST /channels/") and request.endswith("/messages")
        ):
            return
        if self._comes():
            self.keeper.die(self.how)

    def statement(self) -> None:
        """A statement of a transaction that writes begins, or has ended. In the thread of the database."""
        if self.how == "inside a transaction" and self._comes():
            self._loop.call_soon_threadsafe(self.keeper.die, self.how)
            time.sleep(60)

    def commits(self) -> None:
        """SQLite is told to commit. In the thread of the database."""
        if self.how == "inside a transaction" and self._comes():
            self._loop.call_soon_threadsafe(self.keeper.die, self.how)
            time.sleep(60)
        if self.how == "while SQLite commits" and self._comes():
            self._loop.call_soon_threadsafe(self._die_committing)
            self._released.wait(60)

    def _die_committing(self) -> NoReturn:
        self.keeper.prepare(self.how)
        self._released.set()
        time.sleep(self._rng.uniform(0, 0.001))
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("survived SIGKILL")

    def _watch(self, name: str, *, after: bool) -> None:
        """Die before or after something that the store does."""
        work = getattr(SqliteStore, name)

        @functools.wraps(work)
        async def killed(store: SqliteStore, *args: Any, **named: Any) -> Any:
            if not after and self._comes():
                self.keeper.die(self.how)
            result = await work(store, *args, **named)
            if after and self._comes():
                self.keeper.die(self.how)
            return result

        setattr(SqliteStore, name, killed)

    def die_with_a_result(self) -> None:
        """Die when the message of a round's or a game's end is remembered, and its row is still there."""
        remember = SqliteStore.remember_message

        @functools.wraps(remember)
        async def killed(store: SqliteStore, table_id: int, slot: str, message: Message) -> None:
            await remember(store, table_id, slot, message)
            if slot in ("round", "game"):
                self.keeper.die(WITH_A_RESULT)

        SqliteStore.remember_message = killed  # type: ignore[method-assign]

    def _watch_steps(self) -> None:
        run = asyncio.Handle._run

        def step(handle: asyncio.Handle) -> None:
            if self._comes():
                self.keeper.die(self.how)
            run(handle)

        asyncio.Handle._run = step  # type: ignore[method-assign, assignment]

    def _ring(self, _: int, frame: FrameType | None) -> None:
        """The timer has run out: die, or a little later where that would tear what does not die."""
        while frame is not None:
            if any(part in frame.f_code.co_filename for part in _NOT_OURS):
                signal.setitimer(signal.ITIMER_REAL, 0.0003)
                return
            frame = frame.f_back
        self.keeper.die(self.how)


def _watch_connections(reaper: Reaper) -> None:
    """Have every connection to SQLite say when it works on a transaction that writes."""
    connect = sqlite3.connect

    class Watched(sqlite3.Connection):
        writes = False

        def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
            if sql.lstrip().upper().startswith("COMMIT"):
                return self._committing(lambda: super(Watched, self).execute(sql, *args))
            if self.writes:
                reaper.statement()
            result = super().execute(sql, *args)
            if self.writes:
                reaper.statement()
            self.writes = self.writes or sql.startswith("BEGIN IMMEDIATE")
            return result

        def executemany(self, sql: str, *args: Any) -> sqlite3.Cursor:
            if self.writes:
                reaper.statement()
            result = super().executemany(sql, *args)
            if self.writes:
                reaper.statement()
            return result

        def commit(self) -> None:
            self._committing(super().commit)

        def _committing(self, commit: Callable[[], T]) -> T:
            if self.writes:
                reaper.commits()
            self.writes = False
            return commit()

        def rollback(self) -> None:
            self.writes = False
            super().rollback()

    def watched(*args: Any, **named: Any) -> Any:
        connection = connect(*args, **{"factory": Watched, **named})
        reaper.keeper.help(connection)
        return connection

    sqlite3.connect = watched
