"""/rules by topic, and *Why?* below every refused move: what it opens, also after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from discord import ui
from hypothesis import given
from hypothesis import strategies as st

from canasta_core.cards import read_cards
from canasta_core.profiles import profile, profile_ids
from canasta_core.refusals import Code, Refusal
from canasta_core.state import Hand, Phase
from canasta_core.tables.model import Table
from cogs.desk import REFUSED_KEPT, LastRefused, Refused
from cogs.ui.cards_text import card_text
from cogs.ui.face import face_of
from cogs.ui.hand import hand
from cogs.ui.layout import MAX_CUSTOM_ID, Click, Verb
from cogs.ui.refusals_text import reason_text
from cogs.ui.rules_topics import TOPIC_OF, Topic
from cogs.ui.why import FACTS, read_why, reason_known, why_button
from tests.cogs.layouts import body_of
from tests.cogs.players import open_table, said, table_of, who_of
from tests.cogs.tables import fullest, played
from tests.cogs.tables import table_of as layout_table
from tests.cogs.test_texts import entries, variables
from tests.discord import checks
from tests.discord.harness import Game, buttons_of, playing, selects_of, text_of

HELD = "KS KH KD QS 9H 8S 7C 6D 5H 4S 4C"
IN_WORDS = {
    (Code.MIXED_RANKS, "cards"): "ranks",
    (Code.CARD_NOT_IN_HAND, "held"): "holding",
    (Code.TOO_FEW_NATURALS, "naturals"): "holding",
    (Code.TOO_FEW_NATURALS, "rank"): "holding",
}
"""Facts that their sentence says in words of another name."""
TOLD_BY_RULES = {"rule", "black", "needed", "run"}
"""What the rules of the table say to it."""
SHAPES = [(name, seats) for name in profile_ids() for seats in sorted(profile(name).seats)]


async def at_move(game: Game, cards: str = HELD) -> tuple[int, Table]:
    """The member in turn, who has drawn and holds these cards."""
    table = await table_of(game)
    assert table.state is not None
    seat = table.state.public.turn
    who = who_of(game, table, seat)
    await game.slash(who, "draw")
    table = await table_of(game)
    assert table.state is not None
    table.state.hands[seat] = Hand.of(read_cards(cards))
    return who, table


def labels(message: Any) -> list[str]:
    return [button.label for button in buttons_of(message)]


async def test_why_tells_the_rule_with_the_numbers_of_the_move(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who, _ = await at_move(game)
        refused = await game.slash(who, "meld", cards="K K K")
        assert "these make 30" in said(refused)
        assert {"Why?", "My hand"} <= set(labels(refused.response))
        why = await game.click(who, label="Why?", message=refused.response)
        assert "needs 50 points in one go to open, and these make 30" in said(why)
        assert "**Opening**" in text_of(why.response)
        assert "**Example.**" in text_of(why.response)
        assert why.response is not None
        assert refused.response is not None
        assert why.response.id == refused.response.id, "the message that was clicked is the one that changes"
        # From there to any topic, to all of them, and back to the hand.
        other = await game.select(who, values=["pile"], custom_id="cn:rules", message=why.response)
        assert "**Taking the pile**" in text_of(other.response)
        assert "these make 30" not in text_of(other.response)
        every = await game.click(who, label="Overview", message=other.response)
        assert text_of(every.response).count("\n**") >= 15
        assert "Overview" not in labels(every.response)
        back = await game.click(who, label="My hand", message=every.response)
        assert "Your hand" in text_of(back.response)


async def test_rules_begin_with_the_last_refused_move(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who, _ = await at_move(game)
        other = (who + 1) % 4
        assert "refused move" not in said(await game.slash(who, "rules"))
        await game.slash(who, "meld", cards="K K K")
        answer = said(await game.slash(who, "rules"))
        assert f"Your last refused move:** lay `{card_text(read_cards('KS')[0])}" in answer
        assert "these make 30" in answer
        assert "refused move" not in said(await game.slash(who, "rules", topic="pile"))
        assert "refused move" not in said(await game.slash(other, "rules"))
        board = game.board("Canasta · table")
        assert "refused move" in said(await game.click(who, label="Rules", message=board))
        await game.slash(who, "meld", cards="K K 4Z")
        assert "Your last refused move:** meld K K 4Z" in said(await game.slash(who, "rules"))
        await game.slash(who, "discard", card="4C")
        assert "refused move" not in said(await game.slash(who, "rules"))


async def test_why_outlives_the_process(tmp_path: Path) -> None:
    """The custom id holds it all; only the convenience of /rules is forgotten."""
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who, _ = await at_move(game)
        refused = await game.slash(who, "meld", cards="K K K")
        await game.restart()
        assert "refused move" not in said(await game.slash(who, "rules"))
        why = await game.click(who, label="Why?", message=refused.response)
        assert "these make 30" in text_of(why.response)


async def test_a_refused_click_has_its_why_below_the_hand(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        table = await table_of(game)
        assert table.state is not None
        seat = table.state.public.turn
        who = who_of(game, table, seat)
        table.state.hands[seat] = Hand.of(read_cards("KS QH JD TC 9H 8S 7C 6D 5H 4S AC"))
        table.state.public.pile = read_cards("5C KD")
        board = game.board("Canasta · table")
        shown = await game.press(who, board, f"cn:pile:1:{table.version}")
        assert "Why?" in labels(shown.response)
        assert selects_of(shown.response) == []
        why = await game.click(who, label="Why?", message=shown.response)
        assert "frozen for your team" in text_of(why.response)
        assert "**The frozen pile**" in text_of(why.response)
        again = await game.click(who, label="My hand", message=why.response)
        # A move that is refused where the hand is shown.
        pressed = await game.press(who, again.response, f"cn:discard:1:{table.version}", ["4S"])
        assert "draw or take the pile first" in text_of(pressed.response)
        assert {"Draw", "Why?"} <= set(labels(pressed.response))
        assert "lay" not in labels(pressed.response)
        answer = said(await game.slash(who, "rules"))
        assert "last refused move" not in answer, "it only came too early: no question about the rules"


async def test_topics_by_command(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        await game.slash(0, "canasta new", profile="canastra", options="sujo")
        for topic in Topic:
            answer = said(await game.slash(1, "rules", topic=str(topic)))
            assert ("**Example.**" in answer) == (topic is not Topic.RUNS), topic
        assert "no such topic" in said(await game.slash(1, "rules", topic="runs"))
        assert "falls back to **1,500**" in said(await game.slash(1, "rules", topic="end"))
        shown = await game.slash(0, "rules", topic="opening")
        assert "My hand" not in labels(shown.response), "there is none before the game"
        await game.slash(0, "canasta start")
        assert "My hand" in labels((await game.slash(0, "rules")).response)
        assert "My hand" not in labels((await game.slash(1, "rules")).response)
        (menu,) = selects_of((await game.slash(1, "rules")).response)
        assert menu.values == [str(topic) for topic in Topic if topic is not Topic.RUNS]


async def test_buttons_that_mean_nothing(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        board = game.board("Canasta · table")
        for arg in ("", ":", ":no_such_code", ":opening_minimum%", ":;;;"):
            assert "older message" in said(await game.press(0, board, f"cn:why:1:1{arg}"))
        # Facts that are missing leave the sentence out, never the rule.
        for arg in ("opening_minimum", "opening_minimum;laid=3", "pile_frozen;upcard=KS;=", "mixed_ranks;x"):
            answer = said(await game.press(0, board, f"cn:why:1:1:{arg}"))
            assert "**Example.**" in answer
            assert "Why?" not in answer
            assert "{" not in answer


def test_the_custom_id_has_room_for_the_numbers() -> None:
    """With ids as long as they are on Discord, every sentence but those with a player's own words."""
    state, _ = played(moves=1)
    table = layout_table(state)
    facts: dict[str, int | str] = {
        "turn": 5, "phase": "no_discard", "text": "x" * 20, "card": "KS", "upcard": "KS", "matching": 1,
        "for_all": 0, "cards": 10, "rank": "K", "naturals": 10, "wilds": 10, "max_wilds": 10,
        "min_naturals": 10, "minimum": 120, "laid": 115, "buried": 100, "canastas": 1, "required": 2,
        "early": 1,
        "held": 10, "wanted": 11, "offered": "KS KH 2D 2H JK", "kind": "discard",
    }  # fmt: skip
    view = table.view(state.public.turn)
    face = face_of(table)
    for code in Code:
        refusal = Refusal(code, **facts)
        custom_id = why_button(face, refusal, view).custom_id
        assert custom_id is not None
        click = Click.read(custom_id)
        assert click is not None
        assert (click.verb, click.table) == (Verb.WHY, table.id)
        again = read_why(click.arg)
        assert again is not None
        assert again.code is code
        assert reason_known(face, again) == reason_text(face, refusal, view), code


@given(st.text(max_size=60), st.sampled_from([Code.UNKNOWN_ACTION, Code.UNKNOWN_CARD]))
def test_what_was_typed_comes_back_or_is_left_out(typed: str, code: Code) -> None:
    table = layout_table(played(moves=1)[0])
    face = face_of(table)
    custom_id = why_button(face, Refusal(code, text=typed), None).custom_id
    assert custom_id is not None
    assert len(custom_id) <= MAX_CUSTOM_ID
    click = Click.read(custom_id)
    assert click is not None
    again = read_why(click.arg)
    assert again is not None
    assert str(again.facts.get("text", typed)) == typed


def test_facts_are_those_of_the_sentences() -> None:
    names = entries("en")
    for code in Code:
        needed = variables(names[f"refusal-{code}"]) - TOLD_BY_RULES
        if code is Code.MELD_TOO_SHORT:
            needed.discard("holding")  # its cards once more, by their name
        assert {IN_WORDS.get((code, name), name) for name in FACTS.get(code, ())} == needed, code
        assert TOPIC_OF[code] in Topic


@pytest.mark.parametrize(("name", "seats"), SHAPES)
@pytest.mark.parametrize("phase", [Phase.DRAW, Phase.PLAY])
def test_the_fullest_hand_has_room_for_why(name: str, seats: int, phase: Phase) -> None:
    table = fullest(name, seats, phase)
    face, view = face_of(table), table.view(0)
    layout = hand(face, view, url="https://discord.com/" + "9" * 60, said="x" * 3000, chosen=range(50))
    layout.add_item(ui.ActionRow(why_button(face, Refusal(Code.MIXED_RANKS, cards="K Q"), view)))
    assert not list(checks.message(body_of(layout)))


def test_only_so_many_refused_moves_are_kept() -> None:
    refused = LastRefused()
    for number in range(REFUSED_KEPT + 10):
        refused.remember(1, number, Refused(str(number), Code.PILE_EMPTY, ""))
    assert refused.of(1, 9) is None
    kept = refused.of(1, 10)
    assert kept is not None
    assert kept.tried == "10"
    refused.remember(1, 10, Refused("again", Code.PILE_EMPTY, ""))
    refused.remember(2, 0, Refused("x", Code.PILE_EMPTY, ""))
    assert refused.of(1, 11) is None
    assert refused.of(1, 10) is not None
    refused.forget(1, 10)
    assert refused.of(1, 10) is None
