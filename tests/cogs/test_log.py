"""The log of a table: who came and went and what was done to it, and nothing of the game."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from canasta_core.tables.model import Ended, LogEntry, Tenure, What
from cogs.ui.face import face_of
from cogs.ui.layout import Click, Verb
from cogs.ui.log import MOST_LINES, log_layout
from tests.cogs.hosts import GUEST, assert_no_card, log_of
from tests.cogs.layouts import check
from tests.cogs.players import (
    slash_turn,
    table_of,
)
from tests.cogs.tables import LONGEST_NAME, played
from tests.cogs.tables import table_of as layout_table
from tests.cogs.test_answers import at_table
from tests.discord.harness import Game, text_of


@at_table
async def test_the_log_says_who_came_and_went_and_nothing_of_the_game(game: Game) -> None:
    rng = random.Random(1)
    for _ in range(30):
        await slash_turn(game, rng)
    await game.slash(3, "canasta leave")
    await game.slash(3, "canasta join")
    told = await log_of(game, GUEST)
    lines = told.split("\n")
    assert "Log of table 1" in lines[0]
    for words in ("Ann opened the table", "Bob sat down at seat 2", "The game began", "Dan left seat 4"):
        assert words in told
    assert all(line.startswith("<t:") for line in lines[1:])
    assert len(lines) == 1 + 7
    assert_no_card(await table_of(game), told)
    entries = await game.bot.service.log(1)  # type: ignore[attr-defined]
    salts = [entry.detail["salt"] for entry in entries if "salt" in entry.detail]
    assert salts
    assert not any(salt in json.dumps(game.private_payloads()) for salt in salts)


def entry(what: What, version: int = 3, **given: Any) -> LogEntry:
    fields = {"at": 1e9, "actor": 100, "seat": 1, "action": None, "events": (), "detail": {}} | given
    return LogEntry(version=version, what=what, **fields)


EVERY: list[tuple[What, dict[str, Any]]] = [
    *((what, {}) for what in What),
    *((What.END, {"detail": {"reason": reason}}) for reason in Ended),
    *((what, {"actor": None}) for what in (What.BACK, What.RESUME, What.BEGIN, What.CLOCK)),
    (What.INVITE, {"detail": {"user_id": None}}),
    (What.INVITE, {"detail": {"user_id": 7}}),
    (What.INVITE, {"detail": {"withdrawn": True}}),
    (What.JOIN, {"detail": {"by": 100, "moderator": True}}),
    (What.LEAVE, {"detail": {"host": 100}}),
    (What.REPLACE, {"detail": {"host": 7, "user_id": 8, "moderator": True}}),
    (What.AWAY, {"detail": {"until": 2e9}}),
    (What.CLOCK, {"detail": {"clock": 3600, "moderator": True}}),
    (What.MOVE_PLACE, {"detail": {"from_channel": 1, "to_channel": 10**18}}),
    (What.LOST, {"detail": {"channel": 1, "why": "deleted"}}),
    (What.LOST, {"detail": {"channel": 1, "why": "of a reason unknown"}}),
]


@pytest.mark.parametrize(("what", "given"), EVERY)
def test_every_change_has_its_line(what: What, given: dict[str, Any]) -> None:
    face = face_of(layout_table(played(moves=1)[0]))
    tenures = [Tenure(1, 7, "", "Old *one*", 1, 0.0, 3, 1.0), Tenure(1, None, "medium", "Ada", 3, 1.0)]
    told = check(log_layout(face, [entry(what, **given)], tenures, {100: "Ann", 8: "Hal"}))
    of_the_game = what in (What.LOTS, What.DEAL, What.MOVE, What.UNDO)
    assert len(told.split("\n")) == (1 if of_the_game else 2)
    assert "{" not in told
    assert ("as a moderator" in told) == bool(given.get("detail", {}).get("moderator"))


def test_the_fullest_log_fits_and_keeps_the_newest() -> None:
    face = face_of(layout_table(played(moves=1)[0], names=(LONGEST_NAME,) * 4))
    tenures = [Tenure(1, 100, "", LONGEST_NAME, 1, 0.0)]
    entries = [
        entry(What.REPLACE, number, detail={"host": 100, "user_id": 100, "moderator": True})
        for number in range(2, 300)
    ]
    told = check(log_layout(face, entries, tenures, {100: LONGEST_NAME}))
    assert told.count("<t:") == MOST_LINES
    assert "page 1 of 15" in told


def test_every_line_is_on_one_page_of_the_log_and_they_lead_to_each_other() -> None:
    """Also where the lines are too long for as many on a page."""
    face = face_of(layout_table(played(moves=1)[0]))
    for name, pages in (("Ann", 3), ("x" * 20, 3)):
        entries = [entry(What.RESUME, number, at=float(number)) for number in range(1000, 1057)]
        numbers: list[int] = []
        page = 0
        while True:
            layout = log_layout(face, entries, [], {100: name}, page)
            told = check(layout)
            numbers = [int(each) for each in re.findall(r"<t:(\d+)", told)] + numbers
            buttons = [
                each for row in layout.to_components() if row["type"] == 1 for each in row["components"]
            ]
            earlier = next(each for each in buttons if each["label"] == "Earlier")
            later = next(each for each in buttons if each["label"] == "Later")
            assert later["disabled"] is (page == 0)
            if earlier["disabled"]:
                break
            click = Click.read(earlier["custom_id"])
            assert click is not None
            assert (click.verb, click.table, click.version) == (Verb.LOG, face.id, page + 1)
            page = click.version
        assert page + 1 == pages
        assert numbers == list(range(1000, 1057))
    # The button of a page that there is no longer leads to the earliest.
    assert "<t:1000" in check(log_layout(face, entries, [], {}, 99))


@at_table
async def test_earlier_lines_are_read_by_clicks(game: Game) -> None:
    for _ in range(12):
        await game.slash(0, "canasta pause")
        await game.slash(0, "canasta resume")
    shown = await game.slash(GUEST, "canasta log", table="1")
    assert "opened the table" not in text_of(shown.response)
    await game.click(GUEST, label="Earlier", message=shown.response)
    assert "opened the table" in text_of(shown.response)
    await game.click(GUEST, label="Later", message=shown.response)
    assert "page 1 of 2" in text_of(shown.response)
