"""The hours in which nothing should make a noise for somebody, in their own time zone."""

from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from canasta_core.tables.model import Preferences

_BEFORE: Final = 60.0
"""Seconds before quiet hours at which what would fall into them comes."""


def is_quiet(preferences: Preferences, at: float) -> bool:
    """Whether a moment (unix seconds) lies in somebody's quiet hours."""
    return _quiet_around(preferences, at) is not None


def out_of_quiet(at: float, start: float, deadline: float, preferences: Preferences) -> float | None:
    """When to remind, if `at` would be best: not in quiet hours, and between `start` and `deadline`.

    What falls into quiet hours comes just before they begin, else when they are over, else not at all.
    All times are unix seconds.
    """
    quiet = _quiet_around(preferences, at)
    candidates = (at,) if quiet is None else (quiet[0] - _BEFORE, quiet[1])
    return next(
        (each for each in candidates if start < each < deadline and not is_quiet(preferences, each)), None
    )


def _quiet_around(preferences: Preferences, at: float) -> tuple[float, float] | None:
    """Begin and end of the quiet hours that hold a moment; the end is not quiet any more.

    Where the clock is put back or forward meanwhile, they are the longest that they can mean.
    """
    if preferences.quiet is None:
        return None
    zone = _zone(preferences.zone)
    begin, end = preferences.quiet
    today = datetime.fromtimestamp(at, zone).date()
    # Quiet hours over midnight began the day before; a change of the clock may shift the border of a day.
    for day in (today - timedelta(days=1), today, today + timedelta(days=1)):
        last_day = day if begin < end else day + timedelta(days=1)
        first, last = min(_moments(day, begin, zone)), max(_moments(last_day, end, zone))
        if first <= at < last:
            return first, last
    return None


def _moments(day: date, minute: int, zone: ZoneInfo) -> tuple[float, float]:
    """Both readings of a local time; they differ where the clock is put back or forward over it."""
    local = datetime.combine(day, time(minute // 60, minute % 60), zone)
    return local.timestamp(), local.replace(fold=1).timestamp()


@lru_cache(maxsize=512)
def _zone(name: str) -> ZoneInfo:
    """A zone that was checked when it was chosen; UTC where this machine does not know it (any more)."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")
