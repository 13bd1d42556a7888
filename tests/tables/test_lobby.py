"""Who sits where: opening a table, joining, leaving, AI players, starting and ending."""

from collections.abc import Awaitable, Callable

import pytest

from canasta_core.profiles import RulesError
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Ended, NoticeKind, Person, Sitter, Stage, What
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
