"""Rounds played through the whole of the interface, on a real file, with every request checked."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from canasta_core.legality import who_acts
from canasta_core.profiles import profile_ids
from canasta_core.tables.model import Stage, Table
from cogs.ui.cards_text import SYMBOLS
from tests.cogs.players import click_turn, is_over, open_table, said, slash_turn, table_of, who_of
from tests.discord.harness import Game, buttons_of, playing, text_of

TURNS = 400
"""No round of chance lasts longer."""


async def play_round(game: Game, rng: random.Random, turn: object) -> int:
    """Play to the end of the round; how many actions that took."""
    for played in range(TURNS):
        if await is_over(game):
            return played
        result = await turn(game, rng)  # type: ignore[operator]
        assert "Something went wrong" not in text_of(result), text_of(result)
        await assert_told(game)
    raise AssertionError("the round has no end")


async def assert_told(game: Game) -> None:
    """The board is right, exactly one person is pinged, and only whose turn it is."""
    table = await table_of(game)
    assert table.state is not None
    board = game.board("Canasta · table")
    public = table.state.public
    if public.upcard is not None and who_acts(public):
        assert SYMBOLS[public.upcard & 3] in text_of(board) or "# `JK`" in text_of(board)
    assert all(button.custom_id.split(":")[3] == str(table.version) for button in buttons_of(board))
    pings = [text_of(message) for message in game.messages() if "your turn at" in text_of(message)]
    acting = who_acts(public)
    if acting:
        mention = game.members[who_of(game, table, public.turn)].mention
        assert len(pings) == 1
        assert mention in pings[0]
    else:
        assert not pings


def assert_private(game: Game) -> None:
    """Nothing that belongs to a hand is in a public payload."""
    for body in game.public_payloads():
        text = json.dumps(body, ensure_ascii=False)
        assert "You drew" not in text
        assert "cn:discard" not in text
        assert "cn:pick" not in text


@pytest.mark.parametrize("turn", [slash_turn, click_turn], ids=["slash", "click"])
@pytest.mark.parametrize("name", profile_ids()[1:])
async def test_other_profiles_by_commands_or_by_clicks(tmp_path: Path, name: str, turn: object) -> None:
    rng = random.Random(f"{name}")
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game, profile=name)
        for _ in range(40):
            if await is_over(game):
                break
            result = await turn(game, rng)  # type: ignore[operator]
            assert "Something went wrong" not in text_of(result), text_of(result)
            await assert_told(game)


async def test_the_next_round_starts_by_itself(tmp_path: Path) -> None:
    rng = random.Random("classic")
    async with playing(tmp_path / "c.db", members=4, next_round=600.0) as game:
        await open_table(game)
        await play_round(game, rng, slash_turn)
        await game.advance(590)
        assert await is_over(game)
        await game.restart()
        await game.advance(11)
        table = await table_of(game)
        assert table.state is not None
        assert table.state.public.round_number == 2
        await assert_told(game)


@pytest.mark.parametrize("turn", [slash_turn, click_turn], ids=["slash", "click"])
async def test_a_round_by_commands_or_by_clicks(tmp_path: Path, turn: object) -> None:
    rng = random.Random("classic")
    async with playing(tmp_path / "c.db", members=4, next_round=60.0) as game:
        await open_table(game)
        assert await play_round(game, rng, turn) > 10
        assert_private(game)
        assert "is over" in text_of(game.messages()[-1])
        assert "Total" in text_of(game.messages()[-1])
        # The next round: by the button, once, however many press it.
        version = (await table_of(game)).version
        results = await game.at_once([game.click(who, label="Next round") for who in range(4)])
        assert sum("is dealt" in said(result) for result in results) == 1
        table = await table_of(game)
        assert table.state is not None
        assert table.state.public.round_number == 2
        assert table.version > version
        assert not [m for m in game.messages() if "Next round" in str(buttons_of(m))]
        score = said(await game.slash(2, "score"))
        assert "Total" in score


async def test_one_person_and_three_ais(tmp_path: Path) -> None:
    rng = random.Random(5)
    async with playing(tmp_path / "c.db", members=2, ai_delay=1.0, next_round=30.0) as game:
        await open_table(game, 1)

        async def mine() -> bool:
            table = await table_of(game)
            assert table.state is not None
            return 0 in who_acts(table.state.public) or await is_over(game)

        for _ in range(60):
            await game.until(mine, 60)
            if await is_over(game):
                break
            await click_turn(game, rng)
        assert await is_over(game)
        pinged = [b for b in game.public_payloads() if "your turn at" in json.dumps(b)]
        assert pinged
        assert all(game.members[0].mention in json.dumps(body) for body in pinged)


async def test_every_old_button_answers_after_a_restart(tmp_path: Path) -> None:
    rng = random.Random(2)
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        for _ in range(6):
            await click_turn(game, rng)
        await game.restart()
        before = await table_of(game)
        for who in range(4):
            for message in game.messages(who):
                if not message.ephemeral:
                    continue
                for button in buttons_of(message):
                    if not button.disabled:
                        await game.press(who, message, button.custom_id)
                        assert "Something went wrong" not in text_of(game.messages(who)[-1])
        after = await table_of(game)
        assert after.version - before.version <= 4  # what is fresh counts, what is stale does not
        for _ in range(10):
            await click_turn(game, rng)


async def test_fifty_at_once(tmp_path: Path) -> None:
    """Clicks and commands of all four, valid and stale, at one instant: what is valid counts once."""
    async with playing(tmp_path / "c.db", members=4) as game:
        table = await open_table(game)
        assert table.state is not None
        seat = table.state.public.turn
        who = who_of(game, table, seat)
        board = game.board("Canasta · table")
        draw = next(button.custom_id for button in buttons_of(board) if button.label == "Draw")
        stale = draw.rsplit(":", 1)[0] + ":1"
        verbs = []
        for number in range(10):
            verbs.append(game.press(who, board, draw))
            verbs.append(game.press(who, board, stale))
            verbs.append(game.slash(who, "draw"))
            verbs.append(game.press((who + 1 + number % 3) % 4, board, draw))
            verbs.append(game.slash((who + 1 + number % 3) % 4, "discard", card="4"))
        results = await game.at_once(verbs)
        answers = [said(result) for result in results]
        assert sum("You drew" in answer for answer in answers) == 1
        after = await table_of(game)
        assert after.version == table.version + 1
        assert all(answers)


async def test_a_game_ends_and_a_rematch_opens_once(tmp_path: Path) -> None:
    rng = random.Random(11)
    async with playing(tmp_path / "c.db", members=4, next_round=5.0) as game:
        await open_table(game, profile="browser", target=1000)
        for _ in range(40):
            await play_round(game, rng, slash_turn)
            table = await table_of(game)
            if table.stage is Stage.ENDED:
                break
            await game.click(0, label="Next round", message=game.board("Canasta · table"))
        assert table.stage is Stage.ENDED
        assert " win!" in text_of(game.messages()[-1])
        over = game.messages()[-1]
        results = await game.at_once([game.click(who, label="Rematch", message=over) for who in (1, 2)])
        assert sorted("as before" in said(result) for result in results) == [False, True]
        tables: list[Table] = await game.bot.service.tables_in(game.guild.id)  # type: ignore[attr-defined]
        assert len(tables) == 1
        assert tables[0].rules == table.rules
        assert tables[0].stage is Stage.LOBBY
        assert "over" in said(await game.slash(0, "hand", table="1"))
