"""AI seats act through the same door as people, and a bad policy never stops a game."""

import random
from collections.abc import Callable

import pytest

from canasta_core.actions import Answer, AskPartner, Discard, SeatAction
from canasta_core.cards import JOKER
from canasta_core.legality import why_not
from canasta_core.state import Phase
from canasta_core.tables.model import Stage, Table
from canasta_core.tables.service import TableService
from canasta_core.views import PlayerView
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    ANN,
    CAT,
    CHANNEL,
    GUILD,
    FailingStore,
    GreedyThinker,
    PlainThinker,
    Recorder,
    SeededChance,
    StillClock,
    assert_log_gives_snapshot,
    eventually,
    greedy,
    plain,
    play_on,
)


async def alone(service: TableService) -> Table:
    """A game of one person and three AI players."""
    table = await service.create(GUILD, CHANNEL, ANN, "classic")
    return await service.begin(table.id, ANN)


async def test_the_pause_before_a_turn_is_always_the_same(
    make_service: Callable[..., TableService], clock: StillClock
) -> None:
    service = make_service(ai_delay=2.5, next_round=1e6)
    await service.start(Recorder())
    table = await alone(service)
    rng = random.Random(1)
    pauses: list[float] = []

    for _ in range(60):
        table = await service.get(table.id)
        assert table.state is not None
        if table.state.public.phase is Phase.ROUND_OVER:
            await service.next_round(table.id, ANN)
        elif table.state.public.turn == 0:
            await service.act(table.id, ANN.user_id, greedy(table.view(0), rng))
        else:
            await eventually(lambda: bool(clock.pauses))
            pauses += clock.pauses
            version = table.version
            assert (await service.get(table.id)).version == version, "not a move before the pause is over"
            clock.pass_time(2.5)
            await eventually(lambda: bool(clock.pauses) or not service._ai.chores.busy)
            assert (await service.get(table.id)).version > version, "the whole turn without another pause"
    assert len(pauses) > 10
    assert set(pauses) == {2.5}
    assert service.ai_failures == 0


class Asking(GreedyThinker):
    """Asks whenever it can; answers by chance."""

    async def choose(self, level: str, view: PlayerView, rng: random.Random) -> SeatAction:
        if why_not(view, AskPartner()) is None:
            return AskPartner()
        if why_not(view, Answer(True)) is None:
            return Answer(rng.random() < 0.5)
        return greedy(view, rng)


async def test_the_pause_before_an_answer_is_always_the_same(
    make_service: Callable[..., TableService], clock: StillClock
) -> None:
    service = make_service(ai_delay=8.0, thinker=Asking())
    await service.start(Recorder())
    rng = random.Random(1)
    answers: set[bool | None] = set()
    for _ in range(60):
        table = await alone(service)
        for _ in range(300):
            table = await service.get(table.id)
            assert table.state is not None
            public = table.state.public
            if public.phase is Phase.ROUND_OVER:
                break
            if public.phase is Phase.PERMISSION and public.pending != (0,):
                await eventually(lambda: bool(clock.pauses))
                assert clock.pauses == [1.0]
                clock.pass_time(1.0)
                await eventually(lambda: bool(clock.pauses) or not service._ai.chores.busy)
                answered = (await service.get(table.id)).state
                assert answered is not None
                answers.add(answered.public.answer)
            elif public.turn == 0 or public.pending == (0,):
                await service.act(table.id, ANN.user_id, await Asking().choose("", table.view(0), rng))
            else:
                await eventually(lambda: bool(clock.pauses))
                clock.pass_time(8.0)
                await eventually(lambda: bool(clock.pauses) or not service._ai.chores.busy)
        await service.end(table.id, ANN)
        await service.settle()
        clock.pass_time(100)
        if answers == {True, False}:
            return
    raise AssertionError(f"answers were only {answers}")


class Broken:
    """Raises, cheats or talks nonsense, by turns."""

    def __init__(self) -> None:
        self.count = 0

    async def choose(self, level: str, view: PlayerView, rng: random.Random) -> SeatAction:
        self.count += 1
        if self.count % 3 == 0:
            raise RuntimeError("thinking failed")
        return Discard(JOKER) if self.count % 3 == 1 else "nonsense"  # type: ignore[return-value]


async def test_a_bad_policy_is_counted_and_the_game_goes_on(
    make_service: Callable[..., TableService], caplog: pytest.LogCaptureFixture
) -> None:
    thinker = Broken()
    service = make_service(thinker=thinker)
    await service.start(Recorder())
    table = await alone(service)
    table = await play_on(
        service, table.id, random.Random(1), until=lambda table: table.version > 40 and thinker.count > 12
    )
    await service.settle()
    assert service.ai_failures >= thinker.count * 2 // 3
    assert f"table {table.id} up to version" in caplog.text, "the position can be found"
    await assert_log_gives_snapshot(service, table.id)


async def test_ai_seats_go_on_after_a_restart(
    make_service: Callable[..., TableService], store: SqliteStore
) -> None:
    first = make_service(ai_delay=3600.0)
    table = await alone(first)
    rng = random.Random(1)
    while table.state is not None and table.state.public.turn == 0:
        table = (await first.act(table.id, ANN.user_id, plain(table.view(0), rng))).table
    await first.close()
    second = make_service(thinker=PlainThinker())
    await second.start(Recorder())
    await second.settle()
    after = await second.get(table.id)
    assert after.state is not None
    assert after.version > table.version
    assert after.state.public.turn == 0


async def test_the_seat_of_who_leaves_in_turn_is_played_at_once(
    make_service: Callable[..., TableService],
) -> None:
    service = make_service(thinker=PlainThinker())
    await service.start(Recorder())
    table = await alone(service)
    await service.join(table.id, CAT, 2, by=ANN)
    table = await play_on(
        service,
        table.id,
        random.Random(1),
        until=lambda table: table.state is not None and table.state.public.turn == 0,
        choose=plain,
    )
    version = table.version
    await service.leave(table.id, ANN)
    await service.settle()
    table = await service.get(table.id)
    assert table.state is not None
    assert table.version > version + 1
    assert table.state.public.turn == 2, "until it is the turn of a person"


async def test_the_real_players_need_no_help(make_service: Callable[..., TableService]) -> None:
    """A game of the default thinker, with a person who leaves most to chance: nothing is ever refused."""
    service = make_service(thinker=None)
    await service.start(Recorder())
    table = await alone(service)
    table = await play_on(service, table.id, random.Random(7))
    await service.settle()
    assert table.stage is Stage.ENDED
    assert service.ai_failures == 0
    await assert_log_gives_snapshot(service, table.id)
    results = await service.results(table.id)
    assert [(each.ai, each.whole) for each in results] == [
        ("", True),
        ("medium", False),
        ("medium", False),
        ("medium", False),
    ]


async def test_an_ai_player_waits_for_a_store_that_fails(store: SqliteStore, clock: StillClock) -> None:
    failing = FailingStore(store._database.path)
    await failing.open()
    service = TableService(failing, clock=clock, chance=SeededChance(1), thinker=GreedyThinker(), ai_delay=5)
    await service.start(Recorder())
    table = await alone(service)
    rng = random.Random(1)
    while table.state is not None and table.state.public.turn == 0:
        table = (await service.act(table.id, ANN.user_id, plain(table.view(0), rng))).table
    failing.failures = {"commit": 3}
    for pause in (5.0, 1.0, 2.0, 4.0):
        await eventually(lambda pause=pause: clock.pauses == [pause])
        assert (await service.get(table.id)).version == table.version
        clock.pass_time(pause)
    await eventually(lambda: bool(clock.pauses) or not service._ai.chores.busy)
    assert (await service.get(table.id)).version > table.version
    assert service.ai_failures == 0
    await service.close()
    await failing.close()
