"""Melds of the running turn are taken back as if they had never been laid, and nothing else is (R5.6)."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from canasta_core.actions import Discard, Draw, LayMelds, SeatAction, TakePile
from canasta_core.cards import Rank, read_card, read_cards
from canasta_core.codec import decode_event, encode_event, state_hash
from canasta_core.engine import apply
from canasta_core.events import RedThreeExposed, TakenBack
from canasta_core.offers import offers
from canasta_core.profiles import load_rules
from canasta_core.refusals import Code, Refusal
from canasta_core.state import GameState, Hand, Meld, MeldKind, Phase
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import NoticeKind, Person, Stage, Table, What
from canasta_core.tables.replay import counted, replay
from canasta_core.tables.service import TableService
from canasta_core.tables.undo import can_be_taken_back
from canasta_core.views import PlayerView
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    EVE,
    FOUR,
    Recorder,
    SeededChance,
    StillClock,
    assert_log_gives_snapshot,
    four_at_table,
    greedy,
    play_on,
)


def user_in_turn(table: Table) -> int:
    assert table.state is not None
    sitter = table.sitter(table.state.public.turn)
    assert sitter is not None
    assert sitter.user_id is not None
    return sitter.user_id


def melds_to_undo(table: Table) -> list[LayMelds]:
    """Melds that the seat in turn may lay, and that would not end the round."""
    state = table.state
    if state is None or state.public.phase is not Phase.PLAY:
        return []
    found = []
    for action in offers(table.view(state.public.turn)):
        after = apply(state, state.public.turn, action)
        if isinstance(action, LayMelds) and can_be_taken_back(action, after.state, after.events):
            found.append(action)
    return found


async def before_a_meld(service: TableService, profile: str = "classic", seed: int = 1) -> Table:
    """A game at which the seat in turn may lay something."""
    table = await four_at_table(service, profile)
    return await play_on(
        service, table.id, random.Random(seed), until=lambda table: bool(melds_to_undo(table))
    )


async def lay(service: TableService, table: Table) -> Table:
    meld = min(melds_to_undo(table), key=lambda action: len(str(action)))
    return (await service.act(table.id, user_in_turn(table), meld, table.version)).table


async def code(service: TableService, table: Table, user_id: int | None = None) -> object:
    with pytest.raises((TableError, Refusal)) as caught:
        await service.undo(table.id, user_id or user_in_turn(table))
    return caught.value.code


async def test_a_meld_is_taken_back(service: TableService, teller: Recorder) -> None:
    table = await before_a_meld(service)
    laid = await lay(service, table)
    assert table.state is not None
    assert laid.state is not None
    assert laid.before == (table.state,)
    await service.settle()
    teller.told.clear()
    acted = await service.undo(table.id, user_in_turn(table), laid.version)
    assert acted.table.state == table.state
    assert acted.table.before == ()
    (event,) = acted.events
    assert isinstance(event, TakenBack)
    gone = list(table.state.hands[acted.seat].cards)
    for card in laid.state.hands[acted.seat].cards:
        gone.remove(card)
    assert sorted(event.cards) == gone, "it names just what was laid"
    assert acted.table.recent[-1] == event, "everybody hears of it"
    assert acted.table.turn_version == table.turn_version, "the turn goes on"
    entry = (await service.log(table.id))[-1]
    assert (entry.what, entry.actor, entry.seat) == (What.UNDO, user_in_turn(table), acted.seat)
    await assert_log_gives_snapshot(service, table.id)
    await service.settle()
    assert teller.kinds() == [NoticeKind.BOARD]
    assert decode_event(encode_event(event)) == event


async def test_a_click_from_before_the_undo_is_stale(service: TableService) -> None:
    table = await before_a_meld(service)
    laid = await lay(service, table)
    await service.undo(table.id, user_in_turn(table))
    for request in (
        service.act(table.id, user_in_turn(table), melds_to_undo(table)[0], table.version),
        service.undo(table.id, user_in_turn(table), laid.version),
    ):
        with pytest.raises(TableError) as caught:
            await request
        assert caught.value.code is TableCode.STALE_TABLE


async def test_two_clicks_at_once_take_back_one_meld(service: TableService) -> None:
    table = await before_a_meld(service)
    laid = await lay(service, table)
    assert (await service.undo(table.id, user_in_turn(table), laid.version)).table.before == ()
    assert await code(service, table) is TableCode.NOTHING_TO_UNDO


@pytest.mark.parametrize("kind", [Draw, TakePile, Discard])
async def test_not_past_anything_else(service: TableService, kind: type[SeatAction]) -> None:
    """After any of these nothing is left to take back, not even what was laid before."""

    def ready(table: Table) -> bool:
        state = table.state
        if state is None or state.public.phase not in (Phase.DRAW, Phase.PLAY):
            return False
        laid = bool(table.before) or kind in (Draw, TakePile)
        return laid and any(isinstance(each, kind) for each in offers(table.view(state.public.turn)))

    def choose(view: PlayerView, rng: random.Random) -> SeatAction:
        found = [each for each in offers(view) if isinstance(each, LayMelds)]
        return min(found, key=lambda each: len(str(each))) if found else greedy(view, rng)

    table = await four_at_table(service)
    table = await play_on(service, table.id, random.Random(3), until=ready, choose=choose)
    assert table.state is not None
    user_id = user_in_turn(table)
    action = next(each for each in offers(table.view(table.state.public.turn)) if isinstance(each, kind))
    table = (await service.act(table.id, user_id, action)).table
    assert table.before == ()
    if kind is Discard:
        assert await code(service, table, user_id) is Code.NOT_YOUR_TURN
        user_id = user_in_turn(table)
    assert await code(service, table, user_id) is TableCode.NOTHING_TO_UNDO
    await assert_log_gives_snapshot(service, table.id)


async def test_not_past_a_question_or_its_answer(service: TableService) -> None:
    table = await four_at_table(service, "canastra")
    assert table.state is not None
    state = table.state.copy()
    state.public.turn, state.public.phase = 0, Phase.PLAY
    state.hands[0] = Hand.of(read_cards("KS KH KD 8S 8H 8D 5C"))
    canasta = Meld(
        "Q", MeldKind.SET, Rank(read_card("QS") >> 2), tuple(read_cards("QS QH QD QC QS QH QD")), 0
    )
    state.public.teams[0].put(canasta)
    state.public.sizes[0] = 7
    service._keep(replace(table, state=state))
    table = (await service.act(table.id, FOUR[0].user_id, "meld KS KH KD")).table
    assert len(table.before) == 1
    table = (await service.act(table.id, FOUR[0].user_id, "ask")).table
    assert table.state is not None
    assert table.state.public.phase is Phase.PERMISSION
    assert await code(service, table, FOUR[0].user_id) is TableCode.NOTHING_TO_UNDO
    await service.act(table.id, FOUR[2].user_id, "answer yes")
    assert await code(service, table, FOUR[0].user_id) is TableCode.NOTHING_TO_UNDO


async def test_only_where_the_table_allows_it(service: TableService) -> None:
    table = await four_at_table(service, undo=False)
    table = await play_on(service, table.id, random.Random(1), until=lambda table: bool(melds_to_undo(table)))
    table = await lay(service, table)
    assert table.before == (), "nothing is kept that is not needed"
    assert await code(service, table) is TableCode.UNDO_NOT_ALLOWED


async def test_only_by_who_laid_it(service: TableService) -> None:
    table = await before_a_meld(service)
    table = await lay(service, table)
    for person in FOUR:
        if person.user_id != user_in_turn(table):
            assert await code(service, table, person.user_id) is Code.NOT_YOUR_TURN
    assert await code(service, table, 5) is TableCode.NOT_SEATED
    assert len((await service.get(table.id)).before) == 1


async def test_who_sits_down_in_the_middle_of_a_turn_takes_nothing_back(service: TableService) -> None:
    table = await before_a_meld(service)
    table = await lay(service, table)
    user_id = user_in_turn(table)
    leaver = next(person for person in FOUR if person.user_id == user_id)
    service._ai.chores._closed = True  # so that the AI player does not finish the turn in between
    assert (await service.leave(table.id, leaver)).before == ()
    table = await service.join(table.id, leaver)
    assert await code(service, table) is TableCode.NOTHING_TO_UNDO


async def test_others_who_come_and_go_leave_the_melds_to_be_taken_back(service: TableService) -> None:
    """And taking them back leaves everybody where they sit now."""
    table = await before_a_meld(service)
    assert table.state is not None
    laid = await lay(service, table)
    turn, user_id = table.state.public.turn, user_in_turn(table)
    leaver, put_out = FOUR[(turn + 1) % 4], FOUR[(turn + 2) % 4]
    host = Person(laid.host_id, "host")
    await service.leave(table.id, leaver)
    await service.replace(table.id, (turn + 2) % 4, host, moderator=True)
    await service.invite(table.id, (turn + 2) % 4, host, EVE, moderator=True)
    changed = await service.join(table.id, EVE)
    assert (changed.before, changed.seat_of(put_out.user_id)) == (laid.before, None)
    undone = (await service.undo(table.id, user_id, laid.version)).table
    assert (undone.state, undone.before) == (table.state, ())
    assert undone.sitters == changed.sitters
    assert undone.seat_of(EVE.user_id) == (turn + 2) % 4
    await assert_log_gives_snapshot(service, table.id)
    kept = [entry.what for entry in counted(await service.log(table.id))]
    assert kept == [entry.what for entry in await service.log(table.id) if entry.action is not None][:-1]


async def test_what_ends_a_round_is_final(service: TableService) -> None:
    def ready(table: Table) -> bool:
        return bool(table.state and table.state.public.phase is Phase.ROUND_OVER)

    table = await four_at_table(service)
    table = await play_on(service, table.id, random.Random(1), until=ready)
    assert table.before == ()
    assert await code(service, table, FOUR[0].user_id) is TableCode.NOTHING_TO_UNDO


def test_a_meld_that_shows_something_hidden_is_final() -> None:
    """Whatever a meld may come to show one day, a second hand or a turned card, it comes as an event."""
    state = GameState.new(load_rules("classic"))
    state.public.phase = Phase.PLAY
    meld, shown = LayMelds(()), RedThreeExposed(0, read_card("3H"), True)
    assert can_be_taken_back(meld, state, ())
    assert not can_be_taken_back(meld, state, (shown,))
    assert not can_be_taken_back(Draw(), state, ())
    state.public.phase = Phase.ROUND_OVER
    assert not can_be_taken_back(meld, state, ())


async def test_it_survives_a_restart(
    service: TableService, make_service: Callable[..., TableService]
) -> None:
    table = await before_a_meld(service)
    laid = await lay(service, table)
    await service.settle()
    await service.close()
    after = make_service()
    assert await after.get(table.id) == laid
    assert (await after.undo(table.id, user_in_turn(table))).table.state == table.state
    await assert_log_gives_snapshot(after, table.id)


@pytest.mark.parametrize("profile", ["classic", "salon", "canastra", "browser"])
async def test_laid_and_taken_back_is_never_laid(tmp_path: Path, profile: str) -> None:
    """Any number of melds laid and taken back, then the game goes on as if they had not been."""
    hashes = []
    for undoing in (True, False):
        store = SqliteStore(tmp_path / f"{undoing}.db")
        await store.open()
        service = TableService(store, clock=StillClock(), chance=SeededChance(1), next_round=60.0)
        try:
            table = await four_at_table(service, profile)
            undone = await _play_a_round(service, table, 1 if undoing else None)
            assert (undone >= 3) == undoing
            table = await service.get(table.id)
            await assert_log_gives_snapshot(service, table.id)
            assert table.state is not None
            hashes.append(state_hash(table.state))
            entries = await service.log(table.id)
            rows = [(entry.seat, entry.action, entry.events) for entry in counted(entries)]
            hashes.append(hash(tuple(rows)))
            assert state_hash(replay(entries, table.rules)) == hashes[-2]
        finally:
            await service.close()
            await store.close()
    assert hashes[:2] == hashes[2:]


async def _play_a_round(service: TableService, table: Table, seed: int | None) -> int:
    """Play a round by the positions alone; with a seed, lay and take back in between. How often."""
    whims = random.Random(seed)
    undone = 0
    while table.stage is Stage.PLAYING and table.state and table.state.public.phase is not Phase.ROUND_OVER:
        seat = table.state.public.turn
        if table.state.public.phase is Phase.PERMISSION:
            seat = table.state.public.pending[0]
        user_id = FOUR[seat].user_id
        if seed is not None:
            laid = 0
            while (melds := melds_to_undo(table)) and whims.random() < 0.8:
                table = (await service.act(table.id, user_id, whims.choice(melds))).table
                laid += 1
            for _ in range(laid):
                table = (await service.undo(table.id, user_id, table.version)).table
            undone += laid
        assert table.state is not None
        choice = random.Random(state_hash(table.state))
        table = (await service.act(table.id, user_id, greedy(table.view(seat), choice))).table
    return undone
