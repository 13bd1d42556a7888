"""What many tables and long logs cost: commits that share one wait for the disk, and as much work a move."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from canasta_core.tables.errors import StaleTable, StoreCode, StoreError
from canasta_core.tables.model import Message, Person
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.data.samples import following, log_row, opening
from tests.tables.tools import (
    CHANNEL,
    FOUR,
    GUILD,
    GreedyThinker,
    Recorder,
    SeededChance,
    StillClock,
    all_told,
    eventually,
    four_at_table,
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path / "canasta.db", busy_timeout=0.2)
    await store.open()
    yield store
    await store.close()


async def traced(store: SqliteStore) -> list[str]:
    """Every statement from now on, also those of triggers and transactions."""
    seen: list[str] = []
    for connection in (store._database._writer, store._database._reader):
        assert connection is not None
        await connection.set_trace_callback(seen.append)
    return seen


async def test_commits_that_wait_at_once_share_a_transaction(store: SqliteStore) -> None:
    tables = [await store.commit(opening()) for _ in range(50)]
    stale = following(tables[7], 5, "late")
    seen = await traced(store)
    outcomes = await asyncio.gather(
        *(store.commit(following(table_id, 2)) for table_id in tables),
        store.commit(stale),
        *(store.remember_message(table_id, "board", _message(table_id)) for table_id in tables[:10]),
        return_exceptions=True,
    )
    assert outcomes[:50] == tables
    assert isinstance(outcomes[50], StaleTable)
    assert seen.count("COMMIT") <= 3
    for table_id in tables:
        assert [row.version for row in await store.log(table_id)] == [1, 2]
    assert await store.message(tables[3], "board") == _message(tables[3])


async def test_an_error_that_undoes_the_transaction_refuses_its_own_commit_alone(store: SqliteStore) -> None:
    """As a full disk may: SQLite itself undoes all that was written so far, of everybody."""
    tables = [await store.commit(opening()) for _ in range(5)]
    await store._database.write(
        lambda db: db.execute(
            "CREATE TRIGGER bad BEFORE INSERT ON table_log WHEN NEW.what = 'bad'"
            " BEGIN SELECT RAISE(ROLLBACK, 'all undone'); END"
        )
    )
    bad = following(tables[2], 2)
    changes = [following(table_id, 2) for table_id in tables]
    changes[2] = replace(bad, log=(replace(log_row(2), what="bad"),))
    outcomes = await asyncio.gather(*map(store.commit, changes), return_exceptions=True)
    assert isinstance(outcomes[2], StoreError)
    assert outcomes[2].code is StoreCode.BROKEN
    for number, table_id in enumerate(tables):
        assert await store.version(table_id) == (1 if number == 2 else 2)
        assert len(await store.log(table_id)) == (1 if number == 2 else 2)
        assert (outcomes[number] == table_id) == (number != 2)


async def test_a_commit_is_on_disk_when_it_is_acknowledged(store: SqliteStore) -> None:
    """Also one that was written together with others: another connection sees it at once."""
    tables = [await store.commit(opening()) for _ in range(20)]

    async def change(table_id: int) -> None:
        await store.commit(following(table_id, 2))
        with closing(sqlite3.connect(store._database.path)) as other:
            found = other.execute("SELECT version FROM tables WHERE id = ?", (table_id,)).fetchone()
        assert found == (2,)

    await asyncio.gather(*map(change, tables))


async def test_who_waits_and_is_cancelled_is_not_stored(store: SqliteStore) -> None:
    one, two = await store.commit(opening()), await store.commit(opening())
    async with store._database.writing():
        tasks = [asyncio.create_task(store.commit(following(each, 2))) for each in (one, two)]
        await asyncio.sleep(0.05)
        tasks[0].cancel()
        await asyncio.gather(tasks[0], return_exceptions=True)
    assert await tasks[1] == two
    assert [await store.version(each) for each in (one, two)] == [1, 2]


async def test_closing_waits_for_those_who_wait(store: SqliteStore) -> None:
    tables = [await store.commit(opening()) for _ in range(5)]
    tasks = [asyncio.create_task(store.commit(following(each, 2))) for each in tables]
    await asyncio.sleep(0)
    await store.close()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    await store.open()
    for table_id, outcome in zip(tables, outcomes, strict=True):
        stored = outcome == table_id
        assert stored or isinstance(outcome, StoreError)
        assert await store.version(table_id) == (2 if stored else 1)


async def test_a_move_costs_as_much_among_many_tables_and_with_a_long_log(store: SqliteStore) -> None:
    """Counted in statements, to the last notice: time would tell of other programs too."""

    def service() -> TableService:
        return TableService(store, clock=StillClock(), chance=SeededChance(1), thinker=GreedyThinker())

    async def price(table_id: int) -> list[str]:
        """What a draw takes that is the first thing a new process does, without what is bound to it."""
        fresh = service()
        await fresh.start(Recorder())
        await all_told(fresh)
        seen = await traced(store)
        table = await fresh.get(table_id)
        assert table.state is not None
        await fresh.act(table_id, FOUR[table.state.public.turn].user_id, "draw")
        await all_told(fresh)
        for connection in (store._database._writer, store._database._reader):
            assert connection is not None
            await connection.set_trace_callback(None)
        await fresh.close()
        return sorted(" ".join(sql.split()[:3]) for sql in seen)

    first = service()
    await first.start(Recorder())
    table, other, long = [await four_at_table(first) for _ in range(3)]
    await all_told(first)
    alone = await price(table.id)
    assert 5 <= len(alone) <= 40, alone
    for number in range(200):
        crowd = Person(5000 + number, "Guest")
        await first.create(GUILD, CHANNEL, crowd, "classic")
    await all_told(first)
    assert await price(other.id) == alone
    await store._database.write(lambda db: _lengthen(db, long.id, 3_000))
    assert await price(long.id) == alone
    await first.close()


async def test_a_start_does_not_look_at_tables_that_wait_for_people(store: SqliteStore) -> None:
    starts: list[list[str]] = []
    for more in (1, 9):
        first = TableService(store, clock=StillClock(), chance=SeededChance(1), thinker=GreedyThinker())
        for _ in range(more):
            await four_at_table(first)
        teller = Recorder()
        await first.start(teller)
        await all_told(first)
        await first.close()
        second = TableService(store, clock=StillClock(), chance=SeededChance(1), thinker=GreedyThinker())
        seen = await traced(store)
        await second.start(Recorder())
        await second.settle()
        await eventually(lambda second=second: second._alarm._until is not None)
        starts.append(list(seen))
        await second.close()
    assert len(starts[0]) == len(starts[1]) <= 12, starts


async def test_a_list_reads_its_tables_a_few_at_a_time(store: SqliteStore) -> None:
    first = TableService(store, clock=StillClock(), chance=SeededChance(1), thinker=GreedyThinker())
    made = [(await first.create(GUILD, CHANNEL, FOUR[0], "classic")).id for _ in range(45)]
    second = TableService(store, clock=StillClock(), chance=SeededChance(1), thinker=GreedyThinker())
    seen = await traced(store)
    assert [table.id for table in await second.tables_in(GUILD)] == made
    assert seen.count("BEGIN") == 3
    seen.clear()
    assert [table.id for table in await second.tables_in(GUILD)] == made
    assert len(seen) == 1, "those that are known are not read again"


def _message(number: int) -> Message:
    return Message(1, number, 2)


def _lengthen(db: sqlite3.Connection, table_id: int, rows: int) -> None:
    """Put rows before all others into a log, as after weeks of play; nobody replays it here."""
    (version,) = db.execute("SELECT version FROM tables WHERE id = ?", (table_id,)).fetchone()
    db.execute("UPDATE table_log SET version = version + ? WHERE table_id = ?", (rows, table_id))
    db.executemany(
        "INSERT INTO table_log (table_id, version, at, what, events, detail)"
        " VALUES (?, ?, 0, 'move', '', '{}')",
        [(table_id, number) for number in range(1, rows + 1)],
    )
    db.execute(
        "UPDATE tables SET version = ?, played = played + ?, turn_version = turn_version + ? WHERE id = ?",
        (version + rows, rows, rows, table_id),
    )


async def test_no_cursor_leaves_its_thread(tmp_path: Path) -> None:
    """One that is let go of elsewhere resets its statement under the thread that is running it."""
    store = SqliteStore(tmp_path / "c.db")
    await store.open()
    forget = "DELETE FROM outbox WHERE id = ?"
    alone = await store.database.write(lambda db: db.executemany(forget, [(1,)]))
    together = await asyncio.gather(
        *(store.database.write(lambda db: db.executemany(forget, [(1,)])) for _ in range(3))
    )
    assert [alone, *together] == [None] * 4
    await store.close()
