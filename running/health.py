"""A sign of life in a file, written while the bot runs and removed when it ends in order.

Whatever watches the bot (a container's health check, a timer, a person) reads the file and needs no port.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

EVERY: Final = 30.0
"""Seconds between two signs of life."""
OLD: Final = 120.0
"""Seconds after which a sign of life is none any more."""
PATIENCE: Final = 300.0
"""Seconds without Discord that are nothing unusual: it comes back by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How the bot is. Times are unix seconds."""

    at: float
    """When this was true."""
    pid: int
    version: str
    connected: bool
    """Whether Discord's gateway is there."""
    since: float
    """Since when it is, or is not."""
    last_commit: float | None
    """When something was last stored; None: not since the start."""
    trouble: str
    """Why the database did not work when it was last needed; empty when it did."""
    playing: int
    """Tables with a running game."""
    untold: int
    """Notices that are still to be told."""


class UnreadableError(Exception):
    """There is no sign of life, or none that can be read; the message is one sentence."""


def health_path(database: Path) -> Path:
    """Where it lies unless the settings say otherwise."""
    return database.with_name(f"{database.name}.health")


def write(path: Path, health: Health) -> None:
    """Replace the file as a whole: who reads it finds the old one or the new one. Raises OSError."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(json.dumps(asdict(health)) + "\n", encoding="utf-8")
    os.replace(new, path)


def read(path: Path) -> Health:
    """Raises UnreadableError."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Health(**{field.name: said[field.name] for field in fields(Health)})
    except FileNotFoundError:
        raise UnreadableError(f"There is no {path}: the bot does not run, or has not begun yet.") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UnreadableError(f"{path} cannot be read: {error}.") from None


def problems(health: Health, now: float) -> list[str]:
    """What is wrong, a sentence each; nothing when all is well."""
    wrong = []
    age = now - health.at
    if age > OLD:
        wrong.append(f"The last sign of life is {age:.0f} s old (process {health.pid}).")
    if not health.connected and now - health.since > PATIENCE:
        wrong.append(f"There has been no connection to Discord for {now - health.since:.0f} s.")
    if health.trouble:
        wrong.append(f"The database does not work: {health.trouble}.")
    return wrong


async def keep_writing(path: Path, look: Callable[[], Awaitable[Health]]) -> None:
    """Write a sign of life every EVERY seconds until cancelled, and take it away then."""
    failing = False
    try:
        while True:
            health = await look()
            try:
                await _write_whole(path, health)
                failing = False
            except OSError as error:
                if not failing:
                    log.warning("no sign of life can be written to %s: %s", path, error)
                failing = True
            await asyncio.sleep(EVERY)
    finally:
        _take_away(path)


async def _write_whole(path: Path, health: Health) -> None:
    """Write in a thread, and wait for it even when cancelled: a file taken away may not come back."""
    writing = asyncio.ensure_future(asyncio.to_thread(write, path, health))
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait({writing})
        raise


def _take_away(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("the sign of life %s cannot be taken away: %s", path, error)
