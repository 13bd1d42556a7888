"""`/preferences`: what a person chooses for themselves, at all tables."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final
from weakref import WeakValueDictionary
from zoneinfo import available_timezones

from discord import app_commands

from canasta_core.tables.model import Preferences, Reminders
from cogs.autocomplete import MOST, Choice
from cogs.desk import Desk, DeskError, Interaction, begin, locale_of, now, person_of, selected, show
from cogs.ui.layout import Click, Verb, cut, name_text
from cogs.ui.preferences import (
    NEVER,
    QUIET_FROM,
    QUIET_TO,
    REMINDERS,
    TWO_STEP,
    WORLDWIDE,
    ZONE,
    ZONES,
    preferences_layout,
    with_quiet,
    zone_text,
)
from cogs.ui.text import command_text, text

QUIET_OFFERS: Final = ("22:00-08:00", "23:00-07:00", "00:00-08:00", "21:00-09:00")
_QUIET: Final = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*(?:-|–|to|until|\s)\s*(\d{1,2})(?::(\d{2}))?")
_NO_PLACES: Final = ("Etc/", "posix/", "right/", "SystemV/")


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the command to the tree, and the clicks to the desk."""
    kept = _Preferences()
    desk.handlers[Verb.PREFER] = kept.click

    async def zones(_: Interaction, typed: str) -> list[Choice]:
        """The option `zone:`: likely ones, or all that hold what was typed, with the time there."""
        at = now()
        names = zones_like(await asyncio.to_thread(zone_names), typed) if typed.strip() else list(ZONES)
        return [app_commands.Choice(name=cut(zone_text(name, at), 100), value=name) for name in names[:MOST]]

    async def quiet_hours(interaction: Interaction, typed: str) -> list[Choice]:
        never = text(locale_of(interaction), "preferences-no-quiet")
        found = [(value.replace("-", " – "), value) for value in QUIET_OFFERS] + [(never, NEVER)]
        return [app_commands.Choice(name=name, value=value) for name, value in found if typed in value]

    @tree.command(name="preferences", description=command_text("command-preferences"))
    @app_commands.describe(
        reminders=command_text("option-reminders"),
        quiet=command_text("option-quiet"),
        zone=command_text("option-zone"),
        two_step=command_text("option-two-step"),
        worldwide=command_text("option-worldwide"),
    )
    @app_commands.rename(two_step="two-step")
    @app_commands.choices(
        reminders=[
            app_commands.Choice(name=command_text(f"preferences-reminders-{where}"), value=str(where))
            for where in Reminders
        ]
    )
    @app_commands.autocomplete(zone=zones, quiet=quiet_hours)
    async def preferences(
        interaction: Interaction,
        reminders: str | None = None,
        quiet: str | None = None,
        zone: str | None = None,
        two_step: bool | None = None,
        worldwide: bool | None = None,
    ) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            named: dict[str, Any] = {}
            if reminders is not None:
                named["reminders"] = Reminders(reminders)
            if quiet is not None:
                named["quiet"] = read_quiet(quiet)
            if zone is not None:
                named["zone"] = read_zone(await asyncio.to_thread(zone_names), zone)
            if two_step is not None:
                named["two_step"] = two_step
            if worldwide is not None:
                named["worldwide"] = worldwide
            await kept.change(desk, interaction, lambda before: replace(before, **named))


class _Preferences:
    """Changes of preferences, one after the other for each person: none undoes another made meanwhile."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def click(self, desk: Desk, interaction: Interaction, click: Click) -> None:
        values = selected(interaction)
        value = values[0] if values else ""
        zones = await asyncio.to_thread(zone_names) if click.arg == ZONE else ()
        try:
            await self.change(desk, interaction, lambda before: _after(before, click.arg, value, zones))
        except ValueError:
            raise DeskError("outdated") from None

    async def change(
        self, desk: Desk, interaction: Interaction, after: Callable[[Preferences], Preferences]
    ) -> None:
        """Store what has changed at once, and show all of it as it is now."""
        locale, said = locale_of(interaction), ""
        lock = self._locks.setdefault(interaction.user.id, asyncio.Lock())
        async with lock:
            before = await desk.service.preferences(interaction.user.id)
            chosen = after(before)
            if chosen != before:
                await desk.service.set_preferences(person_of(interaction), chosen)
                said = text(locale, "preferences-kept")
        await show(interaction, preferences_layout(locale, chosen, now(), said))


def _after(before: Preferences, about: str, value: str, zones: Sequence[str]) -> Preferences:
    """Preferences after a click. Raises ValueError for one that is none of ours."""
    if about == REMINDERS:
        return replace(before, reminders=Reminders(value))
    if about in (QUIET_FROM, QUIET_TO):
        return replace(before, quiet=with_quiet(before.quiet, about, value))
    if about == ZONE and value in (*ZONES, *zones):
        return replace(before, zone=value)
    if about == TWO_STEP:
        return replace(before, two_step=not before.two_step)
    if about == WORLDWIDE:
        return replace(before, worldwide=not before.worldwide)
    raise ValueError(about)


def read_quiet(typed: str) -> tuple[int, int] | None:
    """Quiet hours as they are typed: `22-8`, `22:30 – 07:00`, `off`. Raises DeskError bad_quiet."""
    wanted = typed.strip().lower()
    if wanted in (NEVER, "none", "no"):
        return None
    found = _QUIET.fullmatch(wanted)
    if found is not None:
        begins, ends = (int(found[at]) % 24 * 60 + int(found[at + 1] or 0) for at in (1, 3))
        fits = int(found[1]) <= 24 and int(found[3]) <= 24
        if fits and int(found[2] or 0) < 60 and int(found[4] or 0) < 60 and begins != ends:
            return begins, ends
    raise DeskError("bad_quiet", text=name_text(typed, 40))


@lru_cache(maxsize=1)
def zone_names() -> tuple[str, ...]:
    """The time zones that this machine knows, those that are places. Reads files the first time."""
    return tuple(sorted(name for name in available_timezones() if not name.startswith(_NO_PLACES)))


def zones_like(names: tuple[str, ...], typed: str) -> list[str]:
    """Zones whose name holds what was typed; those where a part of it begins so come first."""
    wanted = typed.strip().lower().replace(" ", "_")
    found = [name for name in names if wanted in name.lower()]
    return sorted(
        found, key=lambda name: not any(part.startswith(wanted) for part in name.lower().split("/"))
    )


def read_zone(names: tuple[str, ...], typed: str) -> str:
    """A zone as it is typed: its name in any case, or the only one that it can mean.

    Raises DeskError bad_zone.
    """
    wanted = typed.strip().lower().replace(" ", "_")
    exact = [name for name in names if name.lower() == wanted]
    cities = [name for name in names if name.lower().rpartition("/")[2] == wanted]
    for found in (exact, cities, zones_like(names, typed) if wanted else []):
        if len(found) == 1:
            return found[0]
    raise DeskError("bad_zone", text=name_text(typed, 40))
