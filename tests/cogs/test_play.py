"""Moves by click and by command, where one press could do more, or less, than its player meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from canasta_core.cards import Rank, read_cards
from canasta_core.state import Hand, Meld, MeldKind, Phase, PublicState, Source, Team
from canasta_core.tables.model import Table
from tests.cogs.layouts import plain
from tests.cogs.players import open_table, said, table_of, who_of
from tests.discord.harness import Game, buttons_of, playing, selects_of, text_of

BOARD = "Canasta · table"


async def at(
    game: Game, cards: str, pile: str = "8C 5C", phase: Phase = Phase.DRAW, melded: str = "KS KH KD"
) -> tuple[int, Table]:
    """The player in turn, holding these cards, with one meld of the team; and the table."""
    table = await table_of(game)
    assert table.state is not None
    public = table.state.public
    seat, rank = public.turn, Rank(read_cards(melded)[0] >> 2)
    table.state.hands[seat] = Hand.of(read_cards(cards))
    public.sizes[seat] = len(table.state.hands[seat].cards)
    public.pile, public.phase = read_cards(pile), phase
    public.drawn = Source.STOCK if phase is Phase.PLAY else None
    team = public.teams[table.rules.team_of(seat)] = Team.empty()
    team.put(Meld("..23456789TJQKA"[rank], MeldKind.SET, rank, tuple(read_cards(melded)), 0))
    return who_of(game, table, seat), table


async def public_of(game: Game) -> PublicState:
    state = (await table_of(game)).state
    assert state is not None
    return state.public


def labels(message: Any) -> list[str]:
    return [plain(button.label) for button in buttons_of(message) if button.label]


async def test_a_discard_with_melds_chosen_asks_and_can_do_both(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who, table = await at(game, "AS AH AC QS 9C 4D", phase=Phase.PLAY)
        shown = (await game.click(who, label="My hand", message=game.board(BOARD))).response
        await game.select(who, values=["0"], custom_id="cn:pick", message=shown)
        await game.select(who, values=["4D"], custom_id="cn:discard", message=shown)
        assert labels(shown) == ["Lay, then discard 4♦", "Only discard 4♦", "Back"]
        assert (await table_of(game)).version == table.version, "nothing is done yet"
        await game.click(who, label="Back", message=shown)
        assert "Lay (60)" in labels(shown), "the choice is still there"
        await game.select(who, values=["4D"], custom_id="cn:discard", message=shown)
        await game.click(who, custom_id="cn:throw:1:" + str(table.version) + ":4D-", message=shown)
        words = plain(text_of(shown)).replace("\N{NO-BREAK SPACE}", " ")
        assert "You laid `A♠ A♥ A♣`." in words
        assert "You discarded `4♦`." in words
        public = await public_of(game)
        assert public.pile == read_cards("8C 5C 4D")
        assert public.teams[table.rules.team_of(table.seat_of(game.members[who].id) or 0)].sets[14] >= 0
        assert (await table_of(game)).version == table.version + 2


async def test_a_discard_can_be_meant_although_melds_are_chosen(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who, table = await at(game, "AS AH AC QS 9C 4D", phase=Phase.PLAY)
        shown = (await game.click(who, label="My hand", message=game.board(BOARD))).response
        await game.select(who, values=["0"], custom_id="cn:pick", message=shown)
        await game.select(who, values=["4D"], custom_id="cn:discard", message=shown)
        await game.click(who, label="Only discard 4♦︎", message=shown)
        assert "You discarded" in text_of(shown)
        assert (await table_of(game)).version == table.version + 1


async def test_both_moves_of_one_press_are_judged_when_it_comes(tmp_path: Path) -> None:
    """Twice the same press, one of an older table, and ids that nobody was given: nothing but once."""
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who, table = await at(game, "AS AH AC QS 9C 4D", phase=Phase.PLAY)
        shown = (await game.click(who, label="My hand", message=game.board(BOARD))).response
        for arg in ("4D-ffffffff", "4D-x", "KS-1", "-1", "ZZ-1"):
            answer = await game.press(who, shown, f"cn:throw:1:{table.version}:{arg}")
            assert "older message" in text_of(answer.response), arg
            shown = (await game.click(who, label="My hand", message=game.board(BOARD))).response
        both = f"cn:throw:1:{table.version}:4D-1"
        other = (await game.click(who, label="My hand", message=game.board(BOARD))).response
        results = await game.at_once([game.press(who, shown, both), game.press(who, other, both)])
        assert sum("You discarded" in said(one) for one in results) == 1
        assert sum("already moved on" in said(one) for one in results) == 1
        assert (await table_of(game)).version == table.version + 2


async def test_the_pile_is_taken_at_once_where_there_is_one_way(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who, table = await at(game, "5S 5H QS 9C 4D")
        done = await game.click(who, label="Take pile", message=game.board(BOARD))
        assert "You took the pile" in said(done)
        assert (await table_of(game)).version == table.version + 1


async def test_several_ways_to_take_the_pile_are_shown_first(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who, table = await at(game, "5S 2H JK QS 9C 4D")
        done = await game.click(who, label="Take pile", message=game.board(BOARD))
        menu = next(one for one in selects_of(done.response) if one.custom_id.startswith("cn:take"))
        assert len(menu.values) == 2
        assert (await table_of(game)).version == table.version
        await game.select(who, values=["1"], custom_id="cn:take", message=done.response)
        assert (await table_of(game)).version == table.version + 1


async def test_a_pile_out_of_reach_says_once_what_is_missing(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who, _ = await at(game, "5S QH QS 9C 4D")
        done = await game.click(who, label="Take pile", message=game.board(BOARD))
        words = plain(said(done)).replace("`", "")
        assert words.count("To take 5♣ you need two fives, or one five and a wild card;") == 1
        assert {"Draw", "Why?"} <= set(labels(done.response))


async def test_commands_that_come_at_no_time_say_what_their_time_would_be(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        for phase in (Phase.DRAW, Phase.PLAY):
            who, table = await at(game, "5S QH QS 9C 4D", phase=phase)
            for name, options, told in (
                ("answer", {"reply": "yes"}, "Nobody has asked you anything"),
                ("decline", {}, "there is nothing to leave"),
                ("end-turn", {}, "Your turn ends with a discard"),
            ):
                words = said(await game.slash(who, name, **options))
                assert told in words
                assert "You can now: " in words
                assert "drawn already" not in words
            other = (who + 1) % 4
            assert "Nobody has asked you anything" in said(await game.slash(other, "answer", reply="no"))
            assert "not your turn" in said(await game.slash(other, "decline"))
            assert (await table_of(game)).version == table.version
        public = await public_of(game)
        public.phase, public.pending = Phase.PERMISSION, table.rules.partners_of(public.turn)
        assert "can answer this question" in said(await game.slash(who, "answer", reply="yes"))
