"""`/fair`: the promises of a table's shuffles, checked."""

from typing import Any

from discord import app_commands

from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Stage, Table
from canasta_core.tables.recordings import rounds_over
from cogs.desk import Desk, DeskError, Interaction, begin, guild_of, locale_of, selected, show
from cogs.replays import table_meant, tables_played
from cogs.ui.fair import Shuffle, fairness, shuffles_of
from cogs.ui.layout import Click, Verb
from cogs.ui.refusals_text import table_error_text
from cogs.ui.text import command_text


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the command to the tree, and its clicks to the desk."""
    desk.handlers[Verb.FAIR] = _click

    @tree.command(name="fair", description=command_text("command-fair"))
    @app_commands.describe(table=command_text("option-table-played"), round=command_text("option-round"))
    @app_commands.autocomplete(table=tables_played(desk))
    async def fair(
        interaction: Interaction,
        table: str | None = None,
        round: int | None = None,  # noqa: A002 - the name that is typed
    ) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            await _fair(desk, interaction, await _meant(desk, interaction, table), round)


async def _meant(desk: Desk, interaction: Interaction, named: str | None) -> Table:
    """The table that is meant; one that runs is of interest here before its first round is over, too."""
    if named:
        return await desk.named_table(interaction, named)
    mine = await desk.service.tables_of(interaction.user.id, guild_of(interaction))
    running = [table for table in mine if table.stage is Stage.PLAYING]
    here = [table for table in running if table.channel_id == interaction.channel_id]
    if here or running:
        return (here or running)[-1]
    return await table_meant(desk, interaction, None)


async def _fair(desk: Desk, interaction: Interaction, table: Table, number: int | None) -> None:
    locale = locale_of(interaction)
    running = running_promise(table)
    shuffles: list[Shuffle] = []
    closed = ""
    try:
        shuffles = shuffles_of(await desk.service.record(table.id, interaction.user.id))
    except TableError as error:
        if running is None or error.code not in (TableCode.NO_RECORD, TableCode.PACKS_IN_PLAY):
            raise
        closed = table_error_text(locale, error, table.id)
    if shuffles and number is not None and not 0 <= number < len(shuffles):
        raise DeskError("no_such_round", round=number, rounds=len(shuffles) - 1)
    chosen = len(shuffles) - 1 if number is None else number
    await show(
        interaction,
        fairness(locale, table.id, shuffles, round_number=chosen, running=running, closed=closed),
    )


def running_promise(table: Table) -> tuple[int, str] | None:
    """Number and promise of the round that is being played; public from its start."""
    if table.state is None or table.stage is not Stage.PLAYING:
        return None
    number = table.state.public.round_number
    return None if number == rounds_over(table) else (number, table.commitment)


async def _click(desk: Desk, interaction: Interaction, click: Click) -> None:
    values = selected(interaction)
    value = values[0] if values else str(click.version)
    if not (value.isascii() and value.isdigit() and len(value) < 7):
        raise DeskError("outdated")
    table = await desk.table(interaction, click.table)
    # From the card of a game: no round is meant, and its first one is as good as any.
    await _fair(desk, interaction, table, int(value) if values else max(click.version, 1))
