"""Old logs take less room, and read as before."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.model import Message
from data.archive import DAY, Archiver, pack, unpack
from data.sqlite_store import SqliteStore
from tests.data.samples import ANN, following, log_row, opening

NOW = 1_800_000_000.0


class Clock:
    """Stands still until somebody sleeps."""

    def __init__(self) -> None:
        self.time = NOW
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


async def ended(store: SqliteStore, days_ago: float) -> int:
    """A table that ended so long ago, with three changes, something untold and a message."""
    table_id = await store.commit(opening())
    await store.commit(following(table_id, 2))
    end = following(table_id, 3, stage="ended", ended="won", ended_version=3, touched_at=NOW - days_ago * DAY)
    await store.commit(end)
    await store.remember_message(table_id, "board", Message(1, 2, 3))
    return table_id


async def entries(store: SqliteStore) -> dict[str, int]:
    return {
        name: (await store.database.fetch(f"SELECT count(*) FROM {name}"))[0][0]  # noqa: S608 - names below
        for name in ("table_log", "archived_logs", "outbox", "messages")
    }


async def test_what_ended_long_ago_is_packed_and_reads_as_before(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "c.db")
    await store.open()
    old, recent = await ended(store, 31), await ended(store, 29)
    running = await store.commit(opening())
    logs = {each: await store.log(each) for each in (old, recent, running)}
    assert len(logs[old]) == 3

    clock = Clock()
    archiver = Archiver(store.database, clock, 30)
    assert await archiver.pack_due() == 1
    assert {each: await store.log(each) for each in logs} == logs
    assert [await store.log_row(old, version) for version in (1, 3, 4)] == [logs[old][0], logs[old][2], None]
    assert await entries(store) == {"table_log": 4, "archived_logs": 1, "outbox": 2, "messages": 1}
    assert await store.message(old, "board") is None
    assert await store.message(recent, "board") is not None
    loaded = await store.load(old)
    assert loaded is not None
    assert loaded[0].version == 3

    assert await archiver.pack_due() == 0
    clock.time += 2 * DAY
    assert await archiver.pack_due() == 1
    # A later process starts from the beginning and finds nothing to do.
    assert await Archiver(store.database, clock, 30).pack_due() == 0
    assert {each: await store.log(each) for each in logs} == logs
    await store.close()


async def test_it_is_looked_after_at_the_start_and_once_a_day(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "c.db")
    await store.open()
    await ended(store, 40)
    await ended(store, 28.5)
    clock = Clock()
    task = asyncio.create_task(Archiver(store.database, clock, 30).run())
    async with asyncio.timeout(10):
        while (await entries(store))["archived_logs"] < 2:
            await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert set(clock.slept) == {0.1, DAY}
    assert clock.time >= NOW + 1.5 * DAY
    await store.close()


async def test_many_are_packed_one_by_one(tmp_path: Path) -> None:
    """Between two of them moves get their turn, and no transaction has more than one."""
    store = SqliteStore(tmp_path / "c.db")
    await store.open()
    for _ in range(105):
        await ended(store, 50)
    clock = Clock()
    seen: set[str] = set()
    assert store.database._writer is not None
    await store.database._writer.set_trace_callback(seen.add)
    assert await Archiver(store.database, clock, 30).pack_due() == 105
    assert clock.slept == [0.1] * 105
    assert (await entries(store))["table_log"] == 0
    await store.close()


async def test_the_look_for_old_ones_uses_an_index(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "c.db")
    await store.open()
    seen: list[str] = []
    assert store.database._reader is not None
    await store.database._reader.set_trace_callback(seen.append)
    await Archiver(store.database, Clock(), 30).pack_due()
    (query,) = [sql for sql in seen if "touched_at" in sql]
    plan = [row[3] for row in await store.database.fetch(f"EXPLAIN QUERY PLAN {query}")]
    assert plan == [step for step in plan if "tables_by_end" in step], plan
    await store.close()


async def test_a_log_that_changed_meanwhile_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody is forgotten between the look at a log and its packing: the next one is packed all the same,
    and this one the next day.
    """
    store = SqliteStore(tmp_path / "c.db")
    await store.open()
    table_id, other = await ended(store, 50), await ended(store, 49)
    fetch = store.database.fetch

    async def overtaken(sql: str, parameters: tuple[object, ...] = ()) -> object:
        rows = await fetch(sql, parameters)
        if "FROM table_log" in sql and parameters[0] == table_id:
            async with store.database.writing() as db:
                await db.execute("UPDATE table_log SET actor = -1 WHERE table_id = ?", (table_id,))
        return rows

    monkeypatch.setattr(store.database, "fetch", overtaken)
    archiver = Archiver(store.database, Clock(), 30)
    assert await archiver.pack_due() == 1
    assert f"the log of table {table_id} is not packed" in caplog.text
    monkeypatch.undo()
    assert [row[0] for row in await store.database.fetch("SELECT table_id FROM archived_logs")] == [other]
    assert await archiver.pack_due() == 1
    assert {row.actor for row in await store.log(table_id)} == {-1}
    await store.close()


def test_packing_keeps_every_column_and_saves_room() -> None:
    rows = [replace(log_row(version, "é\n" * 400), actor=None, action=None) for version in range(1, 200)]
    packed = pack(rows)
    assert unpack(packed) == rows
    assert len(packed) < 10 * len(rows)
    for wrong in (b"", packed[:-9], b"\xaa" * 50):
        with pytest.raises(StoreError) as caught:
            unpack(wrong)
        assert caught.value.code is StoreCode.DAMAGED


async def test_who_is_forgotten_is_not_left_in_a_log_that_is_packed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other way round: the log is packed between the look at it and the forgetting."""
    store = SqliteStore(tmp_path / "c.db")
    await store.open()
    table_id = await ended(store, 50)
    archiver = Archiver(store.database, Clock(), 30)
    fetch = store.database.fetch
    packed: list[int] = []

    async def overtaken(sql: str, parameters: tuple[object, ...] = ()) -> object:
        rows = await fetch(sql, parameters)
        if "FROM archived_logs" in sql and not packed:
            packed.append(0)
            packed[0] = await archiver.pack_due()
        return rows

    monkeypatch.setattr(store.database, "fetch", overtaken)
    await store.forget_at(table_id, ANN.user_id, -7)
    monkeypatch.undo()
    assert packed == [1]
    assert {row.actor for row in await store.log(table_id)} == {-7}
    await store.close()
