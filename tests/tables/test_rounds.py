"""From round to round: the deadline between two, and what a game leaves behind."""

import asyncio
import random
from collections.abc import Callable

import pytest

from canasta_core.state import Phase
from canasta_core.tables.errors import StaleTable, TableCode, TableError
from canasta_core.tables.model import DAY, Ended, Stage, Table, What
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    ANN,
    BEN,
    CHANNEL,
    EVE,
    FOUR,
    GUILD,
    FailingStore,
    Recorder,
    SeededChance,
    StillClock,
    assert_log_gives_snapshot,
    eventually,
    four_at_table,
    play_on,
)


def is_round_over(table: Table) -> bool:
    return table.state is not None and table.state.public.phase is Phase.ROUND_OVER


async def one_round(service: TableService, seed: int = 2) -> Table:
    table = await four_at_table(service)
    return await play_on(service, table.id, random.Random(seed), until=is_round_over)


async def test_the_next_round_begins_by_itself(service: TableService, clock: StillClock) -> None:
    table = await one_round(service)
    assert table.deadline == clock.now() + 60
    await eventually(lambda: clock.pauses == [60.0])
    clock.pass_time(59.0)
    await service.settle()
    assert await service.get(table.id) == table
    clock.pass_time(1.0)
    await eventually(lambda: service._kept[table.id].version > table.version)
    after = await service.get(table.id)
    assert after.state is not None
    assert (after.state.public.round_number, after.deadline) == (2, clock.now() + DAY)
    entry = (await service.log(table.id))[-1]
    assert (entry.what, entry.actor, entry.seat) == (What.DEAL, None, None)
    await assert_log_gives_snapshot(service, table.id)


async def test_anybody_who_sits_there_starts_it_at_once(service: TableService, clock: StillClock) -> None:
    table = await four_at_table(service)
    with pytest.raises(TableError) as caught:
        await service.next_round(table.id, ANN)
    assert caught.value.code is TableCode.ROUND_NOT_OVER
    table = await play_on(service, table.id, random.Random(2), until=is_round_over)
    with pytest.raises(TableError) as caught:
        await service.next_round(table.id, EVE)
    assert caught.value.code is TableCode.NOT_SEATED
    outcomes = await asyncio.gather(
        *(service.next_round(table.id, person, table.version) for person in FOUR * 3), return_exceptions=True
    )
    assert sum(isinstance(each, Table) for each in outcomes) == 1
    assert sum(isinstance(each, StaleTable) for each in outcomes) == 11
    after = await service.get(table.id)
    assert after.state is not None
    assert (after.version, after.state.public.round_number) == (table.version + 1, 2)
    clock.pass_time(3600)
    await service.settle()
    assert await service.get(table.id) == after, "the old deadline is gone"


async def test_an_overdue_round_begins_at_the_start(
    make_service: Callable[..., TableService], clock: StillClock
) -> None:
    first = make_service()
    table = await one_round(first)
    await first.close()
    clock.pass_time(1000)
    second = make_service()
    await second.start(Recorder())
    await eventually(lambda: table.id in second._kept and second._kept[table.id].version > table.version)
    after = await second.get(table.id)
    assert after.state is not None
    assert after.state.public.round_number == 2


async def test_a_table_that_ended_has_no_deadline(
    service: TableService, store: SqliteStore, clock: StillClock
) -> None:
    table = await one_round(service)
    await service.end(table.id, ANN)
    assert await store.earliest_alarm() is None
    clock.pass_time(1000)
    await service.settle()
    assert (await service.get(table.id)).stage is Stage.ENDED


async def test_a_whole_game_and_what_it_leaves(
    service: TableService, store: SqliteStore, clock: StillClock
) -> None:
    """Four persons to 5000, one of whom leaves for a while; another is replaced for good."""
    table = await four_at_table(service)
    rng = random.Random(3)
    await play_on(service, table.id, rng, until=lambda table: table.version > 40)
    await service.leave(table.id, BEN)
    await play_on(service, table.id, rng, until=lambda table: table.version > 90)
    await service.join(table.id, BEN)
    await service.leave(table.id, FOUR[2])
    table = await play_on(service, table.id, rng)
    await service.settle()
    assert table.state is not None
    public = table.state.public
    assert (table.stage, table.ended, table.deadline) == (Stage.ENDED, Ended.FINISHED, None)
    await assert_log_gives_snapshot(service, table.id)
    results = await service.results(table.id)
    assert [(each.user_id, each.ai, each.whole) for each in results] == [
        (FOUR[0].user_id, "", True),
        (FOUR[1].user_id, "", False),
        (None, "medium", False),
        (FOUR[3].user_id, "", True),
    ]
    assert [(each.team, each.score, each.won) for each in results] == [
        (seat % 2, public.scores[seat % 2], public.winner == seat % 2) for seat in range(4)
    ]
    assert {(each.shape, each.profile, each.rounds) for each in results} == {
        ("2x2", "classic", public.round_number)
    }
    rounds = await service.rounds(table.id)
    assert [(each.round_number, each.team) for each in rounds] == [
        (number, team) for number in range(1, public.round_number + 1) for team in (0, 1)
    ]
    assert [each.score for each in rounds[-2:]] == public.scores
    for team in (0, 1):
        assert sum(each.points for each in rounds if each.team == team) == public.scores[team]
    ends = [tenure.to_version for tenure in await service.tenures(table.id)]
    assert len(ends) == 7
    assert ends.count(table.version) == 4
    assert None not in ends
    with pytest.raises(TableError) as caught:
        await service.act(table.id, ANN.user_id, "draw")
    assert caught.value.code is TableCode.TABLE_ENDED


async def test_one_table_that_fails_does_not_hold_up_the_others(
    store: SqliteStore, clock: StillClock, caplog: pytest.LogCaptureFixture
) -> None:
    failing = FailingStore(store._database.path)
    await failing.open()
    service = TableService(failing, clock=clock, chance=SeededChance(1), next_round=60)
    await service.start(Recorder())
    first = await one_round(service, 2)
    second = await one_round(service, 3)
    await service.settle()
    failing.failures = {"commit": 1}
    clock.pass_time(60)
    await eventually(lambda: service._kept[second.id].version > second.version)
    assert (await service.get(first.id)).version == first.version
    assert f"table {first.id}" in caplog.text
    await eventually(lambda: clock.pauses == [30.0])
    clock.pass_time(30)
    await eventually(lambda: service._kept[first.id].version > first.version)
    await service.close()
    await failing.close()


@pytest.mark.parametrize(
    ("profile", "seats"), [("salon", 2), ("salon", 5), ("salon", 6), ("canastra", 3), ("browser", 4)]
)
async def test_other_profiles_and_numbers_of_seats(
    make_service: Callable[..., TableService], profile: str, seats: int
) -> None:
    """Two rounds of one person and AI players, through deals of every kind."""
    service = make_service(thinker=None)
    await service.start(Recorder())
    table = await service.create(GUILD, CHANNEL, ANN, profile, seats=seats)
    table = await service.begin(table.id, ANN)
    rng = random.Random(1)
    table = await play_on(
        service,
        table.id,
        rng,
        until=lambda table: (
            table.stage is Stage.ENDED or (table.state is not None and table.state.public.round_number == 3)
        ),
    )
    await service.settle()
    await assert_log_gives_snapshot(service, table.id)
    assert len(await service.rounds(table.id)) >= 2 * table.rules.teams
    assert service.ai_failures == 0
