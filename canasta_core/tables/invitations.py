"""Who may sit down where, now and in a running game, and who is invited to: edits of a Change.

A seat's hand is known to whoever has held the seat. So who has held one in a game comes back to that one,
and to no other, whoever invites them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from canasta_core.tables import lobby
from canasta_core.tables.change import Change, audit
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Invite, NoticeKind, Person, Sitter, Stage, Table, Tenure, What
from canasta_core.tables.ports import Chance


@dataclass(frozen=True, slots=True)
class Past:
    """Who has held which seat of a table."""

    tenures: Sequence[Tenure]
    put_out: frozenset[int] = frozenset()
    """User ids of those who were replaced when they sat there last: they need an invitation to come back."""
    barred: frozenset[int] = frozenset()
    """User ids of those who know the packs that are dealt again at this table."""

    def seat_of(self, user_id: int, began: int) -> int | None:
        """The seat whose hand a person has seen in the game that began with a version."""
        return next(
            (
                tenure.seat
                for tenure in self.tenures
                if tenure.user_id == user_id and (tenure.to_version is None or tenure.to_version > began)
            ),
            None,
        )

    def away_used(self, user_id: int) -> float:
        """Seconds that they have been away from this table in all, without what they did not use."""
        last = next((each for each in reversed(self.tenures) if each.user_id == user_id), None)
        if last is None or last.to_at is None:
            return 0.0
        # A tenure carries on what was used in those before it.
        return last.away_used - max(0.0, (last.away_until or 0.0) - last.to_at)


def seating(table: Table) -> list[tuple[int, int]]:
    """What tells one seating from another: each seat, and with which version its sitter sat down."""
    return [(sitter.seat, sitter.since) for sitter in table.sitters]


def join(
    change: Change,
    person: Person,
    seat: int | None,
    past: Past,
    *,
    by: Person,
    moderator: bool,
    chance: Chance,
) -> None:
    """A person sits down at `seat`, or where they belong; the game begins when that fills the table.

    Who sits in the lobby already moves to `seat`.
    """
    table = change.table
    lobby.check_open(table)
    held = table.seat_of(person.user_id)
    if held is not None:
        if table.stage is not Stage.LOBBY or seat in (None, held):
            raise TableError(TableCode.ALREADY_SEATED, seat=held)
        _change_seat(change, person, held, lobby.free_seat(table, seat, replace_ai=True))
        return
    if person.user_id in past.barred:
        raise TableError(TableCode.KNOWS_PACKS, name=person.name)
    detail: dict[str, object] = {} if by.user_id == person.user_id else {"by": by.user_id}
    if table.stage is Stage.LOBBY:
        own = table.kept_for(person.user_id) if seat is None else None
        chosen = lobby.free_seat(table, seat if own is None else own, replace_ai=True)
    else:
        chosen, managed = _seat_in_game(table, person, seat, past, moderator or by.user_id == table.host_id)
        detail |= audit(managed and by.user_id != table.host_id)
    absent = table.sitter(chosen)
    change.seat_person(chosen, person, past.away_used(person.user_id))
    if absent is not None and absent.user_id is not None:
        detail |= lobby.pass_host_on(change, absent.user_id, chosen)
        change.tell(NoticeKind.REPLACED, seat=chosen, user_id=absent.user_id, by=person.user_id, taken=True)
    change.step(What.JOIN, actor=person.user_id, seat=chosen, detail=detail)
    lobby.begin_when_full(change, chance)


def _change_seat(change: Change, person: Person, held: int, seat: int) -> None:
    """Somebody in the lobby moves from a seat to another, with what they have used of their time away."""
    old = change.table.sitter(held)
    assert old is not None, "somebody sits there"
    change.vacate(held)
    change.seat_person(seat, person, old.away_used)
    new = change.table.sitter(seat)
    assert new is not None, "they have just sat down"
    change.set_sitter(replace(new, away_until=old.away_until))
    change.step(What.JOIN, actor=person.user_id, seat=seat, detail={"from": held})


def _seat_in_game(
    table: Table, person: Person, seat: int | None, past: Past, managed: bool
) -> tuple[int, bool]:
    """The seat that a person may take in a running game, and whether the right of a host or moderator was
    needed for it; `managed` says that there is one.
    """
    own = past.seat_of(person.user_id, table.began)
    if own is not None:
        if seat not in (None, own):
            raise TableError(TableCode.NOT_YOUR_SEAT, seat=own)
        sitter = _check_unplayed(table, own)
        if _is_invited(table, person, own) or (sitter.is_ai and person.user_id not in past.put_out):
            return own, False
        if managed and sitter.is_ai:
            return own, True
        if not sitter.is_ai:
            raise TableError(TableCode.SEAT_TAKEN, seat=own, name=sitter.name)
        raise TableError(TableCode.NOT_INVITED)
    if seat is not None:
        sitter = _check_unplayed(table, seat)
        if _is_invited(table, person, seat):
            return seat, False
        if managed and sitter.is_ai:
            return seat, True
        raise TableError(TableCode.NOT_INVITED)
    # Who is invited by name finds that seat before one that is open to anybody.
    for invite in sorted(table.invites, key=lambda invite: invite.user_id is None):
        if invite.user_id in (None, person.user_id):
            return invite.seat, False
    if all(sitter.is_active for sitter in table.sitters):
        raise TableError(TableCode.TABLE_FULL)
    played_by_ai = [sitter.seat for sitter in table.sitters if sitter.is_ai]
    if not managed or not played_by_ai:
        raise TableError(TableCode.NOT_INVITED)
    return played_by_ai[0], True


def _check_unplayed(table: Table, seat: int) -> Sitter:
    """Who is at a seat of a running game that no person plays. Raises TableError no_such_seat, seat_taken."""
    lobby.check_seat(seat, table.rules.seats)
    sitter = table.sitter(seat)
    assert sitter is not None, "a running game has no free seats"
    if sitter.is_active:
        raise TableError(TableCode.SEAT_TAKEN, seat=seat, name=sitter.name)
    return sitter


def _is_invited(table: Table, person: Person, seat: int) -> bool:
    return any(invite.seat == seat and invite.user_id in (None, person.user_id) for invite in table.invites)


def invite(
    change: Change, seat: int, by: Person, guest: Person | None, past: Past, *, moderator: bool
) -> None:
    """Invite a person, or with None anybody, to a seat of a running game that an AI player plays or keeps.

    It takes the place of an earlier invitation to that seat, and ends when somebody plays there.
    """
    table = change.table
    lobby.check_playing(table)
    by_moderator = lobby.check_manager(table, by, moderator)
    _check_unplayed(table, seat)
    if guest is not None:
        held = table.seat_of(guest.user_id)
        if held is not None:
            raise TableError(TableCode.GUEST_SEATED, seat=held, name=guest.name)
        if guest.user_id in past.barred:
            raise TableError(TableCode.KNOWS_PACKS, name=guest.name)
        own = past.seat_of(guest.user_id, table.began)
        if own not in (None, seat):
            raise TableError(TableCode.NOT_THEIR_SEAT, seat=own or 0, name=guest.name)
    user_id = None if guest is None else guest.user_id
    change.table = replace(table, invites=(*_without(table, seat), Invite(seat, user_id)))
    change.tell(NoticeKind.INVITE, seat=seat, user_id=user_id)
    change.step(What.INVITE, actor=by.user_id, seat=seat, detail={"user_id": user_id, **audit(by_moderator)})


def withdraw(change: Change, seat: int, by: Person, *, moderator: bool) -> None:
    """Take back the invitation to a seat."""
    table = change.table
    lobby.check_playing(table)
    by_moderator = lobby.check_manager(table, by, moderator)
    lobby.check_seat(seat, table.rules.seats)
    rest = _without(table, seat)
    if rest == table.invites:
        raise TableError(TableCode.NO_INVITE, seat=seat)
    change.table = replace(table, invites=rest)
    change.step(What.INVITE, actor=by.user_id, seat=seat, detail={"withdrawn": True, **audit(by_moderator)})


def _without(table: Table, seat: int) -> tuple[Invite, ...]:
    return tuple(invite for invite in table.invites if invite.seat != seat)
