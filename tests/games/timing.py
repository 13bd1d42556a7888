"""`scripts/bench --commands 400`: how long a slash command takes, from its call to the commit.

Real discord.py, a simulated Discord and a real database file, one table of four. The time includes what the
simulation needs to bring the command to the bot; it ends when SQLite has the move on disk.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from canasta_core.ai import policy
from canasta_core.legality import who_acts
from canasta_core.state import Phase
from data.sqlite_store import SqliteStore
from tests.cogs.players import by_slash, open_table, table_of, who_of
from tests.discord.harness import playing


async def measure(commands: int) -> list[float]:
    """Seconds of each of so many accepted commands."""
    rng, player = random.Random(1), policy("medium")
    commit, done = SqliteStore.commit, 0.0

    async def timed(self: SqliteStore, *given: Any, **named: Any) -> Any:
        nonlocal done
        result = await commit(self, *given, **named)
        done = time.perf_counter()
        return result

    SqliteStore.commit = timed  # type: ignore[method-assign]
    took: list[float] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with playing(Path(folder) / "bench.db", members=4, next_round=1.0) as game:
                await open_table(game)
                while len(took) < commands:
                    table = await table_of(game)
                    assert table.state is not None
                    if table.state.public.phase is Phase.GAME_OVER:
                        break
                    if table.state.public.phase is Phase.ROUND_OVER:
                        await game.advance(2)
                        continue
                    seat = who_acts(table.state.public)[0]
                    action = player.choose(table.view(seat), rng)
                    name, options = by_slash(table.rules, action)
                    start = time.perf_counter()
                    await game.slash(who_of(game, table, seat), name, **options)
                    took.append(done - start)
    finally:
        SqliteStore.commit = commit  # type: ignore[method-assign]
    return took


def timing(commands: int) -> str:
    """The figures of so many commands, in a line."""
    took = sorted(asyncio.run(measure(commands)))
    p99 = took[int(len(took) * 0.99)]
    return (
        f"a slash command from call to commit: median {1000 * statistics.median(took):.1f} ms, "
        f"p99 {1000 * p99:.1f} ms, of {len(took)}"
    )
