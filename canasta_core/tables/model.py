"""A table and what belongs to it: who sits where, how far the game is, what is still to be told.

Times are unix seconds. Versions count the changes of one table from 1; each has one row in its log.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from canasta_core.actions import Action
from canasta_core.events import Event
from canasta_core.rules import Rules
from canasta_core.state import GameState
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.views import PlayerView, view_of


class Stage(StrEnum):
    LOBBY = "lobby"
    """People sit down; the game has not begun."""
    PLAYING = "playing"
    ENDED = "ended"
    """The game is over, or the table was given up: see `Table.ended`."""


class Ended(StrEnum):
    """Why a table ended."""

    FINISHED = "finished"
    """The game has a winner."""
    HOST = "host"
    """The host ended it."""
    MODERATOR = "moderator"
    """A moderator ended it."""
    DESERTED = "deserted"
    """The last person left."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody as they come in: the platform's id and the name they have now."""

    user_id: int
    name: str


@dataclass(frozen=True, slots=True)
class Sitter:
    """Who sits at a seat: a person, or an AI player of a level with a name of its own."""

    seat: int
    user_id: int | None
    """None for an AI player."""
    name: str
    ai: str = ""
    """Level of an AI player (`medium`); empty for a person."""
    since: int = 0
    """Version of the table with which they sat down."""

    @property
    def is_ai(self) -> bool:
        return self.user_id is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table as it is at one version. `state` holds hidden cards: show people `view` only."""

    id: int
    guild_id: int
    channel_id: int
    host_id: int
    rules: Rules
    stage: Stage
    version: int
    state: GameState | None
    """None in the lobby; kept when the game is over."""
    sitters: tuple[Sitter, ...]
    """By seat; free seats are left out. After the end: who sat there last."""
    deadline: float | None
    """When the next round starts by itself."""
    created_at: float
    recent: tuple[Event, ...] = ()
    """The last public events, oldest first, for «last moves»; nothing private is in them."""
    locale: str = "en"
    began: int = 0
    """Version with which the game began; 0 before."""
    turn_version: int = 0
    """Version with which the present turn, of the present sitter, began; 0 when it is nobody's turn."""
    commitment: str = ""
    """Hash of the running round's pack and salt (see `chance.commitment`); public."""
    ended: Ended | None = None

    def sitter(self, seat: int) -> Sitter | None:
        """Who sits at `seat`, if anybody."""
        return next((sitter for sitter in self.sitters if sitter.seat == seat), None)

    def seat_of(self, user_id: int) -> int | None:
        """Where a person sits, if at all."""
        return next((sitter.seat for sitter in self.sitters if sitter.user_id == user_id), None)

    @property
    def free_seats(self) -> tuple[int, ...]:
        taken = {sitter.seat for sitter in self.sitters}
        return tuple(seat for seat in range(self.rules.seats) if seat not in taken)

    @property
    def people(self) -> tuple[Sitter, ...]:
        """Sitters who are persons, by seat."""
        return tuple(sitter for sitter in self.sitters if not sitter.is_ai)

    def with_names(self, people: Iterable[Person]) -> "Table":
        """The table with the names that these people have now."""
        names = {person.user_id: person.name for person in people}
        return replace(
            self,
            sitters=tuple(
                sitter
                if sitter.user_id is None
                else replace(sitter, name=names.get(sitter.user_id, sitter.name))
                for sitter in self.sitters
            ),
        )

    def view(self, seat: int) -> PlayerView:
        """What one seat may know. Raises TableError not_started."""
        if self.state is None:
            raise TableError(TableCode.NOT_STARTED)
        return view_of(self.state, seat)


@dataclass(frozen=True, slots=True)
class Acted:
    """An accepted action: the table after it, the seat, and the events as that seat may see them."""

    table: Table
    events: tuple[Event, ...]
    seat: int


class NoticeKind(StrEnum):
    """What is to be told. BOARD and LOBBY are states, only the newest counts; the rest is told once."""

    LOBBY = "lobby"
    """Bring the lobby message up to date (also when it has become a game, or was given up). No data."""
    BOARD = "board"
    """Bring the board message up to date; it may be the first one. No data."""
    TURN = "turn"
    """A turn of a person has begun. Data: seat, user_id."""
    QUESTION = "question"
    """A partner who is a person is asked for permission. Data: seat (who asks), pending (seats)."""
    ROUND_OVER = "round_over"
    """A round is over and the game is not: its events hold RoundEnded. Data: round."""
    GAME_OVER = "game_over"
    """The last round is over: its events hold RoundEnded and GameEnded. Data: round, winner (team)."""


SLOTS: Mapping[NoticeKind, str] = {
    NoticeKind.LOBBY: "board",
    NoticeKind.BOARD: "board",
    NoticeKind.TURN: "turn",
    NoticeKind.QUESTION: "question",
    NoticeKind.ROUND_OVER: "round",
    NoticeKind.GAME_OVER: "game",
}
"""The slot under which the message that tells a notice is remembered (TableService.remember_message)."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to be told (an outbox row): written with the change of `version`, deleted when told."""

    id: int
    table_id: int
    version: int
    kind: NoticeKind
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Message:
    """A message that was sent for a table, and the version that it tells of."""

    channel_id: int
    message_id: int
    version: int


class What(StrEnum):
    """What a log row records."""

    CREATE = "create"
    JOIN = "join"
    LEAVE = "leave"
    SEAT_AI = "seat_ai"
    BEGIN = "begin"
    LOTS = "lots"
    """Chance: DrawLots. Detail: salt, commitment."""
    DEAL = "deal"
    """Chance: Deal. Detail: salt, commitment."""
    MOVE = "move"
    """An action of a seat."""
    END = "end"
    """Detail: reason."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One change of a table. The actions are the game: played one after the other they give its state.

    Packs, salts and drawn cards are in here: secret until the round is over.
    """

    version: int
    at: float
    what: What
    actor: int | None
    """User id; None when an AI player or the clock did it."""
    seat: int | None
    action: Action | None
    events: tuple[Event, ...]
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Tenure:
    """Who held a seat, from which version to which; `to_version` is None while they sit there."""

    seat: int
    user_id: int | None
    ai: str
    name: str
    from_version: int
    from_at: float
    to_version: int | None = None
    to_at: float | None = None
