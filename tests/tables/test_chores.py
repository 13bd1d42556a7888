"""Background work of a table: one task at a time, and no poke is lost."""

import asyncio

import pytest

from canasta_core.tables.chores import Chores


async def test_a_poke_while_the_work_runs_makes_it_run_once_more() -> None:
    runs: list[int] = []
    gate = asyncio.Event()

    async def work(table_id: int) -> None:
        runs.append(table_id)
        await gate.wait()

    chores = Chores("work", work)
    chores.poke(1)
    await asyncio.sleep(0)
    for _ in range(5):
        chores.poke(1)
    chores.poke(2)
    await asyncio.sleep(0)
    assert runs == [1, 2], "one task a table"
    gate.set()
    await chores.settle()
    assert runs == [1, 2, 1]
    assert not chores.busy


async def test_a_defect_does_not_lose_the_next_poke(caplog: pytest.LogCaptureFixture) -> None:
    runs = 0

    async def work(table_id: int) -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            chores.poke(table_id)
            raise RuntimeError("a defect")

    chores = Chores("work", work)
    chores.poke(1)
    await chores.settle()
    assert runs == 2
    assert "a defect" in caplog.text


async def test_closed_chores_stop_and_start_no_more() -> None:
    runs = 0

    async def work(table_id: int) -> None:
        nonlocal runs
        runs += 1
        await asyncio.Event().wait()

    chores = Chores("work", work)
    chores.poke(1)
    await asyncio.sleep(0)
    await chores.close()
    chores.poke(2)
    await asyncio.sleep(0)
    assert runs == 1
    assert not chores.busy
