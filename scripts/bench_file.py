"""A database file with thousands of open tables, for `scripts/bench --tables`.

A few dozen tables are really played, through the service and the store; every other table is one of them
again under other ids. So each row is what the bot would have written, and the file is there in seconds.
"""

import asyncio
import contextlib
import random
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from canasta_core.ai import policy
from canasta_core.events import Event
from canasta_core.legality import who_acts
from canasta_core.profiles import profile_ids
from canasta_core.tables.clock import SystemClock
from canasta_core.tables.model import Notice, Person, Stage, Table
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore

FIRST_PERSON: Final = 700_000_000_000_000_000
FIRST_PLACE: Final = 900_000_000_000_000_000
PLACES: Final = 100
"""Servers that the tables are spread over; the busiest has a tenth of all tables."""
LENGTHS: Final = (25, 60, 120, 200)
"""Moves of people at the tables that are really played, or fewer where the game ends before."""
SIT: Final = 4
"""Seats of each table."""

Row = dict[str, Any]


class Deaf:
    """A teller that has nobody to tell."""

    async def tell(self, table: Table, notice: Notice, events: tuple[Event, ...]) -> None:
        pass


class Hasty(SystemClock):
    """AI seats do not think first while tables are played for the file."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0 if seconds <= 2 else seconds)


@dataclass(frozen=True)
class Template:
    """All rows of one really played table, by the SQL table that they are in."""

    rows: dict[str, list[Row]]
    version: int
    people: tuple[int, ...]


async def play_templates(path: Path) -> None:
    """Lobbies and games of every profile, some with an AI seat, stopped in the middle of a round."""
    store = SqliteStore(path)
    await store.open()
    service = TableService(store, clock=Hasty())
    await service.start(Deaf())
    rng, player = random.Random(4), policy("medium")
    made = 0

    def people() -> list[Person]:
        nonlocal made
        made += SIT
        return [Person(FIRST_PERSON + number, f"Person {number}") for number in range(made - SIT, made)]

    for profile in profile_ids():
        host, guest, *_ = people()
        lobby = await service.create(FIRST_PLACE, FIRST_PLACE, host, profile, seats=SIT)
        await service.join(lobby.id, guest)
        for length in LENGTHS:
            host, *others = people()
            table = await service.create(FIRST_PLACE, FIRST_PLACE, host, profile, seats=SIT)
            if length == LENGTHS[2]:
                table = await service.add_ai(table.id, host)
                others.pop()
            for person in others:
                table = await service.join(table.id, person)
            await play(service, table.id, length, rng, player)
    await service.settle()
    await service.close()
    await store.close()


async def play(service: TableService, table_id: int, moves: int, rng: random.Random, player: Any) -> None:
    """So many moves of people, and then to where a person has to act."""
    while True:
        table = await service.get(table_id)
        if table.state is None or table.stage is Stage.ENDED:
            return
        acting = [(seat, table.sitter(seat)) for seat in who_acts(table.state.public)]
        turns = [(seat, who.user_id) for seat, who in acting if who is not None and who.user_id is not None]
        if turns and moves <= 0:
            return
        if turns:
            seat, user_id = turns[0]
            await service.act(table_id, user_id, player.choose(table.view(seat), rng))
            moves -= 1
        elif acting:
            await service.settle()
        else:
            await service.next_round(table_id, Person(table.host_id, f"Person {table.host_id}"))


def read_templates(path: Path) -> list[Template]:
    found = []
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        for table in db.execute("SELECT * FROM tables WHERE stage <> 'ended' ORDER BY id").fetchall():
            key = (table["id"],)
            rows = {
                "tables": [dict(table)],
                "table_log": _rows(db, "SELECT * FROM table_log WHERE table_id = ? ORDER BY version", key),
                "seats": _rows(db, "SELECT * FROM seats WHERE table_id = ?", key),
                "round_results": _rows(db, "SELECT * FROM round_results WHERE table_id = ?", key),
            }
            people = tuple(row["user_id"] for row in rows["seats"] if row["user_id"] is not None)
            found.append(Template(rows, table["version"], people))
    return found


def _rows(db: sqlite3.Connection, sql: str, key: tuple[int]) -> list[Row]:
    return [dict(row) for row in db.execute(sql, key)]


def build(path: Path, tables: int, *, log: int | None = None) -> None:
    """Make a file with so many open tables and four times as many people.

    `log`: rows that every log has at least; by default they are as long as they were played, and of each
    hundred one has 2,000 and of each thousand one 10,000.
    """
    played = path.with_name(f"{path.name}.played")
    if not played.exists():
        asyncio.run(play_templates(played))
    asyncio.run(_create(path))
    templates = read_templates(played)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("BEGIN")
        person = 0
        for number in range(tables):
            # Games only where the length of the log is what counts.
            open_games = [each for each in templates if each.version > 20] if log else templates
            template = open_games[number % len(open_games)]
            rows = log or (10_000 if number % 1000 == 999 else 2_000 if number % 100 == 99 else 0)
            for name, copies in cloned(template, number + 1, person, rows, tables):
                _insert(db, name, copies)
            person += len(template.people)
        db.executemany(
            "INSERT INTO members (user_id, name) VALUES (?, ?)",
            ((FIRST_PERSON + each, f"Person {each}") for each in range(SIT * tables)),
        )
        db.execute("COMMIT")
        db.execute("ANALYZE")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def _create(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    await store.close()


def cloned(
    template: Template, number: int, person: int, least: int, tables: int
) -> Iterator[tuple[str, list[Row]]]:
    """The rows of a table once more, for table `number` with people from `person` on."""
    place = 0 if number % 10 == 0 else number % PLACES
    ids: dict[int | None, int | None] = {None: None}
    ids |= {each: FIRST_PERSON + person + index for index, each in enumerate(template.people)}
    shift = max(0, least - template.version) if template.version > 20 else 0
    for name, rows in template.rows.items():
        copies = []
        for row in rows:
            copy = {**row}
            if name == "tables":
                copy |= {
                    "id": number,
                    "guild_id": FIRST_PLACE + place,
                    "channel_id": FIRST_PLACE + 1000 * (place + 1) + number % 20,
                    "host_id": ids[row["host_id"]],
                }
                for column in ("version", "began", "turn_version", "played"):
                    if copy.get(column):
                        copy[column] += shift
                for column in ("deadline", "reminder", "alarm"):
                    if copy.get(column) is not None:
                        copy[column] += number
            else:
                copy["table_id"] = number
            if name == "seats":
                copy["user_id"] = ids[row["user_id"]]
            if name == "table_log":
                copy["actor"] = ids.get(row["actor"])
                copy["version"] += shift
            copies.append(copy)
        if name == "table_log" and shift:
            # The same moves again and again: nothing that is measured replays them.
            copies += [
                {**copies[version % len(copies)], "version": version} for version in range(1, shift + 1)
            ]
        yield name, copies


def _insert(db: sqlite3.Connection, name: str, rows: list[Row]) -> None:
    if rows:
        columns = ", ".join(rows[0])
        values = ", ".join(f":{column}" for column in rows[0])
        db.executemany(f"INSERT INTO {name} ({columns}) VALUES ({values})", rows)  # noqa: S608
