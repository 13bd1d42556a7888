"""`/privacy export` and `/privacy delete`, as people use them, in the middle of games."""

from __future__ import annotations

import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from canasta_core.cards import sorted_cards, write_cards
from canasta_core.legality import who_acts
from canasta_core.tables.model import Person, Preferences, Stage
from canasta_core.tables.own_data import HANDS, OwnData
from canasta_core.tables.privacy import Forgotten
from cogs.ui.privacy import FILE, delete_question, deleted, files_layout, files_of
from cogs.ui.text import text
from data.privacy import COLUMNS, PERSON, TEXT, columns
from tests.cogs.layouts import check
from tests.cogs.players import open_table, said, table_of, who_of
from tests.data.test_privacy_rows import occurrences, raw
from tests.discord.harness import Game, playing, text_of
from tests.discord.killing import Child
from tests.tables.tools import play_on

SURE = "Delete everything about me"


def person(game: Game, who: int) -> Person:
    return Person(game.members[who].id, game.members[who].name)


async def delete(game: Game, who: int) -> str:
    """Ask for it, and mean it; the last answer."""
    asked = await game.slash(who, "privacy delete")
    assert "Delete everything about you?" in said(asked)
    done = await game.click(who, label=SURE, message=asked.response)
    return said(done)


async def exported(game: Game, who: int) -> dict[str, Any]:
    result = await game.slash(who, "privacy export")
    assert "Everything that I store about you" in said(result)
    assert result.response is not None
    (file,) = result.response.attachments
    assert file.filename == f"{FILE}.json"
    read: dict[str, Any] = json.loads(await file.read())
    return read


async def in_turn(game: Game, table_id: int = 1) -> int:
    table = await table_of(game, table_id)
    assert table.state is not None
    return who_of(game, table, who_acts(table.state.public)[0])


async def test_the_file_holds_what_is_stored_and_one_hand(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who = await in_turn(game)
        await game.slash(who, "preferences", zone="tokyo", reminders="dm")
        await game.slash(who, "draw")
        data = await exported(game, who)
        member, table = game.members[who], await table_of(game)
        seat = table.seat_of(member.id)
        assert seat is not None
        assert data["user_id"] == member.id
        assert data["data"]["members"] == [{"user_id": member.id, "name": member.name}]
        assert {"user_id": member.id, "key": "zone", "value": "Asia/Tokyo"} in data["data"]["preferences"]
        (hand,) = data["data"][HANDS]
        assert hand == {
            "table_id": 1,
            "seat": seat,
            "cards": write_cards(sorted_cards(table.view(seat).hand.cards)),
        }
        assert [one["action"] for one in data["data"]["table_log"] if "action" in one] == ["draw"]
        assert data["about"].keys() == data["data"].keys()
        for other in game.members:
            assert other is member or str(other.id) not in json.dumps(data)
        # Who never played has nothing; their answer is private too.
        assert (await exported(game, (who + 1) % 4))["user_id"] != member.id


async def test_somebody_in_turn_is_forgotten_and_the_game_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    async with playing(path, members=5, ai_delay=0.0) as game:
        await open_table(game)
        service = game.bot.service  # type: ignore[attr-defined]
        who = await in_turn(game)
        gone, host = game.members[who], game.members[0]
        await game.slash(who, "preferences", zone="tokyo")
        hand = (await game.click(who, label="My hand", message=game.board("Canasta · table"))).response
        assert any(f"<@{gone.id}>" in text_of(one) for one in game.messages()), "they were pinged"
        assert "one table" in said(await game.slash(who, "privacy delete"))
        answer = await delete(game, who)
        assert "Everything about you is deleted. You left one table." in answer
        table = await table_of(game)
        assert table.stage is Stage.PLAYING
        assert table.seat_of(gone.id) is None
        assert table.host_id in {one.id for one in game.members} - {gone.id}
        assert table.host_id == (game.members[1].id if who == 0 else host.id)
        # An AI player plays on, and their ping is gone; nothing of them is in channel or file.
        assert table.state is not None
        await service.all_wiped()
        shown = "\n".join(text_of(one) for one in game.messages())
        assert gone.name not in text_of(game.board("Canasta · table"))
        assert f"<@{gone.id}>" not in shown
        assert list(occurrences(path, person(game, who))) == []
        assert str(gone.id).encode() not in raw(path)
        # Old buttons, and the way back.
        assert "You do not sit" in said(await game.press(who, hand, f"cn:discard:1:{table.version}"))
        assert "former player" in said(await game.slash(0 if who else 1, "canasta log"))
        refused = said(await game.slash(who, "canasta join"))
        assert "invite" in refused
        # They begin anew as somebody unknown, and nothing of before is known.
        assert await service.preferences(gone.id) == Preferences()
        assert (await exported(game, who))["data"] == {}
        await game.slash(who, "canasta new", profile="browser", seats=2)
        assert gone.name in text_of(game.board("Canasta · table 2"))
        while (await table_of(game)).version < table.version + 4:
            await game.slash(await in_turn(game), "draw")
            mover = await in_turn(game)
            offered = await game.autocomplete(mover, "discard", "card", "")
            await game.slash(mover, "discard", card=offered[0]["value"], table="1")


async def test_two_clicks_forget_once(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        asked = await game.slash(1, "privacy delete")
        answers = await game.at_once(
            [
                game.click(1, label=SURE, message=asked.response),
                game.press(1, asked.response, "cn:forget:0:0"),
            ]
        )
        assert all("Everything about you is deleted" in said(one) for one in answers)
        rows = await game.bot._store.database.fetch("SELECT former_id, user_id FROM former_players")  # type: ignore[attr-defined]
        assert [tuple(row) for row in rows] == [(-1, None)]


async def test_everywhere_it_says_former_player(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3, ai_delay=0.0, next_round=1.0) as game:
        service = game.bot.service  # type: ignore[attr-defined]
        table = await service.create(
            game.guild.id, game.channel.id, person(game, 0), "browser", seats=2, options={"target": 1000}
        )
        await service.join(table.id, person(game, 1))
        await game.advance(5)
        await play_on(service, table.id, random.Random(3))
        await game.advance(5)
        await delete(game, 1)
        name, number = game.members[1].name, str(game.members[1].id)
        looked = [
            await game.slash(0, "history list"),
            await game.slash(0, "history list", table="1"),
            await game.slash(0, "replay", table="1"),
            await game.slash(0, "table", table="1"),
            await game.slash(0, "canasta log", table="1"),
            await game.slash(0, "score", table="1"),
        ]
        for result in looked:
            words = said(result)
            assert name not in words
            assert number not in words
            assert "-1" not in words.replace("−", "-").split()
            assert "<@-" not in words
        assert sum("former player" in said(result) for result in looked) == len(looked)
        board = said(await game.slash(0, "leaderboard"))
        assert name not in board
        assert "former" not in board
        stats = said(await game.slash(0, "stats"))
        assert name not in stats
        record = (await game.slash(0, "history export", table="1")).response
        assert record is not None
        (file,) = record.attachments
        assert name.encode() not in await file.read()


@pytest.mark.parametrize(
    ("at", "when", "call"),
    [
        ("data.sqlite_store:SqliteStore.commit", "after", 1),
        ("data.sqlite_store:SqliteStore.forget_at", "before", 2),
        ("data.sqlite_store:SqliteStore.forget_at", "after", 1),
        ("data.sqlite_store:SqliteStore.end_forgetting", "before", 1),
        ("data.sqlite_store:SqliteStore.end_forgetting", "after", 1),
        ("data.sqlite_store:SqliteStore.wipe", "before", 1),
    ],
)
def test_death_in_the_middle_is_made_good_at_the_next_start(
    tmp_path: Path, at: str, when: str, call: int
) -> None:
    with Child(tmp_path, factory="bot:create_bot", members=4, ai_delay=0.0) as child:
        for _ in range(2):
            child.slash(0, "canasta new", profile="classic")
            child.click(1, label="Join")
            child.click(2, label="Join")
            child.click(3, label="Join")
        gone = Person(child.members[1], "Bob")
        asked = child.slash(1, "privacy delete")["response"]
        with child.killed(at, when, call):
            child.click(1, label=SURE, message=asked["id"])
            child.advance(1)  # what is still done in the background
        child.start()
        child.advance(5)
        assert list(occurrences(child.database, gone)) == []
        assert str(gone.user_id).encode() not in raw(child.database)
        boards = [one for one in child.messages() if "Canasta · table" in one["text"]]
        assert len(boards) == 2
        assert all("Bob" not in one["text"] for one in boards)
        assert not any(f"<@{gone.user_id}>" in one["text"] for one in child.messages())
        assert "no table" in child.slash(1, "hand")["text"]


def test_a_long_life_is_packed_and_split() -> None:
    rng = random.Random(1)
    data = OwnData(
        7, {"seats": ['{"seat": 1}'], "table_log": [json.dumps({"x": rng.random()}) for _ in range(9_000)]}
    )
    files = files_of("en", data, 1_800_000_000.0, 20_000)
    assert len(files) > 1
    found: dict[str, list[str]] = {}
    for number, (name, content) in enumerate(files.items(), 1):
        assert name == f"{FILE}-{number}.zip"
        assert len(content) < 20_000
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            read = json.loads(packed.read(f"{FILE}-{number}.json"))
        assert (read["part"], read["parts"], read["user_id"]) == (number, len(files), 7)
        for kind, entries in read["data"].items():
            found.setdefault(kind, []).extend(map(json.dumps, entries))
    assert found == data.entries
    assert list(files_of("en", data, 0.0, 10_000_000)) == [f"{FILE}.json"]
    assert json.loads(files_of("en", OwnData(7), 0.0, 10_000)[f"{FILE}.json"])["data"] == {}


def test_every_kind_of_entry_is_explained_and_the_messages_fit() -> None:
    kinds = {table for table in COLUMNS if columns(table, PERSON, TEXT)} | {HANDS}
    for kind in kinds:
        assert text("en", f"privacy-kind-{kind.replace('_', '-')}")
    for count in (0, 1, 99_999):
        check(delete_question("en", count))
        check(deleted("en", Forgotten(count, count)))
    check(files_layout("en", [f"{FILE}-{number}.zip" for number in range(10)]))
