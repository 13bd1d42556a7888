"""The tables of all guilds, and the one way in which any of them changes.

A slash command, a button, an AI player and a clock all end in `TableService._change`: under the table's
lock it loads the table, lets an edit judge and change it, and commits state, log, seats, deadline,
results and notices in one transaction. Then, with the lock released, what has happened is told.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from typing import Final, TypeVar
from weakref import WeakValueDictionary

from canasta_core.actions import SeatAction
from canasta_core.events import seen_by
from canasta_core.legality import speak
from canasta_core.profiles import load_rules
from canasta_core.refusals import Refusal
from canasta_core.state import Phase
from canasta_core.tables import lobby
from canasta_core.tables.ai_seats import AiSeats, InlineThinker
from canasta_core.tables.chance import SystemChance
from canasta_core.tables.change import Change
from canasta_core.tables.clock import RETRY, Alarm, SystemClock
from canasta_core.tables.errors import StaleTable, StoreCode, StoreError, TableCode, TableError
from canasta_core.tables.model import Acted, LogEntry, Message, Person, Stage, Table, Tenure, What
from canasta_core.tables.ports import (
    Chance,
    Clock,
    ResultRow,
    RoundRow,
    TableStore,
    Teller,
    Thinker,
)
from canasta_core.tables.rows import read_log, read_table
from canasta_core.tables.telling import Telling

log = logging.getLogger(__name__)
_T = TypeVar("_T")

KEPT: Final = 256
"""Tables kept in memory; any other is loaded when it is needed."""
TRIES: Final = 3
"""How often a change is judged anew when another process has changed the table in between."""


class TableService:
    """All tables of one store, which is open already and stays its owner's to close.

    Requests that cannot be met raise TableError, moves against the rules Refusal; nothing has changed
    then. StoreError means that the store could not do its work.
    """

    def __init__(
        self,
        store: TableStore,
        *,
        clock: Clock | None = None,
        chance: Chance | None = None,
        thinker: Thinker | None = None,
        ai_delay: float = 2.0,
        next_round: float = 120.0,
    ) -> None:
        """`ai_delay`: seconds before each turn of an AI player. `next_round`: seconds from the end of a
        round until the next one starts by itself.
        """
        self._store = store
        self._clock = clock or SystemClock()
        self._chance = chance or SystemChance()
        self._pause = next_round
        self._kept: OrderedDict[int, Table] = OrderedDict()
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._running: set[asyncio.Task[Change]] = set()
        self._telling = Telling(store, self._clock, self._stored)
        self._ai = AiSeats(
            thinker or InlineThinker(), self._clock, self._chance, ai_delay, self.get, self._act_seat
        )
        self._alarm = Alarm(self._clock, store.earliest_alarm, self._start_due_rounds)

    async def start(self, teller: Teller) -> None:
        """Tell what was left untold, move AI seats that are in turn, and deal rounds that are due."""
        await self._telling.start(teller)
        for table_id in await self._store.waiting_for_ai():
            self._ai.chores.poke(table_id)
        self._alarm.start()

    async def close(self) -> None:
        """Let running changes finish and stop everything else; what is untold is told at the next start."""
        await self._alarm.close()
        await self._ai.chores.close()
        if self._running:
            await asyncio.wait(self._running)
        await self._telling.chores.close()

    async def settle(self) -> None:
        """Wait until no AI seat has to act and nothing is left to tell."""
        while self._ai.chores.busy or self._telling.chores.busy:
            await self._ai.chores.settle()
            await self._telling.chores.settle()

    @property
    def ai_failures(self) -> int:
        """Moves that an AI policy could not choose or that were refused: each is a defect, and logged."""
        return self._ai.failures

    # Changes

    async def create(
        self,
        guild_id: int,
        channel_id: int,
        host: Person,
        profile: str,
        *,
        seats: int | None = None,
        options: Mapping[str, int | bool | str] | None = None,
        locale: str = "en",
        seat: int | None = 0,
    ) -> Table:
        """Open a table where the host sits at `seat` (None: any).

        Raises RulesError; TableError no_such_seat.
        """
        rules = load_rules(profile, seats, options)
        chosen = seat or 0
        lobby.check_seat(chosen, rules.seats)
        now = self._clock.now()
        table = Table(
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
        )
        change = Change(table, now, self._pause, (host,))
        change.seat_person(chosen, host)
        change.step(What.CREATE, actor=host.user_id, seat=chosen)
        return (await self._whole(self._store_change(change))).table

    async def join(
        self,
        table_id: int,
        person: Person,
        seat: int | None = None,
        *,
        by: Person | None = None,
        moderator: bool = False,
    ) -> Table:
        """Sit down at `seat`, or at the first that is right; a table that is full begins.

        In the lobby anybody may take a free seat, or by its number one that an AI player holds. In a
        running game the seat must be one that an AI player holds: who has held a seat in this game
        comes back to it (and to no other); anybody else when `by` (default: the person) is the host,
        or with `moderator`.

        Raises TableError: already_seated, table_ended, table_full, seat_taken, no_such_seat,
        not_your_seat, not_invited.
        """
        past = await self._store.tenures(table_id)
        inviter = by or person

        def edit(change: Change) -> None:
            invited = moderator or inviter.user_id == change.table.host_id
            lobby.join(change, person, seat, past, invited=invited, chance=self._chance)

        return (await self._change(table_id, edit, person)).table

    async def leave(self, table_id: int, person: Person) -> Table:
        """Get up: the seat is free again, or in a running game an AI player takes it at once.

        The host's part passes to the next person; a table without any person ends. Raises TableError:
        not_seated, table_ended.
        """
        return (await self._change(table_id, lambda change: lobby.leave(change, person), person)).table

    async def add_ai(
        self,
        table_id: int,
        by: Person,
        level: str = lobby.STAND_IN,
        seat: int | None = None,
        *,
        moderator: bool = False,
    ) -> Table:
        """Seat an AI player in the lobby, at `seat` or the first free one; a table that is full begins.

        Raises TableError: not_host, unknown_level, table_full, seat_taken, no_such_seat,
        already_started, table_ended.
        """

        def edit(change: Change) -> None:
            lobby.add_ai(change, by, level, seat, moderator=moderator, chance=self._chance)

        return (await self._change(table_id, edit, by)).table

    async def begin(self, table_id: int, by: Person, *, moderator: bool = False) -> Table:
        """Begin the game, with AI players at the free seats.

        Raises TableError: not_host, already_started, table_ended.
        """

        def edit(change: Change) -> None:
            lobby.begin(change, by, moderator=moderator, chance=self._chance)

        return (await self._change(table_id, edit, by)).table

    async def end(self, table_id: int, by: Person, *, moderator: bool = False) -> Table:
        """End a table, whatever its stage. Raises TableError: not_host, table_ended."""

        def edit(change: Change) -> None:
            lobby.end(change, by, moderator=moderator)

        return (await self._change(table_id, edit, by)).table

    async def next_round(self, table_id: int, by: Person, expected_version: int | None = None) -> Table:
        """Deal the next round at once; anybody who sits there may.

        Raises TableError: table_ended, not_started, not_seated, stale_table, round_not_over.
        """

        def edit(change: Change) -> None:
            lobby.check_playing(change.table)
            lobby.seat_of(change.table, by.user_id)
            lobby.check_version(change.table, expected_version)
            self._deal(change, by.user_id)

        return (await self._change(table_id, edit, by)).table

    async def act(
        self,
        table_id: int,
        user_id: int,
        action: SeatAction | str,
        expected_version: int | None = None,
    ) -> Acted:
        """Play an action of the seat where a person sits; a text is read as notation (RULES.md §11).

        With `expected_version` it counts only at that version, so of two equal clicks one counts.
        Raises TableError: no_such_table, table_ended, not_started, not_seated, stale_table; Refusal.
        """
        seat = -1

        def edit(change: Change) -> None:
            nonlocal seat
            table = change.table
            lobby.check_playing(table)
            seat = lobby.seat_of(table, user_id)
            lobby.check_version(table, expected_version)
            move = speak(table.view(seat), action) if isinstance(action, str) else action
            change.move(seat, move, user_id)

        change = await self._change(table_id, edit)
        return Acted(change.table, tuple(seen_by(event, seat) for event in change.events), seat)

    async def _act_seat(self, table: Table, seat: int, action: SeatAction) -> None:
        """An AI player's action, at just this version. Raises StaleTable, Refusal."""

        def edit(change: Change) -> None:
            lobby.check_version(change.table, table.version)
            change.move(seat, action, None)

        await self._change(table.id, edit)

    async def _start_due_rounds(self, now: float) -> None:
        failed = False
        for table_id in await self._store.due(now):
            try:
                await self._change(table_id, lambda change: self._deal(change, None))
            except TableError as error:
                # Somebody was faster: then the deadline is gone as well.
                log.info("table %s: no round to start, %s", table_id, error)
            except Exception:
                # The other tables first; this one is still due afterwards.
                log.exception("table %s: the next round could not be started", table_id)
                failed = True
        if failed:
            await self._clock.sleep(RETRY)

    def _deal(self, change: Change, actor: int | None) -> None:
        state = change.table.state
        if state is None or state.public.phase is not Phase.ROUND_OVER:
            raise TableError(TableCode.ROUND_NOT_OVER)
        change.deal(self._chance, actor)

    # The one write path

    async def _change(self, table_id: int, edit: Callable[[Change], None], *people: Person) -> Change:
        """Change a table by an edit, which judges what it finds and raises when it will not have it."""
        return await self._whole(self._judge_and_store(table_id, edit, people))

    async def _judge_and_store(
        self, table_id: int, edit: Callable[[Change], None], people: tuple[Person, ...]
    ) -> Change:
        for _ in range(TRIES):
            async with self._lock(table_id):
                table = await self._stored(table_id)
                change = Change(table, self._clock.now(), self._pause, people)
                edit(change)
                try:
                    return await self._store_change(change)
                except StaleTable:
                    # Another process was faster: the edit judges anew.
                    continue
        raise StaleTable(version=(await self.get(table_id)).version)

    async def _stored(self, table_id: int) -> Table:
        """The table as the store has it: what is kept in memory only saves reading it again."""
        kept = self._kept.get(table_id)
        if kept is not None and kept.version != await self._store.version(table_id):
            self._kept.pop(table_id, None)
        return await self.get(table_id)

    async def _store_change(self, change: Change) -> Change:
        commit = change.commit()
        try:
            table_id = await self._store.commit(commit)
        except BaseException:
            # Whether it was written is uncertain after some errors.
            self._kept.pop(change.table.id, None)
            raise
        change.table = replace(change.table, id=table_id)
        self._keep(change.table)
        if commit.notices:
            self._telling.chores.poke(table_id)
        if change.table.stage is Stage.PLAYING:
            self._ai.chores.poke(table_id)
        if change.table.deadline is not None:
            self._alarm.stored(change.table.deadline)
        return change

    async def _whole(self, work: Coroutine[None, None, Change]) -> Change:
        """Run a change to its end, even when its caller is cancelled in the middle."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._finished)
        return await asyncio.shield(task)

    def _finished(self, task: "asyncio.Task[Change]") -> None:
        self._running.discard(task)
        # Looked at here as well, for a caller who was cancelled and cannot.
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            if isinstance(error, TableError | Refusal):
                # The code only: facts may name cards of a hand.
                log.debug("a change was not made: %s", error.code)
            else:
                log.error("a change was not made: %r", error)

    def _lock(self, table_id: int) -> asyncio.Lock:
        # Kept as long as somebody holds it or waits for it.
        lock = self._locks.get(table_id)
        if lock is None:
            lock = self._locks[table_id] = asyncio.Lock()
        return lock

    def _keep(self, table: Table) -> None:
        self._kept[table.id] = table
        self._kept.move_to_end(table.id)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    # Reading

    async def get(self, table_id: int) -> Table:
        """A table as it is now. Raises TableError no_such_table; StoreError damaged when it is unreadable."""
        kept = self._kept.get(table_id)
        if kept is not None:
            self._kept.move_to_end(table_id)
            return kept
        found = await self._store.load(table_id)
        if found is None:
            raise TableError(TableCode.NO_SUCH_TABLE)
        try:
            table = read_table(*found)
        except ValueError as error:
            raise StoreError(StoreCode.DAMAGED, f"table {table_id} cannot be read: {error}") from error
        newer = self._kept.get(table_id)
        if newer is not None and newer.version >= table.version:
            return newer
        self._keep(table)
        return table

    async def tables_in(self, guild_id: int, channel_id: int | None = None) -> list[Table]:
        """Tables of a guild, or of one of its channels, that have not ended; oldest first."""
        return await self._all(await self._store.tables_in(guild_id, channel_id))

    async def tables_of(self, user_id: int, guild_id: int | None = None) -> list[Table]:
        """Tables where a person sits that have not ended; oldest first."""
        return await self._all(await self._store.tables_of(user_id, guild_id))

    async def playing(self) -> list[Table]:
        """Tables with a running game, of all guilds; oldest first."""
        return await self._all(await self._store.playing())

    async def _all(self, table_ids: Iterable[int]) -> list[Table]:
        """Those that can be read: one that cannot must not be in the way of all others."""
        tables = []
        for table_id in table_ids:
            try:
                tables.append(await self.get(table_id))
            except StoreError as error:
                if error.code is not StoreCode.DAMAGED:
                    raise
                log.warning("%s", error)
        return tables

    async def log(self, table_id: int) -> list[LogEntry]:
        """All changes of a table, oldest first. Packs and hands are in it: not for players in a round."""
        return [read_log(row) for row in await self._store.log(table_id)]

    async def tenures(self, table_id: int) -> list[Tenure]:
        """Everybody who ever held a seat there."""
        return await self._store.tenures(table_id)

    async def rounds(self, table_id: int) -> list[RoundRow]:
        """Scores of the finished rounds, by round and team."""
        return await self._store.rounds(table_id)

    async def results(self, table_id: int) -> list[ResultRow]:
        """The seats' shares in a finished game."""
        return await self._store.results(table_id)

    # Messages, settings and names

    async def message(self, table_id: int, slot: str) -> Message | None:
        """The message remembered under a slot, with the version that it tells of."""
        return await self._store.message(table_id, slot)

    async def message_id(self, table_id: int, slot: str) -> tuple[int, int] | None:
        """Channel and id of the message remembered under a slot."""
        message = await self._store.message(table_id, slot)
        return None if message is None else (message.channel_id, message.message_id)

    async def remember_message(
        self, table_id: int, slot: str, channel_id: int, message_id: int, version: int | None = None
    ) -> None:
        """Remember the message that tells something, so that it is edited, deleted, and not sent twice.

        `version` is what it tells of: by default the notice that is being told, else the table as it is.
        """
        if version is None:
            notice = self._telling.current(table_id)
            version = notice.version if notice else (await self.get(table_id)).version
        await self._store.remember_message(table_id, slot, Message(channel_id, message_id, version))

    async def forget_message(self, table_id: int, slot: str) -> None:
        await self._store.forget_message(table_id, slot)

    async def guild_settings(self, guild_id: int) -> dict[str, str]:
        return await self._store.guild_settings(guild_id)

    async def set_guild_setting(self, guild_id: int, key: str, value: str | None) -> None:
        """Set one, or with None remove it."""
        await self._store.set_guild_setting(guild_id, key, value)

    async def meet(self, person: Person) -> None:
        """Bring the last known name of somebody up to date who came in without changing a table."""
        await self._store.meet(person)
        for table_id, table in self._kept.items():
            if table.seat_of(person.user_id) is not None:
                self._kept[table_id] = table.with_names((person,))

    async def names(self, user_ids: Iterable[int]) -> Mapping[int, str]:
        """Last known names; people who never came in are left out."""
        return await self._store.names(user_ids)
