"""What every TableStore promises, on a real file."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict, replace

import pytest

from canasta_core.tables.errors import StaleTable, StoreCode, StoreError
from canasta_core.tables.model import Message, Person, Tenure
from canasta_core.tables.ports import NoticeRow, TableStore
from tests.data.samples import (
    ANN,
    BEN,
    CHANNEL,
    GUILD,
    NEW,
    RESULTS,
    ROUNDS,
    following,
    log_row,
    opening,
    tenure,
)


async def test_a_table_comes_back_as_it_was_stored(store: TableStore) -> None:
    table_id = await store.commit(opening())
    assert await store.load(table_id) == (replace(NEW, id=table_id), [tenure(0, ANN, 1)])
    assert await store.log(table_id) == [log_row(1)]
    assert await store.log_row(table_id, 1) == log_row(1)
    assert await store.log_row(table_id, 2) is None
    assert await store.version(table_id) == 1
    assert await store.version(table_id + 1) is None
    assert await store.load(table_id + 1) is None


async def test_a_commit_replaces_the_snapshot_and_adds_to_the_log(store: TableStore) -> None:
    table_id = await store.commit(opening())
    change = following(table_id, 2, recent="recent", commitment="hash", deadline=2000.25, turn_version=2)
    assert await store.commit(change) == table_id
    assert await store.load(table_id) == (change.table, [tenure(0, ANN, 1)])
    assert await store.log(table_id) == [log_row(1), log_row(2)]


async def test_several_versions_in_one_commit(store: TableStore) -> None:
    table_id = await store.commit(opening())
    change = replace(following(table_id, 4), before=1, log=tuple(map(log_row, (2, 3, 4))))
    await store.commit(change)
    assert [row.version for row in await store.log(table_id)] == [1, 2, 3, 4]


@pytest.mark.parametrize("version", [2, 4])
async def test_a_version_that_is_not_the_next_is_stale_and_changes_nothing(
    store: TableStore, version: int
) -> None:
    table_id = await store.commit(opening())
    await store.commit(following(table_id, 2))
    before = (await store.load(table_id), await store.log(table_id), await store.notices(table_id))
    with pytest.raises(StaleTable) as caught:
        await store.commit(following(table_id, version, "late"))
    assert caught.value.facts == {"version": 2}
    assert (await store.load(table_id), await store.log(table_id), await store.notices(table_id)) == before


async def test_a_table_that_is_not_there_is_stale(store: TableStore) -> None:
    with pytest.raises(StaleTable):
        await store.commit(following(77, 2))


async def test_of_simultaneous_commits_of_a_version_one_counts(store: TableStore) -> None:
    table_id = await store.commit(opening())
    outcomes = await asyncio.gather(
        *(store.commit(following(table_id, 2, f" by {number}")) for number in range(50)),
        return_exceptions=True,
    )
    assert outcomes.count(table_id) == 1
    assert sum(isinstance(each, StaleTable) for each in outcomes) == 49
    winner = outcomes.index(table_id)
    assert await store.log_row(table_id, 2) == log_row(2, f" by {winner}")
    assert [row.version for row in await store.notices(table_id)] == [2]


async def test_simultaneous_transactions_do_not_mix(store: TableStore) -> None:
    """Failing and succeeding commits of many tables, reads and settings, all at once."""
    tables = [await store.commit(opening()) for _ in range(10)]

    async def play(table_id: int) -> None:
        for version in range(2, 8):
            await store.commit(following(table_id, version))
            with pytest.raises(StaleTable):
                await store.commit(following(table_id, version, "again"))
            row, _ = await store.load(table_id) or (None, None)
            assert row is not None
            assert row.state == f"state {version}"
            await store.set_guild_setting(table_id, "version", str(version))

    await asyncio.gather(*map(play, tables))
    for table_id in tables:
        assert await store.log(table_id) == [log_row(version) for version in range(1, 8)]
        assert await store.guild_settings(table_id) == {"version": "7"}


async def test_a_reader_never_sees_half_a_commit(store: TableStore) -> None:
    table_id = await store.commit(opening())

    async def write() -> None:
        for version in range(2, 40):
            await store.commit(following(table_id, version))

    writing = asyncio.create_task(write())
    while not writing.done():
        row, _ = await store.load(table_id) or (None, None)
        assert row is not None
        log = await store.log(table_id)
        assert log[-1].version >= row.version, "the snapshot is ahead of its log"
        await asyncio.sleep(0)
    await writing


async def test_a_cancelled_commit_leaves_the_store_usable(store: TableStore) -> None:
    table_id = await store.commit(opening())
    for pause in range(12):
        stored = (await store.log(table_id))[-1].version
        task = asyncio.create_task(store.commit(following(table_id, stored + 1)))
        for _ in range(pause):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        row, _ = await store.load(table_id) or (None, None)
        assert row is not None
        assert [each.version for each in await store.log(table_id)] == list(range(1, row.version + 1))
    stored = (await store.log(table_id))[-1].version
    await store.commit(following(table_id, stored + 1))


async def test_what_was_stored_outlives_the_store(make_store: Callable[[], TableStore]) -> None:
    first = make_store()
    await first.open()
    table_id = await first.commit(opening())
    await first.commit(following(table_id, 2))
    await first.close()
    second = make_store()
    await second.open()
    assert await second.load(table_id) == (following(table_id, 2).table, [tenure(0, ANN, 1)])
    assert [row.version for row in await second.notices(table_id)] == [2]
    await second.close()


async def test_a_second_store_on_the_same_place_sees_commits_and_staleness(
    store: TableStore, make_store: Callable[[], TableStore]
) -> None:
    other = make_store()
    await other.open()
    table_id = await store.commit(opening())
    await other.commit(following(table_id, 2))
    with pytest.raises(StaleTable):
        await store.commit(following(table_id, 2, "late"))
    assert await store.log(table_id) == [log_row(1), log_row(2)]
    await other.close()


async def test_a_closed_store_says_so(make_store: Callable[[], TableStore]) -> None:
    store = make_store()
    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            await store.load(1)
        assert caught.value.code is StoreCode.UNAVAILABLE
        await store.open()
        await store.close()


async def test_seats_change_hands_and_tenures_are_kept(store: TableStore) -> None:
    table_id = await store.commit(opening())
    change = following(table_id, 2)
    await store.commit(replace(change, sat=(tenure(1, BEN, 2),), people=(BEN,)))
    change = following(table_id, 3)
    await store.commit(replace(change, left=((0, 3, 1003.0),), sat=(tenure(0, None, 3, "medium"),)))
    _, sitting = await store.load(table_id) or (None, [])
    assert sitting == [tenure(0, None, 3, "medium"), tenure(1, BEN, 2)]
    assert await store.tenures(table_id) == [
        replace(tenure(0, ANN, 1), to_version=3, to_at=1003.0),
        tenure(1, BEN, 2),
        tenure(0, None, 3, "medium"),
    ]


async def test_a_seat_holds_one_and_a_person_sits_once(store: TableStore) -> None:
    table_id = await store.commit(opening())
    for wrong in (tenure(0, BEN, 2), tenure(1, ANN, 2)):
        with pytest.raises(StoreError) as caught:
            await store.commit(replace(following(table_id, 2), sat=(wrong,)))
        assert caught.value.code is StoreCode.BROKEN
    assert [row.version for row in await store.log(table_id)] == [1], "the whole commit was undone"


async def test_who_sat_there_at_the_end_is_found_after_it(store: TableStore) -> None:
    table_id = await store.commit(opening())
    await store.commit(replace(following(table_id, 2), sat=(tenure(1, BEN, 2),)))
    await store.commit(replace(following(table_id, 3), left=((1, 3, 1003.0),)))
    ending = following(table_id, 4, stage="ended", ended="host", ended_version=4)
    await store.commit(replace(ending, left=((0, 4, 1004.0),)))
    row, sitting = await store.load(table_id) or (None, [])
    assert row == ending.table
    assert sitting == [replace(tenure(0, ANN, 1), to_version=4, to_at=1004.0)]


async def test_tables_are_found_by_place_person_and_stage(store: TableStore) -> None:
    here = await store.commit(opening())
    there = await store.commit(opening(channel=CHANNEL + 1))
    abroad = await store.commit(opening(guild=GUILD + 1))
    bens = await store.commit(opening(BEN))
    over = await store.commit(opening())
    ending = following(over, 2, stage="ended", ended="host", ended_version=2)
    await store.commit(replace(ending, left=((0, 2, 1002.0),)))
    await store.commit(following(bens, 2))
    assert await store.tables_in(GUILD) == [here, there, bens]
    assert await store.tables_in(GUILD, CHANNEL) == [here, bens]
    assert await store.tables_in(GUILD + 7) == []
    assert await store.tables_of(ANN.user_id) == [here, there, abroad]
    assert await store.tables_of(ANN.user_id, GUILD) == [here, there]
    assert await store.tables_of(1) == []
    assert await store.playing() == [bens]
    assert await store.versions_in(GUILD) == {here: 1, there: 1, bens: 2}


async def test_a_glance_is_some_columns_of_a_table_and_all_of_its_sitters(store: TableStore) -> None:
    first = await store.commit(opening())
    second = await store.commit(opening(BEN))
    await store.commit(replace(following(second, 2), sat=(tenure(1, None, 2, "medium"),)))
    over = await store.commit(opening())
    ending = following(over, 2, stage="ended", ended="host", ended_version=2)
    await store.commit(replace(ending, left=((0, 2, 1002.0),)))
    found = await store.glances([second, over, first, 99])
    assert [row.id for row, _ in found] == [first, second], (
        "by id; what has ended or is not there is left out"
    )
    for row, sitting in found:
        loaded = await store.load(row.id)
        assert loaded is not None
        assert asdict(row).items() <= asdict(loaded[0]).items()
        assert sitting == loaded[1]


async def test_alarms(store: TableStore) -> None:
    assert await store.earliest_alarm() is None
    late, early, none = [await store.commit(opening()) for _ in range(3)]
    await store.commit(following(late, 2, alarm=2000.0))
    await store.commit(following(early, 2, alarm=1500.5))
    await store.commit(following(none, 2))
    assert await store.earliest_alarm() == 1500.5
    assert await store.due(1500.4) == []
    assert await store.due(1500.5) == [early]
    assert await store.due(9999.0) == [early, late]
    await store.commit(following(early, 3))
    assert await store.earliest_alarm() == 2000.0


async def test_notices_are_kept_in_order_until_told(store: TableStore) -> None:
    one, two = await store.commit(opening()), await store.commit(opening())
    assert await store.to_tell() == []
    await store.commit(following(one, 2))
    await store.commit(following(two, 2))
    both = (NoticeRow(0, one, 3, "board", "{}"), NoticeRow(0, one, 3, "turn", '{"seat":1}'))
    await store.commit(replace(following(one, 3), notices=both))
    rows = await store.notices(one)
    assert [(row.version, row.kind, row.data) for row in rows] == [
        (2, "board", '{"n":2}'),
        (3, "board", "{}"),
        (3, "turn", '{"seat":1}'),
    ]
    assert [row.id for row in rows] == sorted({row.id for row in rows})
    assert await store.to_tell() == [one, two]
    await store.told([rows[0].id, rows[1].id])
    assert await store.notices(one) == rows[2:]
    await store.told([rows[2].id])
    assert await store.to_tell() == [two]


async def test_ids_are_never_used_again(store: TableStore) -> None:
    """A told notice's id, and a table's, stay the only one of their kind."""
    table_id = await store.commit(opening())
    await store.commit(following(table_id, 2))
    (first,) = await store.notices(table_id)
    await store.told([first.id])
    await store.commit(following(table_id, 3))
    (second,) = await store.notices(table_id)
    assert second.id > first.id


async def test_messages(store: TableStore) -> None:
    table_id = await store.commit(opening())
    assert await store.message(table_id, "board") is None
    await store.remember_message(table_id, "board", Message(1, 2, 3))
    await store.remember_message(table_id, "turn", Message(1, 5, 3))
    await store.remember_message(table_id, "board", Message(7, 8, 9))
    assert await store.message(table_id, "board") == Message(7, 8, 9)
    await store.forget_message(table_id, "board")
    assert await store.message(table_id, "board") is None
    assert await store.message(table_id, "turn") == Message(1, 5, 3)


async def test_results(store: TableStore) -> None:
    table_id = await store.commit(opening())
    assert await store.rounds(table_id) == await store.results(table_id) == []
    await store.commit(replace(following(table_id, 2), rounds=ROUNDS, results=RESULTS))
    assert await store.rounds(table_id) == list(ROUNDS)
    assert await store.results(table_id) == list(RESULTS)


async def test_guild_settings(store: TableStore) -> None:
    await store.set_guild_setting(GUILD, "language", "de")
    await store.set_guild_setting(GUILD, "clock", "5")
    await store.set_guild_setting(GUILD, "language", "fr")
    await store.set_guild_setting(GUILD + 1, "language", "es")
    assert await store.guild_settings(GUILD) == {"language": "fr", "clock": "5"}
    await store.set_guild_setting(GUILD, "clock", None)
    assert await store.guild_settings(GUILD) == {"language": "fr"}


async def test_the_last_known_name_counts_everywhere(store: TableStore) -> None:
    table_id = await store.commit(opening())
    renamed = Person(ANN.user_id, "Anne *the* 🃏 ; DROP TABLE members")
    await store.commit(replace(following(table_id, 2), people=(renamed,)))
    await store.meet(BEN)
    assert await store.names([ANN.user_id, BEN.user_id, 5]) == {
        ANN.user_id: renamed.name,
        BEN.user_id: BEN.name,
    }
    _, sitting = await store.load(table_id) or (None, [])
    assert sitting == [replace(tenure(0, ANN, 1), name=renamed.name)]
    assert (await store.tenures(table_id))[0] == tenure(0, ANN, 1), "the tenure keeps the name of its time"


async def test_a_tenure_that_begins_and_ends_in_one_commit(store: TableStore) -> None:
    table_id = await store.commit(opening())
    brief: Tenure = replace(tenure(1, None, 2, "medium"), to_version=3, to_at=1003.0)
    change = replace(following(table_id, 3), before=1, log=(log_row(2), log_row(3)), sat=(brief,))
    await store.commit(change)
    assert (await store.tenures(table_id))[1] == brief
    _, sitting = await store.load(table_id) or (None, [])
    assert sitting == [tenure(0, ANN, 1)]
