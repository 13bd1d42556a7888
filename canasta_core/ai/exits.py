"""Whether to go out now, to ask first, and how to answer the partner."""

from enum import Enum
from typing import Final

from canasta_core.actions import LayMelds
from canasta_core.ai.reading import Reading, growing
from canasta_core.going_out import WayOut
from canasta_core.rules import Permission

_HELD_TOO_MUCH: Final = 150
"""Points in the own hand above which the partner is told not to go out."""
_RIVAL_CARD, _PARTNER_CARD = 11, 15
"""What a card counts that a rival, or a partner, is left with."""
_GROWTH: Final = (0, 0, 0, 20, 45, 90, 150)
"""What a set of so many cards may still bring."""
_MANY: Final = 8
"""Cards in a partner's hand of which nobody knows what they may bring."""
_DOUBT: Final = 250
"""Points of advantage up to which a partner with many cards is asked."""


class Exit(Enum):
    """What to do about a way out."""

    GO = "go"
    ASK = "ask"
    STAY = "stay"


def decide(reading: Reading, way: WayOut, *, may_ask: bool) -> Exit:
    """Whether to take a way out that the cards allow."""
    public, rules = reading.public, reading.rules
    if public.answer is not None:
        return Exit.GO if public.answer else Exit.STAY
    must_ask = rules.permission is Permission.REQUIRED and rules.has_partners
    if must_ask and not may_ask:
        return Exit.STAY
    gain = _advantage(reading, way)
    if must_ask:
        return Exit.ASK if gain > 0 else Exit.STAY
    held = sum(public.sizes[seat] for seat in reading.partners)
    if may_ask and held >= _MANY * len(reading.partners) and -_DOUBT < gain < _DOUBT and not reading.pressed:
        return Exit.ASK
    return Exit.GO if gain > 0 else Exit.STAY


def answer(reading: Reading) -> bool:
    """The answer to a partner who asks whether to go out, from the own hand."""
    return reading.points(reading.hand.cards) <= _HELD_TOO_MUCH


def _advantage(reading: Reading, way: WayOut) -> float:
    """Points by which going out now is better than playing on."""
    public, rules = reading.public, reading.rules
    number = reading.view.team
    after = reading.lying_after(LayMelds(way.groups)) if way.groups else reading.lying(number)
    after += rules.going_out
    after -= _PARTNER_CARD * sum(public.sizes[seat] for seat in reading.partners) // 2
    mine = public.scores[number] + after
    others = [
        public.scores[other]
        + reading.lying(other)
        - _RIVAL_CARD * sum(public.sizes[seat] for seat in rules.seats_of(other))
        for other in range(rules.teams)
        if other != number
    ]
    if rules.exact_target:
        if mine > rules.target:
            return -1000.0
        if mine == rules.target:
            return 1000.0
    elif max(mine, *others) >= rules.target:
        # The game ends with this round: the better total decides, and nothing else.
        return 1000.0 if mine > max(others) else -1000.0
    gain = float(rules.going_out)
    for seat in reading.rivals:
        gain += _RIVAL_CARD * public.sizes[seat]
    for seat in reading.partners:
        gain -= _PARTNER_CARD * public.sizes[seat]
    left = min(1.0, public.stock_size / (rules.pack_size / 2))
    for team in reading.rival_teams:
        gain += left * sum(_GROWTH[size] for size in growing(team))
        if not team.melds and rules.red_threes_negative:
            gain += 2 * rules.red_three * len(team.red_threes)
    return gain - left * sum(_GROWTH[size] for size in growing(reading.own))
