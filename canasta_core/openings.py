"""Reaching the opening minimum: an exact search, and the openings worth offering (R4.7, R5.4).

Whether a hand can reach its minimum and keep a card is decided by a table over ranks: for every number of
cards and of wilds laid, the most points that naturals can bring. No bound can stand in for it: a hand that
a bound calls able and that is not has no legal move left.
"""

from collections.abc import Sequence

from canasta_core.actions import Group
from canasta_core.cards import JOKER_RANK, NATURAL_RANKS, RANKS_IN, TWO, Card, Rank, count_ranks
from canasta_core.melds import CANASTA, MELD, runs_in
from canasta_core.rules import Rules
from canasta_core.state import Hand, Team

_Choice = tuple[Rank, int, int]
"""A rank, naturals and wilds laid."""
_Chain = tuple["_Chain | None", _Choice] | None

_Share = tuple[int, int, int]
"""A rank, all of whose naturals are laid, with so many deuces and jokers."""

ENUMERATED = 12
"""Openings offered at most, for each way to meld the upcard."""


def best_opening(rules: Rules, cards: Sequence[Card], minimum: int, room: int) -> tuple[Group, ...] | None:
    """The melds of fewest cards, at most `room`, that reach `minimum` from a hand; None where none do."""
    return _best(rules, cards, minimum, room, None, 0)


def best_take(
    rules: Rules,
    team: Team,
    cards: Sequence[Card],
    upcard: Card,
    least: int,
    minimum: int,
    room: int,
) -> tuple[Group, ...] | None:
    """A take that lays at most `room` cards of the hand, at least `least` of them of the upcard's rank, and
    reaches `minimum`: the upcard's group first, without the upcard. None where there is none."""
    rank = Rank(upcard >> 2)
    if minimum:
        return _best(rules, cards, minimum, room, upcard, least)
    held = [card for card in cards if card >> 2 == rank]
    wilds = sorted(card for card in cards if card >> 2 in (TWO, JOKER_RANK))
    if team.sets[rank] >= 0:
        chosen = held[:least]
    elif len(held) >= MELD - 1:
        chosen = held[: MELD - 1]
    elif least <= 1 and held and wilds and rules.max_wilds != 0:
        chosen = [held[0], wilds[0]]
    else:
        return None
    return (Group(tuple(chosen)),) if len(chosen) <= room else None


def _best(
    rules: Rules, cards: Sequence[Card], minimum: int, room: int, upcard: Card | None, least: int
) -> tuple[Group, ...] | None:
    found = _reach(rules, cards, minimum, room, upcard, least)
    if found is None and rules.runs:
        for run in runs_in(cards):
            left = list(cards)
            for card in run:
                left.remove(card)
            points = sum(rules.values[card >> 2] for card in run)
            rest = _best(rules, left, max(0, minimum - points), room - CANASTA, upcard, least)
            if rest is not None:
                return (*rest, Group(run)) if upcard is not None else (Group(run), *rest)
    return found


def _reach(
    rules: Rules, cards: Sequence[Card], minimum: int, room: int, upcard: Card | None, least: int
) -> tuple[Group, ...] | None:
    counts = count_ranks(cards)
    values = rules.values
    wilds, jokers = counts[TWO] + counts[JOKER_RANK], counts[JOKER_RANK]
    limit = wilds if rules.max_wilds is None else min(rules.max_wilds, wilds)
    worth = [_wild_points(rules, counts, number) for number in range(wilds + 1)]
    taken = upcard >> 2 if upcard is not None else -1
    base = values[taken] if upcard is not None else 0
    best: dict[tuple[int, int], tuple[int, _Chain]] = {(0, 0): (base, None)}
    for rank in sorted(NATURAL_RANKS, key=lambda rank: rank != taken):
        held = counts[rank]
        extra = 1 if rank == taken else 0
        first = max(least, 1) if extra else rules.min_naturals
        if held < first:
            if extra:
                return None
            continue
        options = [
            (naturals, share)
            for naturals in range(first, held + 1)
            for share in range(limit + 1)
            if naturals + extra >= rules.min_naturals and naturals + share + extra >= MELD
        ]
        before = list(best.items())
        if extra:
            best = {}  # the upcard must be melded
        for (laid, used), (points, chain) in before:
            for naturals, share in options:
                key = (laid + naturals + share, used + share)
                if key[0] > room or key[1] > wilds:
                    continue
                gained = points + naturals * values[rank]
                if key not in best or best[key][0] < gained:
                    best[key] = (gained, (chain, (rank, naturals, share)))
    reaching = [
        (laid, used, points, chain)
        for (laid, used), (points, chain) in best.items()
        if points + worth[used] >= minimum and chain is not None
    ]
    if not reaching:
        return None
    _, used, points, chain = min(reaching, key=lambda found: (found[0], found[1]))
    cheapest = next(
        number
        for number in range(jokers + 1)
        if number <= used
        and used - number <= counts[TWO]
        and points + number * values[JOKER_RANK] + (used - number) * values[TWO] >= minimum
    )
    return _groups_of(chain, cards, cheapest, used - cheapest)


def _wild_points(rules: Rules, counts: list[int], number: int) -> int:
    """The most points that so many wilds of the hand can bring."""
    high, low = (JOKER_RANK, TWO) if rules.values[JOKER_RANK] >= rules.values[TWO] else (TWO, JOKER_RANK)
    first = min(number, counts[high])
    return first * rules.values[high] + (number - first) * rules.values[low]


def _groups_of(chain: _Chain, cards: Sequence[Card], jokers: int, deuces: int) -> tuple[Group, ...]:
    """The groups of a chain of choices, the first chosen first."""
    wilds = [card for card in cards if card >> 2 == JOKER_RANK][:jokers]
    wilds += [card for card in cards if card >> 2 == TWO][:deuces]
    groups: list[Group] = []
    while chain is not None:
        chain, (rank, naturals, share) = chain
        mine = [card for card in cards if card >> 2 == rank][:naturals]
        groups.append(Group((*mine, *wilds[len(wilds) - share :])))
        del wilds[len(wilds) - share :]
    return tuple(reversed(groups))


def reachable(rules: Rules, hand: Hand, minimum: int, upcard: int = -1) -> bool:
    """A quick no: False only where no meld of this hand (and an upcard's rank) can reach `minimum`."""
    values, counts = rules.values, hand.counts
    wilds = counts[TWO] + counts[JOKER_RANK]
    points = 0
    for rank in RANKS_IN[hand.pairs if wilds else hand.triples]:
        points += counts[rank] * values[rank]
    if upcard >= 0:
        points += (counts[upcard] + 1) * values[upcard]
    if points and wilds:
        points += counts[TWO] * values[TWO] + counts[JOKER_RANK] * values[JOKER_RANK]
    return points >= minimum or rules.runs


def openings(rules: Rules, hand: Hand, minimum: int, skip: int = -1) -> list[tuple[Group, ...]]:
    """Groups of a hand that together reach `minimum`; those with fewer wilds first, at most ENUMERATED.

    Whether they may be laid is `why_not`'s question. `skip` is a rank to leave out.
    """
    counts, values = hand.counts, rules.values
    deuces, jokers = counts[TWO], counts[JOKER_RANK]
    limit = 2 if rules.max_wilds is None else min(rules.max_wilds, 2)
    spreads = [
        (low, high, low * values[TWO] + high * values[JOKER_RANK])
        for low in range(min(deuces, limit) + 1)
        for high in range(min(jokers, limit - low) + 1)
    ]
    ranks: list[tuple[int, int, int]] = []
    most = [0]
    for one in reversed(RANKS_IN[hand.pairs if len(spreads) > 1 else hand.triples]):
        if one != skip:
            held = counts[one]
            points = held * values[one]
            ranks.append((one, held, points))
            most.append(most[-1] + points)
    spreads.reverse()
    found: list[tuple[_Share, ...]] = []
    stack: list[tuple[int, int, int, int, tuple[_Share, ...]]] = [(len(ranks), 0, deuces, jokers, ())]
    while stack and len(found) < ENUMERATED:
        index, points, low, high, shares = stack.pop()
        if points >= minimum and shares:
            found.append(shares)
            continue
        if not index:
            continue
        index -= 1
        rank, held, laid = ranks[index]
        # What the ranks still to come and all wilds can add: what cannot reach the minimum is dropped.
        reach = points + most[index] + low * values[TWO] + high * values[JOKER_RANK]
        if reach >= minimum:
            stack.append((index, points, low, high, shares))
        if reach + laid < minimum:
            continue
        for use_low, use_high, worth in spreads:
            if use_low <= low and use_high <= high and held + use_low + use_high >= MELD:
                share = (rank, use_low, use_high)
                stack.append((index, points + laid + worth, low - use_low, high - use_high, (*shares, share)))
    return _dealt_out(hand, found)


def _dealt_out(hand: Hand, found: Sequence[tuple[_Share, ...]]) -> list[tuple[Group, ...]]:
    """The groups of each choice of ranks and wilds, each wild in one of them."""
    deuces, jokers = hand.of_rank(TWO), hand.of_rank(JOKER_RANK)
    natural: dict[int, Group] = {}
    openings: list[tuple[Group, ...]] = []
    for shares in found:
        groups = []
        first_deuce = first_joker = 0
        for rank, low, high in shares:
            group = natural.get(rank)
            if group is None:
                group = natural[rank] = Group(tuple(hand.of_rank(rank)))
            if low or high:
                wilds = deuces[first_deuce : first_deuce + low] + jokers[first_joker : first_joker + high]
                group = Group((*group.cards, *wilds))
                first_deuce += low
                first_joker += high
            groups.append(group)
        openings.append(tuple(groups))
    return openings
