"""Leagues: people of known strength play many scripted games, which are stored as finished games are."""

import random
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace

from canasta_core.tables.model import Person
from canasta_core.tables.ports import Commit, ResultRow
from canasta_core.tables.standings import (
    Game,
    Pool,
    Rater,
    SeatRound,
    Share,
    Standing,
    Standings,
    after_game,
    keys_of,
    own_pool,
)
from data.sqlite_store import SqliteStore, _write_commit
from data.standings import write_standings
from tests.data.samples import NEW, log_row

GUILDS = (900_000_000_000_000_001, 900_000_000_000_000_002)
SHAPES = (("classic", "2x2"), ("salon", "2x2"), ("salon", "1x1x1"), ("salon", "3x2"), ("browser", "1x1"))
START = 1_780_000_000.0
"""2026-05-28; with four hours between two games a league of 2,000 goes on into the next year."""


def teams_of(shape: str) -> list[int]:
    """The team of each seat; seats of a team are spread as at a table."""
    if shape == "3x2":
        return [0, 1, 0, 1, 0]
    sizes = [int(size) for size in shape.split("x")]
    if len(set(sizes)) == 1:
        return (
            [team for _ in range(sizes[0]) for team in range(len(sizes))] if shape != "2x2" else [0, 1, 0, 1]
        )
    raise AssertionError(shape)


class League:
    """`people` have strengths that rise with their ids; the AI players play like the one in the middle."""

    def __init__(self, seed: int, people: int) -> None:
        self.rng = random.Random(seed)
        self.people = [700_000_000_000_000_000 + number for number in range(1, people + 1)]

    def strength(self, user_id: int | None) -> float:
        if user_id is None:
            return 0.0
        return 4.0 * (self.people.index(user_id) / (len(self.people) - 1) - 0.5)

    def games(self, count: int) -> Iterator[Game]:
        for number in range(count):
            yield self._game(START + number * 14_400.0)

    def _game(self, at: float) -> Game:
        rng = self.rng
        profile, shape = rng.choice(SHAPES)
        teams = teams_of(shape)
        seated: list[int | None] = list(rng.sample(self.people, len(teams)))
        if rng.random() < 0.25:
            for seat in rng.sample(range(len(teams)), rng.randint(1, len(teams) - 1)):
                seated[seat] = None
        odd = {seat for seat, user in enumerate(seated) if user is not None and rng.random() < 0.05}
        luck = {
            team: sum(self.strength(user) for seat, user in enumerate(seated) if teams[seat] == team)
            / teams.count(team)
            + rng.gauss(0, 1.0)
            for team in set(teams)
        }
        order = sorted(luck, key=luck.__getitem__, reverse=True)
        score = {team: 5000 - 700 * place - rng.randrange(0, 500, 5) for place, team in enumerate(order)}
        if len(order) > 2 and rng.random() < 0.3:
            score[order[2]] = score[order[1]]
        shares = tuple(
            Share(
                seat,
                teams[seat],
                user,
                "medium" if user is None else "",
                user is not None and seat not in odd,
                score[teams[seat]],
                teams[seat] == order[0],
            )
            for seat, user in enumerate(seated)
        )
        return Game(rng.choice(GUILDS), profile, shape, at, shares, tuple(self._rounds(seated, teams)))

    def _rounds(self, seated: list[int | None], teams: list[int]) -> Iterator[SeatRound]:
        rng = self.rng
        for number in range(1, rng.randint(2, 6)):
            points = {team: rng.randrange(-500, 2500, 5) for team in set(teams)}
            out = rng.choice([*range(len(seated)), None])
            for seat, user in enumerate(seated):
                canastas = rng.randint(0, 3)
                yield SeatRound(
                    number,
                    seat,
                    user,
                    points[teams[seat]],
                    canastas,
                    rng.randint(0, canastas),
                    seat == out,
                    seat == out and rng.random() < 0.2,
                    rng.randint(3, 20),
                )


async def finish_all(store: SqliteStore, games: Sequence[Game], rater: Rater) -> None:
    """The same for many at once, in one transaction, into an empty file."""
    standings: dict[tuple[Pool, int], Standing] = {}
    commits = []
    for game in games:
        changed = after_game(game, standings, rater)
        commits.append(_commit(game, standings, changed))
        standings.update(changed)

    def work(db: sqlite3.Connection) -> None:
        for commit in commits:
            _write_commit(replace(commit, standings={}), db)
        write_standings(db, standings)

    await store.database.write(work)


async def finish(store: SqliteStore, game: Game, rater: Rater) -> int:
    """Store a finished game and what it changes; its table's id."""
    before = await store.standings(keys_of(game))
    standings = after_game(game, before, rater)
    return await store.commit(_commit(game, before, standings))


def _commit(game: Game, before: Standings, standings: Standings) -> Commit:
    own = own_pool(game)
    results = []
    for share in game.shares:
        key = (own, share.user_id or 0)
        counts = share.user_id is not None and share.whole
        results.append(
            ResultRow(
                guild_id=game.guild_id,
                profile=game.profile,
                shape=game.shape,
                seat=share.seat,
                team=share.team,
                user_id=share.user_id,
                ai=share.ai,
                name=f"P{share.user_id}" if share.user_id else "Ada",
                whole=share.whole,
                score=share.score,
                won=share.won,
                rounds=max(one.round_number for one in game.rounds),
                finished_at=game.finished_at,
                rating_before=before.get(key, Standing()).skill.rating if counts else None,
                rating_after=standings[key].skill.rating if counts else None,
            )
        )
    table = replace(NEW, guild_id=game.guild_id, profile=game.profile, stage="ended", ended="finished")
    return Commit(
        table=replace(table, ended_version=1),
        before=0,
        log=(log_row(1),),
        people=tuple(Person(share.user_id, f"P{share.user_id}") for share in game.shares if share.user_id),
        seat_rounds=game.rounds,
        results=tuple(results),
        game=game,
        standings=standings,
    )
