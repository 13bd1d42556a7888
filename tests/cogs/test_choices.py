"""What a player can choose from: all that is legal can be said, and what is offered makes sense."""

import random
from dataclasses import replace

import pytest

from canasta_core.actions import LayMelds, TakePile
from canasta_core.cards import name_of, read_cards
from canasta_core.engine import apply
from canasta_core.legality import why_not
from canasta_core.offers import lay_parts, offers
from canasta_core.profiles import profile_ids
from canasta_core.refusals import Code
from canasta_core.state import Hand, Phase
from canasta_core.views import view_of
from cogs.ui.cards_text import cards_text
from cogs.ui.choices import (
    MOST,
    combine,
    discards,
    lay_choices,
    lay_then_discard,
    mask_of,
    most_with_upcard,
    places_of,
    repicked,
    takes,
    why_no_take,
)
from cogs.ui.face import face_of
from cogs.ui.hand import hand
from cogs.ui.layout import Click, Verb
from tests.cogs.layouts import controls_of, plain, words_of
from tests.cogs.positions import CANASTA, KINGS, moments, place, said_of
from tests.cogs.tables import played, table_of


@pytest.mark.parametrize("name", profile_ids())
def test_every_offered_meld_can_be_chosen(name: str) -> None:
    """Each offer is a combination of choices, as far as so many can say it."""
    tried = 0
    for _, view in moments(name, 4):
        choices = lay_choices(view)
        for offer in offers(view):
            if not isinstance(offer, LayMelds) or len(choices) == MOST:
                continue
            tried += 1
            parts = [
                next(
                    choice
                    for choice in choices
                    if choice.label == group.label
                    and sorted(card >> 2 for card in choice.cards)
                    == sorted(card >> 2 for card in group.cards)
                )
                for group in offer.groups
            ]
            assert why_not(view, combine(view, parts)) is None
    assert tried > 10


def test_choices_of_one_rank_are_put_together() -> None:
    state, _ = played(seed=1, moves=1)
    seat = state.public.turn
    state.hands[seat] = Hand.of(read_cards("KS KH KD 2S 2H JK QS QH 4C 5C"))
    view = view_of(state, seat)
    choices = lay_choices(view)

    def place(text: str) -> int:
        wanted = sorted(card >> 2 for card in read_cards(text))
        return next(i for i, one in enumerate(choices) if sorted(card >> 2 for card in one.cards) == wanted)

    action = combine(view, [choices[place("KS KH KD")], choices[place("KS KH KD 2S")]])
    assert [cards_text(group.cards) for group in action.groups] == [cards_text(read_cards("KS KH KD 2S"))]
    both = combine(view, [choices[place("KS KH KD 2S")], choices[place("QS QH 2S")]])
    assert sorted(name_of(card) for group in both.groups for card in group.cards) == sorted(
        ["KS", "KH", "KD", "2S", "QS", "QH", "2H"]
    )
    layout = hand(face_of(table_of(state)), view, chosen=[place("KS KH KD")])
    assert "**30** of 50 points" in words_of(layout)
    assert controls_of(layout)[Verb.LAY]["disabled"]
    layout = hand(face_of(table_of(state)), view, chosen=[place("KS KH KD 2S")])
    assert "**50** of 50 points" in words_of(layout)
    assert not controls_of(layout)[Verb.LAY]["disabled"]
    read = Click.read(controls_of(layout)[Verb.LAY]["custom_id"])
    assert read is not None
    assert places_of(read.arg) == [place("KS KH KD 2S")]


def test_more_wilds_than_the_hand_has_are_refused_not_invented() -> None:
    state, _ = played(seed=1, moves=1)
    seat = state.public.turn
    state.hands[seat] = Hand.of(read_cards("AS AH 2S QS QH 4C 5C 6C"))
    view = view_of(state, seat)
    choices = lay_choices(view)
    layout = hand(face_of(table_of(state)), view, chosen=range(len(choices)))
    assert controls_of(layout)[Verb.LAY]["disabled"]
    assert "do not hold `2♠`" in plain(words_of(layout))


def test_masks_and_custom_ids_are_read_back() -> None:
    assert places_of(mask_of([0, 3, 49])) == [0, 3, 49]
    assert sorted(repicked(f"0-{mask_of([1, 30])}", ["2", "3"])) == [2, 3, 30]
    assert sorted(repicked(f"1-{mask_of([1, 30])}", [])) == [1]
    assert repicked("nonsense", ["4"]) == [4]
    assert places_of("nonsense") == []
    assert places_of("") == []
    click = Click(Verb.LAY, 10**17, 10**8, "1ffffff")
    assert len(click.custom_id) <= 100
    assert Click.read(click.custom_id) == click
    for wrong in ("", "cn", "cn:fly:1:2", "cn:draw:x:1", "cn:draw:1", "xx:draw:1:2", "cn:draw:1:2\n"):
        assert Click.read(wrong) is None


def test_laying_and_discarding_in_a_row_is_what_the_engine_accepts() -> None:
    tried = 0
    for name in profile_ids():
        for seed in range(4):
            for moves in range(1, 80, 6):
                state, _ = played(name, seed=seed, moves=moves)
                if state.public.phase is not Phase.PLAY:
                    continue
                seat = state.public.turn
                view = view_of(state, seat)
                for group in lay_choices(view):
                    for card in dict.fromkeys(view.hand.cards):
                        both = lay_then_discard(view, [group], card)
                        if both is None:
                            continue
                        laid = apply(state, seat, both[0]).state
                        assert apply(laid, seat, both[1]).state.public.pile[-1] >> 2 == card >> 2
                        tried += 1
    assert tried > 200


def test_the_most_that_a_hand_can_open_with_is_exact() -> None:
    """That is reached, and no more: asked of the engine with a minimum of that size, and of the next."""
    seen = 0
    for seed in range(120):
        state, _ = played("canastra", seed=seed, moves=0)
        public = state.public
        view = view_of(state, public.turn)
        public.scores[view.team] = 3000
        refusal = why_no_take(view)
        if refusal is None or refusal.code is not Code.OPENING_MINIMUM:
            continue
        most = most_with_upcard(view)
        for minimum in (most, most + 5):
            if not minimum:
                continue
            state.public.rules = replace(state.rules, opening_below=(), opening_top=minimum)
            assert bool(takes(view)) == (minimum == most), seed
        seen += most > 0
    assert seen > 5


def test_what_is_missed_least_is_first_to_discard() -> None:
    _, view = place(
        "JK 2S AH KD QS QH 9C 7D 4H 4D 3S", phase=Phase.PLAY, own=("KS KH KC",), theirs=("9S 9H 9D",)
    )
    order = [name_of(card) for card, _ in discards(view)]
    assert order == ["3S", "7D", "AH", "4H", "QS", "9C", "KD", "2S", "JK"]


def test_melds_that_no_legal_move_contains_are_not_offered() -> None:
    """After a no a card must be left; a team without a canasta cannot go out; an opening out of reach."""
    told = "**Your turn:** discard."
    for cards, facts in (
        ("AS AH AC 4D", {"own": (CANASTA,), "answer": False}),
        ("AS AH AC 4D", {"own": (KINGS,)}),
        ("4S 4H 4C 9D TC JS QS", {"score": 2000}),
    ):
        face, view = place(cards, phase=Phase.PLAY, **facts)  # type: ignore[arg-type]
        assert lay_choices(view) == []
        assert told in said_of(face, view)
        assert Verb.PICK not in controls_of(hand(face, view))
    face, view = place("AS AH AC KD 4D", phase=Phase.PLAY, own=(CANASTA,), answer=False)
    assert {cards_text(one.cards) for one in lay_choices(view)} == {
        cards_text(read_cards(some)) for some in ("AS AH AC", "KD")
    }
    _, view = place("AS AH AC KD", phase=Phase.PLAY, own=(CANASTA,), answer=False)
    assert [cards_text(one.cards) for one in lay_choices(view)] == [cards_text(read_cards("KD"))]
    face, view = place("AS AH AC 4D", phase=Phase.PLAY, own=(CANASTA,))
    assert [cards_text(one.cards) for one in lay_choices(view)] == [cards_text(read_cards("AS AH AC"))]
    # A meld that alone leaves too few is wanted together with the one that makes the canasta.
    _, view = place("5D KD", phase=Phase.PLAY, own=("KS KH KC KS KH KC", "5S 5H 5C"))
    assert len(lay_choices(view)) == 2


def test_a_choice_that_is_left_out_is_in_no_legal_move() -> None:
    """Every two of the groups that make sense for a short hand, asked of the engine."""
    left_out = 0
    for name in profile_ids():
        for seed in range(8):
            rng = random.Random(seed)
            for moves in range(16, 160, 3):
                state, _ = played(name, seed=seed, moves=moves)
                if state.public.phase is not Phase.PLAY:
                    continue
                held = state.hands[state.public.turn].cards
                state.hands[state.public.turn] = Hand.of(rng.sample(held, min(len(held), 2 + seed % 4)))
                view = view_of(state, state.public.turn)
                every, kept = [part.group for part in lay_parts(view)], lay_choices(view)
                for one in (group for group in every if group not in kept):
                    left_out += 1
                    for other in every:
                        assert why_not(view, combine(view, [one, other])) is not None
                    assert why_not(view, combine(view, every)) is not None
    assert left_out > 20


def test_ways_that_only_lay_more_are_no_ways_of_their_own() -> None:
    _, view = place("2S 2H KC KD QS QH QD AS AH JK 4D", "salon", pile="8C KC", score=2000)
    ways = takes(view)
    assert len(ways) < sum(isinstance(one, TakePile) for one in offers(view)) / 2

    def laid(take: TakePile) -> list[tuple[int, ...]]:
        return [tuple(group.cards) for group in (take.group, *take.further)]

    for one in ways:
        for other in ways:
            within = all(any(set(part) <= set(more) for more in laid(other)) for part in laid(one))
            assert one is other or not within
