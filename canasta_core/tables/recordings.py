"""The requests that give out what was played: records, and games whose packs are dealt again."""

import asyncio
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Coroutine
from typing import Final, TypeVar

from canasta_core.playback import Playback
from canasta_core.record import Record
from canasta_core.state import Phase
from canasta_core.tables import hosting, lobby
from canasta_core.tables.change import Change
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import (
    AWAY_LIMIT,
    DEFAULT_CLOCK,
    Person,
    Stage,
    Table,
)
from canasta_core.tables.ports import Clock, TableStore
from canasta_core.tables.recording import record_of, shuffles

_T = TypeVar("_T")
_Key = tuple[int, int, tuple[str, ...]]
"""Table, finished rounds, names."""

PLAYBACKS_KEPT: Final = 16
"""Games kept in memory that somebody goes through, some 100 kB each."""


class Recordings(ABC):
    """These requests of a TableService.

    The tables that share their packs are a family: one that was played first, and its duplicates.
    """

    _store: TableStore
    _clock: Clock
    _pause: float
    _playbacks: "OrderedDict[_Key, Playback]"

    @abstractmethod
    async def get(self, table_id: int) -> Table: ...

    @abstractmethod
    async def _whole(self, work: Coroutine[None, None, _T]) -> _T: ...

    @abstractmethod
    async def _store_change(self, change: Change) -> Change: ...

    @abstractmethod
    def _check_known(self, user_id: int) -> None: ...

    async def record(self, table_id: int, reader: int | None = None) -> Record:
        """The finished rounds of a table; nothing of a round that runs is in it.

        While the same packs are in play at another table it is closed to everybody. A `reader` (a user id)
        knows these packs from now on, and is on record for it. Raises TableError: no_such_table, no_record,
        packs_in_play.
        """
        return (await self.playback(table_id, reader)).record

    async def playback(self, table_id: int, reader: int | None = None) -> Playback:
        """The same, to be gone through step by step. Raises what `record` does."""
        table = await self.get(table_id)
        for other in await self.family(table):
            if other.id != table.id and other.stage is not Stage.ENDED:
                raise TableError(TableCode.PACKS_IN_PLAY, where=str(other.id))
        # What is finished does not change any more; the names may.
        key = table_id, rounds_over(table), tuple(sitter.name for sitter in table.sitters)
        found = self._playbacks.get(key)
        if found is None:
            rows = await self._store.log(table_id)
            # Some milliseconds for each round: others need not wait for that.
            found = await asyncio.to_thread(lambda: Playback(record_of(table, rows)))
            if found.finished == key[1]:
                self._playbacks[key] = found
        if key in self._playbacks:
            self._playbacks.move_to_end(key)
        if len(self._playbacks) > PLAYBACKS_KEPT:
            self._playbacks.popitem(last=False)
        if reader is not None:
            self._check_known(reader)
            await self._store.note_reader(table_id, reader)
        return found

    async def family(self, table: Table) -> list[Table]:
        """The tables that have the packs of this one, itself among them; the first that was played first."""
        first = table.id if table.duplicate_of is None else table.duplicate_of
        ids = [first, *await self._store.duplicates(first)]
        return [table if one == table.id else await self.get(one) for one in ids]

    async def repeat(
        self,
        table_id: int,
        channel_id: int,
        host: Person,
        *,
        locale: str = "en",
        seat: int | None = 0,
        clock: int | None = DEFAULT_CLOCK,
        undo: bool = True,
        away_limit: int = AWAY_LIMIT,
    ) -> Table:
        """Open a table at which the packs of a game that has ended are dealt again, to other people.

        It has the rules of that game, its lots and the packs of its finished rounds; further rounds are
        dealt by chance. A duplicate of a duplicate is one of the game that was played first. The rest is as
        with `create`. Raises TableError: no_such_table, still_played, no_record, knows_packs,
        no_such_seat, bad_clock.
        """
        first = await self.check_repeatable(table_id, host)
        hosting.check_clock(clock)
        chosen = seat or 0
        lobby.check_seat(chosen, first.rules.seats)
        packs = shuffles(await asyncio.to_thread(record_of, first, await self._store.log(first.id)))
        table = lobby.new_table(
            first.guild_id,
            channel_id,
            host,
            first.rules,
            now=self._clock.now(),
            locale=locale,
            clock=clock,
            undo=undo,
            away_limit=away_limit,
            duplicate_of=first.id,
            packs=packs,
        )
        change = Change(table, table.created_at, self._pause, (host,))
        lobby.open_table(change, host, chosen)
        return (await self._whole(self._store_change(change))).table

    async def check_repeatable(self, table_id: int, host: Person) -> Table:
        """The game whose packs are dealt again when this table is repeated.

        Raises TableError: no_such_table, still_played, no_record, knows_packs.
        """
        named = await self.get(table_id)
        first = named if named.duplicate_of is None else await self.get(named.duplicate_of)
        if first.stage is not Stage.ENDED:
            raise TableError(TableCode.STILL_PLAYED)
        if not rounds_over(first):
            raise TableError(TableCode.NO_RECORD)
        if host.user_id in await self._knowing_family(first.id, None):
            raise TableError(TableCode.KNOWS_PACKS, name=host.name)
        return first

    async def knowing(self, table: Table) -> frozenset[int]:
        """User ids of those who know the packs that are dealt again at a table.

        They sit at another table of its family, or sat there in the game, or have looked at its record. The
        first of a family is one of those tables too: in a cup all are played at the same time.
        """
        first = table.id if table.duplicate_of is None else table.duplicate_of
        return await self._knowing_family(first, table.id)

    async def _knowing_family(self, first: int, but: int | None) -> frozenset[int]:
        others = [one for one in await self.family(await self.get(first)) if one.id != but]
        known = await self._store.readers(one.id for one in others)
        for one in others:
            known |= {
                tenure.user_id
                for tenure in await self._store.tenures(one.id)
                if tenure.user_id is not None
                and (tenure.to_version is None or 0 < one.began < tenure.to_version)
            }
        return frozenset(known)


def rounds_over(table: Table) -> int:
    """How many rounds of a table are finished."""
    if table.state is None:
        return 0
    public = table.state.public
    return public.round_number - (public.phase not in (Phase.ROUND_OVER, Phase.GAME_OVER))
