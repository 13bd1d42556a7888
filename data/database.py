"""One SQLite file: opening and migrating it, transactions that never mix, and errors as codes."""

import asyncio
import os
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import aiosqlite

from canasta_core.tables.errors import StoreCode, StoreError
from data.lock import ProcessLock, lock_path

APPLICATION_ID: Final = 0x43414E41
"""In the header of every file of this program; the first migration writes it."""
MIGRATIONS: Final = Path(__file__).parent / "migrations"

TOGETHER: Final = 64
"""Transactions that are committed together at most."""
T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
Outcome = tuple[T, None] | tuple[None, Exception]
Files = tuple[tuple[int, int] | None, ...]
Waiting = tuple[Work[Any], asyncio.Future[Any]]

_CODES: Final = {
    sqlite3.SQLITE_BUSY: StoreCode.LOCKED,
    sqlite3.SQLITE_LOCKED: StoreCode.LOCKED,
    sqlite3.SQLITE_READONLY: StoreCode.READ_ONLY,
    sqlite3.SQLITE_CORRUPT: StoreCode.DAMAGED,
    sqlite3.SQLITE_NOTADB: StoreCode.DAMAGED,
    sqlite3.SQLITE_FULL: StoreCode.FULL,
    sqlite3.SQLITE_CANTOPEN: StoreCode.UNAVAILABLE,
    sqlite3.SQLITE_IOERR: StoreCode.UNAVAILABLE,
    sqlite3.SQLITE_PERM: StoreCode.UNAVAILABLE,
    sqlite3.SQLITE_AUTH: StoreCode.UNAVAILABLE,
}


@contextmanager
def typed_errors() -> Iterator[None]:
    """Turn what the driver raises into StoreError."""
    try:
        yield
    except sqlite3.Error as error:
        # The low byte is the primary code, the rest says more about it (SQLITE_BUSY_SNAPSHOT).
        primary = getattr(error, "sqlite_errorcode", -1) & 0xFF
        raise StoreError(_CODES.get(primary, StoreCode.BROKEN), str(error)) from error


def read_migrations(folder: Path) -> dict[int, list[str]]:
    """The statements of each `NNN_what.sql`, by number.

    Raises StoreError (broken) when the numbers are not 1, 2, 3 … each once, or a file stops in the
    middle of a statement.
    """
    found: dict[int, list[str]] = {}
    for path in sorted(folder.glob("*.sql")):
        match = re.fullmatch(r"(\d{3})_\w+\.sql", path.name)
        if match is None or int(match[1]) != len(found) + 1:
            raise StoreError(StoreCode.BROKEN, f"migration {path.name} is not number {len(found) + 1:03}")
        found[len(found) + 1] = split_statements(path.read_text(encoding="utf-8"), path.name)
    return found


def split_statements(script: str, name: str = "script") -> list[str]:
    """The statements of a script, one by one.

    `executescript` would run it whole, but commits first, and a migration has to stand or fall with
    its record. SQLite itself says where a statement is complete, so triggers and texts with
    semicolons stay whole; a line ends at most one statement.
    """
    statements: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending.strip())
            pending = ""
    if any(line.strip() and not line.lstrip().startswith("--") for line in pending.splitlines()):
        raise StoreError(StoreCode.BROKEN, f"{name} ends in the middle of a statement")
    return statements


class Connection(aiosqlite.Connection):
    """One that also runs a whole function in its thread: one trip there and back, however much it does."""

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        result: T = await self._execute(work, self._conn)  # type: ignore[no-untyped-call]  # aiosqlite does not say
        return result


class Database:
    """The file, with one connection that writes and one that reads only what is committed.

    Transactions on one connection would run into each other. So a transaction is one function, run in the
    connection's thread from its beginning to its end; those that write wait for each other, and those
    that wait at the same time are committed together.
    """

    def __init__(self, path: str | Path, *, busy_timeout: float = 5.0, migrations: Path = MIGRATIONS) -> None:
        """`busy_timeout`: seconds to wait for another process that holds the file."""
        self.path = Path(path)
        real = os.path.realpath(path)
        self._paths = (real, f"{real}-wal", os.fspath(lock_path(self.path)))
        self._busy_timeout = busy_timeout
        self._migrations = migrations
        self._lock = ProcessLock(self.path)
        self._writer: Connection | None = None
        self._reader: Connection | None = None
        self.last_commit: float | None = None
        """Unix seconds; None before the first."""
        self.trouble = ""
        """Why the last write failed; empty when it did not."""
        self._files: Files = ()
        self._write_lock = asyncio.Lock()
        self._waiting: list[Waiting] = []
        self._committing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open, check and migrate the file; a new one is made.

        Raises StoreError: in_use, newer_schema, not_ours, damaged, read_only, locked, unavailable, full;
        the file is then as it was.
        """
        migrations = read_migrations(self._migrations)
        # Before anything else looks at the file: what another process does to it now is its own business.
        self._lock.acquire()
        try:
            with typed_errors():
                await asyncio.to_thread(self._look, len(migrations))
                self._writer = await self._connect()
                await self._migrate(self._writer, migrations)
                self._reader = await self._connect()
                await self._reader.execute("PRAGMA query_only = ON")
                self._files = self._look_at_files()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Close the file after the transactions that run now."""
        async with self._write_lock:
            connections = [each for each in (self._reader, self._writer) if each is not None]
            self._reader = self._writer = None
            try:
                for connection in connections:
                    await connection.close()
            finally:
                self._lock.release()

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a function that may write, and return its result when what it has written is on disk.

        It is undone when it raises, and nothing else with it. It may be run a second time, after its first
        run was undone. A caller who is cancelled learns of it when nothing is happening any more.
        """
        _opened(self._writer)
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        waiting: Waiting = (work, future)
        self._waiting.append(waiting)
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_waiting(), name="commits")
        try:
            with typed_errors():
                result = await asyncio.shield(future)
        except StoreError as error:
            self.trouble = str(error)
            raise
        except asyncio.CancelledError:
            if waiting in self._waiting:
                future.cancel()
            else:
                await asyncio.wait((future,))
            raise
        self.trouble, self.last_commit = "", time.time()
        return result

    async def _commit_waiting(self) -> None:
        """Commit all that wait, and then those that came meanwhile: the disk is waited for once for all."""
        batch: list[Waiting] = []
        try:
            async with self._write_lock:
                while self._waiting:
                    batch = [each for each in self._waiting[:TOGETHER] if not each[1].done()]
                    del self._waiting[:TOGETHER]
                    works = [work for work, _ in batch]
                    try:
                        outcomes = await _opened(self._writer).run(partial(self._commit, works))
                    except Exception as error:  # noqa: BLE001 - for those who wait, whatever it is
                        outcomes = [(None, error)] * len(batch)
                    for (_, future), (result, failure) in zip(batch, outcomes, strict=True):
                        if future.done():
                            continue
                        if failure is None:
                            future.set_result(result)
                        else:
                            future.set_exception(failure)
        finally:
            # Cancelled together with everything else, it leaves nobody waiting.
            for _, future in (*batch, *self._waiting):
                future.cancel()
            self._waiting.clear()
            self._committing = None

    def _commit(self, works: Sequence[Work[Any]], db: sqlite3.Connection) -> list[Outcome[Any]]:
        if self._look_at_files() != self._files:
            # SQLite would write on into files that have no name any more, and are gone with the process; and
            # without the lock's name another process can take one, too.
            with suppress(sqlite3.Error):  # what can be saved goes back into the file; the answer is the same
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            raise StoreError(
                StoreCode.UNAVAILABLE,
                f"{self.path.name}, its -wal or .lock was moved, deleted or replaced: start the bot again",
            )
        return commit_together(works, db)

    def _look_at_files(self) -> Files:
        """What tells the file, its log and its lock from others of the same names."""
        found: list[tuple[int, int] | None] = []
        for path in self._paths:
            try:
                status = os.stat(path)
            except OSError:
                found.append(None)
            else:
                found.append((status.st_dev, status.st_ino))
        return tuple(found)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[aiosqlite.Connection]:
        """A transaction of several trips: committed at the end of the block, undone when it raises."""
        async with self._write_lock:
            try:
                with typed_errors():
                    async with _transaction(_opened(self._writer), "BEGIN IMMEDIATE") as connection:
                        yield connection
            except StoreError as error:
                self.trouble = str(error)
                raise
            self.trouble, self.last_commit = "", time.time()

    async def rewrite(self) -> None:
        """Write the whole file anew, and empty its log: nothing of what was deleted or changed is left in it.

        Deleting leaves the bytes where they were until something else needs the room, and SQLite's own
        overwriting misses what lay on a page that was split. Whoever wants to write waits meanwhile, some
        seconds for each gigabyte. It needs as much room again. Raises StoreError; the file is then as it was.
        """
        async with self._write_lock:
            with typed_errors():
                await _opened(self._writer).run(_write_anew)

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a function that reads one committed state of the file."""
        with typed_errors():
            return await _opened(self._reader).run(partial(_read_once, work))

    async def fetch(
        self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> list[sqlite3.Row]:
        """The rows of one committed SELECT."""
        with typed_errors():
            return await _opened(self._reader).run(lambda db: db.execute(sql, parameters).fetchall())

    def _look(self, known: int) -> None:
        """Refuse a file that cannot be opened or is not for this program, before anything could change it.

        It blocks, and uses no connection of aiosqlite: one that fails to open leaves a thread behind
        that may speak to a loop that is closed by then.
        """
        if not self.path.exists() or not self.path.stat().st_size:
            sqlite3.connect(self.path).close()
            return
        # SQLite would open the file anyway and fail later; os.access speaks for the effective user.
        if not os.access(self.path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise StoreError(StoreCode.READ_ONLY, f"{self.path.name} may not be written")
        # Without a write-ahead log nobody has the file open, and no log need be made to read it.
        unshared = "" if Path(f"{self.path}-wal").exists() else "&immutable=1"
        uri = f"{self.path.absolute().as_uri()}?mode=ro{unshared}"
        with closing(sqlite3.connect(uri, uri=True, timeout=self._busy_timeout)) as connection:
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            (owner,) = connection.execute("PRAGMA application_id").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if found > known:
            raise StoreError(
                StoreCode.NEWER_SCHEMA,
                f"{self.path.name} has schema {found}, this program knows {known}: update the program",
                found=found,
                known=known,
            )
        if owner != APPLICATION_ID and (found or tables):
            raise StoreError(StoreCode.NOT_OURS, f"{self.path.name} is a database of another program")

    async def _connect(self) -> Connection:
        # isolation_level None: transactions begin where this module says so, and nowhere else.
        connect = partial(sqlite3.connect, self.path, timeout=self._busy_timeout, isolation_level=None)
        connection = Connection(connect, iter_chunk_size=64)
        await connection
        try:
            connection.row_factory = sqlite3.Row
            await self._log_ahead(connection)
            # FULL: a commit is on disk when it returns, also when the power fails.
            await connection.execute("PRAGMA synchronous = FULL")
            await connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _log_ahead(self, connection: aiosqlite.Connection) -> None:
        """Switch to a write-ahead log. SQLite itself does not wait for another that switches just now."""
        patience = asyncio.get_running_loop().time() + self._busy_timeout
        while True:
            try:
                # Fetched: a cursor with a row left in it would hold up the next commit.
                await connection.execute_fetchall("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                late = asyncio.get_running_loop().time() >= patience
                if late or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                await asyncio.sleep(0.02)
            else:
                return

    async def _migrate(self, connection: aiosqlite.Connection, migrations: dict[int, list[str]]) -> None:
        if 0 < await _first_number(connection, "PRAGMA user_version") < len(migrations):
            # It reads the whole file, so it is not for every start: a page that is damaged is found when
            # it is needed. What is damaged may not be migrated.
            verdict = await _first(connection, "PRAGMA quick_check(1)")
            if verdict != "ok":
                raise StoreError(StoreCode.DAMAGED, str(verdict))
        for number, statements in migrations.items():
            async with _transaction(connection, "BEGIN IMMEDIATE"):
                # Read inside the transaction: another process may have been faster.
                if await _first_number(connection, "PRAGMA user_version") >= number:
                    continue
                for statement in statements:
                    await connection.execute(statement)
                await connection.execute(f"PRAGMA user_version = {number}")


@asynccontextmanager
async def _transaction(connection: aiosqlite.Connection, begin: str) -> AsyncIterator[aiosqlite.Connection]:
    try:
        await connection.execute(begin)
        yield connection
        await connection.commit()
    except BaseException:
        # Also after a cancellation in the middle of BEGIN: the connection's queue runs it before this,
        # and without a transaction a rollback does nothing.
        await connection.rollback()
        raise


def commit_together(works: Sequence[Work[T]], db: sqlite3.Connection) -> list[Outcome[T]]:
    """Run functions in one transaction; what one of them raises undoes that one alone.

    The outcomes are in the same order, and each is a result or an error.
    """
    if len(works) == 1:
        return [_commit_alone(works[0], db)]
    outcomes: list[Outcome[T]] = []
    db.execute("BEGIN IMMEDIATE")
    try:
        for work in works:
            db.execute("SAVEPOINT one")
            try:
                outcomes.append((_done(work, db), None))
            except Exception as error:  # noqa: BLE001 - passed on to the one who waits for it
                outcomes.append((None, error))
                db.execute("ROLLBACK TO one")
            db.execute("RELEASE one")
        db.execute("COMMIT")
    except sqlite3.Error:
        # After some errors (no room on the disk) SQLite has undone all of it: each on its own account.
        _roll_back(db)
        return [_commit_alone(work, db) for work in works]
    return outcomes


def _commit_alone(work: Work[T], db: sqlite3.Connection) -> Outcome[T]:
    try:
        db.execute("BEGIN IMMEDIATE")
        result = _done(work, db)
        db.execute("COMMIT")
    except Exception as error:  # noqa: BLE001 - passed on to the one who waits for it
        _roll_back(db)
        return None, error
    return result, None


def _done(work: Work[T], db: sqlite3.Connection) -> T:
    """Do it, and keep a cursor that it returns in this thread.

    Let go of in another one, a cursor resets its statement there, while this thread may be at the next run
    of the same statement: SQLite takes that for misuse.
    """
    result = work(db)
    return cast(T, None) if isinstance(result, sqlite3.Cursor) else result


def _write_anew(db: sqlite3.Connection) -> None:
    db.execute("VACUUM")
    (busy, _, _) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise StoreError(StoreCode.LOCKED, "the log is read by somebody, and cannot be emptied now")


def _read_once(work: Work[T], db: sqlite3.Connection) -> T:
    db.execute("BEGIN")
    try:
        return work(db)
    finally:
        _roll_back(db)


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:
        db.execute("ROLLBACK")


def _opened(connection: Connection | None) -> Connection:
    if connection is None:
        raise StoreError(StoreCode.UNAVAILABLE, "the store is not open")
    return connection


async def _first(connection: aiosqlite.Connection, sql: str) -> object:
    """The first column of the first row."""
    return next(iter(await connection.execute_fetchall(sql)))[0]


async def _first_number(connection: aiosqlite.Connection, sql: str) -> int:
    return int(str(await _first(connection, sql)))
