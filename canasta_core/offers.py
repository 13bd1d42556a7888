"""What a seat may do now, found by trying, never from a second set of rules.

Every offer is accepted, and every accepted action can be built from offers: additions are offered card by
card, openings by the melds that reach the minimum, going out by the one action that does it. Cards that
differ only in suit are offered once where suits do not matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from canasta_core.actions import (
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
from canasta_core.cards import JOKER_RANK, TWO, Card, is_wild, rank_name
from canasta_core.going_out import minimum_to_go_out
from canasta_core.legality import (
    hand_way_out,
    is_blocking,
    is_single_card,
    judge,
    least_matching,
    legal_take,
    may_decline,
    must_take,
    out_refusal,
)
from canasta_core.melds import measure, runs_in
from canasta_core.openings import best_opening, openings, reachable
from canasta_core.refusals import Refusal
from canasta_core.rules import Exhausted, Permission
from canasta_core.state import Phase
from canasta_core.views import PlayerView

_DRAW, _ASK, _END, _DECLINE = Draw(), AskPartner(), EndTurn(), Decline()
_YES, _NO = Answer(True), Answer(False)
_DISCARDS = [Discard(Card(card)) for card in range(61)]


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
    if phase is Phase.PLAY and view.seat == public.turn:
        return _play_offers(view)
    if phase is Phase.DRAW and view.seat == public.turn:
        return _draw_offers(view)
    if phase is Phase.PERMISSION and view.seat in public.pending:
        return [_YES, _NO]
    return []


def legal_kinds(view: PlayerView) -> frozenset[str]:
    """The kinds of action that are legal for the seat now."""
    return frozenset(action.kind for action in offers(view))


def _draw_offers(view: PlayerView) -> list[SeatAction]:
    public = view.public
    found: list[SeatAction] = []
    if public.stock_size or public.rules.exhausted is Exhausted.DRAW_ENDS:
        found.append(_DRAW)
    if public.pile and not is_blocking(public.pile[-1]):
        found += _take_offers(view)
    if may_decline(public) and not must_take(view):
        found.append(_DECLINE)
    return found


def _take_offers(view: PlayerView) -> list[SeatAction]:
    public, rules = view.public, view.public.rules
    upcard = public.pile[-1]
    rank = upcard >> 2
    counts = view.hand.counts
    least = least_matching(view)
    if counts[rank] < least or is_single_card(view):
        return []
    minimum = 0
    if not public.teams[view.team].melds:
        minimum = rules.minimum(public.scores[view.team])
        if not reachable(rules, counts, minimum, rank):
            return []
    held = [card for card in view.hand.cards if card >> 2 == rank]
    tried = [TakePile(Group(cards)) for cards in _upcard_groups(view, held, least)]
    found: list[SeatAction] = []
    short: list[TakePile] = []
    for take in tried:
        verdict = judge(view, take)
        if not isinstance(verdict, Refusal):
            found.append(take)
        elif minimum:
            short.append(take)
    for take in short:
        used = sum(rules.values[card >> 2] for card in take.group.cards) + rules.values[rank]
        left = view.hand.cards.copy()
        for card in take.group.cards:
            left.remove(card)
        for further in openings(rules, left, minimum - used, skip=rank):
            more = TakePile(take.group, further)
            if not isinstance(judge(view, more), Refusal):
                found.append(more)
    if not found:
        witness = legal_take(view)
        if witness:
            found.append(witness)
    return found


def _upcard_groups(view: PlayerView, held: list[Card], least: int) -> Iterator[tuple[Card, ...]]:
    """Cards of the hand that could join the upcard: none, naturals, naturals and one wild of each kind."""
    own_meld = view.public.teams[view.team].sets[view.public.pile[-1] >> 2] >= 0
    wilds = {card >> 2: card for card in view.hand.cards if is_wild(card)}
    if own_meld and not least:
        yield ()
    sizes = {max(1, least), min(2, len(held)), len(held)}
    for size in sorted(size for size in sizes if least <= size <= len(held) and size):
        if own_meld or size >= 2:
            yield tuple(held[:size])
    if not own_meld or view.public.teams[view.team].canastas == 0:
        for size in sorted({max(1, least), len(held)}):
            if held and size <= len(held):
                for wild in wilds.values():
                    yield (*held[:size], wild)


def _play_offers(view: PlayerView) -> list[SeatAction]:
    public = view.public
    cards = view.hand.cards
    found: list[SeatAction] = []
    if public.no_discard:
        if not public.answer:
            found.append(_END)
    elif len(cards) > 1:
        if not public.answer:
            found += [_DISCARDS[card] for card in set(cards)]
    elif cards and out_refusal(view, public.teams[view.team].canastas) is None:
        found.append(_DISCARDS[cards[0]])
    if public.teams[view.team].melds:
        found += _free_lays(view)
    else:
        found += _opening_lays(view)
    _add_way_out(view, found)
    return found


def _free_lays(view: PlayerView) -> list[SeatAction]:
    """Single melds and additions of a team that has opened."""
    public, rules = view.public, view.public.rules
    team = public.teams[view.team]
    cards, counts = view.hand.cards, view.hand.counts
    spare = len(cards) - (1 if public.no_discard else 2)
    sure = public.answer is None or public.answer is False
    found: list[SeatAction] = []
    wild_ranks = [rank for rank in (TWO, JOKER_RANK) if counts[rank]]
    for rank in range(4, 15):
        held = counts[rank]
        lies = team.sets[rank] >= 0
        if not lies and held < 2:
            continue
        if not lies and not wild_ranks and held < 3:
            continue
        mine = tuple([card for card in cards if card >> 2 == rank]) if held else ()
        tries: list[tuple[tuple[Card, ...], int]] = []
        if lies:
            if held:
                tries.append((mine[:1], 0))
                if held > 1:
                    tries.append((mine, 0))
            for wild in wild_ranks:
                tries.append(((_first(cards, wild),), 1))
        else:
            if held >= 3:
                tries.append((mine, 0))
                if held > 3:
                    tries.append((mine[:3], 0))
            for wild in wild_ranks:
                tries.append(((*mine, _first(cards, wild)), 1))
                if held > 2:
                    tries.append(((*mine[:2], _first(cards, wild)), 1))
        for chosen, wilds in tries:
            if measure(rules, team, rank, len(chosen) - wilds, wilds) is not None:
                continue
            label = rank_name(rank) if wilds == len(chosen) else ""
            action = LayMelds((Group(chosen, label),))
            if (sure and len(chosen) <= spare) or not isinstance(judge(view, action), Refusal):
                found.append(action)
    if rules.runs:
        found += _tried(view, [LayMelds((Group(run),)) for run in runs_in(cards)])
    return found


def _first(cards: list[Card], rank: int) -> Card:
    return next(card for card in cards if card >> 2 == rank)


def _tried(view: PlayerView, actions: list[SeatAction]) -> list[SeatAction]:
    return [action for action in actions if not isinstance(judge(view, action), Refusal)]


def _opening_lays(view: PlayerView) -> list[SeatAction]:
    """Melds that open, each with the others it needs for the minimum."""
    public, rules = view.public, view.public.rules
    minimum = rules.minimum(public.scores[view.team])
    cards = view.hand.cards
    if not reachable(rules, view.hand.counts, minimum):
        return []
    tried: list[SeatAction] = [LayMelds(groups) for groups in openings(rules, cards, minimum)]
    if rules.runs:
        tried += [LayMelds((Group(run),)) for run in runs_in(cards)]
    found = _tried(view, tried)
    if not found:
        room = len(cards) - (1 if public.no_discard else 2)
        witness = best_opening(rules, cards, minimum, room)
        if witness:
            found = _tried(view, [LayMelds(witness)])
    return found


def _add_way_out(view: PlayerView, found: list[SeatAction]) -> None:
    """Going out in one action where the seat may, and asking where it may be asked."""
    public, rules = view.public, view.public.rules
    team = public.teams[view.team]
    may_ask = (
        not public.asked_now
        and rules.permission is not Permission.NONE
        and not (rules.ask_before_melds and public.laid)
        and not (rules.ask_once_a_round and public.asked[view.seat])
        and len(view.hand.cards) >= (1 if public.no_discard else 2)
        and bool(rules.partners_of(view.seat))
    )
    may_go = out_refusal(view, rules.canastas_to_go_out) is None
    if not (may_ask or may_go):
        return
    if team.melds or minimum_to_go_out(public, view.team, public.drawn) or len(view.hand.cards) >= 7:
        way = hand_way_out(view)
        if way is None:
            return
        if may_ask:
            found.append(_ASK)
        if may_go and way.groups:
            action = LayMelds(way.groups)
            if action not in found and not isinstance(judge(view, action), Refusal):
                found.append(action)


def lay_parts(view: PlayerView) -> list[Part]:
    """Groups of the own hand that make sense now, for choosing several: new melds, additions, wilds.

    Not each is legal alone (an opening may need several); the choice together is judged by `why_not`.
    """
    public, rules = view.public, view.public.rules
    team = public.teams[view.team]
    cards = view.hand.sorted()
    wild_ranks = [rank for rank in (TWO, JOKER_RANK) if view.hand.counts[rank]]
    parts: list[Part] = []

    def add(rank: int, chosen: tuple[Card, ...]) -> None:
        wilds = sum(map(is_wild, chosen))
        if measure(rules, team, rank, len(chosen) - wilds, wilds) is None:
            label = rank_name(rank) if wilds == len(chosen) else ""
            points = sum(rules.values[card >> 2] for card in chosen)
            parts.append(Part(Group(chosen, label), rank, points, team.sets[rank] < 0))

    for run in runs_in(cards) if rules.runs else ():
        parts.append(Part(Group(run), run[0] >> 2, sum(rules.values[card >> 2] for card in run), True))
    for rank in range(14, 3, -1):
        mine = tuple(card for card in cards if card >> 2 == rank)
        lies = team.sets[rank] >= 0
        if lies:
            if mine:
                add(rank, mine)
        elif len(mine) >= 2:
            add(rank, mine)
            for wild in wild_ranks:
                add(rank, (*mine, _first(cards, wild)))
            if len(mine) == 2 and len(wild_ranks) == 2:
                add(rank, (*mine, _first(cards, JOKER_RANK), _first(cards, TWO)))
    for rank in range(14, 3, -1):
        if team.sets[rank] >= 0:
            for wild in wild_ranks:
                add(rank, (_first(cards, wild),))
    return parts
