"""The clock of a turn: wound with the move, reminded of once, and what happens when it runs out."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from canasta_core.actions import Answer, AskPartner
from canasta_core.offers import offers
from canasta_core.state import Phase
from canasta_core.tables.change import Change
from canasta_core.tables.clocks import GRACE, waited_for
from canasta_core.tables.model import (
    DAY,
    Ended,
    NoticeKind,
    Preferences,
    Reminders,
    Stage,
    Table,
    What,
)
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
    all_told,
    assert_log_gives_snapshot,
    eventually,
    four_at_table,
    greedy,
    plain,
    play_on,
    turn_of,
    whats,
)

RNG = random.Random(1)


@pytest.fixture
async def service(make_service: Callable[..., TableService], teller: Recorder) -> TableService:
    """Where AI players draw and discard, so that no round ends soon."""
    service = make_service(thinker=PlainThinker())
    await service.start(teller)
    return service


async def whole_turn(service: TableService, table: Table) -> Table:
    """Who is in turn plays it to its end."""
    seat, _ = turn_of(table)
    return await play_on(
        service,
        table.id,
        RNG,
        until=lambda now: now.state is not None and now.state.public.turn != seat,
        choose=plain,
    )


async def test_the_clock_is_wound_with_the_move(service: TableService, clock: StillClock) -> None:
    table = await four_at_table(service)
    assert (table.clock, table.deadline) == (DAY, clock.now() + DAY)
    assert table.reminder == clock.now() + DAY - 4 * 3600
    began = clock.now()
    clock.pass_time(100)
    seat, person = turn_of(table)
    table = (await service.act(table.id, person.user_id, "draw")).table
    assert table.deadline == began + DAY, "one clock covers a whole turn"
    table = await whole_turn(service, table)
    assert turn_of(table)[0] != seat
    assert table.deadline == clock.now() + DAY
    row, _ = await service._store.load(table.id) or (None, None)
    assert row is not None
    assert (row.deadline, row.reminder, row.alarm) == (table.deadline, table.reminder, table.reminder)


@pytest.mark.parametrize(
    ("clock_of", "lead"), [(300, 60), (3600, 600), (DAY, 4 * 3600), (7 * DAY, 12 * 3600)]
)
async def test_the_reminder_comes_a_sixth_before_the_end(
    service: TableService, clock: StillClock, clock_of: int, lead: int
) -> None:
    table = await four_at_table(service, clock=clock_of)
    assert table.reminder == clock.now() + clock_of - lead


async def test_a_table_without_a_clock_waits_as_long_as_it_takes(
    service: TableService, store: SqliteStore, clock: StillClock
) -> None:
    table = await four_at_table(service, clock=None)
    assert (table.deadline, table.reminder) == (None, None)
    assert await store.earliest_alarm() is None
    clock.pass_time(400 * DAY)
    await all_done(service, clock)
    assert await service.get(table.id) == table


async def test_one_reminder_and_then_an_ai_player_plays_that_one_turn(
    service: TableService, clock: StillClock, teller: Recorder
) -> None:
    table = await four_at_table(service)
    seat, person = turn_of(table)
    await eventually(lambda: len(clock.alarms) > 0)
    clock.pass_time(DAY - 4 * 3600)
    await all_done(service, clock)
    [reminder] = teller.of(NoticeKind.REMINDER)
    assert reminder.data == {
        "seat": seat,
        "user_id": person.user_id,
        "user_ids": [person.user_id],
        "deadline": table.deadline,
    }
    assert (await service.get(table.id)).version == table.version, "a reminder changes nothing"
    assert await service.get(table.id) == (await restored(service, table.id))
    clock.pass_time(4 * 3600)
    await all_done(service, clock)
    after = await service.get(table.id)
    assert after.state is not None
    assert after.state.public.turn == (seat + 1) % 4, "only that one turn"
    sitter = after.sitter(seat)
    assert sitter is not None
    assert (sitter.missed, sitter.absent, sitter.kept) == (1, False, False)
    assert after.deadline == clock.now() + DAY
    [missed] = [entry for entry in await service.log(table.id) if entry.what is What.MISSED]
    assert (missed.actor, missed.seat) == (None, seat)
    moves = (await service.log(table.id))[missed.version :]
    assert {(entry.what, entry.actor, entry.seat) for entry in moves} == {(What.MOVE, None, seat)}
    assert len(teller.of(NoticeKind.REMINDER)) == 1
    await assert_log_gives_snapshot(service, table.id)


async def restored(service: TableService, table_id: int) -> Table:
    """The table as the store alone has it."""
    service._kept.clear()
    return await service.get(table_id)


async def test_a_move_of_ones_own_begins_the_count_anew(service: TableService, clock: StillClock) -> None:
    table = await four_at_table(service)
    seat, _ = turn_of(table)
    clock.pass_time(DAY)
    await all_done(service, clock)
    for _ in range(3):
        await whole_turn(service, await service.get(table.id))
    table = await whole_turn(service, await service.get(table.id))
    sitter = table.sitter(seat)
    assert sitter is not None
    assert sitter.missed == 0


async def test_after_three_in_a_row_an_ai_player_keeps_the_seat_until_they_are_back(
    service: TableService, clock: StillClock, teller: Recorder
) -> None:
    table = await four_at_table(service)
    seat, person = turn_of(table)

    async def round_of_turns() -> Table:
        await service.settle()
        clock.pass_time(DAY)
        await all_done(service, clock)
        for _ in range(3):
            await whole_turn(service, await service.get(table.id))
        return await service.get(table.id)

    for count in (1, 2):
        now = await round_of_turns()
        sitter = now.sitter(seat)
        assert sitter is not None
        assert (sitter.missed, sitter.absent) == (count, False)
    assert teller.of(NoticeKind.STAND_IN) == []
    now = await round_of_turns()
    await service.settle()
    assert [notice.data for notice in teller.of(NoticeKind.STAND_IN)] == [
        {"seat": seat, "user_id": person.user_id}
    ]
    now = await service.get(table.id)
    sitter = now.sitter(seat)
    assert sitter is not None
    assert (sitter.absent, sitter.kept, sitter.is_active) == (True, True, False)
    assert turn_of(now)[0] == (seat + 1) % 4, "and it plays on without any clock"
    now = await service.back(table.id, person)
    sitter = now.sitter(seat)
    assert sitter is not None
    assert (sitter.missed, sitter.absent, sitter.kept) == (0, False, True)
    assert (await whats(service, table.id)).count(What.KEPT) == 1
    await assert_log_gives_snapshot(service, table.id)


async def alone(service: TableService, **options: object) -> Table:
    """A game of Ann and three AI players, at her turn."""
    table = await service.create(GUILD, CHANNEL, ANN, "classic", **options)
    table = await service.begin(table.id, ANN)
    if table.state is not None and table.state.public.turn != 0:
        await service.settle()
    return await service.get(table.id)


async def at_her_turn_with_slow_ai(
    make_service: Callable[..., TableService], clock: StillClock, teller: Recorder
) -> tuple[TableService, Table]:
    """AI players wait two seconds before a turn, and Ann's clock of five minutes has just run out."""
    service = make_service(ai_delay=2.0, thinker=PlainThinker())
    await service.start(teller)
    table = await service.create(GUILD, CHANNEL, ANN, "classic", clock=300)
    table = await service.begin(table.id, ANN)
    while table.state is not None and table.state.public.turn != 0:
        await eventually(lambda: 2.0 in clock.pauses)
        version = table.version
        clock.pass_time(2)
        await eventually(lambda version=version: service._kept[1].version > version)
        await eventually(lambda: 2.0 in clock.pauses or not service._ai.chores.busy)
        table = await service.get(table.id)
    assert table.deadline == clock.now() + 300
    version = table.version
    await all_told(service)
    clock.pass_time(300)
    await eventually(lambda: service._kept[1].version > version)
    await eventually(lambda: 2.0 in clock.pauses)
    table = await service.get(table.id)
    assert (table.wait.owed, table.deadline) == ((0,), None)
    assert (await whats(service, table.id))[-1] is What.MISSED
    return service, table


async def test_who_moves_before_the_ai_player_does_has_the_turn_back_for_a_short_while(
    make_service: Callable[..., TableService], clock: StillClock, teller: Recorder
) -> None:
    service, table = await at_her_turn_with_slow_ai(make_service, clock, teller)
    table = (await service.act(table.id, ANN.user_id, "draw")).table
    assert (table.wait.owed, table.reminder) == ((), None)
    assert table.deadline == clock.now() + GRACE
    assert table.sitters[0].missed == 0
    clock.pass_time(2)
    await all_done(service, clock)
    assert (await service.get(table.id)).version == table.version, "the AI player leaves it to her"
    clock.pass_time(GRACE - 2)
    await eventually(lambda: service._kept[table.id].wait.owed == (0,))
    await assert_log_gives_snapshot(service, table.id)


async def test_who_moves_before_anybody_noticed_that_the_clock_ran_out_finishes_the_turn(
    make_service: Callable[..., TableService], clock: StillClock
) -> None:
    """After a downtime the overdue turns are handled one by one: whoever is quicker is not overrun."""
    service = make_service(thinker=PlainThinker())
    table = await four_at_table(service)
    seat, person = turn_of(table)
    clock.pass_time(DAY + 3600)
    late = (await service.act(table.id, person.user_id, "draw", table.version)).table
    assert (late.deadline, late.reminder) == (clock.now() + GRACE, None)
    clock.pass_time(GRACE - 1)
    other = FOUR[(seat + 1) % 4]
    for _ in range(2):
        same = await service.away(table.id, other, clock.now() + DAY)
        assert same.deadline == late.deadline, "nobody else makes it longer"
        clock.pass_time(10)
    await service.start(Recorder())
    await all_done(service, clock)
    table = await service.get(table.id)
    assert What.MISSED in await whats(service, table.id)
    assert turn_of(table)[0] != seat
    await assert_log_gives_snapshot(service, table.id)


async def test_a_crash_between_the_missed_turn_and_the_moves_that_end_it(
    make_service: Callable[..., TableService], clock: StillClock, teller: Recorder
) -> None:
    service, table = await at_her_turn_with_slow_ai(make_service, clock, teller)
    await service.close()
    later = make_service(thinker=PlainThinker())
    await later.start(teller)
    await all_done(later, clock)
    after = await later.get(table.id)
    moves = [entry for entry in await later.log(table.id) if entry.version > table.version]
    assert moves[0].seat == 0
    assert (moves[0].what, moves[0].actor) == (What.MOVE, None)
    assert after.state is not None
    assert after.state.public.turn == 0, "once round the table"
    assert len([notice for notice in teller.of(NoticeKind.TURN) if notice.version > table.version]) == 1
    await assert_log_gives_snapshot(later, table.id)


async def test_a_table_that_nobody_plays_any_more_rests_and_then_ends(
    service: TableService, store: SqliteStore, clock: StillClock, teller: Recorder
) -> None:
    table = await alone(service, clock=300)
    for _ in range(3):
        clock.pass_time(300)
        await all_done(service, clock)
    table = await service.get(table.id)
    assert table.sitters[0].absent
    assert (table.rests, table.deadline, table.reminder) == (True, None, None)
    assert table.state is not None
    assert table.state.public.turn == 0
    assert not service._ai.chores.busy
    assert await store.waiting_for_ai() == []
    clock.pass_time(29 * DAY)
    await all_done(service, clock)
    pings = len(teller.of(NoticeKind.TURN))
    table = await service.back(table.id, ANN)
    assert table.deadline == clock.now() + 300
    await service.settle()
    assert len(teller.of(NoticeKind.TURN)) == pings, "who comes back in the middle of a turn knows of it"
    assert teller.kinds()[-1] is NoticeKind.BOARD
    for _ in range(3):
        clock.pass_time(300)
        await all_done(service, clock)
    clock.pass_time(30 * DAY)
    await all_done(service, clock)
    table = await service.get(table.id)
    assert (table.stage, table.ended) == (Stage.ENDED, Ended.DESERTED)
    await service.settle()
    assert teller.kinds()[-1] is NoticeKind.BOARD
    assert await store.earliest_alarm() is None
    await assert_log_gives_snapshot(service, table.id)


async def test_a_move_brings_back_whose_seat_was_kept(
    service: TableService, clock: StillClock, teller: Recorder
) -> None:
    table = await alone(service, clock=300)
    for _ in range(3):
        clock.pass_time(300)
        await all_done(service, clock)
    pings = len(teller.of(NoticeKind.TURN))
    acted = await service.act(table.id, ANN.user_id, "draw")
    assert (acted.table.sitters[0].absent, acted.table.deadline) == (False, clock.now() + 300)
    assert (await whats(service, table.id))[-2:] == [What.BACK, What.MOVE]
    await service.settle()
    assert len(teller.of(NoticeKind.TURN)) == pings, "nobody is told to do what they are doing"
    await whole_turn(service, acted.table)
    await service.settle()
    assert len(teller.of(NoticeKind.TURN)) == pings + 1, "their next turn is told"


async def test_who_was_kept_and_deals_is_told_that_it_is_their_turn(
    service: TableService, clock: StillClock, teller: Recorder
) -> None:
    """Coming back is no reason not to hear of a turn that begins with it."""
    table = await alone(service, clock=300)
    for _ in range(3):
        clock.pass_time(300)
        await all_done(service, clock)
    table = await service.get(table.id)
    assert table.state is not None
    state = table.state.copy()
    state.public.phase, state.public.dealer = Phase.ROUND_OVER, 2
    service._keep(replace(table, state=state))
    pings = len(teller.of(NoticeKind.TURN))
    table = await service.next_round(table.id, ANN)
    assert table.state is not None
    assert table.state.public.turn == 0
    await service.settle()
    assert len(teller.of(NoticeKind.TURN)) == pings + 1


async def test_a_lobby_ends_a_week_after_its_last_change(
    service: TableService, clock: StillClock, teller: Recorder
) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    clock.pass_time(6 * DAY)
    await service.join(table.id, BEN)
    clock.pass_time(6 * DAY)
    await all_done(service, clock)
    assert (await service.get(table.id)).stage is Stage.LOBBY
    clock.pass_time(DAY)
    await all_done(service, clock)
    table = await service.get(table.id)
    assert (table.stage, table.ended) == (Stage.ENDED, Ended.EXPIRED)
    await all_told(service)
    assert teller.kinds()[-1] is NoticeKind.LOBBY


async def asked(service: TableService, table: Table) -> Table:
    """Play on until somebody asks the partner."""
    for _ in range(4000):
        table = await service.get(table.id)
        assert table.state is not None
        assert table.stage is Stage.PLAYING, "nobody could ask"
        public = table.state.public
        if public.phase is Phase.ROUND_OVER:
            await service.next_round(table.id, ANN)
            continue
        view = table.view(public.turn)
        asking = next((each for each in offers(view) if isinstance(each, AskPartner)), None)
        action = asking or greedy(view, RNG)
        table = (await service.act(table.id, FOUR[public.turn].user_id, action)).table
        if asking is not None:
            return table
    raise AssertionError("nobody could ask")


async def test_a_question_has_a_clock_of_its_own_and_the_rest_of_the_turn_too(
    service: TableService, clock: StillClock, teller: Recorder
) -> None:
    table = await asked(service, await four_at_table(service))
    assert table.state is not None
    asker = table.state.public.turn
    partner = (asker + 2) % 4
    assert [sitter.seat for sitter in waited_for(table)] == [partner]
    assert table.deadline == clock.now() + DAY
    clock.pass_time(1000)
    acted = await service.act(table.id, FOUR[partner].user_id, Answer(False))
    assert acted.table.deadline == clock.now() + DAY
    table = await asked(service, acted.table)
    assert table.state is not None
    asker = table.state.public.turn
    await service.settle()
    clock.pass_time(DAY)
    await all_done(service, clock)
    after = await service.get(table.id)
    answered = [entry for entry in await service.log(table.id) if entry.version > table.version]
    assert [(entry.what, entry.seat) for entry in answered] == [
        (What.MISSED, (asker + 2) % 4),
        (What.MOVE, (asker + 2) % 4),
    ]
    assert [sitter.seat for sitter in waited_for(after)] == [asker]
    assert (after.deadline, after.wait.owed) == (clock.now() + DAY, ())
    turns = [notice.version for notice in teller.of(NoticeKind.TURN)]
    assert len(turns) == len(set(turns))
    await assert_log_gives_snapshot(service, table.id)


async def test_a_question_is_put_once_whatever_changes_meanwhile(
    make_service: Callable[..., TableService], clock: StillClock, teller: Recorder
) -> None:
    """Another clock, a pause, or that who was asked comes back from a seat that an AI player kept."""
    service = make_service(thinker=PlainThinker(), ai_delay=2.0)
    await service.start(teller)
    table = await asked(service, await four_at_table(service))
    assert table.state is not None
    partner = table.sitter((table.state.public.turn + 2) % 4)
    assert partner is not None
    await all_told(service)
    assert [notice.data["user_ids"] for notice in teller.of(NoticeKind.QUESTION)] == [[partner.user_id]]
    await service.propose_clock(table.id, EVE, 300, moderator=True)
    await service.pause(table.id, EVE, clock.now() + DAY, moderator=True)
    await service.resume(table.id, EVE, moderator=True)

    def keep(change: Change) -> None:
        change.set_sitter(replace(partner, missed=3, absent=True, kept=True))
        change.step(What.KEPT, seat=partner.seat)

    await service._change(table.id, keep)
    table = await service.back(table.id, FOUR[partner.seat])
    assert [sitter.seat for sitter in waited_for(table)] == [partner.seat]
    await all_told(service)
    assert len(teller.of(NoticeKind.QUESTION)) == 1


async def test_reminders_by_what_people_have_chosen(service: TableService, clock: StillClock) -> None:
    table = await four_at_table(service)
    _, person = turn_of(table)
    planned = table.reminder
    await service.set_preferences(person, Preferences(Reminders.OFF))
    table = await restored(service, table.id)
    assert table.reminder is None
    await service.set_preferences(person, Preferences(Reminders.DM))
    assert (await restored(service, table.id)).reminder == planned
    assert planned is not None
    minute = int(planned % DAY // 60)
    quiet = ((minute - 30) % 1440, (minute + 30) % 1440)
    await service.set_preferences(person, Preferences(quiet=quiet))
    earlier = (await restored(service, table.id)).reminder
    assert earlier is not None
    assert earlier < planned
    clock.pass_time(earlier - clock.now())
    await all_done(service, clock)
    await service.set_preferences(person, Preferences())
    assert (await restored(service, table.id)).reminder is None, "once a turn, whatever is chosen later"


async def test_between_rounds_nobody_is_reminded(service: TableService, clock: StillClock) -> None:
    table = await four_at_table(service)
    table = await play_on(
        service,
        table.id,
        random.Random(2),
        until=lambda now: now.state is not None and now.state.public.phase is Phase.ROUND_OVER,
    )
    assert (table.deadline, table.reminder) == (clock.now() + 60, None)
