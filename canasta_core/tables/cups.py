"""The requests about cups, and how a cup goes on by itself.

Every step is stored before the next one is taken, and each can be taken twice without harm: the pairing of
a round is written once, a table is opened in the transaction that notes it as the cup's, a result is noted
once. So a cup is brought forward by looking at what is stored: at the start, and whenever one of its tables
ends.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping
from typing import Final, TypeVar

from canasta_core.actions import Deal, DrawLots
from canasta_core.cards import pack_of
from canasta_core.codec import encode_rules
from canasta_core.profiles import load_rules
from canasta_core.refusals import Refusal
from canasta_core.rules import Rules, UnfitUpcard
from canasta_core.tables import hosting, lobby
from canasta_core.tables.change import PLACES, Change
from canasta_core.tables.chores import LONGEST_PAUSE, Chores, Tries
from canasta_core.tables.cup_model import (
    DEFAULT_ROUNDS,
    LEAST_PEOPLE,
    MOST_PEOPLE,
    MOST_ROUNDS,
    SEATS,
    ChannelGoneError,
    Cup,
    CupKind,
    CupPlace,
    CupStage,
    CupTable,
    CupTeller,
    Seats,
)
from canasta_core.tables.cup_standings import standings
from canasta_core.tables.errors import StoreError, TableCode, TableError, TellFailed
from canasta_core.tables.model import AWAY_LIMIT, DEFAULT_CLOCK, Person, Stage, Table, What
from canasta_core.tables.pairing import full_rounds, met, round_robin, swiss
from canasta_core.tables.playing_on import TURN_PAUSE, goes_on_at, play_turn
from canasta_core.tables.ports import Chance, Clock, TableStore
from canasta_core.tables.rows import packs_text, read_packs

log = logging.getLogger(__name__)
_T = TypeVar("_T")

DEALS: Final = 16
"""Packs that are made for a match; should one take more rounds, they are dealt by chance."""


class Cups(ABC):
    """These requests of a TableService. Each raises TableError, having changed nothing."""

    _store: TableStore
    _clock: Clock
    _chance: Chance
    _pause: float

    @abstractmethod
    async def get(self, table_id: int) -> Table: ...

    @abstractmethod
    async def _whole(self, work: Coroutine[None, None, _T]) -> _T: ...

    @abstractmethod
    async def _store_change(self, change: Change) -> Change: ...

    @abstractmethod
    async def _change(self, table_id: int, edit: Callable[[Change], None], *people: Person) -> Change: ...

    @abstractmethod
    def _check_known(self, user_id: int) -> None: ...

    @abstractmethod
    def _is_being_forgotten(self, user_id: int) -> bool: ...

    def _prepare_cups(self) -> None:
        self._cup_teller: CupTeller | None = None
        self._cup_chores = Chores("cup", self._bring_forward)
        self._cup_news = Chores("telling of cup", self._tell_cup)
        self._cup_tables: dict[int, int] = {}
        """Cups, by the tables of their running rounds."""
        self._cup_people: dict[int, frozenset[int]] = {}
        """User ids of those who play the running round of a cup."""
        self._cup_watches: dict[int, asyncio.Task[None]] = {}
        """One for each table of a running round, lest everybody stays away from it."""

    async def _start_cups(self) -> None:
        for cup_id in await self._store.cups_at_work():
            self._cup_chores.poke(cup_id)

    async def _close_cups(self) -> None:
        await self._cup_chores.close()
        await self._cup_news.close()
        watches = list(self._cup_watches.values())
        for watch in watches:
            watch.cancel()
        await asyncio.gather(*watches, return_exceptions=True)

    async def _settle_cups(self) -> None:
        await self._cup_chores.settle()
        await self._cup_news.settle()

    @property
    def _cups_busy(self) -> bool:
        return self._cup_chores.busy or self._cup_news.busy

    def tell_cups(self, teller: CupTeller) -> None:
        """Who tells of cups and finds places for their tables; call it before `start`."""
        self._cup_teller = teller

    # Requests

    async def open_cup(
        self,
        guild_id: int,
        channel_id: int,
        host: Person,
        profile: str,
        *,
        title: str = "",
        kind: CupKind = CupKind.SWISS,
        rounds: int | None = None,
        options: Mapping[str, int | bool | str] | None = None,
        clock: int | None = DEFAULT_CLOCK,
        undo: bool = True,
        away_limit: int = AWAY_LIMIT,
        locale: str = "en",
    ) -> Cup:
        """Open a cup to sign up for; each match is a game by these rules.

        `rounds`: by default three, and of a round robin as many as it takes. Who may open one is the
        caller's to judge. Raises RulesError; TableError bad_rounds, bad_clock, being_forgotten.
        """
        self._check_known(host.user_id)
        rules = load_rules(profile, SEATS, options)
        hosting.check_clock(clock)
        if rounds is not None and not 1 <= rounds <= MOST_ROUNDS:
            raise TableError(TableCode.BAD_ROUNDS, most=MOST_ROUNDS)
        cup = Cup(
            id=0,
            guild_id=guild_id,
            channel_id=channel_id,
            host_id=host.user_id,
            title=title,
            rules_text=encode_rules(rules),
            kind=kind,
            rounds=rounds or (DEFAULT_ROUNDS if kind is CupKind.SWISS else 0),
            clock=clock,
            undo=undo,
            away_limit=away_limit,
            locale=locale,
            stage=CupStage.OPEN,
            round=0,
            created_at=self._clock.now(),
        )
        cup_id = await self._store.create_cup(cup)
        self._cup_news.poke(cup_id)
        return await self.cup(cup_id)

    async def cup(self, cup_id: int) -> Cup:
        """Raises TableError no_such_cup."""
        found = await self._store.cup(cup_id)
        if found is None:
            raise TableError(TableCode.NO_SUCH_CUP)
        return found

    async def cups_in(self, guild_id: int) -> list[Cup]:
        """Cups of a guild that are open or played, oldest first."""
        return [await self.cup(cup_id) for cup_id in await self._store.cups_in(guild_id)]

    async def enter_cup(self, cup_id: int, person: Person) -> Cup:
        """Sign up.

        Raises TableError no_such_cup, cup_not_open, already_entered, cup_full, being_forgotten.
        """
        self._check_known(person.user_id)
        entered = await self._store.enter_cup(cup_id, person, MOST_PEOPLE)
        cup = await self.cup(cup_id)
        if not entered:
            if cup.stage is not CupStage.OPEN:
                raise TableError(TableCode.CUP_NOT_OPEN)
            if cup.entrant(person.user_id) is not None:
                raise TableError(TableCode.ALREADY_ENTERED)
            raise TableError(TableCode.CUP_FULL, most=MOST_PEOPLE)
        self._cup_news.poke(cup_id)
        return cup

    async def leave_cup(self, cup_id: int, person: Person) -> Cup:
        """Sign off, or when it is played take part in no further round.

        A seat at a running table is not left with it. Raises TableError no_such_cup, not_entered, cup_over.
        """
        left = await self._store.leave_cup(cup_id, person.user_id)
        cup = await self.cup(cup_id)
        if not left:
            over = cup.stage not in (CupStage.OPEN, CupStage.PLAYING)
            raise TableError(TableCode.CUP_OVER if over else TableCode.NOT_ENTERED)
        self._cup_news.poke(cup_id)
        return cup

    async def start_cup(self, cup_id: int, by: Person, *, moderator: bool = False) -> Cup:
        """Begin with those who have signed up.

        Raises TableError no_such_cup, not_cup_host, cup_not_open, cup_too_few.
        """
        while True:
            cup = await self._cup_of_host(cup_id, by, moderator)
            if cup.stage is not CupStage.OPEN:
                raise TableError(TableCode.CUP_NOT_OPEN)
            people = len(cup.entrants)
            if people < LEAST_PEOPLE:
                raise TableError(TableCode.CUP_TOO_FEW, least=LEAST_PEOPLE, there=people)
            rounds = cup.rounds
            if cup.kind is CupKind.ROUND_ROBIN:
                rounds = min(rounds or MOST_ROUNDS, full_rounds(people))
            # Not when somebody has come or gone meanwhile: then it is judged anew.
            if await self._store.begin_cup(cup_id, people, rounds):
                self._cup_chores.poke(cup_id)
                return await self.cup(cup_id)

    async def end_cup(self, cup_id: int, by: Person, *, moderator: bool = False) -> Cup:
        """Give a cup up; its running tables may be played on, as tables like any other.

        Raises TableError no_such_cup, not_cup_host, cup_over.
        """
        await self._cup_of_host(cup_id, by, moderator)
        if not await self._store.finish_cup(cup_id, CupStage.ENDED):
            raise TableError(TableCode.CUP_OVER)
        self._open_to_all(cup_id)
        self._cup_news.poke(cup_id)
        return await self.cup(cup_id)

    async def _cup_of_host(self, cup_id: int, by: Person, moderator: bool) -> Cup:
        cup = await self.cup(cup_id)
        if by.user_id != cup.host_id and not moderator:
            raise TableError(TableCode.NOT_CUP_HOST)
        return cup

    def check_may_look(self, table: Table, user_id: int) -> None:
        """Who plays a round of a cup sees nothing of its other tables, which have the same packs.

        Raises TableError same_packs.
        """
        cup_id = self._cup_tables.get(table.id)
        if cup_id is not None and table.seat_of(user_id) is None and user_id in self._cup_people[cup_id]:
            raise TableError(TableCode.SAME_PACKS)

    async def cup_names(self, cup: Cup) -> Mapping[int, str]:
        """Last known names of all who take part or have taken part."""
        people = {one.user_id for one in cup.entrants}
        people.update(user_id for table in cup.tables for user_id in table.people)
        return await self._store.names(people)

    async def note_cup_message(self, cup_id: int, message_id: int) -> None:
        """By the teller: the message to sign up with is there."""
        await self._store.set_cup_message(cup_id, message_id)

    async def note_cup_told(self, cup_id: int, rounds: int) -> None:
        """By the teller: the standings after so many rounds have been told."""
        await self._store.set_cup_told(cup_id, rounds)

    # What happens by itself

    def _cup_table_ended(self, table_id: int) -> None:
        """A table has ended; whether it was a cup's is seen here."""
        cup_id = self._cup_tables.get(table_id)
        if cup_id is not None:
            self._cup_chores.poke(cup_id)

    async def _bring_forward(self, cup_id: int) -> None:
        tries = Tries(self._clock, f"cup {cup_id}")
        while True:
            try:
                await self._play_cup(cup_id)
            except (TellFailed, StoreError, TableError) as error:
                await tries.wait(error)
            else:
                self._cup_news.poke(cup_id)
                return

    async def _play_cup(self, cup_id: int) -> None:
        cup = await self.cup(cup_id)
        while cup.stage is CupStage.PLAYING:
            try:
                running = await self._is_round_running(cup)
                cup = await self.cup(cup_id)
                if running and cup.stage is CupStage.PLAYING:
                    return
                self._open_to_all(cup_id)
                if not running:
                    await self._go_on(cup)
            except ChannelGoneError as error:
                # Nobody can be told where to play: what runs is played on, and no round begins any more.
                log.warning("cup %s is given up: %s", cup_id, error)
                await self._store.finish_cup(cup_id, CupStage.ENDED)
            cup = await self.cup(cup_id)
        # It may have been given up while its tables were gone through.
        self._open_to_all(cup_id)

    async def _is_round_running(self, cup: Cup) -> bool:
        """Open the tables that are not open yet, and note the results of those that have ended."""
        tables = cup.tables_of(cup.round)
        self._cup_people[cup.id] = frozenset(user_id for table in tables for user_id in table.people)
        running = False
        first: int | None = None
        for table in tables:
            table_id = table.table_id
            if table.difference is None:
                if table_id is None:
                    table_id = await self._open_cup_table(cup, table, first)
                self._cup_tables[table_id] = cup.id
                played = await self.get(table_id)
                if played.stage is Stage.ENDED:
                    await self._store.close_cup_table(cup.id, table.round, table.number, _difference(played))
                else:
                    running = True
                    self._watch(table_id)
            if table.number == 1:
                first = table_id
        return running

    def _watch(self, table_id: int) -> None:
        if table_id not in self._cup_watches:
            watch = asyncio.create_task(self._play_on(table_id), name=f"cup table {table_id}")
            self._cup_watches[table_id] = watch
            watch.add_done_callback(lambda _: self._cup_watches.pop(table_id, None))

    async def _play_on(self, table_id: int) -> None:
        """Wait until nobody has been at a table for long enough, and let AI players go on there.

        A table cannot come to that sooner than its rest is long, so it need not be looked at before.
        """
        last = 0
        """Version after the last turn that was played here."""
        while table_id in self._cup_tables:
            try:
                table = await self.get(table_id)
                if table.stage is Stage.ENDED:
                    return
                now = self._clock.now()
                pause = 0.0 if table.version == last else goes_on_at(table, now) - now
                if pause <= 0:
                    change = await self._change(table_id, lambda edited: play_turn(edited, self._chance))
                    last = 0 if change.is_empty else change.table.version
                    pause = TURN_PAUSE
            except (StoreError, TableError, Refusal) as error:
                # The code only: facts may name cards of a hand.
                log.warning("nobody plays on at table %s now: %s", table_id, error.code)
                last, pause = 0, LONGEST_PAUSE
            except Exception:
                # A defect; another try may do all the same, and nobody else would make one.
                log.exception("nobody plays on at table %s now", table_id)
                last, pause = 0, LONGEST_PAUSE
            await self._clock.sleep(pause)

    async def _go_on(self, cup: Cup) -> None:
        """A round is over: pair the next one, or end the cup."""
        active = [user_id for user_id in cup.active if not self._is_being_forgotten(user_id)]
        if cup.round >= cup.rounds or len(active) < 2:
            await self._store.finish_cup(cup.id, CupStage.OVER)
            return
        seats = await asyncio.to_thread(self._paired, cup, active)
        packs = packs_text(self._shuffles(cup.rules))
        await self._store.draw_round(cup.id, cup.round + 1, seats, packs)

    def _paired(self, cup: Cup, active: list[int]) -> list[Seats]:
        earlier = met(table.seats for table in cup.tables)
        if cup.kind is CupKind.ROUND_ROBIN:
            entries = [one.user_id if one.user_id in active else None for one in cup.entrants]
            return round_robin(entries, cup.round + 1, earlier)
        rng = self._chance.rng()
        order = [line.user_id for line in standings(cup) if line.user_id in active]
        if not cup.round:
            rng.shuffle(order)
        return swiss(order, earlier, rng)

    def _shuffles(self, rules: Rules) -> tuple[DrawLots | Deal, ...]:
        """Lots and packs for all tables of a round."""
        pack = pack_of(rules.packs, rules.jokers)
        returns = rules.unfit_upcard is UnfitUpcard.RETURN
        return (
            DrawLots(self._chance.shuffled(pack)),
            *(
                Deal(self._chance.shuffled(pack), self._chance.numbers(PLACES) if returns else ())
                for _ in range(DEALS)
            ),
        )

    async def _open_cup_table(self, cup: Cup, table: CupTable, first: int | None) -> int:
        """Open a table with its people, and begin; it repeats `first`, the round's first table."""
        names = await self._store.names(table.people)
        channel_id = cup.channel_id
        gone: tuple[int, ...] = ()
        if self._cup_teller is not None:
            channel_id, gone = await self._cup_teller.place(cup, table)
        for stranger in gone:
            await self._store.leave_cup(cup.id, stranger)
        people = {
            user_id: Person(user_id, names.get(user_id, "?"))
            for user_id in table.people
            # Who has become a former player since the pairing, or is about to, does not play.
            if user_id > 0 and user_id not in gone and not self._is_being_forgotten(user_id)
        }
        new = lobby.new_table(
            cup.guild_id,
            channel_id,
            Person(cup.host_id, ""),
            cup.rules,
            now=self._clock.now(),
            locale=cup.locale,
            clock=cup.clock,
            undo=cup.undo,
            away_limit=cup.away_limit,
            duplicate_of=first,
            packs=read_packs(await self._store.cup_packs(cup.id)),
        )
        change = Change(new, new.created_at, self._pause, tuple(people.values()))
        change.place = CupPlace(cup.id, table.round, table.number)
        for seat, user_id in enumerate(table.seats):
            person = None if user_id is None else people.get(user_id)
            if person is None:
                change.seat_ai(seat, lobby.STAND_IN)
            else:
                change.seat_person(seat, person)
        change.step(What.CREATE, detail={"cup": cup.id, "round": table.round})
        lobby.begin_when_full(change, self._chance)
        return (await self._whole(self._store_change(change))).table.id

    def _open_to_all(self, cup_id: int) -> None:
        """Nothing at the tables of a cup is to be kept from its people any more."""
        self._cup_tables = {table: cup for table, cup in self._cup_tables.items() if cup != cup_id}
        self._cup_people.pop(cup_id, None)

    async def _tell_cup(self, cup_id: int) -> None:
        tries = Tries(self._clock, f"telling of cup {cup_id}")
        while self._cup_teller is not None:
            try:
                cup = await self.cup(cup_id)
                await self._cup_teller.tell(cup, await self.cup_names(cup))
                return
            except (TellFailed, StoreError) as error:
                await tries.wait(error)


def _difference(table: Table) -> int:
    """Score of the first team less that of the second, after the last round that was played to its end.

    So nobody gains by giving a match up when they are behind.
    """
    if table.state is None:
        return 0
    first, second = table.state.public.scores
    return first - second
