"""The private message of one player: their cards, and what they may do now."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import discord
from discord import ui

from canasta_core.actions import Group, TakePile
from canasta_core.cards import Card, name_of, rank_name
from canasta_core.legality import who_acts, why_not
from canasta_core.melds import is_run
from canasta_core.offers import legal_kinds
from canasta_core.state import Phase
from canasta_core.tables.model import Stage
from canasta_core.views import PlayerView
from cogs.ui.board import back_button, ended_text
from cogs.ui.cards_text import (
    card_text,
    cards_text,
    chip,
    group_text,
    hand_text,
    label_text,
    points,
    rank_text,
    shown,
)
from cogs.ui.choices import combine, discards, lay_choices, mask_of, rank_of_group, takes, why_no_take
from cogs.ui.face import Face
from cogs.ui.layout import MAX_OPTIONS, Layout, Verb, button, cut, option, rows, select, table_name, words
from cogs.ui.refusals_text import reason_text, refusal_text
from cogs.ui.times import in_how_long, when

_PRIMARY: Final = discord.ButtonStyle.primary
_SUCCESS: Final = discord.ButtonStyle.success
_SAID: Final = 1500
"""Characters at most of what is said above the hand."""


def hand(
    face: Face,
    view: PlayerView,
    *,
    url: str = "",
    said: str = "",
    chosen: Iterable[int] = (),
    throwing: Card | None = None,
) -> Layout:
    """The hand of a seat, with what it may do.

    `url` leads to the board; `said` is what has just happened, or why something was refused; `chosen`
    are places in `lay_choices`; `throwing` is a card that the player wants to discard and is asked about
    once more, which then is all that can be done.
    """
    box: ui.Container[Any] = ui.Container()
    if said:
        box.add_item(words(cut(said, _SAID)))
        box.add_item(ui.Separator())
    table = table_name(face.locale, face.id)
    box.add_item(
        words(
            face.words("hand-title", table=table, url=url)
            if url
            else face.words("hand-title-plain", table=table)
        )
    )
    box.add_item(words(_cards(face, view)))
    box.add_item(ui.Separator())
    movable = face.stage is Stage.PLAYING and face.paused is None
    legal = legal_kinds(view) if movable else frozenset()
    if throwing is not None and "discard" in legal:
        box.add_item(words(face.words("hand-throw", card=shown([throwing]))))
        for row in rows(_throw_buttons(face, throwing)):
            box.add_item(row)
        return Layout(box)
    box.add_item(words("\n".join([_situation(face, view), *_presence(face, view)])))
    if "take" in legal:
        box.add_item(_take_row(face, view))
    lay_row, lay_buttons = _laying(face, view, set(chosen), box) if legal else ([], [])
    for row in lay_row:
        box.add_item(row)
    if "discard" in legal:
        for row in _discard_rows(face, view):
            box.add_item(row)
    for row in rows([*_buttons(face, view, legal), *lay_buttons, *_own_buttons(face, view)]):
        box.add_item(row)
    return Layout(box)


def _cards(face: Face, view: PlayerView) -> str:
    cards = view.hand.cards
    if not cards:
        return face.words("hand-empty")
    return face.words(
        "hand-cards", cards=hand_text(cards), count=len(cards), points=points(face.rules, cards)
    )


def _situation(face: Face, view: PlayerView) -> str:
    """What the player may do now, or whom all wait for."""
    if face.stage is Stage.ENDED and view.public.phase is not Phase.GAME_OVER:
        return ended_text(face)
    if face.paused is not None:
        until = face.paused.until
        return face.words("hand-paused", when=when(until), left=in_how_long(until))
    public = view.public
    acting = view.seat in who_acts(public)
    match public.phase:
        case Phase.ROUND_OVER | Phase.DEAL:
            return face.words("hand-round-over")
        case Phase.GAME_OVER:
            return face.words("hand-game-over")
        case Phase.PERMISSION if acting:
            return face.words("hand-asked", name=face.name(public.turn))
        case Phase.PERMISSION if view.seat == public.turn:
            return face.words("hand-wait-answer")
        case Phase.PERMISSION:
            return face.words("hand-wait-answers", name=face.name(public.turn))
        case Phase.DRAW | Phase.PLAY if not acting:
            return face.words("hand-wait", name=face.name(public.turn))
        case Phase.DRAW:
            how = face.rules.exhausted
            lines = [face.words("hand-your-draw" if public.stock_size else f"hand-your-exhausted-{how}")]
            why_not_pile = why_no_take(view)
            if why_not_pile:
                lines.append(face.words("hand-no-take", why=reason_text(face, why_not_pile, view)))
        case _:
            lines = [face.words("hand-your-play-end" if public.no_discard else "hand-your-play")]
    if public.answer is not None:
        key = "hand-must-go-out" if public.answer else "hand-may-not-go-out"
        lines.append(face.words(key, partners=len(face.rules.partners_of(view.seat))))
    minimum = public.minimum(view.team)
    if not public.teams[view.team].opened and minimum:
        players = len(face.rules.seats_of(view.team))
        lines.append(face.words("hand-opening", minimum=minimum, players=players))
    return "\n".join(lines)


def _presence(face: Face, view: PlayerView) -> list[str]:
    """Until when the player may think, and what is said of them when they are away."""
    sitter = face.sitter(view.seat)
    if sitter is None or face.stage is not Stage.PLAYING:
        return []
    lines = []
    acting = view.seat in who_acts(view.public)
    if acting and view.seat in face.owed:
        lines.append(face.words("hand-owed"))
    elif acting and face.deadline is not None and sitter.is_active:
        key = "hand-deadline-answer" if view.public.phase is Phase.PERMISSION else "hand-deadline"
        lines.append(face.words(key, when=when(face.deadline), left=in_how_long(face.deadline)))
    if sitter.absent:
        lines.append(face.words("hand-kept"))
    elif sitter.away_until is not None and face.is_away(sitter):
        lines.append(face.words("hand-away", when=when(sitter.away_until)))
    return lines


def _take_row(face: Face, view: PlayerView) -> ui.ActionRow[Any]:
    upcard = view.public.upcard
    options = []
    for place, take in enumerate(takes(view)[:MAX_OPTIONS]):
        laid = [card for group in (take.group, *take.further) for card in group.cards]
        total = points(face.rules, laid) + points(face.rules, [upcard] if upcard is not None else [])
        options.append(
            option(take_text(face, view, take), str(place), face.words("option-points", points=total))
        )
    return select(face.click(Verb.TAKE), face.words("select-take"), options)


def take_text(face: Face, view: PlayerView, take: TakePile) -> str:
    """`with K♠ K♥ + Q♠ Q♥ Q♦`, `onto your kings`."""
    upcard = view.public.upcard
    rank = upcard >> 2 if upcard is not None else 0
    onto = view.public.teams[view.team].sets[rank] >= 0
    facts = {"cards": cards_text(take.group.cards)}
    if onto:
        facts["meld"] = label_text(face.locale, rank_name(rank))
    key = "option-take-with" if not onto else "option-take-onto" if take.group.cards else "option-take-meld"
    further = [face.words("option-further", cards=group_text(group)) for group in take.further]
    return " ".join([face.words(key, **facts), *further])


def _laying(
    face: Face, view: PlayerView, chosen: set[int], box: ui.Container[Any]
) -> tuple[list[ui.ActionRow[Any]], list[ui.Button[Any]]]:
    """The selects of melds and their button; what is chosen is added to `box` in words, with its total."""
    choices = lay_choices(view)
    if not choices:
        return [], []
    places = sorted(place for place in chosen if place < len(choices))
    picked = [choices[place] for place in places]
    options = [
        option(group_text(group), str(place), _about(face, view, group), default=place in places)
        for place, group in enumerate(choices)
    ]
    menus = [
        select(
            face.click(Verb.PICK, f"{part}-{mask_of(places)}"),
            face.words("select-lay" if len(options) <= MAX_OPTIONS else "select-lay-more", part=part + 1),
            options[start : start + MAX_OPTIONS],
            many=True,
        )
        for part, start in enumerate(range(0, len(options), MAX_OPTIONS))
    ]
    if not picked:
        return menus, []
    action = combine(view, picked)
    total = points(face.rules, [card for group in action.groups for card in group.cards])
    refusal = why_not(view, action)
    facts: dict[str, int | str] = {
        "groups": " ".join(chip(group_text(group)) for group in action.groups),
        "total": total,
    }
    minimum = view.public.minimum(view.team)
    if view.public.teams[view.team].opened or not minimum:
        line = face.words("hand-chosen", **facts)
    else:
        line = face.words("hand-chosen-opening", minimum=minimum, **facts)
    verdict = refusal_text(face, refusal, None) if refusal else face.words("hand-chosen-ok")
    box.add_item(words(f"{line}\n{verdict}"))
    lay = button(
        face.click(Verb.LAY, mask_of(places)),
        face.words("button-lay-points", total=total),
        style=_SUCCESS,
        disabled=refusal is not None,
    )
    return menus, [lay]


def _about(face: Face, view: PlayerView, group: Group) -> str:
    """What a group would do: start a meld or join one, and its points."""
    worth = points(face.rules, group.cards)
    rank = rank_of_group(group)
    if is_run(group.cards) or view.public.teams[view.team].sets[rank] < 0:
        return face.words("option-new", points=worth)
    return face.words("option-added", meld=label_text(face.locale, rank_name(rank)), points=worth)


def _discard_rows(face: Face, view: PlayerView) -> list[ui.ActionRow[Any]]:
    choices = discards(view)
    found = []
    for part, start in enumerate(range(0, len(choices), MAX_OPTIONS)):
        options = [
            option(_discard_text(view, cards), name_of(card))
            for card, cards in choices[start : start + MAX_OPTIONS]
        ]
        key = "select-discard" if len(choices) <= MAX_OPTIONS else "select-discard-more"
        click = face.click(Verb.DISCARD, str(part) if part else "")
        found.append(select(click, face.words(key, part=part + 1), options))
    return found


def _discard_text(view: PlayerView, cards: Sequence[Any]) -> str:
    """`K — K♠ K♥` where any of them would do, else the card itself."""
    if len(cards) == 1:
        return card_text(cards[0])
    if view.public.rules.runs:
        return f"{card_text(cards[0])} ×{len(cards)}"
    return f"{rank_text(cards[0] >> 2)} ×{len(cards)} — {cards_text(cards)}"


def _buttons(face: Face, view: PlayerView, legal: frozenset[str]) -> list[ui.Button[Any]]:
    known = (
        ("draw", Verb.DRAW, "button-draw", _PRIMARY),
        ("ask", Verb.ASK, "button-ask", discord.ButtonStyle.secondary),
        ("decline", Verb.DECLINE, "button-decline", discord.ButtonStyle.secondary),
        ("end", Verb.END, "button-end", _PRIMARY),
    )
    found = [
        button(face.click(verb), face.words(key), style=style)
        for kind, verb, key, style in known
        if kind in legal
    ]
    if "answer" in legal:
        found.append(button(face.click(Verb.YES), face.words("button-yes"), style=_SUCCESS))
        found.append(button(face.click(Verb.NO), face.words("button-no"), style=discord.ButtonStyle.danger))
    if legal and face.undoable and view.public.turn == view.seat and view.public.phase is Phase.PLAY:
        found.append(button(face.click(Verb.UNDO), face.words("button-undo")))
    return found


def _own_buttons(face: Face, view: PlayerView) -> list[ui.Button[Any]]:
    """*I am back* for who is away, and the hand once more as it is now."""
    found = []
    sitter = face.sitter(view.seat)
    away = sitter is not None and (sitter.absent or face.is_away(sitter))
    if away and face.stage is Stage.PLAYING:
        found.append(back_button(face))
    return [*found, button(face.click(Verb.HAND), face.words("button-refresh"))]


def _throw_buttons(face: Face, card: Card) -> list[ui.Button[Any]]:
    """The discard as it was chosen, and the way back to the whole hand."""
    throw = face.words("button-throw", card=card_text(card))
    return [
        button(face.click(Verb.THROW, name_of(card)), throw, style=_PRIMARY),
        button(face.click(Verb.HAND), face.words("button-keep")),
    ]
