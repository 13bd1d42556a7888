"""Who sits where: opening a table, joining, leaving, AI players, starting and ending."""

from collections.abc import Awaitable, Callable

import pytest

from canasta_core.profiles import RulesError
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Ended, Invite, NoticeKind, Person, Sitter, Stage, What
from canasta_core.tables.service import TableService
from tests.tables.tools import (
    ANN,
    BEN,
    CAT,
    CHANNEL,
    DAN,
    EVE,
    GUILD,
    Recorder,
    StillClock,
    assert_log_gives_snapshot,
    four_at_table,
)


async def refused(request: Awaitable[object]) -> TableError:
    with pytest.raises(TableError) as caught:
        await request
    return caught.value


async def code(request: Awaitable[object]) -> TableCode:
    return (await refused(request)).code


async def test_the_host_opens_a_table_and_sits_down(service: TableService, teller: Recorder) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic", locale="de", seat=2)
    assert (table.stage, table.version, table.host_id, table.locale) == (Stage.LOBBY, 1, ANN.user_id, "de")
    assert table.sitters == (Sitter(2, ANN.user_id, "Ann", since=1),)
    assert table.free_seats == (0, 1, 3)
    assert await service.get(table.id) == table
    await service.settle()
    assert teller.kinds() == [NoticeKind.LOBBY]


async def test_wrong_rules_or_seats_open_no_table(service: TableService) -> None:
    for profile, settings in (("nosuch", {}), ("classic", {"seats": 5}), ("classic", {"options": {"x": 1}})):
        with pytest.raises(RulesError):
            await service.create(GUILD, CHANNEL, ANN, profile, **settings)
    for seat in (-1, 4):
        request = service.create(GUILD, CHANNEL, ANN, "classic", seat=seat)
        assert await code(request) is TableCode.NO_SUCH_SEAT
    assert await service.tables_in(GUILD) == []


async def test_the_last_to_sit_down_begins_the_game(service: TableService, teller: Recorder) -> None:
    table = await four_at_table(service)
    assert (table.stage, table.version, table.began) == (Stage.PLAYING, 7, 5)
    assert table.state is not None
    assert table.state.public.round_number == 1
    assert [entry.what for entry in await service.log(table.id)] == [
        What.CREATE,
        What.JOIN,
        What.JOIN,
        What.JOIN,
        What.BEGIN,
        What.LOTS,
        What.DEAL,
    ]
    await assert_log_gives_snapshot(service, table.id)
    await service.settle()
    assert teller.kinds()[-2:] == [NoticeKind.BOARD, NoticeKind.TURN]
    (turn,) = teller.of(NoticeKind.TURN)
    sitter = table.sitter(table.state.public.turn)
    assert sitter is not None
    assert turn.data == {"seat": sitter.seat, "user_id": sitter.user_id}
    assert turn.version == table.turn_version == table.version


async def test_joining(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    assert (await service.join(table.id, BEN, 3)).seat_of(BEN.user_id) == 3
    assert (await service.join(table.id, CAT)).seat_of(CAT.user_id) == 1
    error = await refused(service.join(table.id, DAN, 3))
    assert (error.code, error.facts) == (TableCode.SEAT_TAKEN, {"seat": 3, "name": "Ben"})
    assert await code(service.join(table.id, DAN, 4)) is TableCode.NO_SUCH_SEAT
    error = await refused(service.join(table.id, BEN))
    assert (error.code, error.facts) == (TableCode.ALREADY_SEATED, {"seat": 3})
    assert await code(service.join(999, DAN)) is TableCode.NO_SUCH_TABLE
    assert (await service.get(table.id)).version == 3, "what was refused has changed nothing"


async def test_a_person_may_replace_an_ai_player_in_the_lobby(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.add_ai(table.id, ANN, seat=1)
    table = await service.join(table.id, BEN, 1)
    assert table.sitter(1) == Sitter(1, BEN.user_id, "Ben", since=3)
    (ann, ada, ben) = await service.tenures(table.id)
    assert (ann.to_version, ada.to_version, ben.to_version) == (None, 3, None)


async def test_changing_seats_in_the_lobby(service: TableService, clock: StillClock) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.join(table.id, BEN)
    await service.add_ai(table.id, ANN, seat=2)
    until = clock.now() + 1000
    await service.away(table.id, BEN, until)
    table = await service.join(table.id, BEN, 2)
    assert [(sitter.seat, sitter.name) for sitter in table.sitters] == [(0, "Ann"), (2, "Ben")]
    moved = table.sitter(2)
    assert moved is not None
    assert (moved.away_until, moved.away_used) == (until, 1000.0), "being away goes with them"
    (entry,) = (await service.log(table.id))[-1:]
    assert (entry.what, entry.actor, entry.seat, entry.detail) == (What.JOIN, BEN.user_id, 2, {"from": 1})
    tenures = [one for one in await service.tenures(table.id) if one.user_id == BEN.user_id]
    assert sorted((one.seat, one.to_version) for one in tenures if one.to_version) == [(1, table.version)]
    error = await refused(service.join(table.id, BEN, 2))
    assert (error.code, error.facts) == (TableCode.ALREADY_SEATED, {"seat": 2})
    assert await code(service.join(table.id, BEN, 0)) is TableCode.SEAT_TAKEN
    assert (await service.join(table.id, ANN, 3)).host_id == ANN.user_id
    for person in (CAT, DAN):
        table = await service.join(table.id, person)
    assert table.stage is Stage.PLAYING
    error = await refused(service.join(table.id, BEN, 0))
    assert (error.code, error.facts) == (TableCode.ALREADY_SEATED, {"seat": 2})


async def test_kept_seats_are_for_those_who_played_until_somebody_names_them(service: TableService) -> None:
    kept = [(1, BEN.user_id), (3, DAN.user_id)]
    table = await service.create(GUILD, CHANNEL, ANN, "classic", kept=kept)
    assert table.invites == (Invite(1, BEN.user_id), Invite(3, DAN.user_id))
    assert (await service.join(table.id, EVE)).seat_of(EVE.user_id) == 2, "past the kept ones"
    assert await code(service.join(table.id, CAT)) is TableCode.SEATS_KEPT
    assert await code(service.add_ai(table.id, ANN)) is TableCode.SEATS_KEPT
    assert (await service.join(table.id, DAN)).seat_of(DAN.user_id) == 3
    table = await service.join(table.id, CAT, 1)
    assert (table.stage, table.invites) == (Stage.PLAYING, ())
    other = await service.create(GUILD, CHANNEL, ANN, "classic", kept=kept)
    other = await service.begin(other.id, ANN)
    assert [sitter.is_ai for sitter in other.sitters] == [False, True, True, True]
    other = await service.join(other.id, DAN)
    assert other.seat_of(DAN.user_id) == 3, "who comes late takes over"


async def test_who_leaves_a_game_is_told_of_to_the_others(service: TableService, teller: Recorder) -> None:
    lobby = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.join(lobby.id, BEN)
    await service.leave(lobby.id, BEN)
    table = await four_at_table(service)
    await service.leave(table.id, ANN)
    await service.leave(table.id, BEN)
    await service.settle()
    assert [(notice.table_id, dict(notice.data)) for notice in teller.of(NoticeKind.LEFT)] == [
        (table.id, {"seat": 0, "user_id": ANN.user_id, "host": BEN.user_id}),
        (table.id, {"seat": 1, "user_id": BEN.user_id, "host": CAT.user_id}),
    ]


async def test_leaving_the_lobby(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.join(table.id, BEN)
    await service.join(table.id, CAT)
    table = await service.leave(table.id, ANN)
    assert (table.free_seats, table.host_id) == ((0, 3), BEN.user_id)
    assert await code(service.leave(table.id, ANN)) is TableCode.NOT_SEATED
    assert (await service.join(table.id, ANN)).seat_of(ANN.user_id) == 0
    for person in (ANN, BEN, CAT):
        table = await service.leave(table.id, person)
    assert (table.stage, table.ended) == (Stage.ENDED, Ended.DESERTED)
    assert await code(service.join(table.id, ANN)) is TableCode.TABLE_ENDED
    assert await service.tables_in(GUILD) == []


async def test_ai_players(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.join(table.id, BEN)
    assert await code(service.add_ai(table.id, BEN)) is TableCode.NOT_HOST
    assert await code(service.add_ai(table.id, ANN, "godlike")) is TableCode.UNKNOWN_LEVEL
    assert await code(service.add_ai(table.id, ANN, seat=1)) is TableCode.SEAT_TAKEN
    table = await service.add_ai(table.id, ANN, seat=3)
    assert table.sitter(3) == Sitter(3, None, "Ada", "medium", since=3)
    table = await service.add_ai(table.id, EVE, moderator=True)
    assert table.stage is Stage.PLAYING, "full, so it begins"
    assert table.sitter(2) == Sitter(2, None, "Bruno", "medium", since=4)
    assert await code(service.add_ai(table.id, ANN)) is TableCode.ALREADY_STARTED


async def test_starting_fills_the_free_seats_with_ai_players(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.join(table.id, BEN)
    assert await code(service.begin(table.id, BEN)) is TableCode.NOT_HOST
    table = await service.begin(table.id, ANN)
    assert [(sitter.name, sitter.ai) for sitter in table.sitters] == [
        ("Ann", ""),
        ("Ben", ""),
        ("Ada", "medium"),
        ("Bruno", "medium"),
    ]
    assert await code(service.begin(table.id, ANN)) is TableCode.ALREADY_STARTED
    other = await service.create(GUILD, CHANNEL, ANN, "classic")
    assert (await service.begin(other.id, EVE, moderator=True)).stage is Stage.PLAYING


async def test_ending(service: TableService, teller: Recorder) -> None:
    table = await four_at_table(service)
    assert await code(service.end(table.id, BEN)) is TableCode.NOT_HOST
    table = await service.end(table.id, EVE, moderator=True)
    assert (table.stage, table.ended, table.deadline) == (Stage.ENDED, Ended.MODERATOR, None)
    assert len(table.sitters) == 4
    for request in (
        service.act(table.id, ANN.user_id, "draw"),
        service.end(table.id, ANN),
        service.leave(table.id, ANN),
        service.next_round(table.id, ANN),
        service.begin(table.id, ANN),
    ):
        assert await code(request) is TableCode.TABLE_ENDED
    assert all(tenure.to_version == table.version for tenure in await service.tenures(table.id))
    assert await service.tables_of(ANN.user_id) == []
    assert await service.results(table.id) == []
    await service.settle()
    assert teller.kinds()[-1] is NoticeKind.BOARD
    assert teller.told[-1][0].ended is Ended.MODERATOR
    lobby = await service.create(GUILD, CHANNEL, BEN, "classic")
    assert (await service.end(lobby.id, BEN)).ended is Ended.HOST


async def test_an_ai_player_takes_the_seat_of_who_leaves_a_game(service: TableService) -> None:
    table = await four_at_table(service)
    table = await service.leave(table.id, ANN)
    assert table.sitter(0) == Sitter(0, None, "Ada", "medium", since=8)
    assert table.host_id == BEN.user_id
    assert await code(service.act(table.id, ANN.user_id, "draw")) is TableCode.NOT_SEATED
    first, *_, last = await service.tenures(table.id)
    assert (first.user_id, first.from_version, first.to_version) == (ANN.user_id, 1, 8)
    assert (last.seat, last.ai, last.from_version, last.to_version) == (0, "medium", 8, None)


async def test_coming_back_to_a_game(service: TableService) -> None:
    table = await four_at_table(service)
    await service.leave(table.id, BEN)
    await service.leave(table.id, CAT)
    error = await refused(service.join(table.id, BEN, 2))
    assert (error.code, error.facts) == (TableCode.NOT_YOUR_SEAT, {"seat": 1})
    assert await code(service.join(table.id, EVE)) is TableCode.NOT_INVITED
    assert await code(service.join(table.id, EVE, by=DAN)) is TableCode.NOT_INVITED
    assert (await service.join(table.id, BEN)).seat_of(BEN.user_id) == 1
    assert await code(service.join(table.id, EVE, 3, by=ANN)) is TableCode.SEAT_TAKEN
    table = await service.join(table.id, EVE, by=ANN)
    assert table.seat_of(EVE.user_id) == 2
    assert await code(service.join(table.id, CAT)) is TableCode.SEAT_TAKEN
    assert await code(service.join(table.id, Person(5, "Fay"), moderator=True)) is TableCode.TABLE_FULL


async def test_who_held_a_seat_only_in_the_lobby_may_take_another_later(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    await service.join(table.id, BEN, 1)
    await service.leave(table.id, BEN)
    await service.begin(table.id, ANN)
    assert await code(service.join(table.id, BEN, 2)) is TableCode.NOT_INVITED
    assert (await service.join(table.id, BEN, 2, by=ANN)).seat_of(BEN.user_id) == 2


async def test_a_game_without_any_person_ends(service: TableService) -> None:
    table = await four_at_table(service)
    for person in (BEN, ANN, DAN, CAT):
        table = await service.leave(table.id, person)
    assert (table.stage, table.ended) == (Stage.ENDED, Ended.DESERTED)
    entries = await service.log(table.id)
    assert (entries[-1].what, entries[-1].detail) == (What.END, {"reason": "deserted"})
    assert all(tenure.to_version is not None for tenure in await service.tenures(table.id))
    assert len(table.sitters) == 4
    await service.settle()


async def test_what_is_loaded_anew_is_what_was_kept(
    service: TableService, make_service: Callable[..., TableService]
) -> None:
    """At every kind of stage, another process sees the same table."""
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    for change in (
        service.join(table.id, BEN),
        service.add_ai(table.id, ANN),
        service.leave(table.id, BEN),
        service.join(table.id, CAT),
        service.join(table.id, DAN),
        service.leave(table.id, ANN),
        service.end(table.id, CAT),
    ):
        await change
        await service.settle()
        assert await make_service().get(table.id) == await service.get(table.id)


async def test_names_are_kept_up_to_date(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    renamed = Person(ANN.user_id, "Anne")
    table = await service.add_ai(table.id, renamed)
    assert [sitter.name for sitter in table.people] == ["Anne"]
    await service.meet(Person(ANN.user_id, "Annie"))
    assert [sitter.name for sitter in (await service.get(table.id)).people] == ["Annie"]
    assert await service.names([ANN.user_id, BEN.user_id]) == {ANN.user_id: "Annie"}


async def test_a_person_sits_at_many_tables(service: TableService) -> None:
    tables = [await service.create(GUILD, CHANNEL + number, ANN, "classic") for number in range(3)]
    abroad = await service.create(GUILD + 1, CHANNEL, ANN, "classic")
    assert await service.tables_of(ANN.user_id) == [*tables, abroad]
    assert await service.tables_of(ANN.user_id, GUILD) == tables
    assert await service.tables_in(GUILD, CHANNEL + 1) == [tables[1]]
