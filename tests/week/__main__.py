"""`scripts/soak --week`: a simulated week of tables and people, the process being killed all the time."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tests.week.deaths import EXACT, HOWS
from tests.week.plan import make_plan
from tests.week.run import Broken, run


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scripts/soak --week", description=__doc__)
    parser.add_argument(
        "--seed",
        type=int,
        help="repeat the plan of a week, with --exact the week itself (default: by chance; it is printed)",
    )
    parser.add_argument("--tables", type=int, default=40, help="default 40")
    parser.add_argument("--people", type=int, default=120, help="default 120")
    parser.add_argument("--days", type=float, default=7.0, help="default 7")
    parser.add_argument("--kills", type=int, default=50, help="how often the process is killed (default 50)")
    parser.add_argument(
        "--exact", action="store_true", help="only kills that come at the same place in each run of a seed"
    )
    parser.add_argument("--keep", type=Path, help="an empty folder for the database, Discord and the log")
    parser.add_argument("--quiet", action="store_true", help="say what is wrong, and the counts, only")
    given = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(1_000_000) if given.seed is None else given.seed
    plan = make_plan(
        seed,
        tables=given.tables,
        people=given.people,
        days=given.days,
        kills=given.kills,
        hows=EXACT if given.exact else HOWS,
    )
    print(f"seed {seed}: {given.tables} tables, {given.people} people, {given.days:g} days", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        place = given.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        try:
            report = run(place, plan, lambda line: None if given.quiet else print(line, flush=True))
        except Broken as error:
            print(error)
            return 1
    print("\n".join(report.lines()))
    for text in report.wrong:
        print(f"WRONG {text}")
    print(f"{len(report.wrong)} things wrong, {report.seconds:.0f} s; repeat with --seed {seed}")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
