"""Copies of a real file: made while a writer commits, verified, put back, refused when they are not right."""

import asyncio
import gzip
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from canasta_core.tables.cup_model import Cup, CupKind, CupStage
from canasta_core.tables.errors import StoreCode, StoreError
from data import backup
from data.backup import BackupError, back_up, copies, restore, verify
from data.sqlite_store import SqliteStore
from tests.data.samples import following, opening

CUP = Cup(
    id=0,
    guild_id=1,
    channel_id=2,
    host_id=3,
    title="Cup",
    rules_text="{}",
    kind=CupKind.SWISS,
    rounds=3,
    clock=None,
    undo=True,
    away_limit=0,
    locale="en",
    stage=CupStage.OPEN,
    round=0,
    created_at=1000.0,
)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A file with one table of three changes."""
    path = tmp_path / "canasta.db"
    await fill(path, 3)
    return path


async def fill(path: Path, versions: int, text: str = "") -> None:
    store = SqliteStore(path)
    await store.open()
    table_id = await store.commit(opening())
    for version in range(2, versions + 1):
        await store.commit(following(table_id, version, text))
    await store.close()


def versions(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as db:
        return [row[0] for row in db.execute("SELECT version FROM table_log ORDER BY table_id, version")]


def script(name: str, *arguments: object, database: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / f"{name}.py", *map(str, arguments), "--database", str(database)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


async def test_a_copy_holds_what_the_file_holds(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    copy, contents = back_up(path, tmp_path / "backups")
    assert re.fullmatch(r"canasta-\d{8}T\d{6}Z\.db", copy.name)
    assert (contents.tables, contents.changes, contents.people, contents.newest) == (1, 3, 1, 1003.0)
    assert verify(copy) == contents
    assert path.read_bytes() == before
    assert list(copy.parent.iterdir()) == [copy], "nothing is left of the making"
    assert versions(copy) == [1, 2, 3]
    if os.name == "posix":
        assert copy.stat().st_mode & 0o077 == 0, "hands are in it"


async def test_two_copies_at_once_get_two_names_and_only_the_newest_are_kept(path: Path) -> None:
    folder = path.parent / "backups"
    made = [back_up(path, folder)[0] for _ in range(3)]
    assert len(set(made)) == 3
    strangers = [folder / "canasta-notes.db", folder / "other-20200101T000000Z.db"]
    old = folder / "canasta-20200101T000000Z.db"
    for each in (*strangers, old):
        shutil.copy(made[0], each)
    newest, _ = back_up(path, folder, keep=2)
    assert copies(path, folder) == [newest, made[2]]
    assert all(each.exists() for each in strangers)
    assert not old.exists()


WRITER = """
    import asyncio, sys
    from data.sqlite_store import SqliteStore
    from tests.data.samples import following, opening

    async def main():
        store = SqliteStore(sys.argv[1])
        await store.open()
        table_id = await store.commit(opening())
        version = 1
        while True:
            version += 1
            await store.commit(following(table_id, version, "x" * 2000))
            print(version, flush=True)

    asyncio.run(main())
"""


def test_a_copy_made_while_another_process_commits_is_whole_and_can_be_put_back(tmp_path: Path) -> None:
    path = tmp_path / "canasta.db"
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
        assert writer.stdout is not None
        made = []
        try:
            for _ in range(4):
                known = [int(writer.stdout.readline()) for _ in range(40)][-1]
                result = script("backup", tmp_path / "backups", database=path)
                assert result.returncode == 0, result.stderr
                made.append((known, Path(result.stdout.partition(": ")[0])))

            refused = script("restore", made[0][1], database=path)
            assert refused.returncode == 3
            assert refused.stderr.startswith(f"Stop the bot first: process {writer.pid} on ")
            assert writer.poll() is None
        finally:
            writer.kill()
        written = [int(line) for line in writer.stdout]
    assert written, "the writer went on all the time"
    for known, copy in made:
        held = versions(copy)
        assert held == list(range(1, len(held) + 1)), "one committed state"
        assert len(held) >= known, "what was stored before is in it"

    # Killed, the writer has left a write-ahead log: what it holds is kept with the old file.
    assert Path(f"{path}-wal").stat().st_size > 0
    result = script("restore", made[0][1], database=path)
    assert result.returncode == 0, result.stderr
    assert versions(path) == versions(made[0][1])
    (aside,) = tmp_path.glob("canasta.replaced-*.db")
    assert len(versions(aside)) >= written[-1]


async def test_what_is_restored_goes_on(path: Path, tmp_path: Path) -> None:
    copy, _ = back_up(path, tmp_path / "backups")
    store = SqliteStore(path)
    await store.open()
    await store.commit(following(1, 4))
    await store.close()

    aside, _ = restore(copy, path)
    assert aside is not None
    assert versions(aside) == [1, 2, 3, 4]
    await store.open()
    assert await store.version(1) == 3
    await store.commit(following(1, 4, "another way"))
    await store.close()
    assert copy.exists()


async def opened(path: Path, tables: int, cups: int = 0) -> set[tuple[str, int]]:
    """Numbers of tables and cups that are opened."""
    store = SqliteStore(path)
    await store.open()
    found = {("table", await store.commit(opening())) for _ in range(tables)}
    found |= {("cup", await store.create_cup(CUP)) for _ in range(cups)}
    await store.close()
    return found


def put_back(copy: Path, path: Path) -> None:
    result = script("restore", copy, database=path)
    assert result.returncode == 0, result.stderr


def stays(path: Path) -> None:
    """The host goes back to an earlier state."""


def is_lost(path: Path) -> None:
    path.unlink()


def is_damaged(path: Path) -> None:
    path.write_bytes(b"\xaa" * 8192)


def starts_empty(path: Path) -> None:
    """On a new machine the bot was started before the copy was put there."""
    path.unlink()
    asyncio.run(opened(path, 1))


@pytest.mark.parametrize("happens", [stays, is_lost, is_damaged, starts_empty])
def test_no_number_is_given_out_twice(path: Path, tmp_path: Path, happens: Callable[[Path], None]) -> None:
    """Buttons of tables and cups that are gone still stand in Discord, with their numbers."""
    result = script("backup", tmp_path / "backups", database=path)
    copy = Path(result.stdout.partition(": ")[0])
    lost = asyncio.run(opened(path, 30, 3))
    assert len(lost) == 33
    happens(path)
    put_back(copy, path)
    after = asyncio.run(opened(path, 30, 3))
    # It was the wrong one, or the copy is put back once more.
    put_back(copy, path)
    again = asyncio.run(opened(path, 30, 3))
    assert len(lost | after | again) == 99


def test_a_copy_from_before_there_were_cups_is_numbered_on_too(tmp_path: Path) -> None:
    old, path = tmp_path / "old.db", tmp_path / "canasta.db"
    with closing(sqlite3.connect(old)) as db:
        db.executescript(gzip.decompress((Path(__file__).parent / "version_1.sql.gz").read_bytes()).decode())
    put_back(old, path)
    assert {number > backup.NUMBERS_ON for _, number in asyncio.run(opened(path, 1, 1))} == {True}


async def test_on_another_machine_there_is_nothing_yet(path: Path, tmp_path: Path) -> None:
    copy, _ = back_up(path, tmp_path / "backups")
    moved = tmp_path / "elsewhere" / "data" / "canasta.db"
    aside, contents = restore(copy, moved)
    assert aside is None
    assert contents.changes == 3
    store = SqliteStore(moved)
    await store.open()
    await store.commit(following(1, 4))
    await store.close()


async def test_a_damaged_database_is_kept_with_its_log(path: Path, tmp_path: Path) -> None:
    copy, _ = back_up(path, tmp_path / "backups")
    path.write_bytes(b"\xaa" * 8192)
    log = Path(f"{path}-wal")
    log.write_bytes(b"garbage" * 100)
    aside, _ = restore(copy, path)
    assert aside is not None
    assert aside.read_bytes() == b"\xaa" * 8192
    assert Path(f"{aside}-wal").read_bytes() == b"garbage" * 100
    assert not log.exists()
    assert versions(path) == [1, 2, 3]


async def test_what_stands_in_the_log_alone_is_kept_while_somebody_reads(path: Path, tmp_path: Path) -> None:
    """A bot was killed, and a copy is being made of its file when another one is put in its place."""
    copy, _ = back_up(path, tmp_path / "backups")
    reader = sqlite3.connect(path, isolation_level=None)
    with closing(reader):
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM tables").fetchone()
        with closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE tables SET locale = 'of the log'")
            db.commit()
        aside, _ = restore(copy, path)
    assert aside is not None
    with closing(sqlite3.connect(aside)) as db:
        assert {row[0] for row in db.execute("SELECT locale FROM tables")} == {"of the log"}


def wrong_header(copy: Path) -> None:
    with copy.open("r+b") as file:
        file.write(b"\xaa" * 64)


def wrong_page(copy: Path) -> None:
    """A page in the middle, which opening the file alone would not find."""
    with closing(sqlite3.connect(copy)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'table_log'").fetchone()
    with copy.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xaa" * 4096)


def truncated(copy: Path) -> None:
    os.truncate(copy, copy.stat().st_size - 4096)


def stray_row(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as db:
        db.execute("DELETE FROM tables")
        db.commit()


def newer(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as db:
        db.execute("PRAGMA user_version = 999")


def foreign(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as db:
        db.execute("PRAGMA application_id = 7")


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (wrong_header, StoreCode.DAMAGED),
        (wrong_page, StoreCode.DAMAGED),
        (truncated, StoreCode.DAMAGED),
        (stray_row, StoreCode.DAMAGED),
        (newer, StoreCode.NEWER_SCHEMA),
        (foreign, StoreCode.NOT_OURS),
        (Path.unlink, StoreCode.UNAVAILABLE),
    ],
)
async def test_a_copy_that_is_not_right_is_refused_and_nothing_touched(
    path: Path, tmp_path: Path, spoil: object, code: StoreCode
) -> None:
    copy, _ = back_up(path, tmp_path / "backups")
    spoil(copy)  # type: ignore[operator]
    before = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    with pytest.raises(StoreError) as caught:
        restore(copy, path)
    assert caught.value.code is code
    assert {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()} == before


async def test_a_copy_of_a_damaged_database_gets_no_name(path: Path, tmp_path: Path) -> None:
    wrong_page(path)
    with pytest.raises(StoreError) as caught:
        back_up(path, tmp_path / "backups")
    assert caught.value.code is StoreCode.DAMAGED
    assert list((tmp_path / "backups").iterdir()) == []


async def test_files_of_a_bot_that_runs_are_no_copy(path: Path, tmp_path: Path) -> None:
    """Whoever copies the file by hand loses what stands in its log alone."""
    store = SqliteStore(path)
    await store.open()
    await store.commit(following(1, 4))
    taken = tmp_path / "by hand" / "canasta.db"
    taken.parent.mkdir()
    shutil.copy(path, taken)
    shutil.copy(f"{path}-wal", f"{taken}-wal")
    await store.close()
    with pytest.raises(BackupError, match="lies beside it"):
        restore(taken, path)
    # A copy of it is right, though.
    copy, contents = back_up(taken, tmp_path / "backups")
    assert contents.changes == 4
    restore(copy, path)


async def test_no_room_for_the_copy_is_a_sentence_and_leaves_nothing(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(database: Path, to: Path) -> int:
        with closing(sqlite3.connect(to)) as db:
            db.execute("PRAGMA max_page_count = 2")
            db.execute("CREATE TABLE t AS SELECT zeroblob(100000)")
        return 0

    def copy_to_full(database: Path, to: Path) -> int:
        with backup.typed_errors():
            return full(database, to)

    monkeypatch.setattr(backup, "_copy", copy_to_full)
    with pytest.raises(StoreError) as caught:
        back_up(path, tmp_path / "backups")
    assert caught.value.code is StoreCode.FULL
    assert list((tmp_path / "backups").iterdir()) == []


async def test_the_scripts_say_what_is_wrong(path: Path, tmp_path: Path) -> None:
    missing = script("backup", database=tmp_path / "none.db")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.startswith("No backup was made: ")
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    blocked = script("backup", in_the_way, database=path)
    assert blocked.returncode == 1
    assert blocked.stderr.count("\n") == 1
    copy, _ = back_up(path, tmp_path / "backups")
    assert script("restore", copy, "--check", database=path).returncode == 0
    wrong_page(copy)
    refused = script("restore", copy, database=path)
    assert refused.returncode == 1
    assert refused.stderr.startswith("Nothing was restored: damaged: ")
    same = script("restore", path, database=path)
    assert "same file" in same.stderr
    await asyncio.sleep(0)
