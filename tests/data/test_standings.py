"""Standings on a real file: two thousand games against a recount of their own, and leaderboards in order."""

import sqlite3
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from statistics import mean

import pytest
from openskill.models import PlackettLuce

from canasta_core.tables.model import Person
from canasta_core.tables.recount import recount
from canasta_core.tables.standings import WORLD, Game, Order, Pool, Standing
from data.sqlite_store import SqliteStore
from data.standings import statements
from ratings import OpenSkill
from tests.data.league import GUILDS, League, finish, finish_all

GAMES = 2_000
ONE_BY_ONE = 120
"""Games at the end that are stored as the bot does it, each on what the store has by then."""
PEOPLE = 30


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Game], League]:
    """A file with all games of a league."""
    import asyncio

    path = tmp_path_factory.mktemp("league") / "canasta.db"
    league = League(5, PEOPLE)
    games = list(league.games(GAMES))

    async def store_all() -> None:
        store = SqliteStore(path)
        await store.open()
        await finish_all(store, games[:-ONE_BY_ONE], OpenSkill())
        for game in games[-ONE_BY_ONE:]:
            await finish(store, game, OpenSkill())
        await store.close()

    asyncio.run(store_all())
    return path, games, league


@pytest.fixture
async def store(played: tuple[Path, list[Game], League]) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(played[0])
    await store.open()
    yield store
    await store.close()


class OwnCount:
    """One pool counted from the games by other means: plain lists, and openskill called directly."""

    def __init__(self, games: Sequence[Game]) -> None:
        self.model = PlackettLuce()
        self.skill = defaultdict(self.model.rating)
        self.won: dict[int, list[bool]] = defaultdict(list)
        self.rounds = defaultdict(list)
        self.after: dict[int, list[float]] = defaultdict(list)
        for game in games:
            self._add(game)

    def _add(self, game: Game) -> None:
        teams: dict[int, list] = defaultdict(list)
        for share in game.shares:
            teams[share.team].append(share)
        order = sorted(teams)
        best = {team: (any(one.won for one in teams[team]), teams[team][0].score) for team in order}
        ranks = [sum(best[other] > best[team] for other in order) for team in order]
        sides = [
            [
                self.model.rating(mu=25.0, sigma=1.0) if one.user_id is None else self.skill[one.user_id]
                for one in teams[team]
            ]
            for team in order
        ]
        rated = self.model.rate(sides, ranks=ranks)
        for team, side in zip(order, rated, strict=True):
            for share, skill in zip(teams[team], side, strict=True):
                if share.user_id is None or not share.whole:
                    continue
                self.skill[share.user_id] = skill
                self.won[share.user_id].append(share.won)
                self.rounds[share.user_id] += [one for one in game.rounds if one.seat == share.seat]
                self.after[share.user_id].append(1000 + 40 * (skill.mu - 3 * skill.sigma))

    def standing(self, user_id: int) -> dict[str, object]:
        won, rounds = self.won[user_id], self.rounds[user_id]
        exits = [one for one in rounds if one.went_out]
        runs = [len(list(run)) for good, run in groupby(won) if good]
        return {
            "mu": self.skill[user_id].mu,
            "sigma": self.skill[user_id].sigma,
            "games": len(won),
            "wins": sum(won),
            "rounds": len(rounds),
            "points": sum(one.points for one in rounds),
            "canastas": sum(one.canastas for one in rounds),
            "naturals": sum(one.naturals for one in rounds),
            "exits": len(exits),
            "concealed": sum(one.concealed for one in exits),
            "fastest_exit": min((one.turns for one in exits), default=None),
            "biggest_round": max((one.points for one in rounds), default=None),
            "streak": next((n for n, good in enumerate(reversed(won)) if not good), len(won)),
            "best_streak": max(runs, default=0),
        }


def belongs(game: Game, pool: Pool) -> bool:
    moment = datetime.fromtimestamp(game.finished_at, UTC)
    kind = " ai" if any(share.user_id is None for share in game.shares) else ""
    return (
        pool.scope in (WORLD, game.guild_id)
        and pool.name in (f"{game.profile} {game.shape}{kind}", f"all{kind}")
        and (pool.season == "all" or moment.strftime("%Y-%m").startswith(pool.season))
    )


def as_dict(standing: Standing) -> dict[str, object]:
    own = {name: getattr(standing, name) for name in standing.__slots__ if name not in ("skill", "last_at")}
    return {"mu": standing.skill.mu, "sigma": standing.skill.sigma, **own}


async def test_every_pool_agrees_with_a_count_by_other_means(
    store: SqliteStore, played: tuple[Path, list[Game], League]
) -> None:
    _, games, _ = played
    stored = await store.all_standings()
    pools = sorted({pool for pool, _ in stored})
    months = [pool for pool in pools if "-" in pool.season]
    for pool in [*(pool for pool in pools if pool not in months), *months[::15]]:
        count = OwnCount([game for game in games if belongs(game, pool)])
        people = {user for one, user in stored if one == pool}
        assert people == set(count.won), pool
        for user in people:
            expected = count.standing(user)
            found = as_dict(stored[pool, user])
            assert found == pytest.approx(expected), (pool, user)


async def test_counting_again_gives_the_same_numbers(store: SqliteStore) -> None:
    stored = await store.all_standings()
    made = await recount(store.games(), OpenSkill())
    assert made.games == GAMES
    assert made.standings == stored
    user, guild = next(user for _, user in stored), GUILDS[0]
    before = await store.played(user)
    await store.replace_standings(made.standings, made.ratings)
    assert await store.all_standings() == stored
    assert await store.played(user) == before
    assert any(one.rating_after for one in await store.played(user, guild))


async def test_a_damaged_standing_is_found_and_mended(
    played: tuple[Path, list[Game], League], tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    with closing(sqlite3.connect(played[0])) as db:
        db.execute("VACUUM INTO ?", (str(copy),))
    with closing(sqlite3.connect(copy)) as db, db:
        db.execute(
            "UPDATE standings SET wins = wins + 1 WHERE user_id = (SELECT min(user_id) FROM standings)"
        )
    store = SqliteStore(copy)
    await store.open()
    made = await recount(store.games(), OpenSkill())
    assert made.standings != await store.all_standings()
    await store.replace_standings(made.standings, made.ratings)
    assert made.standings == await store.all_standings()
    await store.close()


async def test_the_stronger_rank_above_the_weaker(
    store: SqliteStore, played: tuple[Path, list[Game], League]
) -> None:
    """Strength rises with the id: the order of ratings has to be almost the order of strengths."""
    league = played[2]
    board = await store.leaderboard(
        Pool(GUILDS[0], "all", "all"), Order.RATING, minimum=1, limit=100, offset=0
    )
    assert board.count == len(board.lines) == PEOPLE
    strengths = [league.people.index(line.user_id) for line in board.lines]
    assert mean(strengths[:5]) > PEOPLE * 0.75
    assert mean(strengths[-5:]) < PEOPLE * 0.25
    pairs = [(a, b) for at, a in enumerate(strengths) for b in strengths[at + 1 :]]
    assert mean(a > b for a, b in pairs) > 0.85


VALUES = {
    Order.RATING: lambda one: one.skill.rating,
    Order.WINS: lambda one: one.wins,
    Order.GAMES: lambda one: one.games,
    Order.WIN_RATE: lambda one: one.win_rate,
    Order.ROUND_AVERAGE: lambda one: one.round_average,
    Order.CANASTAS: lambda one: one.canastas,
    Order.FASTEST_EXIT: lambda one: -one.fastest_exit if one.fastest_exit is not None else None,
    Order.BIGGEST_ROUND: lambda one: one.biggest_round,
    Order.BEST_STREAK: lambda one: one.best_streak,
}


@pytest.mark.parametrize("order", Order)
async def test_leaderboards_are_in_order_and_say_the_right_places(store: SqliteStore, order: Order) -> None:
    pool = Pool(GUILDS[1], "salon 2x2", "2027")
    value = VALUES[order]
    all_of_them = {
        user: value(one)
        for (where, user), one in (await store.all_standings()).items()
        if where == pool and one.games >= 3 and value(one) is not None
    }
    expected = sorted(all_of_them, key=lambda user: (-all_of_them[user], user))
    found = []
    for offset in range(0, len(expected), 7):
        board = await store.leaderboard(pool, order, minimum=3, limit=7, offset=offset)
        assert board.count == len(expected)
        found += board.lines
    assert [line.user_id for line in found] == expected
    for line in found:
        better = sum(other > all_of_them[line.user_id] for other in all_of_them.values())
        assert line.place == better + 1
        assert line.name == f"P{line.user_id}"
        assert await store.place_of(pool, order, line.user_id, 3) == line
    assert await store.place_of(pool, order, 5, 3) is None


async def test_the_world_sees_only_those_who_agreed_and_nobody_who_is_forgotten(
    played: tuple[Path, list[Game], League], tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    with closing(sqlite3.connect(played[0])) as db:
        db.execute("VACUUM INTO ?", (str(copy),))
    store = SqliteStore(copy)
    await store.open()
    world = Pool(WORLD, "all", "all")
    people = played[2].people

    async def shown(pool: Pool) -> set[int]:
        board = await store.leaderboard(pool, Order.WINS, minimum=1, limit=100, offset=0)
        assert board.count == len(board.lines)
        return {line.user_id for line in board.lines}

    assert await shown(world) == set()
    assert await store.place_of(world, Order.WINS, people[3], 1) is None
    await store.set_preference(people[3], "worldwide", "on")
    await store.set_preference(people[4], "worldwide", "off")
    assert await shown(world) == {people[3]}
    line = await store.place_of(world, Order.WINS, people[3], 1)
    assert line is not None
    assert line.place == 1
    with closing(sqlite3.connect(copy)) as db, db:
        db.execute("UPDATE standings SET user_id = -1 WHERE user_id = ?", (people[7],))
    assert await shown(Pool(GUILDS[0], "all", "all")) == set(people) - {people[7]}
    await store.close()


async def test_names_are_the_last_known(store: SqliteStore, played: tuple[Path, list[Game], League]) -> None:
    who = played[2].people[0]
    await store.meet(Person(who, "Zoë"))
    line = await store.place_of(Pool(GUILDS[0], "all", "all"), Order.GAMES, who, 1)
    assert line is not None
    assert line.name == "Zoë"
    await store.meet(Person(who, f"P{who}"))


async def test_played_games_hold_everybody(
    store: SqliteStore, played: tuple[Path, list[Game], League]
) -> None:
    _, games, league = played
    who = league.people[10]
    mine = [game for game in games if any(share.user_id == who for share in game.shares)]
    found = await store.played(who)
    assert [one.finished_at for one in found] == [game.finished_at for game in mine]
    for one, game in zip(found, mine, strict=True):
        assert {one.share, *(share for share, _ in one.others)} == set(game.shares)
        assert (one.rating_after is not None) == one.share.whole
    abroad = await store.played(who, GUILDS[0])
    assert 0 < len(abroad) < len(found)


@pytest.mark.parametrize("order", Order)
async def test_a_leaderboard_finds_its_index(store: SqliteStore, order: Order) -> None:
    """No statement sorts, or goes through people of other pools."""
    asked = {"pool": 1, "scope": 1, "minimum": 1, "limit": 10, "offset": 0, "user": 1, "value": 1}
    for name, sql in statements(order).items():
        rows = await store.database.fetch(f"EXPLAIN QUERY PLAN {sql}", asked)
        plan = [row["detail"] for row in rows]
        assert not any("TEMP B-TREE" in step or step.startswith("SCAN") for step in plan), (name, plan)
        first = plan[0]
        assert first.startswith("SEARCH standings"), (name, plan)
        if name != "mine":
            covering = "" if name == "board" else "COVERING "
            assert f"USING {covering}INDEX standings_by_{order} (pool_id=?" in first, (name, plan)
