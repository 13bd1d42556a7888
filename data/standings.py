"""Finished games, and what they add up to: the SQL of standings and leaderboards."""

import json
import sqlite3
from collections.abc import AsyncIterator, Iterable, Mapping
from itertools import groupby
from typing import Any, Final

from canasta_core.tables.standings import (
    Game,
    Leaderboard,
    Line,
    Order,
    PlayedGame,
    Pool,
    SeatRound,
    Share,
    Skill,
    Standing,
)
from data.database import Database

Row = sqlite3.Row

_VALUE: Final[Mapping[Order, str]] = {
    Order.RATING: "rating",
    Order.WINS: "wins",
    Order.GAMES: "games",
    Order.WIN_RATE: "win_rate",
    Order.ROUND_AVERAGE: "round_average",
    Order.CANASTAS: "canastas",
    Order.FASTEST_EXIT: "fastest_exit",
    Order.BIGGEST_ROUND: "biggest_round",
    Order.BEST_STREAK: "best_streak",
}
"""The column of each order; each has an index of its own."""
_SHOWN: Final = (
    " AND standings.user_id > 0 AND (:scope <> 0 OR EXISTS (SELECT 1 FROM preferences"
    " WHERE preferences.user_id = standings.user_id AND key = 'worldwide' AND value = 'on'))"
)
"""Nobody who wants to be forgotten is shown, and on the board of all servers only those who agreed."""
_PAGE: Final = 1_000
"""Games read at once when all are gone through."""


def _statement(template: str, order: Order) -> str:
    """Put in the order's column, and how it runs: few turns are better, of all else many."""
    better, direction = ("<", "") if order is Order.FASTEST_EXIT else (">", " DESC")
    words = {"@shown": _SHOWN, "@value": _VALUE[order], "@better": better, "@direction": direction}
    for word, meaning in words.items():
        template = template.replace(word, meaning)
    return template


BOARD: Final = (
    "SELECT standings.user_id, coalesce(members.name, '') AS name, @value AS value, mu, sigma, games, wins,"
    " rounds, points, canastas, naturals, exits, concealed, fastest_exit, biggest_round, streak,"
    " best_streak, last_at FROM standings INDEXED BY standings_by_@value"
    " LEFT JOIN members ON members.user_id = standings.user_id"
    " WHERE pool_id = :pool AND @value IS NOT NULL AND games >= :minimum@shown"
    " ORDER BY @value@direction, standings.user_id LIMIT :limit OFFSET :offset"
)
COUNT: Final = (
    "SELECT count(*) FROM standings INDEXED BY standings_by_@value"
    " WHERE pool_id = :pool AND @value IS NOT NULL AND games >= :minimum@shown"
)
BETTER: Final = (
    "SELECT count(*) FROM standings INDEXED BY standings_by_@value"
    " WHERE pool_id = :pool AND @value @better :value"
    " AND games >= :minimum@shown"
)
MINE: Final = (
    "SELECT standings.user_id, coalesce(members.name, '') AS name, @value AS value, mu, sigma, games, wins,"
    " rounds, points, canastas, naturals, exits, concealed, fastest_exit, biggest_round, streak,"
    " best_streak, last_at FROM standings LEFT JOIN members ON members.user_id = standings.user_id"
    " WHERE pool_id = :pool AND standings.user_id = :user AND @value IS NOT NULL AND games >= :minimum@shown"
)


def statements(order: Order) -> dict[str, str]:
    """The statements of a leaderboard, by name."""
    templates = {"board": BOARD, "count": COUNT, "better": BETTER, "mine": MINE}
    return {name: _statement(template, order) for name, template in templates.items()}


class SqliteStandings:
    """What `ports.TableStore` promises about standings."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def standings(self, keys: Iterable[tuple[Pool, int]]) -> dict[tuple[Pool, int], Standing]:
        wanted = list(keys)
        rows = await self._database.fetch(
            "SELECT scope, name, season, standings.user_id, mu, sigma, games, wins, rounds, points, canastas,"
            " naturals, exits, concealed, fastest_exit, biggest_round, streak, best_streak, last_at"
            " FROM json_each(:keys) AS wanted"
            " JOIN pools ON pools.scope = json_extract(wanted.value, '$[0]')"
            " AND pools.name = json_extract(wanted.value, '$[1]')"
            " AND pools.season = json_extract(wanted.value, '$[2]')"
            " JOIN standings ON standings.pool_id = pools.id"
            " AND standings.user_id = json_extract(wanted.value, '$[3]')",
            {"keys": json.dumps([[pool.scope, pool.name, pool.season, user] for pool, user in wanted])},
        )
        return {
            (Pool(row["scope"], row["name"], row["season"]), row["user_id"]): _standing(row) for row in rows
        }

    async def all_standings(self) -> dict[tuple[Pool, int], Standing]:
        """Every standing there is: for counting again, not for showing."""
        rows = await self._database.fetch(
            "SELECT scope, name, season, user_id, mu, sigma, games, wins, rounds, points, canastas, naturals,"
            " exits, concealed, fastest_exit, biggest_round, streak, best_streak, last_at"
            " FROM standings JOIN pools ON pools.id = standings.pool_id"
        )
        return {
            (Pool(row["scope"], row["name"], row["season"]), row["user_id"]): _standing(row) for row in rows
        }

    async def seat_rounds(self, table_id: int) -> list[SeatRound]:
        rows = await self._database.fetch(
            "SELECT round_number, seat, user_id, points, canastas, naturals, went_out, concealed, turns"
            " FROM seat_rounds WHERE table_id = ? ORDER BY round_number, seat",
            (table_id,),
        )
        return [_seat_round(row) for row in rows]

    async def games(self) -> AsyncIterator[tuple[int, Game]]:
        """Every finished game with its table, in the order in which they count."""
        after = 0
        while rows := await self._database.fetch(
            "SELECT number, table_id, guild_id, profile, shape, finished_at FROM games"
            " WHERE number > ? ORDER BY number LIMIT ?",
            (after, _PAGE),
        ):
            after = rows[-1]["number"]
            tables = json.dumps([row["table_id"] for row in rows])
            shares = await self._by_table(
                "SELECT table_id, seat, team, user_id, ai, whole, score, won FROM results"
                " WHERE table_id IN (SELECT value FROM json_each(?)) ORDER BY table_id, seat",
                tables,
            )
            rounds = await self._by_table(
                "SELECT table_id, round_number, seat, user_id, points, canastas, naturals, went_out,"
                " concealed, turns FROM seat_rounds WHERE table_id IN (SELECT value FROM json_each(?))"
                " ORDER BY table_id, round_number, seat",
                tables,
            )
            for row in rows:
                table_id = row["table_id"]
                yield (
                    table_id,
                    Game(
                        row["guild_id"],
                        row["profile"],
                        row["shape"],
                        row["finished_at"],
                        tuple(map(_share, shares.get(table_id, ()))),
                        tuple(map(_seat_round, rounds.get(table_id, ()))),
                    ),
                )

    async def _by_table(self, sql: str, tables: str) -> dict[int, list[Any]]:
        rows = await self._database.fetch(sql, (tables,))
        return {table_id: list(found) for table_id, found in groupby(rows, key=lambda row: row["table_id"])}

    async def leaderboard(
        self, pool: Pool, order: Order, *, minimum: int, limit: int, offset: int
    ) -> Leaderboard:
        pool_id = await self._pool_id(pool)
        if pool_id is None:
            return Leaderboard((), 0)
        sql = statements(order)
        asked = {
            "pool": pool_id,
            "scope": pool.scope,
            "minimum": minimum,
            "limit": limit,
            "offset": offset,
        }
        rows = await self._database.fetch(sql["board"], asked)
        count = (await self._database.fetch(sql["count"], asked))[0][0]
        if not rows:
            return Leaderboard((), count)
        better = await self._database.fetch(sql["better"], {**asked, "value": rows[0]["value"]})
        lines: list[Line] = []
        for number, row in enumerate(rows):
            if number == 0:
                place = better[0][0] + 1
            elif row["value"] != rows[number - 1]["value"]:
                place = offset + number + 1
            lines.append(Line(place, row["user_id"], row["name"], _standing(row)))
        return Leaderboard(tuple(lines), count)

    async def place_of(self, pool: Pool, order: Order, user_id: int, minimum: int) -> Line | None:
        pool_id = await self._pool_id(pool)
        if pool_id is None:
            return None
        sql = statements(order)
        asked = {"pool": pool_id, "scope": pool.scope, "minimum": minimum, "user": user_id}
        rows = await self._database.fetch(sql["mine"], asked)
        if not rows:
            return None
        better = await self._database.fetch(sql["better"], {**asked, "value": rows[0]["value"]})
        return Line(better[0][0] + 1, user_id, rows[0]["name"], _standing(rows[0]))

    async def pools_in(self, scope: int) -> list[Pool]:
        """Pools of a scope in which somebody has played, by name and season."""
        rows = await self._database.fetch(
            "SELECT name, season FROM pools WHERE scope = ? ORDER BY name, season", (scope,)
        )
        return [Pool(scope, row["name"], row["season"]) for row in rows]

    async def played(self, user_id: int, guild_id: int | None = None) -> list[PlayedGame]:
        """Finished games in which a person sat at the end, oldest first."""
        rows = await self._database.fetch(
            "SELECT games.number, mine.table_id, mine.guild_id, mine.profile, mine.shape, mine.finished_at,"
            " mine.seat AS own, mine.rating_before, mine.rating_after,"
            " results.seat, results.team, results.user_id, results.ai, results.whole, results.score,"
            " results.won, coalesce(members.name, results.name) AS name"
            " FROM results AS mine JOIN games ON games.table_id = mine.table_id"
            " JOIN results ON results.table_id = mine.table_id"
            " LEFT JOIN members ON members.user_id = results.user_id"
            " WHERE mine.user_id = :user AND (:guild IS NULL OR mine.guild_id = :guild)"
            " ORDER BY games.number, mine.seat, results.seat",
            {"user": user_id, "guild": guild_id},
        )
        return [
            played_game(list(found))
            for _, found in groupby(rows, key=lambda row: (row["number"], row["own"]))
        ]

    async def _pool_id(self, pool: Pool) -> int | None:
        rows = await self._database.fetch(
            "SELECT id FROM pools WHERE scope = ? AND name = ? AND season = ?",
            (pool.scope, pool.name, pool.season),
        )
        return rows[0]["id"] if rows else None

    async def replace_standings(
        self,
        standings: Mapping[tuple[Pool, int], Standing],
        ratings: Mapping[tuple[int, int], tuple[float, float]],
    ) -> None:
        """Put these in the place of all standings; `ratings` before and after, by table and seat."""

        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM standings")
            db.execute("DELETE FROM pools")
            db.execute("UPDATE results SET rating_before = NULL, rating_after = NULL")
            write_standings(db, standings)
            write_ratings(db, ratings)

        await self._database.write(work)


def write_game(db: sqlite3.Connection, table_id: int, game: Game) -> None:
    """A game has finished: its number is its place in the order."""
    db.execute(
        "INSERT INTO games (table_id, guild_id, profile, shape, finished_at) VALUES (?, ?, ?, ?, ?)",
        (table_id, game.guild_id, game.profile, game.shape, game.finished_at),
    )


def write_seat_rounds(db: sqlite3.Connection, table_id: int, rounds: Iterable[SeatRound]) -> None:
    db.executemany(
        "INSERT INTO seat_rounds (table_id, round_number, seat, user_id, points, canastas, naturals,"
        " went_out, concealed, turns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                table_id,
                one.round_number,
                one.seat,
                one.user_id,
                one.points,
                one.canastas,
                one.naturals,
                one.went_out,
                one.concealed,
                one.turns,
            )
            for one in rounds
        ],
    )


def write_standings(db: sqlite3.Connection, standings: Mapping[tuple[Pool, int], Standing]) -> None:
    """Insert or bring up to date."""
    pools = sorted({pool for pool, _ in standings})
    db.executemany(
        "INSERT INTO pools (scope, name, season) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(pool.scope, pool.name, pool.season) for pool in pools],
    )
    numbers = {}
    for pool in pools:
        row = db.execute(
            "SELECT id FROM pools WHERE scope = ? AND name = ? AND season = ?",
            (pool.scope, pool.name, pool.season),
        ).fetchone()
        numbers[pool] = row[0]
    db.executemany(
        "INSERT OR REPLACE INTO standings (pool_id, user_id, mu, sigma, rating, games, wins, win_rate,"
        " rounds, points, round_average, canastas, naturals, exits, concealed, fastest_exit,"
        " biggest_round, streak, best_streak, last_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                numbers[pool],
                user_id,
                one.skill.mu,
                one.skill.sigma,
                one.skill.rating,
                one.games,
                one.wins,
                one.win_rate,
                one.rounds,
                one.points,
                one.round_average,
                one.canastas,
                one.naturals,
                one.exits,
                one.concealed,
                one.fastest_exit,
                one.biggest_round,
                one.streak,
                one.best_streak,
                one.last_at,
            )
            for (pool, user_id), one in standings.items()
        ],
    )


def write_ratings(db: sqlite3.Connection, ratings: Mapping[tuple[int, int], tuple[float, float]]) -> None:
    """Ratings before and after the game, by table and seat."""
    db.executemany(
        "UPDATE results SET rating_before = ?, rating_after = ? WHERE table_id = ? AND seat = ?",
        [(before, after, table, seat) for (table, seat), (before, after) in ratings.items()],
    )


def _standing(row: Row) -> Standing:
    return Standing(
        skill=Skill(row["mu"], row["sigma"]),
        games=row["games"],
        wins=row["wins"],
        rounds=row["rounds"],
        points=row["points"],
        canastas=row["canastas"],
        naturals=row["naturals"],
        exits=row["exits"],
        concealed=row["concealed"],
        fastest_exit=row["fastest_exit"],
        biggest_round=row["biggest_round"],
        streak=row["streak"],
        best_streak=row["best_streak"],
        last_at=row["last_at"],
    )


def _share(row: Row) -> Share:
    return Share(
        row["seat"],
        row["team"],
        row["user_id"],
        row["ai"],
        bool(row["whole"]),
        row["score"],
        bool(row["won"]),
    )


def _seat_round(row: Row) -> SeatRound:
    return SeatRound(
        row["round_number"],
        row["seat"],
        row["user_id"],
        row["points"],
        row["canastas"],
        row["naturals"],
        bool(row["went_out"]),
        bool(row["concealed"]),
        row["turns"],
    )


def played_game(rows: list[Any]) -> PlayedGame:
    """From the rows of all seats of one game."""
    shares = {row["seat"]: (_share(row), row["name"]) for row in rows}
    first = rows[0]
    own, name = shares.pop(first["own"])
    return PlayedGame(
        table_id=first["table_id"],
        guild_id=first["guild_id"],
        profile=first["profile"],
        shape=first["shape"],
        finished_at=first["finished_at"],
        share=own,
        name=name,
        others=tuple(shares.values()),
        rating_before=first["rating_before"],
        rating_after=first["rating_after"],
    )
