"""The requests by which a host or a moderator keeps a table going, and another clock by consent."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

from canasta_core.tables import hosting, invitations, lobby
from canasta_core.tables.change import Change
from canasta_core.tables.errors import StaleTable
from canasta_core.tables.model import Person, Stage, Table, What
from canasta_core.tables.ports import TableStore

TRIES: Final = 3
"""How often a change is judged anew when the table has changed in between."""


class HostTools(ABC):
    """These requests of a TableService. Each raises TableError, having changed nothing."""

    _store: TableStore

    @abstractmethod
    async def get(self, table_id: int) -> Table: ...

    @abstractmethod
    async def _change(self, table_id: int, edit: Callable[[Change], None], *people: Person) -> Change: ...

    async def replace(
        self,
        table_id: int,
        seat: int,
        by: Person,
        *,
        level: str = lobby.STAND_IN,
        moderator: bool = False,
    ) -> Table:
        """Give a person's seat to an AI player at once.

        Raises TableError: not_host, no_person_there, no_such_seat, unknown_level, table_ended.
        """

        def edit(change: Change) -> None:
            hosting.replace_person(change, seat, by, level, moderator=moderator)

        return (await self._change(table_id, edit, by)).table

    async def invite(
        self, table_id: int, seat: int, by: Person, guest: Person | None, *, moderator: bool = False
    ) -> Table:
        """Invite somebody, or with None anybody, to a seat of a running game that no person plays.

        `join` lets them sit down. It takes the place of an earlier invitation to that seat. Raises
        TableError: not_host, not_started, table_ended, no_such_seat, seat_taken, guest_seated,
        not_their_seat.
        """

        def edit(change: Change, past: invitations.Past) -> None:
            invitations.invite(change, seat, by, guest, past, moderator=moderator)

        people = (by,) if guest is None else (by, guest)
        return (await self._change_with_past(table_id, edit, *people)).table

    async def withdraw(self, table_id: int, seat: int, by: Person, *, moderator: bool = False) -> Table:
        """Take back the invitation to a seat.

        Raises TableError: not_host, not_started, table_ended, no_such_seat, no_invite.
        """

        def edit(change: Change) -> None:
            invitations.withdraw(change, seat, by, moderator=moderator)

        return (await self._change(table_id, edit, by)).table

    async def hand_over(self, table_id: int, by: Person, to: int, *, moderator: bool = False) -> Table:
        """Make another person (a user id) the host; who plays may also take over from a host who does not.

        Raises TableError: not_host, no_such_player, already_host, table_ended.
        """

        def edit(change: Change) -> None:
            hosting.hand_over(change, by, to, moderator=moderator)

        return (await self._change(table_id, edit, by)).table

    async def move(self, table_id: int, channel_id: int, by: Person, *, moderator: bool = False) -> Table:
        """Move the table to another channel of its server: the host, or anybody seated when it is `lost`.

        Raises TableError: not_host, same_place, table_ended.
        """

        def edit(change: Change) -> None:
            hosting.move(change, channel_id, by, moderator=moderator)

        return (await self._change(table_id, edit, by)).table

    async def lose_place(self, table_id: int, channel_id: int, why: str) -> Table:
        """Put on record that a channel cannot be reached, if it is the table's and that is news."""

        def edit(change: Change) -> None:
            hosting.lose_place(change, channel_id, why)

        return (await self._change(table_id, edit)).table

    async def find_place(self, table_id: int) -> Table:
        """Put on record that the table's channel can be reached again, if that is news."""
        return (await self._change(table_id, hosting.find_place)).table

    async def propose_clock(
        self, table_id: int, by: Person, clock: int | None, *, moderator: bool = False
    ) -> Table:
        """Propose another clock, which counts once all who play and are not away have agreed.

        With `moderator` it counts at once, unless they sit there. Raises TableError: bad_clock, same_clock,
        not_seated, table_ended.
        """

        def edit(change: Change) -> None:
            hosting.propose_clock(change, by, clock, moderator=moderator)

        return (await self._change(table_id, edit, by)).table

    async def agree(self, table_id: int, person: Person, yes: bool, proposed: int | None = None) -> Table:
        """Agree to the clock that is proposed, or end the proposal with a no.

        `proposed`: the version of the proposal that is meant, else whichever there is. Raises
        TableError: no_proposal, already_agreed, not_seated, table_ended.
        """

        def edit(change: Change) -> None:
            hosting.agree(change, person, yes, proposed)

        return (await self._change(table_id, edit, person)).table

    async def _change_with_past(
        self, table_id: int, edit: Callable[[Change, invitations.Past], None], *people: Person
    ) -> Change:
        """A change by an edit that must know who has held which seat."""
        for _ in range(TRIES):
            seen = await self.get(table_id)
            past = await self._past(seen)

            def judge(change: Change, seen: Table = seen, past: invitations.Past = past) -> None:
                # In a lobby nobody has seen anything, and people may well sit down all at once.
                lobby_still = change.table.stage is Stage.LOBBY
                if not lobby_still and invitations.seating(change.table) != invitations.seating(seen):
                    raise StaleTable(version=change.table.version)
                edit(change, past)

            try:
                return await self._change(table_id, judge, *people)
            except StaleTable:
                # Somebody has sat down or got up in between: what is known of the past is too old.
                continue
        raise StaleTable(version=(await self.get(table_id)).version)

    async def _past(self, table: Table) -> invitations.Past:
        tenures = await self._store.tenures(table.id)
        ends = {tenure.user_id: tenure.to_version for tenure in tenures if tenure.user_id is not None}
        put_out = set()
        for user_id, version in ends.items():
            row = None if version is None else await self._store.log_row(table.id, version)
            if row is not None and row.what == What.REPLACE:
                put_out.add(user_id)
        return invitations.Past(tenures, frozenset(put_out), await self.knowing(table))

    @abstractmethod
    async def knowing(self, table: Table) -> frozenset[int]: ...
