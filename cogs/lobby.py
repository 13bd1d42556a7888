"""Sitting down and starting: `/canasta join|leave|add-ai|start`, the lobby's buttons, and *Rematch*."""

import asyncio
from collections import defaultdict

from discord import app_commands

from canasta_core import ai
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Stage, Table
from cogs.autocomplete import tables_here
from cogs.desk import (
    Desk,
    Interaction,
    begin,
    guild_of,
    is_moderator,
    only,
    person_of,
    say_done,
    sentence,
)
from cogs.hosting import ask_to_end, only_of, refuse
from cogs.opening import check_may_open
from cogs.permissions import check_permissions
from cogs.ui.face import face_of
from cogs.ui.layout import Click, Verb
from cogs.ui.text import command_text


def register(desk: Desk, group: app_commands.Group) -> None:
    """Add the commands to the group `/canasta`, and the lobby's clicks to the desk."""
    for verb, handler in {
        Verb.JOIN: _click_join,
        Verb.LEAVE: _click_leave,
        Verb.ADD_AI: _click_add_ai,
        Verb.START: _click_start,
        Verb.REMATCH: _Rematches().click,
    }.items():
        desk.handlers[verb] = handler
    desk.errands["leave"] = _leave
    _seat_commands(desk, group)
    _start_command(desk, group)


def _seat_commands(desk: Desk, group: app_commands.Group) -> None:
    @group.command(name="join", description=command_text("command-join"))
    @app_commands.describe(seat=command_text("option-seat"), table=command_text("option-table"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def join(interaction: Interaction, seat: int | None = None, table: str | None = None) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            found = await lobby_meant(desk, interaction, table)
            await _sit_down(desk, interaction, found.id, None if seat is None else seat - 1)

    @group.command(name="leave", description=command_text("command-leave"))
    @app_commands.describe(table=command_text("option-table"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def leave(interaction: Interaction, table: str | None = None) -> None:
        await desk.run(interaction, table, "leave", find=table_to_leave)

    @group.command(name="add-ai", description=command_text("command-add-ai"))
    @app_commands.describe(
        level=command_text("option-level"),
        seat=command_text("option-seat"),
        table=command_text("option-table"),
    )
    @app_commands.choices(level=[app_commands.Choice(name=level, value=level) for level in ai.levels()])
    @app_commands.autocomplete(table=tables_here(desk))
    async def add_ai(
        interaction: Interaction, level: str = "medium", seat: int | None = None, table: str | None = None
    ) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            found = await lobby_meant(desk, interaction, table)
            await _add_ai(desk, interaction, found.id, level, None if seat is None else seat - 1)


def _start_command(desk: Desk, group: app_commands.Group) -> None:
    @group.command(name="start", description=command_text("command-start"))
    @app_commands.describe(table=command_text("option-table"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def start(interaction: Interaction, table: str | None = None) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            await _start(desk, interaction, await lobby_meant(desk, interaction, table))


async def lobby_meant(desk: Desk, interaction: Interaction, named: str | None) -> Table:
    """The named table; else the only lobby of this channel, else its only table.

    Raises DeskError, TableError.
    """
    if named:
        return await desk.named_table(interaction, named)
    tables = await desk.service.tables_in(guild_of(interaction), interaction.channel_id)
    lobbies = [table for table in tables if table.stage is Stage.LOBBY]
    return only(lobbies or tables)


async def table_to_leave(desk: Desk, interaction: Interaction, named: str | None) -> Table:
    """The named table, else the only one of the person's here, else their only one: of several none is
    guessed.
    """
    if named:
        return await desk.named_table(interaction, named)
    mine = await desk.service.tables_of(interaction.user.id, guild_of(interaction))
    here = [table for table in mine if table.channel_id == interaction.channel_id]
    return only_of(here, mine) or refuse("no_tables")


async def _sit_down(desk: Desk, interaction: Interaction, table_id: int, seat: int | None) -> None:
    table = await desk.service.join(table_id, person_of(interaction), seat)
    mine = table.seat_of(interaction.user.id)
    if mine is None:
        raise TableError(TableCode.NOT_SEATED)
    await say_done(interaction, table, "lobby-joined", seat=mine + 1)


async def _add_ai(desk: Desk, interaction: Interaction, table_id: int, level: str, seat: int | None) -> None:
    before = await desk.service.get(table_id)
    table = await desk.service.add_ai(
        table_id, person_of(interaction), level, seat, moderator=is_moderator(interaction, before)
    )
    face = face_of(table)
    taken = {sitter.seat for sitter in before.sitters}
    new = next((sitter.seat for sitter in table.sitters if sitter.is_ai and sitter.seat not in taken), 0)
    await say_done(interaction, table, "lobby-ai", name=face.name(new))


async def _start(desk: Desk, interaction: Interaction, table: Table) -> None:
    moderator = is_moderator(interaction, table)
    begun = await desk.service.begin(table.id, person_of(interaction), moderator=moderator)
    await say_done(interaction, begun, "lobby-started")


async def _leave(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    if table.stage is Stage.PLAYING and [one.user_id for one in table.people] == [interaction.user.id]:
        # Without them the game would be over: so much must not depend on one slip.
        await ask_to_end(interaction, table, sentence(table, "lobby-leave-last"))
        return
    left = await desk.service.leave(table.id, person_of(interaction))
    key = "lobby-left" if table.stage is Stage.LOBBY or left.stage is Stage.ENDED else "lobby-left-game"
    await say_done(interaction, left, key)


async def _click_join(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    await _sit_down(desk, interaction, table.id, None)


async def _click_leave(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    if table.stage is Stage.PLAYING:  # a lobby's old button must not throw away a running game's seat
        raise TableError(TableCode.ALREADY_STARTED)
    await _leave(desk, interaction, table, "")


async def _click_add_ai(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    await _add_ai(desk, interaction, table.id, "medium", None)


async def _click_start(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    await _start(desk, interaction, table)


class _Rematches:
    """*Rematch*: a new table with the same rules and people, once however many click."""

    def __init__(self) -> None:
        self._locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        """By table that was played; two clicks at once must not open two tables."""

    async def click(self, desk: Desk, interaction: Interaction, click: Click) -> None:
        old = await desk.table(interaction, click.table)
        if old.seat_of(interaction.user.id) is None:
            raise TableError(TableCode.NOT_SEATED)
        if old.stage is not Stage.ENDED:
            raise TableError(TableCode.ALREADY_STARTED)
        check_may_open(interaction, await desk.service.server_settings(guild_of(interaction)))
        check_permissions(interaction)
        channel_id = interaction.channel_id or old.channel_id
        async with self._locks[old.id]:
            there = await self._open_already(desk, old, channel_id)
            if there is not None:
                await say_done(interaction, there, "lobby-rematch-there")
                return
            table = await self._open(desk, interaction, old, channel_id)
        await say_done(interaction, table, "lobby-rematch")

    async def _open_already(self, desk: Desk, old: Table, channel_id: int) -> Table | None:
        """A table of the same rules that somebody of the old one opened here since, if it has not ended."""
        people = {sitter.user_id for sitter in old.people}
        for table in await desk.service.tables_in(old.guild_id, channel_id):
            mine = {sitter.user_id for sitter in table.people}
            if table.id > old.id and table.rules == old.rules and mine <= people:
                return table
        return None

    async def _open(self, desk: Desk, interaction: Interaction, old: Table, channel_id: int) -> Table:
        """Where it was clicked: the old place may be gone, and what was checked is true of this one.

        Who clicked is the host; AI players take their old seats, and the others' seats wait for them.
        """
        host = person_of(interaction)
        service = desk.service
        table = await service.create(
            old.guild_id,
            channel_id,
            host,
            old.rules.profile,
            seats=old.rules.seats,
            options=dict(old.rules.options),
            locale=old.locale,
            seat=old.seat_of(host.user_id),
            clock=old.clock,
            undo=old.undo,
            away_limit=old.away_limit,
        )
        for sitter in old.sitters:
            if sitter.is_ai:
                table = await service.add_ai(table.id, host, sitter.ai, sitter.seat)
        return table
