"""`/history`, duplicates, and games beside each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from canasta_core.record import read_record
from canasta_core.state import ScoreSheet
from canasta_core.tables.model import Stage
from canasta_core.tables.standings import PastGames, PlayedGame, Share
from cogs.ui.face import face_of
from cogs.ui.history import COMPARED, EVERYBODY, PAGE, Compared, comparison, game_card, game_list
from tests.cogs.layouts import check
from tests.cogs.players import end_table, open_table, said, table_of
from tests.cogs.tables import BIG, LONGEST_NAME, fullest
from tests.cogs.test_replays import play_rounds
from tests.discord.harness import Game, buttons_of, playing, selects_of, text_of
from tests.games.tables import dealing

SHEET = ScoreSheet(*[-123_455] * 9)


def past(teams: tuple[int, ...], number: int, *, name: str = "Ann") -> PlayedGame:
    """A game of people with one name, seat k in team k mod the number of teams; seat 0 won."""
    seats = [
        (Share(seat, seat % len(teams), 100 + seat, "", True, teams[seat % len(teams)], not seat), name)
        for seat in range(2 * len(teams))
    ]
    return PlayedGame(number, 7, "classic", "2x2", 5000.0, seats[0][0], name, tuple(seats[1:]), None, None)


def test_the_fullest_lists_and_cards_fit() -> None:
    games = tuple(past((-123_455,) * 3, BIG + number, name=LONGEST_NAME) for number in range(PAGE))
    for user_id in (EVERYBODY, BIG):
        check(game_list("en", PastGames(games, 999, 5), page=3, user_id=user_id, name=LONGEST_NAME))
        check(game_list("en", PastGames(games[1:], 999, 5), page=3, user_id=user_id, hidden=1))
        check(game_list("en", PastGames((), 999, 5), page=3, user_id=user_id, hidden=PAGE))
        check(game_list("en", PastGames((), 0, 0), page=0, user_id=user_id))
    for name, seats in (("classic", 4), ("salon", 6), ("salon", 3)):
        table = fullest(name, seats, phase="round_over")  # type: ignore[arg-type]
        face = replace(face_of(table), duplicate_of=BIG)
        sheets = [(SHEET,) * face.rules.teams] * 60
        check(game_card(face, sheets, compared=True))
        check(comparison("en", [Compared(face, sheets)] * 12, packs=60))
        check(comparison("en", [Compared(face, sheets), Compared(face, sheets[:1])], packs=60))


def test_what_a_list_says_of_a_game() -> None:
    words = check(game_list("en", PastGames((past((5120, 3480), 12),), 3, 2), page=0, user_id=100))
    assert "Your games · 3 played, 2 won" in words
    assert "**table 12 · Classic** · won 5,120 to 3,480" in words
    assert "with Ann, against Ann & Ann" in words
    words = check(game_list("en", PastGames((past((5120, 3480), 12),), 3, 0), page=0, user_id=EVERYBODY))
    assert "Ann & Ann won 5,120 to 3,480" in words


def test_games_beside_each_other_by_rounds_with_the_same_packs() -> None:
    face = replace(face_of(fullest("classic", 4, phase="round_over")), id=1)  # type: ignore[arg-type]

    def sheet(total: int) -> ScoreSheet:
        return ScoreSheet(total, 0, 0, 0, 0, 0, 0, 0, 0)

    games = [
        Compared(
            replace(face, id=number),
            [(sheet(100 * number + round_), sheet(-round_)) for round_ in range(rounds)],
        )
        for number, rounds in ((1, 3), (2, 5), (3, 2))
    ]
    words = check(comparison("en", games, packs=3))
    assert "3 games" in words
    assert "first 2 rounds" in words
    blocks = words.split("```")
    assert [line.split() for line in blocks[1].strip().split("\n")] == [
        ["Round", "1", "2", "3"],
        ["1", "100", "200", "300"],
        ["2", "101", "201", "301"],
        ["Together", "201", "401", "601"],
    ]
    assert "−1" in blocks[3]
    assert COMPARED < 12


async def finished(game: Game, host: int = 0, **options: Any) -> int:
    """A table of four that was ended after two rounds."""
    table = await open_table(game, **options)
    await play_rounds(game, 2, table.id)
    await end_table(game, host, table.id)
    return table.id


async def test_a_whole_game_is_in_the_history_and_leads_to_its_replay(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, next_round=1.0, create=dealing(6)) as game:
        assert "You have finished no game" in said(await game.slash(0, "history list"))
        assert "No game has been finished" in said(await game.slash(0, "history list", everybody=True))
        await open_table(game)
        table = await play_rounds(game, 99)
        assert table.stage is Stage.ENDED
        over = game.messages()[-1]
        for _ in range(400):  # it is told at the pace that Discord allows
            await game.advance(5)
            over = game.messages()[-1]
            if "Rematch" in {one.label for one in buttons_of(over)}:
                break
        assert {"Rematch", "Replay"} <= {one.label for one in buttons_of(over)}
        pressed = await game.click(4, label="Replay", message=over)
        assert "round 1 of" in said(pressed)
        shown = await game.slash(0, "history list")
        assert "1 played" in said(shown)
        assert "table 1 · Classic" in said(shown)
        (menu,) = selects_of(shown.response)
        await game.select(0, values=["1"], custom_id=menu.custom_id, message=shown.response)
        assert "Team A" in text_of(shown.response) or "**A** ·" in text_of(shown.response)
        await game.click(0, label="Replay", message=shown.response)
        assert "Replay · table 1" in text_of(shown.response)
        theirs = await game.slash(4, "history list", person=game.members[1])
        assert "Games of Bob" in said(theirs)
        assert "won" in said(await game.slash(4, "history list", everybody=True))
        assert "have not been dealt again" in said(await game.slash(0, "history compare"))
        offered = await game.autocomplete(0, "replay", "table", "")
        assert [one["value"] for one in offered] == ["1"]
        assert "ago" in offered[0]["name"]
        assert "round 1 of" in said(await game.slash(0, "replay"))


async def test_packs_are_dealt_again_to_other_people(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=9, next_round=1.0, create=dealing(4)) as game:
        first = await finished(game, profile="classic")
        answer = said(await game.slash(0, "canasta new", duplicate=str(first)))
        assert "Ann knows the packs" in answer
        assert "leave profile" in said(await game.slash(4, "canasta new", duplicate="1", seats=4))
        assert "no table here" in said(await game.slash(4, "canasta new", duplicate="nonsense"))
        assert "table 2 is open".capitalize() in said(await game.slash(4, "canasta new", duplicate="1"))
        lobby = game.board("Duplicate")
        assert "the packs of table 1 are dealt again" in text_of(lobby)
        assert "knows the packs" in said(await game.click(1, label="Join", message=lobby))
        for command in ("replay", "history export", "fair"):
            assert "dealt again at table 2" in said(await game.slash(8, command, table="1"))
        for who in (5, 6, 7):
            await game.click(who, label="Join", message=lobby)
        table = await table_of(game, 2)
        assert table.stage is Stage.PLAYING
        await play_rounds(game, 2, 2, seed="other")
        compared = said(await game.slash(8, "history compare", table="2"))
        assert "The same packs, 2 games" in compared
        assert "first 2 rounds" in compared
        assert "dealt again at table 2" in said(await game.slash(8, "replay", table="1"))
        assert "round 2 of 2" in said(await game.slash(8, "replay", table="2"))
        await end_table(game, 4, 2)
        assert "round 1 of 2" in said(await game.slash(8, "replay", table="1"))
        # Who has just looked at it cannot play it any more.
        assert "knows the packs" in said(await game.slash(8, "canasta new", duplicate="1"))
        packs = []
        for number in (1, 2):
            exported = await game.slash(0, "history export", table=str(number))
            (file,) = exported.response.attachments
            record = read_record(game.env.backend.cdn.get(file.url).decode())  # type: ignore[union-attr]
            packs.append([step.action for step in record.steps if step.seat is None])
        assert packs[0] == packs[1]


async def test_a_game_that_runs_is_not_dealt_again(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, next_round=1.0, create=dealing(4)) as game:
        await open_table(game)
        assert "still runs" in said(await game.slash(4, "canasta new", duplicate="1"))
        await end_table(game)
        assert "No round" in said(await game.slash(4, "canasta new", duplicate="1"))
        assert await game.autocomplete(4, "canasta new", "duplicate", "") == []
