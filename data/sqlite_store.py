"""The TableStore on SQLite: every SQL statement of the bot is here or in `migrations/`."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from canasta_core.tables.errors import StaleTable
from canasta_core.tables.model import Message, Person, Tenure
from canasta_core.tables.ports import Commit, GlanceRow, LogRow, NoticeRow, ResultRow, RoundRow, TableRow
from data.archive import packed_log
from data.cups import SqliteCups, write_place
from data.database import Database
from data.history import SqliteHistory
from data.privacy import SqlitePrivacy
from data.standings import SqliteStandings, write_game, write_seat_rounds, write_standings


class SqliteStore(SqliteHistory, SqlitePrivacy, SqliteStandings, SqliteCups):
    """Tables in one SQLite file; see `ports.TableStore` for what each method promises."""

    def __init__(self, path: str | Path, *, busy_timeout: float = 5.0) -> None:
        """`busy_timeout`: seconds to wait for another process that holds the file."""
        super().__init__(Database(path, busy_timeout=busy_timeout))

    @property
    def database(self) -> Database:
        """The file itself, for what looks after it."""
        return self._database

    async def open(self) -> None:
        await self._database.open()

    async def close(self) -> None:
        await self._database.close()

    async def commit(self, commit: Commit) -> int:
        return await self._database.write(partial(_write_commit, commit))

    async def load(self, table_id: int) -> tuple[TableRow, list[Tenure]] | None:
        return await self._database.read(partial(_read_table, table_id))

    async def load_all(self, table_ids: Iterable[int]) -> list[tuple[TableRow, list[Tenure]]]:
        ids = list(table_ids)

        def read(db: sqlite3.Connection) -> list[tuple[TableRow, list[Tenure]]]:
            return [found for each in ids if (found := _read_table(each, db)) is not None]

        return await self._database.read(read)

    async def glances(self, table_ids: Iterable[int]) -> list[tuple[GlanceRow, list[Tenure]]]:
        return await self._database.read(partial(_read_glances, json.dumps(list(table_ids))))

    async def versions_in(self, guild_id: int) -> dict[int, int]:
        rows = await self._database.fetch(
            "SELECT id, version FROM tables WHERE guild_id = ? AND stage <> 'ended' ORDER BY id", (guild_id,)
        )
        return {row["id"]: row["version"] for row in rows}

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
        if not rows:
            return await packed_log(self._database, table_id)
        return [LogRow(**dict(row)) for row in rows]

    async def log_row(self, table_id: int, version: int) -> LogRow | None:
        rows = await self._database.fetch(
            "SELECT version, at, what, actor, seat, action, events, detail"
            " FROM table_log WHERE table_id = ? AND version = ?",
            (table_id, version),
        )
        if not rows:
            packed = await packed_log(self._database, table_id)
            return next((row for row in packed if row.version == version), None)
        return LogRow(**dict(rows[0]))

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
            " finished_at, rating_before, rating_after FROM results WHERE table_id = ? ORDER BY seat",
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

    async def earliest_alarm(self, after: float | None = None) -> float | None:
        if after is None:
            rows = await self._database.fetch("SELECT min(alarm) FROM tables WHERE alarm IS NOT NULL")
        else:
            rows = await self._database.fetch("SELECT min(alarm) FROM tables WHERE alarm > ?", (after,))
        return None if rows[0][0] is None else float(rows[0][0])

    async def due(self, now: float) -> list[int]:
        rows = await self._database.fetch("SELECT id FROM tables WHERE alarm <= ? ORDER BY alarm, id", (now,))
        return [row[0] for row in rows]

    async def remind(
        self,
        table_id: int,
        version: int,
        *,
        reminder: float | None,
        alarm: float | None,
        wait: str,
        notice: NoticeRow | None = None,
    ) -> bool:
        def write(db: sqlite3.Connection) -> bool:
            updated = db.execute(
                "UPDATE tables SET reminder = ?, alarm = ?, wait = ? WHERE id = ? AND version = ?",
                (reminder, alarm, wait, table_id, version),
            ).rowcount
            if updated and notice is not None:
                _write_notices(db, table_id, (notice,))
            return bool(updated)

        return await self._database.write(write)

    async def to_tell(self) -> list[int]:
        rows = await self._database.fetch("SELECT DISTINCT table_id FROM outbox ORDER BY table_id")
        return [row[0] for row in rows]

    async def notices(self, table_id: int) -> list[NoticeRow]:
        rows = await self._database.fetch(
            "SELECT id, outbox.table_id, outbox.version, kind, data, coalesce(events, '') AS events"
            " FROM outbox LEFT JOIN table_log"
            " ON table_log.table_id = outbox.table_id AND table_log.version = outbox.version"
            " WHERE outbox.table_id = ? ORDER BY id",
            (table_id,),
        )
        return [NoticeRow(**dict(row)) for row in rows]

    async def told(self, notice_ids: Iterable[int]) -> None:
        ids = [(each,) for each in notice_ids]
        await self._database.write(lambda db: db.executemany("DELETE FROM outbox WHERE id = ?", ids))

    async def message(self, table_id: int, slot: str) -> Message | None:
        rows = await self._database.fetch(
            "SELECT channel_id, message_id, version FROM messages WHERE table_id = ? AND slot = ?",
            (table_id, slot),
        )
        return Message(**dict(rows[0])) if rows else None

    async def remember_message(self, table_id: int, slot: str, message: Message) -> None:
        await self._execute(
            "INSERT INTO messages (table_id, slot, channel_id, message_id, version)"
            " VALUES (?, ?, ?, ?, ?) ON CONFLICT (table_id, slot) DO UPDATE SET"
            " channel_id = excluded.channel_id, message_id = excluded.message_id,"
            " version = excluded.version",
            (table_id, slot, message.channel_id, message.message_id, message.version),
        )

    async def forget_message(self, table_id: int, slot: str) -> None:
        await self._execute("DELETE FROM messages WHERE table_id = ? AND slot = ?", (table_id, slot))

    async def guild_settings(self, guild_id: int) -> dict[str, str]:
        rows = await self._database.fetch(
            "SELECT key, value FROM guild_settings WHERE guild_id = ? ORDER BY key", (guild_id,)
        )
        return {row["key"]: row["value"] for row in rows}

    async def set_guild_setting(self, guild_id: int, key: str, value: str | None) -> None:
        if value is None:
            await self._execute("DELETE FROM guild_settings WHERE guild_id = ? AND key = ?", (guild_id, key))
        else:
            await self._execute(
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
        if value is None:
            await self._execute("DELETE FROM preferences WHERE user_id = ? AND key = ?", (user_id, key))
        else:
            await self._execute(
                "INSERT INTO preferences (user_id, key, value) VALUES (?, ?, ?)"
                " ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value",
                (user_id, key, value),
            )

    async def meet(self, person: Person) -> None:
        await self._database.write(partial(_meet, person))

    async def names(self, user_ids: Iterable[int]) -> Mapping[int, str]:
        rows = await self._database.fetch(
            "SELECT user_id, name FROM members WHERE user_id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(user_ids)),),
        )
        return {row["user_id"]: row["name"] for row in rows}

    async def _execute(self, sql: str, parameters: tuple[object, ...]) -> None:
        """One statement that writes."""
        await self._database.write(lambda db: db.execute(sql, parameters))


def _write_commit(commit: Commit, db: sqlite3.Connection) -> int:
    table_id = _write_table(db, commit)
    db.executemany(
        "INSERT INTO table_log (table_id, version, at, what, actor, seat, action, events, detail)"
        " VALUES (:table_id, :version, :at, :what, :actor, :seat, :action, :events, :detail)",
        _rows(table_id, commit.log),
    )
    _write_seats(db, table_id, commit)
    _write_results(db, table_id, commit)
    if commit.seat_rounds:
        write_seat_rounds(db, table_id, commit.seat_rounds)
    if commit.game is not None:
        write_game(db, table_id, commit.game)
        write_standings(db, commit.standings)
    if commit.place is not None:
        write_place(db, table_id, commit.place)
    if commit.notices:
        _write_notices(db, table_id, commit.notices)
    for person in commit.people:
        _meet(person, db)
    return table_id


def _read_table(table_id: int, db: sqlite3.Connection) -> tuple[TableRow, list[Tenure]] | None:
    row = db.execute(
        "SELECT id, guild_id, channel_id, host_id, locale, profile, rules, stage, version, began,"
        " turn_version, state, recent, commitment, deadline, created_at, ended, ended_version, clock,"
        " reminder, alarm, ai_turn, paused, wait, undo, before, proposal, invites, lost, away_limit, played,"
        " touched_at, tally, duplicate_of, packs FROM tables WHERE id = ?",
        (table_id,),
    ).fetchone()
    if row is None:
        return None
    table = TableRow(**{**dict(row), "ai_turn": bool(row["ai_turn"]), "undo": bool(row["undo"])})
    seats = db.execute(
        "SELECT seat, seats.user_id, ai, coalesce(members.name, seats.name) AS name,"
        " from_version, from_at, to_version, to_at, missed, absent, kept, away_until, away_used"
        " FROM seats LEFT JOIN members ON members.user_id = seats.user_id"
        " WHERE table_id = ? AND (to_version IS NULL OR to_version = ?) ORDER BY seat",
        (table_id, table.ended_version),
    )
    return table, [_tenure(row) for row in seats]


def _read_glances(table_ids: str, db: sqlite3.Connection) -> list[tuple[GlanceRow, list[Tenure]]]:
    """`table_ids` is a JSON list: two statements for all, not two for each."""
    seats: defaultdict[int, list[Tenure]] = defaultdict(list)
    for row in db.execute(
        "SELECT table_id, seat, seats.user_id, ai, coalesce(members.name, seats.name) AS name,"
        " from_version, from_at, to_version, to_at, missed, absent, kept, away_until, away_used"
        " FROM seats LEFT JOIN members ON members.user_id = seats.user_id"
        " WHERE to_version IS NULL AND table_id IN (SELECT value FROM json_each(?)) ORDER BY table_id, seat",
        (table_ids,),
    ):
        seats[row["table_id"]].append(_tenure(row))
    tables = db.execute(
        "SELECT id, guild_id, channel_id, host_id, locale, rules, stage, version, state, deadline, paused,"
        " invites, lost FROM tables"
        " WHERE stage <> 'ended' AND id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (table_ids,),
    )
    return [(GlanceRow(**dict(row)), seats[row["id"]]) for row in tables]


def _write_table(db: sqlite3.Connection, commit: Commit) -> int:
    """Insert or update the snapshot and return its id. Raises StaleTable."""
    row = commit.table
    if not row.id:
        inserted = db.execute(
            "INSERT INTO tables (guild_id, channel_id, host_id, locale, profile, rules, stage, version,"
            " began, turn_version, state, recent, commitment, deadline, created_at, ended, ended_version,"
            " clock, reminder, alarm, ai_turn, paused, wait, undo, before, proposal, invites, lost,"
            " away_limit, played, touched_at, tally, duplicate_of, packs)"
            " VALUES (:guild_id, :channel_id, :host_id, :locale, :profile, :rules, :stage, :version,"
            " :began, :turn_version, :state, :recent, :commitment, :deadline, :created_at, :ended,"
            " :ended_version, :clock, :reminder, :alarm, :ai_turn, :paused, :wait, :undo, :before, :proposal,"
            " :invites, :lost, :away_limit, :played, :touched_at, :tally, :duplicate_of, :packs)",
            _values(row),
        )
        assert inserted.lastrowid is not None, "an insert has a row id"
        return inserted.lastrowid
    updated = db.execute(
        "UPDATE tables SET guild_id = :guild_id, channel_id = :channel_id, host_id = :host_id,"
        " locale = :locale, profile = :profile, rules = :rules, stage = :stage, version = :version,"
        " began = :began, turn_version = :turn_version, state = :state, recent = :recent,"
        " commitment = :commitment, deadline = :deadline, ended = :ended, ended_version = :ended_version,"
        " clock = :clock, reminder = :reminder, alarm = :alarm, ai_turn = :ai_turn, paused = :paused,"
        " wait = :wait, undo = :undo, before = :before, proposal = :proposal, invites = :invites,"
        " lost = :lost, away_limit = :away_limit, played = :played, touched_at = :touched_at, tally = :tally,"
        " packs = :packs"
        " WHERE id = :id AND version = :before_version",
        {**_values(row), "before_version": commit.before},
    )
    if not updated.rowcount:
        stored = db.execute("SELECT version FROM tables WHERE id = ?", (row.id,)).fetchone()
        raise StaleTable(version=stored["version"] if stored else 0)
    return row.id


def _write_seats(db: sqlite3.Connection, table_id: int, commit: Commit) -> None:
    if commit.left:
        db.executemany(
            "UPDATE seats SET to_version = ?, to_at = ?"
            " WHERE table_id = ? AND seat = ? AND to_version IS NULL",
            [(version, at, table_id, seat) for seat, version, at in commit.left],
        )
    if commit.sat:
        db.executemany(
            "INSERT INTO seats (table_id, seat, user_id, ai, name, from_version, from_at, to_version, to_at,"
            " missed, absent, kept, away_until, away_used)"
            " VALUES (:table_id, :seat, :user_id, :ai, :name, :from_version, :from_at, :to_version, :to_at,"
            " :missed, :absent, :kept, :away_until, :away_used)",
            _rows(table_id, commit.sat),
        )
    if commit.seated:
        db.executemany(
            "UPDATE seats SET missed = ?, absent = ?, kept = ?, away_until = ?, away_used = ?"
            " WHERE table_id = ? AND seat = ? AND to_version IS NULL",
            [
                (one.missed, one.absent, one.kept, one.away_until, one.away_used, table_id, one.seat)
                for one in commit.seated
            ],
        )


def _write_notices(db: sqlite3.Connection, table_id: int, notices: Iterable[NoticeRow]) -> None:
    db.executemany(
        "INSERT INTO outbox (table_id, version, kind, data) VALUES (?, ?, ?, ?)",
        [(table_id, notice.version, notice.kind, notice.data) for notice in notices],
    )


def _write_results(db: sqlite3.Connection, table_id: int, commit: Commit) -> None:
    if commit.rounds:
        db.executemany(
            "INSERT INTO round_results (table_id, round_number, team, points, score, reason, sheet,"
            " finished_at) VALUES (:table_id, :round_number, :team, :points, :score, :reason, :sheet,"
            " :finished_at)",
            _rows(table_id, commit.rounds),
        )
    if commit.results:
        db.executemany(
            "INSERT INTO results (table_id, guild_id, profile, shape, seat, team, user_id, ai, name, whole,"
            " score, won, rounds, finished_at, rating_before, rating_after) VALUES (:table_id, :guild_id,"
            " :profile, :shape, :seat, :team, :user_id, :ai, :name, :whole, :score, :won, :rounds,"
            " :finished_at, :rating_before, :rating_after)",
            _rows(table_id, commit.results),
        )


def _rows(table_id: int, rows: Iterable[LogRow | Tenure | RoundRow | ResultRow]) -> list[dict[str, object]]:
    """Named parameters of an insert: the fields of each row, and the table they belong to."""
    return [{**_values(row), "table_id": table_id} for row in rows]


def _values(row: TableRow | LogRow | Tenure | RoundRow | ResultRow) -> dict[str, object]:
    """The fields of a row; they hold no rows of their own, so nothing has to be copied."""
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


def _meet(person: Person, db: sqlite3.Connection) -> None:
    db.execute(
        "INSERT INTO members (user_id, name) VALUES (?, ?)"
        " ON CONFLICT (user_id) DO UPDATE SET name = excluded.name WHERE name <> excluded.name",
        (person.user_id, person.name),
    )


def _tenure(row: sqlite3.Row) -> Tenure:
    """The row may say of which table it is; a tenure does not."""
    found = {**dict(row), "absent": bool(row["absent"]), "kept": bool(row["kept"])}
    found.pop("table_id", None)
    return Tenure(**found)
