"""A short form of the simulated week (`scripts/soak --week`): a day, a few tables, every way to die once."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.week.deaths import HOWS

ROOT = Path(__file__).resolve().parents[2]
SEED = 8
"""A day in which partners are asked, melds taken back, tables paused and moved, and turns begin for people
who are away.
"""
AGAIN = ("came twice", "told anew, for the channel was deleted", "told anew, without a notice")
"""What there may be more pings for than turns."""


def test_a_day_of_tables_and_kills(tmp_path: Path) -> None:
    """In a process of its own, for it forks: nothing is lost, nothing told twice beyond a kill's doing."""
    ways = len(set(HOWS))
    result = subprocess.run(
        [
            *(sys.executable, "-m", "tests.week", "--seed", str(SEED), "--quiet"),
            *("--tables", "6", "--people", "16", "--days", "1", "--kills", str(len(HOWS) + 4)),
            *("--keep", str(tmp_path / "week")),
        ],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, f"{result.stdout[-6000:]}\n{result.stderr[-3000:]}"
    counts = {name: int(count) for name, count in re.findall(r"^(.+?) +(\d+)$", result.stdout, re.MULTILINE)}
    # The week has seen something, in every respect that it judges.
    # A death is planned by what will happen, some by the wall's clock: on a slow machine the day may end
    # before the last few of them.
    assert counts["deaths"] >= ways - 1
    assert sum(name.startswith("killed: ") for name in counts) >= ways - 2
    assert counts["verbs"] > 50
    assert counts["clocks that ran"] > 20
    assert counts["looks at a table that waits for a person"] > 20
    assert counts["public bodies that name cards"] > 50
    # A partner is asked and a turn begins for somebody who is away in this plan too, though not however
    # the deaths by the wall's clock may fall.
    for seen in (
        "log: kept by itself",
        "log: missed by itself",
        "log: move_place by people",
        "log: pause by people",
        "log: undo by people",
        "reminders in time",
        "rounds",
        "undos of the last of several melds",
    ):
        assert counts[seen] > 0, seen
    # Each turn and question is told; each that is told pings, and little more than that does.
    assert counts["due: turn"] == counts["notices: turn"] > 20
    assert counts.get("due: question", 0) >= counts.get("notices: question", 0)
    assert counts["called by a ping in time: turn"] > 20
    assert 0 <= counts["notices: turn"] - counts["told: turn"] <= counts["deaths"]
    more = counts["pings: turn"] - counts["told: turn"]
    assert 0 <= more <= sum(counts.get(f"{why}: turn", 0) for why in AGAIN)
    assert counts["pings: reminder"] >= counts["told: reminder"] > 0
