"""What a person gets when they ask for everything that is stored about them.

It is theirs alone: a number is their own id, anybody else is the name that the table sees, packs and salts
are left out, and of cards there are only those that they have seen in their own hand.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from canasta_core.actions import Deal, DrawLots, write_action
from canasta_core.cards import sorted_cards, write_cards
from canasta_core.codec import decode_action, encode_event
from canasta_core.events import seen_by
from canasta_core.tables.model import Stage, Table
from canasta_core.tables.rows import read_events

Row = Mapping[str, Any]

PEOPLE: Final = frozenset({"user_id", "user_ids", "host_id", "actor", "by", "host", "agreed"})
"""Fields that hold ids of people, whatever they are stored in."""
TIMES: Final = frozenset(
    {
        "at",
        "away_until",
        "created_at",
        "deadline",
        "finished_at",
        "from_at",
        "last_at",
        "reminder",
        "to_at",
        "touched_at",
        "until",
    }
)
"""Fields that hold a time in unix seconds."""
SECRETS: Final = frozenset({"salt"})
"""Facts of a change that open the pack of a round."""
_JSON: Final = frozenset({"detail", "data", "paused", "proposal"})
_JSON_LINES: Final = frozenset({"invites"})
HANDS: Final = "hands"
"""The kind of entry that is no row: a hand of a running round."""


@dataclass(slots=True)
class OwnData:
    """Everything about one person."""

    user_id: int
    entries: dict[str, list[str]] = field(default_factory=dict)
    """By what they are, as JSON texts."""

    def add(self, kind: str, rows: Iterable[Row], names: Mapping[int, str]) -> None:
        """Add rows as they are stored, with the names of all whom they mention."""
        told = self.entries.setdefault(kind, [])
        for row in rows:
            entry = _entry(kind, row, self.user_id)
            told.append(_text(_for(self.user_id, entry, names)))

    def add_hand(self, table: Table) -> None:
        """Add the hand that the person holds at a table now, if they do."""
        seat = table.seat_of(self.user_id)
        if seat is None or table.state is None or table.stage is not Stage.PLAYING:
            return
        cards = write_cards(sorted_cards(table.view(seat).hand.cards))
        entry = {"table_id": table.id, "seat": seat, "cards": cards}
        self.entries.setdefault(HANDS, []).append(_text(entry))


def mentioned(rows: Iterable[Row]) -> set[int]:
    """Ids of all people in rows as they are stored."""
    found: set[int] = set()
    for row in rows:
        _collect({key: _decoded(key, value) for key, value in row.items()}, found)
    return found


def _collect(value: object, found: set[int], *, people: bool = False) -> None:
    if isinstance(value, Mapping):
        for key, one in value.items():
            _collect(one, found, people=key in PEOPLE)
    elif isinstance(value, list):
        for one in value:
            _collect(one, found, people=people)
    elif people and isinstance(value, int):
        found.add(value)


def _entry(kind: str, row: Row, user_id: int) -> dict[str, Any]:
    entry = {key: _decoded(key, value) for key, value in row.items()}
    if kind == "table_log":
        entry["detail"] = {key: value for key, value in entry["detail"].items() if key not in SECRETS}
        action, events = entry.pop("action"), read_events(entry.pop("events"))
        played = None if action is None else decode_action(action)
        own = entry["actor"] == user_id
        if own and played is not None and not isinstance(played, DrawLots | Deal):
            entry["action"] = write_action(played)
        seat = entry["seat"] if own else None
        entry["events"] = [json.loads(encode_event(seen_by(event, seat))) for event in events]
    return entry


def _decoded(key: str, value: Any) -> Any:
    if key in _JSON:
        return json.loads(value) if value else None
    if key in _JSON_LINES:
        return [json.loads(line) for line in value.splitlines()]
    return value


def _for(user_id: int, value: Any, names: Mapping[int, str], *, people: bool = False) -> Any:
    """A value as one person may have it: others by name, times as people read them beside the numbers."""
    if isinstance(value, Mapping):
        told: dict[str, Any] = {}
        for key, one in value.items():
            told[key] = _for(user_id, one, names, people=key in PEOPLE)
            if key in TIMES and isinstance(one, int | float):
                told[f"{key}_text"] = time_text(one)
        return told
    if isinstance(value, list):
        return [_for(user_id, one, names, people=people) for one in value]
    if people and isinstance(value, int) and value != user_id:
        return names.get(value, "?")
    return value


def time_text(seconds: float) -> str:
    """`2026-11-30 14:05:09 UTC`"""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _text(entry: object) -> str:
    return json.dumps(entry, ensure_ascii=False)
