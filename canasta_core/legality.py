"""Whether a seat may do something, and why not: judged from a PlayerView alone, so that the same
function serves engine, AI players, buttons, autocomplete and hints, and none of them can leak (R10)."""

from collections.abc import Sequence
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
    read_action,
)
from canasta_core.cards import (
    BLACK_THREES,
    JOKER_RANK,
    RED_THREES,
    THREE,
    TWO,
    Card,
    Rank,
    is_black_three,
    is_wild,
    name_of,
    read_rank,
)
from canasta_core.going_out import Upcard, WayOut, minimum_to_go_out, way_out
from canasta_core.melds import CANASTA, Laying, canastas_made, is_run, lay, measure, shape_refusal, tell_apart
from canasta_core.openings import best_take
from canasta_core.refusals import Code, Refusal
from canasta_core.rules import BlackThrees, Exhausted, Permission, Rules, TakeWay
from canasta_core.state import Hand, Outline, Phase, PublicState, Source
from canasta_core.views import PlayerView

_DRAW, _PLAY, _PERMISSION = Phase.DRAW, Phase.PLAY, Phase.PERMISSION
_NONE, _REQUIRED = Permission.NONE, Permission.REQUIRED
"""Looked up once: a member of an enum costs as much as a call."""
_KINDS_OF_PLAY = frozenset(("discard", "meld", "ask"))
_KINDS_WITHOUT_DISCARD = frozenset(("end", "meld", "ask"))
_BLOCKING_RANKS = (TWO, THREE, JOKER_RANK)


@dataclass(slots=True)
class Plan:
    """What a legal meld or take does: the layings, the upcard's first with the upcard in it."""

    layings: list[Laying]
    points: int
    """What they count towards the opening; 0 where the team has opened."""


def who_acts(public: PublicState | Outline) -> tuple[int, ...]:
    """Seats that must act now: the player in turn, or the partners who have yet to answer."""
    phase = public.phase
    if phase is _PLAY or phase is _DRAW:
        return (public.turn,)
    return public.pending if phase is _PERMISSION else ()


def why_not(view: PlayerView, action: SeatAction) -> Refusal | None:
    """Why the seat may not do this; None when it may."""
    verdict = judge(view, action)
    return verdict if isinstance(verdict, Refusal) else None


def speak(view: PlayerView, text: str) -> SeatAction:
    """The action that a seat's words mean, its cards looked up in the own hand.

    Raises Refusal up to `card_not_in_hand`, in the order of R10.2; whether the action is legal is
    `why_not`'s question.
    """
    spoken = read_action(text)
    refusal = _turn_refusal(view.public, view.seat, spoken.kind)
    if refusal:
        raise refusal
    return spoken.resolve(view.hand.cards)


def judge(view: PlayerView, action: SeatAction) -> Plan | Refusal | None:
    """Why the seat may not do this; else the plan of a meld or take, and None for other actions."""
    public = view.public
    refusal = _turn_refusal(public, view.seat, action.kind)
    if refusal:
        return refusal
    match action:
        case Discard():
            return _judge_discard(view, action.card)
        case Draw():
            return _judge_draw(public)
        case LayMelds():
            return _judge_lay(view, action.groups)
        case TakePile():
            return _judge_take(view, action)
        case AskPartner():
            return _judge_ask(view)
        case Decline():
            return Refusal(Code.MUST_TAKE) if must_take(view) else None
        case EndTurn():
            return Refusal(Code.MUST_GO_OUT) if public.answer else None
        case Answer():
            return None


def _turn_refusal(public: PublicState, seat: int, kind: str) -> Refusal | None:
    """Whether an action of this kind may be done by this seat now at all: up to `wrong_phase`."""
    phase = public.phase
    if phase is _PLAY:
        allowed = kind in (_KINDS_WITHOUT_DISCARD if public.no_discard else _KINDS_OF_PLAY)
    elif phase is _DRAW:
        allowed = kind == "draw" or kind == "take" or (kind == "decline" and may_decline(public))
    elif phase is _PERMISSION:
        if seat in public.pending and kind == "answer":
            return None
        if seat == public.turn or seat in public.pending:
            return Refusal(Code.PERMISSION_PENDING)
        return Refusal(Code.NOT_YOUR_TURN, turn=public.turn)
    else:
        return Refusal(Code.GAME_OVER if phase is Phase.GAME_OVER else Code.ROUND_OVER)
    if seat != public.turn:
        return Refusal(Code.NOT_YOUR_TURN, turn=public.turn)
    return None if allowed else Refusal(Code.WRONG_PHASE, phase=str(phase))


def may_decline(public: PublicState) -> bool:
    """With no stock, where the profile ends a round by declining (R8.2, R8.3)."""
    return not public.stock_size and public.rules.exhausted is not Exhausted.DRAW_ENDS


def takes_upcard_alone(public: PublicState) -> bool:
    """With no stock, where the upcard alone is taken and the rest of the pile stays (R8.3)."""
    return not public.stock_size and public.rules.exhausted is Exhausted.UPCARD_ALONE


def take_ends_without_discard(public: PublicState) -> bool:
    """With no stock, where nobody discards (R8.3)."""
    return not public.stock_size and public.rules.exhausted in (
        Exhausted.UPCARD_ALONE,
        Exhausted.PILE_NO_DISCARD,
    )


def joining_cards(public: PublicState) -> list[Card]:
    """Cards of the pile that would join the hand of its taker: all but the upcard and red threes (R4.8)."""
    if takes_upcard_alone(public):
        return []
    return [card for card in public.pile[:-1] if card not in RED_THREES]


def _judge_draw(public: PublicState) -> Refusal | None:
    if public.stock_size or public.rules.exhausted is Exhausted.DRAW_ENDS:
        return None
    return Refusal(Code.STOCK_EMPTY)


def _judge_discard(view: PlayerView, card: Card) -> Refusal | None:
    if card not in view.hand.cards:
        return Refusal(Code.CARD_NOT_IN_HAND, card=name_of(card))
    if len(view.hand.cards) > 1:
        return Refusal(Code.MUST_GO_OUT) if view.public.answer else None
    return out_refusal(view, view.own.canastas)


def out_refusal(view: PlayerView, canastas: int) -> Refusal | None:
    """Why the seat may not go out with so many canastas before its team (R6.1, R7.1, R7.3)."""
    if may_go_out(view, canastas):
        return None
    required = view.public.rules.canastas_to_go_out
    if canastas < required:
        return Refusal(Code.CANASTA_REQUIRED, canastas=canastas, required=required)
    refused = view.public.answer is False
    return Refusal(Code.PERMISSION_REFUSED if refused else Code.PERMISSION_REQUIRED)


def may_go_out(view: PlayerView, canastas: int) -> bool:
    """Whether the seat may go out with so many canastas before its team (R7.1, R7.3)."""
    rules, answer = view.public.rules, view.public.answer
    if canastas < rules.canastas_to_go_out or answer is False:
        return False
    return bool(answer) or rules.permission is not _REQUIRED or not rules.has_partners


def _take_cards(hand: Sequence[Card], groups: Sequence[Group]) -> list[Card] | Refusal:
    """The hand without the cards of the groups."""
    left = list(hand)
    for group in groups:
        for card in group.cards:
            try:
                left.remove(card)
            except ValueError:
                return Refusal(Code.CARD_NOT_IN_HAND, card=name_of(card))
    return left


def _judge_lay(view: PlayerView, groups: Sequence[Group]) -> Plan | Refusal:
    left = _take_cards(view.hand.cards, groups)
    if isinstance(left, Refusal):
        return left
    if not groups or () in [group.cards for group in groups]:
        return Refusal(Code.UNKNOWN_ACTION)
    return _judge_groups(view, groups, left, None, not view.public.no_discard)


def _judge_take(view: PlayerView, action: TakePile) -> Plan | Refusal:
    public, rules = view.public, view.public.rules
    groups = (action.group, *action.further)
    left = _take_cards(view.hand.cards, groups)
    if isinstance(left, Refusal):
        return left
    if not public.pile:
        return Refusal(Code.PILE_EMPTY)
    upcard = public.pile[-1]
    if is_blocking(upcard):
        return Refusal(Code.PILE_BLOCKED, upcard=name_of(upcard))
    refusal = _way_refusal(view, upcard, action)
    if refusal:
        return refusal
    if is_single_card(view):
        return Refusal(Code.SINGLE_CARD_PILE)
    first = Group((upcard, *action.group.cards))
    left += joining_cards(public)
    return _judge_groups(
        view, (first, *action.further), left, rules.values[upcard >> 2], not take_ends_without_discard(public)
    )


def is_blocking(upcard: Card) -> bool:
    """Wilds and threes of either colour cannot be taken (R4.3)."""
    return upcard >> 2 in _BLOCKING_RANKS


def is_single_card(view: PlayerView) -> bool:
    """A pile of one card and a hand of one card (R4.9)."""
    return len(view.public.pile) == len(view.hand.cards) == 1 and not takes_upcard_alone(view.public)


def _way_refusal(view: PlayerView, upcard: Card, action: TakePile) -> Refusal | None:
    """Whether the upcard may be taken in this way (R4.4a, R4.5)."""
    public, rules = view.public, view.public.rules
    rank = upcard >> 2
    matching = natural = 0
    for card in action.group.cards:
        if card >> 2 == rank:
            matching += 1
        elif not is_wild(card):
            natural += 1
    lost = natural and not matching
    for group in action.further:
        if not (rules.runs and is_run(group.cards)):  # what lies in a run does not lie with the upcard
            matching += sum([card >> 2 == rank for card in group.cards])
    own_meld = view.own.sets[rank] >= 0
    if matching < 2 and public.frozen_for(view.team):
        return Refusal(
            Code.PILE_FROZEN, upcard=name_of(upcard), matching=matching, for_all=int(public.frozen)
        )
    label = action.group.label
    if lost or (not action.group.cards and not own_meld) or (label and read_rank(label) != rank):
        return Refusal(Code.UPCARD_NOT_MELDED, upcard=name_of(upcard))
    match rules.take:
        case TakeWay.ANY:
            enough = True
        case TakeWay.ONE_NATURAL:
            enough = matching >= 1
        case TakeWay.PAIR_OR_MELD:
            enough = matching >= 2 or own_meld
    return None if enough else Refusal(Code.NEEDS_NATURAL, upcard=name_of(upcard), matching=matching)


def _judge_groups(
    view: PlayerView, groups: Sequence[Group], left: list[Card], upcard_points: int | None, discards: bool
) -> Plan | Refusal:
    """Shape, opening minimum and keeping a card, of groups that leave `left` in the hand."""
    public, rules, team = view.public, view.public.rules, view.own
    blacks_ok = view.hand.counts[THREE] > 0 and _blacks_ok(view, groups, left, discards)
    layings = tell_apart(rules, groups, blacks_ok)
    if isinstance(layings, Refusal):
        return layings
    for laying in layings:
        if not laying.run:
            code = measure(rules, team, laying.rank, laying.naturals, laying.wilds)
            if code:
                return shape_refusal(rules, team, laying, code)
    points = 0
    if not team.melds:
        for laying in layings:
            for card in laying.cards:
                points += rules.values[card >> 2]
        minimum = rules.minimum(public.scores[view.team])
        if points < minimum and not (upcard_points is None and _is_waived(view, layings, left)):
            facts = {"buried": len(public.pile) - 1} if upcard_points is not None else {}
            return Refusal(Code.OPENING_MINIMUM, minimum=minimum, laid=points, **facts)
    if public.answer or len(left) < 2:
        refusal = _keeping_refusal(view, layings, left, discards)
        if refusal:
            return refusal
    return Plan(layings, points)


def plan_of(rules: Rules, groups: Sequence[Group]) -> Plan:
    """The plan of groups that are known to be legal."""
    layings = tell_apart(rules, groups, blacks_ok=True)
    assert not isinstance(layings, Refusal)
    return Plan(layings, 0)


def _blacks_ok(view: PlayerView, groups: Sequence[Group], left: list[Card], discards: bool) -> bool:
    """Whether an action that lays these groups and leaves these cards may lay black threes (R5.5)."""
    blacks = sum(card in BLACK_THREES for group in groups for card in group.cards)
    if not blacks:
        return False
    team = view.own
    index = team.sets[THREE]
    lying = len(team.melds[index].cards) if index >= 0 else 0
    if blacks + lying < 3 or len(left) > (1 if discards else 0):
        return False
    alone = view.public.rules.black_threes is BlackThrees.ALONE
    return not alone or all(map(is_black_three, left))


def _is_waived(view: PlayerView, layings: Sequence[Laying], left: Sequence[Card]) -> bool:
    """A concealed exit after drawing, for which no minimum holds (R7.4)."""
    public = view.public
    return (
        public.rules.waive_minimum
        and public.drawn is Source.STOCK
        and len(left) <= 1
        and any(len(laying.cards) >= CANASTA for laying in layings)
    )


def _keeping_refusal(
    view: PlayerView, layings: Sequence[Laying], left: list[Card], discards: bool
) -> Refusal | None:
    """A card to keep, or the right to go out (R6.1); and going out when it was promised (R7.3)."""
    public, rules, team = view.public, view.public.rules, view.own
    if len(left) < (2 if discards else 1):
        canastas = team.canastas + sum(canastas_made(team, laying) for laying in layings)
        return out_refusal(view, canastas)
    if public.answer:
        after = team.copy()
        for laying in layings:
            lay(after, laying)
        if not way_out(rules, after, Hand.of(left), minimum=0, discards=discards):
            return Refusal(Code.MUST_GO_OUT)
    return None


def _judge_ask(view: PlayerView) -> Refusal | None:
    code = ask_refusal(view)
    if code:
        return Refusal(code)
    return None if hand_way_out(view) else Refusal(Code.CANNOT_GO_OUT)


def ask_refusal(view: PlayerView) -> Code | None:
    """Why the partner may not be asked, whatever the hand (R7.3)."""
    public, rules = view.public, view.public.rules
    if rules.permission is _NONE or rules.seats == rules.teams:
        return Code.PERMISSION_NOT_AVAILABLE
    if public.asked_now or (rules.ask_once_a_round and public.asked[view.seat]):
        return Code.PERMISSION_ALREADY_ASKED
    keeps = 1 if public.no_discard else 2
    if (rules.ask_before_melds and public.laid) or len(view.hand.cards) < keeps:
        return Code.PERMISSION_TOO_LATE
    return None


def hand_way_out(view: PlayerView) -> WayOut | None:
    """How the seat could go out in this turn, after drawing or taking, permission supposed (R7.1)."""
    public = view.public
    return way_out(
        public.rules,
        view.own,
        view.hand,
        minimum=minimum_to_go_out(public, view.team, public.drawn),
        discards=not public.no_discard,
    )


def legal_take(view: PlayerView) -> TakePile | None:
    """A legal way to take the pile, if there is any. Exact (R8.2 asks for it)."""
    public, rules = view.public, view.public.rules
    if not public.pile or is_blocking(public.pile[-1]) or is_single_card(view):
        return None
    upcard = public.pile[-1]
    rank = upcard >> 2
    team = view.own
    held = view.hand.counts[rank]
    least = least_matching(view)
    if held < least:
        return None
    rest = len(joining_cards(public))
    discards = not take_ends_without_discard(public)
    room = len(view.hand.cards) + rest - (2 if discards else 1)
    minimum = 0 if team.melds else rules.minimum(public.scores[view.team])
    groups = best_take(rules, team, view.hand.cards, upcard, least, minimum, room)
    if groups is None and may_go_out(view, rules.canastas_to_go_out):
        found = way_out(
            rules,
            team,
            view.hand,
            minimum=minimum,
            discards=discards,
            upcard=Upcard(Rank(rank), rules.values[rank], least, rest),
        )
        groups = found.groups if found else None
    return TakePile(groups[0], tuple(groups[1:])) if groups else None


def least_matching(view: PlayerView) -> int:
    """Matching naturals of the hand that a take needs at least (R4.4, R4.5)."""
    public = view.public
    if public.frozen_for(view.team):
        return 2
    own_meld = view.own.sets[public.pile[-1] >> 2] >= 0
    match public.rules.take:
        case TakeWay.ANY:
            return 0 if own_meld else 1
        case TakeWay.ONE_NATURAL:
            return 1
        case TakeWay.PAIR_OR_MELD:
            return 0 if own_meld else 2


def must_take(view: PlayerView) -> bool:
    """With no stock: an unfrozen upcard that fits an own meld and can be taken must be (R8.2)."""
    public = view.public
    if public.rules.exhausted is not Exhausted.MUST_TAKE or not public.pile or public.stock_size:
        return False
    fits = view.own.sets[public.pile[-1] >> 2] >= 0
    return fits and not public.frozen_for(view.team) and legal_take(view) is not None
