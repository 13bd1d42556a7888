"""The lobby: who sits where, changing seats, leaving, and the rematch that waits for those who played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from canasta_core.tables.model import Stage
from tests.cogs.players import (
    end_table,
    open_table,
    said,
    table_of,
)
from tests.discord.harness import Game, playing, selects_of, text_of


async def test_a_rematch_is_where_it_is_asked_for(tmp_path: Path) -> None:
    """The result may have been told elsewhere, because the table's own channel is gone."""
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        await end_table(game)
        old, game.channel = game.channel, game.guild.create_text_channel("refuge")
        await game.slash(1, "canasta new", profile="salon")
        game.env.backend.delete_channel(old.id)
        await game.env.settle()
        board = game.board("Canasta · table 2")
        for words in ("A rematch is open: table 3", "You sit at the rematch already, [table 3]"):
            assert words in said(await game.press(0, board, "cn:rematch:1:9"))
        assert (await table_of(game, 3)).channel_id == game.channel.id
        assert "Canasta · table 3" in text_of(game.board("Canasta · table 3"))


async def test_a_seat_is_chosen_and_changed_by_command_and_by_select(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await game.slash(0, "canasta new")
        assert said(await game.slash(1, "canasta join", seat=3)) == (
            "You sit at table 1: seat 3, team A with Ann."
        )
        assert said(await game.click(2, label="Join")) == "You sit at table 1: seat 2, team B."
        moved = said(await game.select(2, values=["3"], custom_id="cn:join"))
        assert moved == "You moved to seat 4, team B at table 1."
        assert "sit there already, seat 4" in said(await game.slash(2, "canasta join", seat=4))
        assert "taken by Bob" in said(await game.slash(2, "canasta join", seat=3))
        await game.slash(0, "canasta add-ai", seat=2)
        table = await table_of(game)
        assert table.stage is Stage.PLAYING
        assert [sitter.name for sitter in table.sitters] == ["Ann", "Ada", "Bob", "Cleo"]
        lobby = game.board("Canasta · table")
        late = await game.press(2, lobby, "cn:join:1:5:seat", values=["1"])
        assert "sit there already" in said(late), "nobody moves any more when the game has begun"


async def test_the_lobby_offers_free_seats_and_those_of_ais_with_their_partners(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await game.slash(0, "canasta new")
        await game.slash(0, "canasta add-ai", seat=3)
        lobby = game.board("Canasta · table")
        (seats,) = selects_of(lobby)
        assert [(one.label, one.description) for one in seats.options] == [
            ("Seat 2, team B", "free"),
            ("Seat 3, team A with Ann", "in place of Ada (AI)"),
            ("Seat 4, team B", "free"),
        ]
        said_ = text_of(lobby)
        assert said_.index("Seat 1 · Ann · host") < said_.index("**Clock:**"), "the seats come first"
        await game.select(1, values=["2"], custom_id="cn:join", message=lobby)
        assert (await table_of(game)).seat_of(game.members[1].id) == 2
        # Where each plays alone it does not matter who sits where.
        await game.slash(2, "canasta new", profile="browser", seats=2)
        assert not selects_of(game.board("Canasta · table 2"))


async def test_the_lobby_says_what_is_other_than_in_classic(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        for number, (options, told) in enumerate(
            (
                ({"profile": "classic"}, ""),
                ({"profile": "salon"}, "Melds, Canastas, Black threes"),
                ({"profile": "canastra", "options": "real"}, "Melds, Runs, Canastas, Red threes"),
                ({"profile": "browser", "seats": 2}, "Going out concealed, The empty stock"),
            ),
            1,
        ):
            await game.slash(0, "canasta new", **options)
            lobby = text_of(game.board(f"Canasta · table {number}"))
            line = next((one for one in lobby.split("\n") if "Other than in Classic" in one), "")
            assert told in line
            assert bool(line) == bool(told)
            assert ("a canasta of 500 (real)" in lobby) == ("options" in options)


async def test_leaving_a_lobby_alone_is_asked_since_it_closes_the_table(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        await game.slash(0, "canasta new")
        asked = await game.click(0, label="Leave")
        assert "Nobody else sits at table 1: if you leave, it is closed." in said(asked)
        assert (await table_of(game)).stage is Stage.LOBBY
        lobby = game.board("Canasta · table")
        await game.press(0, lobby, "cn:leave:1:1:sure")
        assert (await table_of(game)).stage is Stage.LOBBY, "a public button does not do it"
        await game.click(0, label="Leave and close table 1", message=asked.response)
        assert text_of(asked.response) == "You have left table 1. Nobody was left, so it is closed."
        assert (await table_of(game)).stage is Stage.ENDED
        await game.slash(0, "canasta new")
        await game.click(1, label="Join")
        assert said(await game.click(0, label="Leave")) == "You have left table 2."


async def rematch(game: Game, who: int) -> Any:
    return await game.press(who, game.messages()[0], "cn:rematch:1:9")


async def test_a_rematch_keeps_the_seats_of_those_who_played(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5) as game:
        await open_table(game)
        await end_table(game)
        assert "A rematch is open: table 2." in said(await rematch(game, 1))
        cleo = game.members[2].mention
        lobby = game.board("Canasta · table 2")
        assert f"waiting for {game.members[0].mention}, {cleo}, {game.members[3].mention}." in text_of(lobby)
        assert f"Seat 3 · *kept for* {cleo}" in text_of(lobby)
        sent = [body for body in game.public_payloads() if cleo in str(body) and "components" in body]
        assert all(not body["allowed_mentions"].get("users") for body in sent), "nobody is pinged"
        # Others do not get a kept seat by *Join*; by its number they do.
        assert "kept for those who played" in said(await game.click(4, label="Join", message=lobby))
        assert "kept for those who played" in said(await game.click(1, label="Add AI", message=lobby))
        back = said(await rematch(game, 0))
        assert back.startswith("You sit at [table 2](https")
        assert back.endswith("seat 1, team A, as before.")
        assert "You sit at the rematch already" in said(await rematch(game, 0))
        await game.slash(4, "canasta join", seat=3, table="2")
        other = said(await rematch(game, 2))
        assert "kept for those who played" in other, "her own seat is taken, and the last one is Dan's"
        assert game.members[3].mention in text_of(game.board("Canasta · table 2"))


async def test_to_start_a_rematch_without_somebody_is_asked(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, ai_delay=3600.0) as game:
        await open_table(game, 3)
        await end_table(game)
        await rematch(game, 1)
        assert "kept for" not in text_of(game.board("Canasta · table 2")).split("Seat 4")[1].split("\n")[0]
        assert "Only the host" in said(await game.slash(0, "canasta start", table="2"))
        asked = await game.slash(1, "canasta start", table="2")
        assert f"Seats are kept for {game.members[0].mention}, {game.members[2].mention}" in said(asked)
        assert (await table_of(game, 2)).stage is Stage.LOBBY
        await game.click(1, label="Start all the same", message=asked.response)
        table = await table_of(game, 2)
        assert table.stage is Stage.PLAYING
        assert [sitter.is_ai for sitter in table.sitters] == [True, False, True, True]
        # Who comes late takes over from the AI player.
        late = said(await rematch(game, 0))
        assert "You sit at table 2: seat 1, team A with" in late
        assert "Your hand" in late
        assert "You sit at the rematch already" in said(await rematch(game, 0))
        await game.click(2, label="Take the seat", message=game.board("Canasta · table 2"))
        assert (await table_of(game, 2)).seat_of(game.members[2].id) == 2
