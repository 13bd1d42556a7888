"""What the host of a table or a moderator may do with it, and another clock by consent: edits of a Change."""

from dataclasses import replace
from typing import Final

from canasta_core.tables import lobby
from canasta_core.tables.change import Change, audit
from canasta_core.tables.clocks import is_gone
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import NO_SERVER, NoticeKind, Person, Proposal, Stage, Table, What
from canasta_core.tables.settings import is_clock

LONGEST_WHY: Final = 100
"""Characters of a reason for which a channel cannot be reached."""


def check_replace(table: Table, seat: int, by: Person, level: str, *, moderator: bool) -> tuple[int, bool]:
    """The user id of whose seat may go to an AI player, and whether it takes a moderator's right.

    Raises TableError: not_host, no_person_there, no_such_seat, unknown_level, table_ended.
    """
    lobby.check_open(table)
    by_moderator = lobby.check_manager(table, by, moderator)
    lobby.check_seat(seat, table.rules.seats)
    lobby.check_level(level)
    sitter = table.sitter(seat)
    if sitter is None or sitter.user_id is None:
        raise TableError(TableCode.NO_PERSON_THERE, seat=seat)
    return sitter.user_id, by_moderator


def replace_person(change: Change, seat: int, by: Person, level: str, *, moderator: bool) -> None:
    """A person's seat goes to an AI player at once. They come back to it only when they are invited."""
    playing = change.table.stage is Stage.PLAYING
    user_id, by_moderator = check_replace(change.table, seat, by, level, moderator=moderator)
    change.seat_ai(seat, level)
    detail = lobby.pass_host_on(change, user_id, seat)
    change.step(
        What.REPLACE,
        actor=by.user_id,
        seat=seat,
        detail={"user_id": user_id, "level": level, **detail, **audit(by_moderator)},
    )
    if user_id != by.user_id:
        change.tell(NoticeKind.REPLACED, seat=seat, user_id=user_id, by=by.user_id, moderator=by_moderator)
    elif playing:
        change.tell(NoticeKind.LEFT, seat=seat, user_id=user_id, **detail)
    lobby.end_when_deserted(change)


def hand_over(change: Change, by: Person, to: int, *, moderator: bool) -> None:
    """Make another person the host. Who plays may take the part over from a host who does not."""
    table = change.table
    lobby.check_open(table)
    heir = next((sitter for sitter in table.sitters if sitter.user_id == to and sitter.is_active), None)
    takes_over = to == by.user_id and heir is not None and not _plays(table, table.host_id, change.now)
    by_moderator = False if takes_over else lobby.check_manager(table, by, moderator)
    if heir is None:
        raise TableError(TableCode.NO_SUCH_PLAYER)
    if to == table.host_id:
        raise TableError(TableCode.ALREADY_HOST, name=heir.name)
    change.make_host(to)
    change.step(What.HOST, actor=by.user_id, seat=heir.seat, detail={"user_id": to, **audit(by_moderator)})


def _plays(table: Table, user_id: int, now: float) -> bool:
    return any(
        sitter.user_id == user_id and sitter.is_active and not is_gone(table, sitter, now)
        for sitter in table.sitters
    )


# Places


def move(change: Change, channel_id: int, by: Person, *, moderator: bool) -> None:
    """The table moves to another channel. When its own cannot be reached, anybody seated may do it."""
    table = change.table
    by_moderator = check_move(table, channel_id, by, moderator=moderator)
    change.table = replace(table, channel_id=channel_id, lost="")
    change.tell(NoticeKind.MOVED, from_channel=table.channel_id, by=by.user_id)
    change.step(
        What.MOVE_PLACE,
        actor=by.user_id,
        detail={"from_channel": table.channel_id, "to_channel": channel_id, **audit(by_moderator)},
    )


def check_move(table: Table, channel_id: int, by: Person, *, moderator: bool) -> bool:
    """Whether a table may be moved there, and whether as a moderator.

    Raises TableError not_host, same_place, table_ended.
    """
    lobby.check_open(table)
    by_moderator = False
    if not table.lost or table.seat_of(by.user_id) is None:
        by_moderator = lobby.check_manager(table, by, moderator)
    if channel_id == table.channel_id and not table.lost:
        raise TableError(TableCode.SAME_PLACE)
    return by_moderator


def lose_place(change: Change, channel_id: int, why: str) -> None:
    """The table's channel cannot be reached.

    Nothing new when that is known, or the table is elsewhere by now, or has ended: then it changes no more.
    Another reason is news only when it is the whole server, or no longer.
    """
    table = change.table
    why = why[:LONGEST_WHY] or "unknown"
    is_news = not table.lost or (NO_SERVER in (table.lost, why) and table.lost != why)
    if table.stage is not Stage.ENDED and table.channel_id == channel_id and is_news:
        change.table = replace(table, lost=why)
        change.step(What.LOST, detail={"channel": channel_id, "why": change.table.lost})


def find_place(change: Change) -> None:
    """The table's channel can be reached again."""
    table = change.table
    if table.stage is not Stage.ENDED and table.lost:
        change.table = replace(table, lost="")
        change.step(What.FOUND, detail={"channel": table.channel_id})


# The clock


def check_clock(clock: int | None) -> None:
    """Raises TableError bad_clock."""
    if not is_clock(clock):
        raise TableError(TableCode.BAD_CLOCK, clock=clock or 0)


def propose_clock(change: Change, by: Person, clock: int | None, *, moderator: bool) -> None:
    """Propose another clock, in place of what was proposed before.

    It counts when all who play and are not away have agreed (`Change.commit` looks). A moderator who does
    not sit there sets it at once; one who does has an interest in it, and asks like everybody else.
    """
    table = change.table
    lobby.check_open(table)
    check_clock(clock)
    if clock == table.clock:
        raise TableError(TableCode.SAME_CLOCK)
    if moderator and table.seat_of(by.user_id) is None:
        change.set_clock(clock, by.user_id, by_moderator=True)
        return
    seat = lobby.seat_of(table, by.user_id)
    proposal = Proposal(clock, by.user_id, (by.user_id,), change.version)
    change.table = replace(table, proposal=proposal)
    change.step(What.PROPOSE, actor=by.user_id, seat=seat, detail={"clock": clock})
    if change.settle_proposal():
        return
    change.tell(NoticeKind.PROPOSAL, clock=clock, by=by.user_id)


def agree(change: Change, person: Person, yes: bool, proposed: int | None) -> None:
    """Agree to the clock that is proposed, or say no, which ends the proposal.

    `proposed` is the version of the proposal that is meant; None: whichever there is.
    """
    table = change.table
    lobby.check_open(table)
    seat = lobby.seat_of(table, person.user_id)
    proposal = table.proposal
    if proposal is None or proposed not in (None, proposal.version):
        raise TableError(TableCode.NO_PROPOSAL)
    if not yes:
        change.table = replace(table, proposal=None)
        change.step(What.DISAGREE, actor=person.user_id, seat=seat, detail={"clock": proposal.clock})
        return
    if person.user_id in proposal.agreed:
        raise TableError(TableCode.ALREADY_AGREED)
    proposal = replace(proposal, agreed=(*proposal.agreed, person.user_id))
    change.table = replace(table, proposal=proposal)
    change.step(What.AGREE, actor=person.user_id, seat=seat, detail={"clock": proposal.clock})
