"""What messages about seats, clocks and rounds tell of the past: it is looked up in a table's records."""

from __future__ import annotations

from canasta_core.state import Reason
from canasta_core.tables.model import Notice, NoticeKind, Stage, Table, What, is_former
from canasta_core.tables.ports import RoundRow
from canasta_core.tables.service import TableService
from cogs.ui import pings
from cogs.ui.face import face_of, person_name
from cogs.ui.layout import Row, name_text
from cogs.ui.score import Exit


async def invitations(service: TableService, table: Table, url: str) -> tuple[str, Row]:
    """The message with the seats that may be taken, and for whom one would play on there."""
    left = [
        one
        for one in await service.tenures(table.id)
        if one.user_id is not None and (one.to_version or 0) > table.began
    ]
    left.sort(key=lambda one: one.from_version)
    before = {one.seat: person_name(table.locale, one.user_id, one.name) for one in left}
    return pings.invitations(face_of(table), url, before)


async def told(service: TableService, table: Table, notice: Notice, url: str) -> tuple[str, list[int]]:
    """That a person has left a seat or lost it, and who is pinged; nothing when they have one again."""
    seat, user_id, host = (notice.data.get(key) for key in ("seat", "user_id", "host"))
    back = isinstance(user_id, int) and table.seat_of(user_id) is not None
    if not isinstance(seat, int) or not isinstance(user_id, int) or back:
        return "", []
    face = face_of(table)
    if notice.kind is NoticeKind.LEFT:
        sitter = table.sitter(seat)
        if sitter is None or not sitter.is_ai or table.stage is not Stage.PLAYING:
            return "", []  # the board tells that a game is over
        heir = await _name(service, table, host) if host is not None and host == table.host_id else ""
        return pings.left(face, seat, await _name(service, table, user_id), heir), []
    if is_former(user_id):
        return "", []
    role = next((key for key in ("taken", "moderator") if notice.data.get(key)), "host")
    by = await _name(service, table, notice.data.get("by"))
    return pings.replaced(face, seat, user_id, by, role, url), [user_id]


async def decided(service: TableService, table: Table) -> str:
    """What the last proposal of another clock has come to, and by whom."""
    asked = answer = None
    for entry in await service.doings(table.id):
        if entry.what is What.PROPOSE:
            asked, answer = entry, None
        elif entry.what in (What.DISAGREE, What.CLOCK):
            answer = entry
    clock = None if asked is None else asked.detail.get("clock")
    decider = None if answer is None else answer.actor
    return pings.proposal_decided(
        face_of(table),
        clock if isinstance(clock, int) else None,
        by=await _name(service, table, None if asked is None else asked.actor),
        decider="" if decider is None else await _name(service, table, decider),
        yes=None if answer is None else answer.what is What.CLOCK,
    )


async def exit_of(service: TableService, table: Table, row: RoundRow) -> Exit | None:
    """Who went out in a finished round, by the name of who sat there then; None when nobody did."""
    if row.reason != Reason.WENT_OUT:
        return None
    for done in await service.seat_rounds(table.id):
        if done.round_number == row.round_number and done.went_out:
            for one in await service.tenures(table.id):
                then = one.from_at <= row.finished_at <= (one.to_at or row.finished_at)
                if one.seat == done.seat and one.user_id == done.user_id and then:
                    name = person_name(table.locale, one.user_id, one.name)
                    face = face_of(table)
                    return Exit(face.words("sitter-ai", name=name) if one.ai else name, done.concealed)
    return None


async def _name(service: TableService, table: Table, user_id: object) -> str:
    """The last known name of somebody, as public text."""
    if not isinstance(user_id, int):
        return "?"
    known = None if is_former(user_id) else (await service.names([user_id])).get(user_id)
    return name_text(known) if known else face_of(table).person(user_id)
