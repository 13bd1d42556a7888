"""The private message of one player: their cards, and what they may do now."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import discord
from discord import ui

from canasta_core.actions import Group, LayMelds, TakePile
from canasta_core.cards import Card, name_of, rank_name
from canasta_core.legality import why_not
from canasta_core.melds import is_run
from canasta_core.offers import legal_kinds
from canasta_core.state import Phase
from canasta_core.tables.model import Stage
from canasta_core.views import PlayerView
from cogs.ui.board import back_button
from cogs.ui.cards_text import card_text, cards_text, chip, group_text, label_text, points, rank_text, shown
from cogs.ui.choices import (
    combine,
    discards,
    lay_choices,
    lay_then_discard,
    mask_of,
    rank_of_group,
    takes,
)
from cogs.ui.face import Face
from cogs.ui.hand_words import cards_held, presence, situation, table_lines
from cogs.ui.layout import MAX_OPTIONS, Layout, Verb, button, cut, option, rows, select, table_name, words
from cogs.ui.refusals_text import reason_text, refusal_text

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
    once more, which then is all that can be done: what is chosen and not laid would be forgotten.
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
    box.add_item(words("\n".join([cards_held(face, view), *table_lines(face, view)])))
    box.add_item(ui.Separator())
    movable = face.stage is Stage.PLAYING and face.paused is None
    legal = legal_kinds(view) if movable else frozenset()
    choices = lay_choices(view) if legal else []
    places = sorted(place for place in set(chosen) if place < len(choices))
    picked = [choices[place] for place in places]
    if throwing is not None and "discard" in legal:
        box.add_item(words(_throw_text(face, view, picked, throwing)))
        for row in rows(_throw_buttons(face, view, places, picked, throwing)):
            box.add_item(row)
        return Layout(box)
    ways = takes(view) if "take" in legal else []
    lines = [situation(face, view, melds=bool(choices))]
    if len(ways) == 1:
        lines.append(_only_way(face, view, ways[0]))
    box.add_item(words("\n".join([*lines, *presence(face, view)])))
    if len(ways) > 1:
        box.add_item(_take_row(face, view, ways))
    for item in _laying(face, view, choices, places):
        box.add_item(item)
    if "discard" in legal:
        for row in _discard_rows(face, view, places):
            box.add_item(row)
    for row in rows([*_buttons(face, view, legal, places), *_own_buttons(face, view)]):
        box.add_item(row)
    return Layout(box)


def _take_row(face: Face, view: PlayerView, ways: Sequence[TakePile]) -> ui.ActionRow[Any]:
    options = [
        option(
            take_text(face, view, take),
            str(place),
            face.words("option-points", points=_worth(face, view, take)),
        )
        for place, take in enumerate(ways[:MAX_OPTIONS])
    ]
    return select(face.click(Verb.TAKE), face.words("select-take"), options)


def _only_way(face: Face, view: PlayerView, take: TakePile) -> str:
    """What *Take pile* lays, where there is nothing to choose."""
    way = take_text(face, view, take, chips=True)
    return face.words("hand-take-one", way=way, points=_worth(face, view, take))


def _worth(face: Face, view: PlayerView, take: TakePile) -> int:
    """Points of all that a take lays, the upcard among it."""
    upcard = view.public.upcard
    laid = [card for group in (take.group, *take.further) for card in group.cards]
    return points(face.rules, laid if upcard is None else [upcard, *laid])


def take_text(face: Face, view: PlayerView, take: TakePile, *, chips: bool = False) -> str:
    """`with K♠ K♥ + Q♠ Q♥ Q♦`, `onto your kings`; `chips` for running text."""
    show = chip if chips else str
    upcard = view.public.upcard
    rank = upcard >> 2 if upcard is not None else 0
    onto = view.public.teams[view.team].sets[rank] >= 0
    facts = {"cards": show(cards_text(take.group.cards))}
    if onto:
        facts["meld"] = label_text(face.locale, rank_name(rank))
    key = "option-take-with" if not onto else "option-take-onto" if take.group.cards else "option-take-meld"
    further = [face.words("option-further", cards=show(group_text(group))) for group in take.further]
    return " ".join([face.words(key, **facts), *further])


def _laying(
    face: Face, view: PlayerView, choices: Sequence[Group], places: Sequence[int]
) -> list[ui.Item[Any]]:
    """The selects of melds; below them what is chosen, with its total, and the button that lays it."""
    if not choices:
        return []
    options = [
        option(group_text(group), str(place), _about(face, view, group), default=place in places)
        for place, group in enumerate(choices)
    ]
    found: list[ui.Item[Any]] = [
        select(
            face.click(Verb.PICK, f"{part}-{mask_of(places)}"),
            face.words("select-lay" if len(options) <= MAX_OPTIONS else "select-lay-more", part=part + 1),
            options[start : start + MAX_OPTIONS],
            many=True,
        )
        for part, start in enumerate(range(0, len(options), MAX_OPTIONS))
    ]
    if not places:
        return found
    action = combine(view, [choices[place] for place in places])
    total = points(face.rules, [card for group in action.groups for card in group.cards])
    refusal = why_not(view, action)
    facts: dict[str, int | str] = {"groups": _groups_text(action), "total": total}
    minimum = view.public.minimum(view.team)
    if view.public.teams[view.team].opened or not minimum:
        line = face.words("hand-chosen", **facts)
    else:
        line = face.words("hand-chosen-opening", minimum=minimum, **facts)
    verdict = refusal_text(face, refusal, None) if refusal else face.words("hand-chosen-ok", total=total)
    lay = button(
        face.click(Verb.LAY, mask_of(places)),
        face.words("button-lay-points", total=total),
        style=_SUCCESS,
        disabled=refusal is not None,
    )
    return [*found, words(f"{line}\n{verdict}"), ui.ActionRow(lay)]


def _groups_text(action: LayMelds) -> str:
    return " ".join(chip(group_text(group)) for group in action.groups)


def _about(face: Face, view: PlayerView, group: Group) -> str:
    """What a group would do: start a meld or join one, and its points."""
    worth = points(face.rules, group.cards)
    rank = rank_of_group(group)
    if is_run(group.cards) or view.public.teams[view.team].sets[rank] < 0:
        return face.words("option-new", points=worth)
    return face.words("option-added", meld=label_text(face.locale, rank_name(rank)), points=worth)


def _discard_rows(face: Face, view: PlayerView, places: Sequence[int]) -> list[ui.ActionRow[Any]]:
    """The selects of cards to discard; they carry what is chosen to be laid, so that it is asked about."""
    choices = discards(view)
    kept = f"-{mask_of(places)}" if places else ""
    found = []
    for part, start in enumerate(range(0, len(choices), MAX_OPTIONS)):
        options = [
            option(_discard_text(view, cards), name_of(card))
            for card, cards in choices[start : start + MAX_OPTIONS]
        ]
        key = "select-discard" if len(choices) <= MAX_OPTIONS else "select-discard-more"
        click = face.click(Verb.DISCARD, f"{part or ''}{kept}")
        found.append(select(click, face.words(key, part=part + 1), options))
    return found


def _discard_text(view: PlayerView, cards: Sequence[Any]) -> str:
    """`K — K♠ K♥` where any of them would do, else the card itself."""
    if len(cards) == 1:
        return card_text(cards[0])
    if view.public.rules.runs:
        return f"{card_text(cards[0])} ×{len(cards)}"
    return f"{rank_text(cards[0] >> 2)} ×{len(cards)} — {cards_text(cards)}"


def _buttons(
    face: Face, view: PlayerView, legal: frozenset[str], places: Sequence[int]
) -> list[ui.Button[Any]]:
    end = "button-end-unlaid" if places else "button-end"
    known = (
        ("draw", Verb.DRAW, "button-draw", _PRIMARY),
        ("ask", Verb.ASK, "button-ask", discord.ButtonStyle.secondary),
        ("decline", Verb.DECLINE, "button-decline", discord.ButtonStyle.secondary),
        ("end", Verb.END, end, discord.ButtonStyle.secondary if places else _PRIMARY),
    )
    found = [
        button(face.click(verb), face.words(key), style=style)
        for kind, verb, key, style in known
        if kind in legal
    ]
    if "take" in legal and len(takes(view)) == 1:
        found.insert(
            "draw" in legal, button(face.click(Verb.TAKE, "0"), face.words("button-take"), style=_PRIMARY)
        )
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


def _throw_text(face: Face, view: PlayerView, picked: Sequence[Group], card: Card) -> str:
    """The question before a discard; what is chosen and not laid comes first."""
    question = face.words("hand-throw", card=shown([card]))
    if not picked:
        return question
    action = combine(view, picked)
    line = face.words("hand-unlaid", groups=_groups_text(action))
    refusal = why_not(view, action)
    if refusal is not None:
        line = face.words("hand-unlaid-illegal", line=line, why=reason_text(face, refusal, view))
    return f"{line}\n{question}"


def _throw_buttons(
    face: Face, view: PlayerView, places: Sequence[int], picked: Sequence[Group], card: Card
) -> list[ui.Button[Any]]:
    """The discard as it was chosen, after what is to be laid where that is legal, and the way back."""
    throw = face.click(Verb.THROW, name_of(card))
    if not picked:
        return [
            button(throw, face.words("button-throw", card=card_text(card)), style=_PRIMARY),
            button(face.click(Verb.HAND), face.words("button-keep")),
        ]
    mask = mask_of(places)
    found = [
        button(throw, face.words("button-only-discard", card=card_text(card))),
        button(face.click(Verb.PICK, f"-{mask}"), face.words("button-back-to-hand")),
    ]
    both = lay_then_discard(view, picked, card)
    if both is not None:
        thrown = both[1].card
        label = face.words("button-lay-then-discard", card=card_text(thrown))
        click = face.click(Verb.THROW, f"{name_of(thrown)}-{mask}")
        found.insert(0, button(click, label, style=_SUCCESS))
    return found
