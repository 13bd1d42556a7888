"""One person's statistics on a server: ratings, partners, records, and the form of their last games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import discord
from discord import ui

from canasta_core.tables.model import is_former
from canasta_core.tables.standings import ALL, WITH_AI, PlayedGame, Standing
from cogs.ui.face import person_name
from cogs.ui.form import (
    TOGETHER,
    Form,
    Pair,
    best_partner,
    counting,
    form_of,
    pools_played,
    together,
    worst_opponent,
)
from cogs.ui.layout import (
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
from cogs.ui.leaderboard import OPEN as OPEN_LEADERBOARD
from cogs.ui.leaderboard import Asked
from cogs.ui.pictures import Curve, drawable
from cogs.ui.pools import is_pool, pool_title
from cogs.ui.rating_changes import signed
from cogs.ui.text import text

FILE: Final = "form.png"
POOLS: Final = 8
"""Pools that have a line of their own: those with the most games."""
CHOICES: Final = 25
SHOWN: Final = 10
"""Games of the form that are told one by one."""

POOL: Final = "pool"
SHARE: Final = "share"
OPEN: Final = "open"
"""What a click is about: the first word of the argument of its custom id."""


@dataclass(frozen=True, slots=True)
class Looked:
    """Whose statistics, and the form in which pool."""

    user_id: int
    pool: str = ""
    """Empty: that with the most games."""

    def click(self, about: str) -> Click:
        return Click(Verb.STATS, 0, 0, "~".join((about, str(self.user_id), self.pool)))


def read_looked(click: Click) -> tuple[str, Looked] | None:
    """What a click is about, and what was shown where it was made. None when it cannot be read."""
    parts = click.arg.split("~")
    if len(parts) != 3:
        return None
    about, user, pool = parts
    if not (user.isascii() and user.isdigit() and len(user) < 20) or (pool and not is_pool(pool)):
        return None
    return about, Looked(int(user), pool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is known of one person on one server."""

    user_id: int
    name: str
    played: Sequence[PlayedGame]
    """Their finished games, oldest first."""
    standings: Mapping[str, Standing]
    """By pool, of all time: those in which they have played, and the two of all games."""
    place: int | None
    """On the leaderboard of all games between people, by rating."""


def form_shown(record: Record, looked: Looked) -> Form | None:
    """The form in the pool that is looked at."""
    pools = pools_played(record.played)
    pool = looked.pool if looked.pool in pools else next(iter(pools), "")
    return form_of(record.played, pool)


def stats_layout(
    locale: str, record: Record, looked: Looked, *, own: bool, said: str = "", shown_by: str = ""
) -> Layout:
    """The page. `own`: it is the reader's. `shown_by`: for all to see, shown by this person."""
    counted = counting(record.played)
    if not counted:
        return _newcomer(locale, record, own=own and not shown_by)
    form = form_shown(record, looked)
    layout = Layout()
    if said:
        layout.add_item(words(said))
    box: ui.Container[Layout] = ui.Container(words(_head(locale, record, counted)))
    parts = [_by_pool(locale, record), _people(locale, record), _records(locale, record)]
    if form is not None:
        parts.append(_form_text(locale, form))
    for part in filter(None, parts):
        box.add_item(ui.Separator())
        box.add_item(words(part))
    if form is not None:
        box.add_item(gallery(FILE, alt_text(locale, record, form)))
    foot = _left_out(locale, record, own=own and not shown_by)
    if shown_by:
        foot.append(text(locale, "leaderboard-shown-by", name=name_text(shown_by)))
    if foot:
        box.add_item(words("\n".join(foot)))
    layout.add_item(box)
    pools = list(pools_played(record.played))
    if shown_by:
        buttons = [
            button(looked.click(OPEN), text(locale, "button-my-stats"), style=discord.ButtonStyle.primary)
        ]
    else:
        if len(pools) > 1:
            layout.add_item(_pool_select(locale, looked, pools, form))
        buttons = [
            button(looked.click(SHARE), text(locale, "button-show-all")),
            button(Asked().click(OPEN_LEADERBOARD), text(locale, "button-leaderboard")),
        ]
    for row in rows(buttons):
        layout.add_item(row)
    return layout


def _called(locale: str, record: Record) -> str:
    """Their name as public text; a person is never shown as a number."""
    return name_text(record.name) if record.name.strip() else text(locale, "leaderboard-unnamed")


def _newcomer(locale: str, record: Record, *, own: bool) -> Layout:
    """A page for who has no game that counts yet."""
    lines = [text(locale, "stats-title", name=_called(locale, record))]
    if own:
        lines.append(text(locale, "stats-newcomer"))
    else:
        lines.append(text(locale, "stats-newcomer-other", name=_called(locale, record)))
    lines += _left_out(locale, record, own=own)
    leaderboard = button(Asked().click(OPEN_LEADERBOARD), text(locale, "button-leaderboard"))
    return Layout(ui.Container(words("\n".join(lines))), *rows([leaderboard]))


def _head(locale: str, record: Record, counted: Sequence[PlayedGame]) -> str:
    lines = [
        text(locale, "stats-title", name=_called(locale, record)),
        text(
            locale,
            "stats-about",
            **_games(together(_all(record))),
            since=f"<t:{int(counted[0].finished_at)}:D>",
        ),
    ]
    if record.place is not None:
        lines.append(text(locale, "stats-place", place=record.place))
    return "\n".join(lines)


def _all(record: Record) -> list[Standing]:
    return [record.standings.get(name, Standing()) for name in (ALL, f"{ALL} {WITH_AI}")]


def _games(standing: Standing) -> dict[str, int]:
    return {
        "games": standing.games,
        "wins": standing.wins,
        "rate": round(100 * standing.win_rate),
    }


def _by_pool(locale: str, record: Record) -> str:
    """A line for each pool: rating, games, win rate."""
    lines = [text(locale, "stats-pools")]
    pools = list(pools_played(record.played))
    for name in pools[:POOLS]:
        standing = record.standings.get(name, Standing())
        lines.append(
            text(
                locale,
                "stats-pool",
                pool=pool_title(locale, name),
                rating=round(standing.skill.rating),
                **_games(standing),
            )
        )
    if len(pools) > POOLS:
        lines.append(text(locale, "stats-more-pools", count=len(pools) - POOLS))
    return "\n".join(lines)


def _people(locale: str, record: Record) -> str:
    """With whom it goes best, and against whom worst; nothing where that is not known yet."""
    lines = []
    if partner := best_partner(record.played):
        lines.append(_pair(locale, "stats-partner", partner))
    if opponent := worst_opponent(record.played):
        lines.append(_pair(locale, "stats-opponent", opponent))
    if not lines:
        return ""
    return "\n".join([text(locale, "stats-people", minimum=TOGETHER), *lines])


def _pair(locale: str, key: str, pair: Pair) -> str:
    known = pair.name.strip() or is_former(pair.user_id)
    name = person_name(locale, pair.user_id, pair.name) if known else text(locale, "leaderboard-unnamed")
    return text(locale, key, name=name, games=pair.games, wins=pair.wins)


def _records(locale: str, record: Record) -> str:
    best = together(_all(record))
    lines = [text(locale, "stats-records")]
    if best.biggest_round is not None:
        lines.append(text(locale, "stats-biggest-round", points=best.biggest_round))
    if best.rounds:
        lines.append(text(locale, "stats-average", points=round(best.round_average), rounds=best.rounds))
    if best.fastest_exit is None:
        lines.append(text(locale, "stats-no-exit"))
    else:
        lines.append(
            text(
                locale,
                "stats-exits",
                turns=best.fastest_exit,
                exits=best.exits,
                concealed=best.concealed,
            )
        )
    lines.append(text(locale, "stats-canastas", canastas=best.canastas, naturals=best.naturals))
    lines.append(text(locale, "stats-streak", games=best.best_streak))
    return "\n".join(lines)


def _form_text(locale: str, form: Form) -> str:
    """The curve in words, and how each of the last games ended."""
    last = form.won[-SHOWN:]
    each = text(locale, "list-join").join(text(locale, "stats-won" if won else "stats-lost") for won in last)
    return "\n".join(
        [
            text(locale, "stats-form", pool=pool_title(locale, form.pool)),
            _course(locale, form),
            text(locale, "stats-each", count=len(last), each=each),
        ]
    )


def _course(locale: str, form: Form) -> str:
    changes = [after - before for before, after in pairwise(form.ratings)]
    return text(
        locale,
        "stats-course",
        games=len(form.won),
        wins=sum(form.won),
        first=form.ratings[0],
        last=form.ratings[-1],
        highest=max(form.ratings),
        lowest=min(form.ratings),
        change=signed(locale, changes[-1]),
    )


def _left_out(locale: str, record: Record, *, own: bool) -> list[str]:
    """Games that do not count, and why."""
    count = len(record.played) - len(counting(record.played))
    if not count:
        return []
    return [text(locale, "stats-left-out" if own else "stats-left-out-other", count=count)]


def _pool_select(
    locale: str, looked: Looked, pools: Sequence[str], form: Form | None
) -> ui.ActionRow[Layout]:
    shown = form.pool if form is not None else looked.pool
    names = list(pools[:CHOICES])
    if shown in pools and shown not in names:
        names[-1] = shown
    return select(
        looked.click(POOL),
        text(locale, "stats-choose-pool"),
        [option(pool_title(locale, name), name, default=name == shown) for name in names],
    )


# The picture


def alt_text(locale: str, record: Record, form: Form) -> str:
    """What the curve shows, in words."""
    results = ", ".join(text(locale, "curve-won" if won else "curve-lost") for won in form.won)
    return text(
        locale,
        "stats-alt",
        name=bare_name(record.name),
        pool=pool_title(locale, form.pool),
        course=_course(locale, form).replace("**", ""),
        results=results,
    )


def curve_of(locale: str, record: Record, form: Form) -> Curve:
    """The same as it is drawn."""
    name = drawable(bare_name(record.name))
    return Curve(
        drawable(text(locale, "curve-title", name=name)) if name else text(locale, "curve-title-unnamed"),
        drawable(text(locale, "curve-about", pool=pool_title(locale, form.pool), games=len(form.won))),
        form.ratings,
        form.won,
        text(locale, "curve-begin", games=len(form.won)),
        text(locale, "curve-end"),
        text(locale, "curve-won"),
        text(locale, "curve-lost"),
    )
