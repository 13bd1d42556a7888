"""Looking without moving: hand, table, score and rules."""

from typing import Any

from discord import app_commands

from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Table
from cogs.autocomplete import tables_here
from cogs.desk import Desk, Interaction, show
from cogs.rounds import ended_rounds
from cogs.ui.face import face_of
from cogs.ui.layout import Click, Verb, table_name
from cogs.ui.lobby import lobby
from cogs.ui.rules_text import rules_layout
from cogs.ui.score import score
from cogs.ui.text import command_text


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the commands to the tree, and the clicks to the desk."""
    desk.errands |= {"hand": _hand, "table": _table, "score": _score, "rules": _rules}
    desk.handlers |= {Verb.RULES: _click_rules, Verb.SCORE: _click_score}
    for name in ("hand", "table", "score", "rules"):
        tree.add_command(_command(desk, name))


def _command(desk: Desk, name: str) -> app_commands.Command[Any, ..., None]:
    @app_commands.command(name=name, description=command_text(f"command-{name}"))
    @app_commands.describe(table=command_text("option-table"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def look(interaction: Interaction, table: str | None = None) -> None:
        await desk.run(interaction, table, name, looks=name != "hand")

    return look


async def _hand(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    if table.seat_of(interaction.user.id) is None:
        raise TableError(TableCode.NOT_SEATED)
    await desk.show_hand(interaction, table)


async def _table(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    await show(interaction, lobby(face_of(table)))


async def _score(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    rounds = ended_rounds(await desk.service.rounds(table.id))
    await show(interaction, score(face_of(table), [ended.sheets for ended in rounds.values()]))


async def _rules(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    await show(interaction, rules_layout(table.locale, table.rules, table_name(table.locale, table.id)))


async def _click_rules(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _rules(desk, interaction, await desk.table(interaction, click.table), "")


async def _click_score(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _score(desk, interaction, await desk.table(interaction, click.table), "")
