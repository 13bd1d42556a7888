"""The rules of one table: every knob of every profile, in one frozen value.

A profile is data (`profiles/*.toml`); an algorithm that profiles choose between is a closed enum here.
Nothing in the engine asks for a profile's name. The resolved Rules are stored with the table, so a
changed file never changes a running game (RULES.md §2).
"""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final

from canasta_core.cards import BLACK_THREES, JOKER, RED_THREES, TWO, Card, card_of


class CardClass(StrEnum):
    """Cards that a rule names together."""

    WILD = "wild"
    RED_THREE = "red_three"
    BLACK_THREE = "black_three"

    def cards(self) -> tuple[Card, ...]:
        match self:
            case CardClass.WILD:
                return (JOKER, *(card_of(TWO, suit) for suit in range(4)))
            case CardClass.RED_THREE:
                return RED_THREES
            case CardClass.BLACK_THREE:
                return BLACK_THREES


class UnfitUpcard(StrEnum):
    """What becomes of a first upcard that may not be one (R3.3)."""

    COVER = "cover"
    """The next card is turned onto it, until one is fit."""
    RETURN = "return"
    """Another is turned, and it goes back into the stock at a random place."""


class TakeWay(StrEnum):
    """How an upcard may be melded when the pile is not frozen (R4.4)."""

    ANY = "any"
    """Natural pair, natural and wild, or onto an own meld."""
    ONE_NATURAL = "one_natural"
    """The same, but always with a matching natural from the hand."""
    PAIR_OR_MELD = "pair_or_meld"
    """Natural pair, or onto an own meld."""


class LastRedThree(StrEnum):
    """What happens when the last stock card drawn is a red three."""

    END = "end"
    """The round ends at once."""
    MELD_THEN_END = "meld_then_end"
    """The drawer may still meld, without a discard; then the round ends."""
    PLAY_ON = "play_on"
    """The turn goes on."""


class BlackThrees(StrEnum):
    """When black threes may be melded (R5.5)."""

    GOING_OUT = "going_out"
    """In an action that leaves at most one card, to be discarded."""
    ALONE = "alone"
    """The same, and the card left is a black three too."""


class Permission(StrEnum):
    """Whether the partner is asked before going out (R7.3)."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


class Concealed(StrEnum):
    """What counts as a concealed exit (R7.4)."""

    NONE = "none"
    SEAT_WITH_CANASTA = "seat_with_canasta"
    """Whole hand in one turn, the seat laid nothing before, adds to no older meld, lays a canasta."""
    TEAM = "team"
    """Whole hand in one turn, the team had melded nothing before it."""
    SEAT = "seat"
    """Whole hand in one turn, the seat had melded nothing before it."""


class Exhausted(StrEnum):
    """How play goes on with an empty stock (R8)."""

    MUST_TAKE = "must_take"
    """R8.2: a fitting upcard must be taken; the first refusal ends the round."""
    UPCARD_ALONE = "upcard_alone"
    """R8.3: the upcard alone is taken; nobody discards."""
    PILE_NO_DISCARD = "pile_no_discard"
    """R8.3 with `exhausted_take: pile`: the whole pile is taken; nobody discards."""
    DRAW_ENDS = "draw_ends"
    """R8.4: drawing from the empty stock ends the round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The resolved rules of one table. Points, cards and seats are whole numbers."""

    profile: str
    """Id of the profile these rules came from: for people and statistics, never for decisions."""
    options: tuple[tuple[str, int | bool | str], ...] = ()
    """House options that differ from the profile's defaults, sorted by name."""

    seats: int
    teams: int
    """Seat k belongs to team k mod teams (R3.2)."""
    packs: int
    """Packs of 52 cards."""
    jokers: int
    """Jokers in all."""
    hand: int
    """Cards dealt to each seat."""
    draw: int
    """Cards drawn from the stock in a turn (R4.1)."""
    values: tuple[int, ...]
    """Points of a card, indexed by rank (R1.2)."""

    unfit: tuple[CardClass, ...]
    """First upcards that may not be one (R3.3)."""
    unfit_upcard: UnfitUpcard
    freezing: tuple[CardClass, ...]
    """Cards that freeze the pile for all as long as they lie in it (R4.6)."""
    always_frozen: bool
    """The pile always needs a natural pair."""
    frozen_unopened: bool
    """The pile is frozen for a team that has not opened (R4.5)."""
    take: TakeWay

    max_wilds: int | None
    """Wilds in a meld at most; None is no limit (R5.1)."""
    min_naturals: int
    """Naturals in a meld at least (R5.1)."""
    runs: bool
    """A natural run of seven of one suit may be laid, complete, as a canasta (R2.1)."""
    black_threes: BlackThrees
    opening_below: tuple[tuple[int, int], ...]
    """Pairs of a score and the opening minimum of a team below it, rising (R5.4)."""
    opening_top: int
    """Opening minimum of a team above all of them."""

    canastas_to_go_out: int
    permission: Permission
    ask_before_melds: bool
    """The question comes before any meld but those of the take (R7.3)."""
    ask_once_a_round: bool
    """Each player may ask only once a round (R7.3)."""
    concealed: Concealed
    waive_minimum: bool
    """No opening minimum for a concealed exit after drawing (R7.4)."""
    last_red_three: LastRedThree
    exhausted: Exhausted

    natural_canasta: int
    mixed_canasta: int
    run_canasta: int
    going_out: int
    going_out_concealed: int
    red_three: int
    """Each red three."""
    red_threes_all: int
    """All red threes of the pack with one team (R9.1)."""
    red_threes_negative: bool
    """Red threes count against a team that melded nothing."""
    target: int
    exact_target: bool
    """The target must be hit exactly; a team that passes it falls back (R2.1, R9.4)."""

    @property
    def pack_size(self) -> int:
        return self.packs * 52 + self.jokers

    @property
    def red_threes_in_pack(self) -> int:
        return self.packs * 2

    @property
    def fallback(self) -> int:
        """Where a team falls that passes an exact target: the opening bracket below it (R2.1)."""
        return max((score for score, _ in self.opening_below if score < self.target), default=0)

    def minimum(self, score: int) -> int:
        """Points that a team with this score must lay to open (R5.4)."""
        for below, minimum in self.opening_below:
            if score < below:
                return minimum
        return self.opening_top

    def team_of(self, seat: int) -> int:
        return seat % self.teams

    def seats_of(self, team: int) -> range:
        return range(team, self.seats, self.teams)

    @property
    def has_partners(self) -> bool:
        return self.seats > self.teams

    def partners_of(self, seat: int) -> tuple[int, ...]:
        return tuple(other for other in self.seats_of(self.team_of(seat)) if other != seat)


KNOBS: Final = tuple(field.name for field in fields(Rules) if field.name not in ("profile", "options"))
"""Every knob by name."""
