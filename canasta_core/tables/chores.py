"""Work that is done for one table at a time, in the background."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable

log = logging.getLogger(__name__)


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
