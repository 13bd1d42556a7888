"""What happened, as facts; and what one seat, or nobody in particular, may see of each."""

from dataclasses import dataclass, replace
from typing import ClassVar

from canasta_core.cards import Card
from canasta_core.state import Reason, ScoreSheet


@dataclass(frozen=True, slots=True)
class LotsDrawn:
    """Each seat's card for the first deal; the highest deals (R3.1). Several rounds where cards tied."""

    kind: ClassVar[str] = "lots_drawn"
    draws: tuple[tuple[tuple[int, Card], ...], ...]
    """For every round of drawing, pairs of seat and card."""
    dealer: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """A round begins. `turned` are the cards of the first pile, or those that went back and the upcard."""

    kind: ClassVar[str] = "dealt"
    round_number: int
    dealer: int
    first: int
    turned: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class RedThreeExposed:
    kind: ClassVar[str] = "red_three_exposed"
    seat: int
    card: Card
    replaced: bool


@dataclass(frozen=True, slots=True)
class Drew:
    """Cards drawn from the stock, red threes aside. `cards` is empty for those who may not see them."""

    kind: ClassVar[str] = "drew"
    seat: int
    count: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class TookPile:
    """The upcard was melded and `cards` (public: all were discarded) joined the hand."""

    kind: ClassVar[str] = "took_pile"
    seat: int
    upcard: Card
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Laid:
    """`cards` joined the meld `label` of the seat's team, or started it; `size` is its length now."""

    kind: ClassVar[str] = "laid"
    seat: int
    label: str
    cards: tuple[Card, ...]
    size: int
    started: bool


@dataclass(frozen=True, slots=True)
class CanastaMade:
    kind: ClassVar[str] = "canasta_made"
    seat: int
    label: str
    natural: bool


@dataclass(frozen=True, slots=True)
class Opened:
    """A team's first melds of the round, worth `laid` against its `minimum`."""

    kind: ClassVar[str] = "opened"
    seat: int
    laid: int
    minimum: int


@dataclass(frozen=True, slots=True)
class Discarded:
    kind: ClassVar[str] = "discarded"
    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class Asked:
    kind: ClassVar[str] = "asked"
    seat: int
    partners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    kind: ClassVar[str] = "answered"
    seat: int
    yes: bool


@dataclass(frozen=True, slots=True)
class Declined:
    kind: ClassVar[str] = "declined"
    seat: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn without a discard was ended (R8.3)."""

    kind: ClassVar[str] = "turn_ended"
    seat: int


@dataclass(frozen=True, slots=True)
class WentOut:
    kind: ClassVar[str] = "went_out"
    seat: int
    concealed: bool


@dataclass(frozen=True, slots=True)
class TakenBack:
    """`cards`, laid in this turn in one action, are in the hand again (R5.6); only tables tell this."""

    kind: ClassVar[str] = "taken_back"
    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """`hands` are the cards left, shown to all when a round is over; `sheets` and `scores` by team."""

    kind: ClassVar[str] = "round_ended"
    reason: Reason
    hands: tuple[tuple[Card, ...], ...]
    sheets: tuple[ScoreSheet, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameEnded:
    kind: ClassVar[str] = "game_ended"
    winner: int
    scores: tuple[int, ...]


Event = (
    LotsDrawn
    | Dealt
    | RedThreeExposed
    | Drew
    | TookPile
    | Laid
    | CanastaMade
    | Opened
    | Discarded
    | Asked
    | Answered
    | Declined
    | TurnEnded
    | WentOut
    | RoundEnded
    | GameEnded
    | TakenBack
)


def seen_by(event: Event, seat: int | None) -> Event:
    """The event as `seat` may see it; None is somebody who sits nowhere."""
    if isinstance(event, Drew) and event.seat != seat:
        return replace(event, cards=())
    return event
