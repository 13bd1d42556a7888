"""The stores that the contract is tried on: a second engine is one more name here."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from canasta_core.tables.ports import TableStore
from data.sqlite_store import SqliteStore

ENGINES: dict[str, Callable[[Path], TableStore]] = {
    "sqlite": lambda folder: SqliteStore(folder / "canasta.db", busy_timeout=0.2),
}


@pytest.fixture(params=sorted(ENGINES))
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], TableStore]:
    """Makes stores that all keep their tables in the same place."""
    return lambda: ENGINES[request.param](tmp_path)


@pytest.fixture
async def store(make_store: Callable[[], TableStore]) -> AsyncIterator[TableStore]:
    store = make_store()
    await store.open()
    yield store
    await store.close()
