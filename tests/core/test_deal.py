"""Lots and the deal (R3), beyond what cases name."""

import random

import pytest

from canasta_core.actions import Deal, DrawLots
from canasta_core.cards import RED_THREES, Card, is_wild, pack_of, read_cards
from canasta_core.dealing import WrongPack
from canasta_core.engine import apply
from canasta_core.events import Dealt, LotsDrawn, RedThreeExposed
from canasta_core.profiles import load_rules
from canasta_core.refusals import Code, Refusal
from canasta_core.rules import Rules
from canasta_core.state import GameState, Phase


def pack_beginning(rules: Rules, text: str) -> tuple[Card, ...]:
    named = read_cards(text)
    rest = pack_of(rules.packs, rules.jokers)
    for card in named:
        rest.remove(card)
    return (*named, *rest)


@pytest.mark.parametrize(
    ("deck", "dealer", "rounds"),
    [
        ("4S 9S KS 5S", 2, 1),
        ("JK AS 9S JK KS 5S", 0, 1),
        ("KS KH 4S 5S 7C 8D", 1, 2),
        ("KS KH KD KC 4S 5S 5H 4D 9S 9C JK TS 8S", 1, 4),
    ],
)
def test_the_highest_card_deals(deck: str, dealer: int, rounds: int) -> None:
    rules = load_rules("classic")
    done = apply(GameState.new(rules), None, DrawLots(pack_beginning(rules, deck)))
    (event,) = done.events
    assert isinstance(event, LotsDrawn)
    assert event.dealer == dealer
    assert len(event.draws) == rounds


def test_the_first_dealer_deals_and_the_deal_passes() -> None:
    rules = load_rules("classic")
    state = apply(GameState.new(rules), None, DrawLots(pack_beginning(rules, "4S 9S KS 5S"))).state
    done = apply(state, None, Deal(pack_beginning(rules, "")))
    assert done.state.public.dealer == 2
    assert done.state.public.turn == 3
    assert isinstance(done.events[0], Dealt)


@pytest.mark.parametrize("name", ["classic", "salon", "canastra", "browser"])
def test_any_deal(name: str) -> None:
    rng = random.Random(3)
    for _ in range(300):
        rules = load_rules(name)
        state = GameState.new(rules)
        state.public.dealer = rng.randrange(4)
        pack = pack_of(rules.packs, rules.jokers)
        rng.shuffle(pack)
        done = apply(state, None, Deal(tuple(pack), tuple(rng.randrange(10**6) for _ in range(20))))
        public = done.state.public
        assert [len(hand.cards) for hand in done.state.hands] == [rules.hand] * 4
        assert not any(card in RED_THREES for hand in done.state.hands for card in hand.cards)
        assert not is_wild(public.pile[-1])
        exposed = [event for event in done.events if isinstance(event, RedThreeExposed)]
        assert len(exposed) == sum(len(team.red_threes) for team in public.teams)
        if name == "canastra":
            assert len(public.pile) == 1
            assert not public.frozen
        else:
            freezing = [
                card for card in public.pile if is_wild(card) or (card in RED_THREES and name != "salon")
            ]
            assert public.frozen == bool(freezing)


def test_a_returned_upcard_goes_where_chance_says() -> None:
    rules = load_rules("canastra")
    hands = "4S 5S 6S 7S 4H 5H 6H 7H 4D 5D 6D 7D 4C 5C 6C 7C 4S 5S 6S 7S 4H 5H 6H 7H 4D 5D 6D 7D 4C 5C 6C 7C"
    deck = pack_beginning(rules, f"{hands} 8S 8H 8D 8C 9S 9H 9D 9C TS TH TD TC 2S KD")
    stocks = []
    for place in (0, 10, 61, 62):
        state = GameState.new(rules)
        state.public.dealer = 2
        stocks.append(apply(state, None, Deal(deck, (place,))).state.stock)
    two = read_cards("2S")[0]
    assert [stock[place] for stock, place in zip(stocks, (0, 10, 61, 62), strict=True)] == [two] * 4
    assert stocks[0][1:] == stocks[1][:10] + stocks[1][11:]


def test_wrong_packs() -> None:
    rules = load_rules("classic")
    state = GameState.new(rules)
    state.public.dealer = 0
    for pack in (pack_of(2, 4)[1:], [*pack_of(2, 4)[1:], Card(60)], pack_of(2, 3)):
        with pytest.raises(WrongPack):
            apply(state, None, Deal(tuple(pack)))
    with pytest.raises(WrongPack):
        apply(GameState.new(rules), None, DrawLots(tuple(read_cards("KS KH KD"))))


def test_chance_out_of_turn() -> None:
    rules = load_rules("classic")
    new = GameState.new(rules)
    with pytest.raises(Refusal) as raised:
        apply(new, None, Deal(pack_beginning(rules, "")))
    assert raised.value.code is Code.WRONG_PHASE
    lots = apply(new, None, DrawLots(pack_beginning(rules, "4S 9S KS 5S"))).state
    with pytest.raises(Refusal):
        apply(lots, None, DrawLots(pack_beginning(rules, "4S 9S KS 5S")))
    dealt = apply(lots, None, Deal(pack_beginning(rules, ""))).state
    assert dealt.public.phase is Phase.DRAW
    with pytest.raises(Refusal):
        apply(dealt, None, Deal(pack_beginning(rules, "")))
