"""Can this hand still go out? An exact search, with the melds that do it (R5.5, R6.1, R7.1, R7.4).

Everything a hand can lay in several actions it can lay in one, so one action is searched: every natural
joins its team's meld or starts one, the wilds are spread over the melds, and at most one card is left.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from canasta_core.actions import BLACK_LABEL, Group
from canasta_core.cards import (
    JOKER_RANK,
    RANK_BIT,
    RANKS_IN,
    THREE,
    TWO,
    Card,
    Rank,
    rank_name,
)
from canasta_core.melds import CANASTA, MELD, runs_in
from canasta_core.rules import BlackThrees, Rules
from canasta_core.state import Hand, PublicState, Source, Team

_NO_LIMIT = 99
"""More wilds than any pack holds."""


@dataclass(slots=True)
class WayOut:
    """Groups that lay a whole hand in one action, and the card left to discard, if any."""

    groups: tuple[Group, ...]
    discard: Card | None


@dataclass(slots=True)
class Upcard:
    """An upcard taken in the same action."""

    rank: Rank
    points: int
    naturals: int
    """Matching naturals of the hand that the take needs at least."""
    rest: int
    """Cards of the pile that join the hand."""


def minimum_to_go_out(public: PublicState, team: int, drawn: Source | None) -> int:
    """Opening minimum that a whole hand laid in one action must reach: none when opened or waived (R7.4)."""
    rules = public.rules
    if public.teams[team].melds or (rules.waive_minimum and drawn is Source.STOCK):
        return 0
    return rules.minimum(public.scores[team])


def way_out(
    rules: Rules,
    team: Team,
    hand: Hand,
    *,
    minimum: int,
    discards: bool,
    upcard: Upcard | None = None,
) -> WayOut | None:
    """Groups with which this hand goes out, permission supposed; None when there are none.

    `discards` is whether a card may be left, to be discarded. Exact.
    """
    if not rules.runs:
        return _sets_out(rules, team, hand, [], minimum, discards, upcard)
    for runs, left in _run_choices(rules, hand.cards):
        found = _sets_out(rules, team, Hand.of(left), runs, minimum, discards, upcard)
        if found:
            return found
    return None


def is_far_from_out(rules: Rules, team: Team, hand: Hand) -> bool:
    """A quick no for a hand that cannot go out in this turn: true only where `way_out` finds none."""
    if rules.runs:
        return False
    counts = hand.counts
    # Of cards that fit no meld only one can be discarded.
    singles = hand.held & ~(hand.pairs | team.has)
    if singles & (singles - 1) or (singles and counts[THREE] == 1):
        return True
    wilds = counts[TWO] + counts[JOKER_RANK]
    # Every pair of a new rank needs a wild.
    if (hand.pairs & ~(hand.triples | team.has)).bit_count() > wilds:
        return True
    if team.canastas >= rules.canastas_to_go_out or max(counts[THREE + 1 : JOKER_RANK]) + wilds >= CANASTA:
        return False
    return max([len(meld.cards) + counts[meld.rank] for meld in team.melds], default=0) + wilds < CANASTA


def _run_choices(rules: Rules, cards: list[Card]) -> Iterator[tuple[list[tuple[Card, ...]], list[Card]]]:
    """Every choice of runs to lay, none first, with the cards that it leaves."""
    yield [], cards
    stack: list[tuple[list[tuple[Card, ...]], list[Card]]] = [([], cards)]
    while stack:
        chosen, left = stack.pop()
        for run in runs_in(left):
            if chosen and run > chosen[-1]:
                continue  # each choice once, highest run first
            after = left.copy()
            for card in run:
                after.remove(card)
            yield [*chosen, run], after
            stack.append(([*chosen, run], after))


def _sets_out(
    rules: Rules,
    team: Team,
    hand: Hand,
    runs: list[tuple[Card, ...]],
    minimum: int,
    discards: bool,
    upcard: Upcard | None,
) -> WayOut | None:
    rest = upcard.rest if upcard else 0
    if rest > (1 if discards else 0):
        return None
    cards, counts = hand.cards, hand.counts.copy()
    left: list[Card | None] = [None]
    if discards and not rest:
        stuck = _stuck(team, hand, upcard)
        if len(stuck) > 1:
            return None
        # To keep another natural back never makes room for the rest; a wild too many can go.
        left = [*stuck] if stuck else [None, *hand.of_rank(TWO)[:1], *hand.of_rank(JOKER_RANK)[:1]]
    values = rules.values
    total = 0
    if minimum:
        total = sum([values[card >> 2] for card in cards])
        total += sum([values[card >> 2] for run in runs for card in run])
        total += upcard.points if upcard else 0
    ranks = RANKS_IN[hand.held | team.has | (RANK_BIT[upcard.rank] if upcard else 0)]
    for discard in left:
        if discard is not None:
            counts[discard >> 2] -= 1
        points = total - (values[discard >> 2] if minimum and discard is not None else 0)
        spread = None
        if points >= minimum and (not counts[THREE] or _blacks_fit(rules, team, counts, discard, rest)):
            spread = _spread(rules, team, counts, ranks, len(runs), upcard)
        if discard is not None:
            counts[discard >> 2] += 1
        if spread is not None:
            return WayOut(_groups(hand, runs, discard, spread, upcard), discard)
    return None


def _stuck(team: Team, hand: Hand, upcard: Upcard | None) -> list[Card]:
    """Single naturals that cannot be laid: they can only be discarded."""
    single = hand.held & ~(hand.pairs | team.has)
    if upcard:
        single &= ~RANK_BIT[upcard.rank]
    stuck = [hand.of_rank(rank)[0] for rank in RANKS_IN[single]]
    if hand.counts[THREE] == 1 and team.sets[THREE] < 0:
        stuck += hand.of_rank(THREE)
    return stuck


def _blacks_fit(rules: Rules, team: Team, counts: list[int], discard: Card | None, rest: int) -> bool:
    """Black threes left after the discard can be laid: three or more, and in a profile that lets them
    go only alone, beside nothing but a black three."""
    blacks = counts[THREE]
    if not blacks:
        return True
    index = team.sets[THREE]
    lying = len(team.melds[index].cards) if index >= 0 else 0
    if blacks + lying < MELD:
        return False
    if rules.black_threes is BlackThrees.ALONE:
        return not rest and (discard is None or discard >> 2 == THREE)
    return True


def _spread(
    rules: Rules, team: Team, counts: list[int], ranks: Sequence[Rank], runs: int, upcard: Upcard | None
) -> dict[Rank, int] | None:
    """How many wilds go to each of these ranks, so that every card is laid and enough canastas lie there."""
    limit = _NO_LIMIT if rules.max_wilds is None else rules.max_wilds
    sets, melds = team.sets, team.melds
    wilds = counts[TWO] + counts[JOKER_RANK]
    taken = upcard.rank if upcard else -1
    low: dict[Rank, int] = {}
    high: dict[Rank, int] = {}
    extra: list[tuple[int, Rank]] = []
    canastas = team.canastas + runs
    least = most = 0
    for rank in ranks:
        size = counts[rank]
        index = sets[rank]
        if index < 0 and not size and rank != taken:
            continue
        lying = before = 0
        if index >= 0:
            meld = melds[index]
            lying = meld.wilds
            before = len(meld.cards)
        if upcard is not None and rank == taken:
            if size < upcard.naturals:
                return None
            size += 1
        size += before
        need = MELD - size if size < MELD else 0
        room = limit - lying
        if size - lying < rules.min_naturals or need > room:
            return None
        low[rank], high[rank] = need, room
        least += need
        most += room
        if size >= CANASTA > before:
            canastas += 1
        elif before < CANASTA <= size + room:
            extra.append((CANASTA - size - need, rank))
    short = rules.canastas_to_go_out - canastas
    if short > 0:
        extra.sort()
        if len(extra) < short:
            return None
        for more, rank in extra[:short]:
            low[rank] += more
            least += more
    if not least <= wilds <= most:
        return None
    spare = wilds - least
    if spare:
        # A wild on a natural canasta costs points: those come last.
        for rank in sorted(low, key=lambda rank: not low[rank] and _is_natural_canasta(team, rank)):
            more = min(spare, high[rank] - low[rank])
            low[rank] += more
            spare -= more
    return low


def _is_natural_canasta(team: Team, rank: Rank) -> bool:
    index = team.sets[rank]
    return index >= 0 and team.melds[index].is_canasta and team.melds[index].is_natural


def _groups(
    hand: Hand,
    runs: list[tuple[Card, ...]],
    discard: Card | None,
    spread: dict[Rank, int],
    upcard: Upcard | None,
) -> tuple[Group, ...]:
    """The groups of a way out, the upcard's own first. `hand` is without the runs."""
    kept = -1 if discard is None else discard >> 2
    wilds = hand.of_rank(TWO) + hand.of_rank(JOKER_RANK)
    if discard is not None and kept in (TWO, JOKER_RANK):
        wilds.remove(discard)
    groups = [Group(run) for run in runs]
    for rank, share in spread.items():
        mine = hand.of_rank(rank)
        if discard is not None and rank == kept:
            mine.remove(discard)
        label = ""
        if share:
            label = "" if mine else rank_name(rank)
            mine += wilds[:share]
            del wilds[:share]
        if upcard is not None and upcard.rank == rank:
            groups.insert(0, Group(tuple(mine), label))
        elif mine:
            groups.append(Group(tuple(mine), label))
    blacks = hand.of_rank(THREE)
    if discard is not None and kept == THREE:
        blacks.remove(discard)
    if blacks:
        groups.append(Group(tuple(blacks), BLACK_LABEL))
    return tuple(groups)
