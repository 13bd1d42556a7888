"""What a table or its store refuses, as codes with facts; words come from the room that shows them.

    TableError          a request that a table refuses: `code`, `facts`
      StaleTable        the table has moved on (`stale_table`)
    StoreError          the store cannot do its work: `code`, `facts`
    TellFailed          a notice could not be delivered now, and may be later

A refused action of the game is a `refusals.Refusal`, and wrong rules are a `profiles.RulesError`.
"""

from enum import StrEnum


class TableCode(StrEnum):
    """Why a table refuses a request."""

    NO_SUCH_TABLE = "no_such_table"
    TABLE_ENDED = "table_ended"
    NOT_STARTED = "not_started"
    ALREADY_STARTED = "already_started"
    NOT_SEATED = "not_seated"
    STALE_TABLE = "stale_table"
    """The table has moved on since the caller saw it. Facts: version (now)."""
    ALREADY_SEATED = "already_seated"
    """Facts: seat."""
    NO_SUCH_SEAT = "no_such_seat"
    """Facts: seat, seats."""
    SEAT_TAKEN = "seat_taken"
    """Facts: seat, name (of who sits there)."""
    TABLE_FULL = "table_full"
    SEATS_KEPT = "seats_kept"
    """What is free in a lobby is kept for those who played before; it is taken by its number only."""
    NOT_HOST = "not_host"
    """Only the host or a moderator may do this."""
    NOT_INVITED = "not_invited"
    """In a running game the host or a moderator seats newcomers."""
    NOT_YOUR_SEAT = "not_your_seat"
    """Who has seen one hand of a running game may only come back to that seat. Facts: seat."""
    ROUND_NOT_OVER = "round_not_over"
    UNKNOWN_LEVEL = "unknown_level"
    """Facts: level."""
    NO_PERSON_THERE = "no_person_there"
    """The seat is free, or an AI player's own. Facts: seat."""
    GUEST_SEATED = "guest_seated"
    """Who is invited sits there already. Facts: seat, name."""
    NOT_THEIR_SEAT = "not_their_seat"
    """Who is invited has seen another hand of this game. Facts: seat (theirs), name."""
    NO_INVITE = "no_invite"
    """Nobody is invited to the seat. Facts: seat."""
    ALREADY_HOST = "already_host"
    """Facts: name."""
    NO_SUCH_PLAYER = "no_such_player"
    """Only a person who plays here can be the host."""
    SAME_PLACE = "same_place"
    """The table is in that channel already."""
    BAD_CLOCK = "bad_clock"
    """No table has such a clock. Facts: clock (seconds)."""
    SAME_CLOCK = "same_clock"
    """The table has that clock already."""
    NO_PROPOSAL = "no_proposal"
    """No other clock is proposed, or another one than was agreed to."""
    ALREADY_AGREED = "already_agreed"
    UNDO_NOT_ALLOWED = "undo_not_allowed"
    """Nothing is taken back at this table."""
    NOTHING_TO_UNDO = "nothing_to_undo"
    """Nothing was laid since the last draw, take, question or answer of the running turn."""
    PAUSED = "paused"
    """The whole table rests. Facts: until (unix seconds)."""
    NOT_PAUSED = "not_paused"
    BAD_DATE = "bad_date"
    """A time that has passed, or too far ahead. Facts: latest (unix seconds)."""
    AWAY_LIMIT = "away_limit"
    """More than a person may be away from this table in all. Facts: left (seconds)."""
    NOT_AWAY = "not_away"
    """Who says to be back is there: neither away nor replaced for a while."""
    NO_RECORD = "no_record"
    """No round of the table is over."""
    STILL_PLAYED = "still_played"
    """Its packs can be dealt again only when the game has ended."""
    PACKS_IN_PLAY = "packs_in_play"
    """The record is closed while its packs are dealt again. Facts: where (number of that table)."""
    KNOWS_PACKS = "knows_packs"
    """Who has played the packs that are dealt again here, or looked at their record, cannot sit down.

    Facts: name.
    """
    BEING_FORGOTTEN = "being_forgotten"
    """Who acts has asked to be forgotten, and that is not done yet."""
    NO_SUCH_CUP = "no_such_cup"
    NOT_CUP_HOST = "not_cup_host"
    """Only who has opened the cup or a moderator may do this."""
    CUP_NOT_OPEN = "cup_not_open"
    """It has begun, or is over."""
    CUP_OVER = "cup_over"
    CUP_FULL = "cup_full"
    """Facts: most."""
    CUP_TOO_FEW = "cup_too_few"
    """Facts: least, there."""
    ALREADY_ENTERED = "already_entered"
    NOT_ENTERED = "not_entered"
    BAD_ROUNDS = "bad_rounds"
    """Facts: most."""
    SAME_PACKS = "same_packs"
    """Who plays the same packs at another table of the cup cannot look at this one."""
    BAD_SETTING = "bad_setting"
    """A value that the setting cannot have. Facts: setting, value."""


class StoreCode(StrEnum):
    """Why a store cannot do its work."""

    NEWER_SCHEMA = "newer_schema"
    """The file was written by a newer version of this program. Facts: found, known."""
    NOT_OURS = "not_ours"
    """A database, but of another program."""
    DAMAGED = "damaged"
    READ_ONLY = "read_only"
    LOCKED = "locked"
    """Another program holds the file for the moment."""
    IN_USE = "in_use"
    """Another process of this program works with the file. Facts: holder («123 on host», or empty)."""
    FULL = "full"
    """No room left on the disk."""
    UNAVAILABLE = "unavailable"
    """The file or its folder cannot be opened."""
    BROKEN = "broken"
    """Anything else: a defect of this program."""


class TableError(Exception):
    """A request that the table refuses; nothing has changed. `facts` holds what a sentence needs."""

    def __init__(self, code: TableCode, **facts: int | str) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts

    def __str__(self) -> str:
        detail = ", ".join(f"{key}={value}" for key, value in self.facts.items())
        return f"{self.code} ({detail})" if detail else str(self.code)


class StaleTable(TableError):
    """The version that was to be written, or was expected, is not the table's any more."""

    def __init__(self, **facts: int | str) -> None:
        super().__init__(TableCode.STALE_TABLE, **facts)


class StoreError(Exception):
    """The store cannot do its work; nothing was written. `detail` is for the log, in the driver's words."""

    def __init__(self, code: StoreCode, detail: str, **facts: int | str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.facts = facts

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class TellFailed(Exception):
    """A notice could not be delivered now; another try is worth it, after `retry_after` seconds or more."""

    def __init__(self, reason: str, retry_after: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
