"""Recorded games replay to the same states, action by action."""

import pytest

from tests.playthroughs.recording import FOLDER, HASH, Table, first_difference, tables

TABLES = list(tables())


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.path.stem)
def test_replay(table: Table) -> None:
    assert table.path.exists(), f"no recorded game: run python -m tests.playthroughs for {table.path.name}"
    text = table.path.read_text(encoding="utf-8")
    assert len(text.splitlines()) > 100
    assert first_difference(table, text) is None


def test_nothing_is_left_over() -> None:
    assert {table.path for table in TABLES} == set(FOLDER.glob("*.txt"))


def test_a_changed_move_is_found() -> None:
    table = TABLES[0]
    lines = table.path.read_text(encoding="utf-8").splitlines()
    wrong = "0" * HASH
    lines[40] = wrong + lines[40][HASH:]
    assert "line 41" in str(first_difference(table, "\n".join(lines)))
