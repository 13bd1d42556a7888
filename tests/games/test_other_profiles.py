"""Whole games of the other profiles and numbers of seats, half by commands and half by clicks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from canasta_core.actions import AskPartner, EndTurn, Group, LayMelds, TakePile
from canasta_core.cards import Rank, read_cards
from canasta_core.legality import who_acts
from canasta_core.state import GameState, Hand, Meld, MeldKind, Phase, Source, Team
from canasta_core.tables.model import Stage, Table
from tests.cogs.players import enabled, said, table_of
from tests.discord.harness import Game, buttons_of, playing, text_of
from tests.games.tables import BOARD, Watched, dealing, open_by_seats, set_up

SIX = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}
"""Everybody sits at the seat of their number."""
GAMES: dict[str, tuple[dict[int, int], str, dict[str, Any], int]] = {
    "salon-6": (SIX, "", {"profile": "salon"}, 4),
    "salon-6-teams-3": ({1: 3, 2: 1, 3: 4, 4: 2, 5: 5}, "teams=3", {"profile": "salon"}, 9),
    "salon-5": ({1: 2, 2: 4, 3: 1, 4: 3}, "", {"profile": "salon"}, 3),
    "canastra-6-three-pack": (SIX, "three_pack", {"profile": "canastra"}, 9),
    "browser-2": ({1: 1}, "", {"profile": "browser", "target": 1000}, 7),
}
"""Seats by member (beside the host's), house rules, options of `/canasta new`, and a seed of short games."""


@pytest.mark.parametrize("name", GAMES)
async def test_a_whole_game(tmp_path: Path, name: str) -> None:
    seats, house, options, seed = GAMES[name]
    async with playing(tmp_path / "c.db", members=6, create=dealing(seed), next_round=1e6) as game:
        await open_by_seats(game, seats, house, **options)
        watched = Watched(game, name)
        check_end(watched, await watched.play())


@pytest.mark.parametrize(("seats", "house"), [(3, ""), (2, "draw=2, canastas_to_go_out=2")])
async def test_a_game_of_people_alone_that_is_near_its_end_after_two_rounds(
    tmp_path: Path, seats: int, house: str
) -> None:
    """Such games are long: the totals stored are put up after two rounds, and a new process finds them."""
    database = tmp_path / "c.db"
    async with playing(database, members=6, create=dealing(seats), next_round=1e6) as game:
        await open_by_seats(game, {seat: seat for seat in range(1, seats)}, house, profile="salon")
        watched = Watched(game, f"salon {seats}")
        table = await watched.play(rounds=2)
        if table.stage is not Stage.ENDED:

            def put_up(state: GameState) -> None:
                more = state.rules.target - 400 - max(state.public.scores)
                state.public.scores = [score + more for score in state.public.scores]

            await set_up(game, database, put_up)
            await game.click(1, label="Next round")
            watched.hands.clear()
            table = await watched.play()
        check_end(watched, table)


def check_end(watched: Watched, table: Table) -> None:
    """The game ended rightly, and both halves of it were played."""
    assert table.state is not None
    public = table.state.public
    assert table.stage is Stage.ENDED
    assert public.winner is not None
    assert public.scores[public.winner] == max(public.scores) >= table.rules.target
    check_ways(watched)


def check_ways(watched: Watched) -> None:
    for way in ("command", "click"):
        assert {kind for by, kind in watched.done if by == way} >= {"draw", "meld", "discard"}, watched.done
    assert any(kind == "take" for _, kind in watched.done)


async def test_rounds_with_runs_and_an_exact_target(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4, create=dealing(4), next_round=1e6) as game:
        await open_by_seats(game, {1: 1, 2: 2, 3: 3}, "real, sujo", profile="canastra")
        watched = Watched(game, "exact")
        table = await watched.play(rounds=3)
        assert table.state is not None
        assert max(table.state.public.scores) <= table.rules.target
        check_ways(watched)


def lay_out(
    hands: dict[int, str],
    *,
    phase: Phase = Phase.PLAY,
    melds: dict[int, tuple[int, str]] | None = None,
    pile: str = "6D",
    stock: bool = True,
    scores: tuple[int, ...] = (),
) -> Callable[[GameState], None]:
    """A position of seat 0 in turn: hands by seat, one meld by team, its rank and its cards."""

    def change(state: GameState) -> None:
        public = state.public
        assert public.turn == 0, "the seed must let seat 0 begin, who is pinged then"
        public.phase = phase
        public.drawn = Source.STOCK if phase is Phase.PLAY else None
        public.teams = [Team.empty() for _ in range(state.rules.teams)]
        for team, (rank, cards) in (melds or {}).items():
            laid = tuple(read_cards(cards))
            public.teams[team].put(Meld(RANK_LETTERS[rank], MeldKind.SET, Rank(rank), laid, 0))
        public.melded = [state.rules.team_of(seat) in (melds or {}) for seat in range(state.rules.seats)]
        public.seat_fresh, public.team_fresh = not public.melded[0], not public.teams[0].opened
        for seat, cards in hands.items():
            state.hands[seat] = Hand.of(read_cards(cards))
        public.pile, public.freezing = read_cards(pile), 0
        public.scores = list(scores or public.scores)
        if not stock:
            state.stock = []

    return change


RANK_LETTERS = "..23456789TJQKA"
CANASTA = (12, "QS QH QD QC QS QH QD")
"""A natural one of queens."""


async def test_a_question_to_two_partners_is_answered_by_clicks(tmp_path: Path) -> None:
    """Each presses Yes, in either order, on the same message; then the player goes out."""
    database = tmp_path / "c.db"
    async with playing(database, members=6, create=dealing(10), next_round=1e6) as game:
        await open_by_seats(game, SIX, profile="salon")
        await set_up(game, database, lay_out({0: "KS KH KD 4C", 2: "8S", 4: "9S"}, melds={0: CANASTA}))
        watched = Watched(game, "question", from_now=True)
        await watched.do(0, AskPartner(), clicking=True)
        question = question_of(game)
        for partner in (2, 4):
            assert game.members[partner].mention in text_of(question)
        assert "a yes of each of 2" in text_of(question)
        for label in ("Yes", "No"):
            assert "Cleo & Eve" in said(await game.click(1, label=label, message=question))
        await game.click(4, label="Yes", message=question)
        await watched.look(await table_of(game))
        board = text_of(game.board(BOARD))
        assert "• A · Eve · 1 card — has said yes" in board
        assert "❓ **A · Cleo**" in board
        assert "until the answer: Cleo must say" in said(
            await game.click(0, label="Refresh", message=watched.hands[0])
        )
        await game.click(2, label="Yes", message=question_of(game))
        table = await table_of(game)
        assert table.state is not None
        assert table.state.public.answer is True
        await watched.look(table)
        assert "answer was **yes**" in text_of(closed_question(game))
        watched.hands.clear()
        await watched.do(0, LayMelds((Group(tuple(read_cards("KS KH KD"))),)), clicking=True)
        assert "Your partners said yes" in text_of(watched.hands[0])
        await watched.act(0, clicking=True)
        table = await table_of(game)
        assert table.state is not None
        assert table.state.public.went_out == 0
        await watched.look_at_scores(table)
        assert "Ann went out." in text_of(game.messages()[-1])
        assert "Ann went out." in text_of(game.board(BOARD))


async def test_the_first_no_ends_the_question(tmp_path: Path) -> None:
    database = tmp_path / "c.db"
    async with playing(database, members=6, create=dealing(12), next_round=1e6) as game:
        await open_by_seats(game, SIX, profile="salon")
        await set_up(game, database, lay_out({0: "KS KH KD 4C", 2: "8S", 4: "9S"}, melds={0: CANASTA}))
        watched = Watched(game, "question", from_now=True)
        await watched.do(0, AskPartner(), clicking=True)
        question = question_of(game)
        press = {button.label: button.custom_id for button in buttons_of(question)}
        await game.click(2, label="No", message=question)
        table = await table_of(game)
        assert table.state is not None
        assert table.state.public.answer is False
        await watched.look(table)
        closed = closed_question(game)
        assert "answer was **no**" in text_of(closed)
        assert not buttons_of(closed)
        late = await game.press(4, closed, press["Yes"])  # was under way when the first no came
        assert "no question" in said(late).lower()
        assert (await table_of(game)).version == table.version
        hand = said(await game.click(0, label="My hand", message=game.board(BOARD)))
        assert "A partner said no: you may not go out this turn." in hand


def question_of(game: Game) -> Any:
    return next(
        one for one in reversed(game.messages()) if "may I go out" in text_of(one) and buttons_of(one)
    )


def closed_question(game: Game) -> Any:
    return next(one for one in reversed(game.messages()) if "The answer was" in text_of(one))


@pytest.mark.parametrize("clicking", [True, False], ids=["clicks", "commands"])
async def test_a_turn_without_a_discard(tmp_path: Path, clicking: bool) -> None:
    """The stock is empty: the upcard alone is taken, more may be laid, and *End turn* is the end of it."""
    database = tmp_path / "c.db"
    async with playing(database, members=5, create=dealing(3), next_round=1e6) as game:
        await open_by_seats(game, {1: 1, 2: 2, 3: 3, 4: 4}, profile="salon")
        change = lay_out(
            {0: "KS KH 9S 9H 9D 4C 5C", 1: "JS JH 8S 8H 4S"},
            phase=Phase.DRAW,
            melds={0: (14, "AS AH AD"), 1: (10, "TS TH TD")},
            pile="8D JD KC",
            stock=False,
        )
        await set_up(game, database, change)
        watched = Watched(game, "no discard", from_now=True)
        await watched.do(0, TakePile(Group(tuple(read_cards("KS KH")))), clicking=clicking)
        hand = watched.hands[0]
        assert "then end the turn" in text_of(hand)
        assert "Discard" not in str(enabled(hand))
        version = (await table_of(game)).version
        assert said(await game.slash(0, "discard", card="4"))
        assert (await table_of(game)).version == version
        await watched.do(0, LayMelds((Group(tuple(read_cards("9S 9H 9D"))),)), clicking=clicking)
        await watched.do(0, EndTurn(), clicking=clicking)
        table = await table_of(game)
        assert table.state is not None
        public = table.state.public
        assert (who_acts(public), public.turn) == ((1,), 1)
        assert public.pile == read_cards("8D JD")
        board = text_of(game.board(BOARD))
        assert "**Stock:** empty" in board
        assert "took `K♣` from the pile" in plain(board)
        hand = await game.click(1, label="My hand", message=game.board(BOARD))
        assert "Take the upcard alone, or leave the pile: that ends the round." in said(hand)
        assert enabled(hand.response) >= {"Leave the pile"}


@pytest.mark.parametrize("clicking", [True, False], ids=["clicks", "commands"])
async def test_a_run_is_laid(tmp_path: Path, clicking: bool) -> None:
    database = tmp_path / "c.db"
    async with playing(database, members=4, create=dealing(2), next_round=1e6) as game:
        await open_by_seats(game, {1: 1, 2: 2, 3: 3}, "real", profile="canastra")
        await set_up(game, database, lay_out({0: "AS KS QS JS TS 9S 8S 7S 4C 4D 5H"}))
        watched = Watched(game, "run", from_now=True)
        await watched.do(0, LayMelds((Group(tuple(read_cards("AS KS QS JS TS 9S 8S"))),)), clicking=clicking)
        assert "A canasta: a ♠ run!" in plain(text_of(watched.hands[0]))
        board = plain(text_of(game.board(BOARD)))
        assert "🔴 A♠ to 8♠ run" in board
        assert "made a canasta of a ♠ run" in board


def plain(words: str) -> str:
    return words.replace("\N{VARIATION SELECTOR-15}", "").replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(("before", "after"), [(2635, 3000), (2700, 1500), (2600, 2965)])
async def test_an_exact_target_is_hit_passed_or_missed(tmp_path: Path, before: int, after: int) -> None:
    """The round brings team A 70 + 200 + 100 − 5: from 2635 that hits 3000, from 2700 it falls back."""
    database = tmp_path / "c.db"
    async with playing(database, members=4, create=dealing(4), next_round=1e6) as game:
        await open_by_seats(game, {1: 1, 2: 2, 3: 3}, "real, sujo", profile="canastra")
        queens = lay_out({0: "4C", 2: "4D"}, melds={0: CANASTA}, scores=(before, 0))

        def change(state: GameState) -> None:
            queens(state)
            for team in state.public.teams:
                team.red_threes.clear()

        await set_up(game, database, change)
        assert "exactly 3,000 wins" in text_of(game.board(BOARD))
        watched = Watched(game, "exact", from_now=True)
        await watched.act(0, clicking=True)
        table = await table_of(game)
        assert table.state is not None
        assert table.state.public.scores[0] == after
        await watched.look_at_scores(table)
        news = text_of(game.messages()[-1])
        assert (table.stage is Stage.ENDED) == (after == 3000)
        assert ("Ann & Cleo win!" in news) == (after == 3000)
        assert ("**A** would have 3,065: past 3,000, and so falls back to 1,500." in news) == (after == 1500)
        if after != 3000:
            await game.click(3, label="Next round")
            await watched.look(await table_of(game))
            board = text_of(game.board(BOARD))
            assert f"**Team A · Ann & Cleo** — {after:,}\nnothing laid yet · needs 90 to open" in board


async def test_six_people_choose_their_seats_in_one_lobby(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=7, create=dealing(10), next_round=1e6) as game:
        await game.slash(0, "canasta new", profile="salon", seats=6, options="teams=3")
        lobby = text_of(game.board(BOARD))
        assert "Three teams of two" in lobby
        assert "**Team C**\nSeat 3 · *free*\nSeat 6 · *free*" in lobby
        await game.slash(1, "canasta join", seat=4)
        assert "**Team A**\nSeat 1 · Ann · host\nSeat 4 · Bob" in text_of(game.board(BOARD))
        assert "Bob" in said(await game.slash(2, "canasta join", seat=4))  # taken, and by whom
        assert "6" in said(await game.slash(2, "canasta join", seat=7))
        for who in (2, 3, 4):
            await game.click(who, label="Join")
        await game.click(1, label="Leave")
        await game.slash(1, "canasta join", seat=6)
        assert "**Team C**\nSeat 3 · Dan\nSeat 6 · Bob" in text_of(game.board(BOARD))
        await game.slash(5, "canasta join")
        table = await table_of(game)
        assert table.stage is Stage.PLAYING
        await Watched(game, "lobby").look(table)
        board = text_of(game.board(BOARD))
        assert "**Team A · Ann & Finn**" in board
        assert "**Team C · Dan & Bob**" in board
        assert said(await game.slash(6, "canasta join"))
        assert (await table_of(game)).version == table.version
