"""Pools, seasons and orders of leaderboards in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from canasta_core.profiles import profile, profile_ids
from canasta_core.tables.standings import ALL, WITH_AI, Order, PlayedGame, Pool, seasons
from cogs.ui.text import text

_SEASON: Final = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2]))?")
_NAME: Final = re.compile(r"[a-z_0-9]+(?: \d(?:x\d)+)?(?: ai)?")
"""What a pool's name can look like."""
ENOUGH: Final = {"all": 10, "year": 5, "month": 3}
"""Games without which a rate or an average says nothing, by the length of the season."""


def pool_title(locale: str, name: str) -> str:
    """`Classic 2 v 2`, `Classic 2 v 2, with AI players`, `All games between people`."""
    if name in (ALL, f"{ALL} {WITH_AI}"):
        return text(locale, "pool-all" if name == ALL else "pool-all-ai")
    kind, _, rest = name.partition(" ")
    shape, _, with_ai = rest.partition(" ")
    title = profile(kind).title if kind in profile_ids() else kind
    sides = text(locale, "pool-versus").join(shape.split("x"))
    return text(locale, "pool-ai" if with_ai else "pool", profile=title, sides=sides)


def season_title(locale: str, season: str) -> str:
    """`All time`, `2026`, `November 2026`."""
    found = _SEASON.fullmatch(season)
    if found is None:
        return text(locale, "season-all")
    if found[2] is None:
        return text(locale, "season-year", year=found[1])
    return text(locale, "season-month", month=month_name(locale, int(found[2])), year=found[1])


def month_name(locale: str, month: int) -> str:
    return text(locale, "date-months").split()[month - 1]


def order_title(locale: str, order: Order) -> str:
    return text(locale, f"order-{order}")


def is_season(season: str) -> bool:
    return season == ALL or _SEASON.fullmatch(season) is not None


def is_pool(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def minimum_of(order: Order, season: str) -> int:
    """Games that somebody needs to be on a leaderboard."""
    if order not in (Order.WIN_RATE, Order.ROUND_AVERAGE):
        return 1
    return ENOUGH["all" if season == ALL else "month" if "-" in season else "year"]


def names_of(pools: Iterable[Pool]) -> list[str]:
    """The pools' names: those of all games first, those with AI players after those without."""
    found = {pool.name for pool in pools}
    return sorted(found, key=lambda name: (not name.startswith(ALL), name.endswith(f" {WITH_AI}"), name))


def seasons_of(pools: Iterable[Pool], now: float) -> list[str]:
    """All time, this year and this month, then earlier ones in which somebody played, latest first."""
    every, year, month = seasons(now)
    earlier = {pool.season for pool in pools} - {every, year, month}
    return [every, year, month, *sorted(earlier, reverse=True)]


def first_name(names: Iterable[str]) -> str:
    """The pool that is shown when none is asked for: of all games between people, where there are any."""
    known = list(names)
    with_ai = f"{ALL} {WITH_AI}"
    return with_ai if ALL not in known and with_ai in known else ALL


def pool_name(played: PlayedGame) -> str:
    """The pool whose ratings a game has moved."""
    shares = (played.share, *(share for share, _ in played.others))
    own = f"{played.profile} {played.shape}"
    return f"{own} {WITH_AI}" if any(share.user_id is None for share in shares) else own
