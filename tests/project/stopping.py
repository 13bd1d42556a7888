"""A bot in a process of its own, in a simulated Discord with real time, that is ended by signals.

`python -m tests.project.stopping DATABASE HOW`: people move as fast as they can; each move acknowledged is
printed with the version that it made. HOW says what hangs: nothing, answer, chore, commit or end.
"""

import asyncio
import random
import sys
import threading
import time
from pathlib import Path

import bot
from canasta_core.ai import policy
from canasta_core.legality import who_acts
from canasta_core.state import Phase
from canasta_core.tables.errors import StoreError
from canasta_core.tables.model import Person
from data.sqlite_store import SqliteStore
from local.world import build_world
from running import logs
from running.stop import run_until_stopped


def say(*words: object) -> None:
    print(*words, flush=True)


async def play(client: bot.CanastaBot) -> None:
    """Four people at a table, without a rest."""
    people = [Person(10 + number, f"P{number}") for number in range(4)]
    table = await client.service.create(1, 2, people[0], "classic")
    for person in people[1:]:
        table = await client.service.join(table.id, person)
    player, rng = policy("medium"), random.Random(1)
    say("playing", table.id)
    while True:
        assert table.state is not None
        if table.state.public.phase is Phase.ROUND_OVER:
            table = await client.service.next_round(table.id, people[0])
            continue
        seat = who_acts(table.state.public)[0]
        action = player.choose(table.view(seat), rng)
        try:
            table = (await client.service.act(table.id, people[seat].user_id, action)).table
        except StoreError as error:
            say("refused", error.code)
            return
        say("move", table.version)


def tell_end(task: "asyncio.Task[None]") -> None:
    """Whoever reads may wait for a move that does not come."""
    if not task.cancelled() and (error := task.exception()) is not None:
        say("failed", repr(error))


async def hang(seconds: float = 3600.0) -> None:
    """Whatever asks it to end, it goes on."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            say("asked to end")


async def live(client: bot.CanastaBot, how: str) -> None:
    world = build_world(client)
    others = []
    try:
        await world.env.start()
        if how == "answer":
            # As discord.py names what answers a command, waiting for a request that gets no answer.
            others.append(asyncio.create_task(asyncio.Event().wait(), name="CommandTree-invoker"))
        if how == "chore":
            client.service._telling.chores._work = lambda _: hang()  # type: ignore[assignment]
        if how == "commit":
            commit = SqliteStore.commit

            async def slow(self: SqliteStore, what: object) -> int:
                await asyncio.sleep(1.0)
                return await commit(self, what)  # type: ignore[arg-type]

            client.service._store.commit = slow.__get__(client._store)  # type: ignore[method-assign]
        if how == "end":
            threading.Thread(target=time.sleep, args=(3600,)).start()
        # As an interaction is: a task of its own, which the end of the main one does not end.
        name = "CommandTree-invoker" if how == "commit" else "people"
        others.append(asyncio.create_task(play(client), name=name))
        others[-1].add_done_callback(tell_end)
        while True:
            await asyncio.sleep(0.1)
            await world.env.keep_time()
    finally:
        await client.stop()


def main() -> None:
    database, how = Path(sys.argv[1]), sys.argv[2]
    logs.set_up(20, "text")
    client = bot.create_bot(database=database, health_file=database.with_name("health"))
    asyncio.run(run_until_stopped(live(client, how)))


if __name__ == "__main__":
    main()
