"""Who may sit where, and what happens when people come and go: edits of a Change."""

from typing import Final

from canasta_core import ai
from canasta_core.actions import Deal, DrawLots
from canasta_core.rules import Rules
from canasta_core.tables.change import Change, audit
from canasta_core.tables.errors import StaleTable, TableCode, TableError
from canasta_core.tables.model import Ended, Invite, NoticeKind, Person, Stage, Table, What
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
    """Raises StaleTable when the game has moved on since the version that the caller saw."""
    if expected is not None and not table.is_current(expected):
        raise StaleTable(version=table.version)


def check_level(level: str) -> None:
    """Raises TableError unknown_level."""
    if level not in ai.levels():
        raise TableError(TableCode.UNKNOWN_LEVEL, level=level[:20])


def check_manager(table: Table, by: Person, moderator: bool) -> bool:
    """Whether it takes a moderator's right, as the log is to say. Raises TableError not_host."""
    if by.user_id == table.host_id:
        return False
    if not moderator:
        raise TableError(TableCode.NOT_HOST)
    return True


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


def kept_seats(table: Table) -> tuple[int, ...]:
    """Free seats of a lobby that are kept for persons who have not come yet."""
    return tuple(invite.seat for invite in table.invites if invite.seat in table.free_seats)


def free_seat(table: Table, seat: int | None, *, replace_ai: bool) -> int:
    """The seat to sit down at: `seat`, or the first free one that is kept for nobody.

    Raises TableError no_such_seat, seat_taken, table_full, seats_kept.
    """
    if seat is None:
        kept = kept_seats(table)
        free = [one for one in table.free_seats if one not in kept]
        if not free:
            raise TableError(TableCode.SEATS_KEPT if kept else TableCode.TABLE_FULL)
        return free[0]
    check_seat(seat, table.rules.seats)
    sitter = table.sitter(seat)
    if sitter is not None and not (replace_ai and sitter.is_ai):
        raise TableError(TableCode.SEAT_TAKEN, seat=seat, name=sitter.name)
    return seat


def new_table(
    guild_id: int,
    channel_id: int,
    host: Person,
    rules: Rules,
    *,
    now: float,
    locale: str,
    clock: int | None,
    undo: bool,
    away_limit: int,
    duplicate_of: int | None = None,
    packs: tuple[DrawLots | Deal, ...] = (),
    invites: tuple[Invite, ...] = (),
) -> Table:
    """A table that nobody has stored yet, and where nobody sits."""
    return Table(
        id=0,
        guild_id=guild_id,
        channel_id=channel_id,
        host_id=host.user_id,
        rules=rules,
        stage=Stage.LOBBY,
        version=0,
        state=None,
        sitters=(),
        deadline=None,
        created_at=now,
        locale=locale,
        clock=clock,
        undo=undo,
        away_limit=away_limit,
        duplicate_of=duplicate_of,
        packs=packs,
        invites=invites,
    )


def open_table(change: Change, host: Person, seat: int) -> None:
    """The host sits down at a new table, and it is there."""
    change.seat_person(seat, host)
    detail = {} if change.table.duplicate_of is None else {"duplicate_of": change.table.duplicate_of}
    change.step(What.CREATE, actor=host.user_id, seat=seat, detail=detail)


def add_ai(
    change: Change, by: Person, level: str, seat: int | None, *, moderator: bool, chance: Chance
) -> None:
    """An AI player takes a free seat in the lobby; the game begins when that fills the table."""
    check_lobby(change.table)
    by_moderator = check_manager(change.table, by, moderator)
    check_level(level)
    chosen = free_seat(change.table, seat, replace_ai=False)
    change.seat_ai(chosen, level)
    detail = {"level": level, **audit(by_moderator)}
    change.step(What.SEAT_AI, actor=by.user_id, seat=chosen, detail=detail)
    begin_when_full(change, chance)


def begin_when_full(change: Change, chance: Chance) -> None:
    if change.table.stage is Stage.LOBBY and not change.table.free_seats:
        change.begin(chance, None)


def begin(change: Change, by: Person, *, moderator: bool, chance: Chance) -> None:
    """The host starts: AI players fill the free seats."""
    check_lobby(change.table)
    by_moderator = check_manager(change.table, by, moderator)
    for seat in change.table.free_seats:
        change.seat_ai(seat, STAND_IN)
        detail = {"level": STAND_IN, **audit(by_moderator)}
        change.step(What.SEAT_AI, actor=by.user_id, seat=seat, detail=detail)
    change.begin(chance, by.user_id, by_moderator=by_moderator)


def leave(change: Change, person: Person) -> None:
    """A person gets up: in the lobby the seat is free again, in a game an AI player takes it at once.

    The host's part passes to the next person; a table without any person ends.
    """
    check_open(change.table)
    get_up(change, person.user_id, seat_of(change.table, person.user_id), actor=person.user_id)


def get_up(change: Change, user_id: int, seat: int, *, actor: int) -> None:
    """A person gets up from a seat; `actor` is who is on record for it."""
    if change.table.stage is Stage.LOBBY:
        change.vacate(seat)
    else:
        change.seat_ai(seat, STAND_IN)
    detail = pass_host_on(change, user_id, seat)
    if change.table.stage is Stage.PLAYING:
        change.tell(NoticeKind.LEFT, seat=seat, user_id=actor, **detail)
    change.step(What.LEAVE, actor=actor, seat=seat, detail=detail)
    end_when_deserted(change)


def pass_host_on(change: Change, user_id: int, seat: int) -> dict[str, object]:
    """When it was the host who has got up there, the next person clockwise is; who plays goes first.

    What the log row is to say of it.
    """
    heirs = [sitter for sitter in change.table.people if sitter.is_active] or list(change.table.people)
    if not heirs or change.table.host_id != user_id:
        return {}
    heir = next((sitter for sitter in heirs if sitter.seat > seat), heirs[0])
    assert heir.user_id is not None, "people are not AI players"
    change.make_host(heir.user_id)
    return {"host": heir.user_id}


def end_when_deserted(change: Change) -> None:
    """A table without any person ends."""
    if not change.table.people:
        change.end(Ended.DESERTED)
        change.step(What.END, detail={"reason": Ended.DESERTED})


def end(change: Change, by: Person, *, moderator: bool) -> None:
    """The host or a moderator ends the table."""
    check_open(change.table)
    by_moderator = check_manager(change.table, by, moderator)
    reason = Ended.MODERATOR if by_moderator else Ended.HOST
    change.end(reason)
    change.step(What.END, actor=by.user_id, detail={"reason": reason, **audit(by_moderator)})
