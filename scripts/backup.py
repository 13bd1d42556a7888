"""Copies the database while the bot runs, and verifies the copy.

TO is a folder (default: backups, beside the database). The copy is named after the database and the time.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import settings
from canasta_core.tables.errors import StoreError
from data.backup import BackupError, back_up
from settings import SettingError


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return int(text)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/backup", description=__doc__)
    parser.add_argument("to", nargs="?", type=Path, metavar="TO", help="the folder for the copy")
    parser.add_argument("--keep", type=_number, metavar="N", help="remove all but the N newest copies there")
    parser.add_argument("--database", type=Path, help="default: what the settings say")
    given = parser.parse_args()
    try:
        database = given.database or settings.load().database
        path, contents = back_up(database, given.to or database.parent / "backups", given.keep)
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    except (StoreError, BackupError) as error:
        print(f"No backup was made: {error}", file=sys.stderr)
        return 1
    print(f"{path}: {contents}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
