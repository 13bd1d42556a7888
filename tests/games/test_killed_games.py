"""Four members play to 5000, by commands alone and by clicks alone; the process is killed on the way."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from canasta_core.codec import state_hash
from canasta_core.state import Phase
from tests.discord.killing import Child
from tests.games.people import Clicker, File, Person, Typist, replayed

COMMIT = "data.sqlite_store:SqliteStore.commit"
KILLS = {
    40: (COMMIT, "before"),  # the move was made and is not stored
    80: (COMMIT, "after"),  # stored, and nobody was told: between commit and announcement
    120: ("PATCH /channels/*/messages/*", "after"),  # told, and the bot does not know it
}
"""Where the process dies, by the number of the action in the game."""
MOST = 3000
"""Actions of the longest game that is believed."""


@pytest.mark.parametrize("kind", [Typist, Clicker], ids=["commands", "clicks"])
def test_a_game_to_5000_with_three_kills(tmp_path: Path, kind: type[Person]) -> None:
    with Child(tmp_path, factory="bot:create_bot", members=4, next_round=1.0, ai_delay=0.0) as child:
        person = open_table(child, tmp_path, kind)
        moves = deaths = 0
        while person.file.stage == "playing" and moves < MOST:
            if person.file.state.public.phase is Phase.ROUND_OVER:
                child.advance(2)  # the next round starts by itself
                continue
            moves += 1
            if moves in KILLS:
                die_in_a_move(person, *KILLS[moves])
                deaths += 1
            else:
                move(person)
        assert deaths == len(KILLS)
        check_game(person.file)
        check_channel(child, person.file)


def open_table(child: Child, folder: Path, kind: type[Person]) -> Person:
    """A table where all four members sit; it starts when it is full."""
    file = File(folder / "bot.db")
    if kind is Typist:
        child.slash(0, "canasta new", profile="classic")
        for who in (1, 2, 3):
            child.slash(who, "canasta join")
    else:
        child.slash(0, "canasta new", profile="classic")  # a lobby begins with a command
        for who in (1, 2, 3):
            child.click(who, label="Join")
    assert file.stage == "playing"
    return kind(child, file, "killed games")


def move(person: Person) -> None:
    """One action, which counts exactly once."""
    before = person.file.version
    said = person.act()
    assert person.file.version == before + 1, said
    assert "Something went wrong" not in said


def die_in_a_move(person: Person, at: str, when: str) -> None:
    """Kill the process in the middle of an action, start it again, and see what became of the action."""
    who, action, view = person.decide()
    before = person.file.version
    with person.child.killed(at, when):
        person.do(who, action, view)
    stored = person.file.version
    person.child.start()
    assert person.file.version == stored  # starting anew neither repeats nor loses anything
    assert stored == (before if (at, when) == (COMMIT, "before") else before + 1)
    if stored == before:
        assert person.decide()[2] == view


def check_game(file: File) -> None:
    """The game ended rightly, and its log tells it whole: each version once, the same state at its end."""
    state = file.state
    assert file.stage == "ended"
    assert state.public.winner is not None
    assert max(state.public.scores) >= 5000
    assert state.public.scores[state.public.winner] == max(state.public.scores)
    log = file.log
    assert [version for version, _, _ in log] == list(range(1, len(log) + 1))
    assert replayed(state.rules, log) == state_hash(state)
    assert file.untold == 0


def check_channel(child: Child, file: File) -> None:
    """What stands in the channel is the end of the game; nobody was pinged twice for a turn."""
    texts = [message["text"] for message in child.messages()]
    assert sum("win!" in text for text in texts) == 1
    assert not any("your turn at" in text for text in texts)
    pings = Counter(
        json.dumps(one["body"].get("nonce"))
        for one in child.sent()
        if one["method"] == "POST" and "your turn at" in json.dumps(one["body"])
    )
    assert pings
    twice = {nonce: count for nonce, count in pings.items() if count > 1}
    assert sum(twice.values()) <= len(KILLS), twice
