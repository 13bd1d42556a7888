"""The tables of all guilds, and the one way in which any of them changes.

A slash command, a button, an AI player and a clock all end in `TableService._change`: under the table's
lock it loads the table, lets an edit judge and change it, and commits state, log, seats, deadline,
results and notices in one transaction. Then, with the lock released, what has happened is told.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from canasta_core.actions import SeatAction
from canasta_core.events import seen_by
from canasta_core.legality import speak
from canasta_core.profiles import load_rules
from canasta_core.refusals import Refusal
from canasta_core.state import Phase
from canasta_core.tables import away, hosting, invitations, lobby
from canasta_core.tables.ai_seats import AiSeats, InlineThinker
from canasta_core.tables.chance import SystemChance
from canasta_core.tables.change import Change, next_ai
from canasta_core.tables.clock import Alarm, SystemClock
from canasta_core.tables.clocks import in_turn
from canasta_core.tables.cups import Cups
from canasta_core.tables.errors import StaleTable, StoreError, TableCode, TableError
from canasta_core.tables.glance import Glance
from canasta_core.tables.host_tools import TRIES, HostTools
from canasta_core.tables.keeping import Keeping
from canasta_core.tables.model import (
    AWAY_LIMIT,
    DEFAULT_CLOCK,
    Acted,
    Invite,
    Message,
    Person,
    Preferences,
    Stage,
    Table,
)
from canasta_core.tables.ports import Chance, Clock, Commit, TableStore, Teller, Thinker
from canasta_core.tables.privacy import Privacy
from canasta_core.tables.recordings import Recordings
from canasta_core.tables.records import Records
from canasta_core.tables.recount import recount
from canasta_core.tables.standings import WORLD, Game, Rater, Unrated, keys_of
from canasta_core.tables.telling import Telling
from canasta_core.tables.time_tools import TimeTools

log = logging.getLogger(__name__)
_T = TypeVar("_T")


class TableService(Keeping, Privacy, Recordings, Cups, HostTools, TimeTools, Records):
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
        rater: Rater | None = None,
        ai_delay: float = 2.0,
        next_round: float = 120.0,
    ) -> None:
        """`ai_delay`: seconds before each turn of an AI player. `next_round`: seconds from the end of a
        round until the next one starts by itself. Without a `rater` games are counted, but not rated.
        """
        super().__init__()
        self._prepare_cups()
        self._store = store
        self._rater = rater or Unrated()
        self._rating = asyncio.Lock()
        self._clock = clock or SystemClock()
        self._chance = chance or SystemChance()
        self._pause = next_round
        self._kept: OrderedDict[int, Table] = OrderedDict()
        self._glanced: dict[int, Glance] = {}
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._running: set[asyncio.Task[Any]] = set()
        self._known: dict[int, Preferences] = {}
        self._playbacks = OrderedDict()
        self._telling = Telling(store, self._clock, self._not_before)
        self._ai = AiSeats(
            thinker or InlineThinker(), self._clock, self._chance, ai_delay, self.get, self._act_seat
        )
        self._alarm = Alarm(self._clock, store, self._look)

    async def start(self, teller: Teller) -> None:
        """Tell what was left untold, move AI seats that are in turn, and do what is due."""
        await self._count_old_games()
        await self._start_privacy()
        await self._telling.start(teller)
        for table_id in await self._store.waiting_for_ai():
            self._ai.chores.poke(table_id)
        await self._start_cups()
        self._alarm.start()

    async def close(self) -> None:
        """Let running changes finish and stop everything else; what is untold is told at the next start."""
        await self._alarm.close()
        await self._close_cups()
        await self._ai.chores.close()
        await self._close_privacy()
        while self._running:
            await asyncio.wait(self._running)
        await self._telling.chores.close()

    async def settle(self) -> None:
        """Wait until no AI seat has to act, no cup can go on, and nothing is left to tell."""
        while self._ai.chores.busy or self._telling.chores.busy or self._cups_busy:
            await self._ai.chores.settle()
            await self._settle_cups()
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
        clock: int | None = DEFAULT_CLOCK,
        undo: bool = True,
        away_limit: int = AWAY_LIMIT,
        kept: Sequence[tuple[int, int]] = (),
    ) -> Table:
        """Open a table where the host sits at `seat` (None: any).

        `clock`: seconds for a turn; `undo`: melds of the running turn may be taken back; `away_limit`:
        seconds that each person may be away in all. What the server has chosen for these, and whether
        this host may open a table here, is the caller's to look up. `kept`: seats that are kept for
        persons, with their user ids, until the game begins. Raises RulesError; TableError no_such_seat,
        bad_clock.
        """
        rules = load_rules(profile, seats, options)
        hosting.check_clock(clock)
        chosen = seat or 0
        lobby.check_seat(chosen, rules.seats)
        table = lobby.new_table(
            guild_id,
            channel_id,
            host,
            rules,
            now=self._clock.now(),
            locale=locale,
            clock=clock,
            undo=undo,
            away_limit=away_limit,
            invites=tuple(Invite(seat, user_id) for seat, user_id in kept),
        )
        change = Change(table, table.created_at, self._pause, (host,))
        lobby.open_table(change, host, chosen)
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

        In the lobby anybody may take a free seat, or by its number one that an AI player holds or that is
        kept for somebody; who sits there already moves to it. In a
        running game the seat must be one that no person plays: who has held a seat in this game comes
        back to it (and to no other); anybody else needs an invitation, or that `by` (default: the person)
        is the host, or `moderator`. Who was replaced needs one too.

        Raises TableError: already_seated, table_ended, table_full, seats_kept, seat_taken, no_such_seat,
        not_your_seat, not_invited, knows_packs.
        """

        def edit(change: Change, past: invitations.Past) -> None:
            invitations.join(
                change, person, seat, past, by=by or person, moderator=moderator, chance=self._chance
            )

        return (await self._change_with_past(table_id, edit, person)).table

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

        Raises TableError: table_ended, not_started, not_seated, paused, stale_table, round_not_over.
        """

        def edit(change: Change) -> None:
            lobby.check_playing(change.table)
            seat = lobby.seat_of(change.table, by.user_id)
            away.check_not_paused(change.table)
            lobby.check_version(change.table, expected_version)
            away.back_to_play(change, seat, by.user_id)
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

        With `expected_version` it counts only while the game is as it was at that version, so of two equal
        clicks one counts. With it somebody is back at a seat that an AI player kept. Raises TableError:
        no_such_table, table_ended, not_started, not_seated, paused, stale_table; Refusal.
        """
        seat = -1

        def edit(change: Change) -> None:
            nonlocal seat
            table = change.table
            lobby.check_playing(table)
            seat = lobby.seat_of(table, user_id)
            away.check_not_paused(table)
            lobby.check_version(table, expected_version)
            away.back_to_play(change, seat, user_id)
            move = speak(table.view(seat), action) if isinstance(action, str) else action
            change.move(seat, move, user_id)

        change = await self._change(table_id, edit)
        return Acted(change.table, tuple(seen_by(event, seat) for event in change.events), seat)

    async def undo(self, table_id: int, user_id: int, expected_version: int | None = None) -> Acted:
        """Take back the melds that a person laid last in the running turn (R5.6).

        Not past a draw, a take, a question, an answer or a discard, and not past a meld that showed
        anything hidden. Raises TableError: no_such_table, table_ended, not_started, not_seated,
        paused, stale_table, undo_not_allowed, nothing_to_undo; Refusal not_your_turn.
        """
        seat = -1

        def edit(change: Change) -> None:
            nonlocal seat
            lobby.check_playing(change.table)
            seat = lobby.seat_of(change.table, user_id)
            away.check_not_paused(change.table)
            lobby.check_version(change.table, expected_version)
            away.back_to_play(change, seat, user_id)
            change.take_back(seat, user_id)

        change = await self._change(table_id, edit)
        return Acted(change.table, tuple(seen_by(event, seat) for event in change.events), seat)

    async def _act_seat(self, table: Table, seat: int, action: SeatAction) -> None:
        """An AI player's action, in the game as it was at this version. Raises StaleTable, Refusal."""

        def edit(change: Change) -> None:
            lobby.check_version(change.table, table.version)
            if next_ai(change.table) != seat:
                # Somebody has sat down there, or it rests, since the AI player began to think.
                raise StaleTable(version=change.table.version)
            change.move(seat, action, None)

        await self._change(table.id, edit)

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
                if change.is_empty:
                    return change
                try:
                    if change.game is None:
                        return await self._store_change(change)
                    # Standings are read, changed and stored: one finished game after the other.
                    async with self._rating:
                        await self._rate(change, change.game)
                        return await self._store_change(change)
                except StaleTable:
                    # Another process was faster: the edit judges anew.
                    continue
        raise StaleTable(version=(await self.get(table_id)).version)

    async def _count_old_games(self) -> None:
        """Games of a file from before there were standings are counted, once."""
        if await self._store.pools_in(WORLD):
            return
        counted = await recount(self._store.games(), self._rater)
        if counted.standings:
            await self._store.replace_standings(counted.standings, counted.ratings)
            log.info("counted %d games that had finished before there were standings", counted.games)

    async def _rate(self, change: Change, game: Game) -> None:
        before = await self._store.standings(keys_of(game))
        change.rate(await self._store.seat_rounds(change.table.id), before, self._rater)

    async def _store_change(self, change: Change) -> Change:
        commit = change.commit(await self._preferences_of(in_turn(change.table)))
        self._check_doers(commit)
        try:
            table_id = await self._store.commit(commit)
        except BaseException as error:
            # Whether it was written is uncertain after some errors.
            self._kept.pop(change.table.id, None)
            if isinstance(error, StoreError) and change.table.id:
                self._wake(change.table.id, commit)
            raise
        change.table = replace(change.table, id=table_id)
        self._keep(change.table)
        self._wake(table_id, commit)
        return change

    def _wake(self, table_id: int, commit: Commit) -> None:
        """See to what follows from a commit: each looks at what is stored."""
        if commit.notices:
            self._telling.chores.poke(table_id)
        if commit.table.stage == Stage.PLAYING:
            self._ai.chores.poke(table_id)
        if commit.table.stage == Stage.ENDED:
            self._cup_table_ended(table_id)
        if commit.table.alarm is not None:
            self._alarm.stored(commit.table.alarm)

    async def _whole(self, work: Coroutine[None, None, _T]) -> _T:
        """Run a change to its end, even when its caller is cancelled in the middle."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # Its caller will not see how it ends.
            task.add_done_callback(self._report)
            raise

    @staticmethod
    def _report(task: "asyncio.Task[Any]") -> None:
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

    # Messages and names

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

    async def meet(self, person: Person) -> None:
        """Bring the last known name of somebody up to date who came in without changing a table."""
        if self._is_being_forgotten(person.user_id):
            return
        await self._store.meet(person)
        self._glanced.clear()
        for table_id, table in self._kept.items():
            if table.seat_of(person.user_id) is not None:
                self._kept[table_id] = table.with_names((person,))
