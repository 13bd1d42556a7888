"""Times in words: moments that Discord shows in the reader's own zone, and lengths of time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cogs.ui.text import text

_MINUTE: Final = 60
_HOUR: Final = 3_600
_DAY: Final = 86_400


def when(at: float) -> str:
    """A moment: `3 June 2026 14:00`, in the zone of whoever reads it."""
    return f"<t:{int(at)}:f>"


def in_how_long(at: float) -> str:
    """`in 5 hours`, as long as somebody looks at it."""
    return f"<t:{int(at)}:R>"


def duration(locale: str, seconds: float) -> str:
    """A length of time in one unit, the largest that fits: `3 days`, `5 hours`, `1 minute`."""
    for unit, key in ((_DAY, "time-days"), (_HOUR, "time-hours")):
        if seconds >= unit:
            return text(locale, key, count=int(seconds // unit))
    return text(locale, "time-minutes", count=max(int(seconds // _MINUTE), 1))


def long_duration(locale: str, seconds: float) -> str:
    """The same with what is left over in the next unit: `13 days 4 hours`."""
    whole = duration(locale, seconds)
    rest = seconds % _DAY if seconds >= _DAY else seconds % _HOUR
    if seconds < _HOUR or rest < (_HOUR if seconds >= _DAY else _MINUTE):
        return whole
    return text(locale, "time-and", first=whole, rest=duration(locale, rest))


def zone_of(name: str) -> ZoneInfo:
    """A time zone by its name; one that this machine does not know counts as UTC."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def local(at: float, zone: str) -> datetime:
    """A moment on the clocks of a time zone."""
    return datetime.fromtimestamp(at, UTC).astimezone(zone_of(zone))


def time_of_day(minutes: int) -> str:
    """Minutes since midnight as a clock shows them: `07:30`."""
    return f"{minutes // 60:02}:{minutes % 60:02}"
