"""What a person and a server have chosen, as texts by key and back.

A stored value that is damaged, or that this version no longer knows, counts as not chosen: it is logged,
and the default stands in for that one. Nothing of this kind may keep a table from being played.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from canasta_core.profiles import profile_ids
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import CLOCKS, Preferences, Reminders, ServerSettings

log = logging.getLogger(__name__)

MINUTES: Final = 24 * 60
"""Of a day."""
MOST_AWAY_DAYS: Final = 365
_LONGEST: Final = 40
"""Characters of a wrong value that a sentence repeats."""

_Coding = tuple[Callable[[Any], str], Callable[[str], Any]]
"""To a text and back; the way back raises ValueError."""


def read_preferences(rows: Mapping[str, str]) -> Preferences:
    """A person's preferences from what is stored of them."""
    return Preferences(**_read(rows, _PREFERENCES))


def preference_rows(preferences: Preferences) -> dict[str, str]:
    """All preferences as they are stored. Raises TableError bad_setting."""
    return _write(preferences, _PREFERENCES)


def read_server_settings(rows: Mapping[str, str]) -> ServerSettings:
    """A server's settings from what is stored of them."""
    return ServerSettings(**_read(rows, _SERVER))


def server_setting_rows(settings: ServerSettings) -> dict[str, str]:
    """All settings of a server as they are stored. Raises TableError bad_setting."""
    return _write(settings, _SERVER)


def is_clock(seconds: int | None) -> bool:
    """Whether a table may have this clock."""
    return seconds in CLOCKS


def _read(rows: Mapping[str, str], codings: Mapping[str, _Coding]) -> dict[str, Any]:
    found = {}
    for key, (_, read) in codings.items():
        if key in rows:
            try:
                found[key] = read(rows[key])
            except ValueError as error:
                log.warning("stored setting %s is passed over: %s", key, error)
    return found


def _write(chosen: Preferences | ServerSettings, codings: Mapping[str, _Coding]) -> dict[str, str]:
    rows = {}
    for key, (write, read) in codings.items():
        value = getattr(chosen, key)
        try:
            rows[key] = write(value)
            read(rows[key])
        except ValueError as error:
            raise TableError(TableCode.BAD_SETTING, setting=key, value=str(value)[:_LONGEST]) from error
    return rows


def _write_flag(value: bool) -> str:
    return "on" if value else "off"


def _read_flag(text: str) -> bool:
    if text not in ("on", "off"):
        raise ValueError(f"neither on nor off: {text!r}")
    return text == "on"


def _write_quiet(value: tuple[int, int] | None) -> str:
    return "" if value is None else "-".join(f"{minute // 60:02}:{minute % 60:02}" for minute in value)


def _read_quiet(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    times = []
    for part in text.split("-"):
        hours, minutes = map(int, part.split(":"))
        if not (0 <= hours < 24 and 0 <= minutes < 60):
            raise ValueError(f"no time of day: {text!r}")
        times.append(hours * 60 + minutes)
    start, end = times
    if start == end:
        raise ValueError(f"neither a part of the day nor none: {text!r}")
    return start, end


def _read_zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, OSError) as error:
        # A name that is a folder of the zone files is an OSError, and some file systems refuse others.
        raise ValueError(f"no time zone: {text!r}") from error
    return text


def _write_ids(value: frozenset[int]) -> str:
    return " ".join(map(str, sorted(value)))


def _read_ids(text: str) -> frozenset[int]:
    ids = frozenset(map(int, text.split()))
    if any(one <= 0 for one in ids):
        raise ValueError(f"no ids: {text!r}")
    return ids


def _read_profile(text: str) -> str:
    if text not in profile_ids():
        raise ValueError(f"no profile: {text!r}")
    return text


def _write_clock(value: int | None) -> str:
    return "none" if value is None else str(value)


def _read_clock(text: str) -> int | None:
    clock = None if text == "none" else int(text)
    if not is_clock(clock):
        raise ValueError(f"no clock: {text!r}")
    return clock


def _read_locale(text: str) -> str:
    if text and not (len(text) <= 12 and text.replace("-", "").isascii() and text.replace("-", "").isalnum()):
        raise ValueError(f"no language: {text!r}")
    return text


def _read_days(text: str) -> int:
    days = int(text)
    if not 0 <= days <= MOST_AWAY_DAYS:
        raise ValueError(f"no number of days: {text!r}")
    return days


_FLAG: Final = (_write_flag, _read_flag)
_IDS: Final = (_write_ids, _read_ids)
_PREFERENCES: Final[Mapping[str, _Coding]] = {
    "reminders": (str, Reminders),
    "quiet": (_write_quiet, _read_quiet),
    "zone": (str, _read_zone),
    "two_step": _FLAG,
    "worldwide": _FLAG,
}
_SERVER: Final[Mapping[str, _Coding]] = {
    "channels": _IDS,
    "profile": (str, _read_profile),
    "clock": (_write_clock, _read_clock),
    "locale": (str, _read_locale),
    "host_roles": _IDS,
    "threads": _FLAG,
    "away_days": (str, _read_days),
    "undo": _FLAG,
}
