"""Can this hand still go out? An exact search, with the melds that do it (R5.5, R6.1, R7.1, R7.4).

Everything a hand can lay in several actions it can lay in one, so one action is searched: every natural
joins its team's meld or starts one, the wilds are spread over the melds, and at most one card is left.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from canasta_core.actions import BLACK_LABEL, Group
from canasta_core.cards import (
    JOKER_RANK,
    NATURAL_RANKS,
    THREE,
    TWO,
    Card,
    Rank,
    count_ranks,
    is_wild,
    rank_name,
)
from canasta_core.melds import CANASTA, MELD, runs_in
from canasta_core.rules import BlackThrees, Rules
from canasta_core.state import PublicState, Source, Team

_NO_LIMIT = 99
"""More wilds than any pack holds."""


@dataclass(frozen=True, slots=True)
class WayOut:
    """Groups that lay a whole hand in one action, and the card left to discard, if any."""

    groups: tuple[Group, ...]
    discard: Card | None


@dataclass(frozen=True, slots=True)
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
    cards: list[Card],
    *,
    minimum: int,
    discards: bool,
    upcard: Upcard | None = None,
) -> WayOut | None:
    """Groups with which these cards go out, permission supposed; None when there are none.

    `discards` is whether a card may be left, to be discarded. Exact.
    """
    for runs, left in _run_choices(rules, cards):
        found = _sets_out(rules, team, left, runs, minimum, discards, upcard)
        if found:
            return found
    return None


def is_far_from_out(rules: Rules, team: Team, counts: list[int]) -> bool:
    """A quick no for a hand that cannot go out in this turn: true only where `way_out` finds none."""
    if rules.runs:
        return False
    sets = team.sets
    wilds = counts[TWO] + counts[JOKER_RANK]
    single = counts[THREE] == 1
    pairs = 0
    longest = 7 if team.canastas >= rules.canastas_to_go_out else 0
    for rank in range(4, 15):
        held = counts[rank]
        if not held:
            continue
        index = sets[rank]
        if index >= 0:
            held += len(team.melds[index].cards)
        elif held == 1:
            if single:
                return True
            single = True
        elif held == 2:
            pairs += 1
        if held > longest:
            longest = held
    if pairs > wilds:
        return True
    if longest + wilds < CANASTA:
        longest = max((len(meld.cards) for meld in team.melds), default=0)
    return longest + wilds < CANASTA


def _run_choices(rules: Rules, cards: list[Card]) -> Iterator[tuple[list[tuple[Card, ...]], list[Card]]]:
    """Every choice of runs to lay, none first, with the cards that it leaves."""
    yield [], cards
    if not rules.runs:
        return
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
    cards: list[Card],
    runs: list[tuple[Card, ...]],
    minimum: int,
    discards: bool,
    upcard: Upcard | None,
) -> WayOut | None:
    rest = upcard.rest if upcard else 0
    if rest > (1 if discards else 0):
        return None
    left: list[Card | None] = [None]
    counts = count_ranks(cards)
    if discards and not rest:
        stuck = _stuck(team, counts, upcard)
        if len(stuck) > 1:
            return None
        one_of_each = {card >> 2: card for card in cards}
        left = [one_of_each[stuck[0]]] if stuck else [None, *one_of_each.values()]
    values = rules.values
    total = sum(values[card >> 2] for card in cards) + sum(values[card >> 2] for run in runs for card in run)
    if upcard:
        total += upcard.points
    for discard in left:
        if discard is not None:
            counts[discard >> 2] -= 1
        points = total - (values[discard >> 2] if discard is not None else 0)
        spread = None
        if points >= minimum and _blacks_fit(rules, team, counts, discard, rest):
            spread = _spread(rules, team, counts, len(runs), upcard)
        if discard is not None:
            counts[discard >> 2] += 1
        if spread is not None:
            return WayOut(_groups(cards, runs, discard, spread, upcard), discard)
    return None


def _stuck(team: Team, counts: list[int], upcard: Upcard | None) -> list[int]:
    """Ranks of single naturals that cannot be laid: they can only be discarded."""
    sets = team.sets
    taken = upcard.rank if upcard else -1
    return [rank for rank in range(3, 15) if counts[rank] == 1 and sets[rank] < 0 and rank != taken]


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
    rules: Rules, team: Team, counts: list[int], runs: int, upcard: Upcard | None
) -> dict[Rank, int] | None:
    """How many wilds go to each rank, so that every card is laid and enough canastas lie there."""
    limit = _NO_LIMIT if rules.max_wilds is None else rules.max_wilds
    wilds = counts[TWO] + counts[JOKER_RANK]
    low: dict[Rank, int] = {}
    high: dict[Rank, int] = {}
    extra: list[tuple[int, Rank]] = []
    canastas = team.canastas + runs
    for rank in NATURAL_RANKS:
        held = counts[rank]
        index = team.sets[rank]
        naturals = held
        lying = 0
        if index >= 0:
            meld = team.melds[index]
            lying = meld.wilds
            naturals += len(meld.cards) - lying
        taken = upcard is not None and upcard.rank == rank
        if upcard is not None and taken:
            naturals += 1
            if held < upcard.naturals:
                return None
        if index < 0 and not held and not taken:
            continue
        size = naturals + lying
        if naturals < rules.min_naturals:
            return None
        need = max(0, MELD - size)
        room = limit - lying
        if need > room:
            return None
        low[rank], high[rank] = need, room
        before = len(team.melds[index].cards) if index >= 0 else 0
        if before < CANASTA:
            missing = max(need, CANASTA - size)
            if missing == need:
                canastas += 1
            elif missing <= room:
                extra.append((missing - need, rank))
    short = rules.canastas_to_go_out - canastas
    if short > 0:
        extra.sort()
        if len(extra) < short:
            return None
        for more, rank in extra[:short]:
            low[rank] += more
    if not sum(low.values()) <= wilds <= sum(high.values()):
        return None
    spare = wilds - sum(low.values())
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
    cards: list[Card],
    runs: list[tuple[Card, ...]],
    discard: Card | None,
    spread: dict[Rank, int],
    upcard: Upcard | None,
) -> tuple[Group, ...]:
    """The groups of a way out, the upcard's own first."""
    left = cards.copy()
    if discard is not None:
        left.remove(discard)
    wilds = sorted(card for card in left if is_wild(card))
    groups = [Group(run) for run in runs]
    for rank, share in spread.items():
        mine = [card for card in left if card >> 2 == rank] + wilds[:share]
        del wilds[:share]
        first = upcard is not None and upcard.rank == rank
        if mine or first:
            label = "" if not mine or not is_wild(mine[0]) else rank_name(rank)
            groups.insert(0 if first else len(groups), Group(tuple(mine), label))
    blacks = tuple(card for card in left if card >> 2 == THREE)
    if blacks:
        groups.append(Group(blacks, BLACK_LABEL))
    return tuple(groups)
