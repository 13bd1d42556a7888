"""`/away` and `/back`: going away for a while, and coming back to one's seats."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from discord import app_commands

from canasta_core.tables.errors import StoreError, TableCode, TableError
from canasta_core.tables.model import Stage, Table
from cogs.autocomplete import tables_here
from cogs.dates import here, read_until, until_dates, zone_of_person
from cogs.desk import (
    Desk,
    DeskError,
    Interaction,
    begin,
    guild_of,
    locale_of,
    person_of,
    say_done,
    seat_of,
    show,
)
from cogs.ui.layout import MAX_TEXT, Click, Verb, note, shorten, table_name
from cogs.ui.refusals_text import table_error_text
from cogs.ui.tables import waits_for
from cogs.ui.text import command_text, text
from cogs.ui.times import in_how_long, long_duration, when

log = logging.getLogger(__name__)


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the commands to the tree, and the click to the desk."""
    desk.handlers[Verb.BACK] = _click_back

    @tree.command(name="away", description=command_text("command-away"))
    @app_commands.describe(until=command_text("option-until"), table=command_text("option-table-all"))
    @app_commands.autocomplete(until=until_dates(desk), table=tables_here(desk))
    async def away(interaction: Interaction, until: str, table: str | None = None) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            at = read_until(until, await here(desk, interaction), locale_of(interaction))
            await _go_away(desk, interaction, table, at)

    @tree.command(name="back", description=command_text("command-back"))
    @app_commands.describe(table=command_text("option-table-all"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def back(interaction: Interaction, table: str | None = None) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            await _come_back(desk, interaction, table)


async def _games(desk: Desk, interaction: Interaction, named: str | None) -> list[Table]:
    """The named table, else all of this server where the person plays. Raises DeskError, TableError."""
    if named:
        table = await desk.named_table(interaction, named)
        seat_of(interaction, table)
        return [table]
    mine = await desk.service.tables_of(interaction.user.id, guild_of(interaction))
    playing = [table for table in mine if table.stage is Stage.PLAYING]
    if not playing:
        raise DeskError("no_games" if mine else "no_tables")
    return playing


async def _go_away(desk: Desk, interaction: Interaction, named: str | None, until: datetime) -> None:
    tables = await _games(desk, interaction, named)
    at = until.timestamp()
    lines, said = [], False
    for table in tables:
        try:
            changed = await desk.service.away(table.id, person_of(interaction), at)
        except (TableError, StoreError) as error:
            if len(tables) == 1:
                raise
            lines.append(await _line(desk, interaction, table, _problem(interaction, table, error)))
        else:
            said = True
            lines.append(await _line(desk, interaction, table, _away_text(interaction, changed)))
    locale = locale_of(interaction)
    head = "away-title" if said else "away-title-none"
    parts = [text(locale, head, when=when(at), left=in_how_long(at)), *lines]
    if said:
        zone = await zone_of_person(desk, interaction)
        parts.append(text(locale, "away-after" if zone != "UTC" else "away-after-zone"))
    await show(interaction, note(_together(parts)))


def _away_text(interaction: Interaction, table: Table) -> str:
    """What being away means at a table, and how much of it is left."""
    locale, user = locale_of(interaction), interaction.user.id
    used = next((sitter.away_used for sitter in table.sitters if sitter.user_id == user), 0.0)
    left = max(table.away_limit - used, 0.0)
    key = "away-done-turn" if waits_for(table, user) else "away-done"
    return text(
        locale,
        key,
        left=long_duration(locale, left) if left >= 60 else text(locale, "away-nothing"),
        limit=long_duration(locale, table.away_limit),
    )


async def _come_back(desk: Desk, interaction: Interaction, named: str | None) -> None:
    """Back to all seats; where there is but one, the hand is shown at once."""
    tables = await _games(desk, interaction, named)
    if not named:
        tables = [table for table in tables if _is_gone(table, interaction.user.id)]
    if not tables:
        raise TableError(TableCode.NOT_AWAY)
    if len(tables) == 1:
        await _back_to(desk, interaction, tables[0])
        return
    lines = []
    for table in tables:
        try:
            changed = await desk.service.back(table.id, person_of(interaction))
        except (TableError, StoreError) as error:
            lines.append(await _line(desk, interaction, table, _problem(interaction, table, error)))
        else:
            lines.append(await _line(desk, interaction, table, _back_text(interaction, changed)))
    await show(interaction, note(_together([text(locale_of(interaction), "back-title"), *lines])))


def _is_gone(table: Table, user_id: int) -> bool:
    """Whether this person is away from a table, or an AI player keeps their seat."""
    return any(
        sitter.user_id == user_id and (sitter.absent or sitter.away_until is not None)
        for sitter in table.sitters
    )


def _back_text(interaction: Interaction, table: Table) -> str:
    locale = locale_of(interaction)
    if not waits_for(table, interaction.user.id):
        return text(locale, "back-done")
    if table.deadline is None:
        return text(locale, "back-done-turn")
    return text(locale, "back-done-turn-until", left=in_how_long(table.deadline))


async def _back_to(desk: Desk, interaction: Interaction, table: Table) -> None:
    changed = await desk.service.back(table.id, person_of(interaction))
    if changed.state is None:
        # A lobby has no hands.
        await say_done(interaction, changed, "back-lobby")
        return
    await desk.show_hand(interaction, changed, text(changed.locale, "back-hand"))


async def _click_back(desk: Desk, interaction: Interaction, click: Click) -> None:
    """*I am back*: only for oneself, whoever's message it is on."""
    table = await desk.table(interaction, click.table)
    seat_of(interaction, table)
    await _back_to(desk, interaction, table)


def _problem(interaction: Interaction, table: Table, error: TableError | StoreError) -> str:
    if isinstance(error, TableError):
        return table_error_text(locale_of(interaction), error, table.id)
    log.warning("table %s: not stored: %s", table.id, error)
    return text(locale_of(interaction), "away-not-stored")


async def _line(desk: Desk, interaction: Interaction, table: Table, said: str) -> str:
    """`table 12: …`, with a link to its board where there is one."""
    locale = locale_of(interaction)
    name, url = table_name(locale, table.id), await desk.board_url(table)
    return text(locale, "away-line", table=f"[{name}]({url})" if url else name, said=said)


def _together(parts: Sequence[str]) -> str:
    """As many of the first lines as fit into one message."""
    return "\n".join(shorten(parts[::-1], MAX_TEXT - 1).split("\n")[::-1])
