"""Makes waiting in a simulated Discord exact: see `harness.py` for what that means for tests.

simcord leaves two things to real time, which here belong to virtual time alone:

* Its timers have a real fallback, so that an `asyncio.sleep` shorter than the settle timeout makes each verb
  last that long in reality. `install` takes the fallback away: a timer fires in `advance_time`, and nowhere
  else.
* It takes a task that waits for an `asyncio.Event`, `Condition`, `Queue`, `Lock` or `Semaphore` for one that
  is about to go on, and fails with "bot did not settle". But such a wait ends only by another task's doing.
  When no other task of the bot can go on, it is idle. A task that waits for a thread or a process
  (aiosqlite, an executor) is never idle.
"""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Any

from simcord import _settlement

if TYPE_CHECKING:
    from simcord import Env

# Shorter timers mean "as soon as possible", and keep simcord's real fallback.
_INSTANT = 0.001
_IDLE = {
    asyncio.Event.wait.__code__: "asyncio.Event.wait",
    asyncio.Condition.wait.__code__: "asyncio.Condition.wait",
    asyncio.Queue.get.__code__: "asyncio.Queue.get",
    asyncio.Queue.put.__code__: "asyncio.Queue.put",
    asyncio.Queue.join.__code__: "asyncio.Queue.join",
    asyncio.Lock.acquire.__code__: "asyncio.Lock.acquire",
    asyncio.Semaphore.acquire.__code__: "asyncio.Semaphore.acquire",
}
_simcord_reason = _settlement._park_reason


def _frames(task: asyncio.Task[Any]) -> list[Any]:
    """The frames of a suspended task from the outermost in."""
    frames = []
    coroutine: Any = task.get_coro()
    while (frame := getattr(coroutine, "cr_frame", None)) is not None:
        frames.append(frame)
        coroutine = coroutine.cr_await
    return frames


@functools.wraps(_simcord_reason)
def _park_reason(
    state: Any, task: asyncio.Task[Any], deadline: float, seen: set[int] | None = None
) -> str | None:
    reason = _simcord_reason(state, task, deadline, seen)
    if reason is not None:
        return reason
    waiter = getattr(task, "_fut_waiter", None)
    frames = _frames(task)
    if waiter is None or waiter.done() or not frames:
        return None
    innermost = frames[-1]
    if innermost.f_code in _IDLE:
        return _IDLE[innermost.f_code]
    if innermost.f_code is asyncio.wait_for.__code__:
        # On Python 3.11 wait_for waits for a future of its own; what counts is the task it has made.
        inner = innermost.f_locals.get("fut")
        if isinstance(inner, asyncio.Task) and inner in state.work.tasks:
            return _park_reason(state, inner, deadline)
    return None


def install(env: Env) -> None:
    """Give `env`, which has not been started, exact waits. Idle waits are recognised in the whole process."""
    _settlement._park_reason = _park_reason
    simcord_timer = env._schedule_timer

    def schedule(record: Any, *details: Any) -> None:
        if record.when is None or record.when - env._virtual_time <= _INSTANT:
            simcord_timer(record, *details)

    env._schedule_timer = schedule  # type: ignore[method-assign]


def next_timer(env: Env) -> float | None:
    """The virtual instant at which the next timer of the bot fires."""
    return _settlement._next_virtual_timer(env._settlement_state())
