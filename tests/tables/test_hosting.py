"""What the host and moderators may do with a table, what needs the consent of all, and what is on record."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from canasta_core.tables.change import Change
from canasta_core.tables.errors import TableCode
from canasta_core.tables.model import (
    CLOCKS,
    DAY,
    DEFAULT_CLOCK,
    Ended,
    LogEntry,
    NoticeKind,
    Person,
    Proposal,
    Stage,
    Table,
    What,
)
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.test_lobby import code, refused
from tests.tables.tools import (
    ANN,
    BEN,
    CAT,
    CHANNEL,
    DAN,
    EVE,
    GUILD,
    PlainThinker,
    Recorder,
    StillClock,
    all_told,
    assert_log_gives_snapshot,
    four_at_table,
)

HOUR = 3600


@pytest.fixture
async def service(make_service: Callable[..., TableService], teller: Recorder) -> TableService:
    """AI players that wait, so that a table stays as it is."""
    service = make_service(ai_delay=1e9, thinker=PlainThinker())
    await service.start(teller)
    return service


async def last(service: TableService, table: Table) -> LogEntry:
    return (await service.log(table.id))[-1]


async def put_absent(service: TableService, table: Table, person: Person) -> None:
    """An AI player keeps the seat from now on, as after three missed turns."""

    def edit(change: Change) -> None:
        (sitter,) = [each for each in change.table.sitters if each.user_id == person.user_id]
        change.set_sitter(replace(sitter, absent=True, kept=True))
        change.step(What.KEPT, seat=sitter.seat)

    await service._change(table.id, edit)


# Replacing


async def test_the_host_replaces_a_person(service: TableService, teller: Recorder) -> None:
    table = await four_at_table(service)
    assert await code(service.replace(table.id, 1, CAT)) is TableCode.NOT_HOST
    table = await service.replace(table.id, 1, ANN)
    sitter = table.sitter(1)
    assert sitter is not None
    assert (sitter.is_ai, sitter.ai) == (True, "medium")
    entry = await last(service, table)
    assert (entry.what, entry.actor, entry.seat) == (What.REPLACE, ANN.user_id, 1)
    assert entry.detail == {"user_id": BEN.user_id, "level": "medium"}
    tenures = await service.tenures(table.id)
    assert [each.to_version for each in tenures if each.user_id == BEN.user_id] == [table.version]
    error = await refused(service.replace(table.id, 1, ANN))
    assert (error.code, error.facts) == (TableCode.NO_PERSON_THERE, {"seat": 1})
    assert await code(service.replace(table.id, 4, ANN)) is TableCode.NO_SUCH_SEAT
    assert await code(service.replace(table.id, 2, ANN, level="godlike")) is TableCode.UNKNOWN_LEVEL
    await all_told(service)
    assert teller.kinds()[-2:] == [NoticeKind.BOARD, NoticeKind.REPLACED]
    (told,) = teller.of(NoticeKind.REPLACED)
    assert told.data == {"seat": 1, "user_id": BEN.user_id, "by": ANN.user_id, "moderator": False}
    await assert_log_gives_snapshot(service, table.id)


async def test_a_moderator_replaces_the_host(service: TableService) -> None:
    table = await four_at_table(service)
    table = await service.replace(table.id, 0, EVE, moderator=True)
    assert table.host_id == BEN.user_id
    entry = await last(service, table)
    assert entry.detail == {
        "user_id": ANN.user_id,
        "level": "medium",
        "host": BEN.user_id,
        "moderator": True,
    }


async def test_replacing_the_last_person_ends_the_table(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    table = await service.begin(table.id, ANN)
    table = await service.replace(table.id, 0, EVE, moderator=True)
    assert (table.stage, table.ended) == (Stage.ENDED, Ended.DESERTED)


async def test_who_was_replaced_comes_back_when_invited(service: TableService) -> None:
    """Else a person who is put out would be there again with one click."""
    table = await four_at_table(service)
    await service.replace(table.id, 1, ANN)
    assert await code(service.join(table.id, BEN)) is TableCode.NOT_INVITED
    assert await code(service.join(table.id, BEN, 1)) is TableCode.NOT_INVITED
    await service.invite(table.id, 1, ANN, BEN)
    assert (await service.join(table.id, BEN)).seat_of(BEN.user_id) == 1
    await service.leave(table.id, BEN)
    assert (await service.join(table.id, BEN)).seat_of(BEN.user_id) == 1, "who has left is free to come back"
    await service.replace(table.id, 1, ANN)
    assert (await service.join(table.id, BEN, by=ANN)).seat_of(BEN.user_id) == 1


async def test_a_person_in_the_lobby_is_replaced(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.join(table.id, BEN)
    table = await service.replace(table.id, 1, ANN)
    assert table.stage is Stage.LOBBY
    assert table.seat_of(BEN.user_id) is None


# The host's part


async def test_handing_over(service: TableService) -> None:
    table = await four_at_table(service)
    assert await code(service.hand_over(table.id, BEN, BEN.user_id)) is TableCode.NOT_HOST
    assert await code(service.hand_over(table.id, ANN, EVE.user_id)) is TableCode.NO_SUCH_PLAYER
    assert await code(service.hand_over(table.id, ANN, ANN.user_id)) is TableCode.ALREADY_HOST
    table = await service.hand_over(table.id, ANN, CAT.user_id)
    assert table.host_id == CAT.user_id
    entry = await last(service, table)
    assert (entry.what, entry.actor, entry.detail) == (What.HOST, ANN.user_id, {"user_id": CAT.user_id})
    assert await code(service.end(table.id, ANN)) is TableCode.NOT_HOST
    table = await service.hand_over(table.id, EVE, DAN.user_id, moderator=True)
    assert (await last(service, table)).detail == {"user_id": DAN.user_id, "moderator": True}


async def test_taking_over_from_a_host_who_does_not_play(service: TableService) -> None:
    table = await four_at_table(service)
    await put_absent(service, table, ANN)
    assert await code(service.hand_over(table.id, BEN, CAT.user_id)) is TableCode.NOT_HOST
    assert await code(service.hand_over(table.id, EVE, EVE.user_id)) is TableCode.NOT_HOST
    table = await service.hand_over(table.id, BEN, BEN.user_id, moderator=True)
    assert table.host_id == BEN.user_id
    assert (await last(service, table)).detail == {"user_id": BEN.user_id}, "no moderator's right was needed"
    assert await code(service.hand_over(table.id, BEN, ANN.user_id)) is TableCode.NO_SUCH_PLAYER


async def test_the_part_passes_to_somebody_who_plays(service: TableService) -> None:
    table = await four_at_table(service)
    await put_absent(service, table, BEN)
    table = await service.leave(table.id, ANN)
    assert table.host_id == CAT.user_id
    assert (await last(service, table)).detail == {"host": CAT.user_id}


# Places


async def test_moving(service: TableService, teller: Recorder) -> None:
    table = await four_at_table(service)
    await all_told(service)
    teller.told.clear()
    assert await code(service.move(table.id, CHANNEL, ANN)) is TableCode.SAME_PLACE
    assert await code(service.move(table.id, 5, BEN)) is TableCode.NOT_HOST
    moved = await service.move(table.id, 5, ANN)
    assert (moved.channel_id, moved.guild_id) == (5, GUILD)
    entry = await last(service, moved)
    assert (entry.what, entry.actor) == (What.MOVE_PLACE, ANN.user_id)
    assert entry.detail == {"from_channel": CHANNEL, "to_channel": 5}
    await all_told(service)
    assert teller.kinds() == [NoticeKind.BOARD, NoticeKind.MOVED]
    assert teller.of(NoticeKind.MOVED)[0].data == {"from_channel": CHANNEL, "by": ANN.user_id}
    assert moved.turn_version == table.turn_version, "nobody is pinged again for the same turn"
    assert moved.is_current(table.version), "open hands stay good"
    assert await service.tables_in(GUILD, CHANNEL) == []
    assert await service.tables_in(GUILD, 5) == [moved]
    moved = await service.move(table.id, CHANNEL, EVE, moderator=True)
    assert (await last(service, moved)).detail["moderator"] is True


async def test_a_lobby_moves(service: TableService, teller: Recorder) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await all_told(service)
    teller.told.clear()
    await service.move(table.id, 5, ANN)
    await all_told(service)
    assert teller.kinds() == [NoticeKind.LOBBY, NoticeKind.MOVED]


async def test_a_lost_channel_is_put_on_record_once(service: TableService, teller: Recorder) -> None:
    table = await four_at_table(service)
    await all_told(service)
    teller.told.clear()
    lost = await service.lose_place(table.id, CHANNEL, "unknown_channel" * 50)
    assert (lost.lost, lost.version) == (("unknown_channel" * 50)[:100], table.version + 1)
    entry = await last(service, lost)
    assert (entry.what, entry.actor) == (What.LOST, None)
    assert entry.detail == {"channel": CHANNEL, "why": lost.lost}
    assert await service.lose_place(table.id, CHANNEL, "again") == lost
    assert await service.lose_place(table.id, 5, "of another channel") == lost
    await all_told(service)
    assert teller.told == [], "there is nowhere to tell it"
    found = await service.find_place(table.id)
    assert (found.lost, found.version) == ("", lost.version + 1)
    assert await service.find_place(table.id) == found
    await all_told(service)
    assert teller.kinds() == [NoticeKind.BOARD], "whatever was missed is made up for"
    assert found.turn_version == table.turn_version
    await assert_log_gives_snapshot(service, table.id)


@pytest.mark.parametrize("lost", [False, True])
async def test_a_table_that_has_ended_changes_no_more_whatever_becomes_of_its_channel(
    service: TableService, store: SqliteStore, lost: bool
) -> None:
    """Who sat there at the end is found by the version with which it ended."""
    table = await four_at_table(service)
    if lost:
        await service.lose_place(table.id, CHANNEL, "unknown_channel")
    ended = await service.end(table.id, ANN)
    assert await service.lose_place(table.id, CHANNEL, "unknown_channel") == ended
    assert await service.find_place(table.id) == ended
    fresh = TableService(store)
    assert await fresh.get(table.id) == ended
    assert len(ended.sitters) == 4


async def test_anybody_seated_moves_a_table_that_is_lost(service: TableService) -> None:
    table = await four_at_table(service)
    await service.lose_place(table.id, CHANNEL, "unknown_channel")
    assert await code(service.move(table.id, 5, EVE)) is TableCode.NOT_HOST
    moved = await service.move(table.id, 5, DAN)
    assert (moved.channel_id, moved.lost) == (5, "")
    assert (await service.lose_place(table.id, CHANNEL, "old news")).lost == "", "it is not there any more"
    await service.lose_place(table.id, 5, "missing_access")
    assert (await service.move(table.id, 5, BEN)).lost == "", "the command shows that it can be reached"


async def test_losing_a_place_many_times_at_once(service: TableService) -> None:
    table = await four_at_table(service)
    await asyncio.gather(*(service.lose_place(table.id, CHANNEL, "gone") for _ in range(20)))
    assert [entry.what for entry in await service.log(table.id)].count(What.LOST) == 1


# The clock


async def test_a_table_has_the_clock_it_was_opened_with(service: TableService) -> None:
    assert (await service.create(GUILD, CHANNEL, ANN, "classic")).clock == DEFAULT_CLOCK
    for clock in CLOCKS:
        assert (await service.create(GUILD, CHANNEL, ANN, "classic", clock=clock)).clock == clock
    assert await code(service.create(GUILD, CHANNEL, ANN, "classic", clock=77)) is TableCode.BAD_CLOCK
    table = await service.create(GUILD, CHANNEL, ANN, "classic", undo=False, away_limit=3 * DAY)
    assert (table.undo, table.away_limit) == (False, 3 * DAY)


async def test_another_clock_needs_everybody(
    service: TableService, teller: Recorder, clock: StillClock
) -> None:
    table = await four_at_table(service)
    assert await code(service.propose_clock(table.id, BEN, 77)) is TableCode.BAD_CLOCK
    assert await code(service.propose_clock(table.id, BEN, DAY)) is TableCode.SAME_CLOCK
    assert await code(service.propose_clock(table.id, EVE, HOUR)) is TableCode.NOT_SEATED
    assert await code(service.agree(table.id, BEN, True)) is TableCode.NO_PROPOSAL
    clock.pass_time(100)
    proposed = await service.propose_clock(table.id, BEN, HOUR)
    assert proposed.proposal == Proposal(HOUR, BEN.user_id, (BEN.user_id,), proposed.version)
    assert (proposed.clock, proposed.deadline) == (DAY, table.deadline)
    assert await code(service.agree(table.id, BEN, True)) is TableCode.ALREADY_AGREED
    assert await code(service.agree(table.id, EVE, True)) is TableCode.NOT_SEATED
    await service.agree(table.id, ANN, True, proposed.version)
    await service.agree(table.id, CAT, True)
    changed = await service.agree(table.id, DAN, True)
    assert (changed.clock, changed.proposal) == (HOUR, None)
    assert changed.deadline == clock.now() + HOUR, "the clock of the running turn is wound afresh"
    whats = [entry.what for entry in await service.log(table.id)]
    assert whats[-5:] == [What.PROPOSE, What.AGREE, What.AGREE, What.AGREE, What.CLOCK]
    assert (await last(service, changed)).detail == {"clock": HOUR}
    assert changed.is_current(table.version), "open hands stay good"
    await all_told(service)
    (notice,) = teller.of(NoticeKind.PROPOSAL)
    assert (notice.data, notice.version) == ({"clock": HOUR, "by": BEN.user_id}, proposed.version)


async def test_one_no_ends_a_proposal(service: TableService) -> None:
    table = await four_at_table(service)
    first = await service.propose_clock(table.id, BEN, None)
    table = await service.agree(table.id, CAT, False)
    assert (table.proposal, table.clock) == (None, DAY)
    assert (await last(service, table)).what is What.DISAGREE
    second = await service.propose_clock(table.id, BEN, HOUR)
    assert second.proposal is not None
    assert second.proposal.version != first.version
    assert await code(service.agree(table.id, CAT, True, first.version)) is TableCode.NO_PROPOSAL, (
        "who clicks on an old message does not agree to something new"
    )
    third = await service.propose_clock(table.id, DAN, 3 * DAY)
    assert third.proposal == Proposal(3 * DAY, DAN.user_id, (DAN.user_id,), third.version), "in its place"


async def test_alone_with_ai_players_nobody_is_asked(service: TableService, teller: Recorder) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    assert (await service.propose_clock(table.id, ANN, HOUR)).clock == HOUR, "in the lobby too"
    await service.begin(table.id, ANN)
    table = await service.propose_clock(table.id, ANN, None)
    assert (table.clock, table.deadline, table.proposal) == (None, None, None)
    await all_told(service)
    assert teller.of(NoticeKind.PROPOSAL) == []


async def test_a_moderator_sets_the_clock_at_once(service: TableService) -> None:
    table = await four_at_table(service)
    await service.propose_clock(table.id, BEN, None)
    table = await service.propose_clock(table.id, EVE, HOUR, moderator=True)
    assert (table.clock, table.proposal) == (HOUR, None)
    entry = await last(service, table)
    assert (entry.what, entry.actor, entry.detail) == (
        What.CLOCK,
        EVE.user_id,
        {"clock": HOUR, "moderator": True},
    )


async def test_a_moderator_who_plays_asks_the_others(service: TableService, clock: StillClock) -> None:
    """It is their own game as well. Where nobody else is there to play, nobody is to be asked."""
    table = await four_at_table(service)
    table = await service.propose_clock(table.id, BEN, HOUR, moderator=True)
    assert (table.clock, table.proposal) == (DAY, Proposal(HOUR, BEN.user_id, (BEN.user_id,), table.version))
    entry = await last(service, table)
    assert (entry.what, entry.detail) == (What.PROPOSE, {"clock": HOUR}), "no moderator's right was used"
    await put_absent(service, table, BEN)
    table = await service.propose_clock(table.id, BEN, 3 * DAY, moderator=True)
    assert (table.clock, table.proposal is None) == (DAY, False), "the seat is still theirs"
    await service.back(table.id, BEN)
    await service.replace(table.id, 0, BEN, moderator=True)
    await service.away(table.id, CAT, clock.now() + DAY)
    await put_absent(service, table, DAN)
    table = await service.propose_clock(table.id, BEN, 2 * DAY, moderator=True)
    assert (table.clock, table.proposal) == (2 * DAY, None)


async def test_only_those_who_play_are_asked(service: TableService, clock: StillClock) -> None:
    """Who leaves, is replaced, goes away or whose seat is kept holds nothing up."""
    table = await four_at_table(service)
    await service.propose_clock(table.id, ANN, HOUR)
    await service.leave(table.id, BEN)
    await service.away(table.id, CAT, clock.now() + DAY)
    assert (await service.get(table.id)).clock == DAY
    await put_absent(service, table, DAN)
    table = await service.get(table.id)
    assert (table.clock, table.proposal) == (HOUR, None)
    assert (await last(service, table)).what is What.CLOCK
    await service.propose_clock(table.id, ANN, None)
    assert (await service.get(table.id)).clock is None, "at once, while the others are not there"
    await service.back(table.id, CAT)
    await service.propose_clock(table.id, ANN, HOUR)
    table = await service.agree(table.id, CAT, True)
    assert table.clock == HOUR


async def test_a_proposal_goes_with_who_made_it(service: TableService) -> None:
    table = await four_at_table(service)
    await service.propose_clock(table.id, BEN, HOUR)
    for person in (ANN, CAT):
        await service.agree(table.id, person, True)
    table = await service.leave(table.id, BEN)
    assert (table.proposal, table.clock) == (None, DAY)


# What is on record


async def test_every_use_of_a_moderators_right_is_on_record(service: TableService) -> None:
    """And none is claimed where it was not needed."""
    for moderator, by in ((True, EVE), (False, ANN)):
        table = await service.create(GUILD, CHANNEL, ANN, "classic")
        await service.join(table.id, BEN)
        await service.add_ai(table.id, by, moderator=True)
        await service.begin(table.id, by, moderator=True)
        await service.join(table.id, CAT, by=by, moderator=True)
        await service.replace(table.id, 1, by, moderator=True)
        await service.invite(table.id, 1, by, DAN, moderator=True)
        await service.withdraw(table.id, 1, by, moderator=True)
        await service.hand_over(table.id, by, CAT.user_id, moderator=True)
        await service.hand_over(table.id, CAT, ANN.user_id)
        await service.move(table.id, 5, by, moderator=True)
        ended = await service.end(table.id, by, moderator=True)
        assert ended.ended is (Ended.MODERATOR if moderator else Ended.HOST)
        claimed = [entry.what for entry in await service.log(table.id) if entry.detail.get("moderator")]
        rights = [What.SEAT_AI, What.SEAT_AI, What.BEGIN, What.JOIN, What.REPLACE, What.INVITE, What.INVITE]
        expected = [*rights, What.HOST, What.MOVE_PLACE, What.END] if moderator else []
        assert claimed == expected


async def test_what_a_host_may_do_nobody_else_may(service: TableService) -> None:
    table = await four_at_table(service)
    await service.replace(table.id, 3, ANN)
    before = await service.get(table.id)
    for person in (BEN, DAN, EVE):
        for request in (
            service.replace(table.id, 1, person),
            service.invite(table.id, 3, person, None),
            service.withdraw(table.id, 3, person),
            service.hand_over(table.id, person, person.user_id),
            service.move(table.id, 5, person),
            service.end(table.id, person),
        ):
            assert await code(request) is TableCode.NOT_HOST
    assert await service.get(table.id) == before


async def test_nothing_of_it_at_a_table_that_has_ended(service: TableService) -> None:
    table = await four_at_table(service)
    await service.propose_clock(table.id, BEN, HOUR)
    table = await service.end(table.id, ANN)
    assert (table.proposal, table.invites, table.before) == (None, (), ())
    for request in (
        service.replace(table.id, 1, ANN),
        service.invite(table.id, 1, ANN, None),
        service.withdraw(table.id, 1, ANN),
        service.hand_over(table.id, ANN, BEN.user_id),
        service.move(table.id, 5, ANN),
        service.propose_clock(table.id, ANN, HOUR),
        service.agree(table.id, ANN, True),
        service.undo(table.id, ANN.user_id),
    ):
        assert await code(request) is TableCode.TABLE_ENDED
    assert await service.get(table.id) == table
