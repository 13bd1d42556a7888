"""A whole cup on a real file, in a process that is killed again and again: while people sign up, while a
round is paired and its tables are opened, and while results and standings are noted and told.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from canasta_core.codec import state_hash
from canasta_core.state import Phase
from tests.discord.harness import NAMES
from tests.discord.killing import Child, Killed
from tests.games.people import File, Person, Typist, replayed

PEOPLE = 4
ROUNDS = 2
COMMIT = "data.sqlite_store:SqliteStore.commit"
CUPS = "data.cups:SqliteCups"
MOST = 3000
"""Actions of the longest match that is believed."""


class Hall:
    """What the database file holds of the one cup, read from outside the process."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self, sql: str, *parameters: int) -> list[Any]:
        connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        try:
            return connection.execute(sql, parameters).fetchall()
        finally:
            connection.close()

    @property
    def cup(self) -> tuple[str, int, int]:
        """Stage, round, and after how many rounds the standings were told."""
        stage, number, told = self.rows("SELECT stage, round, told FROM cups")[0]
        return str(stage), int(number), int(told)

    @property
    def tables(self) -> list[tuple[int, int, int | None, int | None]]:
        """Round, number, table and difference of every table of the cup."""
        return self.rows("SELECT round, number, table_id, difference FROM cup_tables ORDER BY round, number")


class AtTable:
    """The commands of a child, each for one table: the people are in other channels too."""

    def __init__(self, child: Child, table_id: int) -> None:
        self._child, self._table = child, str(table_id)

    @property
    def members(self) -> list[int]:
        return self._child.members

    def slash(self, who: int, name: str, /, **options: Any) -> Any:
        return self._child.slash(who, name, table=self._table, **options)


def killed_in(child: Child, at: str, when: str, work: Callable[[], object]) -> None:
    """Die in the midst of something, and start again."""
    with child.killed(at, when):
        work()
    back(child)


def back(child: Child, *kill_points: tuple[str, str]) -> None:
    """Start the bot (again), and let pass what it waits for. Raises Killed at one of the points."""
    child.start(*kill_points)
    child.advance(5)


def play(child: Child, hall: Hall, table_id: int) -> None:
    """Play a table to its end by the commands of its people."""
    file = File(hall.path, table_id)
    person: Person = Typist(AtTable(child, table_id), file, f"cup table {table_id}")  # type: ignore[arg-type]
    for _ in range(MOST):
        if file.stage == "ended":
            return
        if file.state.public.phase is Phase.ROUND_OVER:
            child.advance(2)
            continue
        before = file.version
        said = person.act()
        assert file.version > before, said
    raise AssertionError("no end")


def test_a_cup_of_two_rounds_is_killed_wherever_it_can_be(tmp_path: Path) -> None:
    settings = {"members": PEOPLE, "next_round": 1.0, "ai_delay": 0.0}
    with Child(tmp_path, factory="bot:create_bot", **settings) as child:
        hall = Hall(child.database)
        open_cup(child, hall)

        # The first round: its pairing is stored, and no table is there yet; then a thread without a table;
        # then the first table without anybody being told of it; then the second one is not stored.
        with child.killed(f"{CUPS}.draw_round", "after"):
            child.slash(0, "canasta cup start")
        pairing = hall.rows("SELECT * FROM cup_seats ORDER BY number, seat")
        assert len(pairing) == 8
        for at, when, opened in (
            ("POST /channels/*/threads", "after", [False, False]),
            (COMMIT, "after", [True, False]),
            (COMMIT, "before", [True, False]),
        ):
            with pytest.raises(Killed):
                back(child, (at, when))
            assert [one[2] is not None for one in hall.tables] == opened
        back(child)
        check_opened(child, hall, 1)
        assert hall.rows("SELECT * FROM cup_seats ORDER BY number, seat") == pairing, "paired once"

        # A match ends: its result is stored with the last move, and the cup has not noted it.
        first, second = (one[2] or 0 for one in hall.tables)
        killed_in(child, f"{CUPS}.close_cup_table", "before", lambda: play(child, hall, first))
        assert [one[3] is None for one in hall.tables] == [False, True]
        # The last one: noted, and the next round is not paired; then it is, and the standings are sent, which
        # the bot does not get to know.
        with child.killed(f"{CUPS}.close_cup_table", "after"):
            play(child, hall, second)
        assert hall.cup == ("playing", 1, 0)
        with pytest.raises(Killed):
            back(child, (f"{CUPS}.set_cup_told", "before"))
        assert hall.cup == ("playing", 2, 0)
        back(child)
        check_opened(child, hall, 2)
        assert hall.cup == ("playing", 2, 1)

        # The second round ends the cup: killed before that is stored, and when the standings were sent.
        first, second = (one[2] or 0 for one in hall.tables[2:])
        play(child, hall, second)
        killed_in(child, f"{CUPS}.finish_cup", "before", lambda: play(child, hall, first))
        check_end(child, hall)


def open_cup(child: Child, hall: Hall) -> None:
    """People sign up; a sign-up that was stored counts though nobody heard of it."""
    child.slash(0, "canasta cup open", profile="browser", target=1000, clock=0, rounds=ROUNDS)
    *others, last = range(PEOPLE)
    for who in others:
        child.slash(who, "canasta cup join")
    killed_in(child, f"{CUPS}.enter_cup", "after", lambda: child.slash(last, "canasta cup join"))
    assert len(hall.rows("SELECT user_id FROM cup_entrants")) == PEOPLE
    assert f"{PEOPLE} have signed up" in child.board("cup 1")["text"], "shown after the start"
    assert "signed up for this cup already" in child.slash(last, "canasta cup join")["text"]


def check_opened(child: Child, hall: Hall, number: int) -> None:
    """Every table of a round is there once, in a closed thread of its own, with the same packs."""
    tables = [one for one in hall.tables if one[0] == number]
    ids = [one[2] for one in tables]
    assert len(set(ids)) == 2
    assert None not in ids
    everything = hall.rows("SELECT id, channel_id, duplicate_of FROM tables ORDER BY id")
    assert len(everything) == 2 * number, "no table is opened twice"
    mine = [one for one in everything if one[0] in ids]
    assert [one[2] for one in mine] == [None, mine[0][0]]
    packs = hall.rows("SELECT table_id, action FROM table_log WHERE what = 'deal' ORDER BY table_id, version")
    dealt = [next(action for table, action in packs if table == one) for one in ids]
    assert dealt[0] == dealt[1]
    names = Counter(one["body"]["name"] for one in child.sent() if one["path"].endswith("/threads"))
    assert names[f"Cup 1 · round {number} · table 1"] == 1
    assert names[f"Cup 1 · round {number} · table 2"] == 1
    assert len({one[1] for one in everything}) == 2 * number, "each in a thread of its own"


def check_end(child: Child, hall: Hall) -> None:
    """The standings are those of the games' results, and were told once, as far as anybody can know."""
    assert hall.cup == ("over", ROUNDS, ROUNDS)
    points: Counter[int] = Counter()
    margins: Counter[int] = Counter()
    for number in range(1, ROUNDS + 1):
        pair = [table_id or 0 for at, _, table_id, _ in hall.tables if at == number]
        scores = [dict(hall.rows("SELECT team, score FROM results WHERE table_id = ?", one)) for one in pair]
        for one, other, table_id in ((0, 1, pair[0]), (1, 0, pair[1])):
            ahead = scores[one][0] - scores[one][1] - scores[other][0] + scores[other][1]
            assert (number, one + 1, table_id, scores[one][0] - scores[one][1]) in hall.tables
            seated = hall.rows(
                "SELECT user_id, team FROM results WHERE table_id = ? AND user_id IS NOT NULL", table_id
            )
            for user_id, team in seated:
                mine = ahead if team == 0 else -ahead
                points[user_id] += 2 if mine > 0 else int(mine == 0)
                margins[user_id] += mine
    order = sorted(child.members, key=lambda one: (-points[one], -margins[one]))
    final = child.board("final standings")["text"]
    told = re.findall(r"· (\w+) · (\d+) points? \(([+−]?[\d,]+)\)", final)
    assert [(name, int(won)) for name, won, _ in told] == [
        (NAMES[child.members.index(one)], points[one]) for one in order
    ]
    assert [int(margin.replace(",", "").replace("−", "-")) for *_, margin in told] == [
        margins[one] for one in order
    ]
    assert "All rounds have been played" in child.board("**Host**")["text"]
    # Discord drops the second of two messages with one nonce.
    posted = [
        (one["body"]["nonce"], "final" in json.dumps(one["body"]))
        for one in child.sent()
        if one["method"] == "POST" and "standings" in json.dumps(one["body"]) and "nonce" in one["body"]
        if "Standings" not in json.dumps(one["body"])
    ]
    assert Counter(posted).most_common() == [((posted[0][0], False), 2), ((posted[2][0], True), 1)]
    for table_id in (one[2] or 0 for one in hall.tables):
        file = File(hall.path, table_id)
        log = file.log
        assert file.stage == "ended"
        assert [version for version, _, _ in log] == list(range(1, len(log) + 1))
        assert replayed(file.state.rules, log) == state_hash(file.state)
        assert file.untold == 0
