"""What was told: that nobody was forgotten, nothing came twice, and who was pinged."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from canasta_core.tables.model import SLOTS, Notice, NoticeKind
from cogs.post import nonce
from tests.week.calls import Call, calls_of
from tests.week.frames import Film
from tests.week.judge import EPOCH, Judge
from tests.week.world import Posted, Week

STATES = ("board", "lobby", "moved")
"""Notices that are told by the board, wherever it is."""
AT_THE_BOARD = ("proposal", "invite", "round_over", "left", "replaced")
"""Those that are of no use where there is no board; the others come in private then."""
CALLS = ("turn", "question", "reminder")
"""Slots of the messages by which people learn that they are waited for."""
SOON = 60.0
"""Seconds within which a process that is alive tells what it has to."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the bot, and what it tells of."""

    table: int
    version: int
    slot: str
    post: Posted
    notice: sqlite3.Row | None
    """None: the table as it was, when it had come to another place."""


def served(downs: Iterable[tuple[float, float]], begin: float, seconds: float) -> float:
    """When a process has been there for so long in a row, from `begin` on. Seconds of the week."""
    for down, up in downs:
        if up > begin and down < begin + seconds:
            begin = up
    return begin + seconds


class Told(Judge):
    """Notices, and what people got of them."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._films: dict[int, Film] = {}
        self._calls: dict[tuple[str, int, int], list[Call]] = defaultdict(list)
        """By kind, table and version."""
        self._notice_rows: list[sqlite3.Row] = []
        self._end = 0.0
        """Seconds of the week that have passed."""

    def told(self, week: Week) -> None:
        """Judge everything that was told, and that should have been."""
        self._films = self.films()
        self._notice_rows = self._rows("SELECT * FROM week_notices ORDER BY id")
        for one in self._films.values():
            for call in calls_of(one):
                self._calls[call.kind, call.table, call.version].append(call)
        said = self._matched(week)
        by_notice: dict[int, list[Posted]] = defaultdict(list)
        for message in said:
            if message.notice is not None:
                by_notice[message.notice["id"]].append(message.post)
        self._due()
        self._notices(week, by_notice)
        self._doubles(week, said)
        self._whom(week, said)
        self._pinged_once(week, said)
        self._called(week, said)

    # Which message tells what

    def _matched(self, week: Week) -> list[Said]:
        """What each message tells of, which it names by its nonce."""
        posted: dict[str, list[Posted]] = defaultdict(list)
        for one in week.posted:
            posted[one.nonce].append(one)
        channels = {one.channel for one in week.posted}
        found = []
        for row in self._notice_rows:
            slot = SLOTS[NoticeKind(row["kind"])]
            for channel in channels:
                name = _nonce(row["table_id"], row["version"], channel, slot)
                found += [
                    Said(row["table_id"], row["version"], slot, one, row) for one in posted.pop(name, ())
                ]
        if posted:
            found += self._matched_anew(posted, channels)
        return sorted(found, key=lambda one: one.post.number)

    def _matched_anew(self, posted: dict[str, list[Posted]], channels: set[int]) -> list[Said]:
        """Messages of the table as it is, which were due to no notice: after it has come to a new place."""
        known = {
            _nonce(row["id"], version, channel, slot): (row["id"], version, slot)
            for row in self._rows("SELECT id, version FROM tables")
            for version in range(1, row["version"] + 1)
            for channel in channels
            for slot in ("board", "turn", "question", "round", "proposal")
        }
        found = []
        for name, left in posted.items():
            if name not in known:
                self.wrong(f"{len(left)} messages that tell no notice: {left[0]}")
                continue
            self.counts[f"told anew, without a notice: {known[name][2]}"] += len(left)
            found += [Said(*known[name], one, None) for one in left]
        return found

    # Who is to be told

    def _due(self) -> None:
        """A notice for each turn and each question, as the log has them, and none besides."""
        written: dict[tuple[str, int, int], set[int]] = defaultdict(set)
        for row in self._notice_rows:
            if row["kind"] in ("turn", "question"):
                data = json.loads(row["data"])
                users = data["user_ids"] if row["kind"] == "question" else [data["user_id"]]
                written[row["kind"], row["table_id"], row["version"]] |= set(users)
        for key in sorted({*written, *self._calls}):
            due = {call.user for call in self._calls.get(key, ())}
            if due != written.get(key, set()):
                said = "told anew" if not due else "not told" if key not in written else "others are told"
                self.wrong(
                    f"{said}: {key[0]} of table {key[1]} version {key[2]}: due to {due}, {written[key]}"
                )
        for calls in self._calls.values():
            for call in calls:
                self.counts[f"due: {call.kind}"] += 1
                self.counts[f"due later, for they were away or it was paused: {call.kind}"] += call.late

    def _notices(self, week: Week, told: dict[int, list[Posted]]) -> None:
        """Nothing is lost, and nothing comes late."""
        for row in self._notice_rows:
            kind = row["kind"]
            self.counts[f"notices: {kind}"] += 1
            if kind in STATES:
                continue
            sent = told[row["id"]]
            self.counts[f"told: {kind}"] += bool(sent)
            self.counts[f"sent again and known by its nonce: {kind}"] += sum(one.again for one in sent)
            name = f"{kind} of table {row['table_id']} version {row['version']} at {row['at'] - EPOCH:.0f} s"
            if sent:
                self._in_time(week, row, sent[0], name)
            elif row["gone"] and not self._has_passed(row):
                lost = week.lost_tables.get(row["table_id"])
                if kind in AT_THE_BOARD and lost is not None and row["at"] - EPOCH > lost - 600:
                    self.counts[f"not told, its channel was gone: {kind}"] += 1
                else:
                    self.wrong(f"lost: {name} {row['data']}; gone at version {row['version_then']}")

    def _in_time(self, week: Week, row: sqlite3.Row, first: Posted, name: str) -> None:
        if row["gone"] and row["posts_then"] <= first.number:
            self.wrong(f"its row was gone before it was told: {name}")
        latest = served(week.downs, row["at"] - EPOCH, SOON)
        if first.at > latest:
            self.wrong(f"told only at {first.at:.0f} s: {name}")

    def _has_passed(self, row: sqlite3.Row) -> bool:
        """It was no longer true when its time came, so nobody had to be told."""
        one = self._films[row["table_id"]]
        then, now = one.of_version(row["version"]), one.of_version(row["version_then"])
        assert then is not None
        assert now is not None
        calls = self._calls.get((row["kind"], row["table_id"], row["version"]))
        ended = row["stage_then"] == "ended"
        passed = ended or then.turns != now.turns or then.last.turn != now.last.turn
        whats = {step.what for frame in one.frames for step in frame.steps if _is_within(row, step.version)}
        match row["kind"]:
            case "turn" | "question":
                over = calls is not None and all(
                    call.ends <= row["gone_at"] or call.ends == now.at for call in calls
                )
            case "reminder":
                # It is written without a change: whatever came after that version may have come before it.
                over = passed or bool(
                    whats & {"move", "missed", "undo", "back", "away", "pause", "clock", "leave", "untold"}
                )
            case "stand_in":
                over = ended or bool(whats & {"back", "join", "replace", "leave"})
            case "proposal":
                over = bool(whats & {"agree", "disagree", "clock", "propose", "leave", "replace"}) or ended
            case "invite":
                over = bool(whats & {"join", "invite", "back", "withdraw"}) or ended
            case "left" | "replaced":
                over = "join" in whats or ended
            case _:
                over = False
        self.counts[f"passed before it was told: {row['kind']}"] += bool(over)
        return bool(over)

    # What comes twice

    def _doubles(self, week: Week, said: list[Said]) -> None:
        """A message comes twice only where a death came between its sending and the note of it."""
        remembered = {row[0] for row in self._rows("SELECT message_id FROM week_remembered")}
        groups: dict[tuple[int, int, str, int], list[Posted]] = defaultdict(list)
        for one in said:
            if not one.post.again:
                groups[one.table, one.version, one.slot, one.post.channel].append(one.post)
        deaths: Counter[tuple[int, int]] = Counter()
        for (table, version, slot, _), posts in groups.items():
            for first, second in pairwise(posts):
                name = f"{slot} of table {table} version {version}: {first} {second}"
                if self._has_moved(table, first.at, second.at):
                    self.counts[f"told again, for the table had moved: {slot}"] += 1
                    continue
                self.counts[f"came twice: {slot}"] += 1
                if first.life == second.life:
                    self.wrong(f"came twice in one life: {name}")
                elif first.message in remembered:
                    self.wrong(f"came twice, though the first was known: {name}")
                else:
                    deaths[first.life, table] += 1
        for (life, table), count in deaths.items():
            if count > 1:
                self.wrong(f"{count} messages of table {table} came twice after the death of life {life}")
        self.counts["deaths"] = week.life - 1

    def _has_moved(self, table: int, begin: float, end: float) -> bool:
        frames = self._films[table].between(EPOCH + begin - 1, EPOCH + end)
        return any(frame.did("move_place", "lost", "found") for frame in frames)

    # Who is pinged

    def _whom(self, week: Week, said: list[Said]) -> None:
        """Every message pings those whom it is for, and nobody else."""
        for one in said:
            if one.post.again:
                continue
            pinged, public = set(one.post.pinged), one.post.channel in week.channels
            self.counts["pings"] += len(pinged)
            self.counts[f"pings: {one.slot}"] += len(pinged)
            self.counts["silent pings"] += bool(pinged) and one.post.silent
            wanted = self._wanted(one)
            if pinged - wanted and (public or wanted):
                self.wrong(f"{one.slot} pings {pinged - wanted}, who are not meant: {one}")
            if one.slot not in CALLS:
                continue
            if not pinged and not (one.post.silent and self._follows(one)):
                self.wrong(f"{one.slot} pings nobody: {one}")
            for user in pinged:
                self._is_there(one, user)

    def _follows(self, one: Said) -> bool:
        """What was told at the table's old place is told again at the new one, without a sound."""
        frame = self._films[one.table].of_version(one.version)
        return frame is not None and self._has_moved(one.table, frame.at - EPOCH, one.post.at)

    def _wanted(self, one: Said) -> set[int]:
        """Whom a message may ping."""
        if one.slot == "turn":
            return {call.user for call in self._calls.get(("turn", one.table, one.version), ())}
        if one.notice is None:
            frame = self._films[one.table].at(EPOCH + one.post.at)
            asked = frame.held.values() if frame is not None and one.slot == "question" else ()
            return {held.user for held in asked if held.user is not None}
        data = json.loads(one.notice["data"])
        match one.notice["kind"]:
            case "question" | "reminder":
                return set(data["user_ids"])
            case "stand_in" | "invite":
                return {data["user_id"]}
            case "left" | "replaced":
                return {value for value in data.values() if isinstance(value, int)}
        return set()

    def _is_there(self, one: Said, user: int) -> None:
        """Nobody is pinged for a turn while they are away, or while an AI player keeps their seat."""
        frame = self._films[one.table].at(EPOCH + one.post.at)
        assert frame is not None
        held = next((held for held in frame.held.values() if held.user == user), None)
        if held is None:
            self.wrong(f"somebody was pinged who does not sit there: {one}")
        elif held.absent:
            self.wrong(f"{one.slot} ping to somebody whose seat an AI player keeps: {one}")
        elif held.is_away(EPOCH + one.post.at + 1):
            self.wrong(f"{one.slot} ping to somebody who is away until {held.away_until}: {one}")

    def _pinged_once(self, week: Week, said: list[Said]) -> None:
        """One ping a person and turn, one question, one reminder; more only where the first ones are gone."""
        pings: dict[tuple[object, ...], list[Said]] = defaultdict(list)
        for one in said:
            if one.slot in CALLS and not one.post.again:
                for user in one.post.pinged:
                    pings[self._occasion(one, user)].append(one)
        allowed: Counter[tuple[object, ...]] = Counter()
        for (kind, table, _), calls in self._calls.items():
            for call in calls:
                allowed[kind, table, call.occasion, call.user] += 1
        for key, all_of_it in pings.items():
            # Where a channel was deleted its pings are gone with it, so they are told elsewhere. What came
            # twice after a death is judged as that.
            there = {(one.version, one.post.channel) for one in all_of_it}
            gone = {place for place in there if place[1] in week.deleted}
            self.counts[f"told anew, for the channel was deleted: {key[0]}"] += min(len(gone), len(there) - 1)
            if len(there - gone) > allowed.get(key, 1):
                self.wrong(f"pinged twice (kind, table, occasion, user): {key} {all_of_it}")

    def _occasion(self, one: Said, user: int) -> tuple[object, ...]:
        """What a person may be pinged for once."""
        film = self._films[one.table]
        frame = film.of_version(one.version)
        assert frame is not None
        if one.slot == "turn":
            call = next(iter(self._calls.get(("turn", one.table, one.version), ())), None)
            return "turn", one.table, call.occasion if call is not None else (frame.turns, -1, -1), user
        seat, held = next(((s, h) for s, h in frame.held.items() if h.user == user), (-1, None))
        since = held.since if held is not None else -1
        if one.slot == "question":
            return "question", one.table, (frame.occasions, seat, since), user
        spells = held.spells if held is not None else 0
        return "reminder", one.table, (frame.occasions, seat, since, spells), user

    def _called(self, week: Week, said: list[Said]) -> None:
        """Who is waited for for longer than it takes to tell them got a ping."""
        first: dict[tuple[str, int, int, int], float] = {}
        for one in said:
            for user in one.post.pinged:
                first.setdefault((one.slot, one.table, one.version, user), one.post.at)
        for (kind, table, version), calls in self._calls.items():
            for call in calls:
                latest = served(week.downs, call.at - EPOCH, SOON)
                if call.ends - EPOCH < latest or latest > self._end:
                    self.counts[f"over before it had to be told: {kind}"] += 1
                elif first.get((kind, table, version, call.user), latest + 1) > latest:
                    self.wrong(f"no ping by {latest:.0f} s: {call}")
                else:
                    self.counts[f"called by a ping in time: {kind}"] += 1


def _nonce(table: int, version: int, channel: int, slot: str) -> str:
    return nonce(Notice(0, table, version, NoticeKind.BOARD, {}), channel, slot)


def _is_within(row: sqlite3.Row, version: int) -> bool:
    return bool(row["version"] < version <= row["version_then"])
