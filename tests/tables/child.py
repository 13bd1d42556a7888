"""A process that plays at a table until it is killed, or kills itself at a chosen point.

    python -m tests.tables.child FILE TOLD POINT COUNT

One person and three AI players; every accepted move of the person is printed when `act` has returned, and
every notice is appended to TOLD when it is delivered. POINT is where SIGKILL strikes, the COUNT-th time:

    commit   inside a commit's transaction, after the log was written and before the notices are
    tell     when a turn is to be told: committed, and not yet announced
    delete   when a turn was told, and its notice is about to be deleted
    never    the parent kills it
"""

import asyncio
import os
import random
import signal
import sys
from pathlib import Path

from canasta_core.events import Event
from canasta_core.state import Phase
from canasta_core.tables.model import Notice, NoticeKind, Stage, Table
from canasta_core.tables.service import TableService
from data.sqlite_store import SqliteStore
from tests.tables.tools import ANN, CHANNEL, GUILD, GreedyThinker, greedy


class Killer:
    """Strikes the COUNT-th time that its point is reached."""

    def __init__(self, point: str, count: int) -> None:
        self.point = point
        self.left = count

    def reach(self, point: str) -> None:
        if point == self.point:
            self.left -= 1
            if not self.left:
                os.kill(os.getpid(), signal.SIGKILL)


class FileTeller:
    """Appends what it is told to a file, and remembers each turn's message as the cogs do."""

    def __init__(self, path: Path, killer: Killer) -> None:
        self._path = path
        self._killer = killer
        self.service: TableService | None = None
        self.told_turn = False

    async def tell(self, table: Table, notice: Notice, events: tuple[Event, ...]) -> None:
        if notice.kind is NoticeKind.TURN:
            self._killer.reach("tell")
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{notice.kind} {notice.version} {notice.id}\n")
            file.flush()
            os.fsync(file.fileno())
        if notice.kind is NoticeKind.TURN and self.service is not None:
            await self.service.remember_message(table.id, "turn", CHANNEL, notice.id)
            self.told_turn = True


async def play(database: Path, told: Path, killer: Killer) -> None:
    store = SqliteStore(database)
    await store.open()
    teller = FileTeller(told, killer)

    def watch(sql: str) -> None:
        if sql.startswith("INSERT INTO outbox"):
            killer.reach("commit")
        elif sql.startswith("DELETE FROM outbox") and teller.told_turn:
            teller.told_turn = False
            killer.reach("delete")

    writer = store._database._writer
    assert writer is not None
    await writer.set_trace_callback(watch)
    service = TableService(store, thinker=GreedyThinker(), ai_delay=0.0)
    teller.service = service
    await service.start(teller)
    seated = await service.tables_of(ANN.user_id)
    table = seated[0] if seated else await service.create(GUILD, CHANNEL, ANN, "classic")
    if table.stage is Stage.LOBBY:
        table = await service.begin(table.id, ANN)
    rng = random.Random()
    print(f"ready {table.id}", flush=True)
    while True:
        await service.settle()
        table = await service.get(table.id)
        assert table.state is not None
        if table.stage is Stage.ENDED:
            break
        if table.state.public.phase is Phase.ROUND_OVER:
            await service.next_round(table.id, ANN)
            continue
        acted = await service.act(table.id, ANN.user_id, greedy(table.view(0), rng), table.version)
        print(f"acted {acted.table.version}", flush=True)
    await service.close()
    await store.close()


if __name__ == "__main__":
    asyncio.run(play(Path(sys.argv[1]), Path(sys.argv[2]), Killer(sys.argv[3], int(sys.argv[4]))))
