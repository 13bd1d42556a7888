"""Leaderboards: a page of ten lines, one's own line on each, and everything that can be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import discord
from discord import ui

from canasta_core.tables.standings import ALL, WORLD, Leaderboard, Line, Order, Pool, Standing
from cogs.ui.layout import (
    MAX_OPTIONS,
    Click,
    Layout,
    Verb,
    bare_name,
    button,
    gallery,
    name_text,
    option,
    rows,
    select,
    words,
)
from cogs.ui.pictures import Bar, Top, drawable
from cogs.ui.pools import is_pool, is_season, minimum_of, order_title, pool_title, season_title
from cogs.ui.tables import pages_of
from cogs.ui.text import text

PAGE: Final = 10
"""Lines on a page."""
FILE: Final = "leaderboard.png"

FIRST: Final = "first"
BEFORE: Final = "back"
AFTER: Final = "on"
MINE: Final = "mine"
ORDER: Final = "order"
POOL: Final = "pool"
SEASON: Final = "season"
SCOPE: Final = "scope"
PICTURE: Final = "picture"
SHARE: Final = "share"
OPEN: Final = "open"
"""What a click is about: the first word of the argument of its custom id."""
_NONE: Final = "page"
"""That of the label between the buttons, which cannot be pressed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which part of which leaderboard."""

    order: Order = Order.RATING
    world: bool = False
    """Of all servers."""
    name: str = ALL
    """The pool's."""
    season: str = ALL
    page: int = 0
    picture: bool = False

    @property
    def minimum(self) -> int:
        """Games that somebody needs to be on it."""
        return minimum_of(self.order, self.season)

    def pool(self, guild_id: int) -> Pool:
        return Pool(WORLD if self.world else guild_id, self.name, self.season)

    def click(self, about: str, page: int | None = None) -> Click:
        """A click that knows all of this, so that it means the same after a restart."""
        flags = ("w" if self.world else "g") + ("p" if self.picture else "")
        arg = "~".join((about, self.order, flags, self.season, self.name))
        return Click(Verb.LEADERBOARD, 0, self.page if page is None else page, arg)


def read_asked(click: Click) -> tuple[str, Asked] | None:
    """What a click is about, and what was shown where it was made. None when it cannot be read."""
    parts = click.arg.split("~")
    if len(parts) != 5:
        return None
    about, order, flags, season, name = parts
    if order not in frozenset(Order) or not is_season(season) or not is_pool(name):
        return None
    return about, Asked(Order(order), "w" in flags, name, season, click.version, "p" in flags)


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen on a leaderboard."""

    names: Sequence[str]
    """Of pools in which somebody has played."""
    seasons: Sequence[str]


@dataclass(frozen=True, slots=True)
class Own:
    """The reader."""

    user_id: int
    line: Line | None
    """Their line; None when they are not on the leaderboard."""
    games: int
    """That count for them in the pool, enough or not."""
    agreed: bool
    """They may be shown on leaderboards of all servers."""


def value_text(locale: str, order: Order, standing: Standing) -> str:
    """What a leaderboard goes by, in as few signs as a picture has room for."""
    match order:
        case Order.RATING:
            return text(locale, "value-number", number=round(standing.skill.rating))
        case Order.WIN_RATE:
            return text(locale, "value-rate", rate=round(100 * standing.win_rate))
        case Order.ROUND_AVERAGE:
            return text(locale, "value-number", number=round(standing.round_average))
        case Order.FASTEST_EXIT:
            return text(locale, "value-turns", turns=standing.fastest_exit or 0)
        case Order.BIGGEST_ROUND:
            return text(locale, "value-number", number=standing.biggest_round or 0)
        case Order.WINS | Order.GAMES | Order.CANASTAS | Order.BEST_STREAK:
            return text(locale, "value-number", number=getattr(standing, order))


def line_text(locale: str, order: Order, line: Line, *, own: bool) -> str:
    """`12. Ann · 1,034 · 12 games, 8 won`; the reader's own is marked."""
    standing = line.standing
    about = text(
        locale,
        f"order-{order}-about",
        games=standing.games,
        wins=standing.wins,
        rounds=standing.rounds,
        naturals=standing.naturals,
    )
    return text(
        locale,
        "leaderboard-line-own" if own else "leaderboard-line",
        place=line.place,
        name=_name(locale, line, marked=True),
        value=value_text(locale, order, standing),
        about=about,
    )


def _name(locale: str, line: Line, *, marked: bool) -> str:
    """The last known name; a person is never shown as a number."""
    if not line.name.strip():
        return text(locale, "leaderboard-unnamed")
    return name_text(line.name) if marked else bare_name(line.name)


def leaderboard_layout(
    locale: str,
    asked: Asked,
    board: Leaderboard,
    own: Own,
    choices: Choices,
    *,
    said: str = "",
    shown_by: str = "",
) -> Layout:
    """A page of a leaderboard. `shown_by`: for all to see, shown by this person."""
    lines = [_head(locale, asked, board.count)]
    lines += [
        line_text(locale, asked.order, line, own=line.user_id == own.user_id and not shown_by)
        for line in board.lines
    ]
    if not board.lines:
        lines.append(_empty(locale, asked))
    elif own.line is not None and own.user_id not in {line.user_id for line in board.lines}:
        if own.line.place != board.lines[-1].place + 1:
            lines.append("…")
        lines.append(line_text(locale, asked.order, own.line, own=not shown_by))
    layout = Layout()
    if said:
        layout.add_item(words(said))
    box: ui.Container[Layout] = ui.Container(words("\n".join(lines)))
    if asked.picture and board.lines:
        box.add_item(gallery(FILE, alt_text(locale, asked, board)))
    foot = "" if shown_by else _about_own(locale, asked, own, on_it=bool(board.lines))
    if shown_by:
        foot = text(locale, "leaderboard-shown-by", name=name_text(shown_by))
    if foot:
        box.add_item(words(foot))
    layout.add_item(box)
    controls = _look_button(locale, asked) if shown_by else _controls(locale, asked, board, own, choices)
    for row in controls:
        layout.add_item(row)
    return layout


def _head(locale: str, asked: Asked, count: int) -> str:
    head = text(
        locale,
        "leaderboard-title-world" if asked.world else "leaderboard-title",
        order=order_title(locale, asked.order),
    )
    about = _about(locale, asked)
    if asked.minimum > 1:
        about = text(locale, "leaderboard-minimum", about=about, games=asked.minimum)
    return f"{head}\n{text(locale, 'leaderboard-about', about=about, count=count)}"


def _about(locale: str, asked: Asked) -> str:
    """`Classic 2 v 2 · November 2026`."""
    titles = [pool_title(locale, asked.name), season_title(locale, asked.season)]
    return text(locale, "list-join").join(titles)


def _empty(locale: str, asked: Asked) -> str:
    """Why nobody is there, and what to do about it."""
    if asked.world:
        return text(locale, "leaderboard-empty-world")
    if asked.minimum > 1:
        return text(locale, "leaderboard-empty-minimum", games=asked.minimum)
    if asked.season != ALL or asked.name not in (ALL, f"{ALL} ai"):
        return text(locale, "leaderboard-empty-here")
    return text(locale, "leaderboard-empty")


def _about_own(locale: str, asked: Asked, own: Own, *, on_it: bool) -> str:
    """Why the reader has no line, and how to get one."""
    if own.line is not None or (not on_it and not asked.world):
        return ""
    if asked.world and not own.agreed:
        return text(locale, "leaderboard-agree")
    if 0 < own.games < asked.minimum:
        return text(locale, "leaderboard-too-few", games=own.games, minimum=asked.minimum)
    return text(locale, "leaderboard-none-of-mine" if own.games else "leaderboard-not-played")


def _controls(
    locale: str, asked: Asked, board: Leaderboard, own: Own, choices: Choices
) -> list[ui.ActionRow[Any]]:
    controls = [
        select(
            asked.click(ORDER),
            text(locale, "leaderboard-choose-order"),
            [option(order_title(locale, order), order, default=order is asked.order) for order in Order],
        ),
        select(
            asked.click(POOL),
            text(locale, "leaderboard-choose-pool"),
            [
                option(pool_title(locale, name), name, default=name == asked.name)
                for name in _with(choices.names, asked.name)
            ],
        ),
        select(
            asked.click(SEASON),
            text(locale, "leaderboard-choose-season"),
            [
                option(season_title(locale, season), season, default=season == asked.season)
                for season in _with(choices.seasons, asked.season)
            ],
        ),
    ]
    pages = pages_of(board.count, PAGE)
    if pages > 1:
        controls += rows(_turn_pages(locale, asked, pages, own))
    return controls + rows(_more(locale, asked, bool(board.lines)))


def _with(values: Sequence[str], chosen: str) -> list[str]:
    """As many as a select shows, the chosen one among them."""
    shown = list(values[:MAX_OPTIONS])
    if chosen not in shown:
        shown = [chosen, *shown[: MAX_OPTIONS - 1]]
    return shown


def _turn_pages(locale: str, asked: Asked, pages: int, own: Own) -> list[ui.Button[Any]]:
    page = asked.page
    at = text(locale, "list-page", page=page + 1, pages=pages)
    return [
        button(asked.click(FIRST, 0), text(locale, "button-first"), disabled=not page),
        button(asked.click(BEFORE, max(page - 1, 0)), text(locale, "button-before"), disabled=not page),
        button(asked.click(_NONE), at, disabled=True),
        button(asked.click(AFTER, page + 1), text(locale, "button-on"), disabled=page + 1 >= pages),
        button(asked.click(MINE), text(locale, "button-my-page"), disabled=own.line is None),
    ]


def _more(locale: str, asked: Asked, filled: bool) -> list[ui.Button[Any]]:
    buttons = [
        button(
            asked.click(SCOPE, 0),
            text(locale, "button-this-server" if asked.world else "button-all-servers"),
        )
    ]
    if filled:
        label = text(locale, "button-no-picture" if asked.picture else "button-picture")
        buttons.append(button(asked.click(PICTURE), label))
        buttons.append(button(asked.click(SHARE), text(locale, "button-show-all")))
    own_stats = Click(Verb.STATS, 0, 0, f"{OPEN}~0~")
    return [*buttons, button(own_stats, text(locale, "button-my-stats"))]


def _look_button(locale: str, asked: Asked) -> list[ui.ActionRow[Any]]:
    label = text(locale, "button-look-around")
    return rows([button(asked.click(OPEN), label, style=discord.ButtonStyle.primary)])


# The picture


def alt_text(locale: str, asked: Asked, board: Leaderboard) -> str:
    """What the picture shows, in words."""
    lines = [
        text(
            locale,
            "leaderboard-alt-line",
            place=line.place,
            name=_name(locale, line, marked=False),
            value=value_text(locale, asked.order, line.standing),
        )
        for line in board.lines
    ]
    title = order_title(locale, asked.order)
    return "\n".join([text(locale, "leaderboard-alt", order=title, about=_about(locale, asked)), *lines])


def top_of(locale: str, asked: Asked, board: Leaderboard, user_id: int | None) -> Top:
    """The same as it is drawn; `user_id` is the reader's, or None for all to see."""
    shares = _lengths(asked.order, [line.standing for line in board.lines])
    bars = tuple(
        Bar(
            text(locale, "leaderboard-picture-place", place=line.place),
            drawable(_name(locale, line, marked=False)) or text(locale, "leaderboard-picture-unnamed"),
            value_text(locale, asked.order, line.standing),
            share,
            line.user_id == user_id,
        )
        for line, share in zip(board.lines, shares, strict=True)
    )
    return Top(drawable(order_title(locale, asked.order)), drawable(_about(locale, asked)), bars)


def _lengths(order: Order, standings: Sequence[Standing]) -> list[float]:
    """Lengths of the bars, from 0 to 1: the best has the longest."""
    values = [_number(order, standing) for standing in standings]
    if order is Order.FASTEST_EXIT:
        return [min(values) / max(value, 1.0) for value in values]
    low, high = min(values), max(values)
    # Ratings begin nowhere: the bars show by how much they differ.
    begin = low - max(high - low, 1.0) / 3 if order is Order.RATING or low < 0 else 0.0
    return [(value - begin) / max(high - begin, 1.0) for value in values]


def _number(order: Order, standing: Standing) -> float:
    if order is Order.RATING:
        return standing.skill.rating
    return float(getattr(standing, order) or 0)
