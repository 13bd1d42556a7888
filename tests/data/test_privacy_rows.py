"""Where in the file people stand: every column is accounted for, given out whole and taken away whole."""

import asyncio
import json
import random
import re
import shutil
import sqlite3
import struct
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from canasta_core.actions import Discard
from canasta_core.cards import read_card, sorted_cards, write_cards
from canasta_core.codec import encode_action, encode_event
from canasta_core.events import Drew
from canasta_core.state import Phase
from canasta_core.tables.model import DAY, Person, Preferences, Reminders, Stage, Table
from canasta_core.tables.own_data import HANDS, PEOPLE, OwnData
from canasta_core.tables.recount import recount
from canasta_core.tables.service import TableService
from canasta_core.tables.standings import WORLD, Order
from data.archive import Archiver, unpack
from data.privacy import COLUMNS, Holds, columns, given_out, names, replaced
from data.sqlite_store import SqliteStore
from ratings import OpenSkill
from tests.tables.tools import (
    ANN,
    BEN,
    CAT,
    CHANNEL,
    DAN,
    GUILD,
    GreedyThinker,
    Recorder,
    SeededChance,
    StillClock,
    all_done,
    assert_log_gives_snapshot,
    play_on,
)

ZOE = Person(701_234_567_890_123_456, "Zorblatt «7» 🦜")
OTHERS = (ANN, BEN, CAT, DAN)
SHORT = {"seats": 2, "options": {"target": 1000}, "clock": 300}


async def test_every_column_of_the_schema_is_accounted_for(tmp_path: Path) -> None:
    """A new column fails here until `data.privacy.COLUMNS` says whether it holds a person."""
    store = SqliteStore(tmp_path / "c.db")
    await store.open()
    found = {
        table: [
            row["name"]
            for row in await store.database.fetch(f"SELECT name FROM pragma_table_info('{table}')")  # noqa: S608 - names of the schema
        ]
        for table in await _tables(store)
    }
    await store.close()
    assert found == {table: list(of_table) for table, of_table in COLUMNS.items()}


def test_what_holds_a_person_can_be_given_out_and_taken_away() -> None:
    for table, of_table in COLUMNS.items():
        for column, holds in of_table.items():
            # A name goes with the id beside it; whoever gets a copy finds others by name, so ids are known.
            if holds is Holds.PERSON:
                assert column in PEOPLE, f"{table}.{column}"
            if holds is Holds.NAME:
                assert columns(table, Holds.PERSON), f"{table}.{column}"
            suspicious = re.search(r"user|person|member|host|actor|owner|name", column)
            if suspicious and (table, column) != ("pools", "name"):
                assert holds in (Holds.PERSON, Holds.NAME), f"{table}.{column}"


def test_what_another_drew_is_not_given_out_with_a_row_that_names_one() -> None:
    drew = Drew(1, 1, (read_card("KS"),))
    row = {
        "table_id": 1,
        "version": 9,
        "at": 0.0,
        "what": "move",
        "actor": BEN.user_id,
        "seat": 1,
        "action": encode_action(Discard(read_card("KS"))),
        "events": encode_event(drew),
        "detail": json.dumps({"by": ZOE.user_id, "salt": "s"}),
    }
    theirs, own = OwnData(ZOE.user_id), OwnData(BEN.user_id)
    for data in (theirs, own):
        data.add("table_log", [row], {BEN.user_id: "Ben", ZOE.user_id: "Zoe"})
    assert "KS" not in theirs.entries["table_log"][0]
    (entry,) = entries(theirs)["table_log"]
    assert (entry["actor"], entry["detail"]) == ("Ben", {"by": ZOE.user_id})
    (entry,) = entries(own)["table_log"]
    assert (entry["action"], entry["detail"]) == ("discard KS", {"by": "Zoe"})
    assert entry["events"][0]["cards"] == "KS"


def test_every_field_of_the_copy_is_explained() -> None:
    page = (Path(__file__).parents[2] / "docs" / "privacy.md").read_text(encoding="utf-8")
    lines = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE))
    kinds = [table for table in COLUMNS if columns(table, Holds.PERSON, Holds.TEXT)]
    assert lines.keys() == {*kinds, HANDS}
    for kind in kinds:
        for field in given_out(kind):
            assert f"`{field}`" in lines[kind], f"{kind}.{field}"


def test_an_id_in_a_text_is_a_number_of_its_own() -> None:
    text = '{"agreed":[7,77],"by":7,"clock":70,"x":"a7","y":7.5,"z":-7,"u":"7"}'
    assert replaced(text, 7, -3) == '{"agreed":[-3,77],"by":-3,"clock":70,"x":"a7","y":7.5,"z":-7,"u":"-3"}'
    assert not names('{"a":17,"b":71,"c":-7}', 7)


@dataclass
class Life:
    """A person in every part that one can have, and what was counted for the others."""

    store: SqliteStore
    service: TableService
    clock: StillClock
    path: Path
    running: list[int]
    ended: list[int]


def _service(store: SqliteStore, clock: StillClock, seed: int) -> TableService:
    return TableService(
        store,
        clock=clock,
        chance=SeededChance(seed),
        thinker=GreedyThinker(),
        rater=OpenSkill(),
        ai_delay=0.0,
        next_round=60.0,
    )


@dataclass(frozen=True)
class Lived:
    """The file as it is when the life was lived."""

    path: Path
    at: float
    running: list[int]
    ended: list[int]


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    return asyncio.run(_live_it(tmp_path_factory.mktemp("life") / "canasta.db"))


async def _opened(path: Path) -> SqliteStore:
    """Some builds of SQLite overwrite by themselves what is deleted; most do not."""
    store = SqliteStore(path)
    await store.open()
    await store.database.write(lambda db: db.execute("PRAGMA secure_delete = OFF").fetchall())
    return store


async def _live_it(path: Path) -> Lived:
    store, clock = await _opened(path), StillClock()
    service = _service(store, clock, 1)
    await service.start(Recorder())
    ended, running = await _live(service, clock, store)
    await service.close()
    # What this one does stays untold.
    service = _service(store, clock, 2)
    await service.set_preferences(
        ZOE, Preferences(Reminders.DM, (60, 120), "Asia/Tokyo", True, worldwide=True)
    )
    running += await _leave_untold(service)
    await service.close()
    await store.close()
    return Lived(path, clock.now(), running, ended)


@pytest.fixture
async def life(lived: Lived, tmp_path: Path) -> AsyncIterator[Life]:
    path = tmp_path / "canasta.db"
    shutil.copyfile(lived.path, path)
    store, clock = await _opened(path), StillClock()
    clock.pass_time(lived.at - clock.now())
    service = _service(store, clock, 3)
    yield Life(store, service, clock, path, lived.running, lived.ended)
    await service.close()
    await store.close()


async def _live(service: TableService, clock: StillClock, store: SqliteStore) -> tuple[list[int], list[int]]:
    """Finished games first, packed; then running ones."""
    rng = random.Random(5)
    ended = []
    for people in ((ZOE, BEN), (ANN, ZOE), (ZOE,), (BEN, CAT)):
        table = await service.create(GUILD, CHANNEL, people[0], "browser", **SHORT)
        for person in people[1:]:
            await service.join(table.id, person)
        if len(people) == 1:
            await service.add_ai(table.id, people[0])
        ended.append((await play_on(service, table.id, rng)).id)
    # Replaced in the middle, and a moderator where she never sat.
    table = await service.create(GUILD, CHANNEL, BEN, "browser", **SHORT)
    await service.join(table.id, ZOE)
    await play_on(service, table.id, rng, until=lambda now: now.version > 20)
    await service.replace(table.id, 1, BEN)
    ended.append((await play_on(service, table.id, rng)).id)
    table = await service.create(GUILD, CHANNEL, CAT, "browser", **SHORT)
    await service.end(table.id, ZOE, moderator=True)
    ended.append(table.id)
    await service.record(ended[3], ZOE.user_id)
    clock.pass_time(40 * DAY)
    packed = await Archiver(store.database, clock, 30, pause=0.0).pack_due()
    assert packed == len(ended)
    # One that ended too lately to be packed.
    table = await service.create(GUILD, CHANNEL, ZOE, "browser", **SHORT)
    await service.join(table.id, DAN)
    ended.append((await play_on(service, table.id, rng)).id)

    async def four(*people: Person, clock: int | None = 300) -> Table:
        table = await service.create(GUILD, CHANNEL, people[0], "classic", clock=clock)
        for person in people[1:]:
            await service.join(table.id, person)
        return await service.begin(table.id, people[0]) if len(people) < 4 else await service.get(table.id)

    host = await four(ZOE, BEN, CAT, clock=None)  # so that she is on record for the deal
    away = await four(ANN, ZOE, BEN, clock=None)
    await service.away(away.id, ZOE, clock.now() + DAY)
    absent = await four(BEN, ZOE)
    for _ in range(200):
        now = await service.get(absent.id)
        if any(one.absent and one.user_id == ZOE.user_id for one in now.sitters):
            break
        if now.state is not None and now.state.public.turn == now.seat_of(BEN.user_id):
            await play_on(service, absent.id, rng, until=_not_bens)
        clock.pass_time(301)
        await all_done(service, clock)
    else:
        raise AssertionError("she never missed three turns")
    paused = await four(ANN, BEN, clock=None)
    await service.pause(paused.id, ZOE, clock.now() + DAY, moderator=True)
    lobby = await service.create(GUILD, CHANNEL, ZOE, "salon", seats=3, clock=None)
    return ended, [host.id, away.id, absent.id, paused.id, lobby.id]


def _not_bens(table: Table) -> bool:
    public = table.state.public if table.state is not None else None
    return public is None or public.phase is Phase.ROUND_OVER or table.seat_of(BEN.user_id) != public.turn


async def _leave_untold(service: TableService) -> list[int]:
    """Invited, proposer, one who agrees, former sitter, handed over: at tables that nobody was told of."""
    invited = await service.create(GUILD, CHANNEL, ANN, "classic", clock=None)
    await service.begin(invited.id, ANN)
    await service.invite(invited.id, 2, ANN, ZOE)
    proposer = await service.create(GUILD, CHANNEL, ZOE, "classic", clock=None)
    for person in (BEN, CAT, DAN):
        await service.join(proposer.id, person)
    await service.propose_clock(proposer.id, ZOE, 3600)
    await service.agree(proposer.id, BEN, True)
    agrees = await service.create(GUILD, CHANNEL, BEN, "classic", clock=None)
    for person in (CAT, ZOE, DAN):
        await service.join(agrees.id, person)
    await service.hand_over(agrees.id, BEN, ZOE.user_id)
    await service.propose_clock(agrees.id, CAT, 3600)
    await service.agree(agrees.id, ZOE, True)
    former = await service.create(GUILD, CHANNEL, CAT, "classic", clock=None)
    for person in (ZOE, BEN, DAN):
        await service.join(former.id, person)
    await service.leave(former.id, ZOE)
    await service.join(former.id, ZOE)
    await service.leave(former.id, ZOE)
    cup = await service.open_cup(GUILD, CHANNEL, ZOE, "classic", clock=None)
    for person in (ZOE, *OTHERS):
        await service.enter_cup(cup.id, person)
    await service.start_cup(cup.id, ZOE)
    await service._settle_cups()
    cup_tables = [one.table_id for one in (await service.cup(cup.id)).tables if one.table_id is not None]
    open_ = await service.open_cup(GUILD, CHANNEL, ANN, "classic", clock=None)
    await service.enter_cup(open_.id, ZOE)
    for table_id in (proposer.id, agrees.id, former.id, *cup_tables):
        await service._ai.chores.settle()
        assert (await service.get(table_id)).stage is Stage.PLAYING
    return [invited.id, proposer.id, agrees.id, former.id, *cup_tables]


async def _tables(store: SqliteStore) -> list[str]:
    rows = await store.database.fetch(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    )
    return [row["name"] for row in rows]


@dataclass(frozen=True)
class Found:
    """An occurrence of a person in the file."""

    table: str
    key: tuple[tuple[str, object], ...]
    column: str


def occurrences(path: Path, person: Person) -> Iterator[Found]:
    """Every text and number of every row that is or holds a person's id or name; packed logs as rows."""
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        tables = [
            row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        ]
        for table in tables:
            info = db.execute(f"SELECT name, pk FROM pragma_table_info('{table}')").fetchall()  # noqa: S608 - the same
            keys = [row["name"] for row in info if row["pk"]]
            for row in db.execute(f"SELECT * FROM {table}"):  # noqa: S608 - the same
                yield from _in_row(table, dict(row), keys, person)
                if table == "archived_logs":
                    for one in unpack(row["log"]):
                        entry = {name: getattr(one, name) for name in one.__dataclass_fields__}
                        entry["table_id"] = row["table_id"]
                        yield from _in_row("table_log", entry, ["table_id", "version"], person)


def _in_row(table: str, row: dict[str, Any], keys: list[str], person: Person) -> Iterator[Found]:
    for column, value in row.items():
        text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
        if str(person.user_id) in text or person.name in text:
            yield Found(table, tuple((key, row[key]) for key in keys), column)


def raw(path: Path) -> bytes:
    """The file with what lies beside it."""
    return b"".join(one.read_bytes() for one in (path, Path(f"{path}-wal")) if one.exists())


def traces(data: bytes, person: Person) -> int:
    """Places in a file where a person's name stands, or the id as a text or as SQLite writes numbers."""
    forms = (person.name.encode(), str(person.user_id).encode(), struct.pack(">q", person.user_id))
    return sum(data.count(form) for form in forms)


def entries(data: OwnData) -> dict[str, list[dict[str, Any]]]:
    return {kind: [json.loads(one) for one in found] for kind, found in data.entries.items()}


async def test_what_is_given_out_is_all_there_is(life: Life) -> None:
    given = entries(await life.service.own_data(ZOE.user_id))
    found = list(occurrences(life.path, ZOE))
    for one in found:
        matching = [
            entry
            for entry in given.get(one.table, [])
            if all(entry[key] == value for key, value in one.key if key in entry)
        ]
        assert matching, f"{one} is not given out"
        told = json.dumps(matching[0][one.column], ensure_ascii=False)
        assert str(ZOE.user_id) in told or ZOE.name in told, f"{one}: {told}"
    # She is in every place where anybody can be.
    places = {(one.table, one.column) for one in found}
    for table, of_table in COLUMNS.items():
        for column, holds in of_table.items():
            if holds in (Holds.PERSON, Holds.NAME, Holds.TEXT) and table != "former_players":
                assert (table, column) in places, f"the test leaves out {table}.{column}"
    assert {entry["name"] for entry in given["standings"]} >= {
        "browser 1x1",
        "browser 1x1 ai",
        "all",
        "all ai",
    }


async def test_nothing_of_anybody_else_is_given_out(life: Life) -> None:
    data = await life.service.own_data(ZOE.user_id)
    text = "\n".join(one for found in data.entries.values() for one in found)
    for person in OTHERS:
        assert str(person.user_id) not in text
    assert '"salt"' not in text
    begun = [one for one in entries(data)["table_log"] if one["what"] in ("lots", "deal")]
    assert begun
    assert not any("action" in one for one in begun), "a pack"
    hands = {entry["table_id"]: entry for entry in entries(data)["hands"]}
    seated = [table for table in await life.service.tables_of(ZOE.user_id) if table.state is not None]
    assert hands.keys() == {table.id for table in seated}
    for table in seated:
        seat = table.seat_of(ZOE.user_id)
        assert seat is not None
        held = table.view(seat).hand.cards
        assert hands[table.id] == {
            "table_id": table.id,
            "seat": seat,
            "cards": write_cards(sorted_cards(held)),
        }
    for entry in entries(data)["table_log"]:
        drawn = [event["cards"] for event in entry["events"] if event["kind"] == "drew" and event["cards"]]
        assert not drawn or entry["actor"] == ZOE.user_id
        assert entry["at_text"].endswith(" UTC")


async def test_nothing_is_left_of_somebody_who_is_forgotten(life: Life) -> None:
    store, service = life.store, life.service
    assert traces(raw(life.path), ZOE) > 100
    before = await _of_others(life)
    logs = {table_id: await service.log(table_id) for table_id in (*life.ended, *life.running)}
    forgotten = await service.forget(ZOE.user_id)
    await service.all_wiped()
    assert forgotten.left == 7
    assert list(occurrences(life.path, ZOE)) == []
    assert traces(raw(life.path), ZOE) == 0
    assert Path(f"{life.path}-wal").stat().st_size < 50_000, "the log was emptied"
    # One former player stands in all her games, and is shown nowhere.
    made = {
        row[0] for row in await store.database.fetch("SELECT DISTINCT user_id FROM results WHERE user_id < 0")
    }
    made |= {
        row[0]
        for row in await store.database.fetch("SELECT DISTINCT user_id FROM standings WHERE user_id < 0")
    }
    made |= {
        row[0] for row in await store.database.fetch("SELECT DISTINCT user_id FROM seats WHERE user_id < 0")
    }
    assert made == {-1}
    assert {row[0] for row in await store.database.fetch("SELECT name FROM seats WHERE user_id < 0")} == {""}
    # The others have what they had; and it is what the games give.
    assert await _of_others(life) == before
    made_anew = await recount(store.games(), OpenSkill())
    assert made_anew.standings == await store.all_standings()
    for scope in (GUILD, WORLD):
        for pool in await service.pools_in(scope):
            board = await service.leaderboard(pool, Order.GAMES)
            assert all(line.user_id > 0 for line in board.lines)
    # Games still tell what was played.
    for table_id, log in logs.items():
        await assert_log_gives_snapshot(service, table_id)
        now = await service.log(table_id)
        assert [(one.action, one.events) for one in now[: len(log)]] == [
            (one.action, one.events) for one in log
        ]
        table = await service.get(table_id)
        assert table.seat_of(ZOE.user_id) is None
        assert table.stage is Stage.ENDED or table.host_id > 0


async def _of_others(life: Life) -> dict[object, object]:
    """Standings, shares, places on boards and preferences of everybody but her, as they are stored."""
    store, kept = life.store, {}
    for (pool, user_id), standing in (await store.all_standings()).items():
        if user_id in {one.user_id for one in OTHERS}:
            kept[pool, user_id] = standing
    for table_id in life.ended:
        kept["results", table_id] = [
            replace(one, user_id=0, name="") if one.user_id in (ZOE.user_id, -1) else one
            for one in await store.results(table_id)
        ]
        kept["rounds", table_id] = [
            replace(one, user_id=0) if one.user_id in (ZOE.user_id, -1) else one
            for one in await store.seat_rounds(table_id)
        ]
    for person in OTHERS:
        kept["preferences", person] = await store.preferences(person.user_id)
    kept["names"] = await store.names([one.user_id for one in OTHERS])
    return kept


async def test_forgetting_again_changes_nothing_and_each_gets_an_id_of_their_own(life: Life) -> None:
    await life.service.forget(ZOE.user_id)
    await life.service.all_wiped()
    before = raw(life.path)
    again = await life.service.forget(ZOE.user_id)
    assert (again.left, again.tables) == (0, 0)
    await life.service.forget(BEN.user_id)
    made = {
        row[0]
        for row in await life.store.database.fetch("SELECT DISTINCT user_id FROM seats WHERE user_id < 0")
    }
    assert made == {-1, -3}, "the one in between stands for nobody's games"
    assert list(occurrences(life.path, BEN)) == []
    assert before != raw(life.path)
    made_anew = await recount(life.store.games(), OpenSkill())
    assert made_anew.standings == await life.store.all_standings()
    # The file is written anew once a day: the second one waits.
    assert not await life.store.is_wiped()
    assert life.clock.alarms[0] == DAY
    life.clock.pass_time(DAY)
    await life.service.all_wiped()
    assert traces(raw(life.path), BEN) == 0


async def test_a_packed_log_that_cannot_be_read_is_not_in_the_way(life: Life) -> None:
    broken = life.ended[0]
    await life.store.database.write(
        lambda db: db.execute("UPDATE archived_logs SET log = ? WHERE table_id = ?", (b"nonsense", broken))
    )
    given = entries(await life.service.own_data(ZOE.user_id))
    assert any(entry["table_id"] == life.ended[1] for entry in given["table_log"])
