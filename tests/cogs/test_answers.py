"""Every command and every button has its clear private answer, whatever is sent, and changes nothing then."""

from __future__ import annotations

import functools
import inspect
import logging
import random
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import discord
import pytest

from canasta_core.cards import read_card, read_cards
from canasta_core.legality import who_acts
from canasta_core.offers import offers
from canasta_core.refusals import Code, Refusal
from canasta_core.state import Hand
from canasta_core.tables.errors import StoreCode, StoreError, TableCode, TableError
from cogs.ui.cards_text import card_text, cards_text
from cogs.ui.face import face_of
from cogs.ui.layout import Verb
from cogs.ui.refusals_text import refusal_text, table_error_text
from tests.cogs.players import (
    by_slash,
    choose,
    click_turn,
    enabled,
    end_table,
    open_table,
    said,
    slash_turn,
    table_of,
    who_of,
)
from tests.cogs.tables import played
from tests.cogs.tables import table_of as layout_table
from tests.discord.harness import Game, buttons_of, playing, selects_of, text_of

NONSENSE = [
    "x" * 6000,
    "K K K / / 7",
    "@everyone `**",
    "2S 2S 2S 2S 2S 2S",
    "🂡",
    "draw",
    "4Z",
    "-1",
    "\n\n",
    "black: K K",
]
PLAY_COMMANDS = ["draw", "take-pile", "meld", "discard", "ask-partner", "decline", "end-turn", "answer"]
OPTIONS = {"take-pile": "with", "meld": "cards", "discard": "card"}
REQUIRED: dict[str, dict[str, Any]] = {
    "meld": {"cards": "K K K"},
    "discard": {"card": "K"},
    "answer": {"reply": "yes"},
}


Test = Callable[..., Coroutine[Any, Any, None]]


def at_table(test: Test) -> Test:
    """Gives a test its `game`: four people at table 1, which has begun; two more watch.

    No fixture: simcord's clock belongs to the context of the test itself.
    """
    signature = inspect.signature(test)
    others = [one for name, one in signature.parameters.items() if name != "game"]
    own = inspect.Parameter("tmp_path", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Path)

    @functools.wraps(test)
    async def wrapped(tmp_path: Path, **given: Any) -> None:
        async with playing(tmp_path / "c.db", members=6) as game:
            await open_table(game)
            await test(game, **given)

    wrapped.__signature__ = signature.replace(parameters=[own, *others])  # type: ignore[attr-defined]
    return wrapped


async def unchanged(game: Game, version: int) -> None:
    assert (await table_of(game)).version == version


def is_clear(answer: str) -> None:
    assert answer.strip()
    assert "Something went wrong" not in answer
    assert "{" not in answer, "a variable of the sentence is missing"
    assert "none" not in answer.split()


@pytest.mark.parametrize("command", OPTIONS)
@at_table
async def test_nonsense_is_refused(game: Game, command: str) -> None:
    table = await table_of(game)
    assert table.state is not None
    if command != "take-pile":
        await game.slash(who_of(game, table, table.state.public.turn), "draw")
    version = (await table_of(game)).version
    for text in NONSENSE:
        for who in range(4):
            is_clear(said(await game.slash(who, command, **{OPTIONS[command]: text})))
    await unchanged(game, version)


@pytest.mark.parametrize("command", [*PLAY_COMMANDS, "hand", "table", "score", "rules", "canasta end"])
@at_table
async def test_tables_that_are_not_there(game: Game, command: str) -> None:
    version = (await table_of(game)).version
    for named in ("99", "one", "x" * 6000, "-1", "1e9", "٣", "9" * 40):
        answer = said(await game.slash(0, command, table=named, **REQUIRED.get(command, {})))
        assert "no table" in answer or "no such table" in answer
    await unchanged(game, version)


@pytest.mark.parametrize("command", PLAY_COMMANDS)
@at_table
async def test_who_does_not_sit_there_is_told(game: Game, command: str) -> None:
    version = (await table_of(game)).version
    is_clear(said(await game.slash(4, command, **REQUIRED.get(command, {}))))
    assert "do not sit" in said(await game.slash(4, command, table="1", **REQUIRED.get(command, {})))
    assert "do not sit" in said(await game.slash(4, "hand", table="1"))
    await unchanged(game, version)


@pytest.mark.parametrize("command", PLAY_COMMANDS)
@at_table
async def test_out_of_turn_and_out_of_phase(game: Game, command: str) -> None:
    table = await table_of(game)
    assert table.state is not None
    seat = table.state.public.turn
    other = who_of(game, table, (seat + 1) % 4)
    answer = said(await game.slash(other, command, **REQUIRED.get(command, {})))
    assert ("Nobody has asked you" if command == "answer" else "not your turn") in answer
    version = table.version
    if command not in ("draw", "take-pile"):
        answer = said(await game.slash(who_of(game, table, seat), command, **REQUIRED.get(command, {})))
        assert "draw" in answer
        is_clear(answer)
        await unchanged(game, version)


@at_table
async def test_a_refusal_teaches(game: Game) -> None:
    """What was tried, the numbers, what would work: in words."""
    table = await table_of(game)
    state = table.state
    assert state is not None
    seat = state.public.turn
    who = who_of(game, table, seat)
    await game.slash(who, "draw")
    state = (await table_of(game)).state
    assert state is not None
    state.hands[seat] = Hand.of([52, 53, 54, 20, 21, 22, 30, 31, 24, 25, 40, 44])  # type: ignore[list-item]
    answer = said(await game.slash(who, "meld", cards="K K K"))
    assert answer.startswith("-# `/meld cards:K K K`"), "what was tried"
    assert "needs 50 points" in answer
    assert "these make 30" in answer
    assert "You can now: " in answer
    assert "discard" in answer
    assert f"hold no `{card_text(read_card('2S'))}`" in said(await game.slash(who, "meld", cards="K K 2S"))
    assert "“4Z” is no card" in said(await game.slash(who, "meld", cards="K K 4Z"))


@pytest.mark.parametrize("verb", [*Verb, "fly"])
@at_table
async def test_every_button_on_every_wrong_table(game: Game, verb: str) -> None:
    """Unknown tables, old versions, arguments that mean nothing, selects without values; by anybody."""
    version = (await table_of(game)).version
    board = game.board("Canasta · table")
    for who in (0, 4):
        for tail in (
            "99:1",
            f"1:{version - 1}",
            f"1:{version - 1}:zz",
            "1:999999:ffffffff",
            f"1:{version}:..;",
        ):
            for values in (None, ["17"], ["nonsense"]):
                if values is None and verb in (Verb.JOIN, Verb.LEAVE, Verb.ADD_AI, Verb.START) and who == 4:
                    continue
                fresh = tail.startswith(f"1:{version}")
                if fresh and verb in (Verb.DRAW, Verb.HAND):
                    continue
                answer = said(await game.press(who, board, f"cn:{verb}:{tail}", values))
                is_clear(answer)
    await unchanged(game, version)


@pytest.mark.parametrize(
    "custom_id", ["old-button", "cn", "cn:draw", "cn:draw:1:2:" + "x" * 80, "cn:DRAW:1:1"]
)
@at_table
async def test_unknown_ids_are_answered(game: Game, custom_id: str) -> None:
    board = game.board("Canasta · table")
    for values in (None, ["1"]):
        answer = said(await game.press(0, board, custom_id, values))
        is_clear(answer)


@at_table
async def test_a_choice_of_tables_that_is_none_of_ours_is_answered(game: Game) -> None:
    shown = await game.slash(0, "hand")
    for value in ("9" * 90, "١٢", "x", "-1", "99"):
        answer = said(await game.press(0, shown.response, "cn:choose:0:0:hand", [value]))
        assert "no table here" in answer or "no such table" in answer


@at_table
async def test_a_stale_click_shows_how_it_is_now(game: Game) -> None:
    table = await table_of(game)
    assert table.state is not None
    who = who_of(game, table, table.state.public.turn)
    shown = await game.click(who, label="My hand")
    assert enabled(shown.response) >= {"Draw"}
    await game.slash(who, "draw")
    version = (await table_of(game)).version
    answer = await game.press(who, shown.response, f"cn:draw:1:{table.version}")
    assert "already moved on" in text_of(answer.response)
    assert answer.response is not None
    assert shown.response is not None
    assert answer.response.id == shown.response.id, "the message that was clicked is the one that changes"
    assert selects_of(answer.response)
    await unchanged(game, version)


@at_table
async def test_choosing_keeps_its_state_in_the_message(game: Game) -> None:
    """The total, the button and what is chosen: all in the message, and read from it by another process."""
    table = await table_of(game)
    assert table.state is not None
    seat = table.state.public.turn
    who = who_of(game, table, seat)
    await game.slash(who, "draw")
    state = (await table_of(game)).state
    assert state is not None
    state.hands[seat] = Hand.of([52, 53, 54, 56, 57, 58, 30, 31, 24, 25, 40, 44])  # type: ignore[list-item]
    shown = await game.click(who, label="My hand")
    places = selects_of(shown.response)[0].options
    kings = next(one.value for one in places if one.label == cards_text(read_cards("KS KH KD")))
    aces = next(one.value for one in places if one.label == cards_text(read_cards("AS AH AD")))
    await game.select(who, values=[kings], custom_id="cn:pick", message=shown.response)
    assert "**30** of 50 points" in text_of(shown.response)
    assert not any(label.startswith("Lay") for label in enabled(shown.response))
    await game.select(who, values=[kings, aces], custom_id="cn:pick", message=shown.response)
    assert "**90** of 50 points" in text_of(shown.response)
    assert "Lay (90)" in enabled(shown.response)
    await game.select(who, values=[], custom_id="cn:pick", message=shown.response)
    assert not any(label.startswith("Lay") for label in enabled(shown.response))
    await game.select(who, values=[kings, aces], custom_id="cn:pick", message=shown.response)
    await game.click(who, label="Lay (90)", message=shown.response)
    assert "opened with 90" in text_of(shown.response)
    assert "A ×3" in text_of(game.board("Canasta · table")).replace("\N{NO-BREAK SPACE}", " ")


@at_table
async def test_only_the_partner_answers(game: Game) -> None:
    rng = random.Random(1)
    for _ in range(300):
        table = await table_of(game)
        assert table.state is not None
        acting = who_acts(table.state.public)
        if not acting:
            await game.slash(0, "canasta end", table="1")
            pytest.fail("nobody was ever asked")
        view = table.view(acting[0])
        if any(action.kind == "ask" for action in offers(view)):
            break
        await slash_turn(game, rng)
    asker = who_of(game, table, acting[0])
    result = await game.slash(asker, "ask-partner")
    assert "You asked" in said(result)
    question = game.messages()[-1]
    partner = who_of(game, table, (acting[0] + 2) % 4)
    assert game.members[partner].mention in text_of(question)
    version = (await table_of(game)).version
    for who in {0, 1, 2, 3, 4} - {partner}:
        assert "Only" in said(await game.click(who, label="Yes", message=question))
    assert "question is open" in said(await game.slash(asker, "discard", card="K"))
    await unchanged(game, version)
    yes = next(button.custom_id for button in buttons_of(question) if button.label == "Yes")
    results = await game.at_once(
        [game.click(partner, label="No", message=question), game.press(partner, question, yes)]
    )
    assert sum("You said" in said(result) for result in results) == 1
    after = next(message for message in game.messages() if message.id == question.id)
    assert "The answer was **no**" in text_of(after)
    assert not buttons_of(after)
    assert "may not go out" in said(await game.slash(asker, "hand"))


@at_table
async def test_several_tables_and_the_way_to_say_which(game: Game) -> None:
    other = game.guild.create_text_channel("other")
    await game.slash(0, "canasta new", channel_=other)
    await game.slash(0, "canasta start", channel_=other)
    first, second = await table_of(game, 1), await table_of(game, 2)
    assert second.channel_id == other.id
    assert "table 1" in said(await game.slash(0, "hand"))
    assert "table 2" in said(await game.slash(0, "hand", channel_=other))
    third = game.guild.create_text_channel("third")
    asked = await game.slash(0, "hand", channel_=third)
    assert "Which one" in said(asked)
    chosen = await game.select(0, values=["2"], custom_id="cn:choose", message=asked.response)
    assert "Your hand · [table 2]" in text_of(chosen.response)
    long = await game.slash(0, "meld", cards="K " * 60, channel_=third)
    assert "Name the one you mean" in said(long)
    offered = await game.autocomplete(0, "hand", "table", "", channel_=third)
    assert {choice["value"] for choice in offered} == {"1", "2"}
    assert first.version == (await table_of(game, 1)).version


@at_table
async def test_another_servers_table_is_not_there(game: Game) -> None:
    guild = game.env.create_guild("Elsewhere")
    channel = guild.create_text_channel("cards")
    stranger = guild.add_member(game.members[0].user)
    version = (await table_of(game)).version
    for command in ("hand", "table", "rules", "score", "draw"):
        result = await stranger.slash(channel, command, table="1")
        assert "no such table" in said(result)
    await stranger.slash(channel, "canasta new")
    game.guild = guild
    board = game.messages(channel=channel)[-1]
    for verb in Verb:
        result = await game.press(stranger, board, f"cn:{verb}:1:{version}", ["1"])
        answer = said(result)
        assert any(
            words in answer for words in ("no such table", "older message", "Manage Server", "no such cup")
        ), verb
    assert not await stranger.autocomplete(channel, "draw", "table", "table 1")
    await unchanged(game, version)


@at_table
async def test_autocomplete_offers_legal_values_from_the_own_hand_alone(game: Game) -> None:
    rng = random.Random(3)
    for _ in range(25):
        table = await table_of(game)
        assert table.state is not None
        seat = who_acts(table.state.public)[0]
        who = who_of(game, table, seat)
        for number in {0, 1, 2, 3} - {who}:
            for command, option in (("discard", "card"), ("meld", "cards"), ("take-pile", "with")):
                assert not await game.autocomplete(number, command, option, "")
        name, options = by_slash(table.rules, choose(table.view(seat), rng))
        for option in options:
            if option in ("card", "cards", "with"):
                offered = await game.autocomplete(who, name, option, "")
                assert len(offered) <= 25
                assert option == "with" or offered
                typed = await game.autocomplete(who, name, option, offered[0]["value"] if offered else "")
                assert typed == [] or typed[0]["value"]
        if name in ("discard", "meld"):
            option = OPTIONS[name]
            for choice in await game.autocomplete(who, name, option, ""):
                refused = await game.slash(4, name, table="1", **{option: choice["value"]})
                assert "do not sit" in said(refused)
            best = (await game.autocomplete(who, name, option, ""))[-1]["value"]
            result = await game.slash(who, name, **{option: best})
            assert "Rule" not in said(result), (best, text_of(result))
        else:
            await game.slash(who, name, **options)
        assert not await game.autocomplete(who, "discard", "card", "no such card")
        assert not await game.autocomplete(who, "discard", "card", "", table="99")


async def test_lobby_commands_answer(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        assert "no table here" in said(await game.slash(0, "canasta join"))
        assert "no table on this server" in said(await game.slash(0, "canasta list"))
        for options, words in (
            ({"options": "real=true"}, "no house rule"),
            ({"options": "=;,"}, "no house rule"),
            ({"profile": "canastra", "options": "freeze=ice"}, "no value"),
            ({"profile": "canastra", "options": "two_pack, three_pack"}, "do not go together"),
            ({"profile": "salon", "options": "draw=2"}, "only with 2"),
            ({"seats": 6}, "not played with 6"),
            ({"target": 3000}, "always played to 5,000"),
            ({"profile": "canastra", "target": 1}, "no value"),
            ({"options": "x" * 6000}, "no house rule"),
        ):
            answer = said(await game.slash(0, "canasta new", **options))
            assert words in answer, answer
        assert not await game.bot.service.tables_in(game.guild.id)  # type: ignore[attr-defined]
        await game.slash(0, "canasta new", profile="canastra", target=5000, options="real, freeze=wild")
        lobby = text_of(game.board())
        assert "first to 5,000" in lobby
        assert "freeze = wild" in lobby
        assert "already" in said(await game.click(0, label="Join"))
        left = said(await game.click(1, label="Leave"))
        assert "You do not sit at [table 1](https://discord.com/channels/" in left
        assert "`/canasta join` takes a free seat there." in left
        assert "The host is Ann." in said(await game.click(1, label="Start"))
        assert "Only the host" in said(await game.click(1, label="Add AI"))
        assert "no seat 9" in said(await game.slash(1, "canasta join", seat=9))
        assert "taken by Ann" in said(await game.slash(1, "canasta join", seat=1))
        assert "seat 4" in said(await game.slash(1, "canasta join", seat=4))
        assert "sits down" in said(await game.slash(0, "canasta add-ai"))
        assert "You have left" in said(await game.click(1, label="Leave"))
        assert "Seat 4 · *free*" in text_of(game.board())
        assert "has not started yet. Ann, its host, can start it" in said(await game.slash(0, "hand"))
        assert "begins" in said(await game.slash(0, "canasta start"))
        assert "started already" in said(await game.slash(0, "canasta start"))
        assert "your turn" in said(await game.slash(0, "canasta list")) or "round 1" in said(
            await game.slash(1, "canasta list")
        )
        assert "Only the host" in said(await game.slash(1, "canasta end", table="1"))
        await end_table(game, 0)
        assert "ended by its host" in text_of(game.board("Canasta"))
        assert "is over" in said(await game.slash(0, "draw", table="1"))


async def test_missing_permissions_are_named(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        me = game.bot.user
        assert me is not None
        channel = game.guild.create_text_channel(
            "quiet", overwrites={game.guild.default_role: discord.PermissionOverwrite(send_messages=False)}
        )
        answer = said(await game.slash(0, "canasta new", channel_=channel))
        assert "Send Messages" in answer
        assert not await game.bot.service.tables_in(game.guild.id)  # type: ignore[attr-defined]


@at_table
async def test_what_is_unexpected_is_logged_and_answered(
    game: Game, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = game.bot.service  # type: ignore[attr-defined]

    async def broken(*_: Any) -> None:
        raise ZeroDivisionError

    async def full(*_: Any) -> None:
        raise StoreError(StoreCode.FULL, "disk full")

    with caplog.at_level(logging.ERROR):
        monkeypatch.setattr(service, "act", broken)
        answer = said(await game.slash(0, "draw"))
        reference = answer.split("reference ")[1].strip(".")
        assert reference in caplog.text
        monkeypatch.setattr(service, "act", full)
        assert "could not be saved" in said(await game.slash(0, "draw"))
        monkeypatch.setattr(service, "tables_of", full)
        assert await game.autocomplete(0, "discard", "card", "") == []
        monkeypatch.setattr(service, "tables_of", broken)
        assert await game.autocomplete(0, "discard", "card", "") == []
    for state in [(await table_of(game)).state]:
        assert state is not None
        for hand in state.hands:
            assert not any(card_text(card) in caplog.text for card in hand.cards)


@at_table
async def test_a_hand_hours_later(game: Game) -> None:
    """discord.py would forget the dynamic items of a stored ephemeral layout after 15 minutes."""
    await game.slash(0, "hand")
    await game.advance(3600 * 5)
    result = await game.click(0, label="My hand", message=game.board("Canasta · table"))
    assert "Your hand" in said(result)
    await click_turn(game, random.Random(1))


@pytest.mark.parametrize("code", Code)
def test_every_refusal_has_all_it_needs(code: Code) -> None:
    """Codes with the facts that the engine gives; the sentence has no hole."""
    state, _ = played(moves=1)
    face = face_of(layout_table(state))
    facts: dict[str, int | str] = {
        "turn": 0, "phase": "draw", "text": "x", "card": "KS", "upcard": "KS", "matching": 1, "for_all": 0,
        "ranks": "K Q", "rank": "K", "cards": 2, "naturals": 1, "wilds": 4, "max_wilds": 3, "min_naturals": 2,
        "minimum": 50, "laid": 30, "buried": 3, "canastas": 0, "required": 1,
    }  # fmt: skip
    for view in (None, layout_table(state).view(state.public.turn)):
        answer = refusal_text(face, Refusal(code, **facts), view)
        is_clear(answer)
        assert not re.search(r"\bR\d", answer), "a number that no player can look up"


@pytest.mark.parametrize("code", TableCode)
def test_every_table_error_has_its_sentence(code: TableCode) -> None:
    error = TableError(code, seat=0, seats=4, name="*Ann*", level="x", version=3)
    answer = table_error_text("en", error, 12)
    is_clear(answer)
    assert "seat 0" not in answer
