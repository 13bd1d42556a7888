"""Being away, coming back, and the pause of a whole table: edits of a Change."""

from dataclasses import replace
from typing import Final

from canasta_core.tables import lobby
from canasta_core.tables.change import Change, audit
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import DAY, Pause, Person, Sitter, Table, What

LONGEST_AWAY: Final = 365 * DAY
"""Seconds ahead that somebody may say to be away, whatever the table's limit."""
LONGEST_PAUSE: Final = 30 * DAY
"""Seconds ahead that a table may be paused."""


def check_not_paused(table: Table) -> None:
    """Raises TableError paused."""
    if table.paused is not None:
        raise TableError(TableCode.PAUSED, until=int(table.paused.until))


def away_left(table: Table, sitter: Sitter, now: float) -> float:
    """Seconds that somebody may still be away from the table, counted from now."""
    return max(0.0, table.away_limit - sitter.away_used + _unspent(sitter, now))


def away(change: Change, person: Person, until: float) -> None:
    """Somebody is away until a time, longer or shorter than they said before.

    Their clock rests meanwhile. Who comes from a seat that an AI player keeps has it back first: their
    turns wait for them then, within the limit.
    """
    table = change.table
    lobby.check_open(table)
    seat = lobby.seat_of(table, person.user_id)
    _check_date(until, change.now, LONGEST_AWAY)
    sitter = _sitter(table, seat)
    left = away_left(table, sitter, change.now)
    if until - change.now > left:
        raise TableError(TableCode.AWAY_LIMIT, left=int(left))
    if sitter.absent:
        _come_back(change, seat, person.user_id)
        sitter = _sitter(change.table, seat)
    used = sitter.away_used - _unspent(sitter, change.now) + until - change.now
    change.set_sitter(replace(sitter, away_until=until, away_used=used))
    change.step(What.AWAY, actor=person.user_id, seat=seat, detail={"until": until})


def back(change: Change, person: Person) -> None:
    """Somebody is back, from being away or at a seat that an AI player kept. Raises TableError not_away."""
    table = change.table
    lobby.check_open(table)
    seat = lobby.seat_of(table, person.user_id)
    sitter = _sitter(table, seat)
    if sitter.absent or sitter.away_until is not None:
        _come_back(change, seat, person.user_id)
    elif seat not in change.lapsed:
        raise TableError(TableCode.NOT_AWAY)


def back_to_play(change: Change, seat: int, user_id: int) -> None:
    """Whose seat an AI player keeps is back with the first thing that they do."""
    if _sitter(change.table, seat).absent:
        _come_back(change, seat, user_id)


def pause(change: Change, by: Person, until: float, *, moderator: bool) -> None:
    """The whole table rests until a time; a pause that runs is made longer or shorter."""
    table = change.table
    lobby.check_playing(table)
    by_moderator = lobby.check_manager(table, by, moderator)
    _check_date(until, change.now, LONGEST_PAUSE)
    change.table = replace(table, paused=Pause(until, by.user_id))
    change.step(What.PAUSE, actor=by.user_id, detail={"until": until, **audit(by_moderator)})


def resume(change: Change, by: Person, *, moderator: bool) -> None:
    """The table goes on, each clock with what it had left. Raises TableError not_paused."""
    table = change.table
    lobby.check_playing(table)
    by_moderator = lobby.check_manager(table, by, moderator)
    if table.paused is None:
        raise TableError(TableCode.NOT_PAUSED)
    change.table = replace(table, paused=None)
    change.step(What.RESUME, actor=by.user_id, detail=audit(by_moderator))


def _come_back(change: Change, seat: int, user_id: int) -> None:
    sitter = _sitter(change.table, seat)
    change.set_sitter(
        replace(
            sitter,
            missed=0,
            absent=False,
            away_until=None,
            away_used=sitter.away_used - _unspent(sitter, change.now),
        )
    )
    change.step(What.BACK, actor=user_id, seat=seat)


def _unspent(sitter: Sitter, now: float) -> float:
    """Seconds that somebody has said to be away and that have not passed."""
    return 0.0 if sitter.away_until is None else max(0.0, sitter.away_until - now)


def _sitter(table: Table, seat: int) -> Sitter:
    sitter = table.sitter(seat)
    assert sitter is not None, "who was found there sits there"
    return sitter


def _check_date(until: float, now: float, longest: float) -> None:
    """Raises TableError bad_date."""
    # Written so that what is no number at all is refused as well.
    if not now < until <= now + longest:
        raise TableError(TableCode.BAD_DATE, latest=int(now + longest))
