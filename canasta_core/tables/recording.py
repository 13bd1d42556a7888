"""The record of a table, from its log: the rounds that are over, and nothing of one that runs."""

from collections.abc import Iterable, Sequence
from typing import Final

from canasta_core.actions import Deal, DrawLots
from canasta_core.events import RoundEnded
from canasta_core.record import Player, Record, Step
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import LogEntry, Table, What
from canasta_core.tables.ports import LogRow
from canasta_core.tables.replay import counted
from canasta_core.tables.rows import read_log

Shuffle = DrawLots | Deal
_OF_THE_GAME: Final = frozenset({What.BEGIN, What.LOTS, What.DEAL, What.MOVE, What.UNDO})


def record_of(table: Table, rows: Iterable[LogRow]) -> Record:
    """The finished rounds of a table's log, with the names of those who sit there, or did at its end.

    Packs, salts and hands of a round that is not over are left out, and so is what was taken back. Raises
    TableError no_record while no round is over.
    """
    entries = [read_log(row) for row in rows if row.what in _OF_THE_GAME]
    began = next((entry.at for entry in entries if entry.what is What.BEGIN), None)
    moves = finished(counted(entries))
    if not moves:
        raise TableError(TableCode.NO_RECORD)
    return Record(
        rules=table.rules,
        players=tuple(_player(table, seat) for seat in range(table.rules.seats)),
        steps=tuple(_step(entry) for entry in moves),
        began=began,
        title=f"table {table.id}",
    )


def finished(entries: Sequence[LogEntry]) -> Sequence[LogEntry]:
    """The actions of a game up to the end of the last round that is over."""
    for place in reversed(range(len(entries))):
        if any(isinstance(event, RoundEnded) for event in entries[place].events):
            return entries[: place + 1]
    return ()


def shuffles(record: Record) -> tuple[Shuffle, ...]:
    """Everything that chance did in a record: lots, and the pack of each round."""
    return tuple(step.action for step in record.steps if isinstance(step.action, DrawLots | Deal))


def _step(entry: LogEntry) -> Step:
    assert entry.action is not None, "only actions count"
    detail = entry.detail
    return Step(entry.seat, entry.action, str(detail.get("salt", "")), str(detail.get("commitment", "")))


def _player(table: Table, seat: int) -> Player:
    sitter = table.sitter(seat)
    return Player("") if sitter is None else Player(sitter.name, sitter.ai)
