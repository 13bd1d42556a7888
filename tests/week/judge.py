"""Compares what the database holds with what Discord got, while no bot is running."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from canasta_core.actions import LayMelds
from canasta_core.codec import decode_action, decode_rules, decode_state, encode_state
from canasta_core.engine import apply
from canasta_core.legality import who_acts
from canasta_core.refusals import Refusal
from canasta_core.state import GameState, Phase
from canasta_core.tables.rows import events_text
from tests.games.test_privacy import lying
from tests.week.frames import Film, Step, film, step_of

EPOCH = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
"""Unix time at which simcord's clock begins."""
LATE = 120.0
"""Seconds after which an alarm that was not answered is overlooked."""


@dataclass
class Replayed:
    """How far the log of a table has been played."""

    version: int = 0
    state: GameState | None = None
    before: list[GameState] = field(default_factory=list)
    round: int = 0
    known: int = 0
    known_before: int = 0
    times: list[float] = field(default_factory=list)
    masks: list[int] = field(default_factory=list)
    """Cards that lay open in this round or the last, by time."""
    steps: list[Step] = field(default_factory=list)
    """Every row of the log, with the position after it."""
    is_broken: bool = False
    """The rules refuse what comes next: nothing more is known of the table."""


class Judge:
    """One for the whole week, in the process that starts the others."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.found: list[str] = []
        self.counts: Counter[str] = Counter()
        self._tables: dict[int, Replayed] = defaultdict(Replayed)

    def wrong(self, text: str) -> None:
        self.found.append(text)

    def _rows(self, sql: str, *given: Any) -> list[sqlite3.Row]:
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as file:
            file.row_factory = sqlite3.Row
            return file.execute(sql, given).fetchall()

    # After each death

    def after_death(self, now: float) -> None:
        """What must be so at every instant, whatever was under way."""
        self.counts["looks at the file after a death"] += 1
        for row in self._rows("PRAGMA quick_check"):
            if row[0] != "ok":
                self.wrong(f"the file is damaged: {row[0]}")
        for table in self._rows("SELECT * FROM tables"):
            self._replay(table)
            self._waits(table, now)
        self._tenures()

    def _replay(self, table: sqlite3.Row) -> None:
        """Play what the log has gained; it must lead to the snapshot."""
        done = self._tables[table["id"]]
        if done.is_broken:
            return
        rules = decode_rules(table["rules"])
        name = f"table {table['id']}"
        for row in self._rows(
            "SELECT * FROM table_log WHERE table_id = ? AND version > ? ORDER BY version",
            table["id"],
            done.version,
        ):
            if row["version"] != done.version + 1:
                self.wrong(f"{name}: version {row['version']} follows {done.version}")
            done.version = row["version"]
            if row["what"] == "undo":
                if not done.before:
                    self.wrong(f"{name} version {done.version}: nothing could be taken back")
                    continue
                self.counts["undos of the last of several melds"] += len(done.before) > 1
                done.state = done.before.pop()
            elif row["action"] is not None:
                state = done.state or GameState.new(rules)
                action = decode_action(row["action"])
                done.before = [*done.before, state] if isinstance(action, LayMelds) else []
                try:
                    transition = apply(state, row["seat"], action)
                except Refusal as refusal:
                    self.wrong(f"{name} version {done.version}: the rules refuse it, {refusal.code}")
                    done.is_broken = True
                    break
                if events_text(transition.events) != row["events"]:
                    self.wrong(f"{name} version {done.version}: its events are others")
                done.state = transition.state
            done.steps.append(step_of(row, done.state))
            if row["what"] == "undo" or row["action"] is not None:
                self._see(done, row["at"])
        if done.is_broken:
            return
        if done.version != table["version"]:
            self.wrong(f"{name}: the log ends at {done.version}, the table is at {table['version']}")
        played = None if done.state is None else encode_state(done.state)
        if played != table["state"]:
            self.wrong(f"{name} version {done.version}: the log does not lead to the snapshot")

    def _see(self, done: Replayed, at: float) -> None:
        """What lies open now, for the question what public messages may name."""
        state = done.state
        assert state is not None
        if state.public.round_number != done.round:
            done.round, done.known_before, done.known = state.public.round_number, done.known, 0
        cards = lying(state)
        if state.public.phase in (Phase.ROUND_OVER, Phase.GAME_OVER):
            cards |= {card for hand in state.hands for card in hand.cards}
        done.known |= mask_of(cards)
        done.times.append(at - EPOCH)
        done.masks.append(done.known | done.known_before)

    def _waits(self, table: sqlite3.Row, now: float) -> None:
        """A running game waits for somebody whose clock runs, for an AI player, or rests with a reason."""
        if table["stage"] != "playing":
            return
        name = f"table {table['id']} version {table['version']}"
        public = decode_state(table["state"]).public
        sitters = {
            row["seat"]: row
            for row in self._rows(
                "SELECT * FROM seats WHERE table_id = ? AND to_version IS NULL", table["id"]
            )
        }
        if len(sitters) != public.rules.seats:
            self.wrong(f"{name}: {len(sitters)} of {public.rules.seats} seats are held")
            return
        active = [row for row in sitters.values() if row["user_id"] is not None and not row["absent"]]
        if table["paused"] or not active:
            self.counts["looks at a table that rests"] += 1
            if table["deadline"] is not None:
                self.wrong(f"{name}: it rests, and a clock runs")
            if table["alarm"] is None:
                self.wrong(f"{name}: it rests, and nothing would ever end that")
            return
        if table["deadline"] is not None and (table["alarm"] is None or table["alarm"] > table["deadline"]):
            self.wrong(f"{name}: deadline {table['deadline']}, alarm {table['alarm']}")
        acting = [sitters[seat] for seat in who_acts(public)]
        if not acting:
            if table["deadline"] is None:
                self.wrong(f"{name}: the next round would never start")
            return
        owed = json.loads(table["wait"] or "{}").get("owed", [])
        people = [row for row in acting if row in active and row["seat"] not in owed]
        if len(people) < len(acting):
            if not table["ai_turn"]:
                self.wrong(f"{name}: an AI player would never move")
            return
        self.counts["looks at a table that waits for a person"] += 1
        away = [row for row in people if row["away_until"] is not None and row["away_until"] > EPOCH + now]
        if table["clock"] is None or len(away) == len(people):
            return
        if table["deadline"] is None:
            self.wrong(f"{name}: it waits for a person whose clock does not run")
        elif table["deadline"] > EPOCH + now + table["clock"] + 1:
            self.wrong(f"{name}: the clock of {table['clock']} s ends in {table['deadline'] - EPOCH - now} s")

    def films(self) -> dict[int, Film]:
        """Every table after each of its commits, by its id."""
        tenures, commits = defaultdict(list), defaultdict(list)
        for row in self._rows("SELECT * FROM seats"):
            tenures[row["table_id"]].append(row)
        for row in self._rows("SELECT * FROM week_tables ORDER BY table_id, version"):
            commits[row["table_id"]].append(row)
        return {
            table: film(done.steps, tenures[table], commits[table]) for table, done in self._tables.items()
        }

    def _tenures(self) -> None:
        held: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        where: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for row in self._rows("SELECT * FROM seats ORDER BY from_version"):
            span = row["from_version"], row["to_version"] or 1 << 60
            held[row["table_id"], row["seat"]].append(span)
            if row["user_id"] is not None:
                where[row["table_id"], row["user_id"]].append(span)
        for what, spans in (*held.items(), *where.items()):
            for (_, end), (begin, _) in pairwise(spans):
                if begin < end:
                    self.wrong(f"two tenures at once: {what} {spans}")


def mask_of(cards: Iterable[int]) -> int:
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask
