"""What is judged at the end of the week, when the bot has had time to tell everything."""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import Any

from canasta_core.cards import Card, name_of
from canasta_core.codec import decode_rules, decode_state
from canasta_core.refusals import Refusal
from tests.week.judge import mask_of
from tests.week.records import fault_of_record
from tests.week.times import Times
from tests.week.world import Week


class Verdict(Times):
    """Notices and pings, boards and secrets, results and clocks."""

    def at_the_end(self, week: Week, backend: Any) -> None:
        """What must be so when the bot has had time to tell everything."""
        self.after_death(backend.clock.elapsed)
        if left := self._rows("SELECT table_id, version, kind FROM outbox"):
            self.wrong(f"never told: {[tuple(row) for row in left][:20]}")
        self._end = backend.clock.elapsed
        self.told(week)
        self.times(week)
        self._boards(week, backend)
        self._secrets(week)
        self._results()
        self._records()
        self._count(week)

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
            try:
                fault = fault_of_record(table, log)
            except Refusal as refusal:
                fault = f"the rules refuse it, {refusal.code}"
            self.counts["records read and replayed"] += fault is not None
            if fault:
                self.wrong(f"the record of table {table['id']}: {fault}")

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
