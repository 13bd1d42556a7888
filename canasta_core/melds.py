"""What a legal meld is: telling groups apart and measuring them (R5, R10.3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from canasta_core.actions import BLACK_LABEL, Group
from canasta_core.cards import (
    ACE,
    JOKER_RANK,
    SUITS,
    THREE,
    TWO,
    Card,
    Rank,
    is_black_three,
    is_wild,
    rank_name,
    read_rank,
)
from canasta_core.refusals import Code, Refusal
from canasta_core.rules import Rules
from canasta_core.state import Meld, MeldKind, Team

CANASTA = 7
"""Cards of a canasta at least (R5.3)."""
MELD = 3
"""Cards of a meld at least (R5.1)."""


@dataclass(slots=True)
class Laying:
    """Cards that one action lays into one meld: a set of `rank`, or a complete run."""

    rank: Rank
    cards: list[Card]
    naturals: int
    wilds: int
    run: bool = False


def tell_apart(rules: Rules, groups: Sequence[Group], blacks_ok: bool) -> list[Laying] | Refusal:
    """Groups put together by rank, in the order written; or what the first wrong one is (R10.3).

    `blacks_ok` says whether black threes may be laid in this action at all (R5.5).
    """
    sets: dict[Rank, Laying] = {}
    layings: list[Laying] = []
    for group in groups:
        naturals = [card for card in group.cards if not is_wild(card)]
        ranks = {Rank(card >> 2) for card in naturals}
        if THREE in ranks or group.label == BLACK_LABEL:
            if (
                not blacks_ok
                or not all(map(is_black_three, group.cards))
                or group.label not in ("", BLACK_LABEL)
            ):
                return Refusal(Code.THREES_NOT_MELDABLE)
            rank = THREE
        elif len(ranks) > 1:
            if rules.runs and not group.label and is_run(group.cards):
                ordered = sorted(group.cards, reverse=True)
                layings.append(Laying(Rank(ordered[0] >> 2), ordered, CANASTA, 0, run=True))
                continue
            return Refusal(
                Code.MIXED_RANKS, ranks=" ".join(rank_name(one) for one in sorted(ranks, reverse=True))
            )
        else:
            rank = read_rank(group.label) if group.label else next(iter(ranks), TWO)
            if ranks and rank not in ranks:
                return Refusal(Code.MIXED_RANKS, ranks=f"{rank_name(rank)} {rank_name(ranks.pop())}")
            if rank == TWO:
                return Refusal(Code.WILD_ONLY)
        laying = sets.get(rank)
        if laying is None:
            laying = sets[rank] = Laying(rank, [], 0, 0)
            layings.append(laying)
        laying.cards.extend(group.cards)
        laying.naturals += len(naturals)
        laying.wilds += len(group.cards) - len(naturals)
    return layings


def measure(rules: Rules, team: Team, rank: int, naturals: int, wilds: int) -> Code | None:
    """Whether so many naturals and wilds may join the team's set of `rank`, or start one (R5.1, R5.2)."""
    index = team.sets[rank]
    if index >= 0:
        meld = team.melds[index]
        wilds += meld.wilds
        naturals += len(meld.cards) - meld.wilds
    elif not naturals:
        return Code.NO_SUCH_MELD
    if rank == THREE:
        return None
    if naturals + wilds < MELD:
        return Code.MELD_TOO_SHORT
    if naturals < rules.min_naturals:
        return Code.TOO_FEW_NATURALS
    if rules.max_wilds is not None and wilds > rules.max_wilds:
        return Code.TOO_MANY_WILDS
    return None


def measured(rules: Rules, team: Team, laying: Laying) -> Refusal | None:
    """`measure` for a laying, with the numbers a person needs."""
    if laying.run:
        return None
    code = measure(rules, team, laying.rank, laying.naturals, laying.wilds)
    if code is None:
        return None
    index = team.sets[laying.rank]
    meld = team.melds[index] if index >= 0 else None
    wilds = laying.wilds + (meld.wilds if meld else 0)
    cards = len(laying.cards) + (len(meld.cards) if meld else 0)
    return Refusal(
        code,
        rank=rank_name(laying.rank),
        cards=cards,
        naturals=cards - wilds,
        wilds=wilds,
        **{"max_wilds": rules.max_wilds} if rules.max_wilds is not None else {},
        min_naturals=rules.min_naturals,
    )


def is_run(cards: Sequence[Card]) -> bool:
    """Seven naturals of one suit in a row, from 4 to A (R2.1)."""
    if len(cards) != CANASTA or len({card & 3 for card in cards}) != 1:
        return False
    ranks = sorted(card >> 2 for card in cards)
    return ranks[0] > THREE and ranks[-1] < JOKER_RANK and ranks == list(range(ranks[0], ranks[0] + CANASTA))


def runs_in(cards: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
    """Every different complete run that a hand holds, highest card first (R2.1)."""
    held = set(cards)
    for suit in range(len(SUITS)):
        for top in range(ACE, THREE + CANASTA - 1, -1):
            run = tuple(Card(rank * 4 + suit) for rank in range(top, top - CANASTA, -1))
            if held.issuperset(run):
                yield run


def canastas_made(team: Team, laying: Laying) -> int:
    """1 when these cards complete a canasta, else 0."""
    if laying.run:
        return 1
    index = team.sets[laying.rank]
    before = len(team.melds[index].cards) if index >= 0 else 0
    return int(before < CANASTA <= before + len(laying.cards))


def lay(team: Team, laying: Laying) -> tuple[Meld, int]:
    """Put a laying down before the team; the meld it made, and the index where it lies."""
    if laying.run:
        suit = SUITS[laying.cards[0] & 3]
        same = sum(meld.kind is MeldKind.RUN and meld.label[0] == suit for meld in team.melds)
        meld = Meld.run(suit if not same else f"{suit}{same + 1}", tuple(laying.cards))
        team.put(meld)
        return meld, len(team.melds) - 1
    index = team.sets[laying.rank]
    if index < 0:
        meld = Meld.set_of(rank_name(laying.rank), laying.rank, tuple(laying.cards))
        team.put(meld)
        return meld, len(team.melds) - 1
    old = team.melds[index]
    meld = Meld.set_of(old.label, old.rank, (*old.cards, *laying.cards))
    team.put(meld, index)
    return meld, index
