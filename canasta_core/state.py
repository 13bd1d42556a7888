"""The state of a game.

What everybody may see lies in PublicState; GameState adds the hands and the stock. A view of a seat is
the public part and that seat's hand, so that nothing hidden can reach it.

These are plain slotted objects. `engine.apply` copies before it plays, so a state that a table holds is
never changed; search plays in place on copies of its own.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from canasta_core.cards import NATURAL_RANKS, RANK_BIT, RANKS, Card, Rank, count_ranks, sorted_cards
from canasta_core.rules import Rules


class Phase(StrEnum):
    """What a game waits for."""

    DEAL = "deal"
    """A new game: lots and the first deal."""
    DRAW = "draw"
    """The player in turn draws or takes."""
    PLAY = "play"
    """The player in turn melds and discards."""
    PERMISSION = "permission"
    """A partner's answer."""
    ROUND_OVER = "round_over"
    """The next deal."""
    GAME_OVER = "game_over"


class Source(StrEnum):
    """Where the cards of this turn came from."""

    STOCK = "stock"
    PILE = "pile"


class Reason(StrEnum):
    """How a round ended."""

    WENT_OUT = "went_out"
    DECLINED = "declined"
    """With no stock, the player in turn would not take the pile (R8.2, R8.3)."""
    NO_TAKE = "no_take"
    """With no stock, the player in turn could not take the pile (R8.2, R8.3)."""
    LAST_RED_THREE = "last_red_three"
    """The last stock card was a red three."""
    STOCK_EMPTY = "stock_empty"
    """A player drew from the empty stock (R8.4)."""
    STUCK = "stuck"
    """The player in turn had no legal action left (R8.5)."""


class MeldKind(StrEnum):
    SET = "set"
    RUN = "run"


@dataclass(slots=True, unsafe_hash=True)
class Meld:
    """Cards lying before a team. `label` names it for the whole round: `K`, or `S` for a run of spades.

    Never changed once made: a longer meld replaces it. (Not frozen, since search makes them by the
    million and freezing triples the price of making one.)
    """

    label: str
    kind: MeldKind
    rank: Rank
    """Rank of a set; highest rank of a run."""
    cards: tuple[Card, ...]
    """In the order laid; those of a run from the highest."""
    wilds: int

    @property
    def is_canasta(self) -> bool:
        """Seven cards or more (R5.3)."""
        return len(self.cards) >= 7

    @property
    def is_natural(self) -> bool:
        return not self.wilds

    @classmethod
    def run(cls, label: str, cards: Iterable[Card]) -> "Meld":
        """A complete run (R2.1)."""
        ordered = tuple(sorted(cards, reverse=True))
        return cls(label, MeldKind.RUN, Rank(ordered[0] >> 2), ordered, 0)


_FIRST_OF_RANK = [Card(rank * 4) for rank in range(RANKS)]


@dataclass(slots=True)
class Hand:
    """The cards a seat holds, kept in rising order, and in step with them what legality asks for most."""

    cards: list[Card]
    counts: list[int]
    """How many of each rank; indexed by rank."""
    held: int
    """Natural ranks of which the hand has a card, as bits (RANK_BIT)."""
    pairs: int
    """Those of which it has two or more."""
    triples: int
    """Those of which it has three or more."""

    @classmethod
    def of(cls, cards: Iterable[Card]) -> "Hand":
        ordered = sorted(cards)
        counts = count_ranks(ordered)
        held = pairs = triples = 0
        for rank in NATURAL_RANKS:
            count = counts[rank]
            if count:
                held |= RANK_BIT[rank]
                if count > 1:
                    pairs |= RANK_BIT[rank]
                    if count > 2:
                        triples |= RANK_BIT[rank]
        return cls(ordered, counts, held, pairs, triples)

    def copy(self) -> "Hand":
        return Hand(self.cards.copy(), self.counts.copy(), self.held, self.pairs, self.triples)

    def add(self, card: Card) -> None:
        insort(self.cards, card)
        self._count(card >> 2)

    def add_all(self, cards: Iterable[Card]) -> None:
        """The same for several, for the price of one sort."""
        for card in cards:
            self.cards.append(card)
            self._count(card >> 2)
        self.cards.sort()

    def _count(self, rank: int) -> None:
        self.counts[rank] = count = self.counts[rank] + 1
        if count == 1:
            self.held |= RANK_BIT[rank]
        elif count == 2:
            self.pairs |= RANK_BIT[rank]
        elif count == 3:
            self.triples |= RANK_BIT[rank]

    def remove(self, card: Card) -> None:
        """Raises ValueError when the card is not there."""
        self.cards.remove(card)
        rank = card >> 2
        self.counts[rank] = count = self.counts[rank] - 1
        if count == 0:
            self.held &= ~RANK_BIT[rank]
        elif count == 1:
            self.pairs &= ~RANK_BIT[rank]
        elif count == 2:
            self.triples &= ~RANK_BIT[rank]

    def of_rank(self, rank: int) -> list[Card]:
        """The cards of a rank, in the order S H D C."""
        held = self.counts[rank]
        if not held:
            return []
        start = bisect_left(self.cards, _FIRST_OF_RANK[rank])
        return self.cards[start : start + held]

    def sorted(self) -> list[Card]:
        """As a person holds them."""
        return sorted_cards(self.cards)


@dataclass(slots=True)
class Team:
    """What lies before a team. Sets are found by rank through `sets`."""

    melds: list[Meld]
    red_threes: list[Card]
    sets: list[int]
    """Index into melds of the set of each rank, or -1; indexed by rank."""
    canastas: int = 0
    has: int = 0
    """Natural ranks of which a set lies here, as bits (RANK_BIT)."""

    @classmethod
    def empty(cls) -> "Team":
        return cls([], [], [-1] * RANKS)

    def copy(self) -> "Team":
        return Team(self.melds.copy(), self.red_threes.copy(), self.sets.copy(), self.canastas, self.has)

    @property
    def opened(self) -> bool:
        return bool(self.melds)

    def put(self, meld: Meld, index: int | None = None) -> None:
        """Lay a new meld, or replace the one at `index` by its longer self."""
        if index is None:
            if meld.kind is MeldKind.SET:
                self.sets[meld.rank] = len(self.melds)
                self.has |= RANK_BIT[meld.rank]
            self.melds.append(meld)
            self.canastas += len(meld.cards) >= 7
        else:
            self.canastas += len(meld.cards) >= 7 > len(self.melds[index].cards)
            self.melds[index] = meld


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """The itemised score of one team in one round (R9.1), all in points with their sign."""

    melded: int
    in_hand: int
    natural_canastas: int
    mixed_canastas: int
    run_canastas: int
    red_threes: int
    going_out: int
    before: int
    """Total before the round."""
    after: int
    """Total after it, falls of an exact target included."""

    @property
    def total(self) -> int:
        return (
            self.melded
            + self.in_hand
            + self.natural_canastas
            + self.mixed_canastas
            + self.run_canastas
            + self.red_threes
            + self.going_out
        )


@dataclass(slots=True)
class PublicState:
    """All that everybody at the table may see."""

    rules: Rules
    phase: Phase
    round_number: int
    """0 before the first deal."""
    dealer: int
    """-1 before lots are drawn."""
    turn: int
    scores: list[int]
    teams: list[Team]
    sizes: list[int]
    """Cards in each hand."""
    stock_size: int
    pile: list[Card]
    """Bottom first, upcard last."""
    freezing: int
    """Cards in the pile that freeze it for all (R4.6)."""
    melded: list[bool]
    """Seats that have laid cards in this round."""
    asked: list[bool]
    """Seats that have asked their partner in this round."""

    drawn: Source | None = None
    laid: bool = False
    """Whether melds were laid in this turn after drawing or taking."""
    seat_fresh: bool = False
    """The player in turn had laid nothing in this round before this turn (R7.4)."""
    team_fresh: bool = False
    """Nor had the team."""
    touched: bool = False
    """In this turn, cards joined a meld that lay there before it."""
    old_melds: int = 0
    """Melds of the team in turn that lay there before this turn."""
    no_discard: bool = False
    """The turn ends without a discard (R8.3)."""
    last_turn: bool = False
    """The round ends with this turn."""
    asked_now: bool = False
    """The question was put in this turn."""
    answer: bool | None = None
    """The partners' answer in this turn."""
    pending: tuple[int, ...] = ()
    """Partners who have yet to answer."""

    reason: Reason | None = None
    went_out: int | None = None
    concealed: bool = False
    sheets: tuple[ScoreSheet, ...] = ()
    """Of each team, when the round is over."""
    winner: int | None = None
    """Team, when the game is over."""

    @property
    def upcard(self) -> Card | None:
        return self.pile[-1] if self.pile else None

    @property
    def frozen(self) -> bool:
        """For all seats (R4.6); an empty pile is not."""
        return bool(self.pile) and (self.freezing > 0 or self.rules.always_frozen)

    def frozen_for(self, team: int) -> bool:
        """Frozen for all, or for a team that has not opened (R4.5)."""
        rules = self.rules
        return bool(self.pile) and (
            self.freezing > 0 or rules.always_frozen or (rules.frozen_unopened and not self.teams[team].melds)
        )

    def minimum(self, team: int) -> int:
        """What the team needs to open, by its score now (R5.4)."""
        return self.rules.minimum(self.scores[team])

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        for name in _SCALARS:
            setattr(twin, name, getattr(self, name))
        twin.scores = self.scores.copy()
        twin.teams = [team.copy() for team in self.teams]
        twin.sizes = self.sizes.copy()
        twin.pile = self.pile.copy()
        twin.melded = self.melded.copy()
        twin.asked = self.asked.copy()
        return twin


_LISTS = ("scores", "teams", "sizes", "pile", "melded", "asked")
_SCALARS = tuple(name for name in PublicState.__slots__ if name not in _LISTS)


@dataclass(frozen=True, slots=True)
class Outline:
    """How far a game is: what can be said of it without a look at any card."""

    phase: Phase
    round_number: int
    turn: int
    pending: tuple[int, ...]


@dataclass(slots=True)
class GameState:
    """A whole game: the public part, every hand, and the stock (next card last)."""

    public: PublicState
    hands: list[Hand]
    stock: list[Card]

    @classmethod
    def new(cls, rules: Rules) -> "GameState":
        """A game before its first deal."""
        public = PublicState(
            rules=rules,
            phase=Phase.DEAL,
            round_number=0,
            dealer=-1,
            turn=0,
            scores=[0] * rules.teams,
            teams=[Team.empty() for _ in range(rules.teams)],
            sizes=[0] * rules.seats,
            stock_size=0,
            pile=[],
            freezing=0,
            melded=[False] * rules.seats,
            asked=[False] * rules.seats,
        )
        return cls(public, [Hand.of([]) for _ in range(rules.seats)], [])

    @property
    def rules(self) -> Rules:
        return self.public.rules

    def copy(self) -> "GameState":
        return GameState(self.public.copy(), [hand.copy() for hand in self.hands], self.stock.copy())
