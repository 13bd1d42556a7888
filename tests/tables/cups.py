"""Cups for tests: people, a teller that writes down, and rounds that are played to their end."""

import random

from canasta_core.tables.cup_model import Cup, CupTable
from canasta_core.tables.model import Person, Stage, Table
from canasta_core.tables.service import TableService
from tests.tables.tools import ANN, CHANNEL, GUILD, play_on

PEOPLE = tuple(Person(800_000_000_000_000_000 + number, f"P{number}") for number in range(1, 9))
MATCH = {"profile": "browser", "options": {"target": 1000}, "clock": None}


class CupRecorder:
    """Tells of cups into a list, and gives each table a channel of its own."""

    def __init__(self) -> None:
        self.told: list[Cup] = []
        self.places: list[CupTable] = []
        self.failures: list[Exception] = []

        self.gone: tuple[int, ...] = ()

    async def place(self, cup: Cup, table: CupTable) -> tuple[int, tuple[int, ...]]:
        if self.failures:
            raise self.failures.pop()
        self.places.append(table)
        gone = tuple(user_id for user_id in table.people if user_id in self.gone)
        return CHANNEL + 100 * table.round + table.number, gone

    async def tell(self, cup: Cup, names: object) -> None:
        self.told.append(cup)


async def begun(service: TableService, people: int, **settings: object) -> Cup:
    cup = await service.open_cup(GUILD, CHANNEL, ANN, **{**MATCH, **settings})
    for person in PEOPLE[:people]:
        await service.enter_cup(cup.id, person)
    await service.start_cup(cup.id, ANN)
    await service.settle()
    return await service.cup(cup.id)


async def tables_of(service: TableService, cup: Cup) -> list[Table]:
    return [await service.get(one.table_id or 0) for one in cup.tables_of(cup.round)]


async def play_round(service: TableService, cup_id: int, seed: int) -> Cup:
    for table in await tables_of(service, await service.cup(cup_id)):
        if table.stage is Stage.PLAYING:
            await play_on(service, table.id, random.Random(seed))
    await service.settle()
    return await service.cup(cup_id)
