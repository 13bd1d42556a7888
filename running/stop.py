"""Ending a process in order, within ten seconds whatever hangs.

The first SIGTERM or SIGINT asks for an orderly end: the moves that run are finished and answered, then
everything is closed, each step within its own time. The second ends the process at once. Nothing is lost
either way: a move counts when it is stored, and what was not told is told at the next start.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

log = logging.getLogger(__name__)

LONGEST: Final = 9.0
"""Seconds from the signal until the process ends, in order or not."""
EXIT_CUT_OFF: Final = 4
"""The process did not come to an end in time and was cut off. No stored move is lost."""


async def run_until_stopped(running: Coroutine[Any, Any, None]) -> None:
    """Run until it ends by itself, or a signal asks for it and cancels it; what it leaves open it closes."""
    task = asyncio.ensure_future(running)
    loop = asyncio.get_running_loop()
    stopped = False

    def stop(number: signal.Signals) -> None:
        nonlocal stopped
        if stopped:
            return
        stopped = True
        log.info(
            "%s: running moves are finished, then the bot ends. A second signal ends it at once.", number.name
        )
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)
            # By the operating system, so that it works whatever the process is busy with.
            signal.signal(each, signal.SIG_DFL)
        _cut_off_after(LONGEST)
        task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        # Windows has no such handlers; Ctrl+C raises KeyboardInterrupt there.
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stop, number)
    try:
        await task
    except asyncio.CancelledError:
        if not stopped:
            raise


async def within(seconds: float, what: str, step: Callable[[], Awaitable[None]]) -> bool:
    """Take a step of the end; False, logged, when it failed or did not end in time and was cancelled."""
    task = asyncio.ensure_future(step())
    done, _ = await asyncio.wait({task}, timeout=seconds)
    if not done:
        log.warning("%s did not end within %.1f s and is left", what, seconds)
        task.cancel()
        return False
    if task.cancelled():
        log.error("%s was given up", what)
        return False
    if (error := task.exception()) is not None:
        log.error("%s failed", what, exc_info=error)
        return False
    return True


def _cut_off_after(seconds: float) -> None:
    def cut_off() -> None:
        # Not through sys.stderr, which whatever hangs may hold.
        os.write(2, f"The bot did not end within {seconds:.0f} s and is cut off.\n".encode())
        os._exit(EXIT_CUT_OFF)

    watch = threading.Timer(seconds, cut_off)
    watch.daemon = True
    watch.start()
