"""A change of a table, put together step by step and then stored as one commit.

Nothing here waits: the service loads the table, an edit judges and changes it, and the commit is
written, all under the table's lock.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Final

from canasta_core.actions import Action, Deal, DrawLots, SeatAction
from canasta_core.cards import Card, pack_of
from canasta_core.codec import encode_action
from canasta_core.engine import apply
from canasta_core.events import Event, GameEnded, RoundEnded, seen_by
from canasta_core.fairness import commitment
from canasta_core.legality import who_acts
from canasta_core.rules import UnfitUpcard
from canasta_core.state import GameState, Phase
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Ended, NoticeKind, Person, Sitter, Stage, Table, Tenure, What
from canasta_core.tables.ports import Chance, Commit, LogRow, NoticeRow, ResultRow, RoundRow
from canasta_core.tables.rows import data_text, events_text, table_row

RECENT: Final = 8
"""Public events kept for «last moves»."""
PLACES: Final = 32
"""Random places of a deal that puts unfit upcards back: more than a pack has unfit cards."""
_PLAY: Final = frozenset({What.BEGIN, What.LOTS, What.DEAL, What.MOVE, What.UNDO})
"""Steps that change the game itself."""
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
        self._pause = pause
        self._people = people
        self._log: list[LogRow] = []
        self._left: list[tuple[int, int, float]] = []
        self._sat: list[Tenure] = []
        self._rounds: list[RoundRow] = []
        self._results: list[ResultRow] = []

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

    def seat_person(self, seat: int, person: Person) -> None:
        """A person sits down, instead of whoever sat there."""
        self._occupy(Sitter(seat, person.user_id, person.name, since=self.version))

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
        self._sat.append(
            Tenure(newcomer.seat, newcomer.user_id, newcomer.ai, newcomer.name, newcomer.since, self.now)
        )

    def _set_sitters(self, sitters: list[Sitter]) -> None:
        self.table = replace(self.table, sitters=tuple(sorted(sitters, key=lambda sitter: sitter.seat)))

    def _end_tenure(self, seat: int) -> None:
        for index, tenure in enumerate(self._sat):
            if tenure.seat == seat and tenure.to_version is None:
                self._sat[index] = replace(tenure, to_version=self.version, to_at=self.now)
                return
        self._left.append((seat, self.version, self.now))

    # The game

    def begin(self, chance: Chance, actor: int | None) -> None:
        """Start the game: lots and the first deal."""
        self.table = replace(
            self.table, stage=Stage.PLAYING, state=GameState.new(self.table.rules), began=self.version
        )
        self.step(What.BEGIN, actor=actor)
        self._chance(DrawLots(chance.shuffled(self._pack())), chance, actor)
        self.deal(chance, actor)

    def deal(self, chance: Chance, actor: int | None) -> None:
        """Deal a round. Raises Refusal when it is not the time."""
        places = chance.numbers(PLACES) if self.table.rules.unfit_upcard is UnfitUpcard.RETURN else ()
        self._chance(Deal(chance.shuffled(self._pack()), places), chance, actor)

    def move(self, seat: int, action: SeatAction, actor: int | None) -> None:
        """Play an action of a seat. Raises Refusal, having changed nothing."""
        events = self._play(seat, action)
        self.step(What.MOVE, actor=actor, seat=seat, action=action, events=events)

    def end(self, reason: Ended) -> None:
        """The table ends with the step that is being made; all tenures end with it."""
        for sitter in self.table.sitters:
            self._end_tenure(sitter.seat)
        self.table = replace(self.table, stage=Stage.ENDED, ended=reason, deadline=None)

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
        transition = apply(self.table.state, seat, action)
        public = [seen_by(event, None) for event in transition.events]
        over = transition.state.public.phase is Phase.ROUND_OVER
        self.table = replace(
            self.table,
            state=transition.state,
            recent=(*self.table.recent, *public)[-RECENT:],
            deadline=self.now + self._pause if over else None,
        )
        for event in transition.events:
            if isinstance(event, RoundEnded):
                self._record_round(event, transition.state.public.round_number)
            elif isinstance(event, GameEnded):
                self._record_result(event, transition.state.public.round_number)
                self.end(Ended.FINISHED)
        return transition.events

    def _record_round(self, event: RoundEnded, number: int) -> None:
        self._rounds.extend(
            RoundRow(
                round_number=number,
                team=team,
                points=sheet.total,
                score=event.scores[team],
                reason=event.reason,
                sheet=data_text(asdict(sheet)),
                finished_at=self.now,
            )
            for team, sheet in enumerate(event.sheets)
        )

    def _record_result(self, event: GameEnded, rounds: int) -> None:
        rules = self.table.rules
        shape = "x".join(str(len(rules.seats_of(team))) for team in range(rules.teams))
        for sitter in self.table.sitters:
            team = rules.team_of(sitter.seat)
            self._results.append(
                ResultRow(
                    guild_id=self.table.guild_id,
                    profile=rules.profile,
                    shape=shape,
                    seat=sitter.seat,
                    team=team,
                    user_id=sitter.user_id,
                    ai=sitter.ai,
                    name=sitter.name,
                    whole=not sitter.is_ai and not sitter.kept and sitter.since <= self.table.began,
                    score=event.scores[team],
                    won=team == event.winner,
                    rounds=rounds,
                    finished_at=self.now,
                )
            )

    # The commit

    def commit(self) -> Commit:
        """All steps as one commit, with the notices they call for."""
        turn = whose_turn(self.table)
        if turn != whose_turn(self._first):
            self.table = replace(self.table, turn_version=self.table.version if turn else 0)
        known = {sitter.seat: sitter for sitter in self._first.sitters}
        seated = [
            sitter
            for sitter in self.table.sitters
            if sitter.seat in known
            and sitter.since == known[sitter.seat].since
            and sitter != known[sitter.seat]
        ]
        return Commit(
            table=table_row(self.table, alarm=self.table.deadline, ai_turn=next_ai(self.table) is not None),
            before=self._first.version,
            log=tuple(self._log),
            left=tuple(self._left),
            sat=tuple(self._sat),
            seated=tuple(seated),
            notices=tuple(
                NoticeRow(0, self.table.id, self.table.version, kind, data_text(data))
                for kind, data in self._notices().items()
            ),
            rounds=tuple(self._rounds),
            results=tuple(self._results),
            people=self._people,
        )

    def _notices(self) -> dict[NoticeKind, dict[str, object]]:
        """What this change makes worth telling, in the order in which it is told."""
        first, table = self._first, self.table
        state = table.state
        if state is None:
            return {NoticeKind.LOBBY: {}}
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
        if turn is not None and turn != whose_turn(first) and turn[2] is not None:
            found[NoticeKind.TURN] = {"seat": turn[1], "user_id": turn[2]}
        if asked_people(table) - asked_people(first):
            found[NoticeKind.QUESTION] = {"seat": state.public.turn, "pending": list(state.public.pending)}
        return found

    def _goes_on(self) -> bool:
        """An AI player moved and at once moves again: the board waits for the end of its moves."""
        movers = {row.seat for row in self._log if row.what == What.MOVE and row.actor is None}
        return len(movers) == len(self._log) == 1 and next_ai(self.table) in movers


def whose_turn(table: Table) -> tuple[int, int, int | None, str] | None:
    """What tells one turn from the next: round, seat, and who sits there. None when nobody is in turn."""
    if table.state is None or table.stage is not Stage.PLAYING:
        return None
    public = table.state.public
    if public.phase not in (Phase.DRAW, Phase.PLAY, Phase.PERMISSION):
        return None
    sitter = table.sitter(public.turn)
    if sitter is None:
        return None
    return public.round_number, public.turn, sitter.user_id, sitter.ai


def asked_people(table: Table) -> set[int]:
    """Persons whose answer the turn waits for."""
    if table.state is None or table.state.public.phase is not Phase.PERMISSION:
        return set()
    pending = table.state.public.pending
    return {
        sitter.user_id for sitter in table.sitters if sitter.user_id is not None and sitter.seat in pending
    }


def next_ai(table: Table) -> int | None:
    """The seat that an AI player must move now, if any: its own, or one that it keeps for a person."""
    if table.state is None or table.stage is not Stage.PLAYING or table.rests:
        return None
    for seat in who_acts(table.state.public):
        sitter = table.sitter(seat)
        if sitter is not None and not sitter.is_active:
            return seat
    return None
