"""Clocks: that each runs as long as it should, ends a turn when it is over, and is reminded of before."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from canasta_core.tables.clocks import GRACE
from tests.week.frames import Frame
from tests.week.judge import EPOCH, LATE
from tests.week.plan import HOUR, NEXT_ROUND
from tests.week.told import SOON, Told, served
from tests.week.world import Week

_MINUTE = 60.0
Chosen = tuple[float, str, str]
"""When, what, and which."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What somebody wants of reminders."""

    reminders: str = "channel"
    quiet: tuple[int, int] | None = None
    """Minutes of the day, UTC."""

    def best(self, best: float, start: float, deadline: float) -> float | None:
        """When to remind them; out of quiet hours: before these, else after them."""
        if self.reminders == "off":
            return None
        candidates = [best]
        if self.quiet is not None:
            begin, end = (minute * _MINUTE for minute in self.quiet)
            since, length = (best - begin) % (24 * HOUR), (end - begin) % (24 * HOUR)
            if since < length:
                candidates = [best - since - _MINUTE, best - since + length]
        return next((one for one in candidates if start < one < deadline), None)


@dataclass
class Clock:
    """One clock that runs: from when, for whom, until when."""

    frames: list[Frame]
    deadline: float
    silent: bool
    """Nobody is reminded of it: it is the short while of somebody late, or the pause between rounds."""
    end: float = float("inf")
    notices: list[sqlite3.Row] = field(default_factory=list)


class Times(Told):
    """Deadlines, missed turns and reminders."""

    def times(self, week: Week) -> None:
        clocks: dict[int, list[Clock]] = {}
        for table, film in self._films.items():
            clocks[table] = self._deadlines(film.frames)
        self._missed(week)
        self._reminders(week, clocks)

    def _deadlines(self, frames: list[Frame]) -> list[Clock]:
        """Each clock is set with the change that begins its occasion, and runs for the whole of it."""
        found: list[Clock] = []
        before: Frame | None = None
        left: float | None = None
        """What the clock had left when it stopped."""
        for frame in frames:
            wanted, left, fresh = _wanted(before, frame, left)
            name = f"table {frame.table} version {frame.version} ({', '.join(s.what for s in frame.steps)})"
            if (wanted is None) != (frame.deadline is None) or (
                wanted is not None and frame.deadline is not None and abs(wanted - frame.deadline) > 0.01
            ):
                self.wrong(f"{name}: its deadline is {_in(frame, frame.deadline)}, not {_in(frame, wanted)}")
            if found and found[-1].end == float("inf") and frame.deadline != found[-1].deadline:
                found[-1].end = frame.at
            if frame.deadline is not None and (not found or found[-1].end < float("inf") or fresh):
                if found and found[-1].end == float("inf"):
                    found[-1].end = frame.at
                late = frame.late and not (before is not None and before.late)
                found.append(Clock([], frame.deadline, silent=frame.between or late))
                if not frame.between:
                    self.counts["clocks that ran"] += 1
                    self.counts["clocks, for being late"] += late
            if frame.deadline is not None:
                found[-1].frames.append(frame)
            before = frame
        return found

    def _missed(self, week: Week) -> None:
        """No turn is missed before its deadline, nor long after it while the process was there."""
        for table, film in self._films.items():
            before: Frame | None = None
            for frame in film.frames:
                last, before = before, frame
                if not frame.did("missed", "untold"):
                    continue
                name = f"table {table} version {frame.version}"
                if last is None or last.deadline is None or frame.at < last.deadline - 0.01:
                    self.wrong(f"{name}: missed at {frame.at - EPOCH:.0f} s, before its deadline")
                    continue
                due = last.deadline - EPOCH
                ends = [end for begin, end in week.downs if begin <= due + LATE and end > due]
                late = frame.at - EPOCH - max([due, *ends])
                self.counts["missed turns after a downtime"] += bool(ends)
                if late > LATE:
                    self.wrong(f"{name}: missed {late:.0f} s after its deadline")

    # Reminders

    def _reminders(self, week: Week, clocks: dict[int, list[Clock]]) -> None:
        """One reminder before the end of each clock, when it is wanted; none else."""
        choices = self._choices()
        for row in self._notice_rows:
            if row["kind"] != "reminder":
                continue
            deadline = json.loads(row["data"])["deadline"]
            mine = [
                one
                for one in clocks[row["table_id"]]
                if one.frames[0].at - 0.01 <= row["at"] <= one.end + 0.01
                and abs(one.deadline - deadline) < 0.01
            ]
            if not mine:
                self.wrong(f"a reminder of no clock: {tuple(row)}")
            else:
                mine[-1].notices.append(row)
        for all_of_table in clocks.values():
            reminded: set[tuple[int, frozenset[tuple[int, int, int]]]] = set()
            for clock in all_of_table:
                first = clock.frames[0]
                key = (
                    first.occasions,
                    frozenset((seat, since, first.held[seat].spells) for seat, since in first.running()),
                )
                # A clock that was wound anew, because nobody could know of it, is reminded of anew.
                if first.did("untold"):
                    reminded.discard(key)
                self._reminder(week, clock, choices, silent=clock.silent or key in reminded)
                if clock.notices or clock.silent:
                    reminded.add(key)

    def _reminder(self, week: Week, clock: Clock, choices: dict[int, list[Chosen]], *, silent: bool) -> None:
        first, deadline = clock.frames[0], clock.deadline
        name = f"table {first.table} version {first.version}, until {deadline - EPOCH:.0f} s"
        assert first.clock is not None or first.between
        running = [first.held[seat].user for seat, _ in first.running()]
        users = [user for user in running if user is not None]
        changed = [at for user in users for at, _, _ in choices.get(user, ()) if first.at <= at <= clock.end]
        if changed:
            self.counts["clocks during which somebody chose otherwise"] += 1
            return
        lead = max(_MINUTE, min((first.clock or 0) / 6, 12 * HOUR))
        times = [
            _choice(choices.get(user, ()), first.at).best(deadline - lead, first.at, deadline)
            for user in users
        ]
        due = min((one for one in times if one is not None), default=None)
        if silent or due is None:
            if clock.notices:
                self.wrong(f"{name}: a reminder that is not due: {[tuple(row) for row in clock.notices]}")
            return
        if len(clock.notices) > 1:
            self.wrong(f"{name}: {len(clock.notices)} reminders")
        latest = served(week.downs, due - EPOCH, SOON) + EPOCH
        if not clock.notices:
            if latest < min(deadline, clock.end, EPOCH + self._end):
                self.wrong(f"{name}: no reminder, which was due at {due - EPOCH:.0f} s")
            return
        self.counts["reminders in time"] += 1
        if not due - 1 <= clock.notices[0]["at"] <= latest:
            self.wrong(f"{name}: reminded at {clock.notices[0]['at'] - EPOCH:.0f}, not {due - EPOCH:.0f} s")

    def _choices(self) -> dict[int, list[Chosen]]:
        """What each person chose, and when."""
        found: dict[int, list[Chosen]] = defaultdict(list)
        for row in self._rows("SELECT * FROM week_choices ORDER BY rowid"):
            found[row["user_id"]].append((row["at"], row["key"], row["value"]))
        return found


def _choice(chosen: Iterable[Chosen], at: float) -> Choice:
    """What somebody had chosen by then."""
    values = {key: value for when, key, value in chosen if when <= at}
    begin, _, end = values.get("quiet", "").partition("-")
    quiet = (_minute(begin), _minute(end)) if end else None
    return Choice(values.get("reminders", "channel"), quiet)


def _minute(time: str) -> int:
    hours, minutes = time.split(":")
    return 60 * int(hours) + int(minutes)


def _wanted(
    before: Frame | None, frame: Frame, left: float | None
) -> tuple[float | None, float | None, bool]:
    """The deadline that a table has to have; what its clock has left, when it stops; whether it was set."""
    if not frame.playing:
        return None, None, False
    same = (
        before is not None and before.occasions == frame.occasions and not frame.waiting() - before.waiting()
    )
    length: float | None = NEXT_ROUND if frame.between else frame.clock
    if length is None or not (frame.between or frame.waiting()):
        return None, None, False
    active = any(held.active for held in frame.held.values())
    runs = active and not frame.paused if frame.between else bool(frame.running())
    last = before.deadline if before is not None else None
    if not runs:
        if not same:
            return None, None, False
        if last is not None:
            return None, last - frame.at if last > frame.at else None, False
        return None, left, False
    if frame.did("untold"):
        return frame.at + length, None, True
    if frame.late and not (before is not None and before.late and before.occasions == frame.occasions):
        return frame.at + min(length, GRACE), None, True
    if same and last is not None:
        return last, None, False
    if same and left is not None:
        return frame.at + left, None, True
    return frame.at + length, None, True


def _in(frame: Frame, time: float | None) -> str:
    return "none" if time is None else f"in {time - frame.at:.2f} s"
