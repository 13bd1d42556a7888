"""Whether to take the pile, and how."""

from collections.abc import Sequence
from typing import Final

from canasta_core.actions import Decline, Draw, SeatAction, TakePile
from canasta_core.ai.laying import opening_cost
from canasta_core.ai.reading import Reading, set_size
from canasta_core.cards import JOKER_RANK, RED_THREES, THREE, TWO, Card, count_ranks
from canasta_core.legality import joining_cards, legal_take, why_not
from canasta_core.melds import CANASTA, MELD
from canasta_core.rules import Exhausted

# All figures are points, as the seat weighs them.
_DRAWN: Final = 16
"""What an unknown card of the stock is worth."""
_CARD, _WILD, _FITS, _PAIRS = 6, 25, 8, 4
"""What a card of the pile is worth beside its points: any, a wild, one that fits an own set, or the hand."""
_OPENS, _STARTS, _COMPLETES = 45, 12, 250
_DEUCE, _JOKER = 22, 42
"""Wilds that a take spends."""
_RISK = 8
"""What a card more in hand may cost when a rival is about to go out."""


def take_or_draw(reading: Reading, offered: Sequence[SeatAction]) -> SeatAction:
    """How to begin a turn."""
    takes = [action for action in offered if isinstance(action, TakePile)]
    other = next((action for action in offered if isinstance(action, (Draw, Decline))), None)
    if takes and not reading.own.melds:
        fewest = legal_take(reading.view)
        if fewest and fewest not in takes and why_not(reading.view, fewest) is None:
            takes.append(fewest)
    if other is not None:
        takes = [take for take in takes if not reading.overshoots(take)]
    if not takes:
        return other if other is not None else offered[0]
    worth, best = max(
        ((_worth(reading, take), take) for take in takes), key=lambda pair: (pair[0], str(pair[1]))
    )
    if other is None:
        return best
    if not reading.public.stock_size:
        return best if _last_gain(reading, best) > -reading.points(reading.hand.cards) else other
    return best if worth > _DRAWN else other


def _worth(reading: Reading, take: TakePile) -> float:
    """What a take brings, less what it spends."""
    public, rules, own = reading.public, reading.rules, reading.own
    upcard = public.pile[-1]
    rank = upcard >> 2
    counts = reading.hand.counts
    joining = joining_cards(public)
    worth = float(rules.values[rank])
    worth += rules.red_three * sum(card in RED_THREES for card in public.pile[:-1])
    for card in joining:
        one = card >> 2
        worth += rules.values[one] + _CARD
        if one in (TWO, JOKER_RANK):
            worth += _WILD
        elif one != THREE:
            worth += _FITS * (own.sets[one] >= 0) + _PAIRS * (counts[one] > 0)
    laid = take.group.cards
    size = set_size(own, rank)
    if not own.melds:
        worth += _OPENS - sum(opening_cost((group,)) for group in (take.group, *take.further)) / 2
    else:
        worth += _STARTS * (not size)
        worth -= sum(
            _JOKER if card >> 2 == JOKER_RANK else _DEUCE for card in laid if card >> 2 in (TWO, JOKER_RANK)
        )
    if size < CANASTA <= size + 1 + len(laid):
        worth += _COMPLETES
    if reading.pressed and not reading.last:
        worth -= _RISK * len(joining)
    return worth


def _last_gain(reading: Reading, take: TakePile) -> int:
    """Points of the own hand after a take with no stock: what can be laid, less what stays (R8)."""
    rules, own = reading.rules, reading.own
    cards: list[Card] = [*reading.hand.cards, *joining_cards(reading.public)]
    laid = [card for group in (take.group, *take.further) for card in group.cards]
    for card in laid:
        cards.remove(card)
    counts = count_ranks(cards)
    gain = reading.points(laid) + rules.values[reading.public.pile[-1] >> 2]
    for card in cards:
        rank = card >> 2
        points = rules.values[rank]
        wild = rank in (TWO, JOKER_RANK)
        fits = own.sets[rank] >= 0 or counts[rank] >= MELD or rank == reading.public.pile[-1] >> 2
        gain += points if wild or (fits and rank != THREE) else -points
    if rules.exhausted is Exhausted.MUST_TAKE or rules.exhausted is Exhausted.DRAW_ENDS:
        gain -= 5  # a discard follows, and rivals play on
    return gain
