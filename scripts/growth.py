"""How the database grows: whole games of AI players, stored move by move as any game is, in a file apart.

For each profile: bytes of the file for each game as it is played, and after its log was packed and the room
that this frees was used again (CANASTA_KEEP_DAYS).
"""

import argparse
import asyncio
import random
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from canasta_core import ai
from canasta_core.legality import who_acts
from canasta_core.profiles import profile_ids
from canasta_core.state import Phase
from canasta_core.tables.clock import SystemClock
from canasta_core.tables.model import Person, Stage
from canasta_core.tables.service import TableService
from data.archive import Archiver
from data.sqlite_store import SqliteStore

LEVEL = "medium"
HOST = Person(1, "Host")


async def play(service: TableService, profile: str, rng: random.Random) -> int:
    """One game to its end, the host's seat played as the others are; how many changes it had."""
    policy = ai.policy(LEVEL)
    table = await service.create(1, 2, HOST, profile)
    table = await service.begin(table.id, HOST)
    while table.stage is Stage.PLAYING:
        state = table.state
        assert state is not None
        if state.public.phase is Phase.ROUND_OVER:
            table = await service.next_round(table.id, HOST)
            continue
        sitter = table.sitter(who_acts(state.public)[0])
        assert sitter is not None
        if sitter.user_id == HOST.user_id:
            action = policy.choose(table.view(sitter.seat), rng)
            table = (await service.act(table.id, HOST.user_id, action)).table
        else:
            await asyncio.sleep(0)  # an AI seat moves by itself
            table = await service.get(table.id)
    return table.version


def size(path: Path) -> int:
    """Bytes that are in use: pages that are free will be used again."""
    with closing(sqlite3.connect(path)) as db:
        (pages,), (free,), (page,) = (
            db.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * page)


async def measure(profile: str, games: int, folder: Path) -> str:
    path = folder / f"{profile}.db"
    store = SqliteStore(path)
    await store.open()
    clock = SystemClock()
    service = TableService(store, clock=clock, ai_delay=0.0)
    empty = size(path)
    changes = 0
    for number in range(games):
        changes += await play(service, profile, random.Random(number))
    await service.close()
    played = size(path) - empty
    await Archiver(store.database, clock, 0, pause=0.0).pack_due()
    packed = size(path) - empty
    await store.close()
    return (
        f"{profile:9} {changes / games:6.0f} changes a game · {played / games / 1e3:6.0f} kB a game, "
        f"{played / changes / 1e3:.1f} kB a change · packed {packed / games / 1e3:5.0f} kB a game"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/growth", description=__doc__)
    parser.add_argument("--profile", action="append", choices=profile_ids(), help="default: all")
    parser.add_argument("--games", type=int, default=3, help="games of each")
    given = parser.parse_args()
    if given.games < 1:
        parser.error("there must be something to play")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.profile or profile_ids():
            print(asyncio.run(measure(name, given.games, Path(folder))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
