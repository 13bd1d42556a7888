"""What a legal meld is: telling groups apart and measuring them (R5, R10.3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from canasta_core.actions import BLACK_LABEL, Group
from canasta_core.cards import (
    ACE,
    JOKER_RANK,
    RANKS,
    SUITS,
    THREE,
    TWO,
    Card,
    Rank,
    is_black_three,
    rank_name,
    read_rank,
    write_cards,
)
from canasta_core.refusals import Code, Refusal
from canasta_core.rules import Rules
from canasta_core.state import Meld, MeldKind, Team

_SET = MeldKind.SET
_WILD_RANKS = (TWO, JOKER_RANK)
_RANKS = [Rank(rank) for rank in range(RANKS)]

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
    layings: list[Laying] = []
    for group in groups:
        rank = wilds = 0
        mixed = False
        for card in group.cards:
            one = card >> 2
            if one == rank:
                continue
            if one in _WILD_RANKS:
                wilds += 1
            elif rank:
                mixed = True
            else:
                rank = one
        if rank == THREE or mixed or group.label or not rank:
            verdict = _tell_special(rules, group, rank, mixed, blacks_ok)
            if isinstance(verdict, Code):
                return Refusal(verdict, cards=write_cards(group.cards))
            if isinstance(verdict, Laying):
                layings.append(verdict)
                continue
            rank = verdict
        for laying in layings:
            if laying.rank == rank and not laying.run:
                laying.cards += group.cards
                laying.naturals += len(group.cards) - wilds
                laying.wilds += wilds
                break
        else:
            layings.append(Laying(_RANKS[rank], list(group.cards), len(group.cards) - wilds, wilds))
    return layings


def _tell_special(rules: Rules, group: Group, rank: int, mixed: bool, blacks_ok: bool) -> Laying | int | Code:
    """The set that a group with threes, several ranks, a label or wilds alone is for, or the run it is."""
    threes = any(card >> 2 == THREE for card in group.cards)
    if threes or group.label == BLACK_LABEL:
        fits = blacks_ok and all(map(is_black_three, group.cards)) and group.label in ("", BLACK_LABEL)
        return THREE if fits else Code.THREES_NOT_MELDABLE
    if mixed:
        if rules.runs and not group.label and is_run(group.cards):
            ordered = sorted(group.cards, reverse=True)
            return Laying(Rank(ordered[0] >> 2), ordered, CANASTA, 0, run=True)
        return Code.MIXED_RANKS
    meant = read_rank(group.label) if group.label else TWO
    if rank:
        return rank if meant == rank or not group.label else Code.MIXED_RANKS
    return Code.WILD_ONLY if meant == TWO else meant


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


def shape_refusal(rules: Rules, team: Team, laying: Laying, code: Code) -> Refusal:
    """What `measure` found, with the numbers a person needs."""
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
        label, cards, wilds = rank_name(laying.rank), tuple(laying.cards), laying.wilds
        meld = Meld(label, _SET, laying.rank, cards, wilds)
        team.put(meld)
        return meld, len(team.melds) - 1
    old = team.melds[index]
    meld = Meld(old.label, _SET, old.rank, old.cards + tuple(laying.cards), old.wilds + laying.wilds)
    team.put(meld, index)
    return meld, index
