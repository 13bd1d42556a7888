"""Nobody holds a table up, and nobody misses a turn that they could not know of."""

import random
from collections.abc import Callable

import pytest

from canasta_core.actions import LayMelds
from canasta_core.offers import offers
from canasta_core.state import Phase
from canasta_core.tables.clocks import GONE, GRACE
from canasta_core.tables.errors import TableCode, TableError, TellFailed
from canasta_core.tables.model import DAY, NO_SERVER, NoticeKind, Person, Table, What
from canasta_core.tables.service import TableService
from tests.tables.tools import (
    ANN,
    BEN,
    CAT,
    CHANNEL,
    DAN,
    FOUR,
    PlainThinker,
    Recorder,
    StillClock,
    all_done,
    all_told,
    assert_log_gives_snapshot,
    eventually,
    four_at_table,
    plain,
    play_on,
    turn_of,
    whats,
)


def lays_of(table: Table) -> list[LayMelds]:
    assert table.state is not None
    if table.state.public.phase is not Phase.PLAY:
        return []
    return [action for action in offers(table.view(turn_of(table)[0])) if isinstance(action, LayMelds)]


async def test_laying_and_taking_back_after_ones_time_holds_no_turn(
    make_service: Callable[..., TableService], clock: StillClock, teller: Recorder
) -> None:
    service = make_service(ai_delay=2.0, thinker=PlainThinker())
    await service.start(teller)
    table = await four_at_table(service, "salon", clock=300)
    table = await play_on(
        service, table.id, random.Random(2), choose=plain, until=lambda table: bool(lays_of(table))
    )
    seat, person = turn_of(table)
    lay = lays_of(table)[0]
    await all_told(service)
    end = table.deadline
    assert end is not None
    clock.pass_time(end - clock.now())
    await eventually(lambda: seat in service._kept[table.id].wait.owed)
    table = (await service.act(table.id, person.user_id, lay)).table
    assert (table.wait.owed, table.deadline) == ((), clock.now() + GRACE), "a short while, once"
    clock.pass_time(GRACE)
    await eventually(lambda number=table.id: seat in service._kept[number].wait.owed)
    for _ in range(3):
        if table.before:
            table = (await service.undo(table.id, person.user_id)).table
        else:
            table = (await service.act(table.id, person.user_id, lay)).table
        assert seat in table.wait.owed, "and no other"
    clock.pass_time(2.0)
    await all_done(service, clock)
    table = await service.get(table.id)
    assert turn_of(table)[0] != seat
    await assert_log_gives_snapshot(service, table.id)


async def test_without_a_clock_whoever_is_gone_for_a_week_has_no_say(
    service: TableService, clock: StillClock
) -> None:
    table = await four_at_table(service, clock=None)
    seat, host = turn_of(table)
    await service.hand_over(table.id, Person(table.host_id, "Ann"), host.user_id)
    others = [person for person in FOUR if person != host]
    clock.pass_time(GONE - 1)
    with pytest.raises(TableError) as refused:
        await service.hand_over(table.id, others[0], others[0].user_id)
    assert refused.value.code is TableCode.NOT_HOST
    table = await service.propose_clock(table.id, others[0], DAY)
    for person in others[1:]:
        table = await service.agree(table.id, person, True)
    assert (table.clock, table.proposal is not None) == (None, True), "the host has a say still"
    clock.pass_time(1)
    table = await service.hand_over(table.id, others[0], others[0].user_id)
    assert table.host_id == others[0].user_id
    assert table.clock == DAY, "all who have a say had agreed"
    await service.replace(table.id, seat, others[0])
    await assert_log_gives_snapshot(service, table.id)


@pytest.mark.parametrize("rest", ["away", "pause"])
async def test_a_rest_is_not_being_gone(service: TableService, clock: StillClock, rest: str) -> None:
    table = await four_at_table(service, clock=None)
    _, person = turn_of(table)
    host = Person(table.host_id, "Ann")
    if rest == "away":
        await service.away(table.id, person, clock.now() + GONE)
    else:
        await service.pause(table.id, host, clock.now() + GONE)
    clock.pass_time(GONE)
    await all_done(service, clock)
    others = [other for other in FOUR if other != person]
    table = await service.propose_clock(table.id, others[0], DAY)
    for other in others[1:]:
        table = await service.agree(table.id, other, True)
    assert table.clock is None
    table = await service.agree(table.id, person, True)
    assert table.clock == DAY


async def test_nobody_misses_a_turn_that_could_not_be_told(
    make_service: Callable[..., TableService], clock: StillClock, teller: Recorder
) -> None:
    """Discord is out of order for a day, at a table with a clock of an hour."""
    service = make_service(thinker=PlainThinker())
    teller.failures = [TellFailed("503")] * 1000
    await service.start(teller)
    table = await four_at_table(service, clock=3600)
    seat, _ = turn_of(table)
    for _ in range(24):
        clock.pass_time(3600)
        await eventually(lambda: (service._kept[table.id].deadline or 0) > clock.now())
    table = await service.get(table.id)
    assert turn_of(table)[0] == seat
    assert [sitter.missed for sitter in table.sitters] == [0, 0, 0, 0]
    assert What.MISSED not in await whats(service, table.id)
    assert (await whats(service, table.id)).count(What.UNTOLD) == 24
    teller.failures = []
    clock.pass_time(301)
    await all_told(service)
    assert [notice.data["seat"] for notice in teller.of(NoticeKind.TURN)] == [seat]
    clock.pass_time(3600)
    await all_done(service, clock)
    assert (await service.get(table.id)).sitters[seat].missed == 1, "now they knew"
    await assert_log_gives_snapshot(service, table.id)


async def test_a_turn_is_missed_though_it_was_not_told_by_who_has_moved_in_it(
    make_service: Callable[..., TableService], clock: StillClock
) -> None:
    service = make_service(thinker=PlainThinker())
    table = await four_at_table(service)
    seat, person = turn_of(table)
    await service.act(table.id, person.user_id, "draw")
    clock.pass_time(DAY)
    await service.start(Recorder())
    await all_done(service, clock)
    assert (await service.get(table.id)).sitters[seat].missed == 1


@pytest.mark.parametrize("rest", ["away", "pause"])
async def test_a_turn_that_waits_to_be_told_calls_nobody_who_rests_meanwhile(
    service: TableService, clock: StillClock, teller: Recorder, rest: str
) -> None:
    teller.failures = [TellFailed("500")] * 6
    table = await four_at_table(service)
    seat, person = turn_of(table)
    host = Person(table.host_id, "Ann")
    await eventually(lambda: teller.tries > 0)
    if rest == "away":
        await service.away(table.id, person, clock.now() + 3600)
    else:
        await service.pause(table.id, host, clock.now() + 3600)
    for _ in range(8):
        clock.pass_time(300)
        await eventually(lambda: not teller.failures or bool(clock.pauses))
    await all_told(service)
    assert teller.failures == []
    assert NoticeKind.BOARD in teller.kinds()
    assert teller.of(NoticeKind.TURN) == []
    clock.pass_time(3600)
    await all_done(service, clock)
    assert [notice.data["seat"] for notice in teller.of(NoticeKind.TURN)] == [seat]
    assert await service._store.to_tell() == []


async def test_a_table_rests_while_the_bot_is_not_on_its_server(
    service: TableService, clock: StillClock, teller: Recorder
) -> None:
    table = await four_at_table(service, clock=300)
    seat, _ = turn_of(table)
    await all_told(service)
    clock.pass_time(100)
    table = await service.lose_place(table.id, CHANNEL, "access")
    assert table.deadline == clock.now() + 200, "a channel that cannot be seen stops no clock"
    table = await service.lose_place(table.id, CHANNEL, NO_SERVER)
    assert (table.deadline, table.reminder, table.rests) == (None, None, True)
    clock.pass_time(15 * DAY)
    await all_done(service, clock)
    table = await service.get(table.id)
    assert [sitter.missed for sitter in table.sitters] == [0, 0, 0, 0]
    assert turn_of(table)[0] == seat
    table = await service.find_place(table.id)
    assert (table.deadline, table.rests) == (clock.now() + 200, False)
    await all_told(service)
    assert len(teller.of(NoticeKind.TURN)) == 1, "nobody is called twice for a turn"
    clock.pass_time(200)
    await all_done(service, clock)
    assert (await service.get(table.id)).sitters[seat].missed == 1
    await assert_log_gives_snapshot(service, table.id)


async def test_ai_players_stop_while_the_bot_is_not_on_the_server(
    make_service: Callable[..., TableService], clock: StillClock, teller: Recorder
) -> None:
    service = make_service(ai_delay=2.0, thinker=PlainThinker())
    await service.start(teller)
    table = await four_at_table(service)
    await service.leave(table.id, BEN)
    await service.leave(table.id, CAT)
    await service.leave(table.id, DAN)
    table = await service.get(table.id)
    if turn_of(table)[0] == 0:
        for action in ("draw", None):
            view = table.view(0)
            table = (await service.act(table.id, ANN.user_id, action or plain(view, random.Random()))).table
    await service.lose_place(table.id, CHANNEL, NO_SERVER)
    clock.pass_time(10)
    await all_done(service, clock)
    before = await service.get(table.id)
    clock.pass_time(1000)
    await all_done(service, clock)
    assert (await service.get(table.id)).version == before.version
    await service.find_place(table.id)
    await eventually(lambda: 2.0 in clock.pauses)
    clock.pass_time(2)
    await eventually(lambda: service._kept[table.id].version > before.version + 1)
