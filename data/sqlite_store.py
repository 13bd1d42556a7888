"""The TableStore on SQLite: every SQL statement of the bot is here or in `migrations/`."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import aiosqlite

from canasta_core.tables.errors import StaleTable
from canasta_core.tables.model import Message, Person, Tenure
from canasta_core.tables.ports import Commit, LogRow, NoticeRow, ResultRow, RoundRow, TableRow
from data.database import Database


class SqliteStore:
    """Tables in one SQLite file; see `ports.TableStore` for what each method promises."""

    def __init__(self, path: str | Path, *, busy_timeout: float = 5.0) -> None:
        """`busy_timeout`: seconds to wait for another process that holds the file."""
        self._database = Database(path, busy_timeout=busy_timeout)

    async def open(self) -> None:
        await self._database.open()

    async def close(self) -> None:
        await self._database.close()

    async def commit(self, commit: Commit) -> int:
        async with self._database.writing() as db:
            table_id = await _write_table(db, commit)
            await db.executemany(
                "INSERT INTO table_log (table_id, version, at, what, actor, seat, action, events, detail)"
                " VALUES (:table_id, :version, :at, :what, :actor, :seat, :action, :events, :detail)",
                _rows(table_id, commit.log),
            )
            await _write_seats(db, table_id, commit)
            await _write_results(db, table_id, commit)
            if commit.notices:
                await _write_notices(db, table_id, commit.notices)
            for person in commit.people:
                await _meet(db, person)
        return table_id

    async def load(self, table_id: int) -> tuple[TableRow, list[Tenure]] | None:
        async with self._database.reading() as db:
            rows = list(
                await db.execute_fetchall(
                    "SELECT id, guild_id, channel_id, host_id, locale, profile, rules, stage, version,"
                    " began, turn_version, state, recent, commitment, deadline, created_at, ended,"
                    " ended_version, clock, reminder, alarm, ai_turn, paused, undo, before, proposal,"
                    " invites, lost, away_limit, played, touched_at FROM tables WHERE id = ?",
                    (table_id,),
                )
            )
            if not rows:
                return None
            row = dict(rows[0])
            table = TableRow(**{**row, "ai_turn": bool(row["ai_turn"]), "undo": bool(row["undo"])})
            seats = await db.execute_fetchall(
                "SELECT seat, seats.user_id, ai, coalesce(members.name, seats.name) AS name,"
                " from_version, from_at, to_version, to_at, missed, absent, kept, away_until, away_used"
                " FROM seats LEFT JOIN members ON members.user_id = seats.user_id"
                " WHERE table_id = ? AND (to_version IS NULL OR to_version = ?) ORDER BY seat",
                (table_id, table.ended_version),
            )
            return table, [_tenure(row) for row in seats]

    async def version(self, table_id: int) -> int | None:
        rows = await self._database.fetch("SELECT version FROM tables WHERE id = ?", (table_id,))
        return rows[0][0] if rows else None

    async def tenures(self, table_id: int) -> list[Tenure]:
        rows = await self._database.fetch(
            "SELECT seat, user_id, ai, name, from_version, from_at, to_version, to_at, missed, absent, kept,"
            " away_until, away_used FROM seats WHERE table_id = ? ORDER BY from_version, seat",
            (table_id,),
        )
        return [_tenure(row) for row in rows]

    async def log(self, table_id: int) -> list[LogRow]:
        rows = await self._database.fetch(
            "SELECT version, at, what, actor, seat, action, events, detail"
            " FROM table_log WHERE table_id = ? ORDER BY version",
            (table_id,),
        )
        return [LogRow(**dict(row)) for row in rows]

    async def log_row(self, table_id: int, version: int) -> LogRow | None:
        rows = await self._database.fetch(
            "SELECT version, at, what, actor, seat, action, events, detail"
            " FROM table_log WHERE table_id = ? AND version = ?",
            (table_id, version),
        )
        return LogRow(**dict(rows[0])) if rows else None

    async def rounds(self, table_id: int) -> list[RoundRow]:
        rows = await self._database.fetch(
            "SELECT round_number, team, points, score, reason, sheet, finished_at"
            " FROM round_results WHERE table_id = ? ORDER BY round_number, team",
            (table_id,),
        )
        return [RoundRow(**dict(row)) for row in rows]

    async def results(self, table_id: int) -> list[ResultRow]:
        rows = await self._database.fetch(
            "SELECT guild_id, profile, shape, seat, team, user_id, ai, name, whole, score, won, rounds,"
            " finished_at FROM results WHERE table_id = ? ORDER BY seat",
            (table_id,),
        )
        return [
            ResultRow(**{**dict(row), "whole": bool(row["whole"]), "won": bool(row["won"])}) for row in rows
        ]

    async def tables_in(self, guild_id: int, channel_id: int | None = None) -> list[int]:
        if channel_id is None:
            rows = await self._database.fetch(
                "SELECT id FROM tables WHERE guild_id = ? AND stage <> 'ended' ORDER BY id", (guild_id,)
            )
        else:
            rows = await self._database.fetch(
                "SELECT id FROM tables WHERE guild_id = ? AND channel_id = ? AND stage <> 'ended'"
                " ORDER BY id",
                (guild_id, channel_id),
            )
        return [row[0] for row in rows]

    async def tables_of(self, user_id: int, guild_id: int | None = None) -> list[int]:
        # A table that ends ends its tenures, so those that still run are of tables that have not ended.
        if guild_id is None:
            rows = await self._database.fetch(
                "SELECT table_id FROM seats WHERE user_id = ? AND to_version IS NULL ORDER BY table_id",
                (user_id,),
            )
        else:
            rows = await self._database.fetch(
                "SELECT seats.table_id FROM seats JOIN tables ON tables.id = seats.table_id"
                " WHERE seats.user_id = ? AND seats.to_version IS NULL AND tables.guild_id = ?"
                " ORDER BY seats.table_id",
                (user_id, guild_id),
            )
        return [row[0] for row in rows]

    async def playing(self) -> list[int]:
        rows = await self._database.fetch("SELECT id FROM tables WHERE stage = 'playing' ORDER BY id")
        return [row[0] for row in rows]

    async def waiting_for_ai(self) -> list[int]:
        rows = await self._database.fetch("SELECT id FROM tables WHERE ai_turn = 1 ORDER BY id")
        return [row[0] for row in rows]

    async def earliest_alarm(self) -> float | None:
        rows = await self._database.fetch("SELECT min(alarm) FROM tables WHERE alarm IS NOT NULL")
        return None if rows[0][0] is None else float(rows[0][0])

    async def due(self, now: float) -> list[int]:
        rows = await self._database.fetch("SELECT id FROM tables WHERE alarm <= ? ORDER BY alarm, id", (now,))
        return [row[0] for row in rows]

    async def remind(
        self, table_id: int, version: int, alarm: float | None, notice: NoticeRow | None
    ) -> bool:
        async with self._database.writing() as db:
            updated = await db.execute(
                "UPDATE tables SET reminder = NULL, alarm = ? WHERE id = ? AND version = ?",
                (alarm, table_id, version),
            )
            if updated.rowcount and notice is not None:
                await _write_notices(db, table_id, (notice,))
            return bool(updated.rowcount)

    async def to_tell(self) -> list[int]:
        rows = await self._database.fetch("SELECT DISTINCT table_id FROM outbox ORDER BY table_id")
        return [row[0] for row in rows]

    async def notices(self, table_id: int) -> list[NoticeRow]:
        rows = await self._database.fetch(
            "SELECT id, table_id, version, kind, data FROM outbox WHERE table_id = ? ORDER BY id",
            (table_id,),
        )
        return [NoticeRow(**dict(row)) for row in rows]

    async def told(self, notice_ids: Iterable[int]) -> None:
        async with self._database.writing() as db:
            await db.executemany("DELETE FROM outbox WHERE id = ?", [(each,) for each in notice_ids])

    async def message(self, table_id: int, slot: str) -> Message | None:
        rows = await self._database.fetch(
            "SELECT channel_id, message_id, version FROM messages WHERE table_id = ? AND slot = ?",
            (table_id, slot),
        )
        return Message(**dict(rows[0])) if rows else None

    async def remember_message(self, table_id: int, slot: str, message: Message) -> None:
        async with self._database.writing() as db:
            await db.execute(
                "INSERT INTO messages (table_id, slot, channel_id, message_id, version)"
                " VALUES (?, ?, ?, ?, ?) ON CONFLICT (table_id, slot) DO UPDATE SET"
                " channel_id = excluded.channel_id, message_id = excluded.message_id,"
                " version = excluded.version",
                (table_id, slot, message.channel_id, message.message_id, message.version),
            )

    async def forget_message(self, table_id: int, slot: str) -> None:
        async with self._database.writing() as db:
            await db.execute("DELETE FROM messages WHERE table_id = ? AND slot = ?", (table_id, slot))

    async def guild_settings(self, guild_id: int) -> dict[str, str]:
        rows = await self._database.fetch(
            "SELECT key, value FROM guild_settings WHERE guild_id = ? ORDER BY key", (guild_id,)
        )
        return {row["key"]: row["value"] for row in rows}

    async def set_guild_setting(self, guild_id: int, key: str, value: str | None) -> None:
        async with self._database.writing() as db:
            if value is None:
                await db.execute("DELETE FROM guild_settings WHERE guild_id = ? AND key = ?", (guild_id, key))
            else:
                await db.execute(
                    "INSERT INTO guild_settings (guild_id, key, value) VALUES (?, ?, ?)"
                    " ON CONFLICT (guild_id, key) DO UPDATE SET value = excluded.value",
                    (guild_id, key, value),
                )

    async def preferences(self, user_id: int) -> dict[str, str]:
        rows = await self._database.fetch(
            "SELECT key, value FROM preferences WHERE user_id = ? ORDER BY key", (user_id,)
        )
        return {row["key"]: row["value"] for row in rows}

    async def set_preference(self, user_id: int, key: str, value: str | None) -> None:
        async with self._database.writing() as db:
            if value is None:
                await db.execute("DELETE FROM preferences WHERE user_id = ? AND key = ?", (user_id, key))
            else:
                await db.execute(
                    "INSERT INTO preferences (user_id, key, value) VALUES (?, ?, ?)"
                    " ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value",
                    (user_id, key, value),
                )

    async def meet(self, person: Person) -> None:
        async with self._database.writing() as db:
            await _meet(db, person)

    async def names(self, user_ids: Iterable[int]) -> Mapping[int, str]:
        rows = await self._database.fetch(
            "SELECT user_id, name FROM members WHERE user_id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(user_ids)),),
        )
        return {row["user_id"]: row["name"] for row in rows}


async def _write_table(db: aiosqlite.Connection, commit: Commit) -> int:
    """Insert or update the snapshot and return its id. Raises StaleTable."""
    row = commit.table
    if not row.id:
        inserted = await db.execute_insert(
            "INSERT INTO tables (guild_id, channel_id, host_id, locale, profile, rules, stage, version,"
            " began, turn_version, state, recent, commitment, deadline, created_at, ended, ended_version,"
            " clock, reminder, alarm, ai_turn, paused, undo, before, proposal, invites, lost, away_limit,"
            " played, touched_at)"
            " VALUES (:guild_id, :channel_id, :host_id, :locale, :profile, :rules, :stage, :version,"
            " :began, :turn_version, :state, :recent, :commitment, :deadline, :created_at, :ended,"
            " :ended_version, :clock, :reminder, :alarm, :ai_turn, :paused, :undo, :before, :proposal,"
            " :invites, :lost, :away_limit, :played, :touched_at)",
            asdict(row),
        )
        assert inserted is not None, "an insert has a row id"
        return int(inserted[0])
    # The transaction holds the write lock of the file, so what is read here still stands at the update.
    stored = list(await db.execute_fetchall("SELECT version FROM tables WHERE id = ?", (row.id,)))
    version = stored[0]["version"] if stored else 0
    if version != commit.before:
        raise StaleTable(version=version)
    await db.execute(
        "UPDATE tables SET guild_id = :guild_id, channel_id = :channel_id, host_id = :host_id,"
        " locale = :locale, profile = :profile, rules = :rules, stage = :stage, version = :version,"
        " began = :began, turn_version = :turn_version, state = :state, recent = :recent,"
        " commitment = :commitment, deadline = :deadline, ended = :ended, ended_version = :ended_version,"
        " clock = :clock, reminder = :reminder, alarm = :alarm, ai_turn = :ai_turn, paused = :paused,"
        " undo = :undo, before = :before, proposal = :proposal, invites = :invites, lost = :lost,"
        " away_limit = :away_limit, played = :played, touched_at = :touched_at"
        " WHERE id = :id",
        asdict(row),
    )
    return row.id


async def _write_seats(db: aiosqlite.Connection, table_id: int, commit: Commit) -> None:
    if commit.left:
        await db.executemany(
            "UPDATE seats SET to_version = ?, to_at = ?"
            " WHERE table_id = ? AND seat = ? AND to_version IS NULL",
            [(version, at, table_id, seat) for seat, version, at in commit.left],
        )
    if commit.sat:
        await db.executemany(
            "INSERT INTO seats (table_id, seat, user_id, ai, name, from_version, from_at, to_version, to_at,"
            " missed, absent, kept, away_until, away_used)"
            " VALUES (:table_id, :seat, :user_id, :ai, :name, :from_version, :from_at, :to_version, :to_at,"
            " :missed, :absent, :kept, :away_until, :away_used)",
            _rows(table_id, commit.sat),
        )
    if commit.seated:
        await db.executemany(
            "UPDATE seats SET missed = ?, absent = ?, kept = ?, away_until = ?, away_used = ?"
            " WHERE table_id = ? AND seat = ? AND to_version IS NULL",
            [
                (one.missed, one.absent, one.kept, one.away_until, one.away_used, table_id, one.seat)
                for one in commit.seated
            ],
        )


async def _write_notices(db: aiosqlite.Connection, table_id: int, notices: Iterable[NoticeRow]) -> None:
    await db.executemany(
        "INSERT INTO outbox (table_id, version, kind, data) VALUES (?, ?, ?, ?)",
        [(table_id, notice.version, notice.kind, notice.data) for notice in notices],
    )


async def _write_results(db: aiosqlite.Connection, table_id: int, commit: Commit) -> None:
    if commit.rounds:
        await db.executemany(
            "INSERT INTO round_results (table_id, round_number, team, points, score, reason, sheet,"
            " finished_at) VALUES (:table_id, :round_number, :team, :points, :score, :reason, :sheet,"
            " :finished_at)",
            _rows(table_id, commit.rounds),
        )
    if commit.results:
        await db.executemany(
            "INSERT INTO results (table_id, guild_id, profile, shape, seat, team, user_id, ai, name, whole,"
            " score, won, rounds, finished_at) VALUES (:table_id, :guild_id, :profile, :shape, :seat,"
            " :team, :user_id, :ai, :name, :whole, :score, :won, :rounds, :finished_at)",
            _rows(table_id, commit.results),
        )


def _rows(table_id: int, rows: Iterable[LogRow | Tenure | RoundRow | ResultRow]) -> list[dict[str, object]]:
    """Named parameters of an insert: the fields of each row, and the table they belong to."""
    return [{**asdict(row), "table_id": table_id} for row in rows]


async def _meet(db: aiosqlite.Connection, person: Person) -> None:
    await db.execute(
        "INSERT INTO members (user_id, name) VALUES (?, ?)"
        " ON CONFLICT (user_id) DO UPDATE SET name = excluded.name WHERE name <> excluded.name",
        (person.user_id, person.name),
    )


def _tenure(row: sqlite3.Row) -> Tenure:
    return Tenure(**{**dict(row), "absent": bool(row["absent"]), "kept": bool(row["kept"])})
