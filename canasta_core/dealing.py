"""Lots and the deal (R3). Chance comes in as shuffled packs; nothing here is random."""

from collections.abc import Sequence
from functools import cache

from canasta_core.actions import Deal, DrawLots
from canasta_core.cards import JOKER, RED_THREES, Card, pack_of
from canasta_core.events import Dealt, Event, LotsDrawn, RedThreeExposed
from canasta_core.rules import CardClass, Rules, UnfitUpcard
from canasta_core.state import GameState, Hand, Phase, Team


class WrongPack(ValueError):
    """A pack that is not the table's, or too few places for returned upcards."""


def draw_lots(state: GameState, action: DrawLots, events: list[Event]) -> None:
    """Each seat draws a card, the highest deals; jokers are put aside, ties draw again (R3.1)."""
    public = state.public
    cards = iter(card for card in action.cards if card != JOKER)
    contenders = list(range(state.rules.seats))
    draws = []
    while len(contenders) > 1:
        try:
            drawn = tuple((seat, next(cards)) for seat in contenders)
        except RuntimeError:
            raise WrongPack("the pack ran out before the first dealer was found") from None
        draws.append(drawn)
        highest = max(card >> 2 for _, card in drawn)
        contenders = [seat for seat, card in drawn if card >> 2 == highest]
    # `deal` moves on to the seat after the last dealer.
    public.dealer = (contenders[0] - 1) % state.rules.seats
    events.append(LotsDrawn(tuple(draws), contenders[0]))


def deal(state: GameState, action: Deal, events: list[Event]) -> None:
    """Deal a round: hands, the first upcard, red threes of the hands (R3.3, R3.4)."""
    public, rules = state.public, state.rules
    _check_pack(rules, action.pack)
    seats = rules.seats
    public.dealer = (public.dealer + 1) % seats
    public.round_number += 1
    first = (public.dealer + 1) % seats
    dealt = rules.hand * seats
    hands = [list(action.pack[(seat - first) % seats : dealt : seats]) for seat in range(seats)]
    stock = list(action.pack[dealt:])
    stock.reverse()
    public.teams = [Team.empty() for _ in range(rules.teams)]
    turned = _turn_upcard(rules, stock, action.places)
    public.pile = turned if rules.unfit_upcard is UnfitUpcard.COVER else turned[-1:]
    freezing = freezing_cards(rules)
    public.freezing = sum(card in freezing for card in public.pile)
    events.append(Dealt(public.round_number, public.dealer, first, tuple(turned)))
    for number in range(seats):
        seat = (first + number) % seats
        hands[seat] = _expose(state, seat, hands[seat], stock, events)
    state.hands = [Hand.of(hand) for hand in hands]
    state.stock = stock
    public.sizes = [len(hand) for hand in hands]
    public.stock_size = len(stock)
    public.melded = [False] * seats
    public.asked = [False] * seats
    public.reason = public.went_out = public.winner = None
    public.concealed = False
    public.sheets = ()
    public.phase = Phase.DRAW
    public.turn = first


def freezing_cards(rules: Rules) -> tuple[Card, ...]:
    """Cards that freeze the pile while they lie in it (R4.6)."""
    return _cards_of(rules.freezing)


@cache
def _cards_of(kinds: tuple[CardClass, ...]) -> tuple[Card, ...]:
    return tuple(card for kind in kinds for card in kind.cards())


def _check_pack(rules: Rules, pack: Sequence[Card]) -> None:
    if sorted(pack) != _sorted_pack(rules.packs, rules.jokers):
        raise WrongPack(f"not the {rules.pack_size} cards of this table")


@cache
def _sorted_pack(packs: int, jokers: int) -> list[Card]:
    return sorted(pack_of(packs, jokers))


def _turn_upcard(rules: Rules, stock: list[Card], places: Sequence[int]) -> list[Card]:
    """Turn cards until one is fit. Unfit ones stay below it, or go back to the stock (R3.3)."""
    unfit = _cards_of(rules.unfit)
    turned = [stock.pop()]
    while turned[-1] in unfit:
        turned.append(stock.pop())
    if rules.unfit_upcard is UnfitUpcard.RETURN:
        if len(places) < len(turned) - 1:
            raise WrongPack(f"{len(turned) - 1} upcards go back to the stock, with {len(places)} places")
        for card, place in zip(turned[:-1], places, strict=False):
            stock.insert(place % (len(stock) + 1), card)
    return turned


def _expose(
    state: GameState, seat: int, hand: list[Card], stock: list[Card], events: list[Event]
) -> list[Card]:
    """Red threes of a dealt hand are exposed and replaced, repeatedly (R3.4)."""
    exposed = [card for card in hand if card in RED_THREES]
    if not exposed:
        return hand
    team = state.public.teams[state.rules.team_of(seat)]
    kept = [card for card in hand if card not in RED_THREES]
    while exposed:
        card = exposed.pop(0)
        team.red_threes.append(card)
        events.append(RedThreeExposed(seat, card, replaced=True))
        new = stock.pop()
        (exposed if new in RED_THREES else kept).append(new)
    return kept
