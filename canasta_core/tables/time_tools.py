"""The requests that have to do with time, and what time brings about by itself.

Being away, the pause of a table, what people have chosen; clocks that run out, and reminders of them.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from canasta_core.tables import away, expiry
from canasta_core.tables.change import Change
from canasta_core.tables.clock import Alarm
from canasta_core.tables.clocks import alarm, reminder, running_for
from canasta_core.tables.errors import StaleTable
from canasta_core.tables.model import NoticeKind, Person, Preferences, Sitter, Table
from canasta_core.tables.ports import Chance, Clock, NoticeRow, TableStore
from canasta_core.tables.rows import data_text, read_notice, wait_text
from canasta_core.tables.settings import preference_rows, read_preferences
from canasta_core.tables.telling import Telling, untold

_T = TypeVar("_T")
_MOST_KNOWN: Final = 4096
"""People whose preferences are kept in memory."""


class TimeTools(ABC):
    """These requests of a TableService. Each raises TableError, having changed nothing."""

    _store: TableStore
    _clock: Clock
    _chance: Chance
    _telling: Telling
    _alarm: Alarm
    _kept: OrderedDict[int, Table]
    _known: dict[int, Preferences]
    """Preferences by user id, as they are stored."""
    _chosen = 0
    """How often somebody has chosen: what was read before that may be old."""

    @abstractmethod
    async def _change(self, table_id: int, edit: Callable[[Change], None], *people: Person) -> Change: ...

    @abstractmethod
    async def _whole(self, work: Coroutine[None, None, _T]) -> _T: ...

    @abstractmethod
    def _lock(self, table_id: int) -> asyncio.Lock: ...

    @abstractmethod
    async def _stored(self, table_id: int) -> Table: ...

    @abstractmethod
    def _keep(self, table: Table) -> None: ...

    @abstractmethod
    def _check_known(self, user_id: int) -> None: ...

    async def away(self, table_id: int, person: Person, until: float) -> Table:
        """Somebody is away until a time (unix seconds): their clock rests, and nobody pings them.

        Said again it is made longer or shorter. All of it together keeps within the table's limit; what
        is not used, because they are `back` early, is given back. At a seat that an AI player keeps it
        means that they are back, and away. Raises TableError: not_seated, table_ended, bad_date (in the
        past, or more than a year ahead), away_limit.
        """
        return (await self._change(table_id, lambda change: away.away(change, person, until), person)).table

    async def back(self, table_id: int, person: Person) -> Table:
        """Somebody is back, from being away or at the seat that an AI player has kept for them; at any time.

        Raises TableError: not_seated, table_ended, not_away.
        """
        return (await self._change(table_id, lambda change: away.back(change, person), person)).table

    async def pause(self, table_id: int, by: Person, until: float, *, moderator: bool = False) -> Table:
        """The whole table rests until a time (unix seconds), at most 30 days ahead; said again it is moved.

        Clocks keep what they had left, AI players stop, and moves are refused with `paused`. Raises
        TableError: not_host, not_started, table_ended, bad_date.
        """

        def edit(change: Change) -> None:
            away.pause(change, by, until, moderator=moderator)

        return (await self._change(table_id, edit, by)).table

    async def resume(self, table_id: int, by: Person, *, moderator: bool = False) -> Table:
        """The table goes on. Raises TableError: not_host, not_started, table_ended, not_paused."""

        def edit(change: Change) -> None:
            away.resume(change, by, moderator=moderator)

        return (await self._change(table_id, edit, by)).table

    async def preferences(self, user_id: int) -> Preferences:
        """What a person has chosen for themselves; what is stored and damaged counts as not chosen."""
        known = self._known.get(user_id)
        if known is None:
            chosen = self._chosen
            known = read_preferences(await self._store.preferences(user_id))
            if chosen == self._chosen:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[user_id] = known
        return known

    async def set_preferences(self, person: Person, preferences: Preferences) -> None:
        """Choose for oneself, at all tables; clocks that run are reminded of by it from now on.

        Raises TableError being_forgotten, and bad_setting, also for a time zone that is not known.
        """
        self._check_known(person.user_id)
        rows = preference_rows(preferences)
        stored = await self._store.preferences(person.user_id)
        try:
            for key, value in rows.items():
                if stored.get(key) != value:
                    await self._store.set_preference(person.user_id, key, value)
        finally:
            self._chosen += 1
            self._known.pop(person.user_id, None)
        for table_id in await self._store.tables_of(person.user_id):
            await self._wind_reminder(table_id, person.user_id)

    async def _preferences_of(self, sitters: Iterable[Sitter]) -> dict[int, Preferences]:
        """By user id."""
        return {
            sitter.user_id: await self.preferences(sitter.user_id)
            for sitter in sitters
            if sitter.user_id is not None
        }

    # What happens by itself

    async def _look(self, table_id: int) -> bool:
        """Do what is due at a table; its next alarm is later. Whether that calls anybody."""
        unaware = await self._untold(table_id)
        change = await self._change(table_id, lambda change: expiry.ring(change, self._chance, unaware))
        return await self._whole(self._remind(table_id)) if change.is_empty else change.calls

    async def _untold(self, table_id: int) -> set[int]:
        """User ids of those whose clock may have run out before they could be told of it."""
        table = await self._stored(table_id)
        if table.deadline is None or table.deadline > self._clock.now():
            return set()
        return untold([read_notice(row) for row in await self._store.notices(table_id)], table)

    async def _remind(self, table_id: int) -> bool:
        """Remind those whose clock runs if it is time; in any case the alarm is right afterwards.

        Whether anybody is reminded.
        """
        async with self._lock(table_id):
            table = await self._stored(table_id)
            data = None
            if expiry.is_reminder_due(table, self._clock.now()):
                sitters = running_for(table, self._clock.now())
                data = expiry.reminder_data(table, sitters, await self._preferences_of(sitters))
                table = replace(table, reminder=None, wait=replace(table.wait, reminded=True))
            await self._store_reminder(table, data)
        return data is not None

    async def _wind_reminder(self, table_id: int, user_id: int) -> None:
        """Set when a person is reminded of the clock that runs for them, by what they have chosen now."""
        await self._whole(self._wind_and_store(table_id, user_id))

    async def _wind_and_store(self, table_id: int, user_id: int) -> None:
        async with self._lock(table_id):
            table = await self._stored(table_id)
            now = self._clock.now()
            sitters = running_for(table, now)
            is_due = table.reminder is not None and table.reminder <= now
            if is_due or all(sitter.user_id != user_id for sitter in sitters):
                return
            wound = replace(table, reminder=reminder(table, now, await self._preferences_of(sitters)))
            if wound != table:
                await self._store_reminder(wound, None)

    async def _store_reminder(self, table: Table, data: Mapping[str, object] | None) -> None:
        """Store a table of which nothing but its reminder has changed, and a notice of what is due."""
        notice = None
        if data is not None:
            notice = NoticeRow(0, table.id, table.version, NoticeKind.REMINDER, data_text(data))
        rings = alarm(table)
        try:
            done = await self._store.remind(
                table.id,
                table.version,
                reminder=table.reminder,
                alarm=rings,
                wait=wait_text(table.wait),
                notice=notice,
            )
        except BaseException:
            # Whether it was written is uncertain after some errors.
            self._kept.pop(table.id, None)
            raise
        if not done:
            self._kept.pop(table.id, None)
            raise StaleTable(version=table.version)
        self._keep(table)
        if notice is not None:
            self._telling.chores.poke(table.id)
        if rings is not None:
            self._alarm.stored(rings)
