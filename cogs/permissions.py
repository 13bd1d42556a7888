"""What the bot must be allowed to do where a table is, each thing named when it is missing.

The cards are text and emoji of the application, which need no permission of their own.
"""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from cogs.desk import DeskError, Interaction, locale_of
from cogs.ui.text import text

Place = (
    discord.abc.GuildChannel | discord.Thread | app_commands.AppCommandChannel | app_commands.AppCommandThread
)


def needed(*, in_thread: bool, makes_thread: bool = False) -> tuple[str, ...]:
    """Names of the permissions that a table needs; `makes_thread`: a thread is to be made for it there."""
    sending = "send_messages_in_threads" if in_thread or makes_thread else "send_messages"
    names = ("view_channel", sending, "read_message_history")
    return (*names, "create_public_threads", "manage_threads") if makes_thread else names


def needed_for_cup() -> tuple[str, ...]:
    """The same for the channel of a cup: each of its tables gets a thread that is closed to the others."""
    return (
        *needed(in_thread=False),
        "send_messages_in_threads",
        "create_private_threads",
        "manage_threads",
    )


def missing(allowed: discord.Permissions, names: tuple[str, ...]) -> list[str]:
    """Those of the names that are not allowed."""
    return [name for name in names if not getattr(allowed, name)]


def is_locked(place: Any, allowed: discord.Permissions) -> bool:
    """Whether a place is a locked thread: these take messages only from who may manage threads."""
    return isinstance(place, discord.Thread) and place.locked and not allowed.manage_threads


def is_shut_out(place: Any, allowed: discord.Permissions) -> bool:
    """Whether a place is a private thread that the bot is not in; it cannot write there, whatever the channel
    allows it, but may manage threads.

    Discord tells the bot of the threads that it is in, unless they are archived; whoever writes in one of
    those opens it again.
    """
    if not isinstance(place, discord.Thread) or not place.is_private() or allowed.manage_threads:
        return False
    return place.me is None and place.guild.get_thread(place.id) is None


def check_permissions(interaction: Interaction, *, makes_thread: bool = False) -> None:
    """What a table needs in the channel where a command was used. Raises DeskError."""
    place = interaction.channel
    names = needed(in_thread=isinstance(place, discord.Thread), makes_thread=makes_thread)
    _check(interaction, place, interaction.app_permissions, names)


def check_closed_threads(interaction: Interaction) -> None:
    """What a cup needs in the channel where a command was used: a closed thread for each table.

    Raises DeskError.
    """
    _check(interaction, interaction.channel, interaction.app_permissions, needed_for_cup())


def check_place(interaction: Interaction, channel: Place, *, makes_thread: bool = False) -> None:
    """What a table needs in another channel or thread of this server. Raises DeskError."""
    place = channel if isinstance(channel, discord.abc.GuildChannel | discord.Thread) else channel.resolve()
    guild = interaction.guild
    if place is None or guild is None:
        # Not in the cache: the bot cannot see it, or it is an archived thread.
        _refuse(interaction, ["view_channel"])
        return
    names = needed(in_thread=isinstance(place, discord.Thread), makes_thread=makes_thread)
    _check(interaction, place, place.permissions_for(guild.me), names)


def _check(
    interaction: Interaction, place: Any, allowed: discord.Permissions, names: tuple[str, ...]
) -> None:
    lacking = missing(allowed, names)
    if is_shut_out(place, allowed):
        lacking.append("thread_member")
    if lacking:
        _refuse(interaction, lacking)
    if is_locked(place, allowed):
        raise DeskError("place_locked", channel=f"<#{place.id}>")


def _refuse(interaction: Interaction, names: list[str]) -> None:
    locale = locale_of(interaction)
    raise DeskError("permissions", missing=", ".join(text(locale, f"permission-{name}") for name in names))
