"""Work that is done for one table at a time, in the background."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from canasta_core.tables.errors import StoreCode, StoreError, TableError, TellFailed
from canasta_core.tables.ports import Clock

log = logging.getLogger(__name__)

LONGEST_PAUSE: Final = 300.0
"""Seconds between two tries at most; the first pause is one second, and each doubles."""


class Chores:
    """At most one running task a table. A poke while it runs makes it run once more, so none is missed."""

    def __init__(self, name: str, work: Callable[[int], Awaitable[None]]) -> None:
        self._name = name
        self._work = work
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._again: set[int] = set()
        self._closed = False

    def poke(self, table_id: int) -> None:
        """Say that there may be something to do for a table."""
        if self._closed:
            return
        if table_id in self._tasks:
            self._again.add(table_id)
        else:
            self._tasks[table_id] = asyncio.create_task(self._run(table_id), name=f"{self._name} {table_id}")

    async def settle(self) -> None:
        """Wait until there is nothing to do."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())

    async def settle_some(self, table_ids: Iterable[int], seconds: float) -> None:
        """Wait until there is nothing to do for some tables, but not for ever."""
        tasks = [self._tasks[table_id] for table_id in table_ids if table_id in self._tasks]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)

    @property
    def busy(self) -> bool:
        return bool(self._tasks)

    async def close(self) -> None:
        """Stop all tasks where they wait."""
        self._closed = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, table_id: int) -> None:
        try:
            while True:
                self._again.discard(table_id)
                try:
                    await self._work(table_id)
                except Exception:
                    # The work handles what it expects; the rest is a defect, which may not take the
                    # next poke's work with it.
                    log.exception("%s of table %s failed", self._name, table_id)
                # No await between this look and the task's end: a poke comes either before or after.
                if table_id not in self._again:
                    return
        finally:
            del self._tasks[table_id]


class Tries:
    """The tries of one piece of work: what may pass is tried again, after pauses that grow."""

    def __init__(self, clock: Clock, what: str) -> None:
        """`what` names the work in the log."""
        self._clock = clock
        self._what = what
        self._pause = 1.0
        self._logged = False

    def succeeded(self) -> None:
        """A part of it is done: the next failure is a first one."""
        self._pause = 1.0
        self._logged = False

    async def wait(self, error: TellFailed | StoreError | TableError) -> None:
        """Wait after a failure, for as long as it asks for at least."""
        least = error.retry_after if isinstance(error, TellFailed) else 0.0
        pause = max(least, self._pause)
        self._pause = min(LONGEST_PAUSE, 2.0 * self._pause)
        # Once for an outage: it may be long, and all tables have the same.
        level = logging.DEBUG if self._logged else logging.WARNING
        self._logged = True
        defect = isinstance(error, StoreError) and error.code is StoreCode.BROKEN
        log.log(level, "%s waits %.0f s: %s", self._what, pause, error, exc_info=error if defect else None)
        await self._clock.sleep(pause)
