"""A table and what belongs to it: who sits where, how far the game is, what is still to be told.

Times are unix seconds. Versions count the changes of one table from 1; each has one row in its log.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from canasta_core.actions import Action, Deal, DrawLots
from canasta_core.events import Event
from canasta_core.rules import Rules
from canasta_core.state import GameState
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.tally import Tally
from canasta_core.views import PlayerView, view_of

DAY: Final = 86_400
"""Seconds."""
CLOCKS: Final[tuple[int | None, ...]] = (None, 300, 3_600, 8 * 3_600, DAY, 2 * DAY, 3 * DAY, 7 * DAY)
"""The clocks that a table may have: seconds for a turn, None for as long as it takes."""
DEFAULT_CLOCK: Final = DAY
NO_SERVER: Final = "server"
"""Why a table's channel cannot be reached when the bot is not on the table's server at all."""
AWAY_LIMIT: Final = 14 * DAY
"""Seconds that a person may be away from one table in all, unless the server says otherwise."""


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
    """The last person left, or nobody came back for a long time."""
    EXPIRED = "expired"
    """Nobody began the game for a long time."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody as they come in: the platform's id and the name they have now."""

    user_id: int
    name: str


def is_former(user_id: int | None) -> bool:
    """Whether an id stands for somebody who was forgotten: a former player, who has no name."""
    return user_id is not None and user_id < 0


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
    missed: int = 0
    """Turns in a row that the clock ended for them."""
    absent: bool = False
    """An AI player keeps the seat until the person comes back."""
    kept: bool = False
    """An AI player has kept the seat at some time since they sat down, so it counts for no rating."""
    away_until: float | None = None
    """Their clock rests until then; it may have passed."""
    away_used: float = 0.0
    """Seconds that they have been away from this table, with those that are agreed until `away_until`."""

    @property
    def is_ai(self) -> bool:
        return self.user_id is None

    @property
    def is_active(self) -> bool:
        """A person who plays, not one whose seat an AI player keeps."""
        return self.user_id is not None and not self.absent


@dataclass(frozen=True, slots=True)
class Pause:
    """The whole table rests until a time, or until somebody resumes it."""

    until: float
    by: int
    """User id."""


@dataclass(frozen=True, slots=True)
class Wait:
    """How far the wait for the people who must move now has come; it begins anew with each occasion.

    An occasion is a turn, a question to partners, what is left of a turn after the answer, or the pause
    between two rounds.
    """

    owed: tuple[int, ...] = ()
    """Seats whose clock ran out: an AI player finishes the running turn, or answers, for them."""
    remaining: float | None = None
    """Seconds that the clock had left when it stopped; None while it runs, or when none ran."""
    reminded: bool = False
    """Nobody is to be reminded once more."""
    asked: tuple[int, ...] = ()
    """Seats of the persons who were told of the question that is open."""
    late: bool = False
    """Somebody has moved after their clock ran out, and got a short while more: there is no other."""
    since: float | None = None
    """Unix seconds since which it has gone on without a rest, at a table without a clock; else None."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Another clock, which all who play must agree to."""

    clock: int | None
    by: int
    """User id."""
    agreed: tuple[int, ...]
    """User ids, with who proposed it."""
    version: int
    """Version with which it was made: what its buttons belong to."""


@dataclass(frozen=True, slots=True)
class Invite:
    """A seat that an AI player holds and a person may take; in a lobby one that is kept for a person."""

    seat: int
    user_id: int | None
    """Who is invited; None: anybody."""


class Seats:
    """Who sits where, of whatever has sitters."""

    __slots__ = ()
    rules: Rules
    sitters: tuple[Sitter, ...]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Seats):
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
    """When the running turn, or the pause between two rounds, ends by itself; None while no clock runs."""
    created_at: float
    recent: tuple[Event, ...] = ()
    """The last public events, oldest first, for «last moves»; nothing private is in them."""
    locale: str = "en"
    began: int = 0
    """Version with which the game began; 0 before."""
    turn_version: int = 0
    """Version with which the present turn, of the present sitter, began for them; 0 when it is nobody's
    turn, or that of a person who was away or whose table was paused then: they are told later."""
    commitment: str = ""
    """Hash of the running round's pack and salt (see `fairness.commitment`); public."""
    ended: Ended | None = None
    clock: int | None = DEFAULT_CLOCK
    """Seconds for a turn; None: as long as it takes."""
    reminder: float | None = None
    """When the person whose clock runs is to be reminded; None when that is done or not wanted."""
    paused: Pause | None = None
    wait: Wait = Wait()
    undo: bool = True
    """The melds of the running turn may be taken back (R5.6)."""
    before: tuple[GameState, ...] = ()
    """States that the melds of the running turn can be taken back to, oldest first."""
    proposal: Proposal | None = None
    invites: tuple[Invite, ...] = ()
    lost: str = ""
    """Why its channel cannot be reached; empty while it can."""
    away_limit: int = AWAY_LIMIT
    """Seconds that each person may be away in all."""
    played: int = 0
    """Version with which the game itself last changed: a deal, a move, an undo."""
    touched_at: float = 0.0
    """When it last changed."""
    duplicate_of: int | None = None
    """The table whose packs are dealt again here; never one that is a duplicate itself."""
    packs: tuple[DrawLots | Deal, ...] = ()
    """The shuffles of that game that are still to come: secret."""
    tally: tuple[Tally, ...] = ()
    """What each seat has done in the running round; empty before the first, and in a round that began
    before there were such counts.
    """

    def kept_for(self, user_id: int) -> int | None:
        """The seat that is kept for a person or to which they are invited by name, if any."""
        return next((invite.seat for invite in self.invites if invite.user_id == user_id), None)

    @property
    def is_out_of_reach(self) -> bool:
        """The bot is not on the table's server: nobody can see the table, or move."""
        return self.lost == NO_SERVER

    @property
    def rests(self) -> bool:
        """Nobody moves, AI players neither: it is paused, out of reach, or no person plays at present."""
        return (
            self.paused is not None
            or self.is_out_of_reach
            or not any(sitter.is_active for sitter in self.sitters)
        )

    def is_current(self, version: int) -> bool:
        """Whether what somebody saw at `version` still is the game as it stands."""
        return self.played <= version <= self.version

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
    REMINDER = "reminder"
    """The clock of a person will run out. Data: seat, user_id, deadline."""
    STAND_IN = "stand_in"
    """An AI player keeps the seat of a person from now on. Data: seat, user_id."""
    PROPOSAL = "proposal"
    """Another clock is proposed. Data: clock, by (user id)."""
    INVITE = "invite"
    """A seat that an AI player holds is open. Data: seat, user_id (null: to anybody)."""
    MOVED = "moved"
    """The table has moved to another channel. Data: from_channel, by (user id)."""
    LEFT = "left"
    """A person has left a running game, and an AI player plays. Data: seat, user_id, host (if another is)."""
    REPLACED = "replaced"
    """A person has lost their seat, to an AI player or (`taken`) to `by`.

    Data: seat, user_id, by (user id), moderator or taken (true or false).
    """


SLOTS: Mapping[NoticeKind, str] = {
    NoticeKind.LOBBY: "board",
    NoticeKind.BOARD: "board",
    NoticeKind.TURN: "turn",
    NoticeKind.QUESTION: "question",
    NoticeKind.ROUND_OVER: "round",
    NoticeKind.GAME_OVER: "game",
    NoticeKind.REMINDER: "reminder",
    NoticeKind.STAND_IN: "stand_in",
    NoticeKind.PROPOSAL: "proposal",
    NoticeKind.INVITE: "invite",
    NoticeKind.MOVED: "moved",
    NoticeKind.LEFT: "leaver",
    NoticeKind.REPLACED: "replaced",
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
    UNTOLD = "untold"
    """The clock ran out for a seat that could not be told of its turn: it begins anew."""
    MISSED = "missed"
    """The clock ran out for a seat: an AI player finishes its turn, or answers for it."""
    KEPT = "kept"
    """From now on an AI player keeps the seat of a person."""
    BACK = "back"
    """A person is back at a seat that was kept, or from being away."""
    AWAY = "away"
    """Detail: until."""
    REPLACE = "replace"
    """A person's seat was given to an AI player."""
    INVITE = "invite"
    """Detail: user_id (null: open to anybody)."""
    HOST = "host"
    """The host's part was handed over. Detail: user_id."""
    PAUSE = "pause"
    """Detail: until."""
    RESUME = "resume"
    MOVE_PLACE = "move_place"
    """The table moved to another channel. Detail: from_channel, to_channel."""
    LOST = "lost"
    """Its channel cannot be reached. Detail: channel, why."""
    FOUND = "found"
    """It can again."""
    PROPOSE = "propose"
    """Another clock was proposed. Detail: clock."""
    AGREE = "agree"
    DISAGREE = "disagree"
    """The proposal is off."""
    CLOCK = "clock"
    """The clock was changed. Detail: clock."""
    UNDO = "undo"
    """Melds of the running turn were taken back: the state is that before the last one."""
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
    missed: int = 0
    absent: bool = False
    kept: bool = False
    away_until: float | None = None
    away_used: float = 0.0
    """This and the four before: see Sitter."""


class Reminders(StrEnum):
    """Where a person wants to be reminded of a clock."""

    CHANNEL = "channel"
    DM = "dm"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person has chosen for themselves, at all tables."""

    reminders: Reminders = Reminders.CHANNEL
    quiet: tuple[int, int] | None = None
    """Minutes of the day, in their zone, from which and until which nothing should make a noise."""
    zone: str = "UTC"
    """Name of a time zone of the IANA database."""
    two_step: bool = False
    """A discard is asked for once more."""
    worldwide: bool = False
    """Their results may be shown on leaderboards of all servers."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What the people who run a server have chosen for its tables."""

    channels: frozenset[int] = frozenset()
    """Where tables may be opened; empty: everywhere."""
    profile: str = "classic"
    """Of a new table, unless its host chooses another; so the next ones."""
    clock: int | None = DEFAULT_CLOCK
    locale: str = ""
    """Empty: that of the host."""
    host_roles: frozenset[int] = frozenset()
    """Roles that may open tables; empty: everybody."""
    threads: bool = False
    """Each table gets a thread of its own."""
    away_days: int = AWAY_LIMIT // DAY
    undo: bool = True
