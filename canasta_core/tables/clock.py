"""Time at a table: the system's clock, and the alarm that rings when a stored time has come."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.ports import Clock

log = logging.getLogger(__name__)

RETRY: Final = 30.0
"""Seconds until the alarm tries again when the store, or one table, failed; a table's pause doubles."""
LONGEST_RETRY: Final = 3600.0
AT_ONCE: Final = 10
"""Tables that may call people without a pause when many are overdue."""
SPACING: Final = 1.0
"""Seconds after each of the others, so that a long downtime does not end in a storm of pings."""
LONGEST_SLEEP: Final = 3600.0
"""Seconds after which the alarm looks at the clock again, though not at the store: the machine may have
slept itself meanwhile, or its clock been put right.
"""
_OF_ONE_TABLE: Final = (StoreCode.DAMAGED, StoreCode.BROKEN)
"""What may be wrong with one table only; anything else is wrong with the whole store."""


class SystemClock:
    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Alarms(Protocol):
    """The stored alarms of all tables: the part of a TableStore that the alarm needs."""

    async def earliest_alarm(self, after: float | None = None) -> float | None: ...

    async def due(self, now: float) -> list[int]: ...


@dataclass(slots=True)
class _Failed:
    """A table that could not be dealt with."""

    cause: str
    times: int
    again: float
    """Not tried before (unix seconds)."""


class Alarm:
    """One task that sleeps until the earliest stored alarm, and wakes when an earlier one is stored."""

    def __init__(self, clock: Clock, stored: Alarms, look: Callable[[int], Awaitable[bool]]) -> None:
        """`look` does what is due at one table, and says whether that calls anybody; when it leaves an
        alarm, that is later.
        """
        self._clock = clock
        self._alarms = stored
        self._look = look
        self._woken = asyncio.Event()
        self._until: float | None = None
        self._failed: dict[int, _Failed] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="alarm")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def stored(self, alarm: float) -> None:
        """Say that an alarm was stored."""
        if self._until is None or alarm < self._until:
            self._woken.set()

    async def _run(self) -> None:
        trouble = ""
        """With the store, as it was logged last."""
        while True:
            try:
                # While the store is asked, any alarm that is stored wakes.
                self._until = None
                self._woken.clear()
                self._until = await self._next()
                now = self._clock.now()
                if self._until is None or self._until > now:
                    await self._sleep(self._until)
                else:
                    await self._ring(now)
                    trouble = ""
            except StoreError as error:
                if str(error) != trouble:
                    log.warning("alarms wait for the store: %s", error)
                trouble = str(error)
                await self._clock.sleep(RETRY)
            except Exception:
                # This task serves every table: no defect may end it.
                log.exception("the alarm failed")
                await self._clock.sleep(RETRY)

    async def _next(self) -> float | None:
        """When there is something to do next; that of tables that failed only when they are tried again."""
        earliest = await self._alarms.earliest_alarm()
        now = self._clock.now()
        if not self._failed or earliest is None or earliest > now:
            return earliest
        due = await self._alarms.due(now)
        self._failed = {table_id: self._failed[table_id] for table_id in due if table_id in self._failed}
        if any(not self._waits(table_id, now) for table_id in due):
            return earliest
        later = await self._alarms.earliest_alarm(now)
        times = [failed.again for failed in self._failed.values()]
        return min(times if later is None else [*times, later], default=None)

    def _waits(self, table_id: int, now: float) -> bool:
        """It failed, and is not tried again yet."""
        failed = self._failed.get(table_id)
        return failed is not None and failed.again > now

    async def _ring(self, now: float) -> None:
        """Deal with every table whose alarm has come, in the order of the alarms.

        Those that call people are spaced; what nobody hears of waits only for those.
        """
        called = 0
        called_last = down = False
        for table_id in await self._alarms.due(now):
            if self._waits(table_id, now):
                continue
            if called_last and called >= AT_ONCE:
                await self._clock.sleep(SPACING)
            called_last, error = await self._try(table_id)
            called += called_last
            was_down, down = down, error is not None and error.code not in _OF_ONE_TABLE
            if error is not None and was_down and down:
                # Two in a row: it is the store, and the next ones would fare no better.
                raise error

    async def _try(self, table_id: int) -> tuple[bool, StoreError | None]:
        """Deal with one table. Whether that called anybody, and what may be wrong with the store.

        Whatever is wrong is noted.
        """
        called = False
        try:
            called = await self._look(table_id)
        except StoreError as error:
            self._fail(table_id, error)
            return called, error
        except Exception as error:  # noqa: BLE001 - the other tables come first; logged once a cause
            self._fail(table_id, error)
        else:
            self._failed.pop(table_id, None)
        return called, None

    def _fail(self, table_id: int, error: Exception) -> None:
        """Try it again after a pause that grows; each cause is logged once."""
        before = self._failed.get(table_id)
        times = 0 if before is None else before.times + 1
        cause = f"{type(error).__name__}: {error}"
        pause = min(LONGEST_RETRY, RETRY * 2.0**times)
        if before is None or before.cause != cause:
            log.error(
                "table %s: what is due could not be done, next try in %.0f s: %s",
                table_id,
                pause,
                cause,
                exc_info=None if isinstance(error, StoreError) else error,
            )
        self._failed[table_id] = _Failed(cause, times, self._clock.now() + pause)

    async def _sleep(self, until: float | None) -> None:
        """Sleep until a time, or until woken."""
        sleepers: list[asyncio.Task[object]] = [asyncio.create_task(self._woken.wait())]
        if until is not None:
            sleepers.append(asyncio.create_task(self._sleep_until(until)))
        try:
            await asyncio.wait(sleepers, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for sleeper in sleepers:
                sleeper.cancel()
            await asyncio.gather(*sleepers, return_exceptions=True)

    async def _sleep_until(self, until: float) -> None:
        while (seconds := until - self._clock.now()) > 0:
            await self._clock.sleep(min(seconds, LONGEST_SLEEP))
