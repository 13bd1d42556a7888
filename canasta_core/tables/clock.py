"""Time at a table: the system's clock, and the alarm that rings when a stored deadline has come."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Final

from canasta_core.tables.errors import StoreError
from canasta_core.tables.ports import Clock

log = logging.getLogger(__name__)

RETRY: Final = 30.0
"""Seconds until the alarm tries again when the store, or what it rings for, failed."""


class SystemClock:
    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Alarm:
    """One task that sleeps until the earliest stored deadline, and wakes when an earlier one is stored."""

    def __init__(
        self,
        clock: Clock,
        earliest: Callable[[], Awaitable[float | None]],
        ring: Callable[[float], Awaitable[None]],
    ) -> None:
        """`ring` gets the time, and deals with every deadline up to it."""
        self._clock = clock
        self._earliest = earliest
        self._ring = ring
        self._woken = asyncio.Event()
        self._until: float | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="deadlines")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def stored(self, deadline: float) -> None:
        """Say that a deadline was stored."""
        if self._until is None or deadline < self._until:
            self._woken.set()

    async def _run(self) -> None:
        while True:
            try:
                # While the store is asked, any deadline that is stored wakes.
                self._until = None
                self._woken.clear()
                self._until = await self._earliest()
                now = self._clock.now()
                if self._until is None or self._until > now:
                    await self._sleep(None if self._until is None else self._until - now)
                else:
                    await self._ring(now)
            except StoreError as error:
                log.warning("deadlines wait for the store: %s", error)
                await self._clock.sleep(RETRY)
            except Exception:
                # This task serves every table: a defect in one deadline may not end it.
                log.exception("a deadline could not be dealt with")
                await self._clock.sleep(RETRY)

    async def _sleep(self, seconds: float | None) -> None:
        """Sleep for so long, or until woken."""
        sleepers: list[asyncio.Task[object]] = [asyncio.create_task(self._woken.wait())]
        if seconds is not None:
            sleepers.append(asyncio.create_task(self._clock.sleep(seconds)))
        try:
            await asyncio.wait(sleepers, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for sleeper in sleepers:
                sleeper.cancel()
            await asyncio.gather(*sleepers, return_exceptions=True)
