"""Moves: the commands for those who type, and the clicks of hand and board. All end in `Desk.move`."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from discord import app_commands, ui

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
from canasta_core.events import Event
from canasta_core.legality import may_decline, who_acts
from canasta_core.refusals import Refusal
from canasta_core.state import Phase
from canasta_core.tables.errors import StaleTable, StoreError
from canasta_core.tables.model import Stage, Table
from canasta_core.views import PlayerView
from cogs.autocomplete import also_values, discard_values, from_hand, meld_values, tables_here, with_values
from cogs.desk import (
    Desk,
    DeskError,
    Interaction,
    guild_of,
    is_kept,
    person_of,
    seat_of,
    selected,
    show,
)
from cogs.ui.choices import combine, lay_choices, lay_then_discard, places_of, repicked, takes, why_no_take
from cogs.ui.face import face_of
from cogs.ui.hand import hand
from cogs.ui.layout import Click, Verb, button, note
from cogs.ui.refusals_text import legal_text
from cogs.ui.text import command_text, text
from cogs.ui.why import why_button

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
    why = _no_occasion(table, seat_of(interaction, table), typed.partition(" ")[0])
    if why:
        legal = legal_text(table.locale, table.view(seat_of(interaction, table)))
        face = face_of(table)
        back = button(face.click(Verb.HAND), face.words("button-hand"))
        await show(interaction, note("\n".join(filter(None, [why, legal])), back))
        return
    await desk.move(interaction, table, typed)


def _no_occasion(table: Table, seat: int, kind: str) -> str:
    """Why there is nothing that an answer, a refusal of the pile or an end of the turn could be about.

    To the engine all these come at the wrong time; a person is better told what their time would be.
    Empty where it is for the engine to judge.
    """
    public = table.state.public if table.state is not None else None
    if public is None or not who_acts(public) or table.stage is not Stage.PLAYING or table.paused:
        return ""
    if kind == "answer" and seat not in public.pending and not is_kept(table, seat):
        if not public.pending:
            return text(table.locale, "hand-nobody-asked")
        face = face_of(table)
        asked = face.words("team-and").join(map(face.name, public.pending))
        return face.words("problem-not_asked", partners=asked)
    if public.turn != seat or public.phase not in (Phase.DRAW, Phase.PLAY):
        return ""
    if kind == "decline" and not may_decline(public):
        return text(table.locale, "hand-nothing-to-leave" if public.stock_size else "hand-draw-instead")
    if kind == "end" and not public.no_discard:
        return text(table.locale, "hand-ends-by-discard")
    return ""


async def _click_plain(desk: Desk, interaction: Interaction, click: Click) -> None:
    table = await desk.table(interaction, click.table)
    await desk.move(interaction, table, _PLAIN[click.verb], click.version)


async def _click_hand(desk: Desk, interaction: Interaction, click: Click) -> None:
    await desk.show_hand(interaction, await desk.table(interaction, click.table))


async def _click_pile(desk: Desk, interaction: Interaction, click: Click) -> None:
    """Take the pile where there is one way; else show the ways, or say why there is none."""
    table = await desk.table(interaction, click.table)
    view = table.view(seat_of(interaction, table))
    if not table.is_current(click.version):
        await desk.show_moved(interaction, table.id)
        return
    ways, refusal = takes(view), why_no_take(view)
    if len(ways) == 1:
        await desk.move(interaction, table, ways[0], click.version)
    elif refusal is None or view.public.phase is not Phase.DRAW or view.public.turn != view.seat:
        await desk.show_hand(interaction, table, refusal=refusal)
    else:
        # The hand itself says why; the rule is a click away.
        face = face_of(table)
        layout = hand(face, view, url=await desk.board_url(table))
        layout.add_item(ui.ActionRow(why_button(face, refusal, view)))
        await show(interaction, layout)


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
    """In the way chosen; a button names the only one there is."""
    await _chosen(desk, interaction, click, lambda view, by, it: takes(view)[int(it.arg or selected(by)[0])])


async def _click_discard(desk: Desk, interaction: Interaction, click: Click) -> None:
    """Discard what was chosen, after a question on the same message: for who wants it so, and for all
    while melds are chosen and not laid, which the discard would leave in the hand.

    `/discard` is not asked about: what was typed out and sent was meant.
    """
    table = await desk.table(interaction, click.table)
    chosen = places_of(click.arg.partition("-")[2])
    if table.is_current(click.version) and (chosen or await _asks_twice(desk, interaction)):
        seat_of(interaction, table)
        values = selected(interaction)
        card = _card(values[0] if values else "")
        await desk.show_hand(interaction, table, chosen=chosen, throwing=card)
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
    """Discard the card that was asked about; before it lay what was chosen, where the click says so."""
    name, _, mask = click.arg.partition("-")
    if not mask:
        await _chosen(desk, interaction, click, lambda *_: Discard(_card(name)))
        return
    table = await desk.table(interaction, click.table)
    view = table.view(seat_of(interaction, table))
    if not table.is_current(click.version):
        await desk.show_moved(interaction, table.id)
        return
    choices = lay_choices(view)
    try:
        both = lay_then_discard(view, [choices[place] for place in places_of(mask)], _card(name))
    except LookupError:
        both = None
    if both is None:
        raise DeskError("outdated")
    await _in_a_row(desk, interaction, table, both, click.version)


async def _in_a_row(
    desk: Desk, interaction: Interaction, table: Table, actions: Sequence[SeatAction], expected: int
) -> None:
    """Several moves that one click meant, told together; when one is refused, those before it stay done."""
    said = text(table.locale, "back-by-move") if is_kept(table, seat_of(interaction, table)) else ""
    events: tuple[Event, ...] = ()
    for action in actions:
        try:
            acted = await desk.service.act(table.id, interaction.user.id, action, expected)
        except StaleTable:
            await desk.show_moved(interaction, table.id)
            return
        except Refusal as refusal:
            await desk.show_refused(interaction, table.id, refusal, action)
            return
        events += acted.events
        expected = acted.table.version
    desk.refused.forget(table.id, interaction.user.id)
    await desk.show_acted(interaction, replace(acted, events=events), said)


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
