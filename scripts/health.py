"""Says how the bot is, by the sign of life that it writes; exit code 0 when all is well, else 1."""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import settings
from running.health import UnreadableError, health_path, problems, read
from settings import SettingError


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/health", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="default: what the settings say")
    given = parser.parse_args()
    try:
        if given.file is None:
            chosen = settings.load()
            database = chosen.database if chosen.token else chosen.local_database
            given.file = chosen.health or health_path(database)
        health = read(given.file)
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    except UnreadableError as error:
        print(error)
        return 1
    now = time.time()
    wrong = problems(health, now)
    stored = "never" if health.last_commit is None else f"{now - health.last_commit:.0f} s ago"
    print(
        f"version {health.version}, process {health.pid}, {'' if health.connected else 'not '}connected for "
        f"{now - health.since:.0f} s, last stored {stored}, {health.playing} tables playing, "
        f"{health.untold} notices untold"
    )
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
