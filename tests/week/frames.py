"""What a table was like after each commit, as its log tells it: whose turn, who is there, who is waited for.

The bot's own ideas of a turn (`turn_version`, `wait`) are not looked at: they are what is judged.
"""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from canasta_core.legality import who_acts
from canasta_core.state import GameState, Phase
from canasta_core.tables.change import TURN_PHASES


@dataclass(frozen=True, slots=True)
class Step:
    """A row of the log, and the position after it."""

    version: int
    what: str
    actor: int | None
    seat: int | None
    detail: Mapping[str, Any]
    round: int = 0
    phase: Phase | None = None
    """None before the game."""
    turn: int | None = None
    """The seat in turn, in the phases of a turn."""
    acting: tuple[int, ...] = ()
    """Seats that must act."""


def step_of(row: sqlite3.Row, state: GameState | None) -> Step:
    """A step, the position after it being `state`."""
    step = Step(row["version"], row["what"], row["actor"], row["seat"], json.loads(row["detail"] or "{}"))
    if state is None:
        return step
    public = state.public
    return replace(
        step,
        round=public.round_number,
        phase=public.phase,
        turn=public.turn if public.phase in TURN_PHASES else None,
        acting=tuple(who_acts(public)),
    )


@dataclass(frozen=True, slots=True)
class Held:
    """Who holds a seat."""

    user: int | None
    since: int
    absent: bool = False
    away_until: float | None = None
    spells: int = 0
    """How often they have come back to the seat that an AI player kept."""

    @property
    def active(self) -> bool:
        return self.user is not None and not self.absent

    def is_away(self, at: float) -> bool:
        return self.away_until is not None and self.away_until > at


@dataclass(frozen=True, slots=True)
class Frame:
    """A table after a commit. Times are unix seconds."""

    table: int
    version: int
    at: float
    steps: tuple[Step, ...]
    """All of the commit."""
    playing: bool
    clock: int | None
    deadline: float | None
    held: Mapping[int, Held]
    paused: bool
    owed: frozenset[int]
    """Seats for which an AI player finishes, because their clock ran out."""
    late: bool
    """The short while that who is late gets has been given for this occasion."""
    turns: int
    """How many turns have begun; the one that runs is the last."""
    occasions: int
    """How many turns, questions, rests of a turn after a question, and rounds' ends there were."""

    @property
    def last(self) -> Step:
        return self.steps[-1]

    @property
    def asking(self) -> bool:
        return self.playing and self.last.phase is Phase.PERMISSION

    @property
    def between(self) -> bool:
        return self.playing and self.last.phase is Phase.ROUND_OVER

    def did(self, *whats: str) -> bool:
        """Whether the commit holds such a step."""
        return any(step.what in whats for step in self.steps)

    def waiting(self) -> frozenset[tuple[int, int]]:
        """Seats of the persons waited for, with the versions since which they sit there."""
        if not self.playing:
            return frozenset()
        return frozenset(
            (seat, held.since)
            for seat in self.last.acting
            if (held := self.held.get(seat)) is not None and held.active and seat not in self.owed
        )

    def running(self) -> frozenset[tuple[int, int]]:
        """Those of them who are there: their clock runs."""
        if self.paused:
            return frozenset()
        return frozenset(one for one in self.waiting() if not self.held[one[0]].is_away(self.at))


@dataclass
class Film:
    """All frames of a table."""

    frames: list[Frame] = field(default_factory=list)
    _versions: list[int] = field(default_factory=list)
    _times: list[float] = field(default_factory=list)

    def add(self, frame: Frame) -> None:
        self.frames.append(frame)
        self._versions.append(frame.version)
        self._times.append(frame.at)

    def of_version(self, version: int) -> Frame | None:
        """As it was stored with a version, or last before it."""
        place = bisect_right(self._versions, version)
        return self.frames[place - 1] if place else None

    def at(self, time: float) -> Frame | None:
        place = bisect_right(self._times, time + 0.001)
        return self.frames[place - 1] if place else None

    def between(self, begin: float, end: float) -> list[Frame]:
        """Commits of a stretch of time."""
        return self.frames[bisect_right(self._times, begin + 0.001) : bisect_right(self._times, end + 0.001)]


def film(steps: Iterable[Step], tenures: Iterable[sqlite3.Row], commits: Iterable[sqlite3.Row]) -> Film:
    """`commits` are rows of week_tables, by version, `tenures` those of the table's seats."""
    sat: dict[int, list[tuple[int, Held]]] = {}
    left: dict[int, list[int]] = {}
    for row in tenures:
        held = Held(row["user_id"], row["from_version"])
        sat.setdefault(row["from_version"], []).append((row["seat"], held))
        if row["to_version"] is not None:
            left.setdefault(row["to_version"], []).append(row["seat"])
    result = Film()
    waiting = sorted(steps, key=lambda step: step.version)
    place = 0
    held_now: dict[int, Held] = {}
    paused = False
    previous: Frame | None = None
    for row in commits:
        mine = []
        while place < len(waiting) and waiting[place].version <= row["version"]:
            step = waiting[place]
            place += 1
            mine.append(step)
            for seat in left.get(step.version, ()):
                held_now.pop(seat, None)
            held_now.update(sat.get(step.version, ()))
            _apply(step, held_now)
            paused = step.what == "pause" or (paused and step.what not in ("resume", "end"))
        if not mine:
            continue
        previous = _next(previous, tuple(mine), row, dict(held_now), paused)
        result.add(previous)
    return result


def _apply(step: Step, held: dict[int, Held]) -> None:
    """What a step says of somebody who sits there."""
    if step.seat is None or step.seat not in held:
        return
    one = held[step.seat]
    match step.what:
        case "kept":
            held[step.seat] = replace(one, absent=True, away_until=None)
        case "back":
            held[step.seat] = replace(one, absent=False, away_until=None, spells=one.spells + one.absent)
        case "away":
            held[step.seat] = replace(one, away_until=float(step.detail["until"]))


def _next(
    before: Frame | None,
    steps: tuple[Step, ...],
    row: sqlite3.Row,
    held: dict[int, Held],
    paused: bool,
) -> Frame:
    last = steps[-1]
    playing = row["stage"] == "playing"
    key, key_before = _turn(last), _turn(before.last) if before is not None else None
    new_turn = key is not None and key != key_before
    occasion = (playing, key, last.phase in (Phase.PERMISSION, Phase.ROUND_OVER), last.round, row["clock"])
    occasion_before = None
    if before is not None:
        step = before.last
        apart = step.phase in (Phase.PERMISSION, Phase.ROUND_OVER)
        occasion_before = (before.playing, key_before, apart, step.round, before.clock)
    same = occasion == occasion_before
    frame = Frame(
        table=row["table_id"],
        version=row["version"],
        at=row["at"],
        steps=steps,
        playing=playing,
        clock=row["clock"],
        deadline=row["deadline"],
        held=held,
        paused=paused,
        owed=_owed(before, steps, held) if key is not None and key == key_before else frozenset(),
        late=same and before is not None and before.late,
        turns=(before.turns if before is not None else 0) + new_turn,
        occasions=(before.occasions if before is not None else 0) + (not same),
    )
    return replace(frame, late=True) if is_grace(before, frame) else frame


def is_grace(before: Frame | None, frame: Frame) -> bool:
    """A move after the clock ran out and before the AI player's: once an occasion, it earns a short while."""
    if before is None or frame.clock is None or before.late or before.occasions != frame.occasions:
        return False
    if not frame.running() or not frame.did("move", "undo"):
        return False
    if frame.waiting() - before.waiting():
        return any(seat in before.owed for seat, _ in frame.waiting() - before.waiting())
    return before.deadline is not None and before.deadline <= frame.at


def _turn(step: Step) -> tuple[int, int] | None:
    return None if step.turn is None else (step.round, step.turn)


def _owed(before: Frame | None, steps: tuple[Step, ...], held: Mapping[int, Held]) -> frozenset[int]:
    assert before is not None
    owed = set(before.owed)
    for step in steps:
        if step.what == "missed" and step.seat is not None:
            owed.add(step.seat)
        elif step.what in ("move", "undo") and step.actor is not None and not before.late:
            owed.discard(step.seat if step.seat is not None else -1)
    last = steps[-1]
    return frozenset(
        seat
        for seat in owed & {last.turn, *last.acting}
        if seat is not None
        and seat in held
        and held[seat].active
        and (seat not in before.held or before.held[seat].since == held[seat].since)
    )
