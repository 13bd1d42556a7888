"""Every record that the week's tables give: written, read, and replayed to where the table stands."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from canasta_core.codec import decode_rules, decode_state, state_hash
from canasta_core.record import RecordError, final_position, read_record, write_record
from canasta_core.tables.errors import TableError
from canasta_core.tables.model import Sitter, Stage, Table
from canasta_core.tables.ports import LogRow
from canasta_core.tables.recording import record_of


def fault_of_record(table: sqlite3.Row, log: Iterable[sqlite3.Row]) -> str | None:
    """What is wrong with a table's record; empty when all agrees, None when no round is over."""
    entries = [LogRow(**{key: row[key] for key in row.keys() if key != "table_id"}) for row in log]  # noqa: SIM118
    rules = decode_rules(table["rules"])
    sitters = tuple(Sitter(seat, seat, f"player {seat}") for seat in range(rules.seats))
    shell = Table(
        id=table["id"],
        guild_id=table["guild_id"],
        channel_id=table["channel_id"],
        host_id=table["host_id"],
        rules=rules,
        stage=Stage(table["stage"]),
        version=table["version"],
        state=None,
        sitters=sitters,
        deadline=None,
        created_at=table["created_at"],
    )
    try:
        record = record_of(shell, entries)
    except TableError:
        return None
    text = write_record(record)
    try:
        again = read_record(text)
    except RecordError as error:
        return str(error)
    if again.steps != record.steps:
        return "it is read as another game"
    if table["ended"] == "finished":
        if state_hash(final_position(again)) != state_hash(decode_state(table["state"])):
            return "it does not lead to where the game ended"
        return ""
    dealt = [row for row in entries if row.what == "deal"]
    over = final_position(again).public.round_number
    running = [json.loads(row.detail)["salt"] for row in dealt[over:]]
    return "the salt of a round that runs is in it" if any(salt in text for salt in running) else ""
