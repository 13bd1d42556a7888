"""The hand as a player uses it: what it offers, what it says, and what it asks before it is too late."""

from dataclasses import replace
from typing import Any

import pytest

from canasta_core.actions import Discard, TakePile
from canasta_core.cards import read_cards
from canasta_core.events import Asked
from canasta_core.legality import why_not
from canasta_core.offers import offers
from canasta_core.profiles import profile_ids
from canasta_core.state import Phase
from canasta_core.views import view_of
from cogs.ui.board import board
from cogs.ui.cards_text import card_text, cards_text
from cogs.ui.choices import (
    discards,
    repicked,
    takes,
)
from cogs.ui.events_text import own_moves
from cogs.ui.face import face_of
from cogs.ui.hand import hand
from cogs.ui.hand_words import no_take_text
from cogs.ui.layout import Verb
from tests.cogs.layouts import check, controls_of, plain, words_of
from tests.cogs.positions import CANASTA, KINGS, moments, place, said_of
from tests.cogs.tables import played, table_of
from tests.discord.checks import walk


@pytest.mark.parametrize("name", profile_ids())
def test_what_the_hand_offers_is_what_the_engine_offers(name: str) -> None:
    for table, view in moments(name, 4):
        layout = hand(face_of(table), view)
        check(layout)
        controls = controls_of(layout)
        legal = offers(view)
        kinds = {action.kind for action in legal}
        verbs = {"draw": Verb.DRAW, "take": Verb.TAKE, "discard": Verb.DISCARD, "ask": Verb.ASK}
        verbs |= {"decline": Verb.DECLINE, "end": Verb.END, "answer": Verb.YES}
        for kind, verb in verbs.items():
            assert (verb in controls) == (kind in kinds), kind
        assert ("meld" not in kinds) or Verb.PICK in controls
        for take in takes(view):
            assert why_not(view, take) is None
        for card, _ in discards(view):
            assert why_not(view, Discard(card)) is None


def test_take_options_name_every_card_that_is_laid() -> None:
    seen = {True: 0, False: 0}
    for table, view in moments("salon", 8):
        layout = hand(face_of(table), view)
        ways = takes(view)
        shown = [one["label"] for one in controls_of(layout).get(Verb.TAKE, {}).get("options", ())]
        if len(ways) == 1:
            shown = [words_of(layout).replace("`", "").replace("\N{NO-BREAK SPACE}", " ")]
            assert controls_of(layout)[Verb.TAKE]["label"] == "Take pile"
        for words, take in zip(shown, ways, strict=True):
            for group in (take.group, *take.further):
                assert cards_text(group.cards) in words or words.endswith("…")
            seen[len(ways) == 1] += 1
    assert min(seen.values()) > 2


def test_undo_is_offered_when_there_is_something_to_take_back() -> None:
    for seed in range(40):
        state, events = played(seed=seed, moves=31)
        if state.public.phase is Phase.PLAY:
            break
    turn = state.public.turn
    table = table_of(state, events)
    assert Verb.UNDO not in controls_of(hand(face_of(table), table.view(turn)))
    laid = replace(table, before=(state,))
    assert Verb.UNDO in controls_of(hand(face_of(laid), laid.view(turn)))
    assert Verb.UNDO not in controls_of(hand(face_of(laid), laid.view((turn + 1) % 4)))
    never = replace(laid, undo=False)
    assert Verb.UNDO not in controls_of(hand(face_of(never), never.view(turn)))


def test_a_discard_that_is_asked_about_leaves_nothing_else_to_do() -> None:
    for seed in range(40):
        state, events = played(seed=seed, moves=31)
        turn = state.public.turn
        cards = [one for one in offers(view_of(state, turn)) if isinstance(one, Discard)]
        if cards:
            break
    table = table_of(state, events)
    layout = hand(face_of(table), table.view(turn), throwing=cards[0].card)
    assert f"Discard `{card_text(cards[0].card)}`?" in check(layout)
    controls = controls_of(layout)
    assert set(controls) == {Verb.THROW, Verb.HAND}
    assert controls[Verb.HAND]["label"] == "Keep"
    assert controls[Verb.THROW]["label"] == f"Discard {card_text(cards[0].card)}"


def test_what_is_chosen_is_not_laid_and_says_so() -> None:
    face, view = place("AS AH AC QS 9C 4D", phase=Phase.PLAY, own=(KINGS,))
    layout = hand(face, view, chosen=[0])
    assert "Not laid yet: press *Lay (60)*." in words_of(layout)
    ids = [part["custom_id"] for _, part in walk(layout.to_components()) if "custom_id" in part]
    order = [one.split(":")[1] for one in ids]
    assert order == [Verb.PICK, Verb.LAY, Verb.DISCARD, Verb.HAND], "Lay stands between the two selects"
    assert controls_of(layout)[Verb.DISCARD]["custom_id"].endswith(":-1"), "the discard carries the choice"
    assert controls_of(hand(face, view))[Verb.DISCARD]["custom_id"] == "cn:discard:12:57"


def test_a_discard_asks_about_what_is_chosen_and_not_laid() -> None:
    face, view = place("AS AH AC QS 9C 4D", phase=Phase.PLAY, own=(KINGS,))
    layout = hand(face, view, chosen=[0], throwing=read_cards("4D")[0])
    assert "You chose A♠ A♥ A♣ and have not laid them." in said_of(
        face, view, chosen=[0], throwing=read_cards("4D")[0]
    )
    buttons = {
        part["label"]: part["custom_id"] for _, part in walk(layout.to_components()) if "label" in part
    }
    assert {plain(label): one for label, one in buttons.items()} == {
        "Lay, then discard 4♦": "cn:throw:12:57:4D-1",
        "Only discard 4♦": "cn:throw:12:57:4D",
        "Back": "cn:pick:12:57:-1",
    }
    assert repicked("-1", []) == [0], "the way back keeps the choice"


def test_laying_before_a_discard_is_offered_only_where_both_are_legal() -> None:
    def offered(cards: str, card: str, chosen: int = 0, **facts: Any) -> list[str]:
        face, view = place(cards, phase=Phase.PLAY, **facts)
        layout = hand(face, view, chosen=[chosen], throwing=read_cards(card)[0])
        return [plain(part["label"]) for _, part in walk(layout.to_components()) if "label" in part]

    # The melds take the very card: another of its rank will do, where there is one.
    assert offered("AS AH AC AD QS 4D", "AS", own=(KINGS,)) == ["Only discard A♠", "Back"]
    assert offered("AS AH QS 4D 4H 9C", "AS", 1, own=("AC AD AS",))[0] == "Lay, then discard A♥"
    # Too few points to open: there is only the discard, and the reason.
    cards, facts = "AS AH AC KS KH KD QS 9C 4D", {"score": 2000}
    first = offered(cards, "4D", **facts)
    assert first == ["Only discard 4♦", "Back"]
    face, view = place(cards, phase=Phase.PLAY, **facts)  # type: ignore[arg-type]
    said = said_of(face, view, chosen=[0], throwing=read_cards("4D")[0])
    assert "They cannot be laid like this: Your team needs 90 points" in said


def test_a_turn_without_a_discard_is_not_ended_by_the_same_word_while_something_is_chosen() -> None:
    face, view = place("AS AH AC QS 9C 4D", "salon", phase=Phase.PLAY, own=(KINGS,), stock=0)
    view.public.no_discard = True
    assert controls_of(hand(face, view))[Verb.END]["label"] == "End turn"
    assert controls_of(hand(face, view, chosen=[0]))[Verb.END]["label"] == "End turn without laying"


def test_the_hand_shows_the_table_around_it() -> None:
    face, view = place("AS AH 9C", own=(CANASTA, "QS QH 2D"))
    said = said_of(face, view)
    assert "**Pile:** 2 cards, 5♣ on top · **Stock:** 40 cards" in said
    assert "**Your team:** 🔴 K ×7 natural\nQ ×3 (1 wild)" in said
    said = said_of(*place("AS AH 9C", pile="8C 2S 3C", freezing=1, own=(KINGS,)))
    assert "3♣ on top · blocked · frozen for all" in said
    said = said_of(*place("AS AH 9C", pile="5C"))
    assert "**Pile:** 1 card, 5♣ · frozen for your team until it opens" in said
    assert "**Your team:** nothing laid yet" in said
    assert "**Your melds:** nothing laid yet" in said_of(*place("AS AH 9C", "salon", seats=3))
    assert "points, which count against your team if the round ends now" in said
    face, view = place("AS AH 9C")
    view.public.phase = Phase.ROUND_OVER
    assert "**Pile:**" not in said_of(face, view)


ONE_FIVE = "AS KH 5D 7S 9C TD"


FIVES = "5S 5H 5D"


EITHER = "you need two fives, or one five and a wild card; you hold"


FROZEN = "The pile is frozen: to take 5♣ you need two fives from your hand; you hold"


@pytest.mark.parametrize(
    ("profile", "cards", "facts", "told"),
    [
        ("canastra", ONE_FIVE, {}, f"To take 5♣ {EITHER} one five and no wild card.)"),
        ("canastra", "AS KH 7D 7S 9C 2D", {}, f"{EITHER} none.)"),
        ("salon", ONE_FIVE, {}, f"{EITHER} one five and no wild card.)"),
        ("browser", ONE_FIVE + " 2S", {}, "To take 5♣ you need two fives; you hold only one.)"),
        ("classic", ONE_FIVE + " 2S", {}, f"{FROZEN} only one.)"),
        ("classic", ONE_FIVE, {"own": (KINGS,)}, f"{EITHER} one five and no wild card.)"),
        ("classic", "AS 7H", {"own": (FIVES,), "freezing": 1, "pile": "2S 5C"}, f"{FROZEN} none.)"),
        ("canastra", "AS KH 7D 2S", {"own": (FIVES,)}, "you need one five from your hand; you hold none.)"),
        ("canastra", ONE_FIVE + " 5H", {"score": 2000}, "so you can lay 15 points at most."),
        ("canastra", ONE_FIVE + " 5H KS KD KC JK", {"score": 3000}, "so you can lay 105 points at most."),
        ("classic", "AS KH", {"pile": "8C 3S"}, "The pile is blocked by 3♠."),
        ("classic", "AS KH", {"pile": ""}, "The pile is empty."),
    ],
)  # fmt: skip
def test_why_the_pile_cannot_be_taken_is_said_from_the_hand(
    profile: str, cards: str, facts: dict[str, Any], told: str
) -> None:
    said = said_of(*place(cards, profile, **facts))
    assert "**Your turn:** draw. (" in said
    assert told in said
    assert "or take the pile" not in said


@pytest.mark.parametrize("name", profile_ids())
def test_a_reason_stands_exactly_where_no_way_is_offered(name: str) -> None:
    reasons = 0
    for table, view in moments(name, 8):
        if view.public.phase is Phase.DRAW:
            offered = any(isinstance(one, TakePile) for one in offers(view))
            assert bool(takes(view)) == offered
            assert (no_take_text(face_of(table), view) == "") == offered
            reasons += not offered
    assert reasons > 2


def test_with_no_stock_only_what_can_be_done_is_said() -> None:
    face, view = place("AS KD 9C", pile="7C KS", own=(CANASTA,), stock=0)
    assert "fits a meld of yours: take the pile." in said_of(face, view)
    face, view = place("AS AH KD KH 9C", pile="7C KS", own=("9S 9H 9D",), stock=0)
    assert "Take the pile, or leave it: that ends the round." in said_of(face, view)
    assert controls_of(hand(face, view))[Verb.DECLINE]["label"] == "Leave the pile"
    assert "to take the pile or leave it" in words_of(board(face))
    face, view = place("AS AH KD 9C 7H", "browser", pile="7C KS", own=("9S 9H 9D",), stock=0)
    said = said_of(face, view)
    assert (
        "the stock is empty. Draw: that ends the round. (To take K♠ you need two kings; you hold only one.)"
        in said
    )
    assert "Take" not in said
    assert "to take the pile, or to draw, which ends the round" in words_of(board(face))
    face, view = place("AS AH KD 9C 7H", pile="7C KS", own=("9S 9H 9D",), stock=0)
    assert "Leave the pile: that ends the round. (To take K♠ you need two kings, or" in said_of(face, view)


def test_the_only_way_to_take_is_a_button_that_says_what_it_lays() -> None:
    face, view = place("KD KH AS 9C 4D", pile="7C KS", own=("9S 9H 9D",))
    layout = hand(face, view)
    assert controls_of(layout)[Verb.TAKE]["custom_id"] == "cn:take:12:57:0"
    assert "Take pile: with K♥ K♦ · 30 points" in said_of(face, view)


def test_who_waits_for_an_answer_is_told_once() -> None:
    face, view = place("AS KD 9C", own=(CANASTA,))
    view.public.phase, view.public.pending = Phase.PERMISSION, face.rules.partners_of(view.seat)
    partner = face.name(view.public.pending[0])
    said = said_of(
        face, view, said="\n".join(own_moves(face, view.seat, [Asked(view.seat, view.public.pending)]))
    )
    assert said.startswith(f"You asked {partner}.\n")
    assert said.count("answer") == 1
    assert f"until the answer: {partner} must say" in said
