"""Reading a date as people type it in their time zone, and offering the likely ones."""

from __future__ import annotations

import contextlib
import logging
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from canasta_core.tables.errors import StoreError
from cogs.autocomplete import Choice, Completion, choices
from cogs.desk import Desk, DeskError, Interaction, locale_of, now
from cogs.ui.layout import name_text
from cogs.ui.text import text
from cogs.ui.times import local

log = logging.getLogger(__name__)

MORNING: Final = time(9)
"""A day without a time is meant from this hour on: who is away until Friday plays again on Friday."""
MOST_DAYS: Final = 3_650
_TIME: Final = re.compile(r"(?:^|[ t,])(\d{1,2})(?::(\d{2})(?::\d{2})?\s*([ap]m)?|\s*([ap]m))$")
_AMOUNT: Final = re.compile(r"(\d{1,4})?\s*([^\W\d_]*)")
_ISO: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DOTTED: Final = re.compile(r"(\d{1,2})\.\s*(\d{1,2})\.?\s*(\d{4})?")
_SLASHED: Final = re.compile(r"(\d{1,2})/(\d{1,2})(?:/(\d{4}))?")
_NAMED: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?\s+([^\W\d_]+)\.?,?\s*(\d{4})?")
_NAMED_FIRST: Final = re.compile(r"([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th|\.)?,?\s*(\d{4})?")
_LEAST: Final = 3
"""Letters at least of a name that is cut short: `aug`, `fri`."""


def until_dates(desk: Desk) -> Completion:
    """The option `until:`: what was typed, where it can be read, and the likely dates."""

    async def complete(interaction: Interaction, typed: str) -> list[Choice]:
        locale, at_home = locale_of(interaction), await here(desk, interaction)
        found = []
        if typed.strip():
            with contextlib.suppress(DeskError):
                found.append(read_until(typed, at_home, locale))
        else:
            found = offers(at_home)
        if not found:
            found = [at for at in offers(at_home) if typed.lower().strip() in date_text(at, locale).lower()]
        return choices([(date_text(at, locale), date_value(at)) for at in found], "")

    return complete


async def here(desk: Desk, interaction: Interaction) -> datetime:
    """The time on the clocks of the person's zone."""
    return local(now(), await zone_of_person(desk, interaction))


async def zone_of_person(desk: Desk, interaction: Interaction) -> str:
    """Name of the zone that they have chosen; UTC when the store cannot say."""
    try:
        return (await desk.service.preferences(interaction.user.id)).zone
    except StoreError as error:
        log.warning("preferences cannot be read: %s", error)
        return "UTC"


@dataclass(frozen=True, slots=True)
class Words:
    """How days and lengths of time are said in a language."""

    weekdays: tuple[str, ...]
    """From Monday."""
    months: tuple[str, ...]
    hours: tuple[str, ...]
    days: tuple[str, ...]
    weeks: tuple[str, ...]
    today: tuple[str, ...]
    tomorrow: tuple[str, ...]
    fillers: tuple[str, ...]
    """Words that change nothing: until, for, next."""


def words_of(locale: str) -> Words:
    """The words of a language, from its file."""

    def every(key: str) -> tuple[str, ...]:
        return tuple(text(locale, key).split())

    return Words(
        every("date-weekdays"),
        every("date-months"),
        every("date-hour-words"),
        every("date-day-words"),
        every("date-week-words"),
        every("date-today-words"),
        every("date-tomorrow-words"),
        every("date-filler-words"),
    )


def read_until(typed: str, now: datetime, locale: str) -> datetime:
    """The moment that somebody means by `3`, `a week`, `friday`, `20 august 18:00` or `2026-08-20`.

    `now` is in the zone of whoever typed it, and so is what comes back. Whether that may be is not judged
    here. Raises DeskError bad_date.
    """
    found = _read(" ".join(typed.lower().split()), now, locale)
    if found is None:
        raise DeskError("bad_date", text=name_text(typed, 40))
    return found


def _read(typed: str, now: datetime, locale: str) -> datetime | None:
    words = words_of(locale)
    fillers = {word.lower() for word in words.fillers}
    typed = " ".join(word for word in typed.split() if word not in fillers)
    at = MORNING
    if (clock := _TIME.search(typed)) is not None:
        read = _time(clock)
        if read is None:
            return None
        at, typed = read, typed[: clock.start()].rstrip(" ,")
    elif (length := _length(typed, words)) is not None:
        return _later(now, length) if length <= timedelta(days=MOST_DAYS) else None
    if clock is not None and not typed:
        # A time alone: when the clocks show it next.
        today = datetime.combine(now.date(), at, now.tzinfo)
        return today if today > now else today + timedelta(days=1)
    try:
        day = _day(typed, now.date(), words, locale)
        return None if day is None else datetime.combine(day, at, now.tzinfo)
    except ValueError:
        # 31 February, or a year that no calendar has.
        return None


def _later(now: datetime, length: timedelta) -> datetime:
    """Days go by the clocks on the wall, hours by those that nobody puts forward or back."""
    days = now + timedelta(days=length.days)
    return (days.astimezone(UTC) + timedelta(seconds=length.seconds)).astimezone(now.tzinfo)


def _time(found: re.Match[str]) -> time | None:
    hour, minute = int(found[1]), int(found[2] or 0)
    half = found[3] or found[4]
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _length(typed: str, words: Words) -> timedelta | None:
    """`3`, `3d`, `2 weeks`, `week`."""
    found = _AMOUNT.fullmatch(typed)
    if found is None or not typed:
        return None
    amount, unit = int(found[1] or 1), found[2]
    if not unit or _among(unit, words.days):
        return timedelta(days=amount)
    if _among(unit, words.weeks):
        return timedelta(weeks=amount)
    return timedelta(hours=amount) if _among(unit, words.hours) else None


def _among(word: str, names: tuple[str, ...]) -> bool:
    return word in {name.lower() for name in names}


def _day(typed: str, today: date, words: Words, locale: str) -> date | None:
    """A day by its name or its date. Raises ValueError for one that no calendar has."""
    if _among(typed, words.today):
        return today
    if _among(typed, words.tomorrow):
        return today + timedelta(days=1)
    weekday = _named(typed, words.weekdays)
    if weekday is not None:
        return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    if (found := _ISO.fullmatch(typed)) is not None:
        return date(int(found[1]), int(found[2]), int(found[3]))
    if (found := _DOTTED.fullmatch(typed)) is not None:
        return _next(today, int(found[1]), int(found[2]), found[3])
    if (found := _SLASHED.fullmatch(typed)) is not None:
        first, second = int(found[1]), int(found[2])
        # The month stands first in the United States, and where it can be nothing else.
        if second > 12 or (locale == "en-US" and first <= 12):
            first, second = second, first
        return _next(today, first, second, found[3])
    if (found := _NAMED.fullmatch(typed)) is not None:
        day, name = found[1], found[2]
    elif (found := _NAMED_FIRST.fullmatch(typed)) is not None:
        name, day = found[1], found[2]
    else:
        return None
    month = _named(name, words.months)
    return None if month is None else _next(today, int(day), month + 1, found[3])


def _named(typed: str, names: tuple[str, ...]) -> int | None:
    """Which name somebody means, who may have cut it short."""
    if len(typed) < _LEAST:
        return None
    fitting = [place for place, name in enumerate(names) if name.lower().startswith(typed)]
    return fitting[0] if len(fitting) == 1 else None


def _next(today: date, day: int, month: int, year: str | None) -> date:
    """A date; without a year the next one."""
    if year:
        return date(int(year), month, day)
    this = date(today.year, month, day)
    return this if this >= today else date(today.year + 1, month, day)


def offers(now: datetime) -> list[datetime]:
    """Dates that somebody who goes away is likely to mean: each day of a week, then later ones."""
    days = [*range(1, 8), 10, 13]
    return [datetime.combine(now.date() + timedelta(days=day), MORNING, now.tzinfo) for day in days]


def date_text(at: datetime, locale: str) -> str:
    """`Friday 5 June, 09:00`, where Discord shows no timestamps."""
    words = words_of(locale)
    return text(
        locale,
        "date-day",
        weekday=words.weekdays[at.weekday()],
        day=str(at.day),
        month=words.months[at.month - 1],
        time=at.strftime("%H:%M"),
    )


def date_value(at: datetime) -> str:
    """A date as `read_until` reads it back in any language."""
    return at.strftime("%Y-%m-%d %H:%M")
