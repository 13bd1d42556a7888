"""What the finished games of one person say of them: form, partners, opponents. Pure sums, no words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from canasta_core.tables.model import is_former
from canasta_core.tables.standings import PlayedGame, Standing
from cogs.ui.pools import pool_name

TOGETHER: Final = 3
"""Games with the same person without which they are not spoken of."""
LAST: Final = 20
"""Games of a form curve."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Somebody at whose side, or against whom, a person has played."""

    user_id: int
    name: str
    """The last known one."""
    games: int
    wins: int
    """Of the person, not of the other."""

    @property
    def rate(self) -> float:
        return self.wins / self.games


@dataclass(frozen=True, slots=True)
class Form:
    """The last games of a person in one pool."""

    pool: str
    ratings: tuple[int, ...]
    """As they are shown: before the first of these games, and after each."""
    won: tuple[bool, ...]


def counting(played: Iterable[PlayedGame]) -> list[PlayedGame]:
    """The games that count for the person."""
    return [game for game in played if game.share.whole]


def pools_played(played: Sequence[PlayedGame]) -> dict[str, int]:
    """The pools in which a person has games that count, most of them first, and how many."""
    found: dict[str, int] = defaultdict(int)
    for game in counting(played):
        found[pool_name(game)] += 1
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def form_of(played: Sequence[PlayedGame], pool: str) -> Form | None:
    """None where no game of the pool has moved a rating."""
    games = [game for game in counting(played) if pool_name(game) == pool and game.rating_after is not None]
    last = games[-LAST:]
    if not last:
        return None
    first = last[0].rating_before
    ratings = [1000.0 if first is None else first, *(game.rating_after or 0.0 for game in last)]
    return Form(pool, tuple(map(round, ratings)), tuple(game.share.won for game in last))


def best_partner(played: Sequence[PlayedGame]) -> Pair | None:
    """With whom a person has won most often; of equals, the one with more games."""
    pairs = [pair for pair in _pairs(played, same_team=True) if pair.games >= TOGETHER]
    return max(pairs, key=lambda pair: (pair.rate, pair.games, -pair.user_id), default=None)


def worst_opponent(played: Sequence[PlayedGame]) -> Pair | None:
    """Against whom a person has won most seldom; of equals, the one with more games."""
    pairs = [pair for pair in _pairs(played, same_team=False) if pair.games >= TOGETHER]
    return min(pairs, key=lambda pair: (pair.rate, -pair.games, pair.user_id), default=None)


def _pairs(played: Sequence[PlayedGame], *, same_team: bool) -> list[Pair]:
    """People who held their seat to the end as well; who has deleted their data is nobody here."""
    games: dict[int, int] = defaultdict(int)
    wins: dict[int, int] = defaultdict(int)
    names: dict[int, str] = {}
    for game in counting(played):
        for share, name in game.others:
            if share.user_id is None or is_former(share.user_id) or not share.whole:
                continue
            if (share.team == game.share.team) is same_team:
                games[share.user_id] += 1
                wins[share.user_id] += game.share.won
                names[share.user_id] = name
    return [Pair(user_id, names[user_id], count, wins[user_id]) for user_id, count in games.items()]


def together(standings: Iterable[Standing]) -> Standing:
    """What several standings of one person come to, as far as they can be put together: without a rating."""
    found = Standing()
    for one in standings:
        found = Standing(
            games=found.games + one.games,
            wins=found.wins + one.wins,
            rounds=found.rounds + one.rounds,
            points=found.points + one.points,
            canastas=found.canastas + one.canastas,
            naturals=found.naturals + one.naturals,
            exits=found.exits + one.exits,
            concealed=found.concealed + one.concealed,
            fastest_exit=min(
                (turns for turns in (found.fastest_exit, one.fastest_exit) if turns is not None), default=None
            ),
            biggest_round=max(
                (points for points in (found.biggest_round, one.biggest_round) if points is not None),
                default=None,
            ),
            best_streak=max(found.best_streak, one.best_streak),
            last_at=max(found.last_at, one.last_at),
        )
    return found
