"""What to lay: the opening, additions, new melds, canastas."""

from collections.abc import Iterator, Sequence
from typing import Final

from canasta_core.actions import Group, LayMelds, SeatAction
from canasta_core.ai.reading import Reading, set_size
from canasta_core.cards import JOKER_RANK, NATURAL_RANKS, THREE, TWO, Card, rank_name
from canasta_core.legality import why_not
from canasta_core.melds import CANASTA, runs_in
from canasta_core.openings import best_opening
from canasta_core.state import Meld, MeldKind

_DEUCE, _JOKER, _CARD = 20, 40, 6
"""Costs of the cards that an opening takes from the hand, in points."""
_KEPT_AFTER_OPENING: Final = 4
"""Cards, discard included, below which an opening is not worth it yet."""


def opening(reading: Reading, offered: Sequence[SeatAction]) -> LayMelds | None:
    """The cheapest opening from the hand; None where it would leave too few cards, or there is none."""
    view, rules = reading.view, reading.rules
    found = [action for action in offered if isinstance(action, LayMelds)]
    if not found:
        return None
    minimum = reading.public.minimum(view.team)
    fewest = best_opening(rules, view.hand.cards, minimum, len(view.hand.cards) - 2)
    if fewest:
        action = LayMelds(fewest)
        if action not in found and why_not(view, action) is None:
            found.append(action)
    best = min(found, key=lambda action: (opening_cost(action.groups), str(action.groups)))
    left = len(view.hand.cards) - sum(len(group.cards) for group in best.groups)
    if left < _KEPT_AFTER_OPENING and not reading.pressed and not reading.public.no_discard:
        return None
    return best if not reading.overshoots(best) else None


def opening_cost(groups: Sequence[Group]) -> int:
    """What the cards of an opening are worth in the hand."""
    return sum(
        _CARD + (_JOKER if card >> 2 == JOKER_RANK else _DEUCE if card >> 2 == TWO else 0)
        for group in groups
        for card in group.cards
    )


def next_lay(reading: Reading) -> LayMelds | None:
    """The next meld or addition worth laying for a team that has opened; None when nothing is."""
    view = reading.view
    for group, keep in _wanted(reading):
        if len(view.hand.cards) - len(group.cards) < keep:
            continue
        action = LayMelds((group,))
        if why_not(view, action) is None and not reading.overshoots(action):
            return action
    return None


def _wanted(reading: Reading) -> Iterator[tuple[Group, int]]:
    """Groups worth laying, the most urgent first, each with the cards that must be left after it."""
    hand, own = reading.hand, reading.own
    least = 1 if reading.public.no_discard else 2
    keep = least if reading.pressed else 3 if not reading.short else 4
    if reading.rules.runs:
        for run in runs_in(hand.cards):
            yield Group(run), least
    sets = [meld for meld in own.melds if meld.kind is MeldKind.SET and meld.rank != THREE]
    sets.sort(key=lambda meld: (-len(meld.cards), -meld.rank))
    for meld in sets:
        if len(meld.cards) < CANASTA:
            group = _completing(reading, meld)
            if group:
                yield group, least
    for meld in sets:
        held = hand.of_rank(meld.rank)
        if held and not _kept_for_pile(reading, len(held)):
            yield Group(tuple(held)), keep + (len(meld.cards) >= CANASTA and not reading.pressed)
            if len(held) > 1:
                yield Group((held[0],)), keep
    for rank in NATURAL_RANKS:
        held = hand.of_rank(rank)
        if own.sets[rank] < 0 and len(held) >= 3:
            yield Group(tuple(held)), keep
            yield Group(tuple(held[:3])), keep
    if reading.pressed:
        yield from _last_points(reading, sets, least)


def _kept_for_pile(reading: Reading, held: int) -> bool:
    """A pair that fits an own meld is the key to a frozen pile."""
    return held == 2 and reading.public.frozen and len(reading.public.pile) >= 4 and not reading.pressed


def _completing(reading: Reading, meld: Meld) -> Group | None:
    """Cards that make a canasta of a set: all naturals, and as few wilds as it takes, deuces first."""
    rules, hand = reading.rules, reading.hand
    naturals = hand.of_rank(meld.rank)
    missing = CANASTA - len(meld.cards) - len(naturals)
    if missing <= 0:
        return Group(tuple(naturals))
    room = missing if rules.max_wilds is None else rules.max_wilds - meld.wilds
    if missing > min(room, reading.wilds):
        return None
    hurry = reading.short > 0 or reading.pressed
    if missing > (3 if hurry else 2):
        return None
    if not hurry and missing == 2 and reading.wilds < 3:
        return None
    if not meld.wilds and _may_stay_natural(reading, meld, missing):
        return None
    wilds = [*hand.of_rank(TWO), *hand.of_rank(JOKER_RANK)][:missing]
    label = "" if naturals else rank_name(meld.rank)
    return Group((*naturals, *wilds), label)


def _may_stay_natural(reading: Reading, meld: Meld, missing: int) -> bool:
    """Whether a natural set is likely enough to become a natural canasta."""
    if reading.pressed or missing > 1 or reading.unseen[meld.rank] < 2:
        return False
    early = reading.public.stock_size > reading.rules.pack_size // 4
    return early or not reading.short


def _last_points(reading: Reading, sets: list[Meld], least: int) -> Iterator[tuple[Group, int]]:
    """What is left to lay when the round may end before the next turn: pairs with wilds, wilds on sets."""
    rules, hand = reading.rules, reading.hand
    wilds: list[Card] = [*hand.of_rank(JOKER_RANK), *hand.of_rank(TWO)]
    if not wilds:
        return
    for meld in sets:
        natural_canasta = meld.is_natural and meld.is_canasta
        if not natural_canasta and (rules.max_wilds is None or meld.wilds < rules.max_wilds):
            yield Group((wilds[0],), rank_name(meld.rank)), least
    for rank in NATURAL_RANKS:
        held = hand.of_rank(rank)
        if len(held) == 2 and not set_size(reading.own, rank):
            yield Group((*held, wilds[0])), least
