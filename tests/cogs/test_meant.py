"""Which table a command without `table:` means, where more than one could be meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simcord.builders import ChannelHandle

from canasta_core.state import Phase
from canasta_core.tables.model import Stage
from tests.cogs.players import open_table, said, table_of, who_of
from tests.cogs.test_replays import play_rounds
from tests.discord.harness import Game, playing, selects_of, text_of


def offered(result: Any) -> list[str]:
    """The tables that a question offers."""
    (menu,) = selects_of(result.response)
    return [option.value for option in menu.options]


async def second_table(game: Game, place: ChannelHandle, seats: int = 2) -> None:
    """Ann and Bob play at a table of another channel, or sit down there."""
    home, game.channel = game.channel, place
    await game.slash(0, "canasta new", seats=seats, profile="browser")
    await game.click(1, label="Join")
    game.channel = home


async def test_two_lobbies_of_a_channel_are_asked_for_and_the_hosts_own_comes_first(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        for who in (0, 1):
            await game.slash(who, "canasta new")
        asked = await game.slash(2, "canasta join", seat=3)
        assert offered(asked) == ["1", "2"]
        await game.select(2, values=["2"], custom_id="cn:choose", message=asked.response)
        assert (await table_of(game, 2)).seat_of(game.members[2].id) == 2, "in the seat that was asked for"
        for who, table_id in ((0, 1), (1, 2)):
            said(await game.slash(who, "canasta add-ai", seat=4))
            sitter = (await table_of(game, table_id)).sitter(3)
            assert sitter is not None
            assert sitter.is_ai, "at the host's own table"
        said(await game.slash(1, "canasta start"))
        assert (await table_of(game, 1)).stage is Stage.LOBBY
        assert (await table_of(game, 2)).stage is Stage.PLAYING


async def test_who_hosts_neither_lobby_is_asked_which_one(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        for who in (0, 1):
            await game.slash(who, "canasta new")
        asked = await game.slash(2, "canasta add-ai", level="medium", seat=2)
        await game.select(2, values=["1"], custom_id="cn:choose", message=asked.response)
        assert "Only the host" in text_of(asked.response)
        assert offered(await game.slash(2, "canasta start")) == ["1", "2"]
        assert offered(await game.slash(2, "table")) == ["1", "2"], "also for who only looks"


async def test_nobody_moves_unasked_at_a_table_that_they_do_not_look_at(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        other, third = (game.guild.create_text_channel(name) for name in ("other", "third"))
        await open_table(game, 4)
        await second_table(game, other)
        first, second = await table_of(game, 1), await table_of(game, 2)
        assert first.state is not None
        assert second.state is not None
        here = who_of(game, first, first.state.public.turn)
        elsewhere = who_of(game, second, second.state.public.turn)
        if here == elsewhere:  # they draw and discard at the first one
            said(await game.slash(here, "draw", table="1"))
            cards = await game.autocomplete(here, "discard", "card", "", table="1")
            said(await game.slash(here, "discard", card=cards[0]["value"], table="1"))
        asked = await game.slash(elsewhere, "draw")
        assert offered(asked) == ["2", "1"], "what waits comes first"
        assert (await table_of(game, 2)).version == second.version
        await game.select(elsewhere, values=["2"], custom_id="cn:choose", message=asked.response)
        assert "table 2" in text_of(asked.response).lower()
        drawn = (await table_of(game, 2)).state
        assert drawn is not None
        assert drawn.public.phase is Phase.PLAY
        # Where they play at no table that could be meant, it is the one that waits; the answer names it.
        cards = await game.autocomplete(elsewhere, "discard", "card", "", channel_=third)
        answer = said(await game.slash(elsewhere, "discard", card=cards[0]["value"], channel_=third))
        assert "table 2" in answer.lower()
        # With nothing that waits it is the table here, whose refusal says why.
        assert "turn" in said(await game.slash(elsewhere, "draw"))


async def test_who_looks_sees_the_table_of_this_channel_before_their_own_elsewhere(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        other = game.guild.create_text_channel("other")
        await open_table(game, 2)
        await game.slash(3, "canasta new", channel_=other)
        for command in ("table", "score", "rules"):
            assert "table 1" in said(await game.slash(3, command)).lower(), command
            assert "table 2" in said(await game.slash(3, command, channel_=other)).lower(), command
        assert "not started" in said(await game.slash(3, "hand")), "their own hand, wherever it is"


async def test_one_of_several_rounds_to_look_back_at_is_not_guessed(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2, ai_delay=0.0) as game:
        other = game.guild.create_text_channel("other")
        for _ in range(2):
            await open_table(game, 1)
        for table_id in (1, 2):
            await play_rounds(game, 1, table_id)
        for command in ("replay", "history export", "history compare"):
            assert offered(await game.slash(0, command)) == ["1", "2"], command
            assert offered(await game.slash(0, command, channel_=other)) == ["1", "2"], command
        asked = await game.slash(0, "replay", round=1)
        await game.select(0, values=["1"], custom_id="cn:choose", message=asked.response)
        assert "table 1" in text_of(asked.response).lower()
        asked = await game.slash(0, "history export")
        shown = await game.select(0, values=["2"], custom_id="cn:choose", message=asked.response)
        assert "table 2" in text_of(shown.response).lower()
