"""What finished games add up to for each person: games won, points, records, and a rating.

A standing belongs to a scope (a server, or 0 for all servers), a pool (what is compared with what) and a
season. It is computed from the games in the order of their numbers and from nothing else, so it can be
made anew from the results at any time (`scripts/ratings --rebuild`) and comes out the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, Protocol

WORLD: Final = 0
"""Scope of the games of all servers."""
ALL: Final = "all"
"""The pool of all profiles and team shapes, and the season without an end."""
WITH_AI: Final = "ai"
"""Second word of the pools of games with AI players."""

MU: Final = 25.0
SIGMA: Final = MU / 3
"""Skill of somebody who has not played yet: what is expected, and how uncertain that is."""
ANCHORS: Final[Mapping[str, float]] = {"easy": 18.0, "medium": 25.0, "hard": 30.0, "expert": 33.0}
"""Skill of each AI level, fixed, so that those who play with AI players get a rating too."""
ANCHOR_SIGMA: Final = 1.0


@dataclass(frozen=True, slots=True)
class Skill:
    """What is known of how well somebody plays: an expectation and its uncertainty."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def rating(self) -> float:
        """The number that is shown: 1,000 for a newcomer, growing with skill and with certainty.

        It is cautious (three sigmas below the expectation), so that nobody leads after one lucky game.
        """
        return 1000.0 + 40.0 * (self.mu - 3.0 * self.sigma)


class Rater(Protocol):
    """The mathematics of ratings."""

    def rate(self, teams: Sequence[Sequence[Skill]], ranks: Sequence[int]) -> list[list[Skill]]:
        """The skills after a game. `ranks`: 1 for the best team, equal for teams that tied."""


class Unrated:
    """Leaves every skill as it is."""

    def rate(self, teams: Sequence[Sequence[Skill]], ranks: Sequence[int]) -> list[list[Skill]]:
        return [list(team) for team in teams]


@dataclass(frozen=True, slots=True)
class Share:
    """One seat of a finished game."""

    seat: int
    team: int
    user_id: int | None
    ai: str
    whole: bool
    """One person held the seat from the first deal to the end, and no AI player kept it: it counts."""
    score: int
    won: bool


@dataclass(frozen=True, slots=True)
class SeatRound:
    """One seat in one finished round. Points are its team's."""

    round_number: int
    seat: int
    user_id: int | None
    points: int
    canastas: int
    """That this seat completed."""
    naturals: int
    """Those of them without a wild card, as they were then."""
    went_out: bool
    concealed: bool
    turns: int
    """Turns the seat had in the round."""


@dataclass(frozen=True, slots=True)
class Game:
    """A finished game, as far as standings go."""

    guild_id: int
    profile: str
    shape: str
    """Players of each team, `2x2`, `1x1x1`."""
    finished_at: float
    shares: tuple[Share, ...]
    rounds: tuple[SeatRound, ...]

    @property
    def counting(self) -> tuple[Share, ...]:
        """Shares of the people for whom it counts."""
        return tuple(share for share in self.shares if share.user_id is not None and share.whole)

    @property
    def has_ai(self) -> bool:
        return any(share.user_id is None for share in self.shares)


@dataclass(frozen=True, slots=True, order=True)
class Pool:
    """What a standing is about."""

    scope: int
    """Guild id, or WORLD."""
    name: str
    """`classic 2x2`, `classic 2x2 ai`, `all`, `all ai`."""
    season: str
    """`all`, a year (`2026`) or a month (`2026-11`), in UTC."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What one person has reached in one pool."""

    skill: Skill = Skill()
    games: int = 0
    wins: int = 0
    rounds: int = 0
    points: int = 0
    """Of their teams in all rounds."""
    canastas: int = 0
    naturals: int = 0
    exits: int = 0
    """Rounds that they ended by going out."""
    concealed: int = 0
    fastest_exit: int | None = None
    """Fewest turns of a round in which they went out."""
    biggest_round: int | None = None
    """Most points of a round."""
    streak: int = 0
    """Games won in a row, up to now."""
    best_streak: int = 0
    last_at: float = 0.0

    @property
    def win_rate(self) -> float:
        return self.wins / self.games if self.games else 0.0

    @property
    def round_average(self) -> float:
        return self.points / self.rounds if self.rounds else 0.0


Standings = Mapping[tuple[Pool, int], Standing]
"""By pool and user id; who is left out has played no game there yet."""


def pool_names(game: Game) -> tuple[str, str]:
    """The pool of its profile and team shape, and that of all, games with AI players apart."""
    own = f"{game.profile} {game.shape}"
    return (f"{own} {WITH_AI}", f"{ALL} {WITH_AI}") if game.has_ai else (own, ALL)


def seasons(at: float) -> tuple[str, str, str]:
    """The seasons a moment belongs to: all time, the year, the month."""
    moment = datetime.fromtimestamp(at, UTC)
    return ALL, f"{moment.year:04}", f"{moment.year:04}-{moment.month:02}"


def pools_of(game: Game) -> tuple[Pool, ...]:
    """Every pool in which a game counts."""
    return tuple(
        Pool(scope, name, season)
        for scope in (game.guild_id, WORLD)
        for name in pool_names(game)
        for season in seasons(game.finished_at)
    )


def own_pool(game: Game) -> Pool:
    """The pool by whose ratings the result of a game is told: its profile and shape on its server."""
    return Pool(game.guild_id, pool_names(game)[0], ALL)


def keys_of(game: Game) -> list[tuple[Pool, int]]:
    """The standings that `after_game` has to know: of all people who sat there at the end."""
    people = [share.user_id for share in game.shares if share.user_id is not None]
    return [(pool, user_id) for pool in pools_of(game) for user_id in people]


def after_game(game: Game, before: Standings, rater: Rater) -> dict[tuple[Pool, int], Standing]:
    """The standings that a game changes, as they are after it.

    Only people who held their seat from the first deal to the end are counted and rated. For the
    others of the game the rating takes them as they stand (an AI player as its level's anchor), and
    leaves them so.
    """
    if not game.counting:
        return {}
    changed: dict[tuple[Pool, int], Standing] = {}
    for pool in pools_of(game):
        skills = _skills_after(game, pool, before, rater)
        for share in game.counting:
            assert share.user_id is not None, "an AI player is not counted"
            old = before.get((pool, share.user_id), Standing())
            changed[pool, share.user_id] = _counted(game, share, replace(old, skill=skills[share.seat]))
    return changed


def _skills_after(game: Game, pool: Pool, before: Standings, rater: Rater) -> dict[int, Skill]:
    """By seat, for every seat."""
    teams = sorted({share.team for share in game.shares})
    sides = [[share for share in game.shares if share.team == team] for team in teams]
    rated = rater.rate(
        [[_skill(share, pool, before) for share in side] for side in sides], ranks_of(game, teams)
    )
    return {
        share.seat: skill
        for side, skills in zip(sides, rated, strict=True)
        for share, skill in zip(side, skills, strict=True)
    }


def _skill(share: Share, pool: Pool, before: Standings) -> Skill:
    if share.user_id is None:
        return Skill(ANCHORS.get(share.ai, MU), ANCHOR_SIGMA)
    return before.get((pool, share.user_id), Standing()).skill


def ranks_of(game: Game, teams: Sequence[int]) -> list[int]:
    """1 for the winner, then by score; teams with equal scores share a rank."""
    results = {share.team: (share.won, share.score) for share in game.shares}
    return [1 + sum(results[other] > results[team] for other in teams) for team in teams]


def _counted(game: Game, share: Share, standing: Standing) -> Standing:
    own = [one for one in game.rounds if one.seat == share.seat]
    exits = [one for one in own if one.went_out]
    streak = standing.streak + 1 if share.won else 0
    return replace(
        standing,
        games=standing.games + 1,
        wins=standing.wins + share.won,
        rounds=standing.rounds + len(own),
        points=standing.points + sum(one.points for one in own),
        canastas=standing.canastas + sum(one.canastas for one in own),
        naturals=standing.naturals + sum(one.naturals for one in own),
        exits=standing.exits + len(exits),
        concealed=standing.concealed + sum(one.concealed for one in exits),
        fastest_exit=_best(min, standing.fastest_exit, (one.turns for one in exits)),
        biggest_round=_best(max, standing.biggest_round, (one.points for one in own)),
        streak=streak,
        best_streak=max(standing.best_streak, streak),
        last_at=max(standing.last_at, game.finished_at),
    )


class _Choice(Protocol):
    def __call__(self, values: Iterable[int], /) -> int: ...


def _best(choose: _Choice, known: int | None, new: Iterable[int]) -> int | None:
    values = [*new, *(() if known is None else (known,))]
    return choose(values) if values else None


class Order(StrEnum):
    """What a leaderboard goes by: the best first, and of equals the one with the lower id."""

    RATING = "rating"
    WINS = "wins"
    GAMES = "games"
    WIN_RATE = "win_rate"
    ROUND_AVERAGE = "round_average"
    CANASTAS = "canastas"
    FASTEST_EXIT = "fastest_exit"
    BIGGEST_ROUND = "biggest_round"
    BEST_STREAK = "best_streak"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a leaderboard. Equal results share a place."""

    place: int
    user_id: int
    name: str
    """The last known one."""
    standing: Standing


@dataclass(frozen=True, slots=True)
class Leaderboard:
    lines: tuple[Line, ...]
    count: int
    """People who are on it in all."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game from one person's seat."""

    table_id: int
    guild_id: int
    profile: str
    shape: str
    finished_at: float
    share: Share
    name: str
    """Of the person, at that time."""
    others: tuple[tuple[Share, str], ...]
    """The other seats, and who sat there."""
    rating_before: float | None
    """In the pool of the profile and shape, of all time; None when it did not count."""
    rating_after: float | None

    @property
    def people(self) -> frozenset[int]:
        """User ids of those who sat there at the end."""
        shares = (self.share, *(share for share, _ in self.others))
        return frozenset(share.user_id for share in shares if share.user_id is not None)


@dataclass(frozen=True, slots=True)
class PastGames:
    """Some finished games, newest first: of a person, or of a server, each from a winner's seat."""

    games: tuple[PlayedGame, ...]
    count: int
    """How many there are in all."""
    won: int
    """How many of them the person won."""
