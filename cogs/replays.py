"""`/replay`: finished rounds step by step, from the tables or from a record that is attached.

All that a click needs is in its custom id. An attached record is not kept on disk: some of the last ones are
in memory, and after a restart the file must be attached anew.
"""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

import discord
from discord import app_commands

from canasta_core.playback import Playback
from canasta_core.profiles import profile_title
from canasta_core.record import RecordError, read_record
from canasta_core.tables.errors import StoreCode, StoreError, TableError
from canasta_core.tables.model import Stage, Table
from canasta_core.tables.recordings import rounds_over
from canasta_core.tables.standings import PlayedGame
from cogs.answers import NETWORK
from cogs.autocomplete import Choice, Completion, choices
from cogs.desk import (
    Desk,
    DeskError,
    Interaction,
    begin,
    guild_of,
    locale_of,
    may_see,
    now,
    only_of,
    selected,
    show,
)
from cogs.rights import learn
from cogs.ui.history import choice_text
from cogs.ui.layout import Click, Verb, note, table_name
from cogs.ui.records_text import record_error_text
from cogs.ui.replay import ROUND, Spot, replay
from cogs.ui.text import command_text, text

log = logging.getLogger(__name__)

MOST_BYTES: Final = 500_000
"""Of an attached record: the longest game on record has a fifth of it."""
ENDED: Final = 50
"""Finished games that an option offers, if what is typed fits."""
FILES_KEPT: Final = 32
"""Attached records that are in memory at most."""


class Files:
    """The last records that were attached, by a digest of their text."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, Playback] = OrderedDict()

    def of(self, digest: str) -> Playback:
        """Raises DeskError file_gone."""
        if digest not in self._files:
            raise DeskError("file_gone")
        self._files.move_to_end(digest)
        return self._files[digest]

    async def read(self, attachment: discord.Attachment) -> tuple[str, Playback]:
        """Raises DeskError; RecordError for a text that is no true record."""
        if attachment.size > MOST_BYTES:
            raise DeskError("file_too_big", size=attachment.size, most=MOST_BYTES)
        try:
            data = await attachment.read()
            written = data.decode()
        except (discord.HTTPException, *NETWORK, UnicodeDecodeError) as error:
            raise DeskError("file_unreadable") from error
        digest = hashlib.sha256(data).hexdigest()[:12]
        if digest not in self._files:
            # It is replayed as a whole, which may take a second.
            self._files[digest] = await asyncio.to_thread(lambda: Playback(read_record(written)))
            while len(self._files) > FILES_KEPT:
                self._files.popitem(last=False)
        return digest, self._files[digest]


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the command to the tree, and its clicks to the desk."""
    files = Files()

    async def click_replay(desk: Desk, interaction: Interaction, click: Click) -> None:
        await _click(desk, interaction, files, click)

    desk.handlers[Verb.REPLAY] = click_replay
    desk.errands["replay"] = _replay

    @tree.command(name="replay", description=command_text("command-replay"))
    @app_commands.describe(
        table=command_text("option-table-played"),
        round=command_text("option-round"),
        file=command_text("option-file"),
    )
    @app_commands.autocomplete(table=tables_played(desk))
    async def replay(
        interaction: Interaction,
        table: str | None = None,
        round: int | None = None,  # noqa: A002 - the name that is typed
        file: discord.Attachment | None = None,
    ) -> None:
        if file is None:
            typed = "" if round is None else str(round)
            await desk.run(interaction, table, "replay", typed, find=table_meant)
            return
        async with desk.guarded(interaction):
            await begin(interaction)
            if table:
                raise DeskError("table_and_file")
            try:
                digest, playback = await files.read(file)
            except RecordError as error:
                await show(interaction, note(record_error_text(locale_of(interaction), error)))
                return
            await _show(interaction, playback, Spot(0, 1 if round is None else round, file=digest))


async def _replay(desk: Desk, interaction: Interaction, table: Table, typed: str) -> None:
    await show_replay(desk, interaction, table, int(typed) if typed else None)


async def show_replay(desk: Desk, interaction: Interaction, table: Table, number: int | None = None) -> None:
    """A round of a table from its beginning: of a game that has ended the first, else the last.

    Raises TableError, DeskError.
    """
    playback = await desk.service.playback(table.id, interaction.user.id)
    usual = 1 if table.stage is Stage.ENDED else playback.finished
    await _show(interaction, playback, Spot(table.id, usual if number is None else number))


async def _show(interaction: Interaction, playback: Playback, spot: Spot) -> None:
    if not 1 <= spot.round <= playback.finished:
        raise DeskError("no_such_round", round=spot.round, rounds=playback.finished)
    await show(interaction, replay(locale_of(interaction), playback, spot))


async def _click(desk: Desk, interaction: Interaction, files: Files, click: Click) -> None:
    """A control of a replay, or the button *Replay* of another message, which says nothing but its table."""
    if not click.arg:
        await show_replay(desk, interaction, await desk.table(interaction, click.table))
        return
    found = Spot.read(click)
    if found is None:
        raise DeskError("outdated")
    spot = _chosen(*found, selected(interaction))
    if spot.file:
        await _show(interaction, files.of(spot.file), spot)
        return
    table = await desk.table(interaction, spot.table)
    await _show(interaction, await desk.service.playback(table.id, interaction.user.id), spot)


def _chosen(spot: Spot, control: str, values: Sequence[str]) -> Spot:
    """Where a select leads: its value is a round, or a step. Raises DeskError."""
    if not values:
        return spot
    value = values[0]
    if not (value.isascii() and value.isdigit() and len(value) < 7):
        raise DeskError("outdated")
    if control == ROUND:
        return Spot(spot.table, int(value), 0, spot.open, spot.file)
    return Spot(spot.table, spot.round, int(value), spot.open, spot.file)


def tables_played(desk: Desk) -> Completion:
    """The option `table:` of what looks back: tables here with a round that is over, then own past games."""

    async def complete(interaction: Interaction, typed: str) -> list[Choice]:
        locale, at = locale_of(interaction), now()
        try:
            guild = guild_of(interaction)
            running = [
                table
                for table in await desk.service.tables_in(guild)
                if rounds_over(table) and may_see(interaction, table)
            ]
            past = await desk.service.past_games(guild, interaction.user.id, limit=ENDED)
        except (DeskError, TableError, StoreError):
            return []
        mine = sorted(running, key=lambda table: table.seat_of(interaction.user.id) is None)
        found = [
            (
                text(
                    locale,
                    "replay-choice",
                    table=table_name(locale, table.id),
                    title=profile_title(table.rules),
                    rounds=rounds_over(table),
                ),
                str(table.id),
            )
            for table in mine
        ]
        found += [(choice_text(locale, game, at), str(game.table_id)) for game in past.games]
        return choices([one for one in found if typed.strip().lower() in one[0].lower()], "")

    return complete


def tables_ended(desk: Desk) -> Completion:
    """The option `duplicate:`: games of others on this server that have ended, the last ones first."""

    async def complete(interaction: Interaction, typed: str) -> list[Choice]:
        locale, at = locale_of(interaction), now()
        try:
            past = await desk.service.past_games(guild_of(interaction), None, limit=ENDED)
            others = [game for game in past.games if interaction.user.id not in game.people]
            seen = await games_seen(desk, interaction, others)
        except (DeskError, TableError, StoreError):
            return []
        found = [(choice_text(locale, game, at), str(game.table_id)) for game in seen]
        return choices([one for one in found if typed.strip().lower() in one[0].lower()], "")

    return complete


async def games_seen(
    desk: Desk, interaction: Interaction, games: Sequence[PlayedGame], *, ask: bool = False
) -> list[PlayedGame]:
    """Those of some games that somebody may look at: where they sat, and those of channels that they see.

    `ask`: Discord may be asked for threads that were put away, so the games are to be few.
    """
    user = interaction.user.id
    tables: dict[int, Table | None] = {}
    for game in games:
        if user not in game.people:
            tables[game.table_id] = await _readable(desk, game.table_id)
    if ask:
        await learn(interaction, [table.channel_id for table in tables.values() if table is not None])
    hidden = {number for number, table in tables.items() if table is None or not may_see(interaction, table)}
    return [game for game in games if game.table_id not in hidden]


async def _readable(desk: Desk, table_id: int) -> Table | None:
    """A table; None where it is damaged: one that cannot be read must not be in the way of all others."""
    try:
        return await desk.service.get(table_id)
    except StoreError as error:
        if error.code is not StoreCode.DAMAGED:
            raise
        log.warning("%s", error)
        return None


async def table_meant(desk: Desk, interaction: Interaction, named: str | None) -> Table:
    """The named table; else one where this person sits and a round is over, those of this channel first; else
    the last game that they finished.

    Never one of others: who looks at its rounds is on record as knowing the packs. Raises
    SeveralTablesError, DeskError, TableError.
    """
    if named:
        return await desk.named_table(interaction, named)
    guild = guild_of(interaction)
    mine = [table for table in await desk.service.tables_of(interaction.user.id, guild) if rounds_over(table)]
    here = [table for table in mine if table.channel_id == interaction.channel_id]
    running = only_of(here, mine)
    if running is not None:
        return running
    past = await desk.service.past_games(guild, interaction.user.id, limit=1)
    if not past.games:
        raise DeskError("nothing_played")
    return await desk.service.get(past.games[0].table_id)
