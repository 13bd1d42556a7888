"""`/canasta settings`: what the people who run a server choose for its tables."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from weakref import WeakValueDictionary

import discord
from discord import app_commands

from canasta_core.profiles import profile_ids
from canasta_core.tables.model import CLOCKS, ServerSettings
from cogs.desk import Desk, DeskError, Interaction, begin, guild_of, locale_of, selected, show
from cogs.permissions import missing, needed
from cogs.ui.layout import Click, Verb
from cogs.ui.settings import NONE, changed_text, settings_layout
from cogs.ui.text import command_text, languages, text

log = logging.getLogger(__name__)

FIELDS: Final = {
    "channels": "channels",
    "roles": "host_roles",
    "profile": "profile",
    "clock": "clock",
    "away": "away_days",
    "language": "locale",
    "threads": "threads",
    "undo": "undo",
}
"""What a control is about, and the field of ServerSettings that it changes."""


def register(desk: Desk, group: app_commands.Group) -> None:
    """Add the command to the group `/canasta`, and its clicks to the desk."""
    desk.handlers[Verb.SETTING] = _Settings().click

    @group.command(name="settings", description=command_text("command-settings"))
    async def settings(interaction: Interaction) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            check_manages(interaction)
            await _show(interaction, await desk.service.server_settings(guild_of(interaction)))


def check_manages(interaction: Interaction) -> None:
    """Only who manages the server changes its settings; Discord itself knows no such rule for a subcommand.

    Raises DeskError.
    """
    if not interaction.permissions.manage_guild:
        raise DeskError("not_manager")


class _Settings:
    """Changes of settings, one after the other for each server: none undoes another made meanwhile."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def click(self, desk: Desk, interaction: Interaction, click: Click) -> None:
        check_manages(interaction)
        guild_id = guild_of(interaction)
        name, _, state = click.arg.partition(" ")
        values = [state] if state else selected(interaction)
        lock = self._locks.setdefault(guild_id, asyncio.Lock())
        async with lock:
            before = await desk.service.server_settings(guild_id)
            after = changed(before, name, values)
            await desk.service.set_server_settings(guild_id, after)
        field = FIELDS[name]
        log.info(
            "guild %s: user %s changed the setting %s from %s to %s",
            guild_id,
            interaction.user.id,
            field,
            _logged(getattr(before, field)),
            _logged(getattr(after, field)),
        )
        await _show(interaction, after, changed_text(locale_of(interaction), name, after))


def changed(settings: ServerSettings, name: str, values: Sequence[str]) -> ServerSettings:
    """The settings with one of them changed to what was chosen.

    Raises DeskError when that is nothing this version offers.
    """
    try:
        match name:
            case "channels":
                return replace(settings, channels=frozenset(map(_id, values)))
            case "roles":
                return replace(settings, host_roles=frozenset(map(_id, values)))
            case "profile":
                return replace(settings, profile=_one_of(values[0], profile_ids()))
            case "clock":
                clock = None if values[0] == NONE else int(values[0])
                if clock in CLOCKS:
                    return replace(settings, clock=clock)
            case "away":
                return replace(settings, away_days=int(values[0]))
            case "language":
                chosen = "" if values[0] == NONE else _one_of(values[0], languages())
                return replace(settings, locale=chosen)
            case "threads":
                return replace(settings, threads=_one_of(values[0], ("on", "off")) == "on")
            case "undo":
                return replace(settings, undo=_one_of(values[0], ("on", "off")) == "on")
    except (ValueError, IndexError):
        raise DeskError("outdated") from None
    raise DeskError("outdated")


def _id(value: str) -> int:
    """Raises ValueError."""
    if not (value.isascii() and value.isdigit() and 0 < int(value) < 2**63):
        raise ValueError(value)
    return int(value)


def _one_of(value: str, known: Sequence[str]) -> str:
    """Raises ValueError."""
    if value not in known:
        raise ValueError(value)
    return value


def _logged(value: object) -> str:
    return " ".join(map(str, sorted(value))) or "all" if isinstance(value, frozenset) else str(value)


async def _show(interaction: Interaction, settings: ServerSettings, said: str = "") -> None:
    guild = interaction.guild
    layout = settings_layout(
        locale_of(interaction),
        settings,
        channels=[one.id for one in guild.channels] if guild else settings.channels,
        roles=[one.id for one in guild.roles] if guild else settings.host_roles,
        closed=_closed(interaction, settings),
        said=said,
    )
    await show(interaction, layout)


def _closed(interaction: Interaction, settings: ServerSettings) -> list[tuple[int, str]]:
    """Chosen channels in which the bot lacks something, with what it lacks."""
    guild, locale = interaction.guild, locale_of(interaction)
    found = []
    for channel_id in sorted(settings.channels) if guild else ():
        channel = guild.get_channel(channel_id) if guild else None
        if guild is None or not isinstance(channel, discord.TextChannel | discord.VoiceChannel):
            continue
        makes_thread = settings.threads and isinstance(channel, discord.TextChannel)
        names = needed(in_thread=False, makes_thread=makes_thread)
        if lacking := missing(channel.permissions_for(guild.me), names):
            found.append((channel_id, ", ".join(text(locale, f"permission-{name}") for name in lacking)))
    return found
