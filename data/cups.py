"""Cups: the SQL of sign-ups, rounds and their tables."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from canasta_core.tables.cup_model import (
    SEATS,
    Cup,
    CupKind,
    CupPlace,
    CupStage,
    CupTable,
    Entrant,
    Seats,
)
from canasta_core.tables.errors import StaleTable
from canasta_core.tables.model import Person
from data.database import Database

_COLUMNS: Final = (
    "guild_id, channel_id, host_id, title, rules_text, kind, rounds, clock, undo, away_limit, locale, stage,"
    " round, created_at, message_id, told"
)


class SqliteCups:
    """What `cup_model.CupStore` promises."""

    _database: Database

    async def create_cup(self, cup: Cup) -> int:
        def write(db: sqlite3.Connection) -> int:
            names = _COLUMNS.split(", ")
            inserted = db.execute(
                f"INSERT INTO cups ({_COLUMNS}) VALUES ({', '.join('?' * len(names))})",  # noqa: S608 - names of ours
                [getattr(cup, name) for name in names],
            )
            assert inserted.lastrowid is not None, "an insert has a row id"
            return inserted.lastrowid

        return await self._database.write(write)

    async def cup(self, cup_id: int) -> Cup | None:
        return await self._database.read(partial(_read_cup, cup_id))

    async def cups_in(self, guild_id: int) -> list[int]:
        rows = await self._database.fetch(
            "SELECT id FROM cups WHERE guild_id = ? AND stage IN ('open', 'playing') ORDER BY id", (guild_id,)
        )
        return [row[0] for row in rows]

    async def cups_at_work(self) -> list[int]:
        rows = await self._database.fetch(
            "SELECT id FROM cups WHERE stage IN ('open', 'playing') OR told < round ORDER BY id"
        )
        return [row[0] for row in rows]

    async def enter_cup(self, cup_id: int, person: Person, most: int) -> bool:
        def write(db: sqlite3.Connection) -> bool:
            done = db.execute(
                "INSERT INTO cup_entrants (cup_id, user_id, number)"
                " SELECT id, :user, (SELECT coalesce(max(number), 0) + 1 FROM cup_entrants"
                " WHERE cup_id = cups.id) FROM cups WHERE id = :cup AND stage = 'open'"
                " AND (SELECT count(*) FROM cup_entrants WHERE cup_id = cups.id) < :most"
                " ON CONFLICT (cup_id, user_id) DO NOTHING",
                {"cup": cup_id, "user": person.user_id, "most": most},
            ).rowcount
            if done:
                db.execute(
                    "INSERT INTO members (user_id, name) VALUES (?, ?)"
                    " ON CONFLICT (user_id) DO UPDATE SET name = excluded.name",
                    (person.user_id, person.name),
                )
            return bool(done)

        return await self._database.write(write)

    async def leave_cup(self, cup_id: int, user_id: int) -> bool:
        def write(db: sqlite3.Connection) -> bool:
            asked = (cup_id, user_id)
            struck = db.execute(
                "DELETE FROM cup_entrants WHERE cup_id = ? AND user_id = ?"
                " AND (SELECT stage FROM cups WHERE id = cup_id) = 'open'",
                asked,
            ).rowcount
            gone = db.execute(
                "UPDATE cup_entrants SET gone = 1 WHERE cup_id = ? AND user_id = ? AND gone = 0"
                " AND (SELECT stage FROM cups WHERE id = cup_id) = 'playing'",
                asked,
            ).rowcount
            return bool(struck or gone)

        return await self._database.write(write)

    async def begin_cup(self, cup_id: int, least: int, rounds: int) -> bool:
        return await self._changes(
            "UPDATE cups SET stage = 'playing', rounds = ? WHERE id = ? AND stage = 'open'"
            " AND (SELECT count(*) FROM cup_entrants WHERE cup_id = cups.id) >= ?",
            (rounds, cup_id, least),
        )

    async def draw_round(self, cup_id: int, number: int, seats: Sequence[Seats], packs: str) -> bool:
        def write(db: sqlite3.Connection) -> bool:
            drawn = db.execute(
                "UPDATE cups SET round = ?, packs = ? WHERE id = ? AND round = ? AND stage = 'playing'",
                (number, packs, cup_id, number - 1),
            ).rowcount
            if drawn:
                db.executemany(
                    "INSERT INTO cup_tables (cup_id, round, number) VALUES (?, ?, ?)",
                    [(cup_id, number, table) for table in range(1, len(seats) + 1)],
                )
                db.executemany(
                    "INSERT INTO cup_seats (cup_id, round, number, seat, user_id) VALUES (?, ?, ?, ?, ?)",
                    [
                        (cup_id, number, table, seat, user_id)
                        for table, people in enumerate(seats, 1)
                        for seat, user_id in enumerate(people)
                    ],
                )
            return bool(drawn)

        return await self._database.write(write)

    async def cup_packs(self, cup_id: int) -> str:
        rows = await self._database.fetch("SELECT packs FROM cups WHERE id = ?", (cup_id,))
        return str(rows[0][0]) if rows else ""

    async def close_cup_table(self, cup_id: int, number: int, table: int, difference: int) -> None:
        await self._changes(
            "UPDATE cup_tables SET difference = ?"
            " WHERE cup_id = ? AND round = ? AND number = ? AND difference IS NULL",
            (difference, cup_id, number, table),
        )

    async def finish_cup(self, cup_id: int, stage: CupStage) -> bool:
        return await self._changes(
            # That it has ended is still to be told, also when no round was played.
            "UPDATE cups SET stage = ?, packs = '', told = min(told, round - 1)"
            " WHERE id = ? AND stage IN ('open', 'playing')",
            (stage, cup_id),
        )

    async def set_cup_message(self, cup_id: int, message_id: int) -> None:
        await self._changes("UPDATE cups SET message_id = ? WHERE id = ?", (message_id, cup_id))

    async def set_cup_told(self, cup_id: int, told: int) -> None:
        await self._changes("UPDATE cups SET told = ? WHERE id = ?", (told, cup_id))

    async def _changes(self, sql: str, parameters: tuple[object, ...]) -> bool:
        """One statement; whether it has changed anything."""
        work: Callable[[sqlite3.Connection], bool] = lambda db: bool(db.execute(sql, parameters).rowcount)  # noqa: E731 - a name for its type
        return await self._database.write(work)


def write_place(db: sqlite3.Connection, table_id: int, place: CupPlace) -> None:
    """Note which table of a cup a new table is.

    Raises StaleTable when that one is open already, or the cup has been given up.
    """
    done = db.execute(
        "UPDATE cup_tables SET table_id = ?"
        " WHERE cup_id = ? AND round = ? AND number = ? AND table_id IS NULL AND difference IS NULL"
        " AND (SELECT stage FROM cups WHERE id = cup_id) = 'playing'",
        (table_id, place.cup_id, place.round, place.number),
    ).rowcount
    if not done:
        raise StaleTable(version=0)


def _read_cup(cup_id: int, db: sqlite3.Connection) -> Cup | None:
    row = db.execute(f"SELECT id, {_COLUMNS} FROM cups WHERE id = ?", (cup_id,)).fetchone()  # noqa: S608 - names of ours
    if row is None:
        return None
    seats: defaultdict[tuple[int, int], list[int | None]] = defaultdict(lambda: [None] * SEATS)
    for one in db.execute("SELECT round, number, seat, user_id FROM cup_seats WHERE cup_id = ?", (cup_id,)):
        seats[one["round"], one["number"]][one["seat"]] = one["user_id"]
    tables = db.execute(
        "SELECT round, number, table_id, difference FROM cup_tables WHERE cup_id = ? ORDER BY round, number",
        (cup_id,),
    )
    entrants = db.execute(
        "SELECT user_id, gone FROM cup_entrants WHERE cup_id = ? ORDER BY number", (cup_id,)
    )
    stored = {
        **dict(row),
        "kind": CupKind(row["kind"]),
        "stage": CupStage(row["stage"]),
        "undo": bool(row["undo"]),
    }
    return Cup(
        **stored,
        entrants=tuple(Entrant(one["user_id"], bool(one["gone"])) for one in entrants),
        tables=tuple(
            CupTable(
                one["round"],
                one["number"],
                tuple(seats[one["round"], one["number"]]),
                one["table_id"],
                one["difference"],
            )
            for one in tables
        ),
    )
