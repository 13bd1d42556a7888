"""The channels that tables are told in: which of them cannot be reached, why, and where else to go.

What is dead is left alone with growing pauses, until a pause is over or an event says that something has
changed. The memory of it is the process's own; that a table's place is lost is stored with the table.
"""

import asyncio
import logging
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import discord

from cogs.answers import describe
from cogs.clicks import Bot
from cogs.permissions import is_locked, missing, needed

log = logging.getLogger(__name__)

FIRST_PAUSE: Final = 300.0
"""Seconds for which a place that refused a message is left alone; each further refusal doubles them."""
LONGEST_PAUSE: Final = 6 * 3600.0

ARCHIVED: Final = 50083
"""A message of an archived thread cannot be changed."""
CLOSED_DMS: Final = frozenset({50007, 50278, 10013, 10007})
"""No direct message to this person: they want none, share no server with the bot, or are gone."""


class Why(StrEnum):
    """Why a place cannot be reached; each has its words, `lost-<why>`."""

    DELETED = "deleted"
    ACCESS = "access"
    """The bot cannot see it, or may not write there."""
    LOCKED = "locked"
    """A thread that is closed, and that the bot may not open."""
    SERVER = "server"
    """The bot is not on the server."""
    REFUSED = "refused"
    """Anything else that Discord will not have there."""


REASONS: Final = {
    10003: Why.DELETED,
    50001: Why.ACCESS,
    50013: Why.ACCESS,
    ARCHIVED: Why.LOCKED,
    160005: Why.LOCKED,
    10004: Why.SERVER,
}


def why_dead(error: discord.HTTPException) -> Why | None:
    """Why a place is dead after this answer to a message sent there; None when it is not the place."""
    if error.code in REASONS:
        return REASONS[error.code]
    return Why.REFUSED if isinstance(error, discord.Forbidden | discord.NotFound) else None


def read_why(lost: str) -> Why:
    """Why a table is lost, from what is stored with it."""
    return Why(lost) if lost in frozenset(Why) else Why.REFUSED


@dataclass(slots=True)
class _Dead:
    guild_id: int
    until: float
    """Time of the loop."""
    times: int
    why: Why


class Places:
    """What is known of places."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._dead: dict[int, _Dead] = {}
        self._parents: dict[int, int] = {}
        """Channels of threads that Discord may not tell of any more."""

    def is_dead(self, channel_id: int) -> bool:
        """Whether nothing is to be sent there now."""
        dead = self._dead.get(channel_id)
        return dead is not None and dead.until > _now()

    def fail(self, guild_id: int, channel_id: int, why: Why, *, certain: bool = False) -> bool:
        """A message was refused there, or would be; whether that is news.

        `certain`: nothing will change that but what Discord tells of.
        """
        dead = self._dead.get(channel_id)
        if dead is not None and dead.until > _now() and dead.why is why and not certain:
            return False
        times = dead.times if dead is not None else 0
        pause = math.inf if certain else min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**times)
        self._dead[channel_id] = _Dead(guild_id, _now() + pause, times + 1, why)
        return dead is None or dead.why is not why

    def why(self, channel_id: int) -> Why:
        """Why a dead place is dead."""
        dead = self._dead.get(channel_id)
        return Why.REFUSED if dead is None else dead.why

    def pause(self, channel_id: int) -> float | None:
        """Seconds until a dead place is tried again; None when it is not dead, or not by itself."""
        dead = self._dead.get(channel_id)
        return None if dead is None or math.isinf(dead.until) else max(0.0, dead.until - _now())

    def dead_in(self, guild_id: int, channel_id: int | None) -> list[int]:
        """The dead places of a server, or the one asked for."""
        return [
            one for one, dead in self._dead.items() if dead.guild_id == guild_id and channel_id in (None, one)
        ]

    def works(self, channel_id: int) -> None:
        """A message was sent there."""
        self._dead.pop(channel_id, None)

    def wake(self, channel_id: int) -> None:
        """Something has changed: the next message may be tried at once. How often it failed is remembered."""
        dead = self._dead.get(channel_id)
        if dead is not None:
            dead.until = _now()

    def looks_open(self, guild_id: int, channel_id: int) -> bool:
        """Whether, by what Discord has told the bot, a message can be sent there. No request is made."""
        guild = self._bot.get_guild(guild_id)
        if guild is None or guild.unavailable:
            return False
        place = guild.get_channel_or_thread(channel_id)
        if place is None:
            return False
        names = needed(in_thread=isinstance(place, discord.Thread))
        allowed = place.permissions_for(guild.me)
        return not missing(allowed, names[:2]) and not is_locked(place, allowed)

    def looks_closed(self, guild_id: int, channel_id: int) -> bool:
        """Whether, by what Discord has told the bot, no message can be sent there.

        Of a thread that was put away it tells nothing: one does not look closed, and not open either.
        """
        guild = self._bot.get_guild(guild_id)
        if guild is None:
            return True
        return guild.get_channel_or_thread(channel_id) is not None and not self.looks_open(
            guild_id, channel_id
        )

    def parent_of(self, channel_id: int) -> int | None:
        """The channel in which a thread is; None for what is no thread, as far as is known."""
        channel = self._bot.get_channel(channel_id)
        if isinstance(channel, discord.Thread):
            self._parents[channel_id] = channel.parent_id
        return self._parents.get(channel_id)

    def remember_parent(self, thread_id: int, parent_id: int) -> None:
        """A thread is about to be forgotten."""
        self._parents[thread_id] = parent_id

    async def unarchive(self, channel_id: int) -> bool:
        """Open a thread that Discord has put away; whether it is open now. Raises what may pass."""
        try:
            thread = self._bot.get_channel(channel_id) or await self._bot.fetch_channel(channel_id)
            if not isinstance(thread, discord.Thread):
                return False
            self._parents[channel_id] = thread.parent_id
            await thread.edit(archived=False)
        except discord.HTTPException as error:
            if error.status == 429 or error.status >= 500:
                raise
            log.info("thread %s stays archived: %s", channel_id, describe(error))
            return False
        return True


def _now() -> float:
    return asyncio.get_running_loop().time()
