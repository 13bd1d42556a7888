"""`/canasta list`: the tables of a server, what waits for the reader first, with links to their boards."""

from discord import app_commands

from cogs.desk import Desk, DeskError, Interaction, begin, guild_of, locale_of, may_see, show
from cogs.ui.layout import Click, Verb
from cogs.ui.tables import in_order, listed, page_of, table_list
from cogs.ui.text import command_text


def register(desk: Desk, group: app_commands.Group) -> None:
    """Add the command to the group `/canasta`, and the click that turns its pages to the desk."""
    desk.handlers[Verb.LIST] = _click_list

    @group.command(name="list", description=command_text("command-list"))
    async def list_(interaction: Interaction) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            await _show_list(desk, interaction, 0)


async def _click_list(desk: Desk, interaction: Interaction, click: Click) -> None:
    if click.table:
        raise DeskError("outdated")
    await _show_list(desk, interaction, click.version)


async def _show_list(desk: Desk, interaction: Interaction, page: int) -> None:
    every = await desk.service.glances_in(guild_of(interaction))
    tables = {table.id: table for table in every if may_see(interaction, table)}
    here = interaction.channel_id
    rows = in_order([listed(table, interaction.user.id) for table in tables.values()], here)
    urls = {row.id: await desk.board_url(tables[row.id]) for row in page_of(rows, page)}
    await show(interaction, table_list(locale_of(interaction), rows, page=page, channel_id=here, urls=urls))
