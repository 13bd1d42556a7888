"""What lists show of tables: the same whether it is read, known from before, or taken from a loaded table."""

import random
from collections.abc import Callable

import pytest

from canasta_core.tables import rows
from canasta_core.tables.glance import Glance, glance_at
from canasta_core.tables.model import DAY, Person, Table
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    ANN,
    BEN,
    CAT,
    CHANNEL,
    EVE,
    GUILD,
    PlainThinker,
    Recorder,
    StillClock,
    four_at_table,
    greedy,
    play_on,
)


@pytest.fixture
async def service(make_service: Callable[..., TableService], teller: Recorder) -> TableService:
    service = make_service(ai_delay=1e9, thinker=PlainThinker())
    await service.start(teller)
    return service


async def glanced(service: TableService, make_service: Callable[..., TableService]) -> list[Glance]:
    """What a list shows, having made sure that it is what the whole tables say."""
    whole = [glance_at(table) for table in await service.tables_in(GUILD)]
    assert await make_service().glances_in(GUILD) == whole, "read from the store"
    assert await service.glances_in(GUILD) == whole, "known"
    return whole


async def test_a_glance_says_what_the_whole_table_says(
    service: TableService, make_service: Callable[..., TableService], clock: StillClock
) -> None:
    assert await glanced(service, make_service) == []
    lobby = await service.create(GUILD, CHANNEL, EVE, "salon", seats=3, locale="fr")
    game = await four_at_table(service)
    (first, second) = await glanced(service, make_service)
    assert (first.id, first.acting, first.round_number, first.free_seats) == (lobby.id, (), 0, (1, 2))
    assert (second.id, second.round_number, second.deadline) == (game.id, 1, game.deadline)
    assert len(second.acting) == 1

    await service.replace(game.id, 1, ANN)
    await service.invite(game.id, 1, ANN, EVE)
    await service.lose_place(game.id, CHANNEL, "missing_access")
    (_, second) = await glanced(service, make_service)
    assert (second.invites[0].user_id, second.lost) == (EVE.user_id, "missing_access")
    await service.pause(game.id, ANN, clock.now() + DAY)
    assert (await glanced(service, make_service))[1].paused
    await service.end(lobby.id, EVE)
    assert [one.id for one in await glanced(service, make_service)] == [game.id]


async def test_a_glance_knows_who_has_to_act_through_a_whole_round(
    service: TableService, make_service: Callable[..., TableService]
) -> None:
    """Questions to partners and the end of a round too: `salon` has a question before each exit."""
    game = await four_at_table(service, "salon")
    acting: set[int] = set()
    cold = make_service()

    def over(table: Table) -> bool:
        nonlocal acting
        acting.add(len(glance_at(table).acting))
        return not glance_at(table).acting

    rng = random.Random(3)
    while not over(await service.get(game.id)):
        await play_on(service, game.id, rng, until=_one_move(), choose=greedy)
        assert await cold.glances_in(GUILD) == [glance_at(await service.get(game.id))]
    assert acting == {0, 1}


def _one_move() -> Callable[[Table], bool]:
    seen: list[int] = []

    def moved(table: Table) -> bool:
        seen.append(table.version)
        return table.version > seen[0]

    return moved


async def test_no_game_is_decoded_for_a_list(
    service: TableService, make_service: Callable[..., TableService], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await four_at_table(service)
    cold = make_service()

    def decode(text: str) -> None:
        raise AssertionError("a whole game was decoded")

    monkeypatch.setattr(rows, "decode_state", decode)
    assert [one.id for one in await cold.glances_in(GUILD)] == [game.id]


async def test_what_is_known_is_not_read_again_until_it_changes(
    service: TableService,
    store: SqliteStore,
    make_service: Callable[..., TableService],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    games = [await service.create(GUILD, CHANNEL, ANN, "classic") for _ in range(3)]
    cold = make_service()
    read: list[int] = []
    glances = store.glances

    async def noted(table_ids: list[int]) -> object:
        read.extend(table_ids)
        return await glances(table_ids)

    monkeypatch.setattr(store, "glances", noted)
    await cold.glances_in(GUILD)
    await cold.glances_in(GUILD)
    assert read == [game.id for game in games]
    await service.join(games[1].id, BEN)
    assert [len(one.sitters) for one in await cold.glances_in(GUILD)] == [1, 2, 1]
    assert read == [*(game.id for game in games), games[1].id]
    await cold.meet(Person(ANN.user_id, "Anna"))
    assert {one.sitters[0].name for one in await cold.glances_in(GUILD)} == {"Anna"}


async def test_who_was_forgotten_is_in_no_glance(service: TableService) -> None:
    game = await four_at_table(service)
    lobby = await service.create(GUILD, CHANNEL, CAT, "classic")
    await service.join(lobby.id, ANN)
    await service.glances_in(GUILD)
    await service.forget(CAT.user_id)
    for glance in await service.glances_in(GUILD):
        assert glance.seat_of(CAT.user_id) is None
        assert glance.host_id != CAT.user_id
        assert "Cat" not in repr(glance)
    assert [one.id for one in await service.glances_in(GUILD)] == [game.id, lobby.id]


async def test_a_table_that_cannot_be_read_is_not_in_the_way_of_others(
    service: TableService, store: SqliteStore, make_service: Callable[..., TableService]
) -> None:
    broken, sound = await four_at_table(service), await four_at_table(service)
    await store.database.write(
        lambda db: db.execute("UPDATE tables SET state = '{' WHERE id = ?", (broken.id,))
    )
    assert [one.id for one in await make_service().glances_in(GUILD)] == [sound.id]
