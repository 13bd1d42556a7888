"""A change of a table, put together step by step and then stored as one commit.

Nothing here waits: the service loads the table, an edit judges and changes it, and the commit is
written, all under the table's lock.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from canasta_core.actions import Action, Deal, DrawLots, SeatAction
from canasta_core.cards import Card, pack_of
from canasta_core.codec import encode_action
from canasta_core.engine import apply
from canasta_core.events import Event, GameEnded, RoundEnded, seen_by
from canasta_core.fairness import commitment
from canasta_core.legality import who_acts
from canasta_core.refusals import Code, Refusal
from canasta_core.rules import UnfitUpcard
from canasta_core.state import GameState, Phase
from canasta_core.tables import tally
from canasta_core.tables.clocks import alarm, is_asking, lapsed, running_for, wound
from canasta_core.tables.consent import is_agreed
from canasta_core.tables.cup_model import CupPlace
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import (
    Ended,
    NoticeKind,
    Person,
    Preferences,
    Sitter,
    Stage,
    Table,
    Tenure,
    What,
)
from canasta_core.tables.outcome import Outcome
from canasta_core.tables.ports import Chance, Commit, LogRow, NoticeRow
from canasta_core.tables.rows import data_text, events_text, table_row
from canasta_core.tables.standings import Game, Rater, SeatRound, Standings
from canasta_core.tables.undo import can_be_taken_back, taken_back

RECENT: Final = 8
"""Public events kept for «last moves»."""
PLACES: Final = 32
"""Random places of a deal that puts unfit upcards back: more than a pack has unfit cards."""
_Shuffle = TypeVar("_Shuffle", DrawLots, Deal)
_PLAY: Final = frozenset({What.BEGIN, What.LOTS, What.DEAL, What.MOVE, What.UNDO})
"""Steps that change the game itself."""
TURN_PHASES: Final = (Phase.DRAW, Phase.PLAY, Phase.PERMISSION)
"""Phases in which it is a seat's turn."""
AI_NAMES: Final = ("Ada", "Bruno", "Clara", "Dario", "Edith", "Felix", "Greta", "Hugo")
"""Names of AI players: at every table the first ones that nobody there has."""


class Change:
    """Consecutive steps from one version of a table to a later one.

    `table` is the table after the steps so far, `events` all that happened in them.
    """

    def __init__(self, table: Table, now: float, pause: float, people: tuple[Person, ...] = ()) -> None:
        """`now` in unix seconds; `pause` in seconds, from the end of a round to the next deal."""
        self.table = table.with_names(people)
        self.events: list[Event] = []
        self.now = now
        """Unix seconds."""
        self._first = table
        self.lapsed = lapsed(table, now)
        """Seats of persons whose time to be away is over: the first steps put them on record as back."""
        self._anew = False
        self._pause = pause
        self._people = people
        self._log: list[LogRow] = []
        self._left: list[tuple[int, int, float]] = []
        self._sat: list[Tenure] = []
        self._outcome = Outcome()
        self._asked: tuple[int, ...] = ()
        self._told: dict[NoticeKind, dict[str, object]] = {}
        self.place: CupPlace | None = None
        """Which table of a cup the new table is."""
        for sitter in self.table.sitters:
            if sitter.seat in self.lapsed:
                self.set_sitter(replace(sitter, away_until=None))
                self.step(What.BACK, seat=sitter.seat)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has changed, so that there is nothing to store."""
        return not self._log

    def tell(self, kind: NoticeKind, **data: object) -> None:
        """A notice that what is being done calls for, besides those that follow from it by themselves."""
        self._told[kind] = data

    @property
    def version(self) -> int:
        """Version of the step that is being made."""
        return self.table.version + 1

    def step(
        self,
        what: What,
        *,
        actor: int | None = None,
        seat: int | None = None,
        action: Action | None = None,
        events: tuple[Event, ...] = (),
        detail: Mapping[str, object] | None = None,
    ) -> None:
        """Close a step: what has changed since the last one gets its version and its log row."""
        self._log.append(
            LogRow(
                version=self.version,
                at=self.now,
                what=what,
                actor=actor,
                seat=seat,
                action=None if action is None else encode_action(action),
                events=events_text(events),
                detail=data_text(detail or {}),
            )
        )
        self.events.extend(events)
        played = self.version if what in _PLAY else self.table.played
        self.table = replace(self.table, version=self.version, played=played, touched_at=self.now)

    def wind_anew(self) -> None:
        """The clock that runs begins anew with this change."""
        self._anew = True
        self.table = replace(self.table, wait=replace(self.table.wait, reminded=False))

    def set_sitter(self, sitter: Sitter) -> None:
        """Put on record what has changed about who sits there: missed, absent, kept, away."""
        others = [other for other in self.table.sitters if other.seat != sitter.seat]
        self._set_sitters([*others, sitter])
        for index, tenure in enumerate(self._sat):
            if tenure.seat == sitter.seat and tenure.to_version is None:
                self._sat[index] = replace(
                    tenure,
                    missed=sitter.missed,
                    absent=sitter.absent,
                    kept=sitter.kept,
                    away_until=sitter.away_until,
                    away_used=sitter.away_used,
                )

    # Seats

    def seat_person(self, seat: int, person: Person, away_used: float = 0.0) -> None:
        """A person sits down, instead of whoever sat there; `away_used`: see Sitter."""
        self._occupy(Sitter(seat, person.user_id, person.name, since=self.version, away_used=away_used))

    def seat_ai(self, seat: int, level: str) -> None:
        """An AI player sits down, instead of whoever sat there."""
        taken = {sitter.name for sitter in self.table.sitters}
        name = next((name for name in AI_NAMES if name not in taken), f"AI {seat + 1}")
        self._occupy(Sitter(seat, None, name, level, since=self.version))

    def vacate(self, seat: int) -> None:
        """Whoever sits there gets up."""
        self._end_tenure(seat)
        self._set_sitters([sitter for sitter in self.table.sitters if sitter.seat != seat])

    def make_host(self, user_id: int) -> None:
        self.table = replace(self.table, host_id=user_id)

    def _occupy(self, newcomer: Sitter) -> None:
        if self.table.sitter(newcomer.seat) is not None:
            self._end_tenure(newcomer.seat)
        others = [sitter for sitter in self.table.sitters if sitter.seat != newcomer.seat]
        self._set_sitters([*others, newcomer])
        if self.table.state is not None and self.table.state.public.turn == newcomer.seat:
            # What somebody else has laid is not a newcomer's to take back.
            self.table = replace(self.table, before=())
        self._sat.append(
            Tenure(
                newcomer.seat,
                newcomer.user_id,
                newcomer.ai,
                newcomer.name,
                newcomer.since,
                self.now,
                away_used=newcomer.away_used,
            )
        )

    def _set_sitters(self, sitters: list[Sitter]) -> None:
        sitters.sort(key=lambda sitter: sitter.seat)
        played = {sitter.seat for sitter in sitters if sitter.is_active}
        invites = tuple(invite for invite in self.table.invites if invite.seat not in played)
        self.table = replace(self.table, sitters=tuple(sitters), invites=invites)

    def _end_tenure(self, seat: int) -> None:
        for index, tenure in enumerate(self._sat):
            if tenure.seat == seat and tenure.to_version is None:
                self._sat[index] = replace(tenure, to_version=self.version, to_at=self.now)
                return
        self._left.append((seat, self.version, self.now))

    # The game

    def begin(self, chance: Chance, actor: int | None, *, by_moderator: bool = False) -> None:
        """Start the game: lots and the first deal."""
        self.table = replace(
            self.table, stage=Stage.PLAYING, state=GameState.new(self.table.rules), began=self.version
        )
        self.step(What.BEGIN, actor=actor, detail=audit(by_moderator))
        lots = self._repeated(DrawLots)
        self._chance(lots or DrawLots(chance.shuffled(self._pack())), chance, actor)
        self.deal(chance, actor)

    def deal(self, chance: Chance, actor: int | None) -> None:
        """Deal a round. Raises Refusal when it is not the time."""
        repeated = self._repeated(Deal)
        if repeated is not None:
            self._chance(repeated, chance, actor)
            return
        places = chance.numbers(PLACES) if self.table.rules.unfit_upcard is UnfitUpcard.RETURN else ()
        self._chance(Deal(chance.shuffled(self._pack()), places), chance, actor)

    def _repeated(self, kind: type[_Shuffle]) -> _Shuffle | None:
        """The next shuffle of the game whose packs are dealt again here; None when there is none left."""
        if not self.table.packs or not isinstance(self.table.packs[0], kind):
            return None
        shuffle = self.table.packs[0]
        self.table = replace(self.table, packs=self.table.packs[1:])
        return shuffle

    def move(self, seat: int, action: SeatAction, actor: int | None) -> None:
        """Play an action of a seat. Raises Refusal, having changed nothing."""
        first = self.table
        events = self._play(seat, action)
        self._plays_again(seat, actor)
        goes_on = can_be_taken_back(action, self.table.state, events)
        if goes_on and first.undo and first.state is not None and actor is not None:
            self.table = replace(self.table, before=(*first.before, first.state))
        self.step(What.MOVE, actor=actor, seat=seat, action=action, events=events)

    def _plays_again(self, seat: int, actor: int | None) -> None:
        """A move of their own: they are there, and late for the first time the rest of the turn is theirs."""
        sitter = self.table.sitter(seat)
        if actor is None or sitter is None or self.table.stage is not Stage.PLAYING:
            return
        if sitter.missed:
            self.set_sitter(replace(sitter, missed=0))
        wait = self.table.wait
        if seat in wait.owed and not wait.late:
            owed = tuple(other for other in wait.owed if other != seat)
            self.table = replace(self.table, wait=replace(wait, owed=owed))

    def take_back(self, seat: int, actor: int) -> None:
        """Take back the melds that were laid last in the running turn (R5.6).

        Raises TableError: not_started, undo_not_allowed, nothing_to_undo; Refusal not_your_turn.
        """
        state = self.table.state
        if state is None:
            raise TableError(TableCode.NOT_STARTED)
        if not self.table.undo:
            raise TableError(TableCode.UNDO_NOT_ALLOWED)
        public = state.public
        if public.phase in TURN_PHASES and public.turn != seat:
            raise Refusal(Code.NOT_YOUR_TURN, turn=public.turn)
        if not self.table.before:
            raise TableError(TableCode.NOTHING_TO_UNDO)
        *earlier, last = self.table.before
        self._plays_again(seat, actor)
        event = taken_back(state, last, seat)
        recent = (*self.table.recent, event)[-RECENT:]
        self.table = replace(
            self.table,
            state=last,
            before=tuple(earlier),
            recent=recent,
            tally=tally.counted(self.table.tally, seat, state, last),
        )
        self.step(What.UNDO, actor=actor, seat=seat, events=(event,))

    def end(self, reason: Ended) -> None:
        """The table ends with the step that is being made; all tenures end with it."""
        for sitter in self.table.sitters:
            self._end_tenure(sitter.seat)
        self.table = replace(
            self.table, stage=Stage.ENDED, ended=reason, before=(), proposal=None, invites=()
        )

    def _pack(self) -> list[Card]:
        return pack_of(self.table.rules.packs, self.table.rules.jokers)

    def _chance(self, action: DrawLots | Deal, chance: Chance, actor: int | None) -> None:
        salt = chance.salt()
        promise = commitment(salt, action)
        events = self._play(None, action)
        self.table = replace(self.table, commitment=promise)
        what = What.LOTS if isinstance(action, DrawLots) else What.DEAL
        detail = {"salt": salt, "commitment": promise}
        self.step(what, actor=actor, action=action, events=events, detail=detail)

    def _play(self, seat: int | None, action: Action) -> tuple[Event, ...]:
        if self.table.state is None:
            raise TableError(TableCode.NOT_STARTED)
        first = self.table.state
        transition = apply(first, seat, action)
        public = [seen_by(event, None) for event in transition.events]
        self.table = replace(
            self.table,
            state=transition.state,
            before=(),
            recent=(*self.table.recent, *public)[-RECENT:],
            tally=tally.dealt(first)
            if seat is None
            else tally.counted(self.table.tally, seat, first, transition.state),
        )
        for event in transition.events:
            if isinstance(event, RoundEnded):
                self._outcome.round_over(self.table, event, transition.state.public, self.now)
            elif isinstance(event, GameEnded):
                self._outcome.game_over(self.table, event, transition.state.public.round_number, self.now)
                self.end(Ended.FINISHED)
        return transition.events

    @property
    def game(self) -> Game | None:
        """The game that ends with this change, with the rounds that end with it."""
        return self._outcome.game

    def rate(self, earlier: Iterable[SeatRound], before: Standings, rater: Rater) -> None:
        """Count the game that has ended: `earlier` are its rounds before this change."""
        self._outcome.rate(earlier, before, rater)

    def set_clock(self, clock: int | None, actor: int | None, *, by_moderator: bool = False) -> None:
        """Another clock from now on; what was proposed is settled with it."""
        self.table = replace(self.table, clock=clock, proposal=None)
        self.step(What.CLOCK, actor=actor, detail={"clock": clock, **audit(by_moderator)})

    def settle_proposal(self) -> bool:
        """The proposed clock counts once nobody is left to agree, by whatever that came about. True if so."""
        proposal = self.table.proposal
        if proposal is None:
            return False
        if self.table.seat_of(proposal.by) is None:
            self.table = replace(self.table, proposal=None)
            return False
        if not is_agreed(self.table, self.now):
            return False
        self.set_clock(proposal.clock, None)
        return True

    # The commit

    def commit(self, preferences: Mapping[int, Preferences]) -> Commit:
        """All steps as one commit, with the clock wound and the notices they call for.

        `preferences` of the persons whose clock may run, by user id.
        """
        self.settle_proposal()
        first = replace(self._first, deadline=None) if self._anew else self._first
        self.table = wound(first, self.table, self.now, self._pause, preferences)
        self._call()
        known = {sitter.seat: sitter for sitter in self._first.sitters}
        seated = [
            sitter
            for sitter in self.table.sitters
            if sitter.seat in known
            and sitter.since == known[sitter.seat].since
            and sitter != known[sitter.seat]
        ]
        return Commit(
            table=table_row(self.table, alarm=alarm(self.table), ai_turn=next_ai(self.table) is not None),
            before=self._first.version,
            log=tuple(self._log),
            left=tuple(self._left),
            sat=tuple(self._sat),
            seated=tuple(seated),
            notices=tuple(
                NoticeRow(0, self.table.id, self.table.version, kind, data_text(data))
                for kind, data in self._notices().items()
            ),
            rounds=tuple(self._outcome.rounds),
            seat_rounds=tuple(self._outcome.seat_rounds),
            results=tuple(self._outcome.results),
            game=self._outcome.game,
            standings=self._outcome.standings,
            people=self._people,
            place=self.place,
        )

    def _call(self) -> None:
        """Note who learns with this change that it is their turn, or that they are asked.

        Each does once. Who is away, or whose table is paused, does later; who takes up what an AI player
        kept for them knows.
        """
        turn, version = whose_turn(self.table), self.table.turn_version
        if turn != whose_turn(self._first):
            version = 0
        if turn is not None and version == 0:
            sitter = self.table.sitter(turn[1])
            if turn[2] is None or sitter in running_for(self.table, self.now):
                version = self.table.version
        wait = self.table.wait
        if is_asking(self.table):
            asked = tuple(
                sitter.seat for sitter in running_for(self.table, self.now) if sitter.seat not in wait.asked
            )
            self._asked = tuple(seat for seat in asked if not self._takes_up(seat))
            wait = replace(wait, asked=(*wait.asked, *asked))
        self.table = replace(self.table, turn_version=version, wait=wait)

    def _takes_up(self, seat: int) -> bool:
        """A person comes back to the seat that an AI player kept, in the middle of the same turn.

        They were called before the AI player took over, and have come by what they did just now: its answer
        shows them their hand.
        """
        kept, sitter = self._first.sitter(seat), self.table.sitter(seat)
        if kept is None or sitter is None or not kept.absent or kept.since != sitter.since:
            return False
        before, now = whose_turn(self._first), whose_turn(self.table)
        return before is not None and now is not None and before[:2] == now[:2]

    def _notices(self) -> dict[NoticeKind, dict[str, object]]:
        """What this change makes worth telling, in the order in which it is told."""
        table = self.table
        state = table.state
        if all(row.what == What.LOST for row in self._log):
            return self._told  # where the board is, nobody can be told of it
        if state is None:
            return {NoticeKind.LOBBY: {}, **self._told}
        found: dict[NoticeKind, dict[str, object]] = {}
        if not self._goes_on():
            found[NoticeKind.BOARD] = {}
        for event in self.events:
            if isinstance(event, RoundEnded):
                found[NoticeKind.ROUND_OVER] = {"round": state.public.round_number}
            elif isinstance(event, GameEnded):
                del found[NoticeKind.ROUND_OVER]
                found[NoticeKind.GAME_OVER] = {
                    "round": state.public.round_number,
                    "winner": event.winner,
                }
        turn = whose_turn(table)
        begins = turn is not None and table.turn_version == table.version
        if begins and turn is not None and turn[2] is not None and not self._takes_up(turn[1]):
            found[NoticeKind.TURN] = {"seat": turn[1], "user_id": turn[2]}
        if self._asked:
            found[NoticeKind.QUESTION] = {
                "seat": state.public.turn,
                "pending": list(state.public.pending),
                "user_ids": [table.sitters[seat].user_id for seat in self._asked],
            }
        return {**found, **self._told}

    @property
    def calls(self) -> bool:
        """Whether somebody is called by this change, or will be by the moves of AI players that follow it.

        The board and what becomes of a lobby make no sound.
        """
        silent = {NoticeKind.BOARD, NoticeKind.LOBBY}
        return not self._notices().keys() <= silent or next_ai(self.table) is not None

    def _goes_on(self) -> bool:
        """An AI player moved and at once moves again: the board waits for the end of its moves."""
        movers = {row.seat for row in self._log if row.what == What.MOVE and row.actor is None}
        return len(movers) == len(self._log) == 1 and next_ai(self.table) in movers


def audit(by_moderator: bool) -> dict[str, object]:
    """What a log row says besides, when it was done with a moderator's right."""
    return {"moderator": True} if by_moderator else {}


def whose_turn(table: Table) -> tuple[int, int, int | None, str] | None:
    """What tells one turn from the next: round, seat, and who sits there. None when nobody is in turn."""
    if table.state is None or table.stage is not Stage.PLAYING:
        return None
    public = table.state.public
    if public.phase not in TURN_PHASES:
        return None
    sitter = table.sitter(public.turn)
    if sitter is None:
        return None
    return public.round_number, public.turn, sitter.user_id if sitter.is_active else None, sitter.ai


def next_ai(table: Table) -> int | None:
    """The seat that an AI player must move now, if any: its own, or one that it keeps for a person, or
    one whose clock ran out.
    """
    if table.state is None or table.stage is not Stage.PLAYING or table.rests:
        return None
    for seat in who_acts(table.state.public):
        sitter = table.sitter(seat)
        if sitter is not None and (not sitter.is_active or seat in table.wait.owed):
            return seat
    return None
