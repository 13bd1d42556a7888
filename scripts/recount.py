"""Counts all finished games again: the stored standings agree, or new ones are put in their place.

The bot must not be running.
"""

import argparse
import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import settings
from canasta_core.tables.errors import StoreError
from canasta_core.tables.recount import Recount, recount
from data.sqlite_store import SqliteStore
from ratings import OpenSkill


async def count(database: Path, *, rebuild: bool) -> int:
    """Returns the exit code: 1 when what is stored differs and was left so."""
    store = SqliteStore(database)
    await store.open()
    try:
        made = await recount(store.games(), OpenSkill())
        print(f"{made.games} finished games, {len(made.standings)} standings")
        different = await differences(store, made)
        if rebuild:
            await store.replace_standings(made.standings, made.ratings)
            print(f"made anew; {different} were different before")
            return 0
        print(
            "what is stored agrees"
            if not different
            else f"{different} standings differ: --rebuild mends them"
        )
        return 1 if different else 0
    finally:
        await store.close()


async def differences(store: SqliteStore, made: Recount) -> int:
    """Standings that are stored otherwise than made, or missing, or too many."""
    stored = await store.all_standings()
    keys = made.standings.keys() | stored.keys()
    return sum(made.standings.get(key) != stored.get(key) for key in keys)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/ratings", description=__doc__)
    parser.add_argument("--database", type=Path, help="default: what the settings say")
    parser.add_argument(
        "--rebuild", action="store_true", help="put the new standings in the place of the old"
    )
    options = parser.parse_args()
    try:
        database = options.database or settings.load().database
    except settings.SettingError as error:
        print(error, file=sys.stderr)
        return 2
    if not database.exists():
        print(f"There is no file {database}.", file=sys.stderr)
        return 2
    try:
        return asyncio.run(count(database, rebuild=options.rebuild))
    except StoreError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
