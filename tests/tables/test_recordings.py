"""Records of tables, and games whose packs are dealt again: through the real service, on a real file."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from canasta_core.actions import Deal, DrawLots
from canasta_core.cards import write_cards
from canasta_core.codec import state_hash
from canasta_core.legality import who_acts
from canasta_core.playback import Playback, turns_of
from canasta_core.profiles import profile_ids
from canasta_core.record import (
    Record,
    RecordCode,
    RecordError,
    final_position,
    read_record,
    write_record,
)
from canasta_core.state import Phase
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Person, Stage, Table
from canasta_core.tables.recording import shuffles
from canasta_core.tables.service import TableService
from data.archive import Archiver
from data.sqlite_store import SqliteStore
from tests.tables.tools import (
    ANN,
    BEN,
    CHANNEL,
    DAN,
    EVE,
    FOUR,
    GUILD,
    StillClock,
    all_told,
    assert_log_gives_snapshot,
    four_at_table,
    play_on,
)

OTHERS = tuple(Person(800 + number, name) for number, name in enumerate(("Flo", "Gus", "Hal", "Ida")))


def rounds_over(count: int) -> Callable[[Table], bool]:
    """Until so many rounds are over, and the next one has begun and gone on a little."""

    def so(table: Table) -> bool:
        assert table.state is not None
        public = table.state.public
        return table.stage is Stage.ENDED or (
            public.round_number > count and public.stock_size < 60 and len(who_acts(public)) > 0
        )

    return so


async def refused(coroutine: Any) -> TableError:
    with pytest.raises(TableError) as caught:
        await coroutine
    return caught.value


@pytest.mark.parametrize("name", profile_ids())
async def test_a_finished_game_comes_back_to_the_same_hash(service: TableService, name: str) -> None:
    """With two AI players, and people who lay and take back what they laid."""
    table = await service.create(GUILD, CHANNEL, ANN, name)
    await service.join(table.id, BEN, 2)
    table = await service.begin(table.id, ANN)
    rng, undone = random.Random(name), 0
    while table.stage is not Stage.ENDED:
        table = await play_on(service, table.id, rng, until=has_laid)
        if table.stage is not Stage.ENDED and table.state is not None:
            user = table.sitters[table.state.public.turn].user_id
            if user is not None and table.before and undone < 20:
                table = (await service.undo(table.id, user)).table
                undone += 1
            else:
                table = await play_on(
                    service, table.id, rng, until=lambda now, was=table: now.version > was.version
                )
    assert undone > 3
    await all_told(service)
    await assert_log_gives_snapshot(service, table.id)
    record = await service.record(table.id)
    again = read_record(write_record(record))
    assert again == record
    assert table.state is not None
    assert state_hash(final_position(again)) == state_hash(table.state)
    assert [player.ai for player in record.players] == ["", "medium", "", "medium"]
    assert (record.players[0].name, record.title) == ("Ann", f"table {table.id}")
    assert_a_change_is_named(record)


def has_laid(table: Table) -> bool:
    return table.stage is Stage.ENDED or bool(table.before)


def assert_a_change_is_named(record: Record) -> None:
    """One move, one card of a pack, one salt of each game: the line and what is wrong with it."""
    lines = write_record(record).splitlines()
    for pattern, change, codes in (
        (r"^\w+ \d discard", lambda words: [*words[:-1], other(words[-1])], {"refused", "wrong_position"}),
        (r"^\w+ - deal", lambda words: [*words[:3], *swapped(words[3:])], {"broken_promise"}),
        (r"^salt: ", lambda words: [words[0], words[1][::-1]], {"broken_promise"}),
    ):
        at = [number for number, line in enumerate(lines) if re.match(pattern, line)][-1]
        changed = lines.copy()
        changed[at] = " ".join(change(lines[at].split(" ")))
        assert changed[at] != lines[at]
        with pytest.raises(RecordError) as caught:
            read_record("\n".join(changed))
        assert caught.value.code in codes
        assert caught.value.line == at + (2 if pattern.startswith("^salt") else 1)
        assert caught.value.code in set(RecordCode)


def other(card: str) -> str:
    return "4S" if card != "4S" else "KH"


def swapped(cards: list[str]) -> list[str]:
    first = next(place for place, card in enumerate(cards) if card != cards[0])
    return [cards[first], *cards[1:first], cards[0], *cards[first + 1 :]]


async def test_nothing_of_a_running_round_is_in_a_record(service: TableService) -> None:
    table = await four_at_table(service)
    assert (await refused(service.record(table.id))).code is TableCode.NO_RECORD
    table = await play_on(service, table.id, random.Random(1), until=rounds_over(2))
    assert table.state is not None
    record = await service.record(table.id)
    end = final_position(record)
    assert (end.public.phase, end.public.round_number) == (Phase.ROUND_OVER, 2)
    text = write_record(record)
    log = await service.log(table.id)
    (running,) = [one for one in log if isinstance(one.action, Deal)][2:]
    assert str(running.detail["salt"]) not in text
    assert table.commitment == running.detail["commitment"]
    assert table.commitment not in text
    assert write_cards(running.action.pack[:20]) not in text  # type: ignore[union-attr]
    playback = Playback(record)
    assert (playback.rounds, playback.finished) == (2, 2)
    moments = playback.round(2)
    assert moments[-1].is_over
    assert isinstance(moments[0].step.action, Deal)
    turns = turns_of(moments)
    assert turns[0].first == 0
    assert turns[-1].end == len(moments) - 1
    for turn in turns:
        public = moments[turn.first].state.public
        assert (public.phase, public.turn) == (Phase.DRAW, turn.seat)
        assert {moment.step.seat for moment in moments[turn.first + 1 : turn.end + 1]} <= {
            seat for seat in range(4) if seat % 2 == turn.seat % 2
        }
    with pytest.raises(IndexError):
        playback.round(3)


async def test_a_game_that_was_ended_early_has_its_finished_rounds(service: TableService) -> None:
    table = await four_at_table(service)
    await play_on(service, table.id, random.Random(1), until=rounds_over(1))
    await service.end(table.id, ANN)
    assert final_position(await service.record(table.id)).public.round_number == 1


async def test_a_packed_log_gives_the_same_record(
    service: TableService, store: SqliteStore, clock: StillClock
) -> None:
    table = await finished_game(service)
    before = write_record(await service.record(table.id))
    await all_told(service)
    archiver = Archiver(store.database, clock, 0, pause=0.0)
    assert await archiver.pack_due() == 1
    assert write_record(await service.record(table.id)) == before


async def finished_game(service: TableService, seed: int = 1) -> Table:
    """Two rounds of four, ended by the host in the third."""
    table = await four_at_table(service)
    await play_on(service, table.id, random.Random(seed), until=rounds_over(2))
    return await service.end(table.id, ANN)


async def duplicate(service: TableService, table_id: int, people: tuple[Person, ...] = OTHERS) -> Table:
    table = await service.repeat(table_id, CHANNEL, people[0])
    for person in people[1:]:
        table = await service.join(table.id, person)
    return table


def packs_of(record: Record) -> list[Any]:
    return list(shuffles(record))


async def test_a_duplicate_deals_the_same_packs_and_then_new_ones(service: TableService) -> None:
    table = await finished_game(service)
    first = await service.record(table.id)
    again = await duplicate(service, table.id)
    assert (again.duplicate_of, again.rules) == (table.id, table.rules)
    assert again.stage is Stage.PLAYING
    await play_on(service, again.id, random.Random(5), until=rounds_over(3))
    second = await service.record(again.id)
    assert packs_of(second)[:3] == packs_of(first)
    assert [type(one) for one in packs_of(second)] == [DrawLots, Deal, Deal, Deal]
    assert packs_of(second)[3] != packs_of(first)[2]
    deals = [step for step in second.steps if step.seat is None]
    assert [step.promise for step in deals] != [step.promise for step in first.steps if step.seat is None]
    assert read_record(write_record(second)) == second, "the promises hold"
    public = [final_position(one).public.dealer for one in (first, second)]
    assert public[0] == (public[1] - 1) % 4
    await assert_log_gives_snapshot(service, again.id)


async def test_a_duplicate_with_returned_upcards_repeats_their_places(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, ANN, "canastra", options={"target": 10_000})
    for person in FOUR[1:]:
        table = await service.join(table.id, person)
    await play_on(service, table.id, random.Random(1), until=rounds_over(1))
    await service.end(table.id, ANN)
    again = await duplicate(service, table.id)
    assert dict(again.rules.options) == {"target": 10_000}
    deals = [
        [one.action for one in await service.log(number) if isinstance(one.action, Deal)]
        for number in (table.id, again.id)
    ]
    assert deals[1] == deals[0][:1]
    assert deals[1][0].places


async def test_packs_that_are_in_play_are_closed_to_everybody(service: TableService) -> None:
    table = await finished_game(service)
    again = await service.repeat(table.id, CHANNEL, OTHERS[0])
    third = await service.repeat(again.id, CHANNEL, EVE)
    assert third.duplicate_of == table.id, "a duplicate of a duplicate is one of the first game"
    error = await refused(service.record(table.id, reader=OTHERS[0].user_id))
    assert (error.code, error.facts) == (TableCode.PACKS_IN_PLAY, {"where": str(again.id)})
    await service.end(again.id, OTHERS[0])
    assert (await refused(service.record(table.id))).facts == {"where": str(third.id)}
    await service.end(third.id, EVE)
    assert await service.record(table.id)


async def test_who_knows_the_packs_cannot_sit_down(service: TableService) -> None:
    table = await service.create(GUILD, CHANNEL, EVE, "classic")
    await service.leave(table.id, EVE)  # she has seen nothing: the table ended with her
    table = await finished_game(service)
    await service.record(table.id, reader=OTHERS[3].user_id)
    for person in (ANN, DAN, OTHERS[3]):
        error = await refused(service.repeat(table.id, CHANNEL, person))
        assert (error.code, error.facts) == (TableCode.KNOWS_PACKS, {"name": person.name})
    again = await service.repeat(table.id, CHANNEL, OTHERS[0])
    assert (await refused(service.join(again.id, BEN))).code is TableCode.KNOWS_PACKS
    assert (await refused(service.join(again.id, OTHERS[3]))).code is TableCode.KNOWS_PACKS
    # Who waits at another table for the same packs cannot do so here as well.
    other = await service.repeat(table.id, CHANNEL, OTHERS[1])
    assert (await refused(service.join(other.id, OTHERS[0]))).code is TableCode.KNOWS_PACKS
    again = await service.begin(again.id, OTHERS[0])
    assert (await refused(service.invite(again.id, 1, OTHERS[0], BEN))).code is TableCode.KNOWS_PACKS
    await service.invite(again.id, 1, OTHERS[0], None)
    assert (await refused(service.join(again.id, BEN))).code is TableCode.KNOWS_PACKS
    assert (await service.join(again.id, EVE)).seat_of(EVE.user_id) == 1


async def test_only_a_game_that_has_ended_is_dealt_again(service: TableService) -> None:
    table = await four_at_table(service)
    assert (await refused(service.repeat(table.id, CHANNEL, EVE))).code is TableCode.STILL_PLAYED
    await service.end(table.id, ANN)
    assert (await refused(service.repeat(table.id, CHANNEL, EVE))).code is TableCode.NO_RECORD
    assert (await refused(service.repeat(99, CHANNEL, EVE))).code is TableCode.NO_SUCH_TABLE


async def test_the_packs_to_come_survive_a_restart(
    make_service: Callable[..., TableService], service: TableService
) -> None:
    table = await finished_game(service)
    again = await service.repeat(table.id, CHANNEL, OTHERS[0])
    await service.close()
    later = make_service()
    loaded = await later.get(again.id)
    assert loaded == again
    assert len(loaded.packs) == 3
    begun = await later.begin(again.id, OTHERS[0])
    assert len(begun.packs) == 1
