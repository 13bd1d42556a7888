"""What somebody may do in the channel or thread of a table, by what Discord has told of it.

A thread has the rights of its channel. Of one that was put away Discord tells only who asks, so `learn` asks,
once for each; the memory of it is the process's own.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

import discord

from cogs.answers import NETWORK, describe, may_pass

log = logging.getLogger(__name__)

KEPT: Final = 10_000
"""Threads, and places that are gone, that are remembered at most."""


@dataclass(frozen=True, slots=True)
class _Thread:
    parent_id: int
    closed: bool
    """Its members alone see it. One that the bot closed itself, so that those who play the same packs
    elsewhere are kept from it, is no secret from the others of its channel."""

    @classmethod
    def of(cls, thread: discord.Thread) -> _Thread:
        return cls(thread.parent_id, thread.is_private() and thread.owner_id != thread.guild.me.id)


_Known = OrderedDict[int, _Thread | None]
"""By id; None for what is gone, or shut to the bot."""
_known: Final[WeakKeyDictionary[discord.Client, _Known]] = WeakKeyDictionary()


def rights_in(interaction: discord.Interaction[Any], channel_id: int) -> discord.Permissions | None:
    """What the person may do in a channel or thread of the server; None when that cannot be told.

    Nothing is asked of Discord. Who is a member of a closed thread is not known outside of it: there it
    counts as seen by who may manage threads only.
    """
    if channel_id == interaction.channel_id:
        return interaction.permissions
    guild, user = interaction.guild, interaction.user
    if guild is None or not isinstance(user, discord.Member):
        return None
    found = guild.get_channel_or_thread(channel_id)
    known = _known.get(interaction.client)
    thread = None if known is None else known.get(channel_id)
    if isinstance(found, discord.Thread):
        thread = _Thread.of(found)
    place = found if thread is None else guild.get_channel(thread.parent_id)
    if place is None:
        return None
    allowed = place.permissions_for(user)
    if thread is not None and thread.closed and not allowed.manage_threads:
        allowed.view_channel = False
    return allowed


async def learn(interaction: discord.Interaction[Any], channel_ids: Iterable[int]) -> None:
    """Ask Discord for those of some places of which it has told nothing, once for each.

    What cannot be asked for now stays unknown.
    """
    guild = interaction.guild
    if guild is None or guild.unavailable:
        return
    known = _known.setdefault(interaction.client, OrderedDict())
    unknown = {
        channel_id
        for channel_id in channel_ids
        if channel_id not in known
        and channel_id != interaction.channel_id
        and guild.get_channel_or_thread(channel_id) is None
    }
    await asyncio.gather(*(_ask(guild, channel_id, known) for channel_id in unknown))
    while len(known) > KEPT:
        known.popitem(last=False)


async def _ask(guild: discord.Guild, channel_id: int, known: _Known) -> None:
    try:
        place = await guild.fetch_channel(channel_id)
    except (discord.HTTPException, discord.InvalidData, discord.RateLimited, *NETWORK) as error:
        if not may_pass(error):
            known[channel_id] = None
        log.info("place %s of a table: %s", channel_id, describe(error))
    else:
        known[channel_id] = _Thread.of(place) if isinstance(place, discord.Thread) else None
