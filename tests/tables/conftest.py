"""A service on a real file, with chance that repeats and a clock that stands still."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.tools import GreedyThinker, Recorder, SeededChance, StillClock


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path / "canasta.db")
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def teller() -> Recorder:
    return Recorder()


@pytest.fixture
async def make_service(store: SqliteStore, clock: StillClock) -> AsyncIterator[Callable[..., TableService]]:
    """Makes services on the store, which are closed at the end."""
    services: list[TableService] = []

    def make(**settings: object) -> TableService:
        defaults = {
            "clock": clock,
            "chance": SeededChance(len(services) + 1),
            "thinker": GreedyThinker(),
            "ai_delay": 0.0,
            "next_round": 60.0,
        }
        services.append(TableService(store, **{**defaults, **settings}))
        return services[-1]

    yield make
    for service in services:
        await service.close()


@pytest.fixture
async def service(make_service: Callable[..., TableService], teller: Recorder) -> TableService:
    service = make_service()
    await service.start(teller)
    return service
