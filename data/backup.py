"""Copies of the database: made while the bot runs, checked by opening them, and put back when it does not.

What is here blocks, and is for scripts: the bot itself makes no copies. Whatever goes wrong is a StoreError
or a BackupError, and leaves what was there as it was.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from canasta_core.tables.errors import StoreCode, StoreError
from data.database import APPLICATION_ID, MIGRATIONS, read_migrations, typed_errors
from data.lock import ProcessLock

PATIENCE: Final = 30.0
"""Seconds to wait for a database that is held by another program."""
NUMBERS_ON: Final = 10_000
"""How much higher tables and cups are numbered after a restore: more than are opened between two backups."""
_NUMBERED: Final = ("tables", "cups")
_STAMP: Final = "%Y%m%dT%H%M%SZ"
_STAMPED: Final = r"-\d{8}T\d{6}Z(?:-\d+)?"


class BackupError(Exception):
    """A copy cannot be made or used; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a database was found to hold when every page of it was read."""

    schema: int
    tables: int
    playing: int
    people: int
    changes: int
    """Entries of all logs, packed ones too."""
    newest: float | None
    """Unix seconds of the last change of a table."""

    def __str__(self) -> str:
        when = (
            "none"
            if self.newest is None
            else datetime.fromtimestamp(self.newest, UTC).isoformat(" ", "seconds")
        )
        return (
            f"{self.tables} tables, {self.playing} of them playing, {self.people} people, "
            f"{self.changes} changes, the last one {when}, schema {self.schema}"
        )


def verify(path: Path) -> Contents:
    """Read the whole of a database that nobody writes to, and see that it is sound and ours.

    Raises StoreError: damaged, not_ours, newer_schema, unavailable; BackupError when a log lies beside it.
    """
    known = len(read_migrations(MIGRATIONS))
    if not path.is_file():
        raise StoreError(StoreCode.UNAVAILABLE, f"there is no file {path}")
    beside = Path(f"{path}-wal")
    if beside.exists() and beside.stat().st_size:
        raise BackupError(
            f"{beside} lies beside it, so it is no finished copy but a database in use, or one whose bot was"
            " killed; scripts/backup makes a copy of such a one."
        )
    # immutable: no log is made beside the file, and none that lies there is read.
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with typed_errors(), closing(sqlite3.connect(uri, uri=True)) as db:
        (owner,) = db.execute("PRAGMA application_id").fetchone()
        (schema,) = db.execute("PRAGMA user_version").fetchone()
        if owner != APPLICATION_ID:
            raise StoreError(StoreCode.NOT_OURS, f"{path.name} is no database of this program")
        if schema > known:
            raise StoreError(
                StoreCode.NEWER_SCHEMA,
                f"{path.name} has schema {schema}, this program knows {known}: update the program",
                found=schema,
                known=known,
            )
        verdicts = [row[0] for row in db.execute("PRAGMA integrity_check(3)")]
        if verdicts != ["ok"]:
            raise StoreError(StoreCode.DAMAGED, f"{path.name}: {'; '.join(map(str, verdicts))}")
        if (strays := db.execute("PRAGMA foreign_key_check").fetchone()) is not None:
            raise StoreError(
                StoreCode.DAMAGED, f"{path.name}: a row of {strays[0]} belongs to no row of {strays[2]}"
            )
        return _count(db, schema)


def _count(db: sqlite3.Connection, schema: int) -> Contents:
    def number(sql: str) -> int:
        return int(db.execute(sql).fetchone()[0])

    packed = "archived_logs" in {
        row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    }
    (newest,) = db.execute("SELECT max(at) FROM table_log").fetchone()
    return Contents(
        schema=schema,
        tables=number("SELECT count(*) FROM tables"),
        playing=number("SELECT count(*) FROM tables WHERE stage = 'playing'"),
        people=number("SELECT count(*) FROM members"),
        changes=number("SELECT count(*) FROM table_log")
        + (number("SELECT coalesce(sum(entries), 0) FROM archived_logs") if packed else 0),
        newest=newest,
    )


def back_up(database: Path, to: Path, keep: int | None = None) -> tuple[Path, Contents]:
    """Copy a database, which may be in use, into the folder `to`, and verify the copy.

    The copy is one committed state of the file. When it has been verified it gets its name, with the time.
    With `keep`, of the copies of this database in that folder only the newest so many stay.

    Raises StoreError, BackupError.
    """
    if not database.is_file():
        raise StoreError(StoreCode.UNAVAILABLE, f"there is no file {database}")
    with _disk_errors():
        to.mkdir(parents=True, exist_ok=True)
    with _partial(to / f".{database.name}.{os.getpid()}.partial") as partial:
        before = _copy(database, partial)
        contents = verify(partial)
        if contents.tables < before:
            raise BackupError(f"The copy has {contents.tables} tables, and there were {before} before it.")
        with _disk_errors():
            _sync(partial)
            final = _free_name(to, database, datetime.now(UTC))
            os.replace(partial, final)
            _sync(to)
    if keep is not None:
        with _disk_errors():
            for old in copies(database, to)[keep:]:
                old.unlink()
    return final, contents


def copies(database: Path, folder: Path) -> list[Path]:
    """The copies of a database in a folder, newest first."""
    named = re.compile(re.escape(database.stem) + _STAMPED + re.escape(database.suffix))
    return sorted((path for path in folder.iterdir() if named.fullmatch(path.name)), key=_age, reverse=True)


def restore(source: Path, database: Path) -> tuple[Path | None, Contents]:
    """Put a copy in the place of a database that no bot works with; where the old one, if any, is now.

    The copy is verified first, and what is put in place is a verified copy of it: `source` stays. What was
    there is kept beside it, with its write-ahead log. Tables and cups that were opened since the copy are
    gone, but their buttons still stand in Discord: so their numbers are not given out again. At no moment is
    there no database, so that a bot that starts too early never begins with an empty one. Raises StoreError
    (in_use while a bot runs), BackupError.
    """
    if source.exists() and database.exists() and source.samefile(database):
        raise BackupError("The copy and the database are the same file.")
    verify(source)
    with _disk_errors():
        database.parent.mkdir(parents=True, exist_ok=True)
    lock = ProcessLock(database)
    lock.acquire()
    try:
        with _partial(database.with_name(f"{database.name}.{os.getpid()}.partial")) as partial:
            with _disk_errors():
                shutil.copyfile(source, partial)
            _number_on(partial, database)
            with _disk_errors():
                _sync(partial)
                if database.exists():
                    _give_away(partial, database.stat())
            contents = verify(partial)
            with _disk_errors():
                aside = _put_aside(database) if database.exists() else None
                os.replace(partial, database)
                _sync(database.parent)
    finally:
        lock.release()
    return aside, contents


def _copy(database: Path, to: Path) -> int:
    """Write one committed state of a database to an empty file; how many tables it had just before."""
    # Read only where a log is, which is a bot's that runs or was killed. Where none is, one is made to read,
    # and only who may write takes it away again.
    mode = "ro" if Path(f"{database}-wal").exists() else "rw"
    uri = f"{database.absolute().as_uri()}?mode={mode}"
    with (
        typed_errors(),
        closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)) as db,
    ):
        (owner,) = db.execute("PRAGMA application_id").fetchone()
        if owner != APPLICATION_ID:
            raise StoreError(StoreCode.NOT_OURS, f"{database.name} is no database of this program")
        (tables,) = db.execute("SELECT count(*) FROM tables").fetchone()
        db.execute("VACUUM INTO ?", (str(to),))
    return int(tables)


def _number_on(copy: Path, replaced: Path) -> None:
    """Number the next tables and cups of a copy higher than any that there can have been after it.

    How many those were is known nowhere when the database is lost. Where it can be read, it tells the least:
    it may be another copy that was put there, which has been numbered on already.
    """
    least = _last_numbers(replaced)
    with typed_errors(), closing(sqlite3.connect(copy)) as db, db:
        last = dict(db.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
        for name in _NUMBERED:
            db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
            number = max(last.get(name, 0), least.get(name, 0)) + NUMBERS_ON
            db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, number))


def _last_numbers(database: Path) -> dict[str, int]:
    """The last numbers that a database has given out; none when it cannot be read."""
    unshared = "" if Path(f"{database}-wal").exists() else "&immutable=1"
    uri = f"{database.absolute().as_uri()}?mode=ro{unshared}"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE)) as db:
            return dict(db.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
    except sqlite3.DatabaseError:
        return {}


def _put_aside(database: Path) -> Path:
    """Give the database a second name that stays, and take its write-ahead log away from the first one."""
    aside = _free_name(database.parent, database, datetime.now(UTC), ".replaced")
    log, index = (Path(f"{database}{end}") for end in ("-wal", "-shm"))
    if log.exists():
        # A bot that was killed: what it committed last may stand in the log alone. Where the file is damaged,
        # SQLite throws the log away, so it is kept first, under a name that belongs to that of the file.
        kept = Path(f"{aside}-wal")
        shutil.copyfile(log, kept)
        with contextlib.suppress(sqlite3.DatabaseError), closing(sqlite3.connect(database)) as db:
            (busy, _, _) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                # Else somebody reads the file, a backup say, and not all of the log is in it.
                kept.unlink()
    try:
        os.link(database, aside)
    except OSError:
        # A file system without second names.
        shutil.copyfile(database, aside)
    for rest in (log, index):
        rest.unlink(missing_ok=True)
    return aside


def _give_away(path: Path, like: os.stat_result) -> None:
    """Give a file the owner and mode of another, as far as this process may."""
    path.chmod(stat.S_IMODE(like.st_mode))
    if hasattr(os, "chown") and os.geteuid() == 0:
        os.chown(path, like.st_uid, like.st_gid)


def _free_name(folder: Path, database: Path, when: datetime, mark: str = "") -> Path:
    name = f"{database.stem}{mark}-{when.strftime(_STAMP)}"
    for number in range(1, 1000):
        path = folder / f"{name}{'' if number == 1 else f'-{number}'}{database.suffix}"
        if not path.exists():
            return path
    raise BackupError(f"There are a thousand files {name}.")


def _age(path: Path) -> tuple[str, int]:
    stamp, number = re.search(r"-(\d{8}T\d{6}Z)(?:-(\d+))?", path.name).groups()  # type: ignore[union-attr]
    return stamp, int(number or 1)


@contextmanager
def _partial(path: Path) -> Iterator[Path]:
    """An empty file for the owner alone (hands are in it), gone at the end unless it got another name."""
    with _disk_errors():
        path.unlink(missing_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        yield path
    finally:
        for each in (path, *(Path(f"{path}{end}") for end in ("-journal", "-wal", "-shm"))):
            with contextlib.suppress(FileNotFoundError):
                each.unlink()


def _sync(path: Path) -> None:
    """See that a file, or the names in a folder, are on the disk. Windows opens no folders."""
    if path.is_dir() and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _disk_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename2 or error.filename
        raise BackupError(f"{where or 'The disk'}: {error.strerror or error}.") from error
