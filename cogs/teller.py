"""How tables tell people what has happened: the Teller port, in Discord messages.

Each notice goes to the nearest place that works: the table's channel, for a thread its parent channel, else
a direct message to whom it is for. What is dead (a deleted channel, a missing permission) is left alone for
growing pauses, and the table is told that its place is lost; what may work later is raised as TellFailed. A
table whose telling has failed waits for a turn of its own, so that what has piled up while Discord was away
comes spaced. What is in no outbox (a place that has died or come back, messages that are still to be deleted)
is tried again here, a few times.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Protocol
from weakref import WeakValueDictionary

import discord

from canasta_core.events import Event
from canasta_core.tables.errors import StoreError, TableError, TellFailed
from canasta_core.tables.model import Notice, NoticeKind, Stage, Table, is_former
from canasta_core.tables.service import TableService
from cogs import watch
from cogs.answers import NETWORK, describe, may_pass
from cogs.clicks import Bot
from cogs.notices import Notices, Where, takes_none, told_people, turn_notice
from cogs.places import Places, Why, read_why, why_dead
from cogs.post import Post
from cogs.ui import pings
from cogs.ui.face import face_of

log = logging.getLogger(__name__)

SPACE: Final = 0.1
"""Seconds between two tables that are told after a failure."""
PAUSES: Final = (5.0, 30.0, 120.0, 600.0, 1800.0)
"""Seconds after each failure to do what is in no outbox."""
LEAST: Final = 60.0
"""Seconds between two tries of a dead place at least."""


class Client(Bot, Protocol):
    """A client for which nothing is tried any more when it is closed."""

    def is_closed(self) -> bool: ...


class DiscordTeller:
    """Tells the people of a table in its channel, or as near to it as can be."""

    def __init__(self, bot: Client, service: TableService) -> None:
        self.places = Places(bot)
        self._bot = bot
        self._service = service
        self._post = Post(bot, service, self.places)
        self._notices = Notices(service, self.places, self._post)
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        """One telling of a table at a time, also when a place comes back meanwhile."""
        self._behind: set[int] = set()
        """Tables whose last telling failed."""
        self._next = 0.0
        """When the next of those may be told (time of the loop)."""
        self._waking: dict[int, asyncio.Task[None]] = {}
        """What tries a dead place again, by channel."""
        self._trying: dict[str, asyncio.Task[None]] = {}
        """What tries again what is in no outbox, by what that is."""
        watch.register(bot, self)

    async def tell(self, table: Table, notice: Notice, events: tuple[Event, ...]) -> None:
        """Deliver a notice; see the port. Raises TellFailed."""
        lock = self._locks.get(table.id)
        if lock is None:
            lock = self._locks[table.id] = asyncio.Lock()
        async with lock:
            if table.id in self._behind:
                now = asyncio.get_running_loop().time()
                self._next = max(self._next + SPACE, now)
                await asyncio.sleep(self._next - now)
            self._behind.add(table.id)
            try:
                await self._tell_somewhere(table, notice, events)
            except discord.RateLimited as error:
                raise TellFailed("rate limited", error.retry_after) from error
            except (discord.HTTPException, *NETWORK) as error:
                if may_pass(error):
                    raise TellFailed(describe(error)) from error
                _log_refused(table, notice, error)
            self._behind.discard(table.id)
            if await self._post.is_anything_left(table.id):
                self._try_later(f"deleting messages of table {table.id}", partial(self._clear, table.id))

    async def _tell_somewhere(self, table: Table, notice: Notice, events: Sequence[Event]) -> None:
        """In the table's channel; where that is dead, as near to it as can be."""
        guild_id, channel_id = table.guild_id, table.channel_id
        closed = table.lost and self.places.looks_closed(guild_id, channel_id)
        if closed and not self.places.is_dead(channel_id):
            # An edit may work where no message may be sent, and would prove nothing.
            self.places.fail(guild_id, channel_id, read_why(table.lost))
            self._wake_later(guild_id, channel_id)
        if not self.places.is_dead(channel_id):
            try:
                await self._notices.tell(table, notice, events)
                if table.lost:
                    await self._notices.catch_up(table)
            except discord.HTTPException as error:
                why = why_dead(error)
                if why is None:
                    raise
                if self.places.fail(guild_id, channel_id, why):
                    _log_refused(table, notice, error)
                await self._note_lost(table, why)
            else:
                if table.lost:
                    await self._note_found(table)
                return
        await self._tell_elsewhere(table, notice, events)

    async def _tell_elsewhere(self, table: Table, notice: Notice, events: Sequence[Event]) -> None:
        if notice.kind in (NoticeKind.LOBBY, NoticeKind.BOARD):
            await self._notices.tidy_elsewhere(table, events)
            return
        why = self.places.why(table.channel_id)
        more = pings.elsewhere(face_of(table), why, table.channel_id)
        parent = self.places.parent_of(table.channel_id)
        if parent is not None and not self.places.is_dead(parent):
            try:
                await self._notices.tell_in(table, notice, events, Where(parent, more))
            except discord.HTTPException as error:
                why_parent = why_dead(error)
                if why_parent is None:
                    raise
                if self.places.fail(table.guild_id, parent, why_parent):
                    _log_refused(table, notice, error)
            else:
                return
        if why is Why.SERVER:
            return
        failed: Exception | None = None
        people = _people_of(table, notice)
        for user_id in people:
            try:
                await self._tell_directly(table, notice, events, user_id, more, beside=len(people) > 1)
            except (discord.HTTPException, discord.RateLimited, *NETWORK) as error:
                # The others do not wait for this one; who has been told is not told again.
                if failed is None or may_pass(error):
                    failed = error
        if failed is not None:
            raise failed

    async def _tell_directly(
        self,
        table: Table,
        notice: Notice,
        events: Sequence[Event],
        user_id: int,
        more: str,
        *,
        beside: bool,
    ) -> None:
        try:
            # What no notice of the table calls for was told before, in a place that is gone: without a sound.
            where = Where(await self._post.direct(user_id), more, pings=bool(notice.id), beside=beside)
            if "user_ids" in notice.data:
                notice = replace(notice, data={**notice.data, "user_ids": [user_id]})
            await self._notices.tell_in(table, notice, events, where)
        except discord.HTTPException as error:
            if may_pass(error) or not takes_none(error):
                raise
            log.warning(
                "table %s: %s told nowhere, neither in channel %s nor to user %s: %s",
                table.id,
                notice.kind,
                table.channel_id,
                user_id,
                describe(error),
            )

    # Places that die and come back

    async def lose(self, guild_id: int, channel_id: int | None, why: Why) -> None:
        """A channel is gone, or with None a whole server: tell its tables, and who is waited for there."""
        tables = await self._service.tables_in(guild_id, channel_id)
        for table in tables:
            if self.places.fail(guild_id, table.channel_id, why, certain=True):
                log.warning("table %s: channel %s is lost: %s", table.id, table.channel_id, why)
        for table in tables:
            await self._try(f"losing the place of table {table.id}", partial(self._lose, table, why))

    async def _lose(self, table: Table, why: Why) -> None:
        await self._note_lost(table, why, comes_back=False)
        notice = turn_notice(table)
        turn = await self._post.known(table.id, "turn")
        gone = why is Why.DELETED and turn is not None and turn.channel_id == table.channel_id
        if notice is not None and gone:
            await self._post.forget(table.id, "turn")
            await self._tell_by_itself(table.id, turn_notice)

    async def find(self, guild_id: int, channel_id: int | None = None) -> None:
        """Something has changed in a server, or in one of its channels: try what was dead there.

        Only what seems to be open again, by what Discord has told the bot.
        """
        for dead in self.places.dead_in(guild_id, channel_id):
            if self.places.looks_open(guild_id, dead):
                self.places.wake(dead)
                await self._revive(guild_id, dead)

    async def find_again(self, guild_id: int) -> None:
        """The bot is on a server again: try all its tables that are lost there, and may be found."""
        for table in await self._service.tables_in(guild_id):
            # Of a thread that was put away Discord tells nothing: it is tried.
            lost = table.lost and table.lost != Why.DELETED
            if lost and not self.places.looks_closed(guild_id, table.channel_id):
                self.places.wake(table.channel_id)
                await self._tell_by_itself(table.id, _board_notice)

    async def _revive(self, guild_id: int, channel_id: int) -> None:
        for table in await self._service.tables_in(guild_id, channel_id):
            if self.places.is_dead(channel_id):
                return
            await self._tell_by_itself(table.id, _board_notice)

    async def _tell_by_itself(self, table_id: int, about: Callable[[Table], Notice | None]) -> None:
        """Tell something that is in no outbox, once and as the table is by then."""

        async def tell() -> None:
            table = await self._service.get(table_id)
            notice = about(table)
            if notice is not None and table.stage is not Stage.ENDED:
                await self.tell(table, notice, ())

        what = "turn" if about is turn_notice else "board"
        await self._try(f"telling the {what} of table {table_id}", tell)

    async def _clear(self, table_id: int) -> None:
        if not await self._post.clear(table_id):
            raise TellFailed("Discord does not delete them")

    async def _try(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do what is in no outbox. Where it fails for now, nobody waits for the other tries."""
        if what not in self._trying and (error := await _failure(what, work)) is not None:
            self._try_later(what, work, error)

    def _try_later(
        self, what: str, work: Callable[[], Awaitable[None]], error: TellFailed | StoreError | None = None
    ) -> None:
        if what not in self._trying:
            self._trying[what] = asyncio.create_task(self._try_again(what, work, error), name=what)

    async def _try_again(
        self, what: str, work: Callable[[], Awaitable[None]], error: TellFailed | StoreError | None
    ) -> None:
        try:
            for pause in PAUSES:
                if error is not None:
                    log.warning("%s: %s, next try in %.0f s", what, error, pause)
                await asyncio.sleep(max(pause, error.retry_after if isinstance(error, TellFailed) else 0.0))
                if self._bot.is_closed() or (error := await _failure(what, work)) is None:
                    return
            log.warning("%s: %s, given up", what, error)
        except Exception:
            # A defect in one thing that is told: nobody waits for this task, so it is told to the log.
            log.exception("%s: given up", what)
        finally:
            del self._trying[what]

    def _wake_later(self, guild_id: int, channel_id: int) -> None:
        if channel_id not in self._waking:
            waking = asyncio.create_task(self._wake(guild_id, channel_id), name=f"waking {channel_id}")
            self._waking[channel_id] = waking

    async def _wake(self, guild_id: int, channel_id: int) -> None:
        """Try a dead place again whenever its pause is over."""
        try:
            while (pause := self.places.pause(channel_id)) is not None:
                await asyncio.sleep(max(pause, LEAST))
                if self._bot.is_closed():
                    return
                if self.places.pause(channel_id) == 0.0:
                    try:
                        if not await self._service.tables_in(guild_id, channel_id):
                            return
                        await self._revive(guild_id, channel_id)
                    except StoreError as error:
                        log.warning("channel %s is not tried now: %s", channel_id, error)
        except Exception:
            # As above: else the place would be left alone for good, and nobody would know why.
            log.exception("channel %s is not tried again by itself", channel_id)
        finally:
            del self._waking[channel_id]

    async def _note_lost(self, table: Table, why: Why, *, comes_back: bool = True) -> None:
        """`comes_back`: it may do so without a word."""
        if comes_back:
            self._wake_later(table.guild_id, table.channel_id)
        if table.lost == why or table.stage is Stage.ENDED:
            return
        try:
            await self._service.lose_place(table.id, table.channel_id, why)
        except TableError as error:
            log.info("table %s: its lost place is not noted: %s", table.id, error)

    async def _note_found(self, table: Table) -> None:
        try:
            await self._service.find_place(table.id)
        except TableError as error:
            log.info("table %s: its place is not noted as found: %s", table.id, error)


async def _failure(what: str, work: Callable[[], Awaitable[None]]) -> TellFailed | StoreError | None:
    """Do some work; why it may be tried again, or None."""
    try:
        await work()
    except (TellFailed, StoreError) as error:
        return error
    except TableError as error:
        log.info("%s: %s", what, error)
    return None


def _board_notice(table: Table) -> Notice:
    return Notice(0, table.id, table.version, NoticeKind.BOARD, {})


def _people_of(table: Table, notice: Notice) -> list[int]:
    """The persons whom a notice is for, when it is for some."""
    match notice.kind:
        case NoticeKind.TURN | NoticeKind.STAND_IN | NoticeKind.REPLACED:
            user_id = notice.data.get("user_id")
            return [user_id] if isinstance(user_id, int) else []
        case NoticeKind.QUESTION | NoticeKind.REMINDER:
            return told_people(notice)
        case NoticeKind.GAME_OVER:
            people = [sitter.user_id for sitter in table.people if sitter.user_id is not None]
            return [user_id for user_id in people if not is_former(user_id)]
    return []


def _log_refused(table: Table, notice: Notice, error: Exception) -> None:
    log.warning(
        "table %s: %s not told in channel %s: %s",
        table.id,
        notice.kind,
        table.channel_id,
        describe(error),
    )
