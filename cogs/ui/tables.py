"""Tables in lists: what waits for somebody first, pages of them, and the question which one is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import discord
from discord import ui

from canasta_core.profiles import profile_title
from canasta_core.tables.glance import Glance, glance_at
from canasta_core.tables.model import Stage, Table
from cogs.ui.face import sitter_name
from cogs.ui.layout import (
    MAX_CUSTOM_ID,
    MAX_OPTIONS,
    Click,
    Layout,
    Verb,
    button,
    option,
    rows,
    select,
    table_name,
    words,
)
from cogs.ui.text import text
from cogs.ui.times import duration, in_how_long

PAGE: Final = 10
"""Tables on a page of the list: as many as can be read at one glance, and fit with the longest words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A table in a list, as one person sees it."""

    id: int
    channel_id: int
    title: str
    stage: Stage
    round: int
    free: int
    """Seats that are free in the lobby."""
    mine: bool
    waiting: bool
    """All wait for this person's move."""
    turn: str
    """Who is waited for, as public text; empty when nobody is."""
    deadline: float | None
    paused: bool
    kept: bool
    """An AI player keeps this person's seat."""
    lost: bool
    """Its channel cannot be reached."""


def waits_for(table: Table | Glance, user_id: int) -> bool:
    """Whether it is this person's move."""
    table = glance_at(table) if isinstance(table, Table) else table
    return not table.paused and table.seat_of(user_id) in table.acting


def listed(table: Table | Glance, user_id: int) -> Listed:
    """What a list says of a table to one person."""
    table = glance_at(table) if isinstance(table, Table) else table
    seat = table.seat_of(user_id)
    sitter = None if seat is None else table.sitter(seat)
    names = [sitter_name(table.locale, one) for one in map(table.sitter, table.acting) if one is not None]
    return Listed(
        id=table.id,
        channel_id=table.channel_id,
        title=profile_title(table.rules),
        stage=table.stage,
        round=table.round_number,
        free=len(table.free_seats),
        mine=seat is not None,
        waiting=waits_for(table, user_id),
        turn=text(table.locale, "team-and").join(names),
        deadline=table.deadline,
        paused=table.paused,
        kept=sitter is not None and sitter.absent,
        lost=bool(table.lost),
    )


def in_order(tables: Sequence[Listed], channel_id: int | None) -> list[Listed]:
    """What waits for somebody first, the nearest deadline before later ones; then their other tables; then
    those of this channel that can be joined; then the rest, those of this channel first.
    """

    def rank(one: Listed) -> tuple[int, bool, float, int]:
        here = one.channel_id == channel_id
        joinable = one.stage is Stage.LOBBY and here
        group = 0 if one.waiting else 1 if one.mine else 2 if joinable else 3
        return group, not here and not one.mine, one.deadline or float("inf"), one.id

    return sorted(tables, key=rank)


def pages_of(count: int, size: int) -> int:
    """How many pages so many entries fill; at least one."""
    return max(1, -(-count // size))


def page_of(tables: Sequence[Listed], page: int) -> list[Listed]:
    """The tables on a page of the list, counted from 0; a page that there is no longer is the last one."""
    page = min(page, pages_of(len(tables), PAGE) - 1)
    return list(tables[page * PAGE : (page + 1) * PAGE])


def table_list(
    locale: str,
    tables: Sequence[Listed],
    *,
    page: int = 0,
    channel_id: int | None = None,
    urls: Mapping[int, str] | None = None,
) -> Layout:
    """A page of tables, one a line, in the order given. `urls` lead to the boards, by table."""
    if not tables:
        return Layout(words(text(locale, "list-none")))
    pages = pages_of(len(tables), PAGE)
    page = min(page, pages - 1)
    waiting = sum(one.waiting for one in tables)
    head = text(locale, "list-title", count=len(tables), waiting=waiting)
    lines = [_line(locale, one, channel_id, (urls or {}).get(one.id, "")) for one in page_of(tables, page)]
    layout = Layout(words("\n".join([head, *lines])))
    for row in rows(_turn_pages(locale, page, pages)):
        layout.add_item(row)
    return layout


def _turn_pages(locale: str, page: int, pages: int) -> list[ui.Button[Any]]:
    if pages == 1:
        return []
    at = text(locale, "list-page", page=page + 1, pages=pages)
    # The one in the middle is a label: it has an id of its own and cannot be pressed.
    return [
        button(Click(Verb.LIST, 0, max(page - 1, 0), "b"), text(locale, "button-before"), disabled=not page),
        button(Click(Verb.LIST, 0, page), at, disabled=True),
        button(
            Click(Verb.LIST, 0, page + 1, "n"),
            text(locale, "button-after"),
            disabled=page + 1 == pages,
        ),
    ]


def _line(locale: str, one: Listed, channel_id: int | None, url: str) -> str:
    """`➤ table 12 · Classic · your turn, ends in 5 hours · here`."""
    name = table_name(locale, one.id)
    parts = [one.title, _state(locale, one)]
    if one.lost:
        parts.append(text(locale, "list-lost", number=str(one.id)))
    elif one.channel_id != channel_id:
        parts.append(f"<#{one.channel_id}>")
    return text(
        locale,
        "list-line",
        mark="➤" if one.waiting else "•",
        table=f"[{name}]({url})" if url else name,
        state=text(locale, "list-join").join(parts),
    )


def _state(locale: str, one: Listed) -> str:
    """Whose turn it is and until when, in Discord's own timestamps."""
    if one.stage is Stage.LOBBY:
        return text(locale, "list-lobby-mine" if one.mine else "list-lobby", free=one.free)
    if one.paused:
        return text(locale, "list-paused", round=one.round)
    if one.waiting:
        said = text(locale, "list-waiting-you")
    elif one.turn:
        said = text(locale, "list-turn", round=one.round, name=one.turn)
    else:
        said = text(locale, "list-between", round=one.round)
    if one.deadline is not None:
        said = text(locale, "list-until", state=said, left=in_how_long(one.deadline))
    return text(locale, "list-kept", state=said) if one.kept else said


def state_plain(locale: str, one: Listed, now: float) -> str:
    """The same where Discord shows no timestamps: in the options of commands and selects."""
    if one.stage is Stage.LOBBY:
        return text(locale, "list-lobby", free=one.free)
    if one.paused:
        return text(locale, "choose-paused")
    said = (
        text(locale, "choose-turn", name=plain_name(one.turn)) if one.turn else text(locale, "choose-between")
    )
    if one.waiting:
        said = text(locale, "choose-your-turn")
    if one.deadline is None:
        return said
    return text(locale, "choose-left", state=said, left=duration(locale, one.deadline - now))


def plain_name(name: str) -> str:
    """A name without the signs that keep it from being marked up: an option shows them as they are."""
    return discord.utils.remove_markdown(name).replace("\\", "").replace("\N{ZERO WIDTH SPACE}", "")


def chooser(
    locale: str, tables: Sequence[Listed], errand: str, *, now: float, page: int = 0
) -> Layout | None:
    """Asks which table a command meant; the errand travels in the custom id.

    None when it is too long for one.
    """
    click = Click(Verb.CHOOSE, 0, 0, errand)
    turn = Click(Verb.CHOOSE_PAGE, 0, page + 1, errand)
    if max(len(click.custom_id), len(turn.custom_id)) > MAX_CUSTOM_ID:
        return None
    pages = pages_of(len(tables), MAX_OPTIONS)
    page = min(page, pages - 1)
    options = [
        option(
            text(
                locale,
                "choose-option",
                table=table_name(locale, one.id),
                title=one.title,
                round=one.round,
            ),
            str(one.id),
            state_plain(locale, one, now),
        )
        for one in tables[page * MAX_OPTIONS : (page + 1) * MAX_OPTIONS]
    ]
    layout = Layout(
        words(text(locale, "choose-table")), select(click, text(locale, "choose-placeholder"), options)
    )
    if pages > 1:
        following = Click(Verb.CHOOSE_PAGE, 0, (page + 1) % pages, errand)
        label = text(locale, "choose-more", page=page + 1, pages=pages)
        layout.add_item(ui.ActionRow(button(following, label)))
    return layout
