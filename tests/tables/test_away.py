"""Away and back, and the pause of a whole table."""

import random
from collections.abc import Callable

import pytest

from canasta_core.tables.away import away_left
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import DAY, NoticeKind, Person, Preferences, Sitter, Stage, Table, What
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    ANN,
    BEN,
    CHANNEL,
    EVE,
    FOUR,
    GUILD,
    PlainThinker,
    Recorder,
    StillClock,
    all_done,
    assert_log_gives_snapshot,
    four_at_table,
    plain,
)


@pytest.fixture
async def service(make_service: Callable[..., TableService], teller: Recorder) -> TableService:
    """Where AI players draw and discard, so that no round ends soon."""
    service = make_service(thinker=PlainThinker())
    await service.start(teller)
    return service


def at_turn(table: Table, later: int = 0) -> tuple[int, Person]:
    """Who is in turn, or will be so many turns later."""
    assert table.state is not None
    seat = (table.state.public.turn + later) % 4
    return seat, FOUR[seat]


def who(table: Table, seat: int) -> Sitter:
    sitter = table.sitter(seat)
    assert sitter is not None
    return sitter


async def turn(service: TableService, table: Table) -> Table:
    """The person in turn draws and discards."""
    seat, person = at_turn(table)
    table = (await service.act(table.id, person.user_id, "draw")).table
    action = plain(table.view(seat), random.Random(1))
    return (await service.act(table.id, person.user_id, action)).table


async def code_of(request: object) -> TableCode:
    with pytest.raises(TableError) as caught:
        await request  # type: ignore[misc]
    return caught.value.code


async def test_a_running_clock_rests_and_goes_on_with_what_was_left(
    service: TableService, clock: StillClock, teller: Recorder
) -> None:
    table = await four_at_table(service)
    seat, person = at_turn(table)
    clock.pass_time(1000)
    table = await service.away(table.id, person, clock.now() + 5 * DAY)
    assert (table.deadline, table.reminder, table.wait.remaining) == (None, None, DAY - 1000)
    assert who(table, seat).away_until == clock.now() + 5 * DAY
    clock.pass_time(3 * DAY)
    await all_done(service, clock)
    assert (await service.get(table.id)).version == table.version
    table = await service.back(table.id, person)
    assert (table.deadline, table.reminder) == (clock.now() + DAY - 1000, clock.now() + DAY - 1000 - 4 * 3600)
    assert who(table, seat).away_used == 3 * DAY, "what was not used is given back"
    await service.settle()
    assert len(teller.of(NoticeKind.TURN)) == 1, "told of this turn already"
    assert teller.of(NoticeKind.REMINDER) == []


async def test_nobody_is_reminded_twice_of_a_turn(
    service: TableService, clock: StillClock, teller: Recorder
) -> None:
    table = await four_at_table(service)
    _, person = at_turn(table)
    assert table.reminder is not None
    minute = int(table.reminder % DAY // 60)
    quiet = ((minute - 30) % 1440, (minute + 30) % 1440)
    await service.set_preferences(person, Preferences(quiet=quiet))
    early = (await service.get(table.id)).reminder
    assert early is not None
    clock.pass_time(early - clock.now())
    await all_done(service, clock)
    left = (table.deadline or 0) - clock.now()
    assert left > 4 * 3600 + 1800
    for stop, go_on in (
        (service.away, service.back),
        (
            lambda *facts: service.pause(*facts, moderator=True),
            lambda *facts: service.resume(*facts, moderator=True),
        ),
    ):
        await stop(table.id, person, clock.now() + DAY)
        clock.pass_time(100)
        table = await go_on(table.id, person)
        assert (table.deadline, table.reminder) == (clock.now() + left, None)
    await service.settle()
    assert len(teller.of(NoticeKind.REMINDER)) == 1


async def test_a_turn_that_begins_meanwhile_is_told_when_they_are_back(
    service: TableService, store: SqliteStore, clock: StillClock, teller: Recorder
) -> None:
    table = await four_at_table(service)
    seat, person = at_turn(table, 1)
    until = clock.now() + 3 * DAY
    await service.away(table.id, person, until)
    table = await turn(service, table)
    assert at_turn(table)[0] == seat
    assert (table.deadline, table.turn_version) == (None, 0)
    assert await store.earliest_alarm() == until
    await service.settle()
    assert [notice.data["seat"] for notice in teller.of(NoticeKind.TURN)] == [(seat - 1) % 4]
    clock.pass_time(3 * DAY)
    await all_done(service, clock)
    table = await service.get(table.id)
    assert (table.deadline, table.turn_version) == (clock.now() + DAY, table.version)
    assert who(table, seat).away_until is None
    entry = (await service.log(table.id))[-1]
    assert (entry.what, entry.actor, entry.seat) == (What.BACK, None, seat)
    assert [notice.data["seat"] for notice in teller.of(NoticeKind.TURN)] == [(seat - 1) % 4, seat]
    table = await turn(service, table)
    await service.settle()
    assert len(teller.of(NoticeKind.TURN)) == 3
    await assert_log_gives_snapshot(service, table.id)


async def test_whose_time_is_over_is_back_with_whatever_happens_first(
    service: TableService, clock: StillClock
) -> None:
    """The alarm may come late: a change in between finds them there."""
    table = await four_at_table(service)
    seat, person = at_turn(table, 1)
    before = await service.away(table.id, person, clock.now() + 60)
    clock._now += 61
    seen = await service.get(table.id)
    await service.lose_place(table.id, CHANNEL + 1, "no news of this table")
    table = await service.get(table.id)
    assert who(table, seat).away_until is None
    (entry,) = [entry for entry in await service.log(table.id) if entry.version > before.version]
    assert (entry.what, entry.actor, entry.seat, entry.at) == (What.BACK, None, seat, clock.now())
    assert table.is_current(seen.version), "what somebody sees on the board can be clicked all the same"
    table = await turn(service, table)
    assert table.deadline == clock.now() + DAY
    await all_done(service, clock)
    assert (await service.get(table.id)).version == table.version
    await assert_log_gives_snapshot(service, table.id)


@pytest.mark.parametrize("do", ["back", "away", "draw", "leave", "replace", "end"])
async def test_that_their_time_is_over_is_on_record_before_what_happens_then(
    service: TableService, clock: StillClock, do: str
) -> None:
    table = await four_at_table(service)
    seat, person = at_turn(table)
    before = await service.away(table.id, person, clock.now() + 60)
    clock._now += 61
    doing = {
        "back": lambda: service.back(table.id, person),
        "away": lambda: service.away(table.id, person, clock.now() + 60),
        "draw": lambda: service.act(table.id, person.user_id, "draw"),
        "leave": lambda: service.leave(table.id, person),
        "replace": lambda: service.replace(table.id, seat, ANN),
        "end": lambda: service.end(table.id, ANN),
    }
    then = {
        "back": [],
        "away": [What.AWAY],
        "draw": [What.MOVE],
        "leave": [What.LEAVE],
        "replace": [What.REPLACE],
        "end": [What.END],
    }
    await doing[do]()
    log = [entry for entry in await service.log(table.id) if entry.version > before.version]
    changed = [entry.what for entry in log[: 1 + len(then[do])]]
    assert changed == [What.BACK, *then[do]], "once, and by itself: nobody has to be told twice"
    assert (log[0].actor, log[0].seat) == (None, seat)
    await all_done(service, clock)
    await assert_log_gives_snapshot(service, table.id)


async def test_longer_shorter_and_no_more_than_the_limit(service: TableService, clock: StillClock) -> None:
    table = await four_at_table(service, away_limit=10 * DAY)
    now = clock.now()
    table = await service.away(table.id, ANN, now + 4 * DAY)
    table = await service.away(table.id, ANN, now + 10 * DAY)
    assert who(table, 0).away_used == 10 * DAY
    with pytest.raises(TableError) as caught:
        await service.away(table.id, ANN, now + 10 * DAY + 1)
    assert (caught.value.code, caught.value.facts) == (TableCode.AWAY_LIMIT, {"left": 10 * DAY})
    clock.pass_time(DAY)
    table = await service.away(table.id, ANN, now + 2 * DAY)
    assert who(table, 0).away_used == 2 * DAY
    assert away_left(table, who(table, 0), clock.now()) == 9 * DAY
    clock.pass_time(DAY)
    await all_done(service, clock)
    table = await service.get(table.id)
    assert who(table, 0).away_until is None
    with pytest.raises(TableError) as caught:
        await service.away(table.id, ANN, clock.now() + 8 * DAY + 1)
    assert caught.value.facts == {"left": 8 * DAY}
    assert who(await service.away(table.id, BEN, clock.now() + 10 * DAY), 1).away_used == 10 * DAY


async def test_what_is_refused(service: TableService, clock: StillClock) -> None:
    table = await four_at_table(service, away_limit=1000 * DAY)
    now = clock.now()
    for until in (now, now - 1, now + 365 * DAY + 1, float("nan"), float("inf")):
        assert await code_of(service.away(table.id, ANN, until)) is TableCode.BAD_DATE
        assert await code_of(service.pause(table.id, ANN, until)) is TableCode.BAD_DATE
    assert await code_of(service.pause(table.id, ANN, now + 30 * DAY + 1)) is TableCode.BAD_DATE
    assert await code_of(service.away(table.id, EVE, now + DAY)) is TableCode.NOT_SEATED
    assert await code_of(service.back(table.id, ANN)) is TableCode.NOT_AWAY
    assert await code_of(service.pause(table.id, BEN, now + DAY)) is TableCode.NOT_HOST
    assert await code_of(service.resume(table.id, ANN)) is TableCode.NOT_PAUSED
    assert (await service.get(table.id)).version == table.version
    lobby = await service.create(GUILD, CHANNEL, ANN, "classic")
    assert await code_of(service.pause(lobby.id, ANN, now + DAY)) is TableCode.NOT_STARTED
    await service.end(table.id, ANN)
    assert await code_of(service.away(table.id, ANN, now + DAY)) is TableCode.TABLE_ENDED
    assert await code_of(service.back(table.id, ANN)) is TableCode.TABLE_ENDED


async def test_a_paused_table_stands_still_and_goes_on_by_itself(
    service: TableService, clock: StillClock, teller: Recorder
) -> None:
    table = await four_at_table(service)
    _, person = at_turn(table)
    clock.pass_time(1000)
    until = clock.now() + 3 * DAY
    table = await service.pause(table.id, ANN, until)
    assert (table.rests, table.deadline, table.reminder) == (True, None, None)
    for request in (service.act(table.id, person.user_id, "draw"), service.next_round(table.id, ANN)):
        with pytest.raises(TableError) as caught:
            await request
        assert (caught.value.code, caught.value.facts) == (TableCode.PAUSED, {"until": int(until)})
    clock.pass_time(3 * DAY)
    await all_done(service, clock)
    table = await service.get(table.id)
    assert (table.paused, table.deadline) == (None, clock.now() + DAY - 1000)
    assert (await service.log(table.id))[-1].what is What.RESUME
    assert len(teller.of(NoticeKind.TURN)) == 1
    await service.pause(table.id, EVE, clock.now() + DAY, moderator=True)
    assert (await service.log(table.id))[-1].detail["moderator"] is True
    table = await service.resume(table.id, ANN)
    assert table.deadline == clock.now() + DAY - 1000


async def test_ai_players_stop_while_the_table_is_paused(
    make_service: Callable[..., TableService], clock: StillClock
) -> None:
    service = make_service(ai_delay=2.0, thinker=PlainThinker())
    await service.start(Recorder())
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    table = await service.begin(table.id, ANN)
    assert table.state is not None
    if table.state.public.turn == 0:
        table = await turn(service, table)
    table = await service.pause(table.id, ANN, clock.now() + DAY)
    clock.pass_time(100)
    await service.settle()
    assert (await service.get(table.id)).version == table.version
    table = await service.resume(table.id, ANN)
    clock.pass_time(0)
    assert service._ai.chores.busy


async def test_whose_seat_is_kept_says_when_they_are_back_and_has_it_again(
    service: TableService, clock: StillClock
) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic", clock=300)
    table = await service.begin(table.id, ANN)
    await service.settle()
    for _ in range(3):
        clock.pass_time(300)
        await all_done(service, clock)
    assert (await service.get(table.id)).sitters[0].absent
    table = await service.away(table.id, ANN, clock.now() + DAY)
    assert (table.sitters[0].absent, table.sitters[0].missed, table.rests) == (False, 0, False)
    assert table.deadline is None
    clock.pass_time(DAY)
    await all_done(service, clock)
    assert (await service.get(table.id)).deadline == clock.now() + 300


async def test_a_pause_outlives_the_process(
    make_service: Callable[..., TableService], clock: StillClock
) -> None:
    first = make_service(thinker=PlainThinker())
    await first.start(Recorder())
    table = await four_at_table(first)
    seat, person = at_turn(table, 1)
    await first.away(table.id, person, clock.now() + 9 * DAY)
    table = await first.pause(table.id, ANN, clock.now() + 2 * DAY)
    await first.settle()
    await first.close()
    second = make_service(thinker=PlainThinker())
    assert await second.get(table.id) == table
    clock.pass_time(40 * DAY)
    teller = Recorder()
    await second.start(teller)
    await all_done(second, clock)
    table = await second.get(table.id)
    assert (table.stage, table.paused, who(table, seat).away_until) == (Stage.PLAYING, None, None)
    assert table.deadline == clock.now() + DAY
    assert teller.of(NoticeKind.TURN) == []
