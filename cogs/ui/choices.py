"""What a player can choose from: ways to take, melds to lay, cards to discard, all from the engine's offers.

A choice is named by its place in these lists. They follow from the view alone, so a place means the same
as long as the table has the same version.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from canasta_core.actions import Discard, Group, LayMelds, TakePile
from canasta_core.cards import Card, is_black_three, is_wild, rank_name, read_rank
from canasta_core.legality import (
    Plan,
    hand_way_out,
    joining_cards,
    judge,
    least_matching,
    take_ends_without_discard,
    why_not,
)
from canasta_core.melds import is_run, lay
from canasta_core.offers import lay_parts, offers
from canasta_core.openings import best_take
from canasta_core.refusals import Code, Refusal
from canasta_core.state import Hand, Phase
from canasta_core.views import PlayerView
from cogs.ui.cards_text import by_rank
from cogs.ui.layout import MAX_OPTIONS

MOST: Final = 2 * MAX_OPTIONS
"""Melds to choose from at most: two selects of them."""
_ORDER: Final = {code: place for place, code in enumerate(Code)}
_SHAPE: Final = frozenset(list(Code)[_ORDER[Code.THREES_NOT_MELDABLE] : _ORDER[Code.OPENING_MINIMUM]])
"""Codes of melds that are wrong in themselves: they say what was tried amiss, not what the hand lacks."""
_FINAL: Final = frozenset({Code.CANASTA_REQUIRED, Code.PERMISSION_REFUSED, Code.THREES_NOT_MELDABLE})
"""Codes of melds that more melds would not help: they too leave no card to keep."""


def takes(view: PlayerView) -> list[TakePile]:
    """The ways to take the pile: of those offered, the ones that lay no more than another of them needs.

    More of the same can be laid right after the take; so many ways, told apart by a wild card more, are
    none to choose from.
    """
    ways = {_parts(offer): offer for offer in offers(view) if isinstance(offer, TakePile)}
    return [
        way
        for parts, way in ways.items()
        if not any(other != parts and all(_has(parts, *part) for part in other) for other in ways)
    ]


_Parts = frozenset[tuple[int, tuple[int, ...]]]
"""The groups of a take: the rank of each (0 joins the upcard), and its cards."""


def _parts(take: TakePile) -> _Parts:
    further = {(rank_of_group(group), tuple(sorted(group.cards))) for group in take.further}
    return frozenset({(0, tuple(sorted(take.group.cards))), *further})


def _has(parts: _Parts, rank: int, cards: tuple[int, ...]) -> bool:
    """Whether a take lays these cards, and perhaps more, in one of its groups."""
    return any(rank == one and not Counter(cards) - Counter(laid) for one, laid in parts)


def why_no_take(view: PlayerView) -> Refusal | None:
    """Why the pile cannot be taken with this hand, by the way that comes nearest; None when it can be."""
    if takes(view):
        return None
    upcard = view.public.upcard
    held = [card for card in view.hand.sorted() if upcard is not None and card >> 2 == upcard >> 2]
    wilds = [card for card in view.hand.sorted() if is_wild(card)]
    tried = [(*held, *wilds[-1:]), (*held[:1], *wilds[-1:]), tuple(held), tuple(held[:2]), ()]
    refusals = [refusal for cards in tried if (refusal := why_not(view, TakePile(Group(cards))))]
    told = [refusal for refusal in refusals if refusal.code not in _SHAPE]
    return max(told, key=lambda refusal: _ORDER[refusal.code], default=None)


def most_with_upcard(view: PlayerView) -> int:
    """The most points that a team which needs more to open could lay with the upcard (R4.7); exact."""
    public, rules = view.public, view.public.rules
    upcard = public.upcard
    if upcard is None:
        return 0
    keep = 1 if take_ends_without_discard(public) else 2
    room = len(view.hand.cards) + len(joining_cards(public)) - keep
    least = least_matching(view)
    return most_below(
        public.minimum(view.team),
        lambda points: bool(best_take(rules, view.own, view.hand.cards, upcard, least, points, room)),
    )


def most_below(too_much: int, reaches: Callable[[int], bool]) -> int:
    """The most points that can be reached, where `too_much` cannot and whatever is less than a most can."""
    most = 0
    while too_much - most > 1:
        points = (most + too_much) // 2
        if reaches(points):
            most = points
        else:
            too_much = points
    return most


def lay_choices(view: PlayerView) -> list[Group]:
    """Groups to lay, alone or together: sensible parts first, then what else occurs in the offers.

    None that no legal combination could contain; and none at all where nothing can be laid.
    """
    if view.public.phase is not Phase.PLAY or view.public.turn != view.seat:
        return []
    lays = [offer for offer in offers(view) if isinstance(offer, LayMelds)]
    goes_out = view.public.answer is not False and hand_way_out(view) is not None
    if not lays and not goes_out:
        return []
    groups = [part.group for part in lay_parts(view)]
    groups += [group for offer in lays for group in offer.groups]
    found: dict[tuple[str, tuple[int, ...]], Group] = {}
    for group in groups:
        found.setdefault((group.label, tuple(sorted(_like(view, group.cards)))), group)
    return [group for group in found.values() if not _is_hopeless(view, group, goes_out)][:MOST]


def _is_hopeless(view: PlayerView, group: Group, goes_out: bool) -> bool:
    """Whether a group is illegal with whatever else is laid (R6.1, R7.3).

    Where the seat could go out, more melds may make the canasta that is missing.
    """
    refusal = why_not(view, combine(view, [group]))
    if refusal is None:
        return False
    if goes_out:
        return refusal.code is Code.MUST_GO_OUT
    left = len(view.hand.cards) - len(group.cards)
    return refusal.code in _FINAL or left < (1 if view.public.no_discard else 2)


def _like(view: PlayerView, cards: Iterable[Card]) -> list[int]:
    """What makes two groups the same choice: their ranks, or their cards where suits matter."""
    return [int(card) if view.public.rules.runs else card >> 2 for card in cards]


def combine(view: PlayerView, chosen: Sequence[Group]) -> LayMelds:
    """The one action that lays what is chosen.

    Choices for one rank are put together: `K K K` and `K K K 2` are three kings and a deuce. Cards are
    picked anew from the hand, so that two choices may each name the first of two deuces.
    """
    runs = [group for group in chosen if is_run(group.cards)]
    by_meld: dict[int, Counter[int]] = {}
    for group in chosen:
        if group not in runs:
            rank = rank_of_group(group)
            by_meld[rank] = by_meld.get(rank, Counter()) | Counter(card >> 2 for card in group.cards)
    left = view.hand.sorted()
    groups = list(runs)
    for group in runs:
        for card in group.cards:
            if card in left:
                left.remove(card)
    for rank, counts in by_meld.items():
        cards = [card for of, count in counts.items() for card in _pick(left, of, count)]
        alone = all(map(_wild_rank, counts))
        groups.append(Group(tuple(cards), rank_name(rank) if alone else ""))
    return LayMelds(tuple(groups))


def _wild_rank(rank: int) -> bool:
    return is_wild(Card(rank << 2))


def rank_of_group(group: Group) -> int:
    """Rank of the set that a group starts or joins: that of its naturals, or of its label."""
    natural = next((card >> 2 for card in group.cards if not is_wild(card)), None)
    return natural if natural is not None else read_rank(group.label)


def _pick(left: list[Card], rank: int, count: int) -> list[Card]:
    """Cards of a rank, out of the hand; where they run out the last is named again, and will be refused."""
    found = [card for card in left if card >> 2 == rank][:count]
    for card in found:
        left.remove(card)
    spare = found[-1] if found else Card(rank << 2)
    return found + [spare] * (count - len(found))


def after_laying(view: PlayerView, action: LayMelds) -> PlayerView | None:
    """What the seat will see when it has laid this; None where it may not."""
    plan = judge(view, action)
    if not isinstance(plan, Plan):
        return None
    public, left = view.public.copy(), view.hand.cards.copy()
    for laying in plan.layings:
        lay(public.teams[view.team], laying)
    for group in action.groups:
        for card in group.cards:
            left.remove(card)
    return PlayerView(view.seat, public, Hand.of(left))


def lay_then_discard(
    view: PlayerView, chosen: Sequence[Group], card: Card
) -> tuple[LayMelds, Discard] | None:
    """The two moves that lay what is chosen and then discard a card; None where they are not both legal.

    Where suits do not matter, a card of the same rank will do when the melds take the very one.
    """
    laying = combine(view, chosen)
    after = after_laying(view, laying)
    if after is None:
        return None
    alike = [] if view.public.rules.runs else after.hand.of_rank(card >> 2)
    thrown = next((one for one in (card, *alike) if why_not(after, Discard(one)) is None), None)
    return None if thrown is None else (laying, Discard(thrown))


def discards(view: PlayerView) -> list[tuple[Card, list[Card]]]:
    """Cards that may be discarded, each with those of the hand it stands for: what is missed least first.

    One for each rank where suits do not matter, else one for each different card.
    """
    legal = {offer.card for offer in offers(view) if isinstance(offer, Discard)}
    found: list[tuple[Card, list[Card]]] = []
    for _, cards in by_rank(view.hand.cards):
        if view.public.rules.runs:
            found += [(card, [card] * cards.count(card)) for card in dict.fromkeys(cards) if card in legal]
        elif any(card in legal for card in cards):
            found.append((next(card for card in cards if card in legal), cards))
    return sorted(found, key=lambda choice: _harm(view, choice[0]))


def _harm(view: PlayerView, card: Card) -> tuple[int, int, int]:
    """How much it costs to discard a card: single cards by value, pairs, what melds can use, wilds.

    A card of a rank that others have melded gives them the pile, or a card for their meld.
    """
    public, rank = view.public, card >> 2
    melded = [team.sets[rank] >= 0 for team in public.teams]
    if is_wild(card):
        use = 4
    elif melded[view.team]:
        use = 3
    elif any(melded):
        use = 2
    else:
        use = 1 if view.hand.counts[rank] > 1 and not is_black_three(card) else 0
    return use, public.rules.values[rank], rank


def mask_of(places: Iterable[int]) -> str:
    """Places as one short text for a custom id."""
    return f"{sum(1 << place for place in set(places)):x}"


def repicked(arg: str, values: Iterable[str]) -> list[int]:
    """What is chosen after a choice in one select; `arg` says which it is, and what was chosen before.

    Where it names no select, all stays as it was: that is the way back to what was chosen.
    """
    part, _, mask = arg.partition("-")
    if not part:
        return places_of(mask)
    start = MAX_OPTIONS * int(part) if part.isdecimal() else 0
    kept = [place for place in places_of(mask) if not start <= place < start + MAX_OPTIONS]
    return kept + [int(value) for value in values if value.isdecimal()]


def places_of(mask: str) -> list[int]:
    """Places that `mask_of` wrote; empty for a text it did not write."""
    try:
        number = int(mask or "0", 16)
    except ValueError:
        return []
    return [place for place in range(MOST) if number >> place & 1]
