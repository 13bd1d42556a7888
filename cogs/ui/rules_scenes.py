"""Small positions on which a rule is shown, played by the engine itself.

An example says beforehand what comes of each move, and what its numbers should be; the engine is then asked.
Where it disagrees there is no example, but a WrongExampleError: none that is shown can be wrong.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from canasta_core.actions import (
    AskPartner,
    Decline,
    Discard,
    Draw,
    EndTurn,
    LayMelds,
    SeatAction,
    TakePile,
    read_action,
)
from canasta_core.cards import RED_THREES, Card, Rank, is_wild, name_of, pack_of, rank_name, read_cards
from canasta_core.dealing import freezing_cards
from canasta_core.engine import Transition, apply
from canasta_core.events import Asked, Declined, Discarded, Event, Laid
from canasta_core.refusals import Code, Refusal
from canasta_core.rules import Rules
from canasta_core.state import GameState, Hand, Meld, MeldKind, Phase, Source
from canasta_core.tables.model import Stage
from canasta_core.views import view_of
from cogs.ui.cards_text import chip, group_text, hand_text, shown
from cogs.ui.events_text import own_moves
from cogs.ui.face import Face
from cogs.ui.layout import name_text
from cogs.ui.refusals_text import reason_text
from cogs.ui.text import text

YOU: Final = 0
"""Seat of the reader."""
_HIDDEN: Final = 11
"""Cards in a hand that an example does not name, at most."""


class WrongExampleError(Exception):
    """An example that the engine does not bear out: which move, what was expected, and what came."""


class Scene:
    """One position, and what is tried in it; `lines` are its words so far.

    `hand` is the reader's, whose turn it is. `melds` lie before the reader's team, `pile` has its upcard
    last, `stock` its next card first; unseen cards fill the other hands, those that `others` names excepted.
    """

    def __init__(
        self,
        locale: str,
        rules: Rules,
        hand: str,
        *,
        melds: Sequence[str] = (),
        pile: str = "",
        stock: str | None = None,
        phase: Phase = Phase.PLAY,
        score: int = 0,
        answer: bool | None = None,
        red_threes: str = "",
        others: Mapping[int, str] | None = None,
    ) -> None:
        self.locale = locale
        self.rules = rules
        self.state = _position(rules, hand, melds, pile, stock, phase, red_threes, others or {})
        public = self.state.public
        public.scores[0] = score
        if answer is not None:
            public.asked_now = public.asked[YOU] = True
            public.answer = answer
        self.start = self.state
        self.events: tuple[Event, ...] = ()
        self.lines: list[str] = []

    def tell(self, key: str, **facts: int | str) -> str:
        """A sentence of the examples."""
        return text(self.locale, f"rules-scene-{key}", **facts)

    @property
    def situation(self) -> str:
        """What the reader has before the first move, in words."""
        public = self.start.public
        parts = [self.tell("hand", cards=hand_text(self.start.hands[YOU].cards))]
        melds = ", ".join(shown(meld.cards) for meld in public.teams[0].melds)
        if melds:
            parts.append(self.tell("melds", melds=melds))
        if public.teams[0].red_threes:
            parts.append(self.tell("red-threes-lie", cards=shown(public.teams[0].red_threes)))
        if public.pile and public.phase is Phase.DRAW:
            parts.append(self.tell("pile", cards=shown(public.pile), count=len(public.pile)))
        if not public.stock_size:
            parts.append(self.tell("no-stock"))
        if public.answer:
            parts.append(self.tell("partner-yes"))
        return " ".join(parts)

    def tries(self, move: str, refused: Code | None = None) -> None:
        """What would come of this move in the first position: it is not played on."""
        self._do(self.start, YOU, move, refused)

    def plays(self, move: str, seat: int = YOU) -> None:
        """A legal move, after which the next one is played."""
        done = self._do(self.state, seat, move, None)
        if done is not None:
            self.state, self.events = done.state, done.events

    def is_refused(self, move: str, code: Code) -> None:
        """A move that is illegal after those that were played."""
        self._do(self.state, YOU, move, code)

    def proves(self, number: int, measured: int | None) -> int:
        """A number that follows from the rules, checked against the engine's.

        Raises WrongExampleError where they differ.
        """
        if number != measured:
            raise WrongExampleError(f"expected {number}, the engine says {measured}")
        return number

    def adds(self, key: str, **facts: int | str) -> None:
        """A closing sentence."""
        self.lines.append(self.tell(key, **facts))

    def _do(self, state: GameState, seat: int, move: str, refused: Code | None) -> Transition | None:
        action = read_action(move).resolve(state.hands[seat].cards)
        try:
            done = apply(state, seat, action)
        except Refusal as refusal:
            if refusal.code is not refused:
                raise WrongExampleError(f"{move}: expected {refused}, came {refusal}") from refusal
            reason = reason_text(_face(self.locale, state), refusal, view_of(state, seat))
            self.lines.append(self._line("refused", state, action_text(self.locale, action), reason))
            return None
        if refused is not None:
            raise WrongExampleError(f"{move}: expected {refused}, came nothing")
        if seat == YOU:
            more = self._came(done)
            self.lines.append(self._line("accepted", state, action_text(self.locale, action), more))
        else:
            self.lines.append(self.tell("says-yes" if move.endswith("yes") else "says-no", seat=seat + 1))
        return done

    def _line(self, key: str, state: GameState, tried: str, more: str) -> str:
        later = "" if state is self.start else "-then"
        return self.tell(f"{key}{later}", tried=tried, more=more).strip()

    def _came(self, done: Transition) -> str:
        """What a move brought about, beyond what its words say."""
        events = [
            event for event in done.events if not isinstance(event, Laid | Discarded | Asked | Declined)
        ]
        words = own_moves(_face(self.locale, done.state), YOU, events)
        public = done.state.public
        if public.reason is not None and public.went_out is None:
            words.append(self.tell("over"))
        return " ".join(words)


Scenes = Callable[[str, Rules], list[Scene]]
"""Makes the scenes of a topic, in a language. Raises WrongExampleError."""


def action_text(locale: str, action: SeatAction) -> str:
    """A move in words, as its player thinks of it: `meld K♠ K♥ K♦`."""

    def tell(key: str, **facts: int | str) -> str:
        return text(locale, f"action-{key}", **facts)

    match action:
        case Draw():
            return tell("draw")
        case TakePile(group, further):
            more = ", ".join(chip(group_text(one)) for one in further)
            if not group.cards:
                return tell("take-meld" if not more else "take-meld-further", further=more)
            cards = chip(group_text(group))
            return tell("take" if not more else "take-further", cards=cards, further=more)
        case LayMelds(groups):
            return tell("meld", cards=", ".join(chip(group_text(group)) for group in groups))
        case Discard(card):
            return tell("discard", card=shown([card]))
        case AskPartner():
            return tell("ask")
        case Decline():
            return tell("decline")
        case EndTurn():
            return tell("end")
        case _:
            return tell("answer")


def tried_text(locale: str, tried: SeatAction | str, hand: Sequence[Card]) -> str:
    """What a player tried, in words; what cannot be read stands as it was typed."""
    if isinstance(tried, str):
        try:
            tried = read_action(tried).resolve(hand)
        except Refusal:
            return name_text(str(tried), 60)
    return action_text(locale, tried)


def _face(locale: str, state: GameState) -> Face:
    """A table at which nobody has a name."""
    return Face(
        id=0,
        version=0,
        locale=locale,
        rules=state.rules,
        stage=Stage.PLAYING,
        public=state.public,
        sitters=(),
        host_id=0,
        recent=(),
        deadline=None,
        ended=None,
    )


def _meld(cards: str) -> Meld:
    laid = read_cards(cards)
    rank = Rank(next(card >> 2 for card in laid if not is_wild(card)))
    return Meld(rank_name(rank), MeldKind.SET, rank, tuple(laid), sum(map(is_wild, laid)))


def _position(
    rules: Rules,
    hand: str,
    melds: Sequence[str],
    pile: str,
    stock: str | None,
    phase: Phase,
    red_threes: str,
    others: Mapping[int, str],
) -> GameState:
    """The reader's turn. Raises WrongExampleError when the table's packs do not have these cards."""
    state = GameState.new(rules)
    public = state.public
    public.round_number, public.dealer, public.turn, public.phase = 1, rules.seats - 1, YOU, phase
    public.drawn = Source.STOCK if phase is Phase.PLAY else None
    public.pile = read_cards(pile)
    freezing = freezing_cards(rules)
    public.freezing = sum(card in freezing for card in public.pile)
    team = public.teams[0]
    for cards in melds:
        team.put(_meld(cards))
    team.red_threes = read_cards(red_threes)
    public.old_melds = len(team.melds)
    public.seat_fresh = public.team_fresh = not melds
    for seat in rules.seats_of(0):
        public.melded[seat] = bool(melds)
    hands = {YOU: read_cards(hand)} | {seat: read_cards(cards) for seat, cards in others.items()}
    named_stock = read_cards(stock or "")
    named = [
        *public.pile,
        *named_stock,
        *team.red_threes,
        *(card for held in hands.values() for card in held),
    ]
    named += [card for meld in team.melds for card in meld.cards]
    unseen = _unseen(rules, named)
    for seat in range(rules.seats):
        if seat not in hands:
            hands[seat], unseen = unseen[:_HIDDEN], unseen[_HIDDEN:]
    state.hands = [Hand.of(hands[seat]) for seat in range(rules.seats)]
    state.stock = [] if stock == "" else [*unseen[::-1], *named_stock[::-1]]
    public.sizes = [len(held.cards) for held in state.hands]
    public.stock_size = len(state.stock)
    return state


def _unseen(rules: Rules, named: Sequence[Card]) -> list[Card]:
    """The rest of the pack, well mixed, without red threes: these would need to be laid open."""
    pack = Counter(pack_of(rules.packs, rules.jokers))
    missing = Counter(named) - pack
    if missing:
        raise WrongExampleError(f"no {' '.join(map(name_of, missing))} in the pack")
    rest = sorted((pack - Counter(named)).elements(), key=lambda card: (card * 37) % 61)
    return [card for card in rest if card not in RED_THREES]
