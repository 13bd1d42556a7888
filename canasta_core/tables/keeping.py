"""Tables as they are stored, of which those that were needed last are kept in memory."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

from canasta_core.tables.errors import StoreCode, StoreError, TableCode, TableError
from canasta_core.tables.glance import Glance, glance_at
from canasta_core.tables.model import Table, Tenure
from canasta_core.tables.ports import TableRow, TableStore
from canasta_core.tables.rows import read_glance, read_table

log = logging.getLogger(__name__)

LOADED_TOGETHER: Final = 20
"""Tables of a list that are loaded at a time."""
GLANCED_TOGETHER: Final = 100
GLANCES_KEPT: Final = 8_192
"""Glances kept in memory, some 2 kB each; beyond that they are read anew."""
KEPT: Final = 2_048
"""Tables kept in memory, some 15 kB each; any other is loaded when it is needed."""


class Keeping:
    """These requests of a TableService."""

    _store: TableStore
    _kept: OrderedDict[int, Table]
    """By id, the one that was needed last at the end."""
    _glanced: dict[int, Glance]
    """By id; one counts as long as its version is the table's."""
    _may_be_kept: Callable[[Table], bool]
    """Whether a table, as it was read, may stay in memory."""

    async def get(self, table_id: int) -> Table:
        """A table as it is now. Raises TableError no_such_table; StoreError damaged when it is unreadable."""
        kept = self._kept.get(table_id)
        if kept is not None:
            self._kept.move_to_end(table_id)
            return kept
        found = await self._store.load(table_id)
        if found is None:
            raise TableError(TableCode.NO_SUCH_TABLE)
        return self._loaded(*found)

    async def tables_in(self, guild_id: int, channel_id: int | None = None) -> list[Table]:
        """Tables of a guild, or of one of its channels, that have not ended; oldest first."""
        return await self._all(await self._store.tables_in(guild_id, channel_id))

    async def glances_in(self, guild_id: int) -> list[Glance]:
        """What lists show of the tables of a guild that have not ended; oldest first.

        However many there are, no game is decoded for it. One that cannot be read is left out.
        """
        versions = await self._store.versions_in(guild_id)
        known = [self._glance(each) for each in versions]
        found = {one.id: one for one in known if one is not None and one.version >= versions[one.id]}
        missing = [each for each in versions if each not in found]
        for start in range(0, len(missing), GLANCED_TOGETHER):
            for row, tenures in await self._store.glances(missing[start : start + GLANCED_TOGETHER]):
                try:
                    found[row.id] = self._glanced[row.id] = read_glance(row, tenures)
                except ValueError as error:
                    log.warning("table %d cannot be read: %s", row.id, error)
        if len(self._glanced) > GLANCES_KEPT:
            self._glanced.clear()
        return [found[each] for each in versions if each in found]

    def _glance(self, table_id: int) -> Glance | None:
        """The last that is known of a table without asking the store."""
        glance, table = self._glanced.get(table_id), self._kept.get(table_id)
        if table is not None and (glance is None or glance.version < table.version):
            glance = self._glanced[table_id] = glance_at(table)
        return glance

    async def tables_of(self, user_id: int, guild_id: int | None = None) -> list[Table]:
        """Tables where a person sits that have not ended; oldest first."""
        return await self._all(await self._store.tables_of(user_id, guild_id))

    async def playing(self) -> list[Table]:
        """Tables with a running game, of all guilds; oldest first."""
        return await self._all(await self._store.playing())

    async def _stored(self, table_id: int) -> Table:
        """The table as the store has it: what is kept in memory only saves reading it again."""
        kept = self._kept.get(table_id)
        if kept is not None and kept.version != await self._store.version(table_id):
            self._kept.pop(table_id, None)
        return await self.get(table_id)

    async def _not_before(self, table_id: int, version: int) -> Table:
        """The table as it was stored with `version`, or later."""
        kept = self._kept.get(table_id)
        if kept is not None and kept.version < version:
            self._kept.pop(table_id, None)
        return await self.get(table_id)

    def _keep(self, table: Table) -> None:
        self._kept[table.id] = table
        self._kept.move_to_end(table.id)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def _loaded(self, row: TableRow, tenures: list[Tenure]) -> Table:
        """A table from its rows, unless a newer one is kept by now. Raises StoreError damaged."""
        table_id = row.id
        try:
            table = read_table(row, tenures)
        except ValueError as error:
            raise StoreError(StoreCode.DAMAGED, f"table {table_id} cannot be read: {error}") from error
        newer = self._kept.get(table_id)
        if newer is not None and newer.version >= table.version:
            return newer
        if self._may_be_kept(table):
            self._keep(table)
        return table

    async def _all(self, table_ids: Iterable[int]) -> list[Table]:
        """Those that can be read: one that cannot must not be in the way of all others."""
        wanted = list(table_ids)
        tables = {table_id: table for table_id in wanted if (table := self._kept.get(table_id)) is not None}
        missing = [table_id for table_id in wanted if table_id not in tables]
        # A few at a time: whoever moves meanwhile does not wait for hundreds to be read.
        for start in range(0, len(missing), LOADED_TOGETHER):
            for row, tenures in await self._store.load_all(missing[start : start + LOADED_TOGETHER]):
                try:
                    tables[row.id] = self._loaded(row, tenures)
                except StoreError as error:
                    log.warning("%s", error)
        return [tables[table_id] for table_id in wanted if table_id in tables]
