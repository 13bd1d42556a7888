"""`/history`: finished games, their records as files, and games with the same packs beside each other."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import discord
from discord import app_commands

from canasta_core.record import write_record
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Table
from canasta_core.tables.recordings import rounds_over
from cogs.answers import Upload
from cogs.desk import Desk, DeskError, Interaction, begin, guild_of, locale_of, may_see, selected, show
from cogs.replays import games_seen, table_meant, tables_played
from cogs.rights import learn
from cogs.rounds import ended_rounds
from cogs.ui.face import Face, face_of
from cogs.ui.history import EVERYBODY, PAGE, Compared, comparison, game_card, game_list
from cogs.ui.layout import Click, Layout, Verb, table_name, words
from cogs.ui.text import command_text, text

_ARG: Final = re.compile(r"(?P<user>\d{1,20})\.(?P<what>[a-z])")
_CHOSEN: Final = "s"
"""Control of the list by which a game is chosen."""


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the group of commands to the tree, and the clicks to the desk."""
    desk.handlers |= {Verb.HISTORY: _click_list, Verb.COMPARE: _click_compare}
    desk.errands |= {"export": _export, "compare": _compare}
    group = app_commands.Group(name="history", description=command_text("command-history"))

    @group.command(name="list", description=command_text("command-history-list"))
    @app_commands.describe(
        person=command_text("option-person-history"),
        everybody=command_text("option-everybody"),
        table=command_text("option-table-game"),
    )
    @app_commands.autocomplete(table=tables_played(desk))
    async def list_(
        interaction: Interaction,
        person: discord.User | None = None,
        everybody: bool = False,
        table: str | None = None,
    ) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            if table:
                await _show_game(desk, interaction, await desk.named_table(interaction, table))
                return
            whose = interaction.user.id if person is None else person.id
            await _show_list(desk, interaction, 0, EVERYBODY if everybody else whose)

    @group.command(name="export", description=command_text("command-history-export"))
    @app_commands.describe(table=command_text("option-table-record"))
    @app_commands.autocomplete(table=tables_played(desk))
    async def export(interaction: Interaction, table: str | None = None) -> None:
        await desk.run(interaction, table, "export", find=table_meant)

    @group.command(name="compare", description=command_text("command-history-compare"))
    @app_commands.describe(table=command_text("option-table-record"))
    @app_commands.autocomplete(table=tables_played(desk))
    async def compare(interaction: Interaction, table: str | None = None) -> None:
        await desk.run(interaction, table, "compare", find=table_meant)

    tree.add_command(group)


async def _show_list(desk: Desk, interaction: Interaction, page: int, user_id: int) -> None:
    guild, locale = guild_of(interaction), locale_of(interaction)
    whose = None if user_id == EVERYBODY else user_id
    past = await desk.service.past_games(guild, whose, limit=PAGE, offset=page * PAGE)
    if page and not past.games:
        raise DeskError("outdated")
    name = ""
    if user_id not in (interaction.user.id, EVERYBODY):
        known = await desk.service.names([user_id])
        name = known.get(user_id) or text(locale, "history-somebody")
    seen = await games_seen(desk, interaction, past.games, ask=True)
    hidden, past = len(past.games) - len(seen), replace(past, games=tuple(seen))
    await show(interaction, game_list(locale, past, page=page, user_id=user_id, name=name, hidden=hidden))


async def _show_game(desk: Desk, interaction: Interaction, table: Table) -> None:
    desk.service.check_may_look(table, interaction.user.id)
    rounds = ended_rounds(await desk.service.rounds(table.id))
    if not rounds:
        raise TableError(TableCode.NO_RECORD)
    compared = len(await _seen(interaction, await desk.service.family(table))) > 1
    sheets = [ended.sheets for ended in rounds.values()]
    await show(interaction, game_card(_face(interaction, table), sheets, compared=compared))


async def _seen(interaction: Interaction, family: Sequence[Table]) -> list[Table]:
    """Those of the tables with the same packs that somebody may look at."""
    await learn(interaction, [one.channel_id for one in family])
    return [one for one in family if may_see(interaction, one)]


def _face(interaction: Interaction, table: Table) -> Face:
    """The table in the language of whoever looks back at it."""
    return replace(face_of(table), locale=locale_of(interaction))


async def _export(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    record = await desk.service.record(table.id, interaction.user.id)
    name = f"canasta-table-{table.id}.txt"
    locale = locale_of(interaction)
    said = text(
        locale,
        "history-record",
        table=table_name(locale, table.id),
        rounds=rounds_over(table),
    )
    layout = Layout(words(said), discord.ui.File(f"attachment://{name}"))
    await show(interaction, layout, [Upload(name, write_record(record).encode())])


async def _compare(desk: Desk, interaction: Interaction, table: Table, _: str = "") -> None:
    """Only scores are told, which are public where the game is: also of games that still run."""
    locale = locale_of(interaction)
    family = await desk.service.family(table)
    for one in family:
        desk.service.check_may_look(one, interaction.user.id)
    family = [one for one in family if rounds_over(one)]
    if len(family) < 2:
        raise DeskError("no_duplicates", table=table_name(locale, table.id))
    seen = await _seen(interaction, family)
    if len(seen) < 2:
        raise DeskError("duplicates_unseen", table=table_name(locale, table.id))
    games = []
    for one in seen:
        rounds = ended_rounds(await desk.service.rounds(one.id))
        games.append(Compared(_face(interaction, one), [ended.sheets for ended in rounds.values()]))
    await show(interaction, comparison(locale, games, packs=rounds_over(family[0])))


async def _click_list(desk: Desk, interaction: Interaction, click: Click) -> None:
    found = _ARG.fullmatch(click.arg)
    if found is None:
        raise DeskError("outdated")
    values = selected(interaction)
    if found["what"] == _CHOSEN:
        if not values:
            raise DeskError("outdated")
        await _show_game(desk, interaction, await desk.named_table(interaction, values[0]))
        return
    await _show_list(desk, interaction, click.version, int(found["user"]))


async def _click_compare(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _compare(desk, interaction, await desk.table(interaction, click.table))
