"""The server's settings for its tables: one private message that shows them and changes them."""

from collections.abc import Collection, Sequence
from typing import Any, Final

import discord
from discord import ui

from canasta_core.profiles import profile, profile_ids
from canasta_core.tables.model import CLOCKS, DAY, ServerSettings
from cogs.ui.layout import Click, Layout, Verb, button, cut, option, select, words
from cogs.ui.pings import clock_text
from cogs.ui.text import languages, text
from cogs.ui.times import duration

AWAY_DAYS: Final = (0, 3, 7, 14, 21, 30, 60, 90)
"""Limits of /away that can be chosen, in days."""
NONE: Final = "none"
"""The value of an option that stands for nothing: no clock, nobody's language."""
MOST_WARNED: Final = 5
"""Channels that a warning names."""

_PLACES: Final = [
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.voice,
    discord.ChannelType.forum,
    discord.ChannelType.category,
]
"""Kinds of channels in which tables may be, or the threads of tables."""


def settings_layout(
    locale: str,
    settings: ServerSettings,
    *,
    channels: Collection[int],
    roles: Collection[int],
    closed: Sequence[tuple[int, str]] = (),
    said: str = "",
) -> Layout:
    """The settings with a control for each.

    `channels` and `roles` are those of the server that still exist; `closed` are channels in which the bot
    lacks permissions, with their names; `said` is what has just been changed.
    """
    box: ui.Container[Any] = ui.Container()
    box.add_item(words(text(locale, "settings-title")))
    box.add_item(ui.Separator())
    _add(box, locale, "channels", _channels(locale, sorted(settings.channels & set(channels))))
    if settings.channels and not settings.channels & set(channels):
        box.add_item(words(text(locale, "settings-channels-gone")))
    if closed:
        box.add_item(words(_warning(locale, closed)))
    _add(box, locale, "roles", _roles(locale, sorted(settings.host_roles & set(roles))))
    if settings.host_roles and not settings.host_roles & set(roles):
        box.add_item(words(text(locale, "settings-roles-gone")))
    _add(box, locale, "profile", _profiles(locale, settings.profile))
    _add(box, locale, "clock", _clocks(locale, settings.clock))
    _add(box, locale, "away", _away(locale, settings.away_days))
    if len(languages()) > 1:
        _add(box, locale, "language", _languages(locale, settings.locale))
    toggles = [_toggle(locale, "threads", settings.threads), _toggle(locale, "undo", settings.undo)]
    _add(box, locale, "toggles", ui.ActionRow(*toggles))
    if said:
        # At the end: there it is in sight, and no control moves away under a finger.
        box.add_item(ui.Separator())
        box.add_item(words(said))
    return Layout(box)


def _add(box: ui.Container[Any], locale: str, name: str, row: ui.ActionRow[Any]) -> None:
    box.add_item(words(text(locale, f"settings-{name}")))
    box.add_item(row)


def _warning(locale: str, closed: Sequence[tuple[int, str]]) -> str:
    lines = [
        text(locale, "settings-closed", channel=f"<#{channel}>", missing=names)
        for channel, names in closed[:MOST_WARNED]
    ]
    if len(closed) > MOST_WARNED:
        lines.append(text(locale, "settings-closed-more", count=len(closed) - MOST_WARNED))
    return "\n".join(lines)


def _click(name: str) -> str:
    return Click(Verb.SETTING, 0, 0, name).custom_id


def _channels(locale: str, chosen: Sequence[int]) -> ui.ActionRow[Any]:
    menu: ui.ChannelSelect[Any] = ui.ChannelSelect(
        custom_id=_click("channels"),
        channel_types=_PLACES,
        placeholder=cut(text(locale, "settings-channels-all"), 150),
        min_values=0,
        max_values=25,
        default_values=[discord.SelectDefaultValue(id=one, type=_CHANNEL) for one in chosen[:25]],
    )
    return ui.ActionRow(menu)


def _roles(locale: str, chosen: Sequence[int]) -> ui.ActionRow[Any]:
    menu: ui.RoleSelect[Any] = ui.RoleSelect(
        custom_id=_click("roles"),
        placeholder=cut(text(locale, "settings-roles-all"), 150),
        min_values=0,
        max_values=25,
        default_values=[discord.SelectDefaultValue(id=one, type=_ROLE) for one in chosen[:25]],
    )
    return ui.ActionRow(menu)


_CHANNEL: Final = discord.SelectDefaultValueType.channel
_ROLE: Final = discord.SelectDefaultValueType.role


def _profiles(locale: str, chosen: str) -> ui.ActionRow[Any]:
    return _select(
        locale,
        "profile",
        [option(profile(name).title, name, default=name == chosen) for name in profile_ids()],
    )


def _clocks(locale: str, chosen: int | None) -> ui.ActionRow[Any]:
    return _select(
        locale,
        "clock",
        [
            option(clock_text(locale, clock), NONE if clock is None else str(clock), default=clock == chosen)
            for clock in CLOCKS
        ],
    )


def _away(locale: str, chosen: int) -> ui.ActionRow[Any]:
    days = sorted({*AWAY_DAYS, chosen})
    return _select(
        locale, "away", [option(away_text(locale, one), str(one), default=one == chosen) for one in days]
    )


def _languages(locale: str, chosen: str) -> ui.ActionRow[Any]:
    options = [option(language_text(locale, ""), NONE, default=not chosen)]
    options += [option(language_text(locale, code), code, default=code == chosen) for code in languages()]
    return _select(locale, "language", options)


def _select(locale: str, name: str, options: Sequence[discord.SelectOption]) -> ui.ActionRow[Any]:
    return select(Click(Verb.SETTING, 0, 0, name), text(locale, f"settings-{name}-choose"), options)


def _toggle(locale: str, name: str, on: bool) -> ui.Button[Any]:
    """A button that says how it is now; its click names what it is to be, so that two do not cancel out."""
    return button(
        Click(Verb.SETTING, 0, 0, f"{name} {'off' if on else 'on'}"),
        text(locale, f"settings-{name}-{'on' if on else 'off'}"),
        style=discord.ButtonStyle.success if on else discord.ButtonStyle.secondary,
    )


def away_text(locale: str, days: int) -> str:
    """How long a person may be away from one table in all."""
    return duration(locale, days * DAY) if days else text(locale, "settings-away-none")


def language_text(locale: str, code: str) -> str:
    """A language by its own name; empty: whatever the host speaks."""
    return text(code, "language-name") if code else text(locale, "settings-language-host")


def changed_text(locale: str, name: str, settings: ServerSettings) -> str:
    """What a setting is now, after it has been changed."""
    match name:
        case "channels":
            value = ", ".join(f"<#{one}>" for one in sorted(settings.channels))
            return text(
                locale, "settings-saved-channels", value=value or "none", count=len(settings.channels)
            )
        case "roles":
            value = ", ".join(f"<@&{one}>" for one in sorted(settings.host_roles))
            return text(locale, "settings-saved-roles", value=value or "none", count=len(settings.host_roles))
        case "profile":
            return text(locale, "settings-saved-profile", value=profile(settings.profile).title)
        case "clock":
            return text(locale, "settings-saved-clock", value=clock_text(locale, settings.clock))
        case "away":
            return text(locale, "settings-saved-away", value=away_text(locale, settings.away_days))
        case "language":
            return text(locale, "settings-saved-language", value=language_text(locale, settings.locale))
        case "threads":
            return text(locale, f"settings-saved-threads-{'on' if settings.threads else 'off'}")
    return text(locale, f"settings-saved-undo-{'on' if settings.undo else 'off'}")
