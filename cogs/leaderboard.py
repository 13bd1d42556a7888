"""`/leaderboard`: who is ahead, page by page, as a private message that its reader can show to all."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Final

import discord
from discord import app_commands

from canasta_core.tables.errors import StoreError, TableError
from canasta_core.tables.standings import ALL, WORLD, Leaderboard, Order, Pool
from cogs import answers
from cogs.answers import Upload
from cogs.autocomplete import Choice
from cogs.desk import Desk, DeskError, Interaction, begin, guild_of, locale_of, now, selected, show
from cogs.ui.layout import Click, Verb, cut, name_text
from cogs.ui.leaderboard import (
    FILE,
    MINE,
    ORDER,
    PAGE,
    PICTURE,
    POOL,
    SCOPE,
    SEASON,
    SHARE,
    Asked,
    Choices,
    Own,
    alt_text,
    leaderboard_layout,
    read_asked,
    top_of,
)
from cogs.ui.pictures import draw_top
from cogs.ui.pools import (
    first_name,
    is_pool,
    is_season,
    names_of,
    order_title,
    pool_title,
    season_title,
    seasons_of,
)
from cogs.ui.text import DEFAULT, command_text, text

MOST: Final = 25
"""Choices that Discord shows."""
SERVER: Final = "server"
EVERYWHERE: Final = "world"
_NEAR: Final = 500
"""Lines among which somebody's own is looked for, where many share a place."""


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the command to the tree, and the clicks to the desk."""
    desk.handlers[Verb.LEADERBOARD] = _click

    async def pools(interaction: Interaction, typed: str) -> list[Choice]:
        """The option `pool:`: games that somebody has finished here."""
        locale = locale_of(interaction)
        found = [(pool_title(locale, name), name) for name in names_of(await _pools(desk, interaction))]
        return _matching(found, typed)

    async def seasons(interaction: Interaction, typed: str) -> list[Choice]:
        """The option `season:`: all time, this year and month, and those that have games."""
        locale = locale_of(interaction)
        known = seasons_of(await _pools(desk, interaction), now())
        return _matching([(season_title(locale, season), season) for season in known], typed)

    @tree.command(name="leaderboard", description=command_text("command-leaderboard"))
    @app_commands.describe(
        by=command_text("option-by"),
        pool=command_text("option-pool"),
        season=command_text("option-season"),
        scope=command_text("option-scope"),
        picture=command_text("option-picture"),
    )
    @app_commands.choices(
        by=[app_commands.Choice(name=order_title(DEFAULT, order), value=str(order)) for order in Order],
        scope=[
            app_commands.Choice(name=command_text("scope-server"), value=SERVER),
            app_commands.Choice(name=command_text("scope-world"), value=EVERYWHERE),
        ],
    )
    @app_commands.autocomplete(pool=pools, season=seasons)
    async def leaderboard(
        interaction: Interaction,
        by: str = Order.RATING,
        pool: str | None = None,
        season: str | None = None,
        scope: str = SERVER,
        picture: bool = False,
    ) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            world = scope == EVERYWHERE
            known = await desk.service.pools_in(WORLD if world else guild_of(interaction))
            locale = locale_of(interaction)
            name = first_name(names_of(known)) if pool is None else _read_pool(locale, known, pool)
            chosen = ALL if season is None else _read_season(locale, known, season)
            asked = Asked(Order(by), world, name, chosen, 0, picture)
            await show_leaderboard(desk, interaction, asked)


async def _pools(desk: Desk, interaction: Interaction) -> list[Pool]:
    """Those of the scope that is chosen; none when anything is in the way."""
    try:
        world = getattr(interaction.namespace, "scope", SERVER) == EVERYWHERE
        return await desk.service.pools_in(WORLD if world else guild_of(interaction))
    except (DeskError, TableError, StoreError):
        return []


def _matching(found: list[tuple[str, str]], typed: str) -> list[Choice]:
    wanted = typed.strip().lower()
    return [
        app_commands.Choice(name=cut(title, 100), value=value)
        for title, value in found
        if wanted in title.lower() or wanted in value
    ][:MOST]


def _read_pool(locale: str, known: list[Pool], typed: str) -> str:
    """A pool as it is chosen or typed. Raises DeskError."""
    wanted = typed.strip().lower()
    titles = {pool_title(locale, name).lower(): name for name in names_of(known)}
    if is_pool(wanted) and (wanted in titles.values() or wanted in (ALL, f"{ALL} ai")):
        return wanted
    if wanted in titles:
        return titles[wanted]
    raise DeskError("unknown_pool", text=name_text(typed, 40))


def _read_season(locale: str, known: list[Pool], typed: str) -> str:
    """A season as it is chosen or typed. Raises DeskError."""
    wanted = typed.strip().lower()
    if is_season(wanted):
        return wanted
    titles = {season_title(locale, season).lower(): season for season in seasons_of(known, now())}
    if wanted in titles:
        return titles[wanted]
    raise DeskError("unknown_season", text=name_text(typed, 40))


async def _click(desk: Desk, interaction: Interaction, click: Click) -> None:
    """Another page, another leaderboard, or the same for all to see.

    A click on a message that all can see is answered privately, and leaves it as it is.
    """
    read = read_asked(click)
    if read is None:
        raise DeskError("outdated")
    about, asked = read
    if about == SHARE:
        await _share(desk, interaction, asked)
        return
    values = selected(interaction)
    changed = _changed(asked, about, values[0] if values else "")
    if about == MINE:
        changed = replace(asked, page=await _page_of(desk, interaction, asked))
    await show_leaderboard(desk, interaction, changed)


def _changed(asked: Asked, about: str, value: str) -> Asked:
    """What is asked for after a click; a page has been read already. Raises DeskError."""
    if about == ORDER and value in frozenset(Order):
        return replace(asked, order=Order(value), page=0)
    if about == POOL and is_pool(value):
        return replace(asked, name=value, page=0)
    if about == SEASON and is_season(value):
        return replace(asked, season=value, page=0)
    if about in (ORDER, POOL, SEASON):
        raise DeskError("outdated")
    if about == SCOPE:
        return replace(asked, world=not asked.world, page=0)
    if about == PICTURE:
        return replace(asked, picture=not asked.picture)
    return asked


async def _page_of(desk: Desk, interaction: Interaction, asked: Asked) -> int:
    """The page with the reader's own line."""
    pool, user = asked.pool(guild_of(interaction)), interaction.user.id
    mine = await desk.service.place_of(pool, asked.order, user, asked.minimum)
    if mine is None:
        return 0
    first = mine.place - 1
    near = await desk.service.leaderboard(pool, asked.order, minimum=asked.minimum, limit=_NEAR, offset=first)
    after = next((number for number, line in enumerate(near.lines) if line.user_id == user), 0)
    return (first + after) // PAGE


async def show_leaderboard(desk: Desk, interaction: Interaction, asked: Asked, said: str = "") -> None:
    """Answer with a page of a leaderboard, privately."""
    await desk.keep_name(interaction)
    asked, board = await _lines(desk, interaction, asked)
    own, choices = await _own(desk, interaction, asked), await _choices(desk, interaction, asked)
    locale = locale_of(interaction)
    layout = leaderboard_layout(locale, asked, board, own, choices, said=said)
    await show(interaction, layout, await _pictures(locale, asked, board, own.user_id))


async def _share(desk: Desk, interaction: Interaction, asked: Asked) -> None:
    """Show a page to all in the channel."""
    check_may_show(interaction)
    asked, board = await _lines(desk, interaction, asked)
    own, choices = await _own(desk, interaction, asked), await _choices(desk, interaction, asked)
    locale = locale_of(interaction)
    name = interaction.user.display_name
    layout = leaderboard_layout(locale, asked, board, own, choices, shown_by=name)
    await answers.publish(interaction, layout, await _pictures(locale, asked, board, None))
    await show_leaderboard(desk, interaction, asked, text(locale, "leaderboard-shown"))


def check_may_show(interaction: Interaction) -> None:
    """Nobody shows something through the bot where they may not write. Raises DeskError."""
    allowed = interaction.permissions
    in_thread = isinstance(interaction.channel, discord.Thread)
    if not (allowed.send_messages_in_threads if in_thread else allowed.send_messages):
        raise DeskError("may_not_show")


async def _lines(desk: Desk, interaction: Interaction, asked: Asked) -> tuple[Asked, Leaderboard]:
    """The page that is asked for; the last one where there are not so many."""
    pool = asked.pool(guild_of(interaction))
    while True:
        board = await desk.service.leaderboard(
            pool, asked.order, minimum=asked.minimum, limit=PAGE, offset=asked.page * PAGE
        )
        last = max(board.count - 1, 0) // PAGE
        if asked.page <= last:
            return asked, board
        asked = replace(asked, page=last)


async def _own(desk: Desk, interaction: Interaction, asked: Asked) -> Own:
    pool, user = asked.pool(guild_of(interaction)), interaction.user.id
    line = await desk.service.place_of(pool, asked.order, user, asked.minimum)
    standing = await desk.service.standing(pool, user) if line is None else line.standing
    chosen = await desk.service.preferences(user)
    return Own(user, line, standing.games, chosen.worldwide)


async def _choices(desk: Desk, interaction: Interaction, asked: Asked) -> Choices:
    known = await desk.service.pools_in(WORLD if asked.world else guild_of(interaction))
    return Choices(names_of(known) or [ALL], seasons_of(known, now()))


async def _pictures(locale: str, asked: Asked, board: Leaderboard, user_id: int | None) -> list[Upload]:
    if not asked.picture or not board.lines:
        return []
    top = top_of(locale, asked, board, user_id)
    return [Upload(FILE, await asyncio.to_thread(draw_top, top), alt_text(locale, asked, board))]
