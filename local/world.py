"""The simulated Discord behind the page: one server, one channel, four people, and a clock kept right."""

from __future__ import annotations

import contextvars
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from simcord.env import Env

if TYPE_CHECKING:
    import discord
    from simcord.actors import MemberActor
    from simcord.builders import ChannelHandle

log = logging.getLogger(__name__)

BOT = "Canasta Table"
SERVER = "Canasta"
CHANNEL = "canasta"
VISITOR = "You"
OTHERS = ("Ann", "Ben", "Cleo")

PATIENCE = 0.5
"""Seconds an action waits for the bot to come to rest. What takes longer is on the page when it is done."""

_INSTANT = 0.001
"""Seconds up to which a timer means "as soon as possible"."""

_KEPT_RECORDS = 2_000
"""How many entries of simcord's request and event records are kept; they would grow for ever."""


class LiveEnv(Env):
    """A simcord environment for a bot that goes on by itself, under a clock that `keep_time` keeps right.

    simcord is made for tests: time stands still, and each action waits until the bot has nothing left to do.
    Two things are different here, where a person looks on:

    - Timers get no fallback in real time; they are due when the environment's clock reaches them, and no
      action waits for one. Else a bot that pauses before its next move would hold up every click that long.
    - A bot that has not come to rest in time is no error: it may be thinking, or waiting for something.
    """

    def __init__(self, client: discord.Client) -> None:
        super().__init__(client, check_errors=False, settle_timeout=PATIENCE)
        self._dropped = 0

    def _schedule_timer(
        self,
        record: Any,
        callback: Any,
        args: tuple[Any, ...],
        schedule_context: contextvars.Context | None,
    ) -> None:
        """Leave the timer to the environment's clock; simcord would also set one in real time."""
        if record.when - self._virtual_time <= _INSTANT:
            super()._schedule_timer(record, callback, args, schedule_context)

    async def _settle_internal(
        self,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is simcord's
        idle: float = 0.05,
        dispatch: str | None = None,
        _deadline: float | None = None,
    ) -> None:
        """Wait for the bot to come to rest, but not for ever, and but once for each task that goes on."""
        try:
            await super()._settle_internal(
                timeout=PATIENCE, idle=idle, dispatch=dispatch, _deadline=_deadline
            )
        except TimeoutError as error:
            log.debug("%s", error)
            for task in self._work.tasks:
                if not task.done():
                    self._work.external_waits.setdefault(task, "goes on beside the page")

    async def keep_time(self) -> None:
        """Move the environment's clock up to the real one, and let the bot do what has come due."""
        behind = (datetime.now(UTC) - self.now()).total_seconds()
        if behind <= 0:
            return
        try:
            await self.advance_time(behind)
        except TimeoutError as error:
            log.debug("%s", error)  # much was due at once; the rest is for the next time

    def events(self) -> int:
        """How many requests and events there have been; the page is out of date when it has grown."""
        dropped = len(self.backend.transcript) - _KEPT_RECORDS
        if dropped > _KEPT_RECORDS:
            del self.backend.transcript[:dropped]
            del self.backend.http_requests[:-_KEPT_RECORDS]
            self._dropped += dropped
        return self._dropped + len(self.backend.transcript)


@dataclass(frozen=True, slots=True)
class World:
    """What the page shows: the channel, and who can be looked through the eyes of (the visitor first)."""

    env: LiveEnv
    channel: ChannelHandle
    people: tuple[MemberActor, ...]


def build_world(client: discord.Client) -> World:
    """Make the server, its channel and its people, and set the clock to the present.

    They are made in the same order at the same simulated instant each time, so their ids are the same after
    a restart, and a table from yesterday finds its channel and its players. The messages are gone then, and
    no later one gets the id of one of them.
    """
    env = LiveEnv(client)
    env.backend.edit_bot_profile(BOT)
    owner = env.create_user(VISITOR.lower(), global_name=VISITOR)
    others = [env.create_user(name.lower(), global_name=name) for name in OTHERS]
    guild = env.create_guild(SERVER, owner=owner)
    channel = guild.create_text_channel(
        CHANNEL, topic="/canasta new opens a table, /table shows a running one"
    )
    people = tuple(guild.add_member(user) for user in (owner, *others))
    env.backend.advance_clock((datetime.now(UTC) - env.now()).total_seconds())
    return World(env, channel, people)
