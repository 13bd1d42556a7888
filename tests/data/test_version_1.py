"""A file that the first version of the program has written: it is migrated, and its games go on to their end.

`version_1.sql.gz` was dumped from such a file. Table 1 is in its lobby, table 2 is in the middle of a turn
after a meld (and its last board is still to be told), a question is open at table 3, an AI player has to
move at table 4, table 5 is between two rounds, the game of table 6 is finished, and table 7 was given up.
"""

import gzip
import random
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from canasta_core.actions import Answer
from canasta_core.legality import who_acts
from canasta_core.state import Phase
from canasta_core.tables.clocks import LOBBY_LIFE
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import DAY, Ended, NoticeKind, Stage
from canasta_core.tables.recount import recount
from canasta_core.tables.service import TableService
from data.database import MIGRATIONS, read_migrations
from data.sqlite_store import SqliteStore
from ratings import OpenSkill
from tests.tables.tools import (
    CAT,
    DAN,
    GreedyThinker,
    Recorder,
    SeededChance,
    StillClock,
    all_done,
    assert_log_gives_snapshot,
    eventually,
    play_on,
)

LOBBY, TURN, QUESTION, AI_TURN, BETWEEN, FINISHED, GIVEN_UP = range(1, 8)
LEFT = 90.0
"""Seconds until the next round of table 5 begins by itself."""


@pytest.fixture
def clock() -> StillClock:
    """At the moment of the migration, which takes the time of the machine."""
    with closing(sqlite3.connect(":memory:")) as db:
        return StillClock(float(db.execute("SELECT strftime('%s', 'now')").fetchone()[0]))


@pytest.fixture
async def store(tmp_path: Path, clock: StillClock) -> AsyncIterator[SqliteStore]:
    path = tmp_path / "canasta.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(gzip.decompress((Path(__file__).parent / "version_1.sql.gz").read_bytes()).decode())
        db.execute("UPDATE tables SET deadline = ? WHERE deadline IS NOT NULL", (clock.now() + LEFT,))
        db.commit()
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
    store = SqliteStore(path)
    await store.open()
    # Some two thousand moves follow: they need not be on the disk one by one.
    assert store.database._writer is not None
    await store.database._writer.execute("PRAGMA synchronous = OFF")
    yield store
    await store.close()


@pytest.fixture
async def service(store: SqliteStore, clock: StillClock) -> AsyncIterator[TableService]:
    service = TableService(
        store,
        clock=clock,
        chance=SeededChance(1),
        thinker=GreedyThinker(),
        rater=OpenSkill(),
        ai_delay=0.0,
        next_round=60.0,
    )
    yield service
    await service.close()


@pytest.fixture
def teller() -> Recorder:
    return Recorder()


async def test_nothing_is_lost_and_nothing_said_twice(
    service: TableService, store: SqliteStore, clock: StillClock, teller: Recorder
) -> None:
    assert [tuple(row) for row in await store.database.fetch("PRAGMA user_version")] == [
        (len(read_migrations(MIGRATIONS)),)
    ]
    before = {number: await service.get(number) for number in range(LOBBY, GIVEN_UP + 1)}
    for number, table in before.items():
        assert (table.clock, table.undo, table.paused, table.lost) == (None, False, None, ""), "as agreed"
        await assert_log_gives_snapshot(service, number)
    await service.start(teller)
    await all_done(service, clock)
    # The pause between rounds is that which ran; a lobby is given its week; else nothing rings.
    assert (await service.get(BETWEEN)).deadline == clock.now() + LEFT
    alarms = await store.database.fetch("SELECT id, alarm FROM tables WHERE alarm IS NOT NULL ORDER BY id")
    assert [row["id"] for row in alarms] == [LOBBY, BETWEEN]
    assert alarms[0]["alarm"] == pytest.approx(clock.now() + LOBBY_LIFE, abs=60)
    assert alarms[1]["alarm"] == clock.now() + LEFT
    for number in (LOBBY, TURN, QUESTION, BETWEEN, FINISHED, GIVEN_UP):
        assert (await service.get(number)).version == before[number].version
    told = {(notice.table_id, notice.kind) for _, notice, _ in teller.told}
    assert told == {(TURN, NoticeKind.BOARD), (AI_TURN, NoticeKind.BOARD), (AI_TURN, NoticeKind.TURN)}


async def test_every_game_goes_on_to_its_end(
    service: TableService, store: SqliteStore, clock: StillClock, teller: Recorder
) -> None:
    await service.start(teller)
    await all_done(service, clock)
    old_rounds = {number: len(await service.rounds(number)) // 2 for number in (TURN, QUESTION, BETWEEN)}

    table = await service.get(QUESTION)
    assert table.state is not None
    assert table.state.public.phase is Phase.PERMISSION
    (asked,) = who_acts(table.state.public)
    sitter = table.sitter(asked)
    assert sitter is not None
    assert sitter.user_id is not None
    await service.act(QUESTION, sitter.user_id, Answer(True), table.version)

    table = await service.get(TURN)
    assert table.state is not None
    with pytest.raises(TableError) as caught:
        await service.undo(TURN, table.sitters[table.state.public.turn].user_id or 0)
    assert caught.value.code is TableCode.UNDO_NOT_ALLOWED

    table = await service.propose_clock(AI_TURN, CAT, DAY)
    assert table.deadline == clock.now() + DAY, "who is alone needs nobody's consent"

    clock.pass_time(LEFT)
    await eventually(lambda: service._kept[BETWEEN].state.public.phase is Phase.DRAW)  # type: ignore[union-attr]
    for person in (CAT, DAN):
        await service.join(LOBBY, person)

    for number in (LOBBY, TURN, QUESTION, AI_TURN, BETWEEN):
        table = await play_on(service, number, random.Random(number))
        assert (table.stage, table.ended) == (Stage.ENDED, Ended.FINISHED)
        await assert_log_gives_snapshot(service, number)
        await service.record(number)
        results = await service.results(number)
        assert {row.user_id for row in results if row.whole} == {one.user_id for one in table.people}
    await all_done(service, clock)
    assert await store.to_tell() == []
    assert await store.earliest_alarm() is None
    turns = Counter((n.table_id, n.version) for n in teller.of(NoticeKind.TURN))
    assert set(turns.values()) == {1}, "nobody is called twice for a turn"

    # A round that had begun cannot be counted turn by turn any more, so it is not counted at all.
    for number, old in old_rounds.items():
        running = number != BETWEEN
        counted = {one.round_number for one in await store.seat_rounds(number)}
        played = len(await service.rounds(number)) // 2
        assert counted == set(range(old + running + 1, played + 1))

    games = [table_id async for table_id, _ in store.games()]
    assert games == [FINISHED, LOBBY, TURN, QUESTION, AI_TURN, BETWEEN]
    again = await recount(store.games(), OpenSkill())
    assert await store.all_standings() == again.standings, "the game from before standings is in them"
    for number in (FINISHED, LOBBY):
        ratings = [(row.rating_before, row.rating_after) for row in await service.results(number)]
        assert ratings == [again.ratings[number, seat] for seat in range(4)]
