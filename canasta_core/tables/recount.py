"""Standings made anew from the finished games, in the order in which they count."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from canasta_core.tables.standings import Game, Pool, Rater, Standing, after_game, own_pool


@dataclass(frozen=True, slots=True)
class Recount:
    """All standings, and the ratings before and after each game, by table and seat."""

    standings: dict[tuple[Pool, int], Standing] = field(default_factory=dict)
    ratings: dict[tuple[int, int], tuple[float, float]] = field(default_factory=dict)
    games: int = 0


async def recount(games: AsyncIterator[tuple[int, Game]], rater: Rater) -> Recount:
    """Count all games again; the outcome depends on them and on the rater alone."""
    standings: dict[tuple[Pool, int], Standing] = {}
    ratings: dict[tuple[int, int], tuple[float, float]] = {}
    count = 0
    async for table_id, game in games:
        count += 1
        changed = after_game(game, standings, rater)
        own = own_pool(game)
        for share in game.counting:
            assert share.user_id is not None, "an AI player is not counted"
            before = standings.get((own, share.user_id), Standing())
            after = changed[own, share.user_id]
            ratings[table_id, share.seat] = (before.skill.rating, after.skill.rating)
        standings.update(changed)
    return Recount(standings, ratings, count)
