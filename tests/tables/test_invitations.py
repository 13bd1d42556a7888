"""Seats change hands: who may take which, who is invited, and what who has left can still find out."""

import asyncio
import inspect
import random
from collections.abc import Awaitable, Callable

import pytest

from canasta_core.refusals import Refusal
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import (
    AWAY_LIMIT,
    CLOCKS,
    DAY,
    Invite,
    NoticeKind,
    Person,
    Preferences,
    Stage,
    Table,
    Tenure,
    What,
)
from canasta_core.tables.own_data import HANDS
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.test_hosting import put_absent
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

FAY = Person(700_000_000_000_000_099, "Fay")


@pytest.fixture
async def service(make_service: Callable[..., TableService], teller: Recorder) -> TableService:
    """AI players that wait, so that a table stays as it is."""
    service = make_service(ai_delay=1e9, thinker=PlainThinker())
    await service.start(teller)
    return service


async def table_with_ai(service: TableService, *seats: int) -> Table:
    """A running game of Ann, Ben, Cat and Dan, where AI players have taken some seats."""
    table = await four_at_table(service)
    for seat in seats:
        table = await service.leave(table.id, (ANN, BEN, CAT, DAN)[seat])
    return table


async def test_who_is_invited_sits_down(service: TableService, teller: Recorder) -> None:
    table = await table_with_ai(service, 1, 3)
    assert await code(service.join(table.id, EVE)) is TableCode.NOT_INVITED
    invited = await service.invite(table.id, 3, ANN, EVE)
    assert invited.invites == (Invite(3, EVE.user_id),)
    entry = (await service.log(table.id))[-1]
    assert (entry.what, entry.actor, entry.seat) == (What.INVITE, ANN.user_id, 3)
    assert entry.detail == {"user_id": EVE.user_id}
    await all_told(service)
    assert teller.of(NoticeKind.INVITE)[0].data == {"seat": 3, "user_id": EVE.user_id}
    assert await service.names([EVE.user_id]) == {EVE.user_id: "Eve"}
    assert await code(service.join(table.id, FAY)) is TableCode.NOT_INVITED
    assert await code(service.join(table.id, FAY, 3)) is TableCode.NOT_INVITED
    assert await code(service.join(table.id, EVE, 1)) is TableCode.NOT_INVITED
    table = await service.join(table.id, EVE)
    assert (table.seat_of(EVE.user_id), table.invites) == (3, ())
    assert await code(service.join(table.id, DAN)) is TableCode.SEAT_TAKEN, "it is hers now"
    await assert_log_gives_snapshot(service, table.id)


async def test_an_open_seat_is_for_anybody(service: TableService, teller: Recorder) -> None:
    table = await table_with_ai(service, 1, 3)
    table = await service.invite(table.id, 3, ANN, None)
    assert table.invites == (Invite(3, None),)
    await all_told(service)
    assert teller.of(NoticeKind.INVITE)[0].data == {"seat": 3, "user_id": None}
    assert await code(service.join(table.id, EVE, 1)) is TableCode.NOT_INVITED
    assert (await service.join(table.id, EVE)).seat_of(EVE.user_id) == 3
    assert await code(service.join(table.id, FAY)) is TableCode.NOT_INVITED


async def test_an_own_invitation_comes_before_an_open_seat(service: TableService) -> None:
    table = await table_with_ai(service, 1, 2, 3)
    await service.invite(table.id, 1, ANN, None)
    await service.invite(table.id, 2, ANN, FAY)
    await service.invite(table.id, 3, ANN, EVE)
    assert (await service.join(table.id, EVE)).seat_of(EVE.user_id) == 3


async def test_inviting_again_and_withdrawing(service: TableService) -> None:
    table = await table_with_ai(service, 1, 3)
    await service.invite(table.id, 3, ANN, EVE)
    await service.invite(table.id, 1, ANN, EVE)
    table = await service.invite(table.id, 3, ANN, FAY)
    assert set(table.invites) == {Invite(1, EVE.user_id), Invite(3, FAY.user_id)}
    assert await code(service.join(table.id, EVE, 3)) is TableCode.NOT_INVITED
    table = await service.withdraw(table.id, 3, ANN)
    assert table.invites == (Invite(1, EVE.user_id),)
    entry = (await service.log(table.id))[-1]
    assert (entry.what, entry.seat, entry.detail) == (What.INVITE, 3, {"withdrawn": True})
    error = await refused(service.withdraw(table.id, 3, ANN))
    assert (error.code, error.facts) == (TableCode.NO_INVITE, {"seat": 3})
    assert await code(service.join(table.id, FAY)) is TableCode.NOT_INVITED


async def test_only_a_seat_that_nobody_plays(service: TableService) -> None:
    lobby = await service.create(GUILD, CHANNEL, ANN, "classic")
    assert await code(service.invite(lobby.id, 1, ANN, EVE)) is TableCode.NOT_STARTED
    table = await table_with_ai(service, 3)
    error = await refused(service.invite(table.id, 1, ANN, EVE))
    assert (error.code, error.facts) == (TableCode.SEAT_TAKEN, {"seat": 1, "name": "Ben"})
    error = await refused(service.invite(table.id, 3, ANN, BEN))
    assert (error.code, error.facts) == (TableCode.GUEST_SEATED, {"seat": 1, "name": "Ben"})
    assert await code(service.invite(table.id, 9, ANN, EVE)) is TableCode.NO_SUCH_SEAT


async def test_a_seat_that_is_kept_for_somebody_absent(service: TableService) -> None:
    """Whoever is invited may take it; until then the person comes back to it, which ends the invitation."""
    table = await four_at_table(service)
    await put_absent(service, table, BEN)
    assert await code(service.join(table.id, EVE, 1, by=ANN)) is TableCode.NOT_INVITED, (
        "a seat that is somebody's is given away by an invitation that all can see, or not at all"
    )
    await service.invite(table.id, 1, ANN, EVE)
    table = await service.back(table.id, BEN)
    assert table.invites == ()
    assert await code(service.join(table.id, EVE)) is TableCode.TABLE_FULL
    await put_absent(service, table, BEN)
    await service.invite(table.id, 1, ANN, None)
    table = await service.join(table.id, EVE)
    assert (table.seat_of(EVE.user_id), table.seat_of(BEN.user_id)) == (1, None)
    assert await code(service.join(table.id, BEN)) is TableCode.SEAT_TAKEN
    assert await code(service.back(table.id, BEN)) is TableCode.NOT_SEATED
    sitter = table.sitter(1)
    assert sitter is not None
    assert (sitter.absent, sitter.kept, sitter.missed) == (False, False, 0), "it begins anew"


async def test_the_hosts_part_passes_on_when_somebody_takes_the_kept_seat(service: TableService) -> None:
    table = await four_at_table(service)
    await put_absent(service, table, ANN)
    await service.invite(table.id, 0, EVE, None, moderator=True)
    table = await service.join(table.id, FAY)
    assert table.host_id == BEN.user_id
    assert (await service.log(table.id))[-1].detail == {"host": BEN.user_id}


async def test_who_left_comes_back_and_ends_the_invitation(service: TableService) -> None:
    table = await table_with_ai(service, 1)
    await service.invite(table.id, 1, ANN, EVE)
    table = await service.join(table.id, BEN)
    assert (table.seat_of(BEN.user_id), table.invites) == (1, ())
    assert await code(service.join(table.id, EVE)) is TableCode.TABLE_FULL


async def test_no_invitation_lets_anybody_see_a_second_hand(service: TableService) -> None:
    table = await table_with_ai(service, 1, 3)
    error = await refused(service.invite(table.id, 3, ANN, BEN))
    assert (error.code, error.facts) == (TableCode.NOT_THEIR_SEAT, {"seat": 1, "name": "Ben"})
    await service.invite(table.id, 3, ANN, None)
    for request in (
        service.join(table.id, BEN, 3),
        service.join(table.id, BEN, 3, by=ANN),
        service.join(table.id, BEN, 3, moderator=True),
    ):
        error = await refused(request)
        assert (error.code, error.facts) == (TableCode.NOT_YOUR_SEAT, {"seat": 1})
    await service.invite(table.id, 1, ANN, EVE)
    await service.join(table.id, EVE)
    assert await code(service.join(table.id, BEN)) is TableCode.SEAT_TAKEN, "nor the open seat instead"
    await service.leave(table.id, EVE)
    for person in (BEN, EVE):
        assert await code(service.join(table.id, person, 3)) is TableCode.NOT_YOUR_SEAT
    assert (await service.join(table.id, EVE)).seat_of(EVE.user_id) == 1


async def test_two_for_one_seat(service: TableService) -> None:
    table = await table_with_ai(service, 3)
    await service.invite(table.id, 3, ANN, None)
    came = await asyncio.gather(
        service.join(table.id, EVE), service.join(table.id, FAY), return_exceptions=True
    )
    assert sorted(isinstance(each, Table) for each in came) == [False, True]
    (error,) = [each for each in came if isinstance(each, TableError)]
    assert error.code is TableCode.TABLE_FULL


async def test_getting_in_and_out_meanwhile_shows_no_second_hand(
    service: TableService, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody has seen is looked up anew when the seats have changed since it was."""
    table = await table_with_ai(service, 1, 3)
    await service.invite(table.id, 1, ANN, None)
    await service.invite(table.id, 3, ANN, None)
    look_up = store.tenures
    looked_up = 0

    async def slow(table_id: int) -> list[Tenure]:
        nonlocal looked_up
        looked_up += 1
        found = await look_up(table_id)
        if looked_up == 1:
            await service.join(table.id, EVE, 1)
            await service.leave(table.id, EVE)
        return found

    monkeypatch.setattr(store, "tenures", slow)
    error = await refused(service.join(table.id, EVE, 3))
    assert (error.code, error.facts) == (TableCode.NOT_YOUR_SEAT, {"seat": 1})
    assert looked_up == 3, "for the seat taken meanwhile, and anew for the one that was asked for"


async def test_time_away_is_not_won_back_by_leaving(service: TableService, clock: StillClock) -> None:
    table = await four_at_table(service)
    await service.away(table.id, BEN, clock.now() + 10 * DAY)
    clock.pass_time(4 * DAY)
    await service.leave(table.id, BEN)
    table = await service.join(table.id, BEN)
    sitter = table.sitter(1)
    assert sitter is not None
    assert (sitter.away_until, sitter.away_used) == (None, 4 * DAY), "what was not used is not counted"
    await service.leave(table.id, BEN)
    await service.join(table.id, BEN)
    error = await refused(service.away(table.id, BEN, clock.now() + 11 * DAY))
    assert (error.code, error.facts["left"]) == (TableCode.AWAY_LIMIT, AWAY_LIMIT - 4 * DAY)


async def test_nobody_is_called_to_a_seat_that_is_not_free_any_more(
    make_service: Callable[..., TableService], teller: Recorder
) -> None:
    service = make_service(ai_delay=1e9)
    table = await table_with_ai(service, 1, 3)
    await service.invite(table.id, 1, ANN, EVE)
    await service.withdraw(table.id, 1, ANN)
    await service.invite(table.id, 3, ANN, EVE)
    await service.propose_clock(table.id, ANN, None)
    await service.agree(table.id, CAT, False)
    await service.start(teller)
    await all_told(service)
    assert [notice.data for notice in teller.of(NoticeKind.INVITE)] == [{"seat": 3, "user_id": EVE.user_id}]
    assert teller.of(NoticeKind.PROPOSAL) == []


@pytest.mark.parametrize("seed", range(4))
async def test_people_come_and_go_in_any_order(
    service: TableService, make_service: Callable[..., TableService], clock: StillClock, seed: int
) -> None:
    """Whatever is asked for in whatever order, nobody sees two hands, and the table stays whole."""
    whims = random.Random(seed)
    people = [ANN, BEN, CAT, DAN, EVE, FAY]
    table = await four_at_table(service)
    done = 0
    for _ in range(250):
        one = whims.choice(people)
        try:
            await whim(service, table, one, whims, clock.now())
            done += 1
        except TableError:
            pass  # as good as any: what counts is that the table stays whole
        table = await service.get(table.id)
        assert table.stage is Stage.PLAYING
        seated = [sitter.user_id for sitter in table.people]
        assert len(seated) == len(set(seated))
        assert table.host_id in seated
        assert table.proposal is None or table.proposal.by in seated
        assert {invite.seat for invite in table.invites} <= {
            sitter.seat for sitter in table.sitters if not sitter.is_active
        }
    assert done > 40
    for person in people:
        tenures = [each for each in await service.tenures(table.id) if each.user_id == person.user_id]
        assert len({each.seat for each in tenures}) <= 1, "nobody has seen two hands"
    await all_told(service)
    await assert_log_gives_snapshot(service, table.id)
    assert await make_service().get(table.id) == await service.get(table.id)


async def whim(service: TableService, table: Table, one: Person, whims: random.Random, now: float) -> None:
    """Something that somebody may ask for, or that befalls them."""
    seat, host = whims.randrange(4), Person(table.host_id, "host")
    match whims.randrange(14):
        case 0 | 7 if len(table.people) == 1:
            pass  # a table without any person would end
        case 0:
            await service.leave(table.id, one)
        case 1:
            await service.join(table.id, one)
        case 2:
            await service.join(table.id, one, seat)
        case 3:
            await service.join(table.id, one, by=host)
        case 4:
            await service.invite(table.id, seat, host, one)
        case 5:
            await service.invite(table.id, seat, host, None)
        case 6:
            await service.withdraw(table.id, seat, host)
        case 7:
            await service.replace(table.id, seat, host)
        case 8:
            await service.hand_over(table.id, host, one.user_id)
        case 9:
            await service.propose_clock(table.id, one, whims.choice(CLOCKS))
        case 10:
            await service.agree(table.id, one, whims.random() < 0.8)
        case 11:
            await service.away(table.id, one, now + DAY)
        case 12:
            await service.back(table.id, one)
        case _:
            if table.seat_of(one.user_id) is not None:
                await put_absent(service, table, one)


PLACES = {
    "create": "opens a table of their own",
    "tables_of": "lists where they sit",
    "meet": "their name only",
    "preferences": "their own",
    "set_preferences": "their own",
    "own_data": "their own: tried below",
    "forget": "takes them out of all that is stored; they get up if they sit somewhere",
    "leaderboard": "games that are over; so the next ones",
    "place_of": "their line",
    "standing": "theirs",
    "played": "theirs",
    "past_games": "theirs",
    "open_cup": "seats people at tables that open with it, at no other; so the next ones",
    "enter_cup": "a cup",
    "leave_cup": "a cup",
    "start_cup": "a cup",
    "end_cup": "a cup",
}
"""Requests that know a person and are no way into this table."""


async def test_who_was_replaced_needs_an_invitation_whoever_sat_there_since(service: TableService) -> None:
    table = await four_at_table(service)
    await service.replace(table.id, 1, ANN)
    await service.invite(table.id, 1, ANN, EVE)
    await service.join(table.id, EVE)
    await service.leave(table.id, EVE)
    assert await code(service.join(table.id, BEN)) is TableCode.NOT_INVITED
    table = await service.join(table.id, EVE)
    assert table.seat_of(EVE.user_id) == 1, "who left by themselves may come back"
    await service.leave(table.id, EVE)
    await service.invite(table.id, 1, ANN, BEN)
    await service.join(table.id, BEN)
    await service.leave(table.id, BEN)
    table = await service.join(table.id, BEN)
    assert table.seat_of(BEN.user_id) == 1, "it counts how they went the last time"


async def test_who_has_left_has_no_way_to_the_hand(service: TableService) -> None:
    """Every request that knows a person is tried by somebody who has left, one who was replaced, and one
    whose kept seat was taken: whatever it comes to, none of them sits there again or learns a card.
    """
    table = await four_at_table(service)
    await service.leave(table.id, BEN)
    await service.replace(table.id, 2, ANN)
    await put_absent(service, table, DAN)
    for seat, guest in ((1, EVE), (2, FAY), (3, Person(42, "Gus"))):
        await service.invite(table.id, seat, ANN, guest)
        await service.join(table.id, guest)
    before = await service.get(table.id)

    def requests(person: Person) -> dict[str, Callable[[], Awaitable[object]]]:
        return {
            "join": lambda: service.join(table.id, person),
            "leave": lambda: service.leave(table.id, person),
            "add_ai": lambda: service.add_ai(table.id, person),
            "begin": lambda: service.begin(table.id, person),
            "end": lambda: service.end(table.id, person),
            "next_round": lambda: service.next_round(table.id, person),
            "act": lambda: service.act(table.id, person.user_id, "draw"),
            "undo": lambda: service.undo(table.id, person.user_id),
            "replace": lambda: service.replace(table.id, 1, person),
            "invite": lambda: service.invite(table.id, 1, person, person),
            "withdraw": lambda: service.withdraw(table.id, 1, person),
            "hand_over": lambda: service.hand_over(table.id, person, person.user_id),
            "move": lambda: service.move(table.id, 5, person),
            "propose_clock": lambda: service.propose_clock(table.id, person, None),
            "agree": lambda: service.agree(table.id, person, True),
            "away": lambda: service.away(table.id, person, before.created_at + DAY),
            "back": lambda: service.back(table.id, person),
            "pause": lambda: service.pause(table.id, person, before.created_at + DAY),
            "resume": lambda: service.resume(table.id, person),
            "record": lambda: service.record(table.id, person.user_id),
            "playback": lambda: service.playback(table.id, person.user_id),
            "check_repeatable": lambda: service.check_repeatable(table.id, person),
            "repeat": lambda: service.repeat(table.id, CHANNEL, person),
        }

    known = {
        name
        for name, method in inspect.getmembers(TableService, inspect.iscoroutinefunction)
        if not name.startswith("_")
        and {"person", "by", "user_id", "host", "reader"} & set(_parameters(method))
    }
    assert known - set(PLACES) == set(requests(BEN)), "a new way in belongs into this test"
    for person in (BEN, CAT, DAN):
        for seat in range(4):
            with pytest.raises(TableError):
                await service.join(table.id, person, seat)
        for name, request in requests(person).items():
            with pytest.raises((TableError, Refusal)) as caught:
                await request()
            assert isinstance(caught.value, TableError), name
        assert (await service.tables_of(person.user_id)) == []
        assert (await service.get(table.id)).seat_of(person.user_id) is None
        await service.set_preferences(person, Preferences(two_step=True))
        assert HANDS not in (await service.own_data(person.user_id)).entries
    assert await service.get(table.id) == before


def _parameters(method: object) -> list[str]:
    return list(inspect.signature(method).parameters)


async def test_notices_of_a_seat_go_to_who_sits_there_now(service: TableService, teller: Recorder) -> None:
    table = await four_at_table(service)
    assert table.state is not None
    seat = table.state.public.turn
    leaver = (ANN, BEN, CAT, DAN)[seat]
    await service.leave(table.id, leaver)
    await service.invite(
        table.id, seat, Person((await service.get(table.id)).host_id, "host"), EVE, moderator=False
    )
    table = await service.join(table.id, EVE)
    await all_told(service)
    turn = teller.of(NoticeKind.TURN)[-1]
    assert turn.data == {"seat": seat, "user_id": EVE.user_id}
    assert turn.version == table.turn_version
    acted = await service.act(table.id, EVE.user_id, "draw")
    assert acted.seat == seat, "the new sitter sees the hand"
    assert acted.table.view(seat).hand.cards
