"""One process a database file: a lock beside it that the operating system holds as long as the process lives.

SQLite's own locks are for transactions: two processes that take turns would both run, tell everything twice
and answer each other's players. The lock here is a lock on a file of its own, `<database>.lock`. It ends with
the process, however that ends. The file stays behind: the next process must find the same one.
"""

import contextlib
import errno
import os
import socket
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from canasta_core.tables.errors import StoreCode, StoreError

_CODES: Final = {
    errno.ENOSPC: StoreCode.FULL,
    errno.EDQUOT: StoreCode.FULL,
    errno.EROFS: StoreCode.READ_ONLY,
}
_LONGEST_NAME: Final = 300
"""Bytes that are read of what a holder wrote."""


def lock_path(database: Path) -> Path:
    """Where the lock of a database lies: beside the file itself, whatever links lead to it."""
    real = database.resolve()
    return real.with_name(f"{real.name}.lock")


class ProcessLock:
    """The right of this process to work with a database file.

    Within one process all that open the same file share it: their transactions keep out of each other's way,
    and a store that was dropped without being closed does not keep out the next one.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._lock: FileLock | None = None

    def acquire(self) -> None:
        """Take it, without waiting.

        Raises StoreError: in_use (facts: holder, as «123 on host», empty when unknown), full, read_only,
        unavailable.
        """
        path = lock_path(self._database)
        if not path.parent.is_dir():
            # It would be made, and a mistyped name would go unnoticed.
            raise StoreError(StoreCode.UNAVAILABLE, f"there is no folder {path.parent}")
        try:
            # Shared by all threads, and no marker file in its place: that would outlive the process.
            lock = FileLock(
                path, thread_local=False, is_singleton=True, fallback_to_soft=False, on_acquired=_sign
            )
            lock.acquire(blocking=False)
        except Timeout:
            holder = _holder(path)
            who = f"process {holder}" if holder else "its id is unknown"
            raise StoreError(StoreCode.IN_USE, f"{who}; held by {path.name}", holder=holder) from None
        except OSError as error:
            code = _CODES.get(error.errno or 0, StoreCode.UNAVAILABLE)
            raise StoreError(code, f"its lock {path.name}: {error.strerror or error}") from error
        self._lock = lock

    def release(self) -> None:
        """Give it back; the last one in this process that does so frees the file."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()


def _sign(descriptor: int) -> None:
    """Write down who holds the lock. The first byte is what is locked: on Windows nobody else may read it."""
    name = f"\n{os.getpid()} on {socket.gethostname()}\n".encode()
    # On a full disk there is no room for a name; the lock itself needs none.
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, name)


def _holder(path: Path) -> str:
    try:
        with path.open("rb", buffering=0) as file:
            file.seek(1)
            return file.read(_LONGEST_NAME).decode("utf-8", "replace").strip()
    except OSError:
        return ""
