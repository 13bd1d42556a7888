"""What tables need from outside: a store, somebody to tell, a clock, chance, and a mind for AI seats.

The store keeps columns and texts; what the texts mean (states, actions, events) is the business of
`rows.py` and the codec, so a storage engine needs no knowledge of the game.
"""

import random
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from canasta_core.actions import SeatAction
from canasta_core.cards import Card
from canasta_core.events import Event
from canasta_core.tables.cup_model import CupPlace, CupStore
from canasta_core.tables.model import Message, Notice, Person, Sitter, Table, Tenure
from canasta_core.tables.standings import (
    Game,
    Leaderboard,
    Line,
    Order,
    PastGames,
    PlayedGame,
    Pool,
    SeatRound,
    Standing,
    Standings,
)
from canasta_core.views import PlayerView


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A table as it is stored: the snapshot from which play resumes."""

    id: int
    """0 for a table that is not stored yet."""
    guild_id: int
    channel_id: int
    host_id: int
    locale: str
    profile: str
    rules: str
    stage: str
    version: int
    began: int
    turn_version: int
    state: str | None
    recent: str
    commitment: str
    deadline: float | None
    created_at: float
    ended: str | None
    ended_version: int | None
    clock: int | None
    reminder: float | None
    alarm: float | None
    """When the service has to look at the table by itself."""
    ai_turn: bool
    """An AI player has to act."""
    paused: str
    wait: str
    undo: bool
    before: str
    proposal: str
    invites: str
    lost: str
    away_limit: int
    played: int
    touched_at: float
    tally: str
    duplicate_of: int | None
    packs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GlanceRow:
    """What lists show of a table: some columns of its row."""

    id: int
    guild_id: int
    channel_id: int
    host_id: int
    locale: str
    rules: str
    stage: str
    version: int
    state: str | None
    deadline: float | None
    paused: str
    invites: str
    lost: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """One change of a table, never altered."""

    version: int
    at: float
    what: str
    actor: int | None
    seat: int | None
    action: str | None
    events: str
    detail: str


@dataclass(frozen=True, slots=True)
class NoticeRow:
    """A notice to be told; the store numbers it when it is written (id 0 before)."""

    id: int
    table_id: int
    version: int
    kind: str
    data: str
    events: str = ""
    """Of the log row of its version; the store adds it when it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRow:
    """One team's score of one finished round; `sheet` is its itemised text."""

    round_number: int
    team: int
    points: int
    score: int
    """Total after the round."""
    reason: str
    sheet: str
    finished_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """One seat's share in a finished game: all that ratings need."""

    guild_id: int
    profile: str
    shape: str
    """Players of each team, `2x2`, `1x1x1`, `3x2`."""
    seat: int
    team: int
    user_id: int | None
    ai: str
    name: str
    whole: bool
    """One person held the seat from the first deal to the end."""
    score: int
    won: bool
    rounds: int
    finished_at: float
    rating_before: float | None = None
    """In the pool of the profile and shape, of all time; None when the game did not count for the seat."""
    rating_after: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One or several consecutive changes of a table, stored together or not at all."""

    table: TableRow
    """As it is after the changes."""
    before: int
    """Version that the store must hold now; 0 for a new table."""
    log: tuple[LogRow, ...]
    """The versions from `before` + 1 to `table.version`."""
    left: tuple[tuple[int, int, float], ...] = ()
    """Seat, version and time of each tenure that ends."""
    sat: tuple[Tenure, ...] = ()
    """Tenures that begin (some may end within this commit)."""
    seated: tuple[Sitter, ...] = ()
    """Running tenures in which something has changed: missed, absent, kept, away_until, away_used."""
    notices: tuple[NoticeRow, ...] = ()
    rounds: tuple[RoundRow, ...] = ()
    seat_rounds: tuple[SeatRound, ...] = ()
    results: tuple[ResultRow, ...] = ()
    game: Game | None = None
    """The game that has finished; it gets the next number."""
    standings: Standings = field(default_factory=dict)
    """Those that it changes."""
    people: tuple[Person, ...] = ()
    """Whose last known names are brought up to date."""
    place: CupPlace | None = None
    """Which table of a cup the new table is."""


class TableStore(CupStore, Protocol):
    """Keeps tables beyond the process. Every method raises StoreError when it cannot do its work.

    A change is on disk when `commit` returns, as a whole, whatever happens to the process then.
    """

    async def open(self) -> None:
        """Make ready, migrating what an older version wrote. Raises StoreError, having changed nothing."""

    async def close(self) -> None: ...

    async def commit(self, commit: Commit) -> int:
        """Store a commit in one transaction and return the table's id.

        Raises StaleTable (facts: version) when the stored version is not `commit.before`.
        """

    async def load(self, table_id: int) -> tuple[TableRow, list[Tenure]] | None:
        """A table and who sits there (after its end: who sat there then), by seat; None if there is none.

        A person's name is the last known one.
        """

    async def load_all(self, table_ids: Iterable[int]) -> list[tuple[TableRow, list[Tenure]]]:
        """As `load`, of several tables; those that there are not are left out."""

    async def glances(self, table_ids: Iterable[int]) -> list[tuple[GlanceRow, list[Tenure]]]:
        """As `load_all`, with those columns alone that lists show; only of tables that have not ended."""

    async def versions_in(self, guild_id: int) -> dict[int, int]:
        """Versions of the tables of a guild that have not ended, by id, the oldest table first."""

    async def version(self, table_id: int) -> int | None:
        """The stored version of a table; None if there is none."""

    async def tenures(self, table_id: int) -> list[Tenure]:
        """Everybody who ever held a seat there, in the order in which they sat down."""

    async def log(self, table_id: int) -> list[LogRow]:
        """All changes of a table, oldest first."""

    async def log_row(self, table_id: int, version: int) -> LogRow | None: ...

    async def rounds(self, table_id: int) -> list[RoundRow]:
        """Scores of the finished rounds of a table, by round and team."""

    async def results(self, table_id: int) -> list[ResultRow]:
        """The seats' shares in a finished game, by seat; empty before."""

    async def seat_rounds(self, table_id: int) -> list[SeatRound]:
        """What each seat did in the finished rounds of a table, by round and seat."""

    async def standings(self, keys: Iterable[tuple[Pool, int]]) -> dict[tuple[Pool, int], Standing]:
        """Those of these pools and people that there are."""

    def games(self) -> AsyncIterator[tuple[int, Game]]:
        """Every finished game with its table's id, in the order in which they count."""

    async def replace_standings(
        self,
        standings: Standings,
        ratings: Mapping[tuple[int, int], tuple[float, float]],
    ) -> None:
        """Put these in the place of all standings; `ratings` before and after, by table and seat."""

    async def leaderboard(
        self, pool: Pool, order: Order, *, minimum: int, limit: int, offset: int
    ) -> Leaderboard:
        """Some lines of a leaderboard of the people with at least `minimum` games."""

    async def place_of(self, pool: Pool, order: Order, user_id: int, minimum: int) -> Line | None:
        """One person's line; None when they are not on it."""

    async def pools_in(self, scope: int) -> list[Pool]:
        """Pools of a scope in which somebody has played, by name and season."""

    async def played(self, user_id: int, guild_id: int | None = None) -> list[PlayedGame]:
        """Finished games in which a person sat at the end, oldest first."""

    async def past_games(self, guild_id: int, user_id: int | None, *, limit: int, offset: int) -> PastGames:
        """Finished games of a guild, or those of them in which a person sat at the end; newest first."""

    async def tables_in(self, guild_id: int, channel_id: int | None = None) -> list[int]:
        """Ids of the tables of a guild, or of one of its channels, that have not ended; oldest first."""

    async def tables_of(self, user_id: int, guild_id: int | None = None) -> list[int]:
        """Ids of the tables where a person sits that have not ended; oldest first."""

    async def playing(self) -> list[int]:
        """Ids of the tables with a running game."""

    async def waiting_for_ai(self) -> list[int]:
        """Ids of the tables where an AI player has to act."""

    async def earliest_alarm(self, after: float | None = None) -> float | None:
        """The earliest alarm of all tables; with `after`, of those that are later than that."""

    async def due(self, now: float) -> list[int]:
        """Ids of the tables whose alarm is not after `now`, earliest first."""

    async def remind(
        self,
        table_id: int,
        version: int,
        *,
        reminder: float | None,
        alarm: float | None,
        wait: str,
        notice: NoticeRow | None = None,
    ) -> bool:
        """Set what belongs to a table's reminder and write a notice, all without a new version.

        False, having changed nothing, when the table's version is not `version`.
        """

    async def to_tell(self) -> list[int]:
        """Ids of the tables that have notices."""

    async def notices(self, table_id: int) -> list[NoticeRow]:
        """Notices of a table that are still to be told, in the order in which they were written.

        Each with the events of its version.
        """

    async def told(self, notice_ids: Iterable[int]) -> None:
        """Delete notices."""

    async def message(self, table_id: int, slot: str) -> Message | None: ...

    async def remember_message(self, table_id: int, slot: str, message: Message) -> None: ...

    async def forget_message(self, table_id: int, slot: str) -> None: ...

    async def guild_settings(self, guild_id: int) -> dict[str, str]: ...

    async def set_guild_setting(self, guild_id: int, key: str, value: str | None) -> None:
        """Set one, or with None remove it."""

    async def preferences(self, user_id: int) -> dict[str, str]: ...

    async def set_preference(self, user_id: int, key: str, value: str | None) -> None:
        """Set one, or with None remove it."""

    async def duplicates(self, table_id: int) -> list[int]:
        """Ids of the tables at which the packs of a table are dealt again, oldest first."""

    async def readers(self, table_ids: Iterable[int]) -> set[int]:
        """User ids of those who have looked at the record of one of these tables."""

    async def note_reader(self, table_id: int, user_id: int) -> None:
        """Somebody has looked at the record of a table."""

    def rows_about(self, user_id: int) -> AsyncIterator[tuple[str, list[dict[str, Any]]]]:
        """All that is stored about a person, a few rows of a kind at a time, by the names of what is stored.

        Logs that were packed are given as their rows. Cards that are secret are not in it.
        """

    async def begin_forgetting(self, user_id: int) -> int:
        """The id below 0 that is to stand for a person from now on: a new one, or that begun before."""

    async def forgetting(self) -> dict[int, int]:
        """The persons of whom something may be left, with the ids that are to stand for them."""

    def tables_naming(self, user_id: int) -> AsyncIterator[list[int]]:
        """Ids of the tables with which anything about a person is stored, some at a time, lowest first."""

    async def forget_at(self, table_id: int, user_id: int, former_id: int) -> None:
        """Put a former player in the place of a person in all that is stored with a table, and no name.

        In one transaction; done again it changes nothing. The table's version stays what it is.
        """

    async def end_forgetting(self, user_id: int, former_id: int) -> None:
        """The same for what is stored with no table; then nobody knows any more whom the id stands for."""

    async def is_wiped(self) -> bool:
        """Whether nothing is left of those who were forgotten, not even where nobody looks."""

    async def wipe(self) -> None:
        """See to that. Changes wait meanwhile."""

    async def meet(self, person: Person) -> None:
        """Bring a person's last known name up to date."""

    async def names(self, user_ids: Iterable[int]) -> Mapping[int, str]:
        """Last known names; people who never came in are left out."""


class Teller(Protocol):
    """Tells people what has happened at a table, in the place where they are."""

    async def tell(self, table: Table, notice: Notice, events: tuple[Event, ...]) -> None:
        """Deliver a notice; return when it is told, or when its place is dead and it never can be.

        `table` is the table as it is now, perhaps later than the notice. `events` are the public side
        of what happened with the notice's version. It is called for one notice of a table at a time,
        in order. After a crash a notice may come twice: one whose message was remembered with its
        version does not, and board and lobby are states, to be edited where their message is.

        Raises TellFailed when another try later is worth it; a StoreError is taken as such. Any other
        exception is a defect: it is logged, and the notice is given up.
        """


class Clock(Protocol):
    def now(self) -> float:
        """Unix seconds."""

    async def sleep(self, seconds: float) -> None: ...


class Chance(Protocol):
    """Everything random that happens at a table."""

    def shuffled(self, pack: Sequence[Card]) -> tuple[Card, ...]: ...

    def numbers(self, count: int) -> tuple[int, ...]:
        """Random whole numbers from 0 to 2³² − 1."""

    def salt(self) -> str:
        """A text that cannot be guessed."""

    def rng(self) -> random.Random:
        """A freshly seeded generator for one decision of an AI player."""


class Thinker(Protocol):
    """Finds the move of an AI seat."""

    async def choose(self, level: str, view: PlayerView, rng: random.Random) -> SeatAction: ...
