"""Taking back the melds of the running turn: by button and by command, and no further than allowed."""

from __future__ import annotations

from pathlib import Path

from canasta_core.cards import name_of, read_cards
from canasta_core.state import Hand
from canasta_core.tables.model import Table
from cogs.ui.cards_text import cards_text
from tests.cogs.players import enabled, open_table, said, table_of, who_of
from tests.discord.harness import Game, playing, text_of

HAND = "KS KH KD AS AH AD 9C 8C 6C 5C 4C 4D"
KINGS = "`KS KH KD`"


def plain(words: str) -> str:
    return words.replace("\N{VARIATION SELECTOR-15}", "").replace("\N{NO-BREAK SPACE}", " ")


async def ready(game: Game, table: Table) -> int:
    """Draw for whoever is in turn, and give them a hand with melds in it; the member's number."""
    assert table.state is not None
    seat = table.state.public.turn
    who = who_of(game, table, seat)
    await game.slash(who, "draw", table=str(table.id))
    state = (await table_of(game, table.id)).state
    assert state is not None
    state.hands[seat] = Hand.of(read_cards(HAND))
    state.public.sizes[seat] = len(state.hands[seat].cards)
    return who


async def test_melds_are_taken_back_one_after_the_other(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        table = await open_table(game)
        assert table.state is not None
        seat = table.state.public.turn
        who = await ready(game, table)
        shown = (await game.click(who, label="My hand")).response
        assert "Undo" not in enabled(shown)
        assert "nothing to take back" in said(await game.slash(who, "undo"))
        await game.slash(who, "meld", cards="K K K, A A A")
        await game.click(who, label="Refresh", message=shown)
        assert "Undo" in enabled(shown)
        board = plain(text_of(game.board("Canasta · table")))
        assert "A ×3" in board
        assert "Undo" not in enabled(game.board("Canasta · table"))
        await game.click(who, label="Undo", message=shown)
        assert f"You took back `{plain(cards_text(read_cards('AS AH AD KS KH KD')))}`" in plain(
            text_of(shown)
        )
        assert "Undo" not in enabled(shown)
        board = plain(text_of(game.board("Canasta · table")))
        assert "A ×3" not in board
        assert "took back `A♠" in board
        state = (await table_of(game)).state
        assert state is not None
        assert sorted(map(name_of, state.hands[seat].cards)) == sorted(HAND.split())

        # Two melds in two moves are two steps back; by command as well, and by one of two equal clicks.
        await game.slash(who, "meld", cards="K K K, A A A")
        state = (await table_of(game)).state
        assert state is not None
        state.hands[seat] = Hand.of([*state.hands[seat].cards, *read_cards("KC")])
        state.public.sizes[seat] += 1
        await game.slash(who, "meld", cards="K")
        version = (await table_of(game)).version
        hands = [
            (await game.click(who, label="My hand", message=game.board("Canasta · table"))).response
            for _ in range(2)
        ]
        results = await game.at_once([game.click(who, label="Undo", message=one) for one in hands])
        assert sum("You took back" in said(one) for one in results) == 1
        assert sum("already moved on" in said(one) for one in results) == 1
        assert (await table_of(game)).version == version + 1
        assert "You took back" in said(await game.slash(who, "undo"))
        assert "nothing to take back" in said(await game.slash(who, "undo"))


async def test_nothing_is_taken_back_after_a_discard_or_by_others(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5) as game:
        table = await open_table(game)
        who = await ready(game, table)
        await game.slash(who, "meld", cards="K K K, A A A")
        version = (await table_of(game)).version
        assert "not your turn" in said(await game.slash((who + 1) % 4, "undo"))
        assert "do not sit" in said(await game.slash(4, "undo", table="1"))
        assert "do not sit" in said(
            await game.press(4, game.board("Canasta · table"), f"cn:undo:1:{version}")
        )
        assert (await table_of(game)).version == version
        old = (await game.click(who, label="My hand")).response
        await game.slash(who, "discard", card="4")
        assert "already moved on" in said(await game.press(who, old, f"cn:undo:1:{version}"))
        assert "not your turn" in said(await game.slash(who, "undo"))
        assert "A ×3" in plain(text_of(game.board("Canasta · table")))


async def test_a_table_without_undo_says_so(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        await open_table(game, 1, undo=False)

        async def mine() -> bool:
            state = (await table_of(game)).state
            return state is not None and state.public.turn == 0

        await game.until(mine, 600)
        table = await table_of(game)
        who = await ready(game, table)
        await game.slash(who, "meld", cards="K K K, A A A")
        assert "Undo" not in enabled((await game.slash(who, "hand")).response)
        assert "not taken back" in said(await game.slash(who, "undo"))
