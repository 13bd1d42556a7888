"""How fast a leaderboard answers: a server with very many people and results, on a real file.

The standings are drawn at random, not played: what is measured is reading them.
"""

import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from canasta_core.tables.standings import ALL, Order, Pool, Skill, Standing
from data.sqlite_store import SqliteStore
from data.standings import write_standings

GUILD = 1
SEASONS = (ALL, "2026", "2026-11")
SEATS = 4


def standings(people: int, rng: random.Random) -> Iterator[tuple[tuple[Pool, int], Standing]]:
    """One for everybody in the pools of two kinds and three seasons."""
    for user_id in range(1, people + 1):
        for name in (ALL, "classic 2x2"):
            for season in SEASONS:
                games = rng.randint(1, 40)
                rounds = 4 * games
                yield (
                    (Pool(GUILD, name, season), user_id),
                    Standing(
                        skill=Skill(rng.gauss(25, 5), rng.uniform(1, 8)),
                        games=games,
                        wins=rng.randint(0, games),
                        rounds=rounds,
                        points=rounds * rng.randint(100, 900),
                        canastas=rng.randint(0, rounds),
                        fastest_exit=rng.choice((None, rng.randint(3, 20))),
                        biggest_round=5 * rng.randint(50, 600),
                        best_streak=rng.randint(0, games),
                    ),
                )


def results(count: int, people: int, rng: random.Random) -> Iterator[tuple[int, int, int]]:
    """Table, seat and user id of each."""
    for number in range(count):
        yield number // SEATS + 1, number % SEATS, rng.randint(1, people)


async def fill(store: SqliteStore, people: int, count: int) -> None:
    rng = random.Random(people)
    made = dict(standings(people, rng))
    shares = list(results(count, people, rng))

    def work(db: sqlite3.Connection) -> None:
        db.executemany(
            "INSERT INTO members (user_id, name) VALUES (?, ?)",
            [(user_id, f"Player {user_id}") for user_id in range(1, people + 1)],
        )
        db.executemany(
            "INSERT INTO tables (id, guild_id, channel_id, host_id, locale, profile, rules, stage, version,"
            " began, turn_version, recent, commitment, created_at, ended, ended_version)"
            " VALUES (?, 1, 1, 1, 'en', 'classic', '', 'ended', 1, 1, 0, '', '', 0, 'finished', 1)",
            [(table,) for table in range(1, count // SEATS + 1)],
        )
        db.executemany(
            "INSERT INTO games (table_id, guild_id, profile, shape, finished_at)"
            " VALUES (?, 1, 'classic', '2x2', 0)",
            [(table,) for table in range(1, count // SEATS + 1)],
        )
        db.executemany(
            "INSERT INTO results (table_id, guild_id, profile, shape, seat, team, user_id, ai, name, whole,"
            " score, won, rounds, finished_at) VALUES (?, 1, 'classic', '2x2', ?, ?, ?, '', '', 1, 5000, ?,"
            " 4, 0)",
            [(table, seat, seat % 2, user, seat % 2) for table, seat, user in shares],
        )
        write_standings(db, made)

    await store.database.write(work)


async def measure(people: int, count: int, times: int = 20) -> list[tuple[str, float, float]]:
    """What was asked, and milliseconds: median and longest."""
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "board.db")
        await store.open()
        try:
            await fill(store, people, count)
            found = []
            for order in Order:
                took = []
                for _ in range(times):
                    pool = Pool(GUILD, rng.choice((ALL, "classic 2x2")), rng.choice(SEASONS))
                    start = time.perf_counter()
                    # What a page asks: some lines, and the line of whoever asks.
                    offset = 10 * rng.randrange(people // 20)
                    await store.leaderboard(pool, order, minimum=5, limit=10, offset=offset)
                    await store.place_of(pool, order, rng.randint(1, people), 5)
                    took.append(1000 * (time.perf_counter() - start))
                found.append((f"leaderboard by {order}", statistics.median(took), max(took)))
            took = []
            for _ in range(times):
                start = time.perf_counter()
                await store.played(rng.randint(1, people), GUILD)
                took.append(1000 * (time.perf_counter() - start))
            found.append(("games of one person", statistics.median(took), max(took)))
            return found
        finally:
            await store.close()


async def report(people: int, count: int) -> None:
    print(f"{people:,} people, {count:,} results, a real file; milliseconds, median and longest")
    for what, median, longest in await measure(people, count):
        print(f"{what:32} {median:7.1f} {longest:7.1f}")
