"""What is SQLite's own: migrations, files that cannot be used, and what its queries cost."""

import asyncio
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.model import Message
from data.database import MIGRATIONS, Database, read_migrations, split_statements
from data.sqlite_store import SqliteStore
from tests.data.samples import ANN, BEN, GUILD, following, opening

KNOWN = len(read_migrations(MIGRATIONS))


async def failing_open(store: SqliteStore | Database) -> StoreError:
    with pytest.raises(StoreError) as caught:
        await store.open()
    return caught.value


def contents(path: Path) -> dict[str, bytes]:
    """All files of the folder that a file lies in, but for the lock of who works with it."""
    return {each.name: each.read_bytes() for each in path.parent.iterdir() if each.suffix != ".lock"}


def damage(path: Path) -> None:
    """Overwrite everything but the first page."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xaa" * (size - 4096))


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A file with one table in it."""
    path = tmp_path / "canasta.db"
    store = SqliteStore(path)
    await store.open()
    table_id = await store.commit(opening())
    await store.commit(following(table_id, 2))
    await store.close()
    return path


async def test_the_file_is_set_up_to_be_safe(path: Path) -> None:
    database = Database(path)
    await database.open()
    async with database.writing() as db:
        settings = {
            name: next(iter(await db.execute_fetchall(f"PRAGMA {name}")))[0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "user_version")
        }
        tables = await db.execute_fetchall("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'")
        loose = [name for name, strict in tables if not strict and not name.startswith("sqlite_")]
    await database.close()
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "user_version": KNOWN}
    assert loose == []


async def test_a_failing_migration_leaves_nothing_behind(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder)
    good = "CREATE TABLE added (x INTEGER) STRICT;\nINSERT INTO members VALUES (5, 'a;\nb');\n"
    bad = "INSERT INTO nowhere VALUES (1);\n"
    (folder / f"{KNOWN + 1:03}_next.sql").write_text("".join((good, bad)))
    assert (await failing_open(Database(path, migrations=folder))).code is StoreCode.BROKEN
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (KNOWN,)
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'added'").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM members WHERE user_id = 5").fetchone() == (0,)
    db.close()

    (folder / f"{KNOWN + 1:03}_next.sql").write_text(good)
    database = Database(path, migrations=folder)
    await database.open()
    assert [tuple(row) for row in await database.fetch("PRAGMA user_version")] == [(KNOWN + 1,)]
    assert [tuple(row) for row in await database.fetch("SELECT name FROM members WHERE user_id = 5")] == [
        ("a;\nb",)
    ]
    await database.close()


async def test_two_that_open_a_new_file_at_once_migrate_it_once(tmp_path: Path) -> None:
    for name in map(str, range(40)):
        stores = [SqliteStore(tmp_path / name) for _ in range(4)]
        await asyncio.gather(*(store.open() for store in stores))
        ids = [await store.commit(opening()) for store in stores]
        assert ids == [1, 2, 3, 4]
        await asyncio.gather(*(store.close() for store in stores))


def test_statements_are_told_apart_as_sqlite_does() -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  DELETE FROM b;\n  DELETE FROM c;\nEND;"
    script = f"-- what; it does\nCREATE TABLE a (x TEXT DEFAULT ';\n');\n\n{trigger}\n-- the end;\n"
    first, second = split_statements(script)
    assert first.endswith("CREATE TABLE a (x TEXT DEFAULT ';\n');")
    assert second == trigger
    with pytest.raises(StoreError, match="middle of a statement"):
        split_statements("CREATE TABLE a (x")


@pytest.mark.parametrize("name", ["003_gap.sql", "2_short.sql", "001_twice.sql"])
def test_migrations_are_numbered_without_gaps(tmp_path: Path, name: str) -> None:
    (tmp_path / "001_first.sql").write_text("SELECT 1;")
    (tmp_path / name).write_text("SELECT 1;")
    with pytest.raises(StoreError, match=re.escape(name)):
        read_migrations(tmp_path)


async def test_a_newer_schema_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {KNOWN + 3}")
    db.close()
    before = contents(path)
    error = await failing_open(SqliteStore(path))
    assert error.code is StoreCode.NEWER_SCHEMA
    assert error.facts == {"found": KNOWN + 3, "known": KNOWN}
    assert "update the program" in str(error)
    assert contents(path) == before


async def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE songs (title TEXT)")
    db.close()
    before = contents(path)
    assert (await failing_open(SqliteStore(path))).code is StoreCode.NOT_OURS
    assert contents(path) == before


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir or Madam, " * 400)
    before = contents(path)
    assert (await failing_open(SqliteStore(path))).code is StoreCode.DAMAGED
    assert contents(path) == before


async def test_what_is_damaged_is_not_migrated(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder)
    (folder / f"{KNOWN + 1:03}_next.sql").write_text("CREATE TABLE added (x INTEGER) STRICT;\n")
    damage(path)
    before = path.read_bytes()
    assert (await failing_open(Database(path, migrations=folder))).code is StoreCode.DAMAGED
    assert path.read_bytes() == before


async def test_a_start_does_not_read_the_whole_file(path: Path) -> None:
    """A file of years would keep the bot waiting; what is damaged says so when it is needed."""
    with sqlite3.connect(path) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'table_log'").fetchone()
    db.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xaa" * 4096)
    store = SqliteStore(path)
    await store.open()
    assert await store.tenures(1)
    with pytest.raises(StoreError) as caught:
        await store.log(1)
    assert caught.value.code is StoreCode.DAMAGED
    await store.close()


async def test_damage_while_open_is_a_store_error(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    damage(path)
    with pytest.raises(StoreError) as caught:
        await store.tenures(1)
    assert caught.value.code is StoreCode.DAMAGED
    await store.close()


async def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert (await failing_open(SqliteStore(tmp_path / "no" / "file.db"))).code is StoreCode.UNAVAILABLE


@pytest.fixture
def migrations() -> Iterator[Path]:
    """The migrations, where anybody may read them, wherever the project lies."""
    folder = Path(tempfile.mkdtemp())
    shutil.copytree(MIGRATIONS, folder, dirs_exist_ok=True)
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def unprivileged(migrations: Path) -> Iterator[Path]:
    """A folder, and a process that may not do everything: for root, file modes mean nothing."""
    uid = os.geteuid()
    if uid == 0:
        os.seteuid(65534)
    folder = Path(tempfile.mkdtemp())
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)
    os.seteuid(uid)


@pytest.fixture
def read_only_folder(unprivileged: Path) -> Path:
    unprivileged.chmod(0o500)
    return unprivileged


async def test_a_read_only_file(unprivileged: Path, migrations: Path) -> None:
    path = unprivileged / "canasta.db"
    database = Database(path, migrations=migrations)
    await database.open()
    await database.close()
    os.chmod(path, 0o400)
    assert (await failing_open(Database(path, migrations=migrations))).code is StoreCode.READ_ONLY


async def test_a_read_only_folder(read_only_folder: Path, migrations: Path) -> None:
    error = await failing_open(Database(read_only_folder / "canasta.db", migrations=migrations))
    assert error.code is StoreCode.UNAVAILABLE


async def test_a_file_that_another_process_holds(path: Path) -> None:
    store = SqliteStore(path, busy_timeout=0.05)
    await store.open()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as caught:
        await store.commit(following(1, 3))
    assert caught.value.code is StoreCode.LOCKED
    assert [row.version for row in await store.log(1)] == [1, 2], "readers go on"
    holder.execute("ROLLBACK")
    holder.close()
    await store.commit(following(1, 3))
    await store.close()


async def test_a_file_that_is_held_whole_cannot_be_opened(path: Path) -> None:
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    holder.execute("UPDATE members SET name = name")
    error = await failing_open(SqliteStore(path, busy_timeout=0.05))
    assert error.code is StoreCode.LOCKED
    holder.close()


async def test_a_full_disk_undoes_the_commit_and_the_store_goes_on(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    async with store._database.writing() as db:
        pages = next(iter(await db.execute_fetchall("PRAGMA page_count")))[0]
        await db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError) as caught:
        await store.commit(following(1, 3, "x" * 100_000))
    assert caught.value.code is StoreCode.FULL
    assert [row.version for row in await store.log(1)] == [1, 2]
    async with store._database.writing() as db:
        await db.execute(f"PRAGMA max_page_count = {pages + 100}")
    await store.commit(following(1, 3, "x" * 100_000))
    await store.close()


async def test_every_query_uses_an_index(path: Path) -> None:
    """The cost of a query does not grow with the tables, logs and people there are."""
    store = SqliteStore(path)
    await store.open()
    seen: set[str] = set()
    for connection in (store._database._writer, store._database._reader):
        assert connection is not None
        await connection.set_trace_callback(seen.add)
    await store.commit(following(1, 3))
    for reading in (
        store.load(1),
        store.load_all([1, 2]),
        store.version(1),
        store.tenures(1),
        store.log(1),
        store.log_row(1, 1),
        store.rounds(1),
        store.results(1),
        store.tables_in(GUILD),
        store.tables_in(GUILD, 5),
        store.tables_of(ANN.user_id),
        store.tables_of(ANN.user_id, GUILD),
        store.playing(),
        store.waiting_for_ai(),
        store.earliest_alarm(),
        store.earliest_alarm(5.0),
        store.due(5.0),
        store.remind(1, 3, reminder=None, alarm=None, wait=""),
        store.to_tell(),
        store.notices(1),
        store.message(1, "board"),
        store.guild_settings(GUILD),
        store.preferences(5),
        store.set_preference(5, "a", "b"),
        store.set_preference(5, "a", None),
        store.names([5]),
        store.told([1]),
        store.remember_message(1, "board", Message(1, 2, 3)),
        store.forget_message(1, "board"),
        store.set_guild_setting(GUILD, "a", "b"),
        store.set_guild_setting(GUILD, "a", None),
        store.meet(BEN),
    ):
        await reading
    await store.close()
    queries = {sql for sql in seen if sql.startswith(("SELECT", "UPDATE", "DELETE"))}
    assert len(queries) >= 20, queries
    db = sqlite3.connect(path)
    for sql in queries:
        for *_, step in db.execute(f"EXPLAIN QUERY PLAN {sql}"):
            scans = step.startswith("SCAN") and " USING " not in step and "json_each" not in step
            assert not scans, f"{sql}: {step}"
    db.close()
