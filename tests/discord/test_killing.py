"""A bot that is really killed, in a Discord that lives on, before and after commit and request."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from .checks import walk
from .killing import Child, Killed
from .toy_bot import SECRET
from .world import load

TOY = "tests.discord.toy_bot:create_bot"
STORE = "tests.discord.toy_bot:Store"
EDIT = "PATCH /channels/*/messages/*"


def in_database(child: Child) -> tuple[int, int]:
    with sqlite3.connect(child.database) as connection:
        row = connection.execute("SELECT count, told FROM counters").fetchone()
    connection.close()
    return row[0], row[1]


def in_discord(child: Child) -> list[str]:
    """What the channel shows while no bot is running."""
    world = load(child.directory / "discord.pickle")
    assert world is not None
    rows = world.backend.messages.get(world.channel, {}).values()
    return [
        "".join(one.get("content", "") for _, one in walk(row.components))
        for row in rows
        if not row.is_ephemeral
    ]


@pytest.mark.parametrize(
    ("at", "when", "stored", "shown", "after"),
    [
        (f"{STORE}.press", "before", (0, 0), 0, 0),
        (f"{STORE}.press", "after", (1, 0), 0, 1),
        (EDIT, "before", (1, 0), 0, 1),
        (EDIT, "after", (1, 0), 1, 1),
        (f"{STORE}.told", "after", (1, 1), 1, 1),
    ],
)
def test_killed_at_a_point(
    tmp_path: Path, at: str, when: str, stored: tuple[int, int], shown: int, after: int
) -> None:
    """`shown`: what Discord shows when the process has died; `after`: when the bot has started again."""
    with Child(tmp_path, factory=TOY, members=2) as child:
        child.slash(0, "toy new")
        board = child.board()
        people = child.members
        with child.killed(at, when):
            child.click(0, label="Count")
        assert in_database(child) == stored

        assert in_discord(child) == [f"Counter 1 stands at {shown}"]

        child.start()
        assert child.members == people
        (again,) = child.messages()
        assert again["id"] == board["id"]
        assert again["text"] == f"Counter 1 stands at {after}"
        child.click(1, label="Count", message=board["id"])
        assert child.board()["text"] == f"Counter 1 stands at {after + 1}"
        assert in_database(child) == (after + 1, after + 1)
        old = child.press(1, board["id"], "toy:1:0")
        assert [one["text"] for one in old["followups"]] == ["already moved"]
        edits = [one for one in child.sent() if one["method"] == "PATCH" and "/channels/" in one["path"]]
        assert len(edits) == after + 1 + (at == EDIT and when == "after")


def test_killed_while_it_starts(tmp_path: Path) -> None:
    with Child(tmp_path, factory=TOY, members=2) as child:
        child.slash(0, "toy new")
        with child.killed(EDIT, "before"):
            child.click(0, label="Count")
        for _ in range(2):
            with pytest.raises(Killed):
                child.start((EDIT, "before"))
            assert in_discord(child) == ["Counter 1 stands at 0"]
        with pytest.raises(Killed):
            child.start((f"{STORE}.told", "before", 1))
        assert in_discord(child) == ["Counter 1 stands at 1"]
        child.start()
        assert in_database(child) == (1, 1)


def test_discord_is_as_it_was_when_the_process_died(tmp_path: Path) -> None:
    with Child(tmp_path, factory=TOY, members=2) as child:
        child.slash(0, "toy new")
        child.slash(0, "toy secret")
        child.advance(100)
        before = child.messages(0), child.messages(1)
        child.kill()
        with pytest.raises(RuntimeError):
            child.board()
        child.start()
        assert (child.messages(0), child.messages(1)) == before
        assert SECRET in child.messages(0)[-1]["text"]
        assert SECRET not in json.dumps(child.public_payloads())


def test_shot_from_outside_at_any_moment(tmp_path: Path) -> None:
    with Child(tmp_path, factory=TOY, members=2, every_step=True) as child:
        child.slash(0, "toy new")
        clicks = 0
        for wait in (0.05, 0.123, 0.2):
            with child.shot_after(wait):
                while True:
                    child.click(clicks % 2, label="Count")
                    clicks += 1
            count, told = in_database(child)
            (shown,) = in_discord(child)
            assert clicks <= count <= clicks + 1
            assert shown in {f"Counter 1 stands at {one}" for one in (told, count)}
            child.start()
            assert child.board()["text"] == f"Counter 1 stands at {count}"
            clicks = count


def test_stopped_in_order_and_started_again(tmp_path: Path) -> None:
    child = Child(tmp_path, factory=TOY, members=2)
    with child:
        child.slash(0, "toy new")
    with child:
        child.click(0, label="Count")
        assert child.board()["text"] == "Counter 1 stands at 1"
        with pytest.raises(RuntimeError), child.shot_after(1):
            pass


def test_a_message_that_was_not_sent_does_not_exist(tmp_path: Path) -> None:
    send = "POST /channels/*/messages"
    with Child(tmp_path, factory=TOY, members=2) as child:
        with child.killed(send, "before"):
            child.slash(0, "toy new")
        child.start()
        assert child.messages() == []
        with child.killed(send, "after", call=2):
            child.slash(0, "toy new")
            child.slash(0, "toy new")
        child.start()
        assert len(child.messages()) == 2


def test_everything_a_child_can_do(tmp_path: Path) -> None:
    with Child(tmp_path, factory=TOY, members=2) as child:
        child.slash(0, "toy new", later=5)
        assert [one["value"] for one in child.autocomplete(0, "toy new", "profile", "s")] == ["salon"]
        child.until("stands at 1", seconds=6)
        verbs = [{"do": "click", "who": who, "label": "Count"} for who in (0, 1, 0, 1)]
        answers = child.at_once(verbs)
        assert all(one["acknowledged"] for one in answers)
        assert child.board()["text"] == "Counter 1 stands at 2"
        child.slash(1, "toy pick")
        assert child.select(1, values=["salon"])["text"] == "picked salon"
        assert child.slash(1, "toy ask")["modal"]["title"] == "A question"
        assert child.submit(1, answer="no")["text"] == "you said no"


def test_what_goes_wrong_in_the_child_reaches_the_parent(tmp_path: Path) -> None:
    with Child(tmp_path, factory=TOY, members=2) as child:
        with pytest.raises(AssertionError, match="mentions-parsed"):
            child.slash(0, "toy wrong", how="everyone")
        with pytest.raises(AssertionError, match="as asked"):
            child.slash(0, "toy wrong", how="error")
        with pytest.raises(AssertionError, match="no button"):
            child.click(0, label="Nothing")
        with (
            pytest.raises(AssertionError, match="was not reached"),
            child.killed(f"{STORE}.press", "after"),
        ):
            child.slash(0, "toy secret")
        with pytest.raises(AssertionError, match="ended with 1"):
            child.stop()  # the error of before is raised at the end, as in `playing`


def test_a_bot_that_ends_its_process_is_no_sigkill(tmp_path: Path) -> None:
    with Child(tmp_path, factory=TOY, members=2) as child:
        with pytest.raises(AssertionError, match="ended with 3"):
            child.slash(0, "toy wrong", how="exit")
        child.start()
        assert child.slash(0, "toy secret")["ephemeral"]
