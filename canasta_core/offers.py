"""What a seat may do now, found by trying, never from a second set of rules.

Every offer is accepted, and every accepted action can be built from offers: additions are offered card by
card, openings by the melds that reach the minimum, going out by the one action that does it. Cards that
differ only in suit are offered once where suits do not matter.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from canasta_core.actions import (
    BLACK_LABEL,
    Answer,
    AskPartner,
    Decline,
    Discard,
    Draw,
    EndTurn,
    Group,
    LayMelds,
    SeatAction,
    TakePile,
)
from canasta_core.cards import (
    JOKER,
    JOKER_RANK,
    NATURAL_RANKS,
    RANK_BIT,
    RANKS_IN,
    THREE,
    TWO,
    Card,
    is_wild,
    rank_name,
    read_rank,
)
from canasta_core.going_out import WayOut, is_far_from_out
from canasta_core.legality import (
    ask_refusal,
    hand_way_out,
    is_blocking,
    is_single_card,
    judge,
    least_matching,
    legal_take,
    may_decline,
    may_go_out,
    must_take,
)
from canasta_core.melds import CANASTA, MELD, is_run, measure, runs_in
from canasta_core.openings import best_opening, openings, reachable
from canasta_core.refusals import Refusal
from canasta_core.rules import Exhausted
from canasta_core.state import Hand, Phase
from canasta_core.views import PlayerView

_Some = TypeVar("_Some", bound=SeatAction)

_DRAW, _ASK, _END, _DECLINE = Draw(), AskPartner(), EndTurn(), Decline()
_YES, _NO = Answer(True), Answer(False)
_TAKE_ONTO_MELD = TakePile()
_DISCARDS = [Discard(Card(card)) for card in range(61)]
_LAY_ONE = [LayMelds((Group((Card(card),)),)) for card in range(61)]
_DRAW_PHASE, _PLAY_PHASE, _PERMISSION_PHASE = Phase.DRAW, Phase.PLAY, Phase.PERMISSION
"""Looked up once: a member of an enum costs as much as a call."""


@dataclass(frozen=True, slots=True)
class Part:
    """A group that makes sense in a meld action, alone or with others: for interfaces to choose from."""

    group: Group
    rank: int
    points: int
    starts: bool
    """Whether it starts a meld, or joins one."""


def offers(view: PlayerView) -> list[SeatAction]:
    """All that the seat may do now; empty when it is not the seat's to act."""
    public = view.public
    phase = public.phase
    if phase is _PLAY_PHASE and view.seat == public.turn:
        return _play_offers(view)
    if phase is _DRAW_PHASE and view.seat == public.turn:
        return _draw_offers(view)
    if phase is _PERMISSION_PHASE and view.seat in public.pending:
        return [_YES, _NO]
    return []


def legal_kinds(view: PlayerView) -> frozenset[str]:
    """The kinds of action that are legal for the seat now."""
    return frozenset(action.kind for action in offers(view))


def _draw_offers(view: PlayerView) -> list[SeatAction]:
    public = view.public
    draws = public.stock_size or public.rules.exhausted is Exhausted.DRAW_ENDS
    found: list[SeatAction] = [_DRAW] if draws else []
    if public.pile:
        rank = public.pile[-1] >> 2
        # A quick no: every take needs a matching natural of the hand or an own meld.
        if view.hand.counts[rank] or view.own.sets[rank] >= 0:
            found += _take_offers(view)
    if not public.stock_size and may_decline(public) and not must_take(view):
        found.append(_DECLINE)
    return found


def _take_offers(view: PlayerView) -> list[TakePile]:
    public, rules = view.public, view.public.rules
    upcard = public.pile[-1]
    rank = upcard >> 2
    if is_blocking(upcard):
        return []
    least = least_matching(view)
    if view.hand.counts[rank] < least or (len(public.pile) == 1 and is_single_card(view)):
        return []
    groups = _upcard_groups(view, least) if least else [()]
    if not groups:
        return []
    if view.own.melds:
        takes = [TakePile(Group(cards)) if cards else _TAKE_ONTO_MELD for cards in groups]
    else:
        minimum = rules.minimum(public.scores[view.team])
        if not reachable(rules, view.hand, minimum, rank):
            return []
        takes = _opening_takes(view, groups, minimum)
    spare = len(view.hand.cards) - 2 if public.stock_size else -1
    found = []
    for take in takes:
        laid = len(take.group.cards)
        for group in take.further:
            laid += len(group.cards)
        if laid <= spare or not isinstance(judge(view, take), Refusal):
            found.append(take)
    if not found:
        witness = legal_take(view)
        if witness:
            found.append(witness)
    return found


def _opening_takes(view: PlayerView, groups: Sequence[tuple[Card, ...]], minimum: int) -> list[TakePile]:
    """Takes of a team that has not opened, with the further melds that each needs for the minimum."""
    rules = view.public.rules
    rank = view.public.pile[-1] >> 2
    found: list[TakePile] = []
    for cards in groups:
        short = minimum - rules.values[rank] - sum(rules.values[card >> 2] for card in cards)
        if short <= 0:
            found.append(TakePile(Group(cards)))
            continue
        left = view.hand.cards.copy()
        for card in cards:
            left.remove(card)
        found += [TakePile(Group(cards), more) for more in openings(rules, Hand.of(left), short, skip=rank)]
    return found


def _upcard_groups(view: PlayerView, least: int) -> list[tuple[Card, ...]]:
    """Cards of the hand, `least` of its rank, that could join the upcard: none where it cannot be melded.

    More can be laid after the take, but to open.
    """
    rank = view.public.pile[-1] >> 2
    if view.own.sets[rank] >= 0:
        return [tuple(view.hand.of_rank(rank)[:least])]
    held = view.hand.of_rank(rank)
    groups: list[tuple[Card, ...]] = []
    if len(held) >= 2:
        groups.append(tuple(held[:2]))
        if len(held) > 2 and not view.own.melds:
            groups.append(tuple(held))
    wilds = _one_wild_of_each(view.hand)
    if least <= 1 and view.public.rules.max_wilds != 0:
        groups += [(held[0], wild) for wild in wilds]
    if not view.own.melds and len(held) >= 2:
        groups += [(*held, wild) for wild in wilds]
    return groups


def _one_wild_of_each(hand: Hand) -> tuple[Card, ...]:
    """A deuce and a joker, where the hand has them: the ends of its cards in rising order."""
    counts = hand.counts
    if counts[JOKER_RANK]:
        return (hand.cards[0], JOKER) if counts[TWO] else (JOKER,)
    return (hand.cards[0],) if counts[TWO] else ()


def _play_offers(view: PlayerView) -> list[SeatAction]:
    public = view.public
    cards = view.hand.cards
    found: list[SeatAction] = []
    if public.no_discard:
        if not public.answer:
            found.append(_END)
    elif len(cards) > 1:
        if not public.answer:
            last = -1
            for card in cards:
                if card != last:
                    found.append(_DISCARDS[card])
                    last = card
    elif cards and may_go_out(view, view.own.canastas):
        found.append(_DISCARDS[cards[0]])
    own = view.own
    found += _free_lays(view) if own.melds else _opening_lays(view)
    if not is_far_from_out(public.rules, own, view.hand):
        _add_way_out(view, found)
    return found


def _free_lays(view: PlayerView) -> list[LayMelds]:
    """Single melds and additions of a team that has opened."""
    public, own, hand = view.public, view.own, view.hand
    cards, counts, has = hand.cards, hand.counts, own.has
    lays: list[LayMelds] = []
    longest = 1
    both = hand.held & has
    if both:
        for rank in RANKS_IN[both]:
            start = bisect_left(cards, rank * 4)
            lays.append(_LAY_ONE[cards[start]])
            held = counts[rank]
            if held > 1:
                lays.append(_lay(tuple(cards[start : start + held])))
                if held > longest:
                    longest = held
    wilds = _one_wild_of_each(hand)
    if wilds:
        limit = public.rules.max_wilds
        room, new = has, hand.pairs & ~has
        if limit is not None:
            for meld in own.melds:
                if meld.wilds >= limit:
                    room &= ~RANK_BIT[meld.rank]
            if not limit:
                new &= hand.triples
        if room:
            lays += _wild_lays(wilds, room)
    else:
        new = hand.triples & ~has
    for rank in RANKS_IN[new]:
        held = counts[rank]
        start = bisect_left(cards, rank * 4)
        if held >= MELD:
            lays.append(_lay(tuple(cards[start : start + MELD])))
            if held > MELD:
                lays.append(_lay(tuple(cards[start : start + held])))
        if public.rules.max_wilds != 0:
            for wild in wilds:
                lays.append(_lay((cards[start], cards[start + 1], wild)))
        if longest < held or longest < MELD:
            longest = max(held, MELD)
    if public.rules.runs:
        lays += [_lay(run) for run in runs_in(cards)]
        longest = max(longest, CANASTA)
    spare = len(cards) - (1 if public.no_discard else 2)
    if not public.answer:
        return lays if longest <= spare else [lay for lay in lays if _keeps(view, lay, spare)]
    # After a yes the player must go out: what is part of a way out is sure to leave one.
    way = hand_way_out(view)
    return [
        lay
        for lay in lays
        if (way and len(lay.groups[0].cards) <= spare and _is_part(lay.groups[0], way))
        or _keeps(view, lay, spare)
    ]


def _is_part(group: Group, way: WayOut) -> bool:
    """Whether a way out lays all these cards into the same set."""
    cards = group.cards
    for other in way.groups:
        if all(cards.count(card) <= other.cards.count(card) for card in cards):
            natural = next((card for card in other.cards if not is_wild(card)), None)
            return (
                not group.label or (other.label or rank_name(natural >> 2 if natural else TWO)) == group.label
            )
    return False


@lru_cache(maxsize=16384)
def _wild_lays(wilds: tuple[Card, ...], ranks: int) -> list[LayMelds]:
    """One of these wilds onto the set of each of these ranks (bits)."""
    return [LayMelds((Group((wild,), rank_name(rank)),)) for rank in RANKS_IN[ranks] for wild in wilds]


@lru_cache(maxsize=16384)
def _lay(cards: tuple[Card, ...]) -> LayMelds:
    """One group to lay; looked up, since search asks for the same ones again and again."""
    return LayMelds((Group(cards),))


def _keeps(view: PlayerView, lay: LayMelds, spare: int) -> bool:
    """Whether a lay, right in its shape and minimum, leaves what must be left, or may go out (R6.1, R7.3)."""
    laid = 0
    for group in lay.groups:
        laid += len(group.cards)
    if laid > spare:
        canastas = view.own.canastas
        for group in lay.groups:
            canastas += _makes_canasta(view, group)
        return may_go_out(view, canastas)
    return not view.public.answer or not isinstance(judge(view, lay), Refusal)


def _makes_canasta(view: PlayerView, group: Group) -> bool:
    """Whether a group, right in its shape, completes a canasta."""
    cards, own = group.cards, view.own
    if view.public.rules.runs and is_run(cards):
        return True
    rank = cards[0] >> 2 if not group.label else read_rank(group.label)
    index = own.sets[rank]
    before = len(own.melds[index].cards) if index >= 0 else 0
    return before < CANASTA <= before + len(cards)


def _tried(view: PlayerView, actions: Sequence[_Some]) -> list[_Some]:
    return [action for action in actions if not isinstance(judge(view, action), Refusal)]


def _opening_lays(view: PlayerView) -> list[SeatAction]:
    """Melds that open, each with the others it needs for the minimum."""
    public, rules = view.public, view.public.rules
    minimum = rules.minimum(public.scores[view.team])
    hand = view.hand
    if not reachable(rules, hand, minimum):
        return []
    room = len(hand.cards) - (1 if public.no_discard else 2)
    found: list[SeatAction] = [
        lay for lay in map(LayMelds, openings(rules, hand, minimum)) if _keeps(view, lay, room)
    ]
    if rules.runs:
        found += _tried(view, [LayMelds((Group(run),)) for run in runs_in(hand.cards)])
    if not found:
        witness = best_opening(rules, hand.cards, minimum, room)
        if witness:
            found = _tried(view, [LayMelds(witness)])
    return found


def _add_way_out(view: PlayerView, found: list[SeatAction]) -> None:
    """Going out in one action where the seat may, and asking where the partner may be asked."""
    may_ask = ask_refusal(view) is None
    may_go = may_go_out(view, view.public.rules.canastas_to_go_out)
    way = hand_way_out(view) if may_ask or may_go else None
    if way is None:
        return
    if may_ask:
        found.append(_ASK)
    if may_go and way.groups:
        action = LayMelds(way.groups)  # accepted: the search is exact, and the seat may go out
        if action not in found:
            found.append(action)


def lay_parts(view: PlayerView) -> list[Part]:
    """Groups of the own hand that make sense now, for choosing several: new melds, additions, wilds.

    Not each is legal alone (an opening may need several); the choice together is judged by `why_not`.
    """
    rules, team, hand = view.public.rules, view.own, view.hand
    wilds = _one_wild_of_each(hand)
    parts: list[Part] = []

    def add(rank: int, chosen: tuple[Card, ...]) -> None:
        number = sum(map(is_wild, chosen))
        if measure(rules, team, rank, len(chosen) - number, number) is None:
            label = rank_name(rank) if number == len(chosen) else ""
            points = sum(rules.values[card >> 2] for card in chosen)
            parts.append(Part(Group(chosen, label), rank, points, team.sets[rank] < 0))

    for run in runs_in(hand.cards) if rules.runs else ():
        points = sum(rules.values[card >> 2] for card in run)
        parts.append(Part(Group(run), run[0] >> 2, points, starts=True))
    for rank in NATURAL_RANKS:
        mine = tuple(hand.of_rank(rank))
        if team.sets[rank] >= 0:
            if mine:
                add(rank, mine)
            if len(mine) > 1:
                add(rank, mine[:1])
        elif len(mine) >= 2:
            add(rank, mine)
            for wild in wilds:
                add(rank, (*mine, wild))
            if len(mine) == len(wilds) == 2:
                add(rank, (*mine, *wilds))
    for rank in NATURAL_RANKS:
        if team.sets[rank] >= 0:
            for wild in wilds:
                add(rank, (wild,))
    way = hand_way_out(view) if view.hand.counts[THREE] >= 3 and view.public.drawn else None
    for group in way.groups if way else ():
        if group.label == BLACK_LABEL:
            parts.append(Part(group, THREE, sum(rules.values[THREE] for _ in group.cards), starts=True))
    return parts
