"""A short form of the simulated week (`scripts/soak --week`): a day, a few tables, every way to die once."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.week.deaths import HOWS

ROOT = Path(__file__).resolve().parents[2]


def test_a_day_of_tables_and_kills(tmp_path: Path) -> None:
    """In a process of its own, for it forks: nothing is lost, nothing told twice beyond a kill's doing."""
    ways = len(set(HOWS))
    result = subprocess.run(
        [
            *(sys.executable, "-m", "tests.week", "--seed", "7", "--quiet"),
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
    assert counts["told: turn"] > 20
    assert counts["log: missed by itself"] > 0
    assert counts["looks at a table that waits for a person"] > 20
    assert counts["public bodies that name cards"] > 50
