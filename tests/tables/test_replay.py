"""A log is played again; whatever in it does not agree is named."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from canasta_core.actions import Deal, LayMelds
from canasta_core.codec import state_hash
from canasta_core.rules import Rules
from canasta_core.state import Phase
from canasta_core.tables.model import LogEntry, What
from canasta_core.tables.replay import Differs, ReplayError, counted, positions, replay
from canasta_core.tables.service import TableService
from tests.tables.tools import ANN, four_at_table, play_on

Log = list[LogEntry]


@pytest.fixture
async def played(service: TableService) -> tuple[Log, Rules]:
    """The log of a first round with a person who left and came back in it."""
    table = await four_at_table(service)
    await service.leave(table.id, ANN)
    await service.join(table.id, ANN)
    table = await play_on(
        service,
        table.id,
        random.Random(4),
        until=lambda table: bool(table.state and table.state.public.phase is Phase.ROUND_OVER),
    )
    entries = await service.log(table.id)
    assert table.state is not None
    assert state_hash(replay(entries, table.rules)) == state_hash(table.state)
    return entries, table.rules


def index_of(log: Log, fits: Callable[[LogEntry], bool]) -> int:
    return next(index for index, entry in enumerate(log) if fits(entry))


def with_changed(log: Log, index: int, **fields: object) -> Log:
    return [*log[:index], replace(log[index], **fields), *log[index + 1 :]]


def is_deal(entry: LogEntry) -> bool:
    return entry.what is What.DEAL


def is_meld(entry: LogEntry) -> bool:
    return isinstance(entry.action, LayMelds)


def without_a_row(log: Log) -> tuple[Log, int]:
    return [*log[:3], *log[4:]], 5


def with_another_salt(log: Log) -> tuple[Log, int]:
    index = index_of(log, is_deal)
    return with_changed(log, index, detail={**log[index].detail, "salt": "x"}), index + 1


def with_another_promise(log: Log) -> tuple[Log, int]:
    index = index_of(log, is_deal)
    return with_changed(log, index, detail={**log[index].detail, "commitment": "0" * 64}), index + 1


def without_a_promise(log: Log) -> tuple[Log, int]:
    index = index_of(log, is_deal)
    return with_changed(log, index, detail={}), index + 1


def with_another_pack(log: Log) -> tuple[Log, int]:
    index = index_of(log, is_deal)
    action = log[index].action
    assert isinstance(action, Deal)
    return with_changed(log, index, action=Deal(action.pack[:-1] + action.pack[:1])), index + 1


def with_another_seat(log: Log) -> tuple[Log, int]:
    index = index_of(log, is_meld)
    return with_changed(log, index, seat=(log[index].seat or 0) ^ 1), index + 1


def without_events(log: Log) -> tuple[Log, int]:
    index = index_of(log, is_meld)
    return with_changed(log, index, events=()), index + 1


def with_events_of_nothing(log: Log) -> tuple[Log, int]:
    events = log[index_of(log, is_meld)].events
    return with_changed(log, 0, events=events), 1


def with_an_undo(log: Log) -> tuple[Log, int]:
    index = index_of(log, is_deal)
    return with_changed([*log[: index + 1], *log[index:]], index + 1, what=What.UNDO, version=index + 2), (
        index + 2
    )


@pytest.mark.parametrize(
    ("spoil", "differs"),
    [
        (without_a_row, Differs.VERSIONS),
        (with_another_salt, Differs.PROMISE),
        (with_another_promise, Differs.PROMISE),
        (without_a_promise, Differs.PROMISE),
        (with_another_pack, Differs.ACTION),
        (with_another_seat, Differs.ACTION),
        (without_events, Differs.EVENTS),
        (with_events_of_nothing, Differs.EVENTS),
        (with_an_undo, Differs.UNDO),
    ],
)
def test_what_does_not_agree_is_named(
    played: tuple[Log, Rules], spoil: Callable[[Log], tuple[Log, int]], differs: Differs
) -> None:
    log, version = spoil(played[0])
    with pytest.raises(ReplayError) as caught:
        replay(log, played[1])
    assert (caught.value.differs, caught.value.version) == (differs, version)
    assert str(caught.value).startswith(f"version {version}: {differs}")


def test_every_position_on_the_way(played: tuple[Log, Rules]) -> None:
    log, rules = played
    found = list(positions(log, rules))
    assert [entry for entry, _ in found] == log
    deal = index_of(log, is_deal)
    assert found[deal - 1][1].public.round_number == 0
    assert found[deal][1].public.round_number == 1


def test_only_moves_and_chance_count(played: tuple[Log, Rules]) -> None:
    log, _ = played
    assert counted(log) == [entry for entry in log if entry.what in (What.LOTS, What.DEAL, What.MOVE)]


def test_what_was_taken_back_does_not_count(played: tuple[Log, Rules]) -> None:
    log, rules = played
    index = index_of(log, is_meld)
    state = next(state for entry, state in positions(log, rules) if entry.version == index + 1)
    assert state.public.round_number == 1
    undo = replace(log[index], what=What.UNDO, action=None)
    assert counted([*log[: index + 1], undo]) == counted(log[:index])
