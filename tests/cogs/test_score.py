"""Score sheets: what is told of a running game and of one that is over, how numbers are written."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from canasta_core.events import RoundEnded
from canasta_core.state import Phase, Reason, ScoreSheet
from canasta_core.tables.model import Ended, Stage
from cogs.ui.face import Face, face_of
from cogs.ui.score import Exit, round_over, score
from tests.cogs.layouts import check
from tests.cogs.players import is_over, open_table, slash_turn, table_of
from tests.cogs.tables import played
from tests.cogs.tables import table_of as layout_table
from tests.discord.harness import playing, text_of

SHEETS = (
    ScoreSheet(1345, -85, 700, 300, 0, 200, 100, 1500, 4060),
    ScoreSheet(645, -785, 0, 0, 0, 100, 0, -1705, -1745),
)


def face(**changes: object) -> Face:
    state, _ = played("classic", moves=3)
    state.public.scores = [5060, 955]
    return replace(face_of(layout_table(state)), **changes)  # type: ignore[arg-type]


def test_a_game_that_is_over_has_results_only() -> None:
    over = face(stage=Stage.ENDED)
    assert over.public is not None
    over.public.winner = 0
    said = check(score(over, [SHEETS, SHEETS]))
    assert "**Team A · Ann & Cleo** — 5,060 · won" in said
    assert "**Team B · Bob & Dan** — 955\n" in said + "\n"
    assert "to go" not in said
    assert "opens with" not in said
    running = check(score(face(), [SHEETS, SHEETS]))
    assert "**Team B · Bob & Dan** — 955 · 4,045 to go · opens with 50" in running
    given_up = check(score(face(stage=Stage.ENDED, ended=Ended.HOST), [SHEETS]))
    assert "won" not in given_up
    assert "to go" not in given_up


def test_the_last_round_has_its_heading_and_the_first_is_not_told_twice() -> None:
    said = check(score(face(), [SHEETS] * 3))
    assert said.count("```") == 4
    assert "**Round 3**\n```" in said
    first = check(score(face(), [SHEETS]))
    assert first.count("```") == 2
    assert "**Round 1**\n```" in first
    assert "**A** · " not in first, "the lines above say who the teams are"


def test_numbers_have_one_minus_and_thousands() -> None:
    block = check(score(face(), [SHEETS])).split("```")[1]
    lines = [line.split() for line in block.splitlines()]
    assert ["In", "hand", "−85", "−785"] in lines
    assert ["Melded", "1,345", "645"] in lines
    assert "−1,705" in block
    assert "-" not in block
    assert "+" not in block


def test_who_went_out_is_named() -> None:
    ended = RoundEnded(Reason.WENT_OUT, (), SHEETS, (4060, -1745))
    over = face()
    assert over.public is not None
    over.public.phase, over.public.reason, over.public.went_out = Phase.ROUND_OVER, Reason.WENT_OUT, 2
    assert "Cleo went out." in check(round_over(over, ended, 3))
    over.public.concealed = True
    assert "Cleo went out concealed." in check(round_over(over, ended, 3))
    later = replace(over, public=None)
    assert "Ada (AI) went out." in check(round_over(later, ended, 3, Exit("Ada (AI)", False)))
    assert "Team A went out." in check(round_over(later, ended, 3)), "where nobody knows any more"


async def test_who_went_out_is_still_named_when_the_next_round_has_begun(tmp_path: Path) -> None:
    """Whoever sits there by then."""
    async with playing(tmp_path / "c.db", members=4, next_round=1e6) as game:
        await open_table(game)
        rng = random.Random(11)
        while not await is_over(game):
            await slash_turn(game, rng)
        state = (await table_of(game)).state
        assert state is not None
        assert state.public.went_out is not None, "another seed is needed"
        name = ["Ann", "Bob", "Cleo", "Dan"][state.public.went_out]
        told = game.board("Round 1 is over")
        assert f"{name} went out" in text_of(told)
        await game.slash(state.public.went_out, "canasta leave", table="1")
        other = (state.public.went_out + 1) % 4
        await game.click(other, label="Next round", message=game.board("Canasta · table"))
        await game.advance(5)
        told = next(one for one in game.messages() if one.id == told.id)
        assert f"{name} went out" in text_of(told)
