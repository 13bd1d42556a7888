"""A disk that is full, read-only, damaged or shared: answers are true, and nothing that is stored is lost."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from canasta_core.tables.errors import StoreCode, StoreError
from data.database import MIGRATIONS, Database, read_migrations
from data.sqlite_store import SqliteStore
from tests.cogs.players import open_table, said, table_of
from tests.data.samples import following, opening
from tests.discord.harness import Game, playing

ROOT = Path(__file__).resolve().parents[2]
KNOWN = len(read_migrations(MIGRATIONS))


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A file with a table of twenty changes."""
    path = tmp_path / "canasta.db"
    store = SqliteStore(path)
    await store.open()
    table_id = await store.commit(opening())
    for version in range(2, 21):
        await store.commit(following(table_id, version, "x" * 3000))
    await store.close()
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.suffix != ".lock"}


# While it runs: what people are told, and what is stored


async def refused(game: Game) -> None:
    """A move that cannot be stored is answered as one that failed, and changes nothing that anybody sees."""
    before = await table_of(game)
    answer = said(await game.slash(0, "draw"))
    assert answer.startswith("The table could not be saved just now, so nothing has changed."), answer
    assert (await table_of(game)).version == before.version
    assert on_disk(game) == before.version


async def accepted(game: Game) -> None:
    """The same move, now that all is well."""
    before = await table_of(game)
    assert "could not be saved" not in said(await game.slash(0, "draw"))
    assert (await table_of(game)).version == on_disk(game) == before.version + 1


def on_disk(game: Game) -> int:
    """The version of the table, as another process would find it."""
    path = game.bot._store.database.path  # type: ignore[attr-defined]
    with closing(sqlite3.connect(path)) as db:
        (version,) = db.execute("SELECT version FROM tables WHERE id = 1").fetchone()
        (logged,) = db.execute("SELECT max(version) FROM table_log WHERE table_id = 1").fetchone()
    assert version == logged
    return int(version)


async def begun(game: Game) -> None:
    """A game in which the first member is in turn."""
    for _ in range(20):
        table = await open_table(game, 1, profile="browser", seats=2)
        state = table.state
        assert state is not None
        sitter = table.sitter(state.public.turn)
        if sitter is not None and sitter.user_id == game.members[0].id and table.id == 1:
            return
        await game.advance(5)
        if await in_turn(game):
            return
    raise AssertionError("never in turn")


async def in_turn(game: Game) -> bool:
    table = await table_of(game)
    assert table.state is not None
    sitter = table.sitter(table.state.public.turn)
    return sitter is not None and sitter.user_id == game.members[0].id


async def writer(game: Game, sql: str) -> object:
    """Run a statement on the connection that writes."""
    connection = game.bot._store.database._writer  # type: ignore[attr-defined]
    rows = list(await connection.execute_fetchall(sql))
    return rows[0][0] if rows else None


def quiet(game: Game) -> None:
    """The bot logs what it refused; nothing of it was uncaught."""
    assert game.env.errors == []


async def test_a_full_disk_while_playing(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1, ai_delay=0.0) as game:
        await begun(game)
        await writer(game, "CREATE TABLE ballast (x BLOB) STRICT")
        # Else a move may find room in the pages that there are.
        heavy = "INSERT INTO ballast VALUES (zeroblob(100000))"
        await writer(game, f"CREATE TRIGGER heavy AFTER INSERT ON table_log BEGIN {heavy}; END")
        pages = await writer(game, "PRAGMA page_count")
        await writer(game, f"PRAGMA max_page_count = {pages}")
        await refused(game)
        await refused(game)
        await writer(game, f"PRAGMA max_page_count = {int(str(pages)) + 1000}")
        await accepted(game)
        quiet(game)


async def test_a_file_that_became_read_only_while_playing(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1, ai_delay=0.0) as game:
        await begun(game)
        await writer(game, "PRAGMA query_only = ON")
        await refused(game)
        await writer(game, "PRAGMA query_only = OFF")
        await accepted(game)
        quiet(game)


async def test_a_file_held_by_another_process_while_playing(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    async with playing(path, members=1, ai_delay=0.0) as game:
        await begun(game)
        holder = hold(path)
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        try:
            await refused(game)
        finally:
            holder.communicate("\n")
        await accepted(game)
        quiet(game)


def hold(path: Path) -> "subprocess.Popen[str]":
    """A process that holds the file until it is told something."""
    command = [sys.executable, "-c", textwrap.dedent(HOLDER), str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


HOLDER = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    print("held", flush=True)
    sys.stdin.readline()
    db.execute("ROLLBACK")
"""


def log_deleted(path: Path) -> None:
    Path(f"{path}-wal").unlink()


def lock_deleted(path: Path) -> None:
    """After that, another process can start."""
    Path(f"{path}.lock").unlink()


def file_moved(path: Path) -> None:
    path.rename(path.with_name("moved.db"))


def file_replaced(path: Path) -> None:
    """Somebody puts a copy there by hand."""
    shutil.copy(path, path.with_name("copy.db"))
    path.rename(path.with_name("moved.db"))
    path.with_name("copy.db").rename(path)


def folder_moved(path: Path) -> None:
    """As when the file system is gone: what is open stays so, but nothing has a name any more."""
    path.parent.rename(path.parent.with_name("moved"))


@pytest.mark.skipif(sys.platform == "win32", reason="there a file that is open cannot be taken away")
@pytest.mark.parametrize("taken", [log_deleted, lock_deleted, file_moved, file_replaced, folder_moved])
async def test_files_that_are_taken_away_while_it_runs(tmp_path: Path, taken: Callable[[Path], None]) -> None:
    """Nothing more is acknowledged, and what was is in the file, wherever that is now, even after a kill."""
    path = tmp_path / "bot" / "canasta.db"
    path.parent.mkdir()
    store = SqliteStore(path)
    await store.open()
    await store.commit(opening())
    await store.commit(following(1, 2))
    taken(path)
    for _ in range(2):
        with pytest.raises(StoreError, match="moved, deleted or replaced") as caught:
            await store.commit(following(1, 3))
        assert caught.value.code is StoreCode.UNAVAILABLE
    assert await store.version(1) == 2
    assert "start the bot again" in store.database.trouble
    (file,) = {each for each in tmp_path.rglob("*.db") if each.name == "moved.db"} or set(
        tmp_path.rglob("*.db")
    )
    killed = shutil.copy(file, tmp_path / "as after a kill")
    with closing(sqlite3.connect(killed)) as db:
        assert db.execute("SELECT version FROM tables").fetchall() == [(2,)]
    await store.close()


async def test_a_damaged_page_stops_its_table_and_no_other(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    other = await store.commit(opening())
    await store.close()
    spoil_page(path, "table_log")
    before = contents(path.parent)["canasta.db"]
    await store.open()
    with pytest.raises(StoreError) as caught:
        await store.commit(following(1, 21))
    assert caught.value.code is StoreCode.DAMAGED
    loaded = await store.load(1)
    assert loaded is not None
    assert loaded[0].version == 20
    assert await store.version(other) == 1
    assert "damaged" in store.database.trouble
    await store.close()
    assert contents(path.parent)["canasta.db"] == before


# At the start


def spoil_page(path: Path, table: str) -> None:
    """Overwrite the page where the tree of a table begins."""
    with closing(sqlite3.connect(path)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xaa" * 4096)


def spoil_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\xaa" * 100)


def spoil_schema(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xaa" * 3996)


def cut_to_one_page(path: Path) -> None:
    os.truncate(path, 4096)


def cut_in_the_header(path: Path) -> None:
    os.truncate(path, 60)


@pytest.mark.parametrize("spoil", [spoil_header, spoil_schema, cut_in_the_header, cut_to_one_page])
async def test_a_damaged_file_is_refused_and_left_alone(path: Path, spoil: object) -> None:
    spoil(path)  # type: ignore[operator]
    before = contents(path.parent)
    with pytest.raises(StoreError) as caught:
        await SqliteStore(path).open()
    assert caught.value.code is StoreCode.DAMAGED
    assert contents(path.parent) == before


async def test_garbage_in_the_log_is_not_taken_for_commits(path: Path) -> None:
    """SQLite's log has checksums: what is no whole commit does not count, and what is stored stays."""
    Path(f"{path}-wal").write_bytes(os.urandom(10_000))
    store = SqliteStore(path)
    await store.open()
    assert await store.version(1) == 20
    await store.commit(following(1, 21))
    assert len(await store.log(1)) == 21
    await store.close()


async def test_a_newer_program_cannot_take_the_file_from_a_running_one(path: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer"
    shutil.copytree(MIGRATIONS, newer)
    (newer / f"{KNOWN + 1:03}_next.sql").write_text("CREATE TABLE added (x INTEGER) STRICT;\n")
    store = SqliteStore(path)
    await store.open()
    code = (
        "import asyncio, pathlib, sys\n"
        "from data.database import Database\n"
        "from canasta_core.tables.errors import StoreError\n"
        "async def main():\n"
        "    try:\n"
        "        await Database(sys.argv[1], migrations=pathlib.Path(sys.argv[2])).open()\n"
        "    except StoreError as error:\n"
        "        print(error.code)\n"
        "asyncio.run(main())\n"
    )
    result = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", code, path, newer],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert result.stdout == "in_use\n"
    await store.commit(following(1, 21))
    await store.close()
    later = Database(path, migrations=newer)
    await later.open()
    await later.close()
    with pytest.raises(StoreError) as caught:
        await store.open()
    assert caught.value.code is StoreCode.NEWER_SCHEMA


# Real limits of the system

LIMITED = """
    import asyncio, resource, signal, sys
    from canasta_core.tables.errors import StoreError
    from data.sqlite_store import SqliteStore
    from tests.data.samples import following

    async def main():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        store = SqliteStore(sys.argv[1])
        await store.open()
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
        version = 20
        try:
            while True:
                await store.commit(following(1, version + 1, "y" * 20_000))
                version += 1
        except StoreError as error:
            print(version, error.code, await store.version(1), flush=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        await store.commit(following(1, version + 1, "y" * 20_000))
        print(await store.version(1), flush=True)
        await store.close()

    asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
async def test_a_file_that_may_not_grow(path: Path) -> None:
    """What a quota does: no rights are needed to try it."""
    result = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", textwrap.dedent(LIMITED), str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    first, second = result.stdout.splitlines()
    version, code, stored = first.split()
    assert int(version) > 20
    assert version == stored
    assert code in ("full", "unavailable")
    assert int(second) == int(version) + 1
    store = SqliteStore(path)
    await store.open()
    assert [row.version for row in await store.log(1)] == list(range(1, int(second) + 1))
    await store.close()


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of one megabyte."""
    folder = Path(tempfile.mkdtemp())
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip("no disk may be mounted here; test_a_file_that_may_not_grow does without")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()


def fill(ballast: Path) -> None:
    """Write until there is no room left."""
    descriptor = os.open(ballast, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        with contextlib.suppress(OSError):
            while True:
                os.write(descriptor, b"x" * 4096)
    finally:
        os.close(descriptor)


async def commit_until_refused(store: SqliteStore, version: int = 1) -> int:
    """The last version that was accepted; it is the one that is stored."""
    for _ in range(100):
        try:
            await store.commit(following(1, version + 1, "y" * 20_000))
        except StoreError as error:
            said = error.code
            break
        version += 1
    assert said in (StoreCode.FULL, StoreCode.UNAVAILABLE)
    assert await store.version(1) == version
    return version


@pytest.mark.skipif(shutil.which("mount") is None, reason="nothing can be mounted here")
async def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    path, ballast = small_disk / "c.db", small_disk / "ballast"
    store = SqliteStore(path)
    await store.open()
    await store.commit(opening())
    fill(ballast)
    version = await commit_until_refused(store)
    await store.close()

    # Started again while it is still full: it opens, reads, and says so at the first write.
    fill(ballast)
    await store.open()
    assert await store.version(1) == version
    assert await commit_until_refused(store, version) >= version
    version = await store.version(1) or 0
    ballast.unlink()
    await store.commit(following(1, version + 1, "y" * 20_000))
    assert [row.version for row in await store.log(1)] == list(range(1, version + 2))
    await store.close()
