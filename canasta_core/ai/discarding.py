"""Which card to give away: what it is worth in the hand, and what it gives to the next seat."""

import random
from collections.abc import Sequence

from canasta_core.actions import Discard
from canasta_core.ai.chances import at_least
from canasta_core.ai.reading import Reading, set_size
from canasta_core.cards import JOKER_RANK, RED_THREES, THREE, TWO, Card
from canasta_core.melds import CANASTA
from canasta_core.rules import TakeWay

# All figures are points, as the seat weighs them.
_DEUCE, _JOKER = 75, 120
_PAIR, _MORE = 14, 26
_BLACK_THREE = 9
_GROWING, _GROWN = 22, 5
"""A card that fits an own set, and one that fits an own canasta."""
_NEAR_RUN = 25
_CARD = 9
"""What any card of a taken pile is worth to its taker beside its points."""
_COMPLETES = 250
"""A card that makes the taker's canasta."""
_FREEZE = 7
"""A freeze, for each own meld fewer than the rivals have, in a pile of five cards."""


def best_discard(reading: Reading, offered: Sequence[Discard], rng: random.Random) -> Discard:
    """The cheapest of the offered discards; chance decides between equals."""
    costs = [(_held(reading, action.card) + _given(reading, action.card), action) for action in offered]
    least = min(cost for cost, _ in costs)
    return rng.choice([action for cost, action in costs if cost <= least])


def _held(reading: Reading, card: Card) -> float:
    """What the card is worth in the own hand."""
    rank = card >> 2
    counts = reading.hand.counts
    points = reading.rules.values[rank]
    if rank in (TWO, JOKER_RANK):
        worth: float = _JOKER if rank == JOKER_RANK else _DEUCE
        return worth - _freeze(reading) + (0 if reading.pressed else 10 * (not reading.own.melds))
    if rank == THREE:
        return _BLACK_THREE - (points if reading.pressed else 0)
    worth = points / 5
    held = counts[rank]
    size = set_size(reading.own, rank)
    if size >= CANASTA:
        worth += _GROWN
    elif size:
        worth += _GROWING * (2 if size >= CANASTA - 2 else 1)
    elif held == 2:
        worth += _PAIR if reading.unseen[rank] or reading.wilds else _PAIR / 2
    elif held > 2:
        worth += _MORE
    elif not reading.unseen[rank]:
        worth = 0
    if reading.rules.runs and _near_run(reading, card):
        worth += _NEAR_RUN
    if reading.pressed:
        # What stays in the hand counts against the team: rather the dear cards go.
        worth = worth / 2 - points
    return worth


def _near_run(reading: Reading, card: Card) -> bool:
    """Whether the card belongs to a run of which at most two are missing (R2.1)."""
    held = {other >> 2 for other in reading.hand.cards if other & 3 == card & 3 and other >> 2 > THREE}
    held.discard(JOKER_RANK)
    rank = card >> 2
    return any(
        len(held.intersection(range(low, low + CANASTA))) >= CANASTA - 2
        for low in range(max(THREE + 1, rank - CANASTA + 1), min(rank, JOKER_RANK - CANASTA) + 1)
    )


def _freeze(reading: Reading) -> float:
    """What a frozen pile is worth: much where the rivals harvest and the own team does not."""
    public = reading.public
    if public.frozen or not any(kind.cards()[0] >> 2 == JOKER_RANK for kind in reading.rules.freezing):
        return 0.0
    most = max(len(team.melds) for team in reading.rival_teams)
    return _FREEZE * max(0, most - len(reading.own.melds)) * min(len(public.pile), 15) / 5


def _given(reading: Reading, card: Card) -> float:
    """What the discard gives to the next seat: less than nothing where that is a partner's."""
    public, rules = reading.public, reading.rules
    rank = card >> 2
    if rank in (TWO, THREE, JOKER_RANK):
        return 0.0
    seat = (reading.view.seat + 1) % rules.seats
    number = seat % rules.teams
    team = public.teams[number]
    gain = _CARD * (len(public.pile) + 1) + reading.points(public.pile) + rules.values[rank]
    gain += sum(rules.red_three for one in public.pile if one in RED_THREES)
    size = set_size(team, rank)
    if size in (CANASTA - 1, CANASTA - 2):
        gain += _COMPLETES if size == CANASTA - 1 else _COMPLETES // 4
    chance = take_chance(reading, seat, rank)
    return chance * gain if number != reading.view.team else -chance * gain * 0.6


def take_chance(reading: Reading, seat: int, rank: int) -> float:
    """How likely a seat can take a pile with an upcard of this rank."""
    public, rules = reading.public, reading.rules
    number = seat % rules.teams
    team = public.teams[number]
    hand, copies = public.sizes[seat], reading.unseen[rank]
    two = at_least(2, copies, hand, reading.hidden)
    frozen = public.freezing > 0 or rules.always_frozen or (rules.frozen_unopened and not team.melds)
    if frozen:
        chance = two
    elif team.sets[rank] >= 0:
        chance = 1.0 if rules.take is not TakeWay.ONE_NATURAL else at_least(1, copies, hand, reading.hidden)
    elif rules.take is TakeWay.PAIR_OR_MELD:
        chance = two
    else:
        one = at_least(1, copies, hand, reading.hidden)
        wild = at_least(1, reading.unseen_wilds, hand, reading.hidden)
        chance = two + (one - two) * wild * 0.6
    if team.melds:
        return chance
    minimum = public.minimum(number)
    return chance * (0.8 if minimum <= 15 else 0.6 if minimum <= 50 else 0.4)
