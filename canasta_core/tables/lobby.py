"""Who may sit where, and what happens when people come and go: edits of a Change."""

from collections.abc import Sequence
from typing import Final

from canasta_core import ai
from canasta_core.tables.change import Change
from canasta_core.tables.errors import StaleTable, TableCode, TableError
from canasta_core.tables.model import Ended, Person, Sitter, Stage, Table, Tenure, What
from canasta_core.tables.ports import Chance

STAND_IN: Final = "medium"
"""Level of the AI players that fill seats nobody chose one for."""


def check_open(table: Table) -> None:
    """Raises TableError table_ended."""
    if table.stage is Stage.ENDED:
        raise TableError(TableCode.TABLE_ENDED)


def check_playing(table: Table) -> None:
    """Raises TableError table_ended, not_started."""
    check_open(table)
    if table.stage is Stage.LOBBY:
        raise TableError(TableCode.NOT_STARTED)


def check_lobby(table: Table) -> None:
    """Raises TableError table_ended, already_started."""
    check_open(table)
    if table.stage is Stage.PLAYING:
        raise TableError(TableCode.ALREADY_STARTED)


def check_version(table: Table, expected: int | None) -> None:
    """Raises StaleTable when the caller saw another version."""
    if expected is not None and expected != table.version:
        raise StaleTable(version=table.version)


def check_level(level: str) -> None:
    """Raises TableError unknown_level."""
    if level not in ai.levels():
        raise TableError(TableCode.UNKNOWN_LEVEL, level=level[:20])


def check_manager(table: Table, by: Person, moderator: bool) -> None:
    """Raises TableError not_host."""
    if not moderator and by.user_id != table.host_id:
        raise TableError(TableCode.NOT_HOST)


def check_seat(seat: int, seats: int) -> None:
    """Raises TableError no_such_seat."""
    if not 0 <= seat < seats:
        raise TableError(TableCode.NO_SUCH_SEAT, seat=seat, seats=seats)


def seat_of(table: Table, user_id: int) -> int:
    """Raises TableError not_seated."""
    seat = table.seat_of(user_id)
    if seat is None:
        raise TableError(TableCode.NOT_SEATED)
    return seat


def free_seat(table: Table, seat: int | None, *, replace_ai: bool) -> int:
    """The seat to sit down at: `seat`, or the first free one.

    Raises TableError no_such_seat, seat_taken, table_full.
    """
    if seat is None:
        if not table.free_seats:
            raise TableError(TableCode.TABLE_FULL)
        return table.free_seats[0]
    check_seat(seat, table.rules.seats)
    sitter = table.sitter(seat)
    if sitter is not None and not (replace_ai and sitter.is_ai):
        raise TableError(TableCode.SEAT_TAKEN, seat=seat, name=sitter.name)
    return seat


def seat_in_game(
    table: Table, person: Person, seat: int | None, past: Sequence[Tenure], *, invited: bool
) -> int:
    """The seat that a person may take in a running game: only one that an AI player holds.

    Who has held a seat in this game comes back to it, and to no other: they have seen its hand.
    Anybody else needs the invitation of the host or of a moderator.

    Raises TableError not_your_seat, table_full, not_invited, no_such_seat, seat_taken.
    """
    own = next(
        (
            tenure.seat
            for tenure in past
            if tenure.user_id == person.user_id
            and (tenure.to_version is None or tenure.to_version > table.began)
        ),
        None,
    )
    if own is not None:
        if seat is not None and seat != own:
            raise TableError(TableCode.NOT_YOUR_SEAT, seat=own)
        return free_seat(table, own, replace_ai=True)
    played_by_ai = [sitter.seat for sitter in table.sitters if sitter.is_ai]
    if not played_by_ai:
        raise TableError(TableCode.TABLE_FULL)
    if not invited:
        raise TableError(TableCode.NOT_INVITED)
    return free_seat(table, played_by_ai[0] if seat is None else seat, replace_ai=True)


def join(
    change: Change, person: Person, seat: int | None, past: Sequence[Tenure], *, invited: bool, chance: Chance
) -> None:
    """A person sits down; the game begins when that fills the table."""
    table = change.table
    check_open(table)
    held = table.seat_of(person.user_id)
    if held is not None:
        raise TableError(TableCode.ALREADY_SEATED, seat=held)
    if table.stage is Stage.LOBBY:
        chosen = free_seat(table, seat, replace_ai=True)
    else:
        chosen = seat_in_game(table, person, seat, past, invited=invited)
    change.seat_person(chosen, person)
    change.step(What.JOIN, actor=person.user_id, seat=chosen)
    begin_when_full(change, chance)


def add_ai(
    change: Change, by: Person, level: str, seat: int | None, *, moderator: bool, chance: Chance
) -> None:
    """An AI player takes a free seat in the lobby; the game begins when that fills the table."""
    check_lobby(change.table)
    check_manager(change.table, by, moderator)
    check_level(level)
    chosen = free_seat(change.table, seat, replace_ai=False)
    change.seat_ai(chosen, level)
    change.step(What.SEAT_AI, actor=by.user_id, seat=chosen, detail={"level": level})
    begin_when_full(change, chance)


def begin_when_full(change: Change, chance: Chance) -> None:
    if change.table.stage is Stage.LOBBY and not change.table.free_seats:
        change.begin(chance, None)


def begin(change: Change, by: Person, *, moderator: bool, chance: Chance) -> None:
    """The host starts: AI players fill the free seats."""
    check_lobby(change.table)
    check_manager(change.table, by, moderator)
    for seat in change.table.free_seats:
        change.seat_ai(seat, STAND_IN)
        change.step(What.SEAT_AI, actor=by.user_id, seat=seat, detail={"level": STAND_IN})
    change.begin(chance, by.user_id)


def leave(change: Change, person: Person) -> None:
    """A person gets up: in the lobby the seat is free again, in a game an AI player takes it at once.

    The host's part passes to the next person; a table without any person ends.
    """
    table = change.table
    check_open(table)
    seat = seat_of(table, person.user_id)
    if table.stage is Stage.LOBBY:
        change.vacate(seat)
    else:
        change.seat_ai(seat, STAND_IN)
    heirs = change.table.people
    if heirs and table.host_id == person.user_id:
        change.make_host(_next_heir(heirs, seat))
    change.step(What.LEAVE, actor=person.user_id, seat=seat)
    if not heirs:
        change.end(Ended.DESERTED)
        change.step(What.END, detail={"reason": Ended.DESERTED})


def _next_heir(people: Sequence[Sitter], seat: int) -> int:
    """User id of the first person clockwise from a seat."""
    first = next((sitter for sitter in people if sitter.seat > seat), people[0])
    assert first.user_id is not None, "people are not AI players"
    return first.user_id


def end(change: Change, by: Person, *, moderator: bool) -> None:
    """The host or a moderator ends the table."""
    check_open(change.table)
    check_manager(change.table, by, moderator)
    reason = Ended.HOST if by.user_id == change.table.host_id else Ended.MODERATOR
    change.end(reason)
    change.step(What.END, actor=by.user_id, detail={"reason": reason})
