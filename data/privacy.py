"""Where in the file a person may stand: found there for their own copy, and put out of it when they leave.

`COLUMNS` says of every column what it holds. A new one that is missing there fails a test, so that nothing
about anybody is stored which is neither given out nor taken away.
"""

import asyncio
import logging
import re
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping
from enum import Enum, auto
from functools import partial
from typing import Any, Final

from canasta_core.tables.errors import StoreError
from canasta_core.tables.ports import LogRow
from data.archive import holds, pack, unpack
from data.database import Database

log = logging.getLogger(__name__)

Rows = list[dict[str, Any]]

PAGE: Final = 200
"""Tables that are looked through in one go: some hundredths of a second."""


class Holds(Enum):
    """What a column has to do with people."""

    PERSON = auto()
    """The id of one: given out when it is their own, replaced when they leave."""
    NAME = auto()
    """The name of the person of the same row: given out with it, emptied when they leave."""
    TEXT = auto()
    """A JSON text that may name people by their ids: given out and replaced where it does."""
    PACKED = auto()
    """A whole log, packed: the same as its rows."""
    ABOUT = auto()
    """Nobody by itself: given out with a row that holds a person."""
    HIDDEN = auto()
    """Nobody, and nothing of anybody's: cards that are secret or another's, and what the bot reckons with."""


PERSON, NAME, TEXT, PACKED, ABOUT, HIDDEN = Holds
COLUMNS: Final[Mapping[str, Mapping[str, Holds]]] = {
    "tables": {
        "id": ABOUT,
        "guild_id": ABOUT,
        "channel_id": ABOUT,
        "host_id": PERSON,
        "locale": ABOUT,
        "profile": ABOUT,
        "rules": HIDDEN,
        "stage": ABOUT,
        "version": HIDDEN,
        "began": HIDDEN,
        "turn_version": HIDDEN,
        "state": HIDDEN,
        "recent": HIDDEN,
        "commitment": HIDDEN,
        "deadline": ABOUT,
        "created_at": ABOUT,
        "ended": ABOUT,
        "ended_version": HIDDEN,
        "clock": ABOUT,
        "reminder": ABOUT,
        "alarm": HIDDEN,
        "ai_turn": HIDDEN,
        "paused": TEXT,
        "wait": HIDDEN,
        "undo": HIDDEN,
        "before": HIDDEN,
        "proposal": TEXT,
        "invites": TEXT,
        "lost": HIDDEN,
        "away_limit": HIDDEN,
        "played": HIDDEN,
        "touched_at": ABOUT,
        "tally": HIDDEN,
        "duplicate_of": HIDDEN,
        "packs": HIDDEN,
    },
    "table_log": {
        "table_id": ABOUT,
        "version": ABOUT,
        "at": ABOUT,
        "what": ABOUT,
        "actor": PERSON,
        "seat": ABOUT,
        "action": ABOUT,
        "events": ABOUT,
        "detail": TEXT,
    },
    "archived_logs": {"table_id": HIDDEN, "entries": HIDDEN, "log": PACKED},
    "seats": {
        "table_id": ABOUT,
        "seat": ABOUT,
        "user_id": PERSON,
        "ai": HIDDEN,
        "name": NAME,
        "from_version": ABOUT,
        "from_at": ABOUT,
        "to_version": ABOUT,
        "to_at": ABOUT,
        "missed": ABOUT,
        "absent": ABOUT,
        "kept": ABOUT,
        "away_until": ABOUT,
        "away_used": ABOUT,
    },
    "outbox": {"id": ABOUT, "table_id": ABOUT, "version": ABOUT, "kind": ABOUT, "data": TEXT},
    "messages": dict.fromkeys(("table_id", "slot", "channel_id", "message_id", "version"), HIDDEN),
    "round_results": dict.fromkeys(
        ("table_id", "round_number", "team", "points", "score", "reason", "sheet", "finished_at"), HIDDEN
    ),
    "results": {
        "table_id": ABOUT,
        "guild_id": ABOUT,
        "profile": ABOUT,
        "shape": ABOUT,
        "seat": ABOUT,
        "team": ABOUT,
        "user_id": PERSON,
        "ai": HIDDEN,
        "name": NAME,
        "whole": ABOUT,
        "score": ABOUT,
        "won": ABOUT,
        "rounds": ABOUT,
        "finished_at": ABOUT,
        "rating_before": ABOUT,
        "rating_after": ABOUT,
    },
    "seat_rounds": {
        "table_id": ABOUT,
        "round_number": ABOUT,
        "seat": ABOUT,
        "user_id": PERSON,
        "points": ABOUT,
        "canastas": ABOUT,
        "naturals": ABOUT,
        "went_out": ABOUT,
        "concealed": ABOUT,
        "turns": ABOUT,
    },
    "record_readers": {"table_id": ABOUT, "user_id": PERSON},
    "games": dict.fromkeys(("number", "table_id", "guild_id", "profile", "shape", "finished_at"), HIDDEN),
    "pools": dict.fromkeys(("id", "scope", "name", "season"), HIDDEN),
    "standings": {
        "pool_id": ABOUT,
        "user_id": PERSON,
        "mu": ABOUT,
        "sigma": ABOUT,
        "rating": ABOUT,
        "games": ABOUT,
        "wins": ABOUT,
        "win_rate": ABOUT,
        "rounds": ABOUT,
        "points": ABOUT,
        "round_average": ABOUT,
        "canastas": ABOUT,
        "naturals": ABOUT,
        "exits": ABOUT,
        "concealed": ABOUT,
        "fastest_exit": ABOUT,
        "biggest_round": ABOUT,
        "streak": ABOUT,
        "best_streak": ABOUT,
        "last_at": ABOUT,
    },
    "guild_settings": dict.fromkeys(("guild_id", "key", "value"), HIDDEN),
    "members": {"user_id": PERSON, "name": NAME},
    "preferences": {"user_id": PERSON, "key": ABOUT, "value": ABOUT},
    "former_players": {"former_id": HIDDEN, "user_id": PERSON, "wiped": HIDDEN},
    "cups": {
        "id": ABOUT,
        "guild_id": ABOUT,
        "channel_id": ABOUT,
        "host_id": PERSON,
        "title": ABOUT,
        "rules_text": HIDDEN,
        "kind": ABOUT,
        "rounds": ABOUT,
        "clock": ABOUT,
        "undo": HIDDEN,
        "away_limit": HIDDEN,
        "locale": ABOUT,
        "stage": ABOUT,
        "round": ABOUT,
        "created_at": ABOUT,
        "message_id": HIDDEN,
        "told": HIDDEN,
        "packs": HIDDEN,
    },
    "cup_entrants": {"cup_id": ABOUT, "user_id": PERSON, "number": ABOUT, "gone": ABOUT},
    "cup_tables": dict.fromkeys(("cup_id", "round", "number", "table_id", "difference"), HIDDEN),
    "cup_seats": {"cup_id": ABOUT, "round": ABOUT, "number": ABOUT, "seat": ABOUT, "user_id": PERSON},
}
"""Every column of every table, in the order of the schema."""

GO: Final = ("members", "preferences", "record_readers")
"""Tables whose rows about a person go with them; elsewhere the games of others need the row."""
APART: Final = (
    "members",
    "preferences",
    "standings",
    "former_players",
    "cups",
    "cup_entrants",
    "cup_seats",
)
"""Tables that belong to no table of the game."""
_SAT: Final = " OR EXISTS (SELECT 1 FROM seats WHERE seats.table_id = tables.id AND seats.user_id = :user)"
"""Which table it was is given out of every one where they sat."""
POOL: Final = ("scope", "name", "season")
"""What a standing is about, given out with it."""


def columns(table: str, *kinds: Holds) -> list[str]:
    """The columns of a table that hold one of these."""
    return [name for name, holds in COLUMNS[table].items() if holds in kinds]


def given_out(table: str) -> list[str]:
    """The columns of a table that are in the copy that a person gets."""
    return columns(table, PERSON, NAME, TEXT, ABOUT)


def _of_games() -> Iterator[tuple[str, str]]:
    """Tables of the schema that hold people at one table of the game, and the column of its number."""
    for table in COLUMNS:
        if table not in APART and columns(table, PERSON, TEXT):
            yield table, "id" if table == "tables" else "table_id"


def _holding(table: str) -> str:
    """The condition that a row holds a person; a text is looked at once more."""
    found = [f"{name} = :user" for name in columns(table, PERSON)]
    found += [f"instr({name}, :digits)" for name in columns(table, TEXT)]
    return "(" + " OR ".join(found) + ")"


class SqlitePrivacy:
    """What `ports.TableStore` promises about people who want to know, or to be forgotten."""

    _database: Database

    async def rows_about(self, user_id: int) -> AsyncIterator[tuple[str, Rows]]:
        for table in APART:
            found = await self._database.read(partial(_rows_apart, table, user_id))
            if found:
                yield table, found
        for first in range(1, await self._last() + 1, PAGE):
            for table, rows in await self._database.read(partial(_rows_at, first, user_id)):
                yield table, rows
            for table_id, entries in await self._packed_with(first, user_id):
                yield "table_log", [_logged(table_id, row) for row in entries if _names(row, user_id)]

    async def begin_forgetting(self, user_id: int) -> int:
        def write(db: sqlite3.Connection) -> int:
            db.execute(
                "INSERT INTO former_players (former_id, user_id)"
                " SELECT coalesce(min(former_id), 0) - 1, ? FROM former_players WHERE true"
                " ON CONFLICT (user_id) DO NOTHING",
                (user_id,),
            )
            found = db.execute("SELECT former_id FROM former_players WHERE user_id = ?", (user_id,))
            return int(found.fetchone()[0])

        return await self._database.write(write)

    async def forgetting(self) -> dict[int, int]:
        rows = await self._database.fetch(
            "SELECT user_id, former_id FROM former_players WHERE user_id IS NOT NULL ORDER BY former_id DESC"
        )
        return {row["user_id"]: row["former_id"] for row in rows}

    async def tables_naming(self, user_id: int) -> AsyncIterator[list[int]]:
        for first in range(1, await self._last() + 1, PAGE):
            found = await self._database.read(partial(_tables_at, first, user_id))
            found |= {table_id for table_id, _ in await self._packed_with(first, user_id)}
            if found:
                yield sorted(found)

    async def forget_at(self, table_id: int, user_id: int, former_id: int) -> None:
        # Opening and packing a log takes too long for a transaction: when it was packed or changed
        # meanwhile, it is done again.
        while not await self._forget_at(table_id, user_id, former_id):
            pass

    async def _forget_at(self, table_id: int, user_id: int, former_id: int) -> bool:
        found = await self._database.fetch("SELECT log FROM archived_logs WHERE table_id = ?", (table_id,))
        packed = found[0][0] if found else None
        anew = None if packed is None else await asyncio.to_thread(_repacked, packed, user_id, former_id)

        def write(db: sqlite3.Connection) -> bool:
            row = db.execute("SELECT log FROM archived_logs WHERE table_id = ?", (table_id,)).fetchone()
            if (None if row is None else row[0]) != packed:
                return False
            for table, number in _of_games():
                _replace(db, table, f"{number} = :table", user_id, former_id, table_id)
            if anew is not None:
                db.execute("UPDATE archived_logs SET log = ? WHERE table_id = ?", (anew, table_id))
            # A message elsewhere may be in the person's own channel; that of the running turn is another's.
            db.execute(
                "DELETE FROM messages WHERE table_id = :table AND slot <> 'board' AND EXISTS (SELECT 1"
                " FROM tables WHERE id = :table AND tables.channel_id <> messages.channel_id"
                " AND tables.turn_version <> messages.version)",
                {"table": table_id},
            )
            return True

        return await self._database.write(write)

    async def end_forgetting(self, user_id: int, former_id: int) -> None:
        def write(db: sqlite3.Connection) -> None:
            _replace(db, "members", "true", user_id, former_id)
            _replace(db, "preferences", "true", user_id, former_id)
            # By the primary key, pool by pool: nobody else's are gone through.
            _replace(db, "standings", "pool_id IN (SELECT id FROM pools)", user_id, former_id)
            # Who has only signed up is not there any more; in what was played a former player is.
            db.execute(
                "DELETE FROM cup_entrants WHERE user_id = ?"
                " AND EXISTS (SELECT 1 FROM cups WHERE id = cup_id AND stage = 'open')",
                (user_id,),
            )
            for table in ("cups", "cup_entrants", "cup_seats"):
                _replace(db, table, "true", user_id, former_id)
            db.execute("UPDATE former_players SET user_id = NULL WHERE user_id = ?", (user_id,))

        await self._database.write(write)

    async def is_wiped(self) -> bool:
        rows = await self._database.fetch(
            "SELECT 1 FROM former_players WHERE user_id IS NULL AND wiped = 0 LIMIT 1"
        )
        return not rows

    async def wipe(self) -> None:
        rows = await self._database.fetch(
            "SELECT former_id FROM former_players WHERE user_id IS NULL AND wiped = 0"
        )
        await self._database.rewrite()
        done = [(row[0],) for row in rows]
        await self._database.write(
            lambda db: db.executemany("UPDATE former_players SET wiped = 1 WHERE former_id = ?", done)
        )

    async def _last(self) -> int:
        """The highest number of a table."""
        return int((await self._database.fetch("SELECT coalesce(max(id), 0) FROM tables"))[0][0])

    async def _packed_with(self, first: int, user_id: int) -> list[tuple[int, list[LogRow]]]:
        """The packed logs of a page of tables that name a person."""
        rows = await self._database.fetch(
            "SELECT table_id, log FROM archived_logs WHERE table_id >= ? AND table_id < ?",
            (first, first + PAGE),
        )
        return await asyncio.to_thread(_naming, [(row[0], row[1]) for row in rows], user_id)


def _rows_apart(table: str, user_id: int, db: sqlite3.Connection) -> Rows:
    if table == "standings":
        wanted = ", ".join(
            [*(f"standings.{name}" for name in given_out(table)), *(f"pools.{name}" for name in POOL)]
        )
        source = "pools CROSS JOIN standings ON standings.pool_id = pools.id"
    else:
        wanted, source = ", ".join(given_out(table)), table
    sql = f"SELECT {wanted} FROM {source} WHERE {_holding(table)}"  # noqa: S608 - names of ours
    return [dict(row) for row in db.execute(sql, {"user": user_id, "digits": str(user_id)})]


def _rows_at(first: int, user_id: int, db: sqlite3.Connection) -> list[tuple[str, Rows]]:
    """What is about a person at a page of tables."""
    asked = {"user": user_id, "digits": str(user_id), "first": first, "end": first + PAGE}
    found = []
    for table, number in _of_games():
        sat = _SAT if table == "tables" else ""
        rows = [
            dict(row)
            for row in db.execute(
                f"SELECT {', '.join(given_out(table))} FROM {table}"  # noqa: S608 - names of ours
                f" WHERE {number} >= :first AND {number} < :end AND ({_holding(table)}{sat})",
                asked,
            )
        ]
        if kept := [row for row in rows if sat or _is_about(table, row, user_id)]:
            found.append((table, kept))
    return found


def _tables_at(first: int, user_id: int, db: sqlite3.Connection) -> set[int]:
    asked = {"user": user_id, "digits": str(user_id), "first": first, "end": first + PAGE}
    found: set[int] = set()
    for table, number in _of_games():
        found.update(
            row[0]
            for row in db.execute(
                f"SELECT DISTINCT {number} FROM {table}"  # noqa: S608 - names of ours
                f" WHERE {number} >= :first AND {number} < :end AND {_holding(table)}",
                asked,
            )
        )
    return found


def _replace(
    db: sqlite3.Connection,
    table: str,
    where: str,
    user_id: int,
    former_id: int,
    table_id: int = 0,
) -> None:
    """Put a former player in the place of a person, in the rows of a table for which `where` holds."""
    asked = {"user": user_id, "former": former_id, "table": table_id, "digits": str(user_id)}
    for name in columns(table, PERSON):
        about = f"{where} AND {name} = :user"
        if table in GO:
            db.execute(f"DELETE FROM {table} WHERE {about}", asked)  # noqa: S608 - names of ours
        else:
            changed = [f"{name} = :former", *(f"{one} = ''" for one in columns(table, NAME))]
            db.execute(f"UPDATE {table} SET {', '.join(changed)} WHERE {about}", asked)  # noqa: S608 - the same
    for name in columns(table, TEXT):
        rows = db.execute(
            f"SELECT rowid, {name} FROM {table} WHERE {where} AND instr({name}, :digits)",  # noqa: S608 - the same
            asked,
        ).fetchall()
        db.executemany(
            f"UPDATE {table} SET {name} = ? WHERE rowid = ?",  # noqa: S608 - the same
            [(replaced(row[1], user_id, former_id), row[0]) for row in rows],
        )


def _number(user_id: int) -> re.Pattern[str]:
    """A user id as a number of its own, in a text."""
    return re.compile(rf"(?<![\w.-]){user_id}(?![\w.])")


def names(text: str, user_id: int) -> bool:
    """Whether a JSON text holds a user id."""
    return str(user_id) in text and _number(user_id).search(text) is not None


def replaced(text: str, user_id: int, former_id: int) -> str:
    """A JSON text with another id in the place of one; nothing else of it changes."""
    return _number(user_id).sub(str(former_id), text)


def _is_about(table: str, row: Mapping[str, Any], user_id: int) -> bool:
    return any(row[name] == user_id for name in columns(table, PERSON)) or any(
        names(row[name], user_id) for name in columns(table, TEXT)
    )


def _names(row: LogRow, user_id: int) -> bool:
    return row.actor == user_id or names(row.detail, user_id)


def _naming(packed: list[tuple[int, bytes]], user_id: int) -> list[tuple[int, list[LogRow]]]:
    found = []
    for table_id, packed_log in packed:
        try:
            if holds(packed_log, str(user_id)):
                rows = unpack(packed_log)
                if any(_names(row, user_id) for row in rows):
                    found.append((table_id, rows))
        except StoreError as error:
            # What nobody can read any more names nobody, and must not be in the way of all the rest.
            log.warning("the log of table %s: %s", table_id, error)
    return found


def _repacked(packed: bytes, user_id: int, former_id: int) -> bytes:
    return pack(
        [
            LogRow(
                version=row.version,
                at=row.at,
                what=row.what,
                actor=former_id if row.actor == user_id else row.actor,
                seat=row.seat,
                action=row.action,
                events=row.events,
                detail=replaced(row.detail, user_id, former_id),
            )
            for row in unpack(packed)
        ]
    )


def _logged(table_id: int, row: LogRow) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in row.__dataclass_fields__}
    return {"table_id": table_id, **values}
