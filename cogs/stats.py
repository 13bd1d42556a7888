"""`/stats`: one person's ratings, partners, records and form, privately, to be shown to all on a click."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import discord
from discord import app_commands

from canasta_core.tables.standings import ALL, WITH_AI, Order, Pool
from cogs import answers
from cogs.answers import Upload
from cogs.desk import Desk, DeskError, Interaction, begin, guild_of, locale_of, selected, show
from cogs.leaderboard import check_may_show
from cogs.ui.form import pools_played
from cogs.ui.layout import Click, Verb
from cogs.ui.pictures import draw_curve
from cogs.ui.pools import is_pool
from cogs.ui.stats import (
    FILE,
    OPEN,
    POOL,
    SHARE,
    Looked,
    Record,
    alt_text,
    curve_of,
    form_shown,
    read_looked,
    stats_layout,
)
from cogs.ui.text import command_text, text


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the command to the tree, and the clicks to the desk."""
    desk.handlers[Verb.STATS] = _click

    @tree.command(name="stats", description=command_text("command-stats"))
    @app_commands.describe(person=command_text("option-person"))
    async def stats(interaction: Interaction, person: discord.User | None = None) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            whose = interaction.user if person is None else person
            if whose.bot:
                raise DeskError("no_stats_of_bots")
            await _show_stats(desk, interaction, Looked(whose.id), whose.display_name)


async def _click(desk: Desk, interaction: Interaction, click: Click) -> None:
    """The form in another pool, the same for all to see, or the clicker's own."""
    read = read_looked(click)
    if read is None:
        raise DeskError("outdated")
    about, looked = read
    if about == OPEN:
        await _show_stats(desk, interaction, Looked(interaction.user.id))
        return
    if about == SHARE:
        await _share(desk, interaction, looked)
        return
    values = selected(interaction)
    if about != POOL or not values or not is_pool(values[0]):
        raise DeskError("outdated")
    await _show_stats(desk, interaction, replace(looked, pool=values[0]))


async def _show_stats(
    desk: Desk, interaction: Interaction, looked: Looked, name: str = "", said: str = ""
) -> None:
    """Answer with somebody's statistics, privately; `name` is what they are called here, where known."""
    await desk.keep_name(interaction)
    record = await _record(desk, interaction, looked.user_id, name)
    locale, own = locale_of(interaction), looked.user_id == interaction.user.id
    layout = stats_layout(locale, record, looked, own=own, said=said)
    await show(interaction, layout, await _pictures(locale, record, looked))


async def _share(desk: Desk, interaction: Interaction, looked: Looked) -> None:
    """Show somebody's statistics to all in the channel."""
    check_may_show(interaction)
    record = await _record(desk, interaction, looked.user_id, "")
    locale = locale_of(interaction)
    layout = stats_layout(locale, record, looked, own=False, shown_by=interaction.user.display_name)
    await answers.publish(interaction, layout, await _pictures(locale, record, looked))
    await _show_stats(desk, interaction, looked, said=text(locale, "leaderboard-shown"))


async def _record(desk: Desk, interaction: Interaction, user_id: int, name: str) -> Record:
    guild_id = guild_of(interaction)
    if user_id == interaction.user.id:
        name = interaction.user.display_name
    elif not name:
        name = (await desk.service.names([user_id])).get(user_id, "")
    played = await desk.service.played(user_id, guild_id)
    names = [ALL, f"{ALL} {WITH_AI}", *pools_played(played)]
    line = await desk.service.place_of(Pool(guild_id, ALL, ALL), Order.RATING, user_id)
    return Record(
        user_id=user_id,
        name=name,
        played=played,
        standings={pool: await desk.service.standing(Pool(guild_id, pool, ALL), user_id) for pool in names},
        place=None if line is None else line.place,
    )


async def _pictures(locale: str, record: Record, looked: Looked) -> list[Upload]:
    form = form_shown(record, looked)
    if form is None:
        return []
    curve = curve_of(locale, record, form)
    return [Upload(FILE, await asyncio.to_thread(draw_curve, curve), alt_text(locale, record, form))]
