"""A cup goes on, or ends rightly, when people stay away or leave, and when it or its tables are given up."""

import asyncio
import random
from collections.abc import Callable

import pytest

from canasta_core.tables.cup_model import ChannelGoneError, Cup, CupStage, CupTable
from canasta_core.tables.cup_standings import standings
from canasta_core.tables.model import DAY, NO_SERVER, Ended, Person, Stage, Table
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.cups import MATCH, PEOPLE, CupRecorder, begun, play_round, tables_of
from tests.tables.tools import (
    ANN,
    CHANNEL,
    EVE,
    GUILD,
    Recorder,
    StillClock,
    all_done,
    assert_log_gives_snapshot,
    play_on,
)


@pytest.fixture
def news() -> CupRecorder:
    return CupRecorder()


async def absent(service: TableService, clock: StillClock, table: Table) -> None:
    """The clocks of all people at a table run out until AI players keep their seats."""
    for _ in range(100):
        await all_done(service, clock)
        table = await service.get(table.id)
        if not any(sitter.is_active for sitter in table.sitters):
            return
        clock.pass_time(max(0.0, (table.deadline or clock.now()) - clock.now()) + 1)
    raise AssertionError("somebody is still there")


async def test_nobody_plays_on_for_people_whose_server_the_bot_is_not_on(
    make_service: Callable[..., TableService], clock: StillClock, news: CupRecorder
) -> None:
    """They are there, and cannot move: the table rests until the bot is back, in a cup as anywhere."""
    service = make_service()
    service.tell_cups(news)
    await service.start(Recorder())
    cup = await begun(service, 4, rounds=1, clock=300)
    for table in await tables_of(service, cup):
        await service.lose_place(table.id, table.channel_id, NO_SERVER)
    await all_done(service, clock)
    lost = await tables_of(service, cup)
    for _ in range(20):
        clock.pass_time(DAY / 10)
        await asyncio.sleep(0.005)
        await all_done(service, clock)
    assert await tables_of(service, cup) == lost


async def test_a_table_where_nobody_is_any_more_is_played_on(
    make_service: Callable[..., TableService], store: SqliteStore, clock: StillClock, news: CupRecorder
) -> None:
    service = make_service()
    service.tell_cups(news)
    await service.start(Recorder())
    cup = await begun(service, 5, rounds=1, clock=300)
    first, second = await tables_of(service, cup)
    await play_on(service, second.id, random.Random(1))
    await absent(service, clock, first)
    resting = await service.get(first.id)
    assert resting.rests
    clock.pass_time(299 - (clock.now() - resting.touched_at))
    await all_done(service, clock)
    assert await service.get(first.id) == resting, "somebody may come back for as long as a turn takes"

    async def moves_on() -> Table:
        clock.pass_time(2)
        await asyncio.sleep(0.005)
        await all_done(service, clock)
        return await service.get(first.id)

    before = resting.version
    played = [await moves_on() for _ in range(4)]
    assert before < played[0].version < played[-1].version, "one turn after the other"
    # Who comes back has the game back: nothing is played for the others in their turns.
    back = first.people[0]
    await service.back(first.id, Person(back.user_id, back.name))
    await all_done(service, clock)
    held = await service.get(first.id)
    assert [await moves_on() for _ in range(3)] == [held] * 3
    await absent(service, clock, held)
    # A restart in the middle: it rests anew, and goes on.
    await service.close()
    service = make_service()
    service.tell_cups(news)
    await service.start(Recorder())
    await all_done(service, clock)
    clock.pass_time(301)
    for _ in range(3_000):
        if (await moves_on()).stage is Stage.ENDED:
            break
    ended = await service.get(first.id)
    assert ended.ended is Ended.FINISHED
    await assert_log_gives_snapshot(service, first.id)
    await service.settle()
    cup = await service.cup(cup.id)
    assert cup.stage is CupStage.OVER
    scores = {row.team: row.score for row in await store.results(first.id)}
    assert cup.tables[0].difference == scores[0] - scores[1]
    assert not any(row.whole for row in await store.results(first.id) if row.user_id == back.user_id)


async def test_a_paused_table_is_not_played_on(
    service: TableService, clock: StillClock, news: CupRecorder
) -> None:
    service.tell_cups(news)
    cup = await begun(service, 4, rounds=1, clock=300)
    first, _ = await tables_of(service, cup)
    await absent(service, clock, first)
    paused = await service.pause(first.id, ANN, clock.now() + 20 * DAY)
    for _ in range(5):
        clock.pass_time(DAY)
        await asyncio.sleep(0.005)
        await all_done(service, clock)
    assert await service.get(first.id) == paused


async def test_a_match_that_is_given_up_counts_as_it_stood(
    service: TableService, store: SqliteStore, news: CupRecorder
) -> None:
    service.tell_cups(news)
    cup = await begun(service, 4, rounds=1, options={"target": 5000})
    first, second = await tables_of(service, cup)

    def round_over(table: Table) -> bool:
        return table.state.public.round_number == 2

    for seed, table in enumerate((first, second)):
        await play_on(service, table.id, random.Random(seed), until=round_over)
    # The last person leaves, and a moderator ends the other one.
    for sitter in first.people:
        await service.leave(first.id, Person(sitter.user_id, sitter.name))
    assert (await service.get(first.id)).ended is Ended.DESERTED
    await service.end(second.id, EVE, moderator=True)
    await service.settle()
    cup = await service.cup(cup.id)
    assert cup.stage is CupStage.OVER
    for table in cup.tables:
        points = {row.team: row.points for row in await store.rounds(table.table_id or 0)}
        assert table.difference == points[0] - points[1] != 0


async def test_who_has_left_the_server_keeps_nobody_waiting(service: TableService, news: CupRecorder) -> None:
    service.tell_cups(news)
    news.gone = (PEOPLE[1].user_id, PEOPLE[3].user_id)
    cup = await begun(service, 5, rounds=2)
    seated = {sitter.user_id for table in await tables_of(service, cup) for sitter in table.people}
    assert seated == {PEOPLE[at].user_id for at in (0, 2, 4)}
    assert cup.active == tuple(PEOPLE[at].user_id for at in (0, 2, 4))
    cup = await play_round(service, cup.id, 3)
    assert cup.round == 2
    assert {user for table in cup.tables_of(2) for user in table.people} == seated


async def test_a_cup_that_is_given_up_opens_no_table_any_more(
    service: TableService, news: CupRecorder
) -> None:
    service.tell_cups(news)
    cup = await service.open_cup(GUILD, CHANNEL, ANN, **MATCH)
    for person in PEOPLE[:4]:
        await service.enter_cup(cup.id, person)
    place = news.place

    async def ends_meanwhile(cup: Cup, table: CupTable) -> tuple[int, tuple[int, ...]]:
        if table.number == 2:
            await service.end_cup(cup.id, ANN)
        return await place(cup, table)

    news.place = ends_meanwhile
    await service.start_cup(cup.id, ANN)
    for _ in range(200):
        await asyncio.sleep(0.002)
        service._clock.pass_time(1.0)
        if not service._cups_busy:
            break
    cup = await service.cup(cup.id)
    assert cup.stage is CupStage.ENDED
    (only,) = await service.tables_in(GUILD)
    assert [table.table_id for table in cup.tables] == [only.id, None]
    # It is a table like any other now.
    service.check_may_look(only, cup.tables[1].people[0])


async def test_a_cup_that_is_given_up_while_a_result_is_noted_closes_nothing(
    service: TableService, news: CupRecorder
) -> None:
    service.tell_cups(news)
    cup = await begun(service, 4)
    first, second = await tables_of(service, cup)
    note = service._store.close_cup_table

    async def given_up(*noted: int) -> None:
        await service.end_cup(cup.id, ANN)
        await note(*noted)

    service._store.close_cup_table = given_up
    await play_on(service, first.id, random.Random(1))
    await service.settle()
    assert (await service.cup(cup.id)).stage is CupStage.ENDED
    service.check_may_look(second, first.people[0].user_id)


async def test_a_cup_whose_channel_is_gone_is_given_up(service: TableService, news: CupRecorder) -> None:
    service.tell_cups(news)
    cup = await begun(service, 4)
    news.failures = [ChannelGoneError(CHANNEL)]
    cup = await play_round(service, cup.id, 3)
    assert (cup.stage, cup.round, cup.done) == (CupStage.ENDED, 2, 1)
    assert len(standings(cup)) == 4
    assert news.told[-1].stage is CupStage.ENDED


async def test_what_is_to_be_told_of_a_cup_is_looked_for_at_the_start(
    make_service: Callable[..., TableService], store: SqliteStore, news: CupRecorder
) -> None:
    """A process died after a sign-up, or the end of a cup, was stored: the message is brought up to date."""
    service = make_service()
    signed = await service.open_cup(GUILD, CHANNEL, ANN, **MATCH)
    ended = await service.open_cup(GUILD, CHANNEL, ANN, **MATCH)
    for cup in (signed, ended):
        await service.note_cup_message(cup.id, 5)
    await service.enter_cup(signed.id, EVE)
    await service.end_cup(ended.id, ANN)
    await service.close()
    service = make_service()
    service.tell_cups(news)
    await service.start(Recorder())
    await service.settle()
    assert {cup.id for cup in news.told} == {signed.id, ended.id}
    await service.note_cup_told(ended.id, 0)
    assert await store.cups_at_work() == [signed.id]


async def test_the_last_standings_are_told_as_final(service: TableService, news: CupRecorder) -> None:
    """Whoever leaves, and so has the cup told anew, just before its end is stored."""
    service.tell_cups(news)
    cup = await begun(service, 4, rounds=2)
    cup = await play_round(service, cup.id, 1)
    await service.note_cup_told(cup.id, 1)
    finish, told = service._store.finish_cup, len(news.told)

    async def late(cup_id: int, stage: CupStage) -> bool:
        await service.leave_cup(cup_id, PEOPLE[0])
        await service._cup_news.settle()
        return await finish(cup_id, stage)

    service._store.finish_cup = late
    await play_round(service, cup.id, 2)
    shown = [(cup.stage, list(cup.to_tell)) for cup in news.told[told:] if cup.done == 2]
    assert shown == [(CupStage.PLAYING, []), (CupStage.OVER, [2])]
