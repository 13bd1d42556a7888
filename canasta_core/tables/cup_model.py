"""What a cup is: a tournament of tables, its people, its rounds, and what its store must do.

Everybody plays for themselves: partners change with each round, and the tables of a round have the same
packs, so that what somebody's side won there is compared with what the same seats won at the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from canasta_core.codec import decode_rules
from canasta_core.rules import Rules
from canasta_core.tables.model import Person

SEATS: Final = 4
LEAST_PEOPLE: Final = 4
MOST_PEOPLE: Final = 48
LEAST_TABLES: Final = 2
"""With one table there would be nothing to compare."""
MOST_ROUNDS: Final = 47
"""Of a round robin of so many people."""
DEFAULT_ROUNDS: Final = 3

Seats = tuple[int | None, ...]
"""User ids at the four seats of a table, partners opposite each other; None is an AI player."""


class CupKind(StrEnum):
    """How people are put together."""

    SWISS = "swiss"
    """Those of about the same standing, anew in each round."""
    ROUND_ROBIN = "round_robin"
    """Everybody is everybody's partner once."""


class CupStage(StrEnum):
    OPEN = "open"
    """People sign up."""
    PLAYING = "playing"
    OVER = "over"
    """All rounds have been played."""
    ENDED = "ended"
    """It was given up."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who has signed up."""

    user_id: int
    left: bool = False
    """Plays in no further round; what was won stays."""


@dataclass(frozen=True, slots=True)
class CupTable:
    """One table of one round, as it was paired."""

    round: int
    """From 1; so is the number."""
    number: int
    seats: Seats
    table_id: int | None = None
    """None until it is opened."""
    difference: int | None = None
    """Score of the first team less that of the second, of a match that was given up after its last full
    round; None while it runs.
    """

    @property
    def people(self) -> tuple[int, ...]:
        return tuple(user_id for user_id in self.seats if user_id is not None)


@dataclass(frozen=True, slots=True)
class CupPlace:
    """Which table of which cup a new table is."""

    cup_id: int
    round: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cup:
    """A cup as it is stored, without the packs of the running round."""

    id: int
    """0 for one that is not stored yet."""
    guild_id: int
    channel_id: int
    host_id: int
    title: str
    rules_text: str
    kind: CupKind
    rounds: int
    """How many are played; for a round robin 0 until it starts: it depends on how many take part."""
    clock: int | None
    undo: bool
    away_limit: int
    locale: str
    stage: CupStage
    round: int
    """The one that runs, or was played last; 0 before the first."""
    created_at: float
    message_id: int | None = None
    """The message to sign up with."""
    told: int = 0
    """Rounds after which the standings have been told; less than `round` when the end is still to be told."""
    entrants: tuple[Entrant, ...] = ()
    """In the order in which they signed up."""
    tables: tuple[CupTable, ...] = ()
    """By round and number."""

    @property
    def rules(self) -> Rules:
        return decode_rules(self.rules_text)

    @property
    def active(self) -> tuple[int, ...]:
        """User ids of those who take part in further rounds; former players do not."""
        return tuple(one.user_id for one in self.entrants if not one.left and one.user_id > 0)

    def entrant(self, user_id: int) -> Entrant | None:
        return next((one for one in self.entrants if one.user_id == user_id), None)

    def tables_of(self, number: int) -> tuple[CupTable, ...]:
        """The tables of a round."""
        return tuple(table for table in self.tables if table.round == number)

    @property
    def done(self) -> int:
        """How many rounds are over."""
        running = any(table.difference is None for table in self.tables_of(self.round))
        return self.round - 1 if running else self.round

    @property
    def to_tell(self) -> range:
        """Rounds after which the standings are to be told: of the running cup not those of the last round.

        They are told when the next round is drawn or the cup is over, so as what they are.
        """
        last = self.done if self.stage is not CupStage.PLAYING else min(self.done, self.round - 1)
        return range(max(0, self.told) + 1, last + 1)


class ChannelGoneError(Exception):
    """The channel of a cup was deleted: its tables can be nowhere."""

    def __init__(self, channel_id: int) -> None:
        super().__init__(f"channel {channel_id} is gone")


class CupStore(Protocol):
    """Keeps cups. Every method raises StoreError; each change is one transaction."""

    async def create_cup(self, cup: Cup) -> int:
        """Store a new cup, and return its id."""

    async def cup(self, cup_id: int) -> Cup | None: ...

    async def cups_in(self, guild_id: int) -> list[int]:
        """Ids of the cups of a guild that are open or played, oldest first."""

    async def cups_at_work(self) -> list[int]:
        """Ids of the cups that are open or played, or that have something to tell."""

    async def enter_cup(self, cup_id: int, person: Person, most: int) -> bool:
        """Sign somebody up; False, having changed nothing, when it is not open, is full, or has them."""

    async def leave_cup(self, cup_id: int, user_id: int) -> bool:
        """Before the start somebody is struck out, then noted as having left; False when there is nobody."""

    async def begin_cup(self, cup_id: int, least: int, rounds: int) -> bool:
        """Nobody signs up any more; False when it is not open, or fewer than `least` have signed up."""

    async def draw_round(self, cup_id: int, number: int, seats: Sequence[Seats], packs: str) -> bool:
        """Store who sits where in the next round, and its packs; False when that has been done already."""

    async def cup_packs(self, cup_id: int) -> str:
        """The packs of the running round: secret."""

    async def close_cup_table(self, cup_id: int, number: int, table: int, difference: int) -> None:
        """A table of a round is over; what was noted before stays."""

    async def finish_cup(self, cup_id: int, stage: CupStage) -> bool:
        """The cup is over, or given up; False when it was before."""

    async def set_cup_message(self, cup_id: int, message_id: int) -> None: ...

    async def set_cup_told(self, cup_id: int, told: int) -> None: ...


class CupTeller(Protocol):
    """Tells of a cup where it was opened, and finds places for its tables."""

    async def place(self, cup: Cup, table: CupTable) -> tuple[int, tuple[int, ...]]:
        """The channel for a table, closed to those who play at the others; and who of its people is gone.

        Gone is who can take no part because they have left the server. Raises TellFailed;
        ChannelGoneError when the cup's own channel is gone for good.
        """

    async def tell(self, cup: Cup, names: Mapping[int, str]) -> None:
        """Bring the cup's message up to date, and tell the standings that are still to be told.

        Raises TellFailed when another try is worth it.
        """
