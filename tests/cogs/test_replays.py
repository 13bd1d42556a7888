"""`/replay` and `/fair`: every step of every recorded game fits, and leads where its button says."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from canasta_core.actions import Deal
from canasta_core.cards import name_of
from canasta_core.fairness import is_kept
from canasta_core.playback import Playback, turns_of
from canasta_core.record import RecordCode, read_record, write_record
from canasta_core.state import Phase
from canasta_core.tables.model import Stage, Table
from cogs.replays import MOST_BYTES
from cogs.ui.cards_text import hand_text, shown
from cogs.ui.fair import fairness, shuffles_of
from cogs.ui.layout import Click, Verb
from cogs.ui.replay import TURNS, Spot, replay
from cogs.ui.text import text
from tests.cogs.layouts import check
from tests.cogs.players import choose, open_table, said, table_of
from tests.core.test_record import TABLES, recorded
from tests.discord.checks import walk
from tests.discord.harness import Game, buttons_of, playing, selects_of, text_of
from tests.games.tables import dealing
from tests.playthroughs.recording import Table as Playthrough
from tests.tables.tools import greedy


def controls(layout: Any) -> dict[str, dict[str, Any]]:
    """Buttons and selects of a replay by what tells them apart."""
    found = {}
    for _, part in walk(layout.to_components()):
        click = Click.read(part.get("custom_id", ""))
        if click is not None and (read := Spot.read(click)) is not None:
            found[read[1]] = part
    return found


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.path.stem)
def test_every_game_fits_step_by_step_from_both_sides(table: Playthrough) -> None:
    """The last round of each game with every second step, of the others the first and the last."""
    record, _ = recorded(table)
    playback = Playback(record)
    rng = random.Random(1)
    for number in range(1, playback.finished + 1):
        moments = playback.round(number)
        last = len(moments) - 1
        whole = number == playback.finished
        steps = range(last % 2, last + 1, 2) if whole else sorted({0, rng.randrange(last), last})
        for step in steps:
            for side in (False, True) if step == last else (rng.random() < 0.5,):
                layout = replay("en", playback, Spot(12, number, step, side))
                words = check(layout)
                assert f"step {step} of {last}" in words
                held = [hand_text(hand.cards) in words for hand in moments[step].state.hands if hand.cards]
                assert all(held) if side else not any(len(one.cards) > 3 and hand_text(one.cards) in words
                                                      for one in moments[step].state.hands)  # fmt: skip
                assert ("This round" in words) == (step == last)


def test_each_control_leads_where_it_says() -> None:
    record, _ = recorded(max(TABLES, key=lambda one: len(recorded(one)[0].steps)))
    playback = Playback(record)
    moments = playback.round(2)
    turns = turns_of(moments)
    assert len(turns) > TURNS
    last = len(moments) - 1
    spot = Spot(12, 2, 0, file="0123456789ab")
    for step in (0, 1, turns[3].first, turns[TURNS].first, last):
        layout = replay("en", playback, Spot(12, 2, step, file="0123456789ab"))
        check(layout)
        by = controls(layout)
        following = min([turn.first for turn in turns if turn.first > step], default=last)
        leads = {"f": 0, "b": step - 1, "n": step + 1, "t": following, "l": last}
        for what, to in leads.items():
            click = Click.read(by[what]["custom_id"])
            assert click is not None
            read = Spot.read(click)
            assert read is not None
            assert by[what].get("disabled", False) == (min(max(to, 0), last) == step)
            if not by[what].get("disabled"):
                assert read[0] == Spot(12, 2, to, file="0123456789ab")
        side = Spot.read(Click.read(by["o"]["custom_id"]))  # type: ignore[arg-type]
        assert side is not None
        assert side[0] == Spot(12, 2, step, open=True, file="0123456789ab")
    # Every turn can be reached by the select alone.
    reached, seen = set(), {0}
    while seen:
        step = seen.pop()
        options = controls(replay("en", playback, Spot(12, 2, step)))["j"]["options"]
        assert sum(one.get("default", False) for one in options) == 1
        fresh = {int(one["value"]) for one in options} - reached
        reached |= fresh
        seen |= fresh
    assert {turn.first for turn in turns} <= reached
    assert spot.click("x").custom_id.startswith("cn:replay:12:0:2.p.x.0123456789ab")


def test_many_rounds_are_all_in_reach() -> None:
    playback = Playback(recorded(TABLES[-1])[0])
    big = next(Playback(recorded(one)[0]) for one in TABLES if recorded(one)[1].public.round_number > 30)
    assert playback.finished > 1
    for number in range(1, big.finished + 1):
        options = controls(replay("en", big, Spot(1, number)))["r"]["options"]
        values = [int(one["value"]) for one in options]
        assert len(values) == 25
        assert number in values
        assert max(number - 1, 1) in values
        assert min(number + 1, big.finished) in values


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.path.stem)
def test_the_check_of_the_shuffles_fits(table: Playthrough) -> None:
    record, _ = recorded(table)
    shuffles = shuffles_of(record)
    for one in shuffles[:3]:
        layout = fairness("en", 10**15, shuffles, round_number=one.round, running=(9, "f" * 64))
        words = check(layout)
        assert "exactly what was promised" in words
        salt, action = re.findall(r"printf '%s' '(\S+) (.*)' \| sha256sum", words)[0]
        kind, _, rest = action.partition(" ")
        assert is_kept(one.promise, salt, one.action)
        assert (kind, rest.split()[0]) == (one.action.kind, name_of(one.action.pack[0]) if isinstance(one.action, Deal) else name_of(one.action.cards[0]))  # fmt: skip  # noqa: E501


def test_a_broken_promise_is_said() -> None:
    record, _ = recorded(TABLES[0])
    one, *rest = shuffles_of(record)
    moved = type(one)(one.round, one.action, one.salt + "x", one.promise)
    words = check(fairness("en", 1, [moved, *rest], round_number=1, running=None))
    assert "does not give what was promised (round 0" in words
    assert "exactly what was promised" not in words


# In Discord


async def play_rounds(game: Game, count: int, table_id: int = 1, seed: str = "replay") -> Table:
    """Let people play on by the service alone, to the end of so many rounds and into the next one."""
    rng, service = random.Random(seed), game.bot.service  # type: ignore[attr-defined]
    while True:
        table = await table_of(game, table_id)
        assert table.state is not None
        public = table.state.public
        if table.stage is Stage.ENDED or public.round_number > count:
            return table
        if public.phase is Phase.ROUND_OVER:
            await game.advance(2)
            continue
        seat = public.pending[0] if public.phase is Phase.PERMISSION else public.turn
        action = greedy(table.view(seat), rng) if rng.random() < 0.9 else choose(table.view(seat), rng)
        with game.env._bot_scope():  # so that the simulation waits for what the move sets going
            await service.act(table_id, table.sitters[seat].user_id, action, table.version)
        await game.advance(0.01)


async def test_a_round_is_gone_through_by_clicks_also_after_a_restart(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, next_round=1.0, create=dealing(3)) as game:
        await open_table(game)
        assert "is over yet" in said(await game.slash(4, "replay", table="1"))
        await play_rounds(game, 2)
        shown_ = await game.slash(4, "replay", table="1", round=1)
        assert "round 1 of 2 · step 0 of" in said(shown_)
        assert "as the table saw it" in said(shown_)
        await game.click(4, label="Next turn", message=shown_.response)
        await game.restart()
        await game.click(4, label="Next", message=shown_.response)
        playback = await game.bot.service.playback(1)  # type: ignore[attr-defined]
        turns = turns_of(playback.round(1))
        step = turns[1].first + 1
        assert f"step {step} of" in text_of(shown_.response)
        await game.click(4, label="Show all hands", message=shown_.response)
        moment = playback.round(1)[step]
        for hand in moment.state.hands:
            assert hand_text(hand.cards) in text_of(shown_.response)
        drawn = [card for event in moment.events for card in getattr(event, "cards", ())]
        assert shown(drawn) in text_of(shown_.response)
        jump = next(one for one in selects_of(shown_.response) if one.placeholder == "Jump to a turn")
        await game.select(4, values=[jump.values[4]], custom_id=jump.custom_id, message=shown_.response)
        assert f"step {turns[4].first} of" in text_of(shown_.response)
        await game.click(4, label="End", message=shown_.response)
        assert "This round" in text_of(shown_.response)
        rounds = next(one for one in selects_of(shown_.response) if one.values == ["1", "2"])
        await game.select(4, values=["2"], custom_id=rounds.custom_id, message=shown_.response)
        assert "round 2 of 2 · step 0" in text_of(shown_.response)
        assert "all hands open" in text_of(shown_.response)
        assert "Round 2" in text_of(await game.click(4, label="Check the shuffle", message=shown_.response))
        # Without a table: who plays sees the last round that is over, who does not play is told.
        assert "round 2 of 2" in said(await game.slash(0, "replay"))
        assert "You have played no round" in said(await game.slash(4, "replay"))
        for number in (0, 3, -1, 10**9):
            assert "there is no round" in said(await game.slash(0, "replay", table="1", round=number))
        offered = await game.autocomplete(4, "replay", "table", "")
        assert [one["value"] for one in offered] == ["1"]
        assert "2 rounds over, still playing" in offered[0]["name"]


async def test_a_record_that_is_attached(tmp_path: Path) -> None:
    record, _ = recorded(TABLES[0])
    written = write_record(record)
    async with playing(tmp_path / "c.db", members=1) as game:
        result = await game.slash(0, "replay", file=("game.txt", written.encode()))
        assert "Replay · table 12" in said(result)
        assert "step 0" in said(result)
        await game.click(0, label="Next", message=result.response)
        assert "step 1 of" in text_of(result.response)
        assert "Check the shuffle" not in {one.label for one in buttons_of(result.response)}
        assert all(len(one.custom_id) <= 100 for one in buttons_of(result.response))
        await game.restart()
        await game.click(0, label="Next", message=result.response)
        assert "Use `/replay` with the file again" in text_of(result.response)

        async def refused(data: bytes, **options: Any) -> str:
            return said(await game.slash(0, "replay", file=("x.txt", data), **options))

        lines = written.split("\n")
        at = next(number for number, line in enumerate(lines) if " discard " in line)
        lines[at] = re.sub(r"discard \w+", "discard 4S", lines[at])
        assert f"Line {at + 1}" in await refused("\n".join(lines).encode())
        assert "This is no record of a game" in await refused(b"hello")
        assert "could not be read" in await refused(b"\xff\xfe\x00")
        assert f"at most {MOST_BYTES:,}" in await refused(b"x" * (MOST_BYTES + 1))
        assert "not both" in await refused(written.encode(), table="1")
        assert "there is no round 99" in await refused(written.encode(), round=99)
        old = Click(Verb.REPLAY, 0, 0, "1.p.n.ffffffffffff").custom_id
        pressed = await game.press(0, game.messages(0)[-1], old)
        assert "Use `/replay` with the file again" in text_of(pressed)


@pytest.mark.parametrize("code", RecordCode)
def test_every_fault_of_a_record_has_its_sentence(code: RecordCode) -> None:
    facts = {"text": "x", "refusal": "x", "round": 1, "expected": "a", "found": "b", "known": 1, "length": 9}
    said_ = text("en", f"record-{code}", line=3, **facts)
    assert "3" in said_ or code in (RecordCode.NEWER_FORMAT, RecordCode.TOO_LONG)
    assert "{" not in said_


async def test_fair_shows_promises_at_once_and_packs_afterwards(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, next_round=1.0, create=dealing(3)) as game:
        await open_table(game)
        table = await table_of(game)
        board = text_of(game.board("Canasta · table"))
        assert f"Promise of this deal: `{table.commitment[:16]}`" in board
        early = said(await game.slash(4, "fair", table="1"))
        assert table.commitment in early
        assert "printf" not in early
        assert "No round of table 1 is over yet" in early
        promise = table.commitment
        table = await play_rounds(game, 1)
        late = said(await game.slash(0, "fair"))
        assert promise in late
        assert table.commitment in late
        salt, words = re.findall(r"printf '%s' '(\S+) (deal [^']*)'", late)[0]
        (deal,) = [one for one in (await game.bot.service.record(1)).steps if isinstance(one.action, Deal)]  # type: ignore[attr-defined]
        assert (deal.salt, deal.promise) == (salt, promise)
        lots = await game.slash(0, "fair", round=0)
        assert "Lots for the first deal" in said(lots)
        assert "printf '%s' '" in said(lots)
        assert " lots " in said(lots)
        assert words


async def test_an_exported_record_is_a_true_one(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, next_round=1.0, create=dealing(3)) as game:
        await open_table(game)
        table = await play_rounds(game, 1)
        result = await game.slash(4, "history export", table="1")
        assert "one finished round" in said(result)
        (file,) = result.response.attachments
        assert file.filename == "canasta-table-1.txt"
        data = game.env.backend.cdn.get(file.url)
        assert data is not None
        record = read_record(data.decode())
        assert [player.name for player in record.players] == ["Ann", "Bob", "Cleo", "Dan"]
        assert table.commitment not in data.decode()
        assert json.dumps(record.title) == '"table 1"'
        again = await game.slash(4, "replay", file=("it.txt", data))
        assert "round 1 of 1" in said(again)
