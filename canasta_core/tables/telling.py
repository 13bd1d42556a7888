"""Commit, then tell: notices are read from the store, told in order, and deleted when told."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Final

from canasta_core.events import Event, seen_by
from canasta_core.state import Phase
from canasta_core.tables.chores import Chores, Tries
from canasta_core.tables.clocks import running_for, waited_for
from canasta_core.tables.errors import StoreError, TellFailed
from canasta_core.tables.model import SLOTS, Notice, NoticeKind, Stage, Table
from canasta_core.tables.ports import Clock, TableStore, Teller
from canasta_core.tables.rows import read_events, read_notice

log = logging.getLogger(__name__)

_STATES: Final = (NoticeKind.LOBBY, NoticeKind.BOARD)
"""Notices of which only the newest counts."""


class Telling:
    """Delivers the notices of each table in one task, in order.

    A notice is deleted after it was told, so a crash loses none. It is not told twice while the process
    lives; after a crash it is not when its message was remembered with its version.
    """

    def __init__(self, store: TableStore, clock: Clock, load: Callable[[int, int], Awaitable[Table]]) -> None:
        """`load` gives a table that is not older than a version."""
        self._store = store
        self._clock = clock
        self._load = load
        self._teller: Teller | None = None
        self._told: set[int] = set()
        """Ids that were told and may still be in the store."""
        self._current: dict[int, Notice] = {}
        self.chores = Chores("telling", self._work)

    async def start(self, teller: Teller) -> None:
        """Begin to tell, with what an earlier process has left."""
        self._teller = teller
        for table_id in await self._store.to_tell():
            self.chores.poke(table_id)

    def current(self, table_id: int) -> Notice | None:
        """The notice of a table that is being told now."""
        return self._current.get(table_id)

    async def _work(self, table_id: int) -> None:
        tries = Tries(self._clock, f"telling of table {table_id}")
        while self._teller is not None:
            try:
                rows = await self._store.notices(table_id)
                if rows:
                    notices = [read_notice(row) for row in rows]
                    events = {row.version: row.events for row in rows}
                    for notice, covered in _plan(notices):
                        await self._deliver(self._teller, notice, notices, covered, events[notice.version])
                        tries.succeeded()
                # What was written meanwhile was followed by a poke: then this runs again.
                return
            except (TellFailed, StoreError) as error:
                await tries.wait(error)

    async def _deliver(
        self,
        teller: Teller,
        notice: Notice,
        all_notices: Sequence[Notice],
        covered: Sequence[int],
        events: str,
    ) -> None:
        """Tell one notice unless that is needless, and delete it with those it covers.

        One that is held stays: whatever ends the rest or the absence is told as well, and comes back to it.
        """
        if notice.id not in self._told:
            table = await self._load(notice.table_id, max(each.version for each in all_notices))
            if not _is_stale(notice, table, all_notices) and not await self._is_remembered(notice):
                if _is_held(notice, table, self._clock.now()):
                    return
                public = tuple(seen_by(event, None) for event in read_events(events))
                await self._tell(teller, table, notice, public)
            self._told.update(covered)
        await self._store.told(covered)
        self._told.difference_update(covered)

    async def _tell(self, teller: Teller, table: Table, notice: Notice, events: tuple[Event, ...]) -> None:
        self._current[notice.table_id] = notice
        try:
            await teller.tell(table, notice, events)
        except (TellFailed, StoreError):
            # Either passes: another try is worth it.
            raise
        except Exception:
            # A defect in telling one notice: tried again it would fail again, and hold up all later ones.
            log.exception("notice %s given up", notice)
        finally:
            del self._current[notice.table_id]

    async def _is_remembered(self, notice: Notice) -> bool:
        """An earlier process told it, remembered the message, and died before the notice was deleted."""
        if notice.kind in _STATES:
            return False
        message = await self._store.message(notice.table_id, SLOTS[notice.kind])
        return message is not None and message.version == notice.version


def _plan(notices: Sequence[Notice]) -> list[tuple[Notice, list[int]]]:
    """What to tell of these, and the ids that each covers.

    The newest state takes the place of the oldest, so that the board is right before anybody is pinged.
    """
    states = [notice for notice in notices if notice.kind in _STATES]
    plan = []
    for notice in notices:
        if notice.kind not in _STATES:
            plan.append((notice, [notice.id]))
        elif notice is states[0]:
            plan.append((states[-1], [state.id for state in states]))
    return plan


def untold(notices: Sequence[Notice], table: Table) -> set[int]:
    """User ids of those who are still to be told that it is their turn, or of the question to them."""
    found: set[int] = set()
    for notice in notices:
        calls = notice.kind in (NoticeKind.TURN, NoticeKind.QUESTION)
        # Whoever has moved since then knows.
        if calls and notice.version >= table.played and not _is_stale(notice, table, notices):
            named = (
                notice.data["user_ids"] if notice.kind is NoticeKind.QUESTION else [notice.data["user_id"]]
            )
            assert isinstance(named, list), "as it was written"
            found.update(named)
    return found


def _is_held(notice: Notice, table: Table, now: float) -> bool:
    """A turn that is not told yet: nobody is called who is away, or whose table rests, meanwhile."""
    return notice.kind is NoticeKind.TURN and not any(
        sitter.user_id == notice.data["user_id"] for sitter in running_for(table, now)
    )


def _is_stale(notice: Notice, table: Table, notices: Sequence[Notice]) -> bool:
    """What has passed since: a turn, a question, an invitation. Nobody is pinged for it."""
    if notice.kind is NoticeKind.TURN:
        return table.turn_version != notice.version
    if notice.kind is NoticeKind.REMINDER:
        return table.deadline != notice.data["deadline"] or not _are_waited_for(
            table, notice.data["user_ids"]
        )
    if notice.kind is NoticeKind.STAND_IN:
        return not any(sitter.absent and sitter.user_id == notice.data["user_id"] for sitter in table.sitters)
    if notice.kind is NoticeKind.PROPOSAL:
        return table.proposal is None or table.proposal.version > notice.version
    if notice.kind is NoticeKind.INVITE:
        return not any(asdict(invite) == notice.data for invite in table.invites)
    if notice.kind is NoticeKind.QUESTION:
        newer = any(other.kind is notice.kind and other.id > notice.id for other in notices)
        return newer or not _is_asking(table, notice.data["seat"])
    return False


def _are_waited_for(table: Table, user_ids: object) -> bool:
    """Whether one of these persons still has to move."""
    assert isinstance(user_ids, list), "as it was written"
    return any(sitter.user_id in user_ids for sitter in waited_for(table))


def _is_asking(table: Table, seat: object) -> bool:
    if table.stage is not Stage.PLAYING or table.state is None:
        return False
    public = table.state.public
    return public.phase is Phase.PERMISSION and public.turn == seat
