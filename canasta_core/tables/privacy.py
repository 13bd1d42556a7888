"""The requests of somebody who wants to know what is stored about them, or to be forgotten.

Who is forgotten stays in the games of others as a former player: an id below 0 that stands for them in all
games, and no name. So games, standings and ratings of the others stay what they are. Until the last trace is
replaced the store knows whom the id stands for, so that a crash in the middle is made good at the next
start; afterwards nobody does.
"""

import asyncio
import json
import logging
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from canasta_core.playback import Playback
from canasta_core.tables import lobby
from canasta_core.tables.change import Change
from canasta_core.tables.errors import StoreCode, StoreError, TableCode, TableError
from canasta_core.tables.glance import Glance
from canasta_core.tables.model import DAY, Person, Preferences, Stage, Table, What
from canasta_core.tables.own_data import OwnData, mentioned
from canasta_core.tables.ports import Clock, Commit, TableStore
from canasta_core.tables.telling import Telling

log = logging.getLogger(__name__)
_T = TypeVar("_T")

PATIENCE: Final = 10.0
"""Seconds for what a person's tables still have to tell: pings of the person are taken back with it."""
WIPE_EVERY: Final = DAY
"""Seconds from one writing anew of the whole file to the next."""
_UNREADABLE: Final = (StoreCode.DAMAGED, StoreCode.BROKEN)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What became of a person."""

    left: int
    """Tables where they sat."""
    tables: int
    """Tables with which anything about them was stored, those among them."""


class Privacy(ABC):
    """These requests of a TableService."""

    _store: TableStore
    _clock: Clock
    _telling: Telling
    _kept: OrderedDict[int, Table]
    _glanced: dict[int, Glance]
    _known: dict[int, Preferences]
    _playbacks: OrderedDict[tuple[int, int, tuple[str, ...]], Playback]

    def __init__(self) -> None:
        self._forgetting: dict[int, int] = {}
        """Persons who are being forgotten, and the ids that are to stand for them."""
        self._forgetters: dict[int, asyncio.Task[Forgotten]] = {}
        self._wiping: asyncio.Task[None] | None = None
        self._wiped_at = float("-inf")

    @abstractmethod
    async def tables_of(self, user_id: int, guild_id: int | None = None) -> list[Table]: ...

    @abstractmethod
    def _lock(self, table_id: int) -> asyncio.Lock: ...

    @abstractmethod
    async def _whole(self, work: Coroutine[None, None, _T]) -> _T: ...

    @abstractmethod
    async def _change(self, table_id: int, edit: Callable[[Change], None], *people: Person) -> Change: ...

    async def own_data(self, user_id: int) -> OwnData:
        """Everything that is stored about a person, as they may have it. For long lives it takes seconds."""
        data = OwnData(user_id)
        async for kind, rows in self._store.rows_about(user_id):
            data.add(kind, rows, await self._store.names(mentioned(rows)))
        for table in await self.tables_of(user_id):
            data.add_hand(table)
        return data

    async def forget(self, user_id: int) -> Forgotten:
        """Forget a person: they leave all their tables, and a former player is in their place everywhere.

        It goes on when its caller is cancelled, and at the next start after a crash. Nothing that they do
        counts meanwhile (TableError being_forgotten); afterwards they are somebody unknown. Within a day
        what was deleted is gone from the file's unused parts too (`all_wiped`).
        """
        if user_id not in self._forgetting:
            self._forgetting[user_id] = await self._store.begin_forgetting(user_id)
        return await asyncio.shield(self._forgetter(user_id))

    async def all_wiped(self) -> None:
        """Wait until nothing is left of those who were forgotten, also where nobody looks."""
        if self._wiping is not None:
            await asyncio.shield(self._wiping)

    def _forgetter(self, user_id: int) -> "asyncio.Task[Forgotten]":
        """The one task that forgets a person."""
        running = self._forgetters.get(user_id)
        if running is None:
            running = asyncio.create_task(self._forget(user_id), name="forgetting")
            self._forgetters[user_id] = running
            running.add_done_callback(lambda task: self._forgotten(user_id, task))
        return running

    def _forgotten(self, user_id: int, task: "asyncio.Task[Forgotten]") -> None:
        del self._forgetters[user_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            # No id: who is forgotten leaves no trace in the log either.
            log.error("somebody could not be forgotten now, and will be at the next start: %r", error)

    async def _start_privacy(self) -> None:
        """Go on in the background where an earlier process has stopped."""
        self._forgetting.update(await self._store.forgetting())
        for user_id in self._forgetting:
            self._forgetter(user_id)
        self._wipe_soon()

    async def _close_privacy(self) -> None:
        """Stop where it is; the next start goes on."""
        tasks = [*self._forgetters.values(), *([self._wiping] if self._wiping else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _forget(self, user_id: int) -> Forgotten:
        former_id = self._forgetting[user_id]
        seated = await self._store.tables_of(user_id)
        for table_id in seated:
            await self._get_up(table_id, user_id, former_id)
        await self._telling.chores.settle_some(seated, PATIENCE)
        count = 0
        async for page in self._store.tables_naming(user_id):
            for table_id in page:
                await self._get_up(table_id, user_id, former_id)
                await self._whole(self._forget_at(table_id, user_id, former_id))
            count += len(page)
        await self._store.end_forgetting(user_id, former_id)
        self._known.pop(user_id, None)
        # Reads are answered in order: after this one no table that was read before is on its way.
        await self._store.forgetting()
        del self._forgetting[user_id]
        log.info("somebody was forgotten: %d tables left, %d changed", len(seated), count)
        self._wipe_soon()
        return Forgotten(len(seated), count)

    async def _get_up(self, table_id: int, user_id: int, former_id: int) -> None:
        try:
            await self._change(table_id, lambda change: get_up(change, user_id, former_id))
        except StoreError as error:
            if error.code not in _UNREADABLE:
                raise
            log.warning("a table that somebody leaves for good: %s", error)

    async def _forget_at(self, table_id: int, user_id: int, former_id: int) -> None:
        async with self._lock(table_id):
            try:
                await self._store.forget_at(table_id, user_id, former_id)
            finally:
                self._kept.pop(table_id, None)
                self._glanced.pop(table_id, None)
                for key in [key for key in self._playbacks if key[0] == table_id]:
                    del self._playbacks[key]

    def _wipe_soon(self) -> None:
        if self._wiping is None or self._wiping.done():
            self._wiping = asyncio.create_task(self._wipe(), name="wiping")

    async def _wipe(self) -> None:
        """The whole file is written anew, so not for each who is forgotten: at most once a day."""
        while True:
            try:
                if await self._store.is_wiped():
                    return
                await self._clock.sleep(max(0.0, self._wiped_at + WIPE_EVERY - self._clock.now()))
                self._wiped_at = self._clock.now()
                await self._store.wipe()
            except StoreError as error:
                log.warning("what was deleted may still be in unused parts of the file: %s", error)
                self._wiped_at = self._clock.now()

    # What is refused, and not kept, meanwhile

    def _is_being_forgotten(self, user_id: int) -> bool:
        return user_id in self._forgetting

    def _check_known(self, user_id: int) -> None:
        """Raises TableError being_forgotten."""
        if user_id in self._forgetting:
            raise TableError(TableCode.BEING_FORGOTTEN)

    def _check_doers(self, commit: Commit) -> None:
        """Nothing is stored that somebody does who is being forgotten. Raises TableError being_forgotten."""
        if not self._forgetting:
            return
        doers: set[object] = {person.user_id for person in commit.people}
        if not commit.before:
            doers.add(commit.table.host_id)
        for row in commit.log:
            doers |= {row.actor, json.loads(row.detail).get("by")}
        if not doers.isdisjoint(self._forgetting):
            raise TableError(TableCode.BEING_FORGOTTEN)

    def _may_be_kept(self, table: Table) -> bool:
        """Whether nobody is at a table, as it was read, who may be forgotten by now."""
        if not self._forgetting:
            return True
        people: set[int | None] = {table.host_id, *(sitter.user_id for sitter in table.sitters)}
        people.update(invite.user_id for invite in table.invites)
        if table.paused is not None:
            people.add(table.paused.by)
        if table.proposal is not None:
            people.update((table.proposal.by, *table.proposal.agreed))
        return people.isdisjoint(self._forgetting)


def get_up(change: Change, user_id: int, former_id: int) -> None:
    """An edit: a person leaves a table as a former player, is invited to it no more, and not its host."""
    table = change.table
    if table.stage is Stage.ENDED:
        return
    for invite in table.invites:
        if invite.user_id == user_id:
            rest = tuple(one for one in change.table.invites if one != invite)
            change.table = replace(change.table, invites=rest)
            change.step(What.INVITE, actor=former_id, seat=invite.seat, detail={"withdrawn": True})
    seat = table.seat_of(user_id)
    if seat is not None:
        lobby.get_up(change, user_id, seat, actor=former_id)
    elif passed := lobby.pass_host_on(change, user_id, -1):
        # The host of a cup is that of its tables, and may sit at none of them.
        change.step(What.HOST, actor=former_id, detail={"user_id": passed["host"]})
