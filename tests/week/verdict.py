"""What is judged at the end of the week, when the bot has had time to tell everything."""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_right
from collections import Counter, defaultdict
from typing import Any

from canasta_core.cards import Card, name_of
from canasta_core.codec import decode_rules, decode_state
from canasta_core.tables.model import SLOTS, Notice, NoticeKind
from cogs.post import nonce
from tests.week.judge import EPOCH, LATE, Judge, mask_of
from tests.week.records import fault_of_record
from tests.week.world import Posted, Week

STATES = ("board", "lobby", "moved")
"""Notices that are told by the board, wherever it is."""


class Verdict(Judge):
    """Notices and pings, boards and secrets, results and clocks."""

    def at_the_end(self, week: Week, backend: Any) -> None:
        """What must be so when the bot has had time to tell everything."""
        self.after_death(backend.clock.elapsed)
        if left := self._rows("SELECT table_id, version, kind FROM outbox"):
            self.wrong(f"never told: {[tuple(row) for row in left][:20]}")
        told = self._by_notice(week)
        self._notices(week, told)
        self._pings(week, told)
        self._boards(week, backend)
        self._secrets(week)
        self._results()
        self._records()
        self._deadlines()
        self._missed(week)
        self._count(week)

    def _by_notice(self, week: Week) -> dict[int, list[Posted]]:
        """The messages that tell each notice, which they name by their nonces."""
        posted: dict[str, list[Posted]] = defaultdict(list)
        for one in week.posted:
            posted[one.nonce].append(one)
        channels = {one.channel for one in week.posted}
        told: dict[int, list[Posted]] = defaultdict(list)
        for row in self._rows("SELECT * FROM week_notices"):
            notice = Notice(row["id"], row["table_id"], row["version"], NoticeKind(row["kind"]), {})
            for channel in channels:
                told[row["id"]] += posted.pop(nonce(notice, channel, SLOTS[notice.kind]), [])
        if posted:
            self._match_anew(posted, channels)
        return told

    def _match_anew(self, posted: dict[str, list[Posted]], channels: set[int]) -> None:
        """Messages of the table as it is, which were due to no notice: after it has come to a new place."""
        known = {
            nonce(Notice(0, row["id"], version, NoticeKind.BOARD, {}), channel, slot): (
                row["id"],
                version,
                slot,
            )
            for row in self._rows("SELECT id, version FROM tables")
            for version in range(1, row["version"] + 1)
            for channel in channels
            for slot in set(SLOTS.values())
        }
        for name, left in posted.items():
            if name not in known:
                self.wrong(f"{len(left)} messages that tell no notice: {left[0]}")
                continue
            table, version, slot = known[name]
            self.counts[f"told anew, without a notice: {slot}"] += len(left)
            self._anew += [(table, version, slot, one) for one in left if not one.again]

    def _notices(self, week: Week, told: dict[int, list[Posted]]) -> None:
        """Nothing is lost, and little comes twice."""
        twice: Counter[str] = Counter()
        for row in self._rows("SELECT * FROM week_notices"):
            kind = row["kind"]
            self.counts[f"notices: {kind}"] += 1
            if kind in STATES:
                continue
            sent = told[row["id"]]
            seen = [one for one in sent if not one.again]
            self.counts[f"told: {kind}"] += bool(sent)
            for channel in {one.channel for one in seen}:
                twice[kind] += sum(one.channel == channel for one in seen) - 1
            self.counts[f"sent again and known by its nonce: {kind}"] += len(sent) - len(seen)
            if not row["gone"] or sent or self._has_passed(row):
                continue
            lost = week.lost_tables.get(row["table_id"])
            if lost is not None and row["at"] - EPOCH > lost - 600:
                self.counts[f"not told, its channel was gone: {kind}"] += 1
                continue
            self.wrong(
                f"lost: {kind} of table {row['table_id']} version {row['version']} at"
                f" {row['at'] - EPOCH:.0f} s {row['data']}; gone at version {row['version_then']}"
            )
        for kind, count in twice.items():
            if count:
                self.counts[f"came twice: {kind}"] = count
        deaths = week.life - 1
        if sum(twice.values()) > deaths:
            self.wrong(f"{sum(twice.values())} messages came twice, after {deaths} deaths: {dict(twice)}")
        self.counts["deaths"] = deaths

    def _has_passed(self, row: sqlite3.Row) -> bool:
        """It was no longer true when its time came, so nobody had to be told."""
        passed = row["turn"] != row["turn_then"] or row["stage_then"] == "ended"
        later = self._rows(
            "SELECT what, coalesce(action, '') AS action, actor FROM table_log"
            " WHERE table_id = ? AND version > ? AND version <= ?",
            row["table_id"],
            row["version"],
            row["version_then"],
        )
        whats = {one["what"] for one in later}
        match row["kind"]:
            case "turn":
                over = passed
            case "question":
                over = passed or any('"answer"' in one["action"] for one in later)
            case "reminder":
                over = passed or bool(
                    whats & {"move", "missed", "undo", "back", "away", "pause", "clock", "leave"}
                )
            case "stand_in":
                over = passed or bool(whats & {"back", "join", "replace", "leave", "end"})
            case "proposal":
                over = bool(whats & {"agree", "disagree", "clock", "end", "propose"}) or passed
            case "invite":
                over = bool(whats & {"join", "invite", "end", "back"}) or passed
            case "moved":
                over = "move_place" in whats or row["stage_then"] == "ended"
            case _:
                over = False
        if over:
            self.counts[f"passed before it was told: {row['kind']}"] += 1
        return bool(over)

    def _pings(self, week: Week, told: dict[int, list[Posted]]) -> None:
        """One ping a person and turn, one reminder, one question; a second one only by a death."""
        turns: dict[tuple[int, int, str, int], list[Posted]] = defaultdict(list)
        for row in self._rows("SELECT * FROM week_notices WHERE kind IN ('turn', 'question', 'reminder')"):
            # A turn may have several questions to several partners.
            turn = row["version"] if row["kind"] == "question" else row["turn"]
            for one in told[row["id"]]:
                for user in one.pinged if not one.again else ():
                    turns[row["table_id"], turn, row["kind"], user].append(one)
                    self._is_there(row, one, user)
        for table, version, slot, one in self._anew:
            turn = self._rows(
                "SELECT turn FROM week_tables WHERE table_id = ? AND version <= ?"
                " ORDER BY version DESC LIMIT 1",
                table,
                version,
            )
            for user in one.pinged:
                turns[table, turn[0]["turn"] if turn else 0, slot, user].append(one)
        extra: Counter[tuple[int, int, str, int]] = Counter()
        for key, pings in turns.items():
            self.counts["pings"] += len(pings)
            # Where a channel was deleted its pings are gone with it, so they are told elsewhere.
            there = [one for one in pings if one.channel not in week.deleted]
            self.counts[f"told anew, for the channel was deleted: {key[2]}"] += min(
                len(pings) - len(there), len(pings) - 1
            )
            extra[key] += max(0, len(there) - 1)
        if sum(extra.values()) > week.life - 1:
            self.wrong(f"pinged twice: {extra}")
        for key, count in extra.items():
            self.counts[f"pinged twice for one turn: {key[2]}"] += count
            if count > 1:
                self.wrong(f"pinged more than twice (table, turn, kind, user): {key} {turns[key]}")
        for row in self._rows("SELECT * FROM week_notices WHERE kind IN ('board', 'lobby')"):
            for one in told[row["id"]]:
                if one.pinged:
                    self.wrong(f"a board pings: {one}")

    def _is_there(self, row: sqlite3.Row, one: Posted, user: int) -> None:
        """Nobody is pinged for a turn while they are away, or while an AI player keeps their seat."""
        found = self._rows(
            "SELECT * FROM week_seats WHERE table_id = ? AND user_id = ? AND at <= ?"
            " ORDER BY rowid DESC LIMIT 1",
            row["table_id"],
            user,
            one.at + EPOCH + 0.001,
        )
        if one.silent:
            self.counts["silent pings"] += 1
        elif not found:
            self.wrong(f"somebody was pinged who never sat there: {one}")
        elif found[0]["absent"]:
            self.wrong(f"{row['kind']} ping to somebody whose seat an AI player keeps: {one}")
        elif found[0]["away_until"] is not None and found[0]["away_until"] > one.at + EPOCH + 1:
            self.wrong(f"{row['kind']} ping to somebody who is away until {found[0]['away_until']}: {one}")

    def _boards(self, week: Week, backend: Any) -> None:
        """Every board shows the newest state that was to be shown."""
        newest = {
            int(row[0]): int(row[1])
            for row in self._rows(
                "SELECT table_id, max(version) FROM week_notices WHERE kind IN ('board', 'lobby') GROUP BY 1"
            )
        }
        for row in self._rows(
            "SELECT t.id, t.version, t.stage, t.lost, t.channel_id AS place, m.channel_id, m.message_id"
            " FROM tables t"
            " LEFT JOIN messages m ON m.table_id = t.id AND m.slot = 'board'"
        ):
            name = f"table {row['id']} ({row['stage']}, version {row['version']})"
            if row["lost"]:
                self.counts["tables without a place at the end"] += 1
                continue
            message = backend.messages.get(row["channel_id"], {}).get(row["message_id"])
            if message is None and row["stage"] == "ended" and row["id"] in week.lost_tables:
                continue
            if message is None:
                self.wrong(f"{name}: its board is not there")
                continue
            if row["channel_id"] != row["place"]:
                self.wrong(
                    f"{name}: its board is in channel {row['channel_id']}, the table in {row['place']}"
                )
            parts = json.dumps(message.components).split('"custom_id": "cn:')[1:]
            versions = {int(part.split('"')[0].split(":")[2]) for part in parts}
            if versions and max(versions) < newest.get(row["id"], 0):
                self.wrong(f"{name}: its board shows {max(versions)}, not {newest[row['id']]}")
            self.counts["boards looked at"] += 1

    def _secrets(self, week: Week) -> None:
        """No public message named a card that did not lie open."""
        for named in week.named:
            known = 0
            for table in named.tables:
                done = self._tables[table]
                place = bisect_right(done.times, named.at + 0.001) - 1
                known |= done.masks[place] if place >= 0 else 0
            self.counts["public bodies that name cards"] += 1
            if not named.tables:
                self.counts["public bodies that name cards and no table"] += 1
            elif secret := mask_of(named.cards) & ~known:
                cards = [name_of(card) for card in map(Card, named.cards) if 1 << card & secret]
                self.wrong(f"public at {named.at:.0f} s, tables {sorted(named.tables)}: {cards}")

    def _results(self) -> None:
        """Results are those of games that were played to the end, and whole seats are whole."""
        for table in self._rows("SELECT * FROM tables"):
            name = f"table {table['id']}"
            rows = self._rows("SELECT * FROM results WHERE table_id = ?", table["id"])
            seats = decode_rules(table["rules"]).seats
            finished = table["ended"] == "finished"
            if len(rows) != (seats if finished else 0):
                self.wrong(f"{name} ended {table['ended']!r}, and has {len(rows)} results")
            if finished and decode_state(table["state"]).public.winner is None:
                self.wrong(f"{name} is finished without a winner")
            for row in rows:
                held = self._rows(
                    "SELECT * FROM seats WHERE table_id = ? AND seat = ?"
                    " AND (to_version > ? OR to_version IS NULL)",
                    table["id"],
                    row["seat"],
                    table["began"],
                )
                whole = len(held) == 1 and held[0]["user_id"] is not None and not held[0]["kept"]
                if whole != bool(row["whole"]):
                    self.wrong(f"{name} seat {row['seat']}: whole is {row['whole']}, held {len(held)}")
                self.counts["results, whole" if row["whole"] else "results, not whole"] += 1

    def _records(self) -> None:
        """What a table gives as its record is true, and holds nothing of a round that runs."""
        for table in self._rows("SELECT * FROM tables"):
            log = self._rows("SELECT * FROM table_log WHERE table_id = ? ORDER BY version", table["id"])
            fault = fault_of_record(table, log)
            self.counts["records read and replayed"] += fault is not None
            if fault:
                self.wrong(f"the record of table {table['id']}: {fault}")

    def _deadlines(self) -> None:
        """A turn's clock is set with the change that begins it, and runs for the whole turn."""
        before: sqlite3.Row | None = None
        for row in self._rows(
            "SELECT t.*, l.what, coalesce(l.action, '') AS action FROM week_tables t"
            " JOIN table_log l ON l.table_id = t.table_id AND l.version = t.version ORDER BY 1, 2"
        ):
            last, before = before, row
            if last is None or last["table_id"] != row["table_id"] or row["stage"] != "playing":
                continue
            if not row["turn"] or row["deadline"] is None or row["clock"] is None or row["paused"]:
                continue
            name = f"table {row['table_id']} version {row['version']} ({row['what']})"
            wanted = row["at"] + row["clock"]
            if row["deadline"] > wanted + 0.01:
                self.wrong(f"{name}: {row['deadline'] - row['at']:.0f} s on a clock of {row['clock']}")
            if row["turn"] != last["turn"]:
                self.counts["turns with a clock"] += 1
                if row["deadline"] < wanted - 0.01:
                    self.counts[f"turns that began with less than the clock, by {row['what']}"] += 1
            elif (
                row["what"] == "move"
                and last["deadline"] is not None
                and not any(word in row["action"] for word in ('"ask"', '"answer"'))
                and abs(row["deadline"] - last["deadline"]) > 0.01
            ):
                self.wrong(f"{name}: a move shifted the deadline within a turn")

    def _missed(self, week: Week) -> None:
        """No turn is missed before its deadline, nor long after it while the process was there."""
        for row in self._rows(
            "SELECT l.table_id, l.version, l.at, (SELECT deadline FROM week_tables t"
            " WHERE t.table_id = l.table_id AND t.version < l.version"
            " ORDER BY t.version DESC LIMIT 1) AS deadline FROM table_log l WHERE l.what = 'missed'"
        ):
            name = f"table {row['table_id']} version {row['version']}"
            if row["deadline"] is None or row["at"] < row["deadline"] - 0.01:
                self.wrong(f"{name}: missed at {row['at']}, its deadline was {row['deadline']}")
                continue
            due = row["deadline"] - EPOCH
            ends = [end for begin, end in week.downs if begin <= due + LATE and end > due]
            late = row["at"] - EPOCH - max([due, *ends])
            self.counts["missed turns after a downtime"] += bool(ends)
            if late > LATE:
                self.wrong(f"{name}: missed {late:.0f} s after its deadline")

    def _count(self, week: Week) -> None:
        counts = self.counts
        for row in self._rows("SELECT stage, ended, count(*) FROM tables GROUP BY 1, 2"):
            counts[f"tables {row[0]}{' ' + row[1] if row[1] else ''}"] = row[2]
        counts["rounds"] = self._rows(
            "SELECT count(DISTINCT table_id || '-' || round_number) FROM round_results"
        )[0][0]
        for row in self._rows("SELECT what, actor IS NULL, count(*) FROM table_log GROUP BY 1, 2"):
            counts[f"log: {row[0]} by {'itself' if row[1] else 'people'}"] = row[2]
        counts["messages of the bot"] = len(week.posted)
