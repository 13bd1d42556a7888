"""What a person has chosen for themselves, as a private message that changes it."""

from __future__ import annotations

from typing import Final

import discord
from discord import ui

from canasta_core.tables.model import Preferences, Reminders
from cogs.ui.layout import MAX_OPTIONS, Click, Layout, Verb, button, option, rows, select, words
from cogs.ui.text import text
from cogs.ui.times import local, time_of_day

REMINDERS: Final = "reminders"
QUIET_FROM: Final = "from"
QUIET_TO: Final = "to"
ZONE: Final = "zone"
TWO_STEP: Final = "two-step"
WORLDWIDE: Final = "worldwide"
"""What a click is about: the argument of its custom id."""

NEVER: Final = "off"
"""Value of «no quiet hours»."""
ZONES: Final = (
    "Pacific/Honolulu",
    "America/Los_Angeles",
    "America/Denver",
    "America/Chicago",
    "America/New_York",
    "America/Caracas",
    "America/Sao_Paulo",
    "America/Argentina/Buenos_Aires",
    "Europe/Lisbon",
    "Europe/London",
    "UTC",
    "Europe/Madrid",
    "Europe/Berlin",
    "Europe/Athens",
    "Europe/Istanbul",
    "Africa/Johannesburg",
    "Asia/Dubai",
    "Asia/Karachi",
    "Asia/Kolkata",
    "Asia/Bangkok",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Pacific/Auckland",
)
"""Zones to choose from at once, from west to east; all others can be typed."""
_HOURS: Final = tuple(range(0, 24 * 60, 60))
_FROM: Final = 22 * 60
_TO: Final = 8 * 60
"""Quiet hours of somebody who has chosen only one end."""


def with_quiet(chosen: tuple[int, int] | None, end: str, value: str) -> tuple[int, int] | None:
    """Quiet hours after one end of them was chosen; the other keeps its time, or gets a likely one.

    Raises ValueError for a value that is none.
    """
    if value == NEVER:
        return None
    minutes = int(value)
    if not 0 <= minutes < 24 * 60:
        raise ValueError(value)
    begins, ends = chosen or (_FROM, _TO)
    if end == QUIET_FROM:
        # No part of the day at all is not what somebody means who moves one end onto the other.
        return minutes, ends if ends != minutes else (minutes + 8 * 60) % (24 * 60)
    return begins if begins != minutes else (minutes - 8 * 60) % (24 * 60), minutes


def preferences_layout(locale: str, chosen: Preferences, now: float, said: str = "") -> Layout:
    """What is chosen, and a control for each; `now` in unix seconds."""
    box: ui.Container[Layout] = ui.Container()
    if said:
        box.add_item(words(said))
        box.add_item(ui.Separator())
    box.add_item(words(_summary(locale, chosen, now)))
    box.add_item(
        select(
            Click(Verb.PREFER, 0, 0, REMINDERS),
            text(locale, "preferences-reminders-choose"),
            [
                option(
                    text(locale, f"preferences-remind-{where}"),
                    where,
                    text(locale, f"preferences-remind-{where}-about"),
                    default=where is chosen.reminders,
                )
                for where in Reminders
            ],
        )
    )
    box.add_item(_hours(locale, QUIET_FROM, chosen.quiet))
    box.add_item(_hours(locale, QUIET_TO, chosen.quiet))
    box.add_item(_zones(locale, chosen.zone, now))
    label = text(locale, "button-two-step-off" if chosen.two_step else "button-two-step-on")
    toggle = button(Click(Verb.PREFER, 0, 0, TWO_STEP), label, style=discord.ButtonStyle.primary)
    seen = text(locale, "button-worldwide-off" if chosen.worldwide else "button-worldwide-on")
    for row in rows([toggle, button(Click(Verb.PREFER, 0, 0, WORLDWIDE), seen)]):
        box.add_item(row)
    return Layout(box)


def _summary(locale: str, chosen: Preferences, now: float) -> str:
    quiet = text(locale, "preferences-quiet-none")
    if chosen.quiet is not None:
        begins, ends = map(time_of_day, chosen.quiet)
        quiet = text(locale, "preferences-quiet", begins=begins, ends=ends)
    return text(
        locale,
        "preferences",
        reminders=text(locale, f"preferences-reminders-{chosen.reminders}"),
        quiet=quiet,
        zone=chosen.zone,
        time=local(now, chosen.zone).strftime("%H:%M"),
        discards=text(locale, "preferences-two-step" if chosen.two_step else "preferences-one-step"),
        shown=text(locale, "preferences-worldwide" if chosen.worldwide else "preferences-server-only"),
    )


def _hours(locale: str, end: str, quiet: tuple[int, int] | None) -> ui.ActionRow[Layout]:
    """One end of the quiet hours, by full hours; the placeholder shows one that was typed more exactly."""
    now = None if quiet is None else quiet[0 if end == QUIET_FROM else 1]
    options = [option(text(locale, "preferences-no-quiet"), NEVER, default=now is None)]
    if end == QUIET_TO:
        options = []
    options += [
        option(
            text(locale, f"preferences-{end}", time=time_of_day(minutes)),
            str(minutes),
            default=minutes == now,
        )
        for minutes in _HOURS
    ]
    if now is None:
        placeholder = text(locale, f"preferences-{end}-choose")
    else:
        placeholder = text(locale, f"preferences-{end}", time=time_of_day(now))
    return select(Click(Verb.PREFER, 0, 0, end), placeholder, options)


def _zones(locale: str, zone: str, now: float) -> ui.ActionRow[Layout]:
    """Zones by what their clocks show, with the one that is chosen among them."""
    names = list(ZONES) if zone in ZONES else [zone, *ZONES]
    options = [
        option(text(locale, "preferences-zone", zone=zone_text(name, now)), name, default=name == zone)
        for name in names[:MAX_OPTIONS]
    ]
    return select(Click(Verb.PREFER, 0, 0, ZONE), text(locale, "preferences-zone-choose"), options)


def zone_text(name: str, now: float) -> str:
    """`14:05 · Europe/Berlin`."""
    return f"{local(now, name).strftime('%H:%M')} · {name.replace('_', ' ')}"
