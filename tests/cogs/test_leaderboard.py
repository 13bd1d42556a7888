"""`/leaderboard` with the real client: orders, places, pages, seasons, agreement, names, pictures."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from canasta_core.tables.model import Person
from canasta_core.tables.standings import Order
from cogs.ui.layout import MAX_CUSTOM_ID, Click, name_text
from cogs.ui.leaderboard import Asked, read_asked
from cogs.ui.pools import minimum_of, pool_title, season_title
from tests.cogs.finished import NAMES, finish_game, nick, play_league
from tests.cogs.players import enabled, said
from tests.discord.harness import Game, buttons_of, playing, selects_of, text_of

GAMES = 200
LINE = re.compile(r"(➤ )?\*\*(\d+)\.\*\* (?:\*\*)?(.+?)(?:\*\*)? — \*\*(-?[\d,]+(?: %| turns?)?)\*\* ?(.*)")


def lines_of(message: Any) -> list[tuple[int, str, str, bool]]:
    """Place, name, value, and whether it is marked as the reader's own."""
    found = [LINE.fullmatch(line) for line in text_of(message).split("\n")]
    return [(int(one[2]), one[3], one[4], bool(one[1])) for one in found if one]


def number(value: str) -> float:
    return float(value.split(maxsplit=1)[0].replace(",", ""))


async def test_finished_games_are_on_every_leaderboard_and_their_changes_in_the_channel(
    tmp_path: Path,
) -> None:
    database = tmp_path / "c.db"
    async with playing(database, members=4, ai_delay=0.0, next_round=1e6) as game:
        assert "Nobody has finished a game here yet. `/canasta new`" in said(
            await game.slash(0, "leaderboard")
        )
        for number_, people in enumerate(((0, 1), (1, 0), (0, 2))):
            await finish_game(game, people, number_)
            check_changes(game, database, "Browser 1 v 1")
        await finish_game(game, (3,), 9, ais=1)
        check_changes(game, database, "Browser 1 v 1, with AI players")
        for order in Order:
            shown = await game.slash(0, "leaderboard", by=order)
            seen = [(place, name, number(value)) for place, name, value, _ in lines_of(shown.response)]
            enough = minimum_of(order, "all")
            assert seen == expected(database, order, enough), order
            assert (f"at least {enough} games" in said(shown)) == (enough > 1)
        assert "Nobody has played 10 games yet" in said(await game.slash(0, "leaderboard", by="win_rate"))
        shown = await game.slash(3, "leaderboard")
        assert "You have finished no such game yet" in said(shown)
        await choose(game, 3, shown, "pool", "all ai")
        assert [(name, own) for _, name, _, own in lines_of(shown.response)] == [("Dan", True)]


def check_changes(game: Game, database: Path, pool: str) -> None:
    """The message at the end of the game tells the ratings as they are stored."""
    with closing(sqlite3.connect(database)) as file:
        rows = file.execute(
            "SELECT name, rating_before, rating_after FROM results"
            " WHERE table_id = (SELECT max(table_id) FROM results) AND user_id IS NOT NULL ORDER BY seat"
        ).fetchall()
    news = text_of(game.board(" wins!"))
    changes = []
    for name, before, after in rows:
        change = round(after) - round(before)
        sign = "+" if change > 0 else "−" if change < 0 else "±"
        changes.append(f"{name} **{round(after):,}** ({sign}{abs(change)})")
    assert f"**Ratings** ({pool}): " + " · ".join(changes) in news


def expected(database: Path, order: Order, enough: int) -> list[tuple[int, str, float]]:
    """Places, names and numbers of the games between people, from the rows of results and rounds."""
    with closing(sqlite3.connect(database)) as file:
        results = file.execute(
            "SELECT name, won, rating_after, table_id, seat FROM results"
            " WHERE table_id NOT IN (SELECT table_id FROM results WHERE user_id IS NULL) ORDER BY table_id"
        ).fetchall()
        rounds = file.execute(
            "SELECT table_id, seat, points, canastas, went_out, turns FROM seat_rounds"
        ).fetchall()
    values: dict[str, float] = {}
    for name in dict.fromkeys(row[0] for row in results):
        own = [row for row in results if row[0] == name]
        played = [one for one in rounds if (one[0], one[1]) in {(row[3], row[4]) for row in own}]
        exits = [one[5] for one in played if one[4]]
        value = METRICS[order](own, played, exits)
        if value is not None and len(own) >= enough:
            values[name] = value
    best = sorted(values.items(), key=lambda item: item[1], reverse=order is not Order.FASTEST_EXIT)
    better = (lambda a, b: a < b) if order is Order.FASTEST_EXIT else (lambda a, b: a > b)
    placed = [
        (1 + sum(better(other, value) for other in values.values()), name, value) for name, value in best
    ]
    ids = list(dict.fromkeys(row[0] for row in results))
    return sorted(placed, key=lambda one: (one[0], sorted(ids).index(one[1])))


def streak(own: list[Any]) -> int:
    best = run = 0
    for row in own:
        run = run + 1 if row[1] else 0
        best = max(best, run)
    return best


METRICS: dict[Order, Callable[[list[Any], list[Any], list[int]], float | None]] = {
    Order.RATING: lambda own, played, exits: round(own[-1][2]),
    Order.WINS: lambda own, played, exits: sum(row[1] for row in own),
    Order.GAMES: lambda own, played, exits: len(own),
    Order.WIN_RATE: lambda own, played, exits: round(100 * sum(row[1] for row in own) / len(own)),
    Order.ROUND_AVERAGE: lambda own, played, exits: round(sum(one[2] for one in played) / len(played)),
    Order.CANASTAS: lambda own, played, exits: sum(one[3] for one in played),
    Order.FASTEST_EXIT: lambda own, played, exits: min(exits, default=None),
    Order.BIGGEST_ROUND: lambda own, played, exits: max(one[2] for one in played),
    Order.BEST_STREAK: lambda own, played, exits: streak(own),
}


async def choose(game: Game, who: int, shown: Any, about: str, value: str) -> Any:
    """Choose in one of the three selects."""
    pick = next(one for one in selects_of(shown.response) if f":{about}~" in one.custom_id)
    return await game.select(who, values=[value], custom_id=pick.custom_id, message=shown.response)


async def press(game: Game, who: int, shown: Any, label: str) -> Any:
    return await game.click(who, label=label, message=shown.response)


async def test_ten_lines_a_page_with_the_own_one_always_among_them(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5) as game:
        await play_league(game, GAMES)
        shown = await game.slash(0, "leaderboard")
        assert shown.ephemeral
        seen: list[tuple[int, str, str, bool]] = []
        for page in range(1, 4):
            assert f"Page {page} of 3" in {one.label for one in buttons_of(shown.response)}
            lines = lines_of(shown.response)
            own = [line for line in lines if line[3]]
            assert [name for _, name, _, _ in own] == ["Ann"]
            assert len(lines) == {1: 11, 2: 11, 3: 5}[page], "Ann is among the last five"
            seen += lines if page == 3 else lines[:-1]
            if page < 3:
                await press(game, 0, shown, "On")
        assert {name for _, name, _, _ in seen} == set(NAMES)
        assert [place for place, *_ in seen] == sorted(place for place, *_ in seen)
        values = [number(value) for _, _, value, _ in seen]
        assert values == sorted(values, reverse=True)
        assert "On" not in enabled(shown.response)
        await press(game, 0, shown, "First")
        assert lines_of(shown.response)[0][0] == 1
        assert {"First", "Back"}.isdisjoint(enabled(shown.response))
        await press(game, 0, shown, "My page")
        assert "Page 3 of 3" in {one.label for one in buttons_of(shown.response)}
        await press(game, 0, shown, "Back")
        assert lines_of(shown.response)[0][0] == 11
        # By another order the pages begin anew, and where many share a place, mine is found all the same.
        await choose(game, 0, shown, "order", "games")
        assert "Page 1 of 3" in {one.label for one in buttons_of(shown.response)}
        await choose(game, 0, shown, "order", "best_streak")
        await press(game, 0, shown, "My page")
        assert any(own for *_, own in lines_of(shown.response)[:10])


async def test_pools_and_seasons(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        await play_league(game, GAMES)
        shown = await game.slash(0, "leaderboard")
        pools = next(one for one in selects_of(shown.response) if ":pool~" in one.custom_id)
        assert {"all", "all ai", "classic 2x2", "classic 2x2 ai", "salon 3x2"} <= set(pools.values)
        assert {option.label for option in pools.options} >= {"Classic 2 v 2", "Salon 3 v 2, with AI players"}
        seasons = next(one for one in selects_of(shown.response) if ":season~" in one.custom_id)
        assert [option.label for option in seasons.options] == [
            *("All time", "2026", "January 2026", "December 2025", "November 2025", "2025")
        ]
        everything = lines_of(shown.response)
        await choose(game, 0, shown, "season", "2025-11")
        november = lines_of(shown.response)
        assert "All games between people · November 2025" in text_of(shown.response)
        assert november != everything
        await choose(game, 0, shown, "pool", "salon 3x2")
        assert "Salon 3 v 2 · November 2025" in text_of(shown.response)
        await choose(game, 0, shown, "season", "2026-01")
        assert "Nobody has finished such a game in this time" in text_of(shown.response)
        assert not lines_of(shown.response)
        assert len(selects_of(shown.response)) == 3, "there is a way out"
        await choose(game, 0, shown, "season", "2025")
        assert lines_of(shown.response)
        typed = await game.slash(0, "leaderboard", pool="Salon 3 V 2", season="November 2025")
        assert "Salon 3 v 2 · November 2025" in said(typed)
        rate = await game.slash(0, "leaderboard", by="win_rate", season="2025-11")
        assert "at least 3 games" in said(rate)
        for option, value in (
            ("pool", "Bridge"),
            ("pool", "classic 9x9"),
            ("season", "2026-13"),
            ("season", "x" * 3000),
        ):
            assert "Choose from the list" in said(await game.slash(0, "leaderboard", **{option: value}))
        offered = await game.autocomplete(0, "leaderboard", "pool", "salon 1")
        assert [one["name"] for one in offered] == ["Salon 1 v 1 v 1", "Salon 1 v 1 v 1, with AI players"]
        offered = await game.autocomplete(0, "leaderboard", "season", "nov")
        assert [(one["name"], one["value"]) for one in offered] == [("November 2025", "2025-11")]
        assert await game.autocomplete(0, "leaderboard", "pool", "", scope="world")


async def test_names_are_the_newest_ones_escaped_and_never_a_number(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        store: Any = game.bot._store  # type: ignore[attr-defined]
        league = await play_league(game, GAMES)
        best, second = (
            league.people[NAMES.index(name)]
            for _, name, _, _ in lines_of((await game.slash(1, "leaderboard")).response)[:2]
        )
        await store.meet(Person(best, "*_~`|>#[x](http://a.b)<@!1234567"))
        with closing(sqlite3.connect(tmp_path / "c.db")) as file, file:
            file.execute("DELETE FROM members WHERE user_id = ?", (second,))
        shown = await game.slash(1, "leaderboard", picture=True)
        first, unnamed = text_of(shown.response).split("\n")[2:4]
        assert first.startswith(f"**1.** {name_text('*_~`|>#[x](http://a.b)<@!1234567')} — **")
        assert unnamed.startswith("**2.** a player without a name — **")
        assert not re.search(r"\d{6}", text_of(shown.response))
        # Bob is called something else now: his own click tells it to everybody.
        nick(game, 1, "Robert **the Great**")
        await press(game, 1, shown, "My page")
        assert r"Robert \*\*the Great" in text_of(shown.response)
        other = await game.slash(0, "leaderboard")
        await press(game, 0, other, "My page")
        await press(game, 0, other, "First")
        names = set()
        for _ in range(3):
            names |= {name for _, name, _, _ in lines_of(other.response)}
            if "On" in enabled(other.response):
                await press(game, 0, other, "On")
        assert any(name.startswith("Robert") for name in names)
        assert "Bob" not in names
        # Who looks and has never played is not remembered.
        await game.slash(3, "leaderboard")
        stranger = game.guild.add_member(game.env.create_user("Stranger"))
        game.members.append(stranger)
        assert "You have finished no such game yet" in said(await game.slash(4, "leaderboard"))
        assert not await store.names([stranger.id])


async def test_who_left_stays_and_who_deleted_their_data_is_gone(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await play_league(game, GAMES)
        cleo = game.members[2].id
        before = await everybody(game, 0)
        game.guild.remove_member(game.members[1])
        with closing(sqlite3.connect(tmp_path / "c.db")) as file, file:
            file.execute("UPDATE standings SET user_id = -7 WHERE user_id = ?", (cleo,))
            file.execute("DELETE FROM members WHERE user_id = ?", (cleo,))
        after = await everybody(game, 0)
        assert [name for name in before if name != "Cleo"] == after
        assert "Bob" in after


async def everybody(game: Game, who: int) -> list[str]:
    """All names on a leaderboard, in order."""
    shown = await game.slash(who, "leaderboard", by="canastas")
    names: list[str] = []
    while True:
        here = [name for _, name, _, _ in lines_of(shown.response)]
        names += [name for name in here[:10] if name not in names]
        if "On" not in enabled(shown.response):
            return names
        await press(game, who, shown, "On")


async def test_all_servers_show_only_who_agreed(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        service = game.bot.service  # type: ignore[attr-defined]
        league = await play_league(game, GAMES, guild_id=900_000_000_000_000_001)
        here = await game.slash(0, "leaderboard")
        assert "Nobody has finished a game here yet" in said(here)
        await press(game, 0, here, "All servers")
        assert "Leaderboard of all servers" in text_of(here.response)
        assert "Nobody who agreed" in text_of(here.response)
        assert "`/preferences worldwide:True`" in text_of(here.response)
        assert "your name and results are shown on all servers" in said(
            await game.slash(0, "preferences", worldwide=True)
        )
        chosen = await service.preferences(league.people[20])
        await service.set_preferences(Person(league.people[20], NAMES[20]), replace(chosen, worldwide=True))
        shown = await game.slash(0, "leaderboard", scope="world")
        assert [(place, name, own) for place, name, _, own in lines_of(shown.response)] == [
            (1, NAMES[20], False),
            (2, "Ann", True),
        ]
        assert "2 players" in said(shown)
        other = await game.slash(1, "leaderboard", scope="world")
        assert "`/preferences worldwide:True`" in said(other)
        assert len(lines_of(other.response)) == 2
        # And back, by a click in the preferences.
        prefs = await game.slash(0, "preferences")
        await game.click(0, label="Show me only where I play", message=prefs.response)
        assert "only on the server where you played" in text_of(prefs.response)
        shown = await game.slash(1, "leaderboard", scope="world")
        assert [name for _, name, _, _ in lines_of(shown.response)] == [NAMES[20]]


async def test_a_page_that_is_shown_to_all_belongs_to_nobody(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await play_league(game, GAMES)
        shown = await game.slash(0, "leaderboard", by="wins")
        await press(game, 0, shown, "On")
        before = len(game.messages())
        await press(game, 0, shown, "Show to all")
        assert len(game.messages()) == before + 1
        assert "All here can see it now." in text_of(shown.response)
        public = game.board("Shown by Ann")
        assert not public.ephemeral
        assert not selects_of(public)
        assert {one.label for one in buttons_of(public)} == {"Look around"}
        lines = lines_of(public)
        assert not any(own for *_, own in lines)
        words = text_of(public)
        # Somebody else looks around in a message of their own; after a restart too.
        await game.restart()
        mine = await game.click(1, label="Look around", message=public)
        assert mine.ephemeral
        assert [name for _, name, _, own in lines_of(mine.response) if own] == ["Bob"]
        assert "Games won" in text_of(mine.response)
        assert "Page 2 of 3" in {one.label for one in buttons_of(mine.response)}
        await press(game, 1, mine, "On")
        assert text_of(game.board("Shown by Ann")) == words
        # The page from before the restart still turns, in place.
        await press(game, 0, shown, "Back")
        assert "Page 1 of 3" in {one.label for one in buttons_of(shown.response)}


async def test_nobody_shows_anything_where_they_may_not_write(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        await play_league(game, 60)
        shown = await game.slash(0, "leaderboard")
        denied = discord.Permissions(send_messages=True).value
        game.env.backend.set_overwrite(
            game.channel.id,
            Overwrite(target_id=game.members[0].id, type=OverwriteType.MEMBER, allow=0, deny=denied),
        )
        before = len(game.messages())
        await press(game, 0, shown, "Show to all")
        assert "You may not write in this channel" in text_of(shown.response)
        assert len(game.messages()) == before


async def test_the_picture_comes_and_goes_and_says_the_same(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        await play_league(game, GAMES)
        shown = await game.slash(0, "leaderboard", picture=True)
        (picture,) = shown.response.attachments
        assert picture.filename == "leaderboard.png"
        assert picture.content_type in (None, "image/png")
        for _, name, value, _ in lines_of(shown.response)[:10]:
            assert f"{name}: {value}" in (picture.description or "")
            assert f"{name}: {value}" in text_of(shown.response)
        first = picture.description
        await press(game, 0, shown, "On")
        (picture,) = shown.response.attachments
        assert picture.description != first
        await press(game, 0, shown, "Show to all")
        assert len(game.board("Shown by Ann").attachments) == 1
        await press(game, 0, shown, "No picture")
        assert not shown.response.attachments
        await press(game, 0, shown, "Picture")
        await choose(game, 0, shown, "season", "2026-01")
        assert not shown.response.attachments


@pytest.mark.parametrize("about", ["leaderboard", "stats"])
@pytest.mark.parametrize(
    "arg",
    [
        "",
        "x",
        "on~rating~g~all",
        "order~luck~g~all~all",
        "on~wins~g~2026-13~all",
        "on~wins~g~all~DROP",
        "pool~x~",
        "pool~-7~all",
        "open~1~A B",
    ],
)
async def test_clicks_that_nobody_made_are_answered(tmp_path: Path, about: str, arg: str) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        shown = await game.slash(0, "leaderboard")
        result = await game.press(0, shown.response, f"cn:{about}:0:0:{arg}")
        assert "That button belongs to an older message" in text_of(result)


def test_custom_ids_hold_everything() -> None:
    for order in Order:
        for name in ("all", "canastra 2x2x2x2x2x2 ai"):
            asked = Asked(order, True, name, "2026-11", 999_999, True)
            for about in ("first", "picture"):
                click = asked.click(about)
                assert len(click.custom_id) <= MAX_CUSTOM_ID
                again = Click.read(click.custom_id)
                assert again is not None
                assert read_asked(again) == (about, asked)


def test_titles() -> None:
    assert pool_title("en", "classic 2x2") == "Classic 2 v 2"
    assert pool_title("en", "salon 3x2 ai") == "Salon 3 v 2, with AI players"
    assert pool_title("en", "gone 1x1") == "gone 1 v 1"
    assert season_title("en", "2026") == "2026"
    assert season_title("en", "2026-02") == "February 2026"
    assert season_title("en", "all") == "All time"
