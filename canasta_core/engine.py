"""The reducer: a state and an action give the next state and what happened.

`apply` is the only door for tables: it copies, plays and returns, or raises a Refusal and has changed
nothing. `play` does the same in place, for search on states of its own.
"""

from dataclasses import dataclass

from canasta_core.actions import (
    Action,
    Answer,
    AskPartner,
    Deal,
    Decline,
    Discard,
    Draw,
    DrawLots,
    EndTurn,
    Group,
    LayMelds,
    SeatAction,
    TakePile,
)
from canasta_core.cards import JOKER_RANK, RED_THREES, THREE, TWO, Card
from canasta_core.dealing import deal, draw_lots, freezing_cards
from canasta_core.events import (
    Answered,
    Asked,
    CanastaMade,
    Declined,
    Discarded,
    Drew,
    Event,
    GameEnded,
    Laid,
    Opened,
    RedThreeExposed,
    RoundEnded,
    TookPile,
    TurnEnded,
    WentOut,
)
from canasta_core.legality import (
    Plan,
    joining_cards,
    judge,
    legal_take,
    may_decline,
    plan_of,
    take_ends_without_discard,
    takes_upcard_alone,
)
from canasta_core.melds import CANASTA, Laying, lay
from canasta_core.offers import offers
from canasta_core.refusals import Code, Refusal
from canasta_core.rules import Concealed, LastRedThree
from canasta_core.scoring import score_sheets, winner_of
from canasta_core.state import GameState, Meld, Phase, Reason, Source
from canasta_core.views import PlayerView

_Told = list[Event] | None
"""Where events go; None where nobody listens, as in search."""

_CHANCE = (DrawLots, Deal)
_DRAW, _PLAY, _STOCK, _PILE = Phase.DRAW, Phase.PLAY, Source.STOCK, Source.PILE
"""Looked up once: a member of an enum costs as much as a call."""

_FREEZING_RANKS = (TWO, THREE, JOKER_RANK)
"""Ranks that some profile freezes with; others need no look."""


@dataclass(frozen=True, slots=True)
class Transition:
    """The state after an action, and what happened."""

    state: GameState
    events: tuple[Event, ...]


def apply(state: GameState, seat: int | None, action: Action) -> Transition:
    """Play an action on a copy. `seat` is None for chance (lots and the deal).

    Raises Refusal when the rules do not allow it, WrongPack for a pack that is not the table's; the
    given state is untouched either way.
    """
    after = state.copy()
    events: list[Event] = []
    play(after, seat, action, events)
    return Transition(after, tuple(events))


def play(state: GameState, seat: int | None, action: Action, events: list[Event] | None = None) -> None:
    """Play an action in place. Raises as `apply` does, before anything has changed."""
    if isinstance(action, _CHANCE):
        _play_chance(state, action, [] if events is None else events)
        return
    if seat is None:
        raise Refusal(Code.NOT_YOUR_TURN, turn=state.public.turn)
    verdict = judge(PlayerView(seat, state.public, state.hands[seat]), action)
    if isinstance(verdict, Refusal):
        raise verdict
    _play_seat(state, seat, action, verdict, events)


def play_offer(state: GameState, seat: int, action: SeatAction) -> None:
    """Play in place, without judging it again, an action that `offers` gave for just this state.

    For search, which plays what it was offered. Any other action may leave a state that is none.
    """
    match action:
        case Discard():
            _discard(state, seat, action.card, None)
        case Draw():
            _draw(state, seat, None)
        case LayMelds():
            _play_seat(state, seat, action, plan_of(state.rules, action.groups), None)
        case TakePile():
            first = Group((state.public.pile[-1], *action.group.cards))
            plan = plan_of(state.rules, (first, *action.further))
            _play_seat(state, seat, action, plan, None)
        case _:
            _play_seat(state, seat, action, None, None)


def _play_chance(state: GameState, action: DrawLots | Deal, events: list[Event]) -> None:
    public = state.public
    if public.phase is Phase.GAME_OVER:
        raise Refusal(Code.GAME_OVER)
    lots_drawn = public.dealer >= 0
    if isinstance(action, DrawLots):
        if public.phase is not Phase.DEAL or lots_drawn:
            raise Refusal(Code.WRONG_PHASE, phase=str(public.phase))
        draw_lots(state, action, events)
    else:
        if public.phase not in (Phase.DEAL, Phase.ROUND_OVER) or not lots_drawn:
            raise Refusal(Code.WRONG_PHASE, phase=str(public.phase))
        deal(state, action, events)
        begin_turn(state, public.turn, events)


def _play_seat(state: GameState, seat: int, action: SeatAction, plan: Plan | None, events: _Told) -> None:
    public = state.public
    match action:
        case Discard():
            _discard(state, seat, action.card, events)
        case Draw():
            _draw(state, seat, events)
        case LayMelds():
            assert plan is not None
            _lay_all(state, seat, plan, events)
            public.laid = True
            if not state.hands[seat].cards:
                _go_out(state, seat, events)
        case TakePile():
            assert plan is not None
            _take(state, seat, plan, events)
        case AskPartner():
            public.asked_now = public.asked[seat] = True
            public.pending = state.rules.partners_of(seat)
            public.phase = Phase.PERMISSION
            if events is not None:
                events.append(Asked(seat, public.pending))
        case Answer(yes):
            _answer(state, seat, yes, events)
        case Decline():
            if events is not None:
                events.append(Declined(seat))
            _end_round(state, Reason.DECLINED, events)
        case EndTurn():
            if events is not None:
                events.append(TurnEnded(seat))
            _end_turn(state, events)


def begin_turn(state: GameState, seat: int, events: _Told) -> None:
    """The turn passes to a seat; with no stock the round ends where nothing can be taken (R8.2, R8.3)."""
    public = state.public
    team = public.teams[seat % public.rules.teams]
    public.turn = seat
    public.phase = _DRAW
    public.drawn = None
    public.laid = public.touched = public.no_discard = public.asked_now = False
    public.answer = None
    public.pending = ()
    public.seat_fresh = not public.melded[seat]
    public.team_fresh = not team.melds
    public.old_melds = len(team.melds)
    if (
        not public.stock_size
        and may_decline(public)
        and legal_take(PlayerView(seat, public, state.hands[seat])) is None
    ):
        _end_round(state, Reason.NO_TAKE, events)


def _end_turn(state: GameState, events: _Told) -> None:
    public = state.public
    if public.last_turn:
        _end_round(state, Reason.LAST_RED_THREE, events)
    else:
        begin_turn(state, (public.turn + 1) % public.rules.seats, events)


def _draw(state: GameState, seat: int, events: _Told) -> None:
    """Draw from the stock, red threes exposed and replaced while cards last (R4.1, R4.2, R8.1)."""
    public, hand, stock = state.public, state.hands[seat], state.stock
    rules = public.rules
    if not stock:
        _end_round(state, Reason.STOCK_EMPTY, events)
        return
    if rules.draw == 1 and events is None and stock[-1] not in RED_THREES:  # as search does it most
        hand.add(stock.pop())
        public.sizes[seat] += 1
        public.stock_size -= 1
        public.drawn = _STOCK
        public.phase = _PLAY
        return
    drawn: list[Card] = []
    red_three_last = False
    while stock and len(drawn) < rules.draw:
        card = stock.pop()
        if card in RED_THREES:
            public.teams[seat % rules.teams].red_threes.append(card)
            red_three_last = not stock
            if events is not None:
                events.append(RedThreeExposed(seat, card, replaced=not red_three_last))
        else:
            drawn.append(card)
            hand.add(card)
    public.sizes[seat] = len(hand.cards)
    public.stock_size = len(stock)
    public.drawn = _STOCK
    public.phase = _PLAY
    if events is not None:
        events.append(Drew(seat, len(drawn), tuple(drawn)))
    if not red_three_last:
        return
    match rules.last_red_three:
        case LastRedThree.END:
            _end_round(state, Reason.LAST_RED_THREE, events)
        case LastRedThree.MELD_THEN_END:
            public.no_discard = public.last_turn = True
        case LastRedThree.PLAY_ON:
            _end_if_stuck(state, seat, events)


def _end_if_stuck(state: GameState, seat: int, events: _Told) -> None:
    """Nobody is ever stuck: a single card that may neither go nor stay ends the round (R8.5).

    Of two cards one can always be discarded.
    """
    if len(state.hands[seat].cards) < 2 and not offers(PlayerView(seat, state.public, state.hands[seat])):
        _end_round(state, Reason.STUCK, events)


def _discard(state: GameState, seat: int, card: Card, events: _Told) -> None:
    public, hand = state.public, state.hands[seat]
    hand.remove(card)
    public.sizes[seat] = len(hand.cards)
    public.pile.append(card)
    if card >> 2 in _FREEZING_RANKS and card in freezing_cards(public.rules):
        public.freezing += 1
    if events is not None:
        events.append(Discarded(seat, card))
    if not hand.cards:
        _go_out(state, seat, events)
    else:  # nobody discards in the last turn of a round, so another begins
        begin_turn(state, (seat + 1) % public.rules.seats, events)


def _lay_all(state: GameState, seat: int, plan: Plan, events: _Told, upcard: Card | None = None) -> None:
    """Lay the layings of a plan. The upcard, in the first of them, comes from the pile."""
    public, hand = state.public, state.hands[seat]
    number = seat % public.rules.teams
    team = public.teams[number]
    if not team.melds and events is not None:
        events.append(Opened(seat, plan.points, public.minimum(number)))
    for laying in plan.layings:
        for card in laying.cards:
            if card == upcard:
                upcard = None
            else:
                hand.remove(card)
        meld, index = lay(team, laying)
        if index < public.old_melds:
            public.touched = True
        if events is not None:
            _tell_laid(seat, laying, meld, events)
    public.melded[seat] = True
    public.sizes[seat] = len(hand.cards)


def _tell_laid(seat: int, laying: Laying, meld: Meld, events: list[Event]) -> None:
    size = len(meld.cards)
    started = size == len(laying.cards)
    events.append(Laid(seat, meld.label, tuple(laying.cards), size, started))
    if size >= CANASTA > size - len(laying.cards):
        events.append(CanastaMade(seat, meld.label, meld.is_natural))


def _take(state: GameState, seat: int, plan: Plan, events: _Told) -> None:
    """Take the pile, or with no stock the upcard alone, and meld the upcard (R4.4 to R4.8, R8.3)."""
    public, hand = state.public, state.hands[seat]
    upcard = public.pile[-1]
    joining = joining_cards(public)
    no_discard = take_ends_without_discard(public)
    if takes_upcard_alone(public):
        public.pile.pop()
        rest: list[Card] = []
    else:
        rest = public.pile[:-1]
        public.pile = []
        public.freezing = 0
    if events is not None:
        events.append(TookPile(seat, upcard, tuple(rest)))
    _lay_all(state, seat, plan, events, upcard)
    for card in rest:
        if card in RED_THREES:
            public.teams[seat % public.rules.teams].red_threes.append(card)
            if events is not None:
                events.append(RedThreeExposed(seat, card, replaced=False))
    hand.add_all(joining)
    public.sizes[seat] = len(hand.cards)
    public.drawn = _PILE
    public.no_discard = no_discard
    public.phase = _PLAY
    if not hand.cards:
        _go_out(state, seat, events)


def _answer(state: GameState, seat: int, yes: bool, events: _Told) -> None:
    """The first no is a no; a yes when every partner has said it (R7.3)."""
    public = state.public
    if events is not None:
        events.append(Answered(seat, yes))
    public.pending = tuple(other for other in public.pending if other != seat) if yes else ()
    if not public.pending:
        public.answer = yes
        public.phase = Phase.PLAY


def _go_out(state: GameState, seat: int, events: _Told) -> None:
    public = state.public
    public.went_out = seat
    public.concealed = _is_concealed(state, seat)
    if events is not None:
        events.append(WentOut(seat, public.concealed))
    _end_round(state, Reason.WENT_OUT, events)


def _is_concealed(state: GameState, seat: int) -> bool:
    """Whether the exit that empties the hand is a concealed one (R7.4)."""
    public, rules = state.public, state.rules
    if not public.melded[seat]:
        return False
    match rules.concealed:
        case Concealed.NONE:
            return False
        case Concealed.TEAM:
            return public.team_fresh
        case Concealed.SEAT:
            return public.seat_fresh
        case Concealed.SEAT_WITH_CANASTA:
            new = public.teams[rules.team_of(seat)].melds[public.old_melds :]
            return public.seat_fresh and not public.touched and any(meld.is_canasta for meld in new)


def _end_round(state: GameState, reason: Reason, events: _Told) -> None:
    """Score the round, and end the game when a team has won it (R9)."""
    public = state.public
    public.reason = reason
    public.phase = Phase.ROUND_OVER
    public.last_turn = False
    public.sheets = score_sheets(state)
    public.scores = [sheet.after for sheet in public.sheets]
    if events is not None:
        hands = tuple(tuple(hand.sorted()) for hand in state.hands)
        events.append(RoundEnded(reason, hands, public.sheets, tuple(public.scores)))
    public.winner = winner_of(state.rules, public.scores)
    if public.winner is not None:
        public.phase = Phase.GAME_OVER
        if events is not None:
            events.append(GameEnded(public.winner, tuple(public.scores)))
