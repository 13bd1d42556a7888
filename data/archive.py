"""Logs of games that ended long ago, packed: one compressed row instead of hundreds.

Nothing is lost. The store reads a packed log as it reads any other; what goes for good is only what such a
table had left to tell, and which messages were its own. The file does not shrink: new games use the room.
"""

import asyncio
import json
import logging
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Final

from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.ports import Clock, LogRow
from data.database import Database

log = logging.getLogger(__name__)

DAY: Final = 86_400.0
PAUSE: Final = 0.1
"""Seconds between two tables: moves come first."""
_AT_ONCE: Final = 100
"""Tables that are looked up in one go."""
_OF_ONE_TABLE: Final = (StoreCode.DAMAGED, StoreCode.BROKEN)
_COLUMNS: Final = tuple(field.name for field in fields(LogRow))


def pack(rows: Sequence[LogRow]) -> bytes:
    """A whole log as one text, compressed."""
    table = {"columns": _COLUMNS, "rows": [list(asdict(row).values()) for row in rows]}
    return zlib.compress(json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode())


def unpack(packed: bytes) -> list[LogRow]:
    """Raises StoreError (damaged)."""
    try:
        table = json.loads(zlib.decompress(packed))
        return [LogRow(**dict(zip(table["columns"], row, strict=True))) for row in table["rows"]]
    except (zlib.error, ValueError, TypeError, KeyError) as error:
        raise StoreError(StoreCode.DAMAGED, f"a packed log cannot be read: {error}") from error


def holds(packed: bytes, text: str) -> bool:
    """Whether a plain text stands in a packed log: a quick look. Raises StoreError (damaged)."""
    try:
        return text.encode() in zlib.decompress(packed)
    except zlib.error as error:
        raise StoreError(StoreCode.DAMAGED, f"a packed log cannot be read: {error}") from error


async def packed_log(database: Database, table_id: int) -> list[LogRow]:
    """The log of a table as it was packed; empty when it was not."""
    rows = await database.fetch("SELECT log FROM archived_logs WHERE table_id = ?", (table_id,))
    return await asyncio.to_thread(unpack, rows[0][0]) if rows else []


class Archiver:
    """Packs the logs of tables that ended so many days ago: at the start, and once a day."""

    def __init__(self, database: Database, clock: Clock, keep_days: int, *, pause: float = PAUSE) -> None:
        self._database = database
        self._clock = clock
        self._keep = keep_days * DAY
        self._pause = pause
        self._last = (-1.0, 0)
        """End and id of the last table that was packed: those before it need no second look."""

    async def run(self) -> None:
        """For ever."""
        while True:
            try:
                count = await self.pack_due()
            except StoreError as error:
                log.warning("old logs are packed tomorrow: %s", error)
            else:
                if count:
                    log.info("packed the logs of %d tables that ended long ago", count)
            await self._clock.sleep(DAY)

    async def pack_due(self) -> int:
        """Pack what is old enough by now, a table at a time; how many there were.

        A table with which something is wrong is passed over, and tried again the next time. Raises
        StoreError when something is wrong with the whole store.
        """
        count = 0
        last, all_packed = self._last, True
        while due := await self._due(last):
            for last in due:
                try:
                    packed = await self._pack(last[1])
                except StoreError as error:
                    if error.code not in _OF_ONE_TABLE:
                        raise
                    log.warning("the log of table %d is not packed: %s", last[1], error)
                    all_packed = False
                    continue
                if all_packed:
                    self._last = last
                if packed:
                    count += 1
                    await self._clock.sleep(self._pause)
        return count

    async def _due(self, last: tuple[float, int]) -> list[tuple[float, int]]:
        rows = await self._database.fetch(
            "SELECT touched_at, id FROM tables"
            " WHERE stage = 'ended' AND touched_at <= ? AND (touched_at, id) > (?, ?)"
            " ORDER BY touched_at, id LIMIT ?",
            (self._clock.now() - self._keep, *last, _AT_ONCE),
        )
        return [(row[0], row[1]) for row in rows]

    async def _pack(self, table_id: int) -> bool:
        """Pack one log; False when there is none left to pack."""
        columns = ", ".join(_COLUMNS)
        select = f"SELECT {columns} FROM table_log WHERE table_id = ? ORDER BY version"  # noqa: S608 - fields of ours
        rows = await self._database.fetch(select, (table_id,))
        if not rows:
            return False
        # Outside the transaction: the log of a table that has ended hardly changes any more.
        packed = await asyncio.to_thread(pack, [LogRow(**dict(row)) for row in rows])

        def replace(db: sqlite3.Connection) -> None:
            if db.execute(select, (table_id,)).fetchall() != rows:
                # Somebody in it was forgotten just now, say: what was packed still knows them.
                raise StoreError(StoreCode.BROKEN, f"the log of table {table_id} changed while it was packed")
            db.execute("INSERT INTO archived_logs VALUES (?, ?, ?)", (table_id, len(rows), packed))
            db.execute("DELETE FROM table_log WHERE table_id = ?", (table_id,))
            db.execute("DELETE FROM outbox WHERE table_id = ?", (table_id,))
            db.execute("DELETE FROM messages WHERE table_id = ?", (table_id,))

        await self._database.write(replace)
        return True
