"""Cups from sign-up to the final standings, on a real file, with a restart in the middle."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from canasta_core.actions import Deal
from canasta_core.tables.cup_model import Cup, CupKind, CupStage, CupTable
from canasta_core.tables.cup_standings import standings
from canasta_core.tables.errors import StoreCode, StoreError, TableCode, TableError, TellFailed
from canasta_core.tables.model import Person, Stage
from canasta_core.tables.rows import read_packs
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.cups import MATCH, PEOPLE, CupRecorder, begun, play_round, tables_of
from tests.tables.tools import ANN, CHANNEL, EVE, GUILD, Recorder, StillClock, play_on


@pytest.fixture
def news() -> CupRecorder:
    return CupRecorder()


async def deals(store: SqliteStore, table_id: int) -> list[str]:
    return [row.action for row in await store.log(table_id) if row.what in ("lots", "deal")]


async def test_a_cup_of_eight_with_a_restart(
    make_service: Callable[..., TableService], store: SqliteStore, news: CupRecorder
) -> None:
    service = make_service()
    service.tell_cups(news)
    await service.start(Recorder())
    cup = await begun(service, 8)
    assert (cup.stage, cup.round, cup.rounds) == (CupStage.PLAYING, 1, 3)
    first, second = await tables_of(service, cup)
    assert first.stage is second.stage is Stage.PLAYING
    assert first.state.hands == second.state.hands, "the same cards"
    assert (first.duplicate_of, second.duplicate_of) == (None, first.id)
    assert first.commitment != second.commitment, "a salt of their own each"
    assert [one.channel_id for one in (first, second)] == [CHANNEL + 101, CHANNEL + 102]
    seated = sorted(sitter.user_id for table in (first, second) for sitter in table.sitters)
    assert seated == [person.user_id for person in PEOPLE]
    # Nobody sees a record while the same packs are in play, nor takes a seat there.
    await play_on(service, first.id, random.Random(1))
    with pytest.raises(TableError) as caught:
        await service.record(first.id)
    assert caught.value.code is TableCode.PACKS_IN_PLAY
    await service.close()

    service = make_service()
    service.tell_cups(news)
    await service.start(Recorder())
    await service.settle()
    assert (await service.cup(cup.id)).round == 1
    cup = await play_round(service, cup.id, 2)
    assert (cup.round, cup.done) == (2, 1)
    assert await service.record(first.id)
    played = await deals(store, first.id), await deals(store, second.id)
    shared = min(map(len, played))
    assert shared >= 2
    assert played[0][:shared] == played[1][:shared]
    for seed in (3, 4):
        await service.close()
        service = make_service()
        service.tell_cups(news)
        await service.start(Recorder())
        cup = await play_round(service, cup.id, seed)
    assert (cup.stage, cup.round, cup.done) == (CupStage.OVER, 3, 3)
    assert [len(cup.tables_of(number)) for number in (1, 2, 3)] == [2, 2, 2]
    assert len({table.table_id for table in cup.tables}) == 6
    packs = {(await deals(store, table.table_id or 0))[1] for table in cup.tables}
    assert len(packs) == 3, "new packs in each round"
    # The standings are those that the results of the games give, reckoned in another way.
    points = dict.fromkeys((person.user_id for person in PEOPLE), 0)
    for number in (1, 2, 3):
        results = [await store.results(table.table_id or 0) for table in cup.tables_of(number)]
        for mine, theirs in (results, results[::-1]):
            for row in mine:
                gap = {one.team: one.score for one in mine}
                other = {one.team: one.score for one in theirs}
                ahead = gap[row.team] - gap[1 - row.team] - other[row.team] + other[1 - row.team]
                points[row.user_id] += 2 if ahead > 0 else int(ahead == 0)
    lines = standings(cup)
    assert {line.user_id: line.points for line in lines} == points
    assert lines[0].place == 1
    assert [line.points for line in lines] == sorted(points.values(), reverse=True)
    partners = [frozenset(pair) for table in cup.tables for pair in (table.seats[0::2], table.seats[1::2])]
    assert len(set(partners)) == len(partners) == 12
    assert news.told[-1] == cup
    assert service.ai_failures == 0


async def test_sign_up_is_judged(service: TableService) -> None:
    cup = await service.open_cup(GUILD, CHANNEL, ANN, **MATCH, rounds=1)

    async def code(work: object) -> TableCode:
        with pytest.raises(TableError) as caught:
            await work
        return caught.value.code

    assert await code(service.start_cup(cup.id, ANN)) is TableCode.CUP_TOO_FEW
    assert await code(service.cup(99)) is TableCode.NO_SUCH_CUP
    assert await code(service.leave_cup(cup.id, EVE)) is TableCode.NOT_ENTERED
    done = await asyncio.gather(
        *(service.enter_cup(cup.id, person) for person in PEOPLE[:5]),
        service.enter_cup(cup.id, PEOPLE[0]),
        return_exceptions=True,
    )
    assert [getattr(one, "code", None) for one in done] == [None] * 5 + [TableCode.ALREADY_ENTERED]
    await service.leave_cup(cup.id, PEOPLE[4])
    assert await code(service.start_cup(cup.id, PEOPLE[1])) is TableCode.NOT_CUP_HOST
    await asyncio.gather(
        service.start_cup(cup.id, PEOPLE[1], moderator=True),
        service.start_cup(cup.id, ANN),
        return_exceptions=True,
    )
    await service.settle()
    cup = await service.cup(cup.id)
    assert len(cup.tables) == 2, "started once"
    assert await code(service.enter_cup(cup.id, EVE)) is TableCode.CUP_NOT_OPEN
    assert await code(service.start_cup(cup.id, ANN)) is TableCode.CUP_NOT_OPEN
    await service.end_cup(cup.id, ANN)
    assert await code(service.end_cup(cup.id, ANN)) is TableCode.CUP_OVER
    assert await code(service.leave_cup(cup.id, PEOPLE[0])) is TableCode.CUP_OVER
    assert await service.cups_in(GUILD) == []
    with pytest.raises(TableError, match="bad_rounds"):
        await service.open_cup(GUILD, CHANNEL, ANN, **MATCH, rounds=99)


async def test_five_people_with_ai_players_and_one_who_leaves(
    service: TableService, store: SqliteStore, news: CupRecorder
) -> None:
    service.tell_cups(news)
    news.failures = [TellFailed("Discord is away"), StoreError(StoreCode.BROKEN, "no")]
    cup = await service.open_cup(GUILD, CHANNEL, ANN, **MATCH, kind=CupKind.ROUND_ROBIN, rounds=3)
    for person in PEOPLE[:5]:
        await service.enter_cup(cup.id, person)
    await service.start_cup(cup.id, ANN)
    for _ in range(500):
        await asyncio.sleep(0.002)
        service._clock.pass_time(1.0)
        if all(one.table_id for one in (await service.cup(cup.id)).tables_of(1) or [CupTable(1, 1, ())]):
            break
    await service.settle()
    first, second = await tables_of(service, await service.cup(cup.id))
    assert sorted(len(table.people) for table in (first, second)) == [2, 3]
    # Who plays the same cards elsewhere can neither look nor sit down there, whichever table came first.
    for mine, other in ((first, second), (second, first)):
        insider = mine.people[0]
        with pytest.raises(TableError, match="same_packs"):
            service.check_may_look(other, insider.user_id)
        service.check_may_look(mine, insider.user_id)
        with pytest.raises(TableError, match="knows_packs"):
            await service.join(other.id, Person(insider.user_id, insider.name), by=ANN, moderator=True)
    service.check_may_look(first, EVE.user_id)
    # One table is given up: a difference of zero. The round goes on.
    await service.end(first.id, ANN)
    gone = PEOPLE[0]
    await service.leave_cup(cup.id, gone)
    cup = await play_round(service, cup.id, 5)
    assert cup.round == 2
    assert cup.tables_of(1)[0].difference == 0
    assert gone.user_id not in {user for table in cup.tables_of(2) for user in table.people}
    assert {line.user_id for line in standings(cup)} == {person.user_id for person in PEOPLE[:5]}
    cup = await play_round(service, cup.id, 6)
    cup = await play_round(service, cup.id, 7)
    assert cup.stage is CupStage.OVER


async def test_a_crash_between_pairing_and_the_last_table_opens_none_twice(
    make_service: Callable[..., TableService], store: SqliteStore, news: CupRecorder
) -> None:
    service = make_service()
    service.tell_cups(news)
    cup = await service.open_cup(GUILD, CHANNEL, ANN, **MATCH)
    for person in PEOPLE:
        await service.enter_cup(cup.id, person)
    opened = service._open_cup_table

    async def dies(cup: Cup, table: CupTable, first: int | None) -> int:
        if table.number == 2:
            await asyncio.Event().wait()
        return await opened(cup, table, first)

    service._open_cup_table = dies
    await service.start_cup(cup.id, ANN)
    while not news.places:
        await asyncio.sleep(0.002)
    await asyncio.sleep(0.05)
    await service.close()
    half = await service.cup(cup.id)
    assert [table.table_id is None for table in half.tables] == [False, True]
    packs = read_packs(await store.cup_packs(cup.id))
    assert sum(isinstance(one, Deal) for one in packs) == 16

    service = make_service()
    service.tell_cups(news)
    await service.start(Recorder())
    await service.settle()
    whole = await service.cup(cup.id)
    assert whole.tables[0] == half.tables[0]
    first, second = await tables_of(service, whole)
    assert second.duplicate_of == first.id
    assert first.state.hands == second.state.hands
    assert len(await service.tables_in(GUILD)) == 2
    # The same table is never opened again.
    with pytest.raises(TableError, match="stale_table"):
        await service._open_cup_table(whole, replace(whole.tables[1], table_id=None), first.id)
    assert len(await service.tables_in(GUILD)) == 2


async def test_who_is_forgotten_is_out_of_the_cup_and_the_cup_goes_on(
    service: TableService, store: SqliteStore, clock: StillClock
) -> None:
    waiting = await service.open_cup(GUILD, CHANNEL, PEOPLE[0], **MATCH)
    await service.enter_cup(waiting.id, PEOPLE[0])
    cup = await begun(service, 5, rounds=2)
    await service.forget(PEOPLE[0].user_id)
    await service.settle()
    cup, waiting = await service.cup(cup.id), await service.cup(waiting.id)
    assert waiting.entrants == ()
    assert waiting.host_id < 0
    assert str(PEOPLE[0].user_id) not in repr(cup)
    cup = await play_round(service, cup.id, 8)
    assert cup.round == 2
    assert all(user > 0 for table in cup.tables_of(2) for user in table.people)
    former = [line for line in standings(cup) if line.user_id < 0]
    assert len(former) == 1
    kinds = [kind async for kind, _ in store.rows_about(PEOPLE[1].user_id)]
    assert {"cup_entrants", "cup_seats"} <= set(kinds)
