"""Moves: the commands for those who type, and the clicks of hand and board. All end in `Desk.move`."""

import logging
from collections.abc import Callable
from typing import Any, Final

from discord import app_commands

from canasta_core.actions import (
    Answer,
    AskPartner,
    Decline,
    Discard,
    Draw,
    EndTurn,
    SeatAction,
)
from canasta_core.cards import Card, UnknownCard, read_card
from canasta_core.legality import who_acts
from canasta_core.refusals import Refusal
from canasta_core.state import Phase
from canasta_core.tables.errors import StaleTable, StoreError
from canasta_core.tables.model import Stage, Table
from canasta_core.views import PlayerView
from cogs.autocomplete import also_values, discard_values, from_hand, meld_values, tables_here, with_values
from cogs.desk import Desk, DeskError, Interaction, guild_of, person_of, seat_of, selected
from cogs.ui.choices import combine, lay_choices, places_of, repicked, takes, why_no_take
from cogs.ui.face import face_of
from cogs.ui.layout import Click, Verb
from cogs.ui.text import command_text, text

log = logging.getLogger(__name__)

MOVE: Final = "do"
"""Errand of every command that is a move: its text is notation."""

_PLAIN: Final[dict[str, SeatAction]] = {
    Verb.DRAW: Draw(),
    Verb.ASK: AskPartner(),
    Verb.DECLINE: Decline(),
    Verb.END: EndTurn(),
}
"""Moves that are one button."""


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the commands to the tree, and the clicks to the desk."""
    desk.errands[MOVE] = _errand
    desk.handlers |= dict.fromkeys(_PLAIN, _click_plain)
    desk.handlers |= {
        Verb.HAND: _click_hand,
        Verb.PILE: _click_pile,
        Verb.TAKE: _click_take,
        Verb.PICK: _click_pick,
        Verb.LAY: _click_lay,
        Verb.DISCARD: _click_discard,
        Verb.THROW: _click_throw,
        Verb.UNDO: _click_undo,
        Verb.YES: _click_answer,
        Verb.NO: _click_answer,
        Verb.NEXT: _click_next,
        Verb.CHOOSE: _click_choose,
        Verb.CHOOSE_PAGE: _click_choose_page,
    }
    desk.errands["undo"] = _undo
    for name, notation in {
        "draw": "draw",
        "ask-partner": "ask",
        "decline": "decline",
        "end-turn": "end",
    }.items():
        tree.add_command(_plain_command(desk, name, notation))
    tree.add_command(_undo_command(desk))
    _card_commands(desk, tree)


def _plain_command(desk: Desk, name: str, notation: str) -> app_commands.Command[Any, ..., None]:
    @app_commands.command(name=name, description=command_text(f"command-{name}"))
    @app_commands.describe(table=command_text("option-table"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def move(interaction: Interaction, table: str | None = None) -> None:
        await desk.run(interaction, table, MOVE, notation)

    return move


def _undo_command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    @app_commands.command(name="undo", description=command_text("command-undo"))
    @app_commands.describe(table=command_text("option-table"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def undo(interaction: Interaction, table: str | None = None) -> None:
        await desk.run(interaction, table, "undo")

    return undo


def _card_commands(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    tables = tables_here(desk)

    @tree.command(name="take-pile", description=command_text("command-take-pile"))
    @app_commands.rename(with_="with")
    @app_commands.describe(
        with_=command_text("option-with"),
        also=command_text("option-also"),
        table=command_text("option-table"),
    )
    @app_commands.autocomplete(
        with_=from_hand(desk, with_values), also=from_hand(desk, also_values), table=tables
    )
    async def take_pile(
        interaction: Interaction, with_: str = "", also: str = "", table: str | None = None
    ) -> None:
        further = f" / {also}" if also.strip() else ""
        await desk.run(interaction, table, MOVE, f"take {with_}{further}")

    @tree.command(name="meld", description=command_text("command-meld"))
    @app_commands.describe(cards=command_text("option-cards"), table=command_text("option-table"))
    @app_commands.autocomplete(cards=from_hand(desk, meld_values), table=tables)
    async def meld(interaction: Interaction, cards: str, table: str | None = None) -> None:
        await desk.run(interaction, table, MOVE, f"meld {cards}")

    @tree.command(name="discard", description=command_text("command-discard"))
    @app_commands.describe(card=command_text("option-card"), table=command_text("option-table"))
    @app_commands.autocomplete(card=from_hand(desk, discard_values), table=tables)
    async def discard(interaction: Interaction, card: str, table: str | None = None) -> None:
        await desk.run(interaction, table, MOVE, f"discard {card}")

    @tree.command(name="answer", description=command_text("command-answer"))
    @app_commands.describe(reply=command_text("option-reply"), table=command_text("option-table"))
    @app_commands.choices(
        reply=[
            app_commands.Choice(name=command_text("button-yes"), value="yes"),
            app_commands.Choice(name=command_text("button-no"), value="no"),
        ]
    )
    @app_commands.autocomplete(table=tables)
    async def answer(interaction: Interaction, reply: str, table: str | None = None) -> None:
        await desk.run(interaction, table, MOVE, f"answer {reply}")


async def _errand(desk: Desk, interaction: Interaction, table: Table, typed: str) -> None:
    await desk.move(interaction, table, typed)


async def _click_plain(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    await desk.move(interaction, table, _PLAIN[click.verb], click.version)


async def _click_hand(desk: Desk, interaction: Interaction, click: Click) -> None:
    await desk.show_hand(interaction, await desk.table(interaction, click.table))


async def _click_pile(desk: Desk, interaction: Interaction, click: Click) -> None:
    """Show the ways to take the pile; when there are none, say why."""
    table = await desk.table(interaction, click.table)
    view = table.view(seat_of(interaction, table))
    if not table.is_current(click.version):
        await desk.show_moved(interaction, table.id)
        return
    await desk.show_hand(interaction, table, refusal=why_no_take(view))


Find = Callable[[PlayerView, Interaction, Click], SeatAction]


async def _chosen(desk: Desk, interaction: Interaction, click: Click, find: Find) -> None:
    """A move that was chosen from a list, which means what it meant only at the click's version."""
    table = await desk.table(interaction, click.table)
    view = table.view(seat_of(interaction, table))
    if not table.is_current(click.version):
        await desk.show_moved(interaction, table.id)
        return
    try:
        action = find(view, interaction, click)
    except (LookupError, ValueError):
        raise DeskError("outdated") from None
    await desk.move(interaction, table, action, click.version)


async def _click_take(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _chosen(desk, interaction, click, lambda view, by, _: takes(view)[int(selected(by)[0])])


async def _click_discard(desk: Desk, interaction: Interaction, click: Click) -> None:
    """Discard what was chosen; who wants it so is asked once more, on the same message.

    `/discard` is not asked about: what was typed out and sent was meant.
    """
    table = await desk.table(interaction, click.table)
    if table.is_current(click.version) and await _asks_twice(desk, interaction):
        seat_of(interaction, table)
        values = selected(interaction)
        await desk.show_hand(interaction, table, throwing=_card(values[0] if values else ""))
        return
    await _chosen(desk, interaction, click, lambda _, by, __: Discard(_card(selected(by)[0])))


async def _asks_twice(desk: Desk, interaction: Interaction) -> bool:
    """Whether this person wants it; when the store cannot say, a question too many does no harm."""
    try:
        return (await desk.service.preferences(interaction.user.id)).two_step
    except StoreError as error:
        log.warning("preferences cannot be read: %s", error)
        return True


async def _click_throw(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _chosen(desk, interaction, click, lambda _, __, clicked: Discard(_card(clicked.arg)))


def _card(name: str) -> Card:
    """A card from a select or a custom id. Raises DeskError."""
    try:
        return read_card(name)
    except UnknownCard:
        raise DeskError("outdated") from None


async def _click_undo(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    await _take_back(desk, interaction, table, click.version)


async def _undo(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    await _take_back(desk, interaction, table)


async def _take_back(desk: Desk, interaction: Interaction, table: Table, expected: int | None = None) -> None:
    """Take back what was laid last in the running turn, where the table allows it."""
    seat_of(interaction, table)
    try:
        acted = await desk.service.undo(table.id, interaction.user.id, expected)
    except StaleTable:
        await desk.show_moved(interaction, table.id)
    except Refusal as refusal:
        await desk.show_refused(interaction, table.id, refusal, "undo")
    else:
        desk.refused.forget(table.id, interaction.user.id)
        await desk.show_acted(interaction, acted)


async def _click_pick(desk: Desk, interaction: Interaction, click: Click) -> None:
    """Nothing is done yet: the same message with what is chosen, its total, and *Lay*."""
    table = await desk.table(interaction, click.table)
    seat_of(interaction, table)
    if not table.is_current(click.version):
        await desk.show_moved(interaction, table.id)
        return
    await desk.show_hand(interaction, table, chosen=repicked(click.arg, selected(interaction)))


async def _click_lay(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _chosen(desk, interaction, click, _find_lay)


def _find_lay(view: PlayerView, _: Interaction, click: Click) -> SeatAction:
    choices = lay_choices(view)
    picked = [choices[place] for place in places_of(click.arg)]
    if not picked:
        raise DeskError("nothing_chosen")
    return combine(view, picked)


async def _click_answer(desk: Desk, interaction: Interaction, click: Click) -> None:
    """Only the partners who were asked can answer, and only the question that the buttons belong to."""
    table = await desk.table(interaction, click.table)
    face = face_of(table)
    public = face.public
    seat = table.seat_of(interaction.user.id)
    if public is None or public.phase is not Phase.PERMISSION:
        raise DeskError("no_question")
    if seat not in who_acts(public):
        names = face.words("team-and").join(map(face.name, public.pending))
        raise DeskError("not_asked", partners=names)
    # The message of a question asked of two partners keeps its version when the first has answered.
    fresh = table.is_current(click.version) or (len(public.pending) == 1 and _same_question(table, click))
    await desk.move(
        interaction, table, Answer(click.verb == Verb.YES), table.version if fresh else click.version
    )


def _same_question(table: Table, click: Click) -> bool:
    """Whether a question put at the click's version is still open: nobody has moved since, only answered."""
    return (
        table.turn_version <= click.version < table.version
        and len(table.rules.partners_of(table.state.public.turn if table.state else 0)) > 1
    )


async def _click_next(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    try:
        dealt = await desk.service.next_round(table.id, person_of(interaction), click.version)
    except StaleTable:
        if table.seat_of(interaction.user.id) is None or table.stage is not Stage.PLAYING:
            raise
        await desk.show_moved(interaction, table.id)
        return
    number = dealt.state.public.round_number if dealt.state else 0
    await desk.show_hand(interaction, dealt, text(dealt.locale, "round-next", round=number))


async def _click_choose(desk: Desk, interaction: Interaction, click: Click) -> None:
    """The table that a command meant has been chosen: do its errand there."""
    errand, _, typed = click.arg.partition(" ")
    values = selected(interaction)
    if errand not in desk.errands or not values:
        raise DeskError("outdated")
    table = await desk.named_table(interaction, values[0])
    await desk.errands[errand](desk, interaction, table, typed)


async def _click_choose_page(desk: Desk, interaction: Interaction, click: Click) -> None:
    """More tables to choose from, as they are now: those of the person, and those of this channel."""
    errand = click.arg.partition(" ")[0]
    guild = guild_of(interaction)
    mine = await desk.service.tables_of(interaction.user.id, guild)
    here = await desk.service.tables_in(guild, interaction.channel_id)
    tables = {table.id: table for table in [*mine, *here]}
    if click.table or errand not in desk.errands or not tables:
        raise DeskError("outdated")
    await desk.ask_which(interaction, list(tables.values()), click.arg, click.version)
