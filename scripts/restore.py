"""Puts a copy that scripts/backup made in the place of the database. The bot must be stopped.

The copy is verified first. What was there before is kept beside it.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import settings
from canasta_core.tables.errors import StoreCode, StoreError
from data.backup import BackupError, restore, verify
from settings import SettingError


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/restore", description=__doc__)
    parser.add_argument("source", type=Path, metavar="FROM", help="the copy")
    parser.add_argument("--check", action="store_true", help="only verify the copy")
    parser.add_argument("--database", type=Path, help="default: what the settings say")
    given = parser.parse_args()
    try:
        if given.check:
            print(f"{given.source}: {verify(given.source)}.")
            return 0
        database = given.database or settings.load().database
        aside, contents = restore(given.source, database)
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    except (StoreError, BackupError) as error:
        if isinstance(error, StoreError) and error.code is StoreCode.IN_USE:
            print(f"Stop the bot first: {error.detail}.", file=sys.stderr)
            return 3
        what = "The copy cannot be used" if given.check else "Nothing was restored"
        print(f"{what}: {error}", file=sys.stderr)
        return 1
    print(f"{database}: {contents}.")
    if aside is not None:
        print(f"What was there before is {aside}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
