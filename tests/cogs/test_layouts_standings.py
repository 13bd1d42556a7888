"""The end of a game, leaderboards and statistics within Discord's limits, with the largest numbers."""

from dataclasses import replace
from typing import Any

import pytest

from canasta_core.events import GameEnded, RoundEnded
from canasta_core.state import Phase, Reason, ScoreSheet
from canasta_core.tables.ports import ResultRow
from canasta_core.tables.standings import Leaderboard, Line, Order, PlayedGame, Share, Skill, Standing
from cogs.ui.face import face_of
from cogs.ui.form import pools_played
from cogs.ui.layout import name_text
from cogs.ui.leaderboard import PAGE, Asked, Choices, Own, alt_text, leaderboard_layout, top_of
from cogs.ui.score import game_over
from cogs.ui.stats import Looked, Record, curve_of, form_shown, stats_layout
from cogs.ui.stats import alt_text as stats_alt
from tests.cogs.layouts import SHAPES, check, words_of
from tests.cogs.tables import BIG, LONGEST_NAME, fullest


def results_of(face: Any, **changes: Any) -> list[ResultRow]:
    """A result for each seat of a table, with the longest name and the largest rating."""
    shape = "x".join(str(len(face.rules.seats_of(team))) for team in range(face.rules.teams))
    row = ResultRow(
        guild_id=BIG,
        profile=face.rules.profile,
        shape=shape,
        seat=0,
        team=0,
        user_id=BIG,
        ai="",
        name=LONGEST_NAME,
        whole=True,
        score=-123_455,
        won=False,
        rounds=999,
        finished_at=4e9,
        rating_before=12_345.0,
        rating_after=-12_345.0,
    )
    return [replace(row, seat=seat, **changes) for seat in range(face.rules.seats)]


@pytest.mark.parametrize(("name", "seats"), SHAPES)
def test_the_end_of_a_game_tells_what_it_changed(name: str, seats: int) -> None:
    face = face_of(fullest(name, seats, Phase.GAME_OVER))
    sheet = ScoreSheet(*[-123_455] * 9)
    ended = RoundEnded(Reason.WENT_OUT, (), (sheet,) * face.rules.teams, (5000,) * face.rules.teams)
    rows = results_of(face)
    rows[0] = replace(rows[0], rating_before=1015.6, rating_after=1034.4)
    said = check(game_over(face, ended, GameEnded(0, ended.scores), 999, rows))
    assert f"{name_text(LONGEST_NAME)} **1,034** (+18)" in said
    assert "**−12,345** (−24,690)" in said
    assert "Does not count" not in said
    # Each seat that does not count is told why; an AI player's is not spoken of.
    left = [replace(one, whole=False, rating_before=None, rating_after=None) for one in rows]
    left[-1] = replace(left[-1], user_id=None, ai="medium", name="Robot")
    kept = replace(face, sitters=(replace(face.sitters[0], kept=True), *face.sitters[1:]))
    said = check(game_over(kept, ended, GameEnded(0, ended.scores), 999, left))
    assert "Ratings" not in said
    assert said.count("an AI player kept the seat") == 1
    assert ("after the first deal plays for the others" in said) == (seats > 2)
    assert "Robot" not in said
    nobody = [replace(one, user_id=None, ai="medium", whole=False, rating_after=None) for one in rows]
    assert "count" not in check(game_over(face, ended, GameEnded(0, ended.scores), 999, nobody))


UTMOST = Standing(
    skill=Skill(999.0, 0.0),
    games=99_999,
    wins=99_999,
    rounds=999_999,
    points=-999_999_999,
    canastas=999_999,
    naturals=999_999,
    exits=99_999,
    concealed=99_999,
    fastest_exit=99_999,
    biggest_round=99_999,
    streak=9,
    best_streak=99_999,
)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("world", [False, True])
def test_leaderboards_fit(order: Order, world: bool) -> None:
    lines = tuple(Line(10**6 + number, BIG + number, LONGEST_NAME, UTMOST) for number in range(PAGE))
    board_ = Leaderboard(lines, 10**7)
    pools = [f"canastra 2x2x2x2x2x{number} ai" for number in range(60)]
    choices = Choices(pools, [f"{year}-{month:02}" for year in range(2026, 2030) for month in range(1, 13)])
    for picture in (False, True):
        asked = Asked(order, world, pools[-1], "2029-12", 10**6, picture)
        for own in (
            Own(BIG - 1, Line(10**7, BIG - 1, LONGEST_NAME, UTMOST), 99_999, False),
            Own(BIG - 1, None, 1, False),
            Own(BIG - 1, None, 0, True),
            Own(BIG, lines[0], 9, True),
        ):
            said = check(leaderboard_layout("en", asked, board_, own, choices, said="x" * 500))
            assert said.count(name_text(LONGEST_NAME)) == PAGE + (
                own.line is not None and own.line not in lines
            )
            assert ("➤" in said) == (own.line is not None)
            shown = leaderboard_layout("en", asked, board_, own, choices, shown_by=LONGEST_NAME)
            assert "➤" not in check(shown)
            assert "You" not in words_of(shown)
        for count, filled in ((0, ()), (10**7, ())):
            check(
                leaderboard_layout("en", asked, Leaderboard(filled, count), Own(1, None, 0, False), choices)
            )
        assert len(alt_text("en", asked, board_)) <= 1024
        top = top_of("en", asked, board_, BIG)
        assert [bar.own for bar in top.bars] == [True] + [False] * (PAGE - 1)
        assert all(0.0 <= bar.share <= 1.0 for bar in top.bars)


def test_statistics_fit() -> None:
    mine = Share(0, 0, 1, "", True, 5000, True)
    others = tuple(
        (Share(seat, seat % 2, BIG + seat, "", True, 5000, True), LONGEST_NAME) for seat in range(1, 6)
    )
    played_ = [
        PlayedGame(
            number,
            7,
            "canastra",
            f"2x2x2x2x2x{number % 60}",
            4e9,
            mine,
            LONGEST_NAME,
            others,
            12_345.0,
            -12_345.0,
        )
        for number in range(600)
    ]
    late = replace(played_[0], share=replace(mine, whole=False), rating_before=None, rating_after=None)
    names = ["all", "all ai", *pools_played(played_)]
    record = Record(
        user_id=1,
        name=LONGEST_NAME,
        played=[*played_, *[late] * 5],
        standings=dict.fromkeys(names, UTMOST),
        place=10**7,
    )
    for looked in (Looked(1), Looked(1, names[-1]), Looked(1, "classic 2x2")):
        for own in (True, False):
            said = check(stats_layout("en", record, looked, own=own, said="x" * 300))
            assert "5 more games do not count" in said
            check(stats_layout("en", record, looked, own=own, shown_by=LONGEST_NAME))
        form = form_shown(record, looked)
        assert form is not None
        assert len(stats_alt("en", record, form)) <= 1024
        assert curve_of("en", record, form).won == form.won
    for few in (replace(record, played=[]), replace(record, played=[late], name="")):
        for own in (True, False):
            assert "that counts" in check(stats_layout("en", few, Looked(1), own=own))
    ai = replace(played_[0], others=((Share(1, 1, None, "medium", False, 0, False), "Ada"),), share=mine)
    said = check(stats_layout("en", replace(record, played=[ai], place=None), Looked(1), own=True))
    assert "People" not in said
    assert "with AI players" in said
