"""Looking without moving: hand, table, score and rules."""

from typing import Any

from discord import app_commands

from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Table
from cogs.autocomplete import tables_here
from cogs.desk import Desk, DeskError, Interaction, selected, show
from cogs.rounds import ended_rounds
from cogs.ui.face import face_of
from cogs.ui.layout import Click, Verb, table_name
from cogs.ui.lobby import lobby
from cogs.ui.rules_text import OVERVIEW, rules_layout
from cogs.ui.rules_topics import TOPIC_OF, Topic, topics_of
from cogs.ui.score import score
from cogs.ui.text import command_text, text
from cogs.ui.why import read_why, reason_known


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the commands to the tree, and the clicks to the desk."""
    desk.errands |= {"hand": _hand, "table": _table, "score": _score, "rules": _rules}
    desk.handlers |= {Verb.RULES: _click_rules, Verb.WHY: _click_why, Verb.SCORE: _click_score}
    for name in ("hand", "table", "score"):
        tree.add_command(_command(desk, name))
    _rules_command(desk, tree)


def _command(desk: Desk, name: str) -> app_commands.Command[Any, ..., None]:
    @app_commands.command(name=name, description=command_text(f"command-{name}"))
    @app_commands.describe(table=command_text("option-table"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def look(interaction: Interaction, table: str | None = None) -> None:
        if name == "hand":
            await desk.run(interaction, table, name, find=Desk.hand_table)
        else:
            await desk.run(interaction, table, name, looks=True)

    return look


def _rules_command(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    @tree.command(name="rules", description=command_text("command-rules"))
    @app_commands.describe(topic=command_text("option-topic"), table=command_text("option-table"))
    @app_commands.choices(
        topic=[
            app_commands.Choice(name=command_text(f"rules-topic-title-{topic}"), value=str(topic))
            for topic in Topic
        ]
    )
    @app_commands.autocomplete(table=tables_here(desk))
    async def rules(interaction: Interaction, topic: str = "", table: str | None = None) -> None:
        await desk.run(interaction, table, "rules", topic, looks=True)


async def _hand(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    if table.seat_of(interaction.user.id) is None:
        raise TableError(TableCode.NOT_SEATED)
    await desk.show_hand(interaction, table)


async def _table(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    desk.service.check_may_look(table, interaction.user.id)
    await show(interaction, lobby(face_of(table)))


async def _score(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    desk.service.check_may_look(table, interaction.user.id)
    rounds = ended_rounds(await desk.service.rounds(table.id))
    await show(interaction, score(face_of(table), [ended.sheets for ended in rounds.values()]))


async def _rules(desk: Desk, interaction: Interaction, table: Table, topic: str) -> None:
    """A topic, or the overview, which begins with the move that was just refused."""
    chosen = _topic(table, topic)
    refused = desk.refused.of(table.id, interaction.user.id)
    said = ""
    if topic and chosen is None and topic != OVERVIEW:
        said = text(table.locale, "rules-no-topic")
    elif refused is not None and chosen is None:
        said = text(table.locale, "rules-last-refused", action=refused.tried, reason=refused.reason)
    await _show_rules(interaction, table, chosen, said)


def _topic(table: Table, name: str) -> Topic | None:
    return Topic(name) if name in topics_of(table.rules) else None


async def _show_rules(interaction: Interaction, table: Table, topic: Topic | None, said: str) -> None:
    seated = table.seat_of(interaction.user.id) is not None and table.state is not None
    name = table_name(table.locale, table.id)
    await show(
        interaction,
        rules_layout(table.locale, table.rules, name, table=table.id, topic=topic, said=said, seated=seated),
    )


async def _click_rules(desk: Desk, interaction: Interaction, click: Click) -> None:
    values = selected(interaction)
    topic = values[0] if values else click.arg
    await _rules(desk, interaction, await desk.table(interaction, click.table), topic)


async def _click_why(desk: Desk, interaction: Interaction, click: Click) -> None:
    """The rule that a refused move went against, under what was wrong with the move.

    Where the custom id has no room for the numbers, they are known as long as the move was the last one.
    """
    table = await desk.table(interaction, click.table)
    refusal = read_why(click.arg)
    if refusal is None:
        raise DeskError("outdated")
    reason = reason_known(face_of(table), refusal)
    refused = desk.refused.of(table.id, interaction.user.id)
    if not reason and refused is not None and refused.code is refusal.code:
        reason = refused.reason
    said = text(table.locale, "rules-why", reason=reason) if reason else ""
    await _show_rules(interaction, table, TOPIC_OF[refusal.code], said)


async def _click_score(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _score(desk, interaction, await desk.table(interaction, click.table), "")
