"""`python -m tests.cases FILE…`: play case files; exit 1 when a case fails, 2 when a file is no case file."""

import sys
from pathlib import Path

from tests.cases.playing import first_difference
from tests.cases.reading import NoCase, read_file


def main(paths: list[str]) -> int:
    passed = failed = 0
    try:
        for path in paths:
            for case in read_file(Path(path)):
                try:
                    difference = first_difference(case)
                except Exception as error:  # noqa: BLE001 - the engine's fault: this case fails, others go on
                    difference = f"expected an answer, came {type(error).__name__}: {error}"
                passed, failed = passed + (not difference), failed + bool(difference)
                if difference:
                    print(f"{case.id}: {difference}")
    except NoCase as error:
        print(f"no case file: {error}", file=sys.stderr)
        return 2
    if not paths:
        print("usage: python -m tests.cases FILE…", file=sys.stderr)
        return 2
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
