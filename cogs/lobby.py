"""Sitting down and starting: `/canasta join|leave|add-ai|start`, the lobby's buttons, and *Rematch*."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import discord
from discord import app_commands

from canasta_core import ai
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Sitter, Stage, Table
from cogs.autocomplete import tables_here
from cogs.desk import (
    Desk,
    DeskError,
    Interaction,
    guild_of,
    is_moderator,
    is_private,
    only_of,
    person_of,
    say_done,
    selected,
    sentence,
    show,
)
from cogs.hosting import ask_to_end, refuse
from cogs.opening import check_may_open
from cogs.permissions import check_permissions
from cogs.ui.face import face_of
from cogs.ui.layout import Click, Verb, button, note, table_name
from cogs.ui.lobby import CHOSEN, kept_names, place_text
from cogs.ui.pings import linked
from cogs.ui.text import command_text, text

_SURE: Final = "sure"
"""Argument of the second click, which does what the first one has asked about."""
_DANGER: Final = discord.ButtonStyle.danger


def register(desk: Desk, group: app_commands.Group) -> None:
    """Add the commands to the group `/canasta`, and the lobby's clicks to the desk."""
    for verb, handler in {
        Verb.JOIN: _click_join,
        Verb.LEAVE: _click_leave,
        Verb.ADD_AI: _click_add_ai,
        Verb.START: _click_start,
        Verb.REMATCH: _Rematches().click,
        Verb.TAKE_SEAT: _click_take_seat,
    }.items():
        desk.handlers[verb] = handler
    desk.errands |= {"leave": _leave, "join": _join, "add-ai": _add_ai, "start": _start}
    _seat_commands(desk, group)
    _start_command(desk, group)


def _seat_commands(desk: Desk, group: app_commands.Group) -> None:
    @group.command(name="join", description=command_text("command-join"))
    @app_commands.describe(seat=command_text("option-seat"), table=command_text("option-table"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def join(interaction: Interaction, seat: int | None = None, table: str | None = None) -> None:
        await desk.run(interaction, table, "join", "" if seat is None else str(seat), find=lobby_meant)

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
        typed = f"{level} {'' if seat is None else seat}".strip()
        await desk.run(interaction, table, "add-ai", typed, find=own_lobby_meant)


def _start_command(desk: Desk, group: app_commands.Group) -> None:
    @group.command(name="start", description=command_text("command-start"))
    @app_commands.describe(table=command_text("option-table"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def start(interaction: Interaction, table: str | None = None) -> None:
        await desk.run(interaction, table, "start", find=own_lobby_meant)


async def lobby_meant(desk: Desk, interaction: Interaction, named: str | None) -> Table:
    """The named table; else the only lobby of this channel, else its only table.

    Raises SeveralTablesError, DeskError, TableError.
    """
    if named:
        return await desk.named_table(interaction, named)
    tables = await desk.service.tables_in(guild_of(interaction), interaction.channel_id)
    return only_of(_lobbies(tables), tables) or refuse("no_table_here")


async def own_lobby_meant(desk: Desk, interaction: Interaction, named: str | None) -> Table:
    """The same for what is the host's: the lobby here that the person hosts comes first."""
    if named:
        return await desk.named_table(interaction, named)
    tables = await desk.service.tables_in(guild_of(interaction), interaction.channel_id)
    lobbies = _lobbies(tables)
    own = [table for table in lobbies if table.host_id == interaction.user.id]
    return only_of(own, lobbies, tables) or refuse("no_table_here")


def _lobbies(tables: Sequence[Table]) -> list[Table]:
    return [table for table in tables if table.stage is Stage.LOBBY]


async def table_to_leave(desk: Desk, interaction: Interaction, named: str | None) -> Table:
    """The named table, else the only one of the person's here, else their only one: of several none is
    guessed.
    """
    if named:
        return await desk.named_table(interaction, named)
    mine = await desk.service.tables_of(interaction.user.id, guild_of(interaction))
    here = [table for table in mine if table.channel_id == interaction.channel_id]
    return only_of(here, mine) or refuse("no_tables")


async def _join(desk: Desk, interaction: Interaction, table: Table, typed: str) -> None:
    await sit_down(desk, interaction, table, _seat(typed))


def _seat(typed: str) -> int | None:
    """A seat, from 0, of the number that was typed; None of nothing."""
    return int(typed) - 1 if typed else None


async def sit_down(desk: Desk, interaction: Interaction, table: Table, seat: int | None) -> None:
    """Sit down, move to another seat of the lobby, or take up one's own seat again."""
    me = interaction.user.id
    held = table.sitter(seat_held) if (seat_held := table.seat_of(me)) is not None else None
    playing = table.stage is Stage.PLAYING
    if held is not None and playing and seat in (None, held.seat) and _is_gone(held):
        back = await desk.service.back(table.id, person_of(interaction))
        await desk.show_hand(interaction, back, text(back.locale, "back-hand"))
        return
    joined = await desk.service.join(table.id, person_of(interaction), seat)
    mine = joined.seat_of(me)
    if mine is None:
        raise TableError(TableCode.NOT_SEATED)
    if held is not None:
        await say_done(interaction, joined, "lobby-moved", place=place_text(face_of(joined), mine))
    elif not playing:
        await _say_place(interaction, joined, "lobby-joined")
    elif any(one.user_id == me and one.to_version for one in await desk.service.tenures(table.id)):
        await desk.show_hand(interaction, joined, text(joined.locale, "back-hand"))
    else:
        said = sentence(joined, "lobby-joined", place=place_text(face_of(joined), mine))
        await desk.show_hand(interaction, joined, said)


def _is_gone(sitter: Sitter) -> bool:
    return sitter.absent or sitter.away_until is not None


async def _say_place(interaction: Interaction, table: Table, key: str, url: str = "") -> None:
    """Say where somebody sits at a table and with whom; with a link to the table where there is one."""
    seat, face = table.seat_of(interaction.user.id), face_of(table)
    place = "" if seat is None else place_text(face, seat)
    await show(interaction, note(face.words(key, table=linked(face, url), place=place)))


async def _add_ai(desk: Desk, interaction: Interaction, before: Table, typed: str) -> None:
    level, _, seat = typed.partition(" ")
    table = await desk.service.add_ai(
        before.id,
        person_of(interaction),
        level,
        _seat(seat),
        moderator=is_moderator(interaction, before),
    )
    face = face_of(table)
    taken = {sitter.seat for sitter in before.sitters}
    new = next((sitter.seat for sitter in table.sitters if sitter.is_ai and sitter.seat not in taken), 0)
    await say_done(interaction, table, "lobby-ai", name=face.name(new))


async def _start(
    desk: Desk, interaction: Interaction, table: Table, _: str = "", *, sure: bool = False
) -> None:
    moderator = is_moderator(interaction, table)
    names = kept_names(face_of(table))
    if names and not sure and (moderator or table.host_id == interaction.user.id):
        again = button(
            Click(Verb.START, table.id, table.version, _SURE), text(table.locale, "button-start-kept")
        )
        await show(interaction, note(sentence(table, "lobby-start-kept", names=names), again))
        return
    begun = await desk.service.begin(table.id, person_of(interaction), moderator=moderator)
    await say_done(interaction, begun, "lobby-started")


async def _leave(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    """Get up. Where the table would end with it, that is asked first: it must not depend on one slip."""
    if [one.user_id for one in table.people] == [interaction.user.id]:
        if table.stage is Stage.PLAYING:
            await ask_to_end(interaction, table, sentence(table, "lobby-leave-last"))
            return
        if table.stage is Stage.LOBBY:
            label = text(table.locale, "button-leave-close", table=table_name(table.locale, table.id))
            sure = button(Click(Verb.LEAVE, table.id, table.version, _SURE), label, style=_DANGER)
            await show(interaction, note(sentence(table, "lobby-leave-close"), sure))
            return
    await _leave_now(desk, interaction, table)


async def _leave_now(desk: Desk, interaction: Interaction, table: Table) -> None:
    left = await desk.service.leave(table.id, person_of(interaction))
    if left.stage is Stage.ENDED:
        await say_done(interaction, left, "lobby-left-closed")
    else:
        key = "lobby-left" if left.stage is Stage.LOBBY else "lobby-left-game"
        await say_done(interaction, left, key)


async def _click_join(desk: Desk, interaction: Interaction, click: Click) -> None:
    """*Join*, or a seat that was chosen in the lobby."""
    table = await desk.table(interaction, click.table)
    chosen = selected(interaction)[:1] if click.arg == CHOSEN else []
    if not all(seat.isdecimal() for seat in chosen):
        raise DeskError("outdated")
    await sit_down(desk, interaction, table, int(chosen[0]) if chosen else None)


async def _click_take_seat(desk: Desk, interaction: Interaction, click: Click) -> None:
    """A seat of a running game, which an AI player holds."""
    table = await desk.table(interaction, click.table)
    if not click.arg.isdecimal():
        raise DeskError("outdated")
    await sit_down(desk, interaction, table, int(click.arg))


async def _click_leave(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    if table.stage is Stage.PLAYING:  # a lobby's old button must not throw away a running game's seat
        raise TableError(TableCode.ALREADY_STARTED)
    if _is_sure(interaction, click):
        await _leave_now(desk, interaction, table)
    else:
        await _leave(desk, interaction, table, "")


async def _click_add_ai(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    await _add_ai(desk, interaction, table, "medium")


async def _click_start(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    await _start(desk, interaction, table, sure=_is_sure(interaction, click))


def _is_sure(interaction: Interaction, click: Click) -> bool:
    """The second click: it is on the private question, and nowhere else."""
    return click.arg == _SURE and is_private(interaction)


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
                await self._come_too(desk, interaction, old, there)
                return
            table = await self._open(desk, interaction, old, channel_id)
        await show(interaction, note(await self._said(desk, table, "lobby-rematch")))

    async def _come_too(self, desk: Desk, interaction: Interaction, old: Table, there: Table) -> None:
        """Who comes second sits down where they sat."""
        me = interaction.user.id
        if there.stage is not Stage.LOBBY and there.seat_of(me) is None:
            if there.kept_for(me) is not None:
                await sit_down(desk, interaction, there, None)
            else:
                await show(interaction, note(await self._said(desk, there, "lobby-rematch-there")))
            return
        key = "lobby-rematch-seated"
        if there.seat_of(me) is None:
            there = await desk.service.join(there.id, person_of(interaction))
            same = there.seat_of(me) == old.seat_of(me)
            key = "lobby-rematch-joined" if same else "lobby-rematch-other-seat"
        await _say_place(interaction, there, key, await desk.board_url(there))

    async def _said(self, desk: Desk, table: Table, key: str) -> str:
        face = face_of(table)
        return face.words(key, table=linked(face, await desk.board_url(table)))

    async def _open_already(self, desk: Desk, old: Table, channel_id: int) -> Table | None:
        """A table of the same rules that somebody of the old one opened here since, if it has not ended.

        Others may have sat down at it, too, while seats are kept for those of the old one.
        """
        people = {sitter.user_id for sitter in old.people}
        for table in await desk.service.tables_in(old.guild_id, channel_id):
            mine = {sitter.user_id for sitter in table.people}
            kept = {invite.user_id for invite in table.invites}
            if (mine <= people or kept & people) and table.id > old.id and table.rules == old.rules:
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
            kept=[(one.seat, one.user_id) for one in old.people if one.user_id and one.user_id > 0],
        )
        for sitter in old.sitters:
            if sitter.is_ai:
                table = await service.add_ai(table.id, host, sitter.ai, sitter.seat)
        return table
