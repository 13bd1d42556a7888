"""The local page: a bot that goes on by itself is shown as it goes, and never holds up a click."""

import asyncio
import re
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import aiohttp
import discord
import pytest
from discord import app_commands, ui

import local
from local.world import build_world

PAUSE = 1.0


class Board(ui.LayoutView):
    """A message that says how far things are, with a button that starts three moves, each after a pause."""

    def __init__(self, moves: int) -> None:
        super().__init__(timeout=None)
        row: ui.ActionRow[Any] = ui.ActionRow()
        for label, pressed in (("Go", self.go), ("Ask", self.ask)):
            button: ui.Button[Any] = ui.Button(label=label, custom_id=f"{label}:{moves}")
            button.callback = pressed  # type: ignore[method-assign]
            row.add_item(button)
        self.add_item(ui.TextDisplay(f"{moves} moves"))
        self.add_item(row)

    async def go(self, interaction: discord.Interaction) -> None:
        await interaction.response.defer()
        self.task = asyncio.create_task(move_on(interaction.message))

    async def ask(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message("a secret", ephemeral=True)


async def move_on(message: discord.Message | None) -> None:
    assert message is not None
    for moves in (1, 2, 3):
        await asyncio.sleep(PAUSE)
        await message.edit(view=Board(moves))


class ToyBot(discord.Client):
    def __init__(self, *, idle: bool = False) -> None:
        super().__init__(intents=discord.Intents(guilds=True))
        self.has_idle_task = idle
        self.tree = app_commands.CommandTree(self)
        self.tree.add_command(app_commands.Command(name="begin", description="Begin", callback=begin))
        self.ended = False

    async def setup_hook(self) -> None:
        await self.tree.sync()
        if self.has_idle_task:
            self.idle = asyncio.create_task(asyncio.Event().wait())

    async def close(self) -> None:
        self.ended = True
        await super().close()


async def begin(interaction: discord.Interaction) -> None:
    await interaction.response.send_message(view=Board(0))


class Browser:
    """What the page's scripts do, without a browser: reads the state, sends actions in order."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._base, _, capability = url.partition("/#")
        self._headers = {"X-Simcord-Capability": capability}
        self._sequence = 0
        self.page: dict[str, Any] = {}

    async def open(self, viewer: int = 0) -> None:
        self.page = await self._call("POST", "/api/pages", {})
        self._headers["X-Simcord-Context"] = self.page["context"]["id"]
        if viewer:
            await self.act("viewer", viewer_id=self.page["viewers"][viewer]["id"])
            await self.look()

    async def look(self) -> str:
        """Read the state anew; return the texts of the conversation."""
        self.page = await self._call("GET", "/api/state")
        return str(self.page["messages"])

    async def act(self, kind: str, **body: Any) -> dict[str, Any]:
        self._sequence += 1
        receipt = await self._call(
            "POST",
            "/api/action",
            {
                "protocol_version": 3,
                "sequence": self._sequence,
                "request_id": f"r{self._sequence}",
                "generation": self.page["context"]["generation"],
                "bot_generation": self.page["botGeneration"],
                "published_revision": self.page["publishedRevision"],
                "kind": kind,
                **body,
            },
        )
        self._sequence = receipt["expectedSequence"]
        return receipt

    async def command(self, name: str) -> dict[str, Any]:
        catalog = await self._call("GET", "/api/commands")
        entry = next(entry for entry in catalog["entries"] if entry["invocation"] == name)
        return await self.act(
            "run_command",
            command_id=entry["commandId"],
            path=entry["path"],
            schema_fingerprint=entry["schemaFingerprint"],
            options={},
        )

    async def click(self, label: str) -> dict[str, Any]:
        """Click a button as it was when the page was last looked at."""
        (message,) = [each for each in self.page["messages"].values() if label in str(each)]
        key = re.search(r"'control_key': '([^']+)'", str(find(message, label)))
        assert key is not None
        return await self.act("click", target_id=message["id"], control_key=key[1])

    async def _call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        async with self._session.request(
            method, self._base + path, json=body, headers=self._headers
        ) as answer:
            answer.raise_for_status()
            result: dict[str, Any] = await answer.json()
            return result


def find(part: Any, label: str) -> Any:
    """The component with this label."""
    if isinstance(part, dict):
        if part.get("label") == label:
            return part
        part = list(part.values())
    if isinstance(part, list):
        return next((found for inner in part if (found := find(inner, label))), None)
    return None


@asynccontextmanager
async def serving(bot: discord.Client) -> AsyncIterator[Callable[[], Browser]]:
    """The page, and a function that opens one more browser on it."""
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(local.serve(bot, port=0, announce=address.set_result))
    await asyncio.wait((task, address), return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    try:
        async with aiohttp.ClientSession() as session:
            yield lambda: Browser(session, address.result())
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(browser: Browser, text: str, seconds: float) -> float:
    """Look at the page until it shows `text`; return the seconds that took."""
    began = time.perf_counter()
    while text not in await browser.look():
        assert time.perf_counter() - began < seconds, f"no «{text}» within {seconds} s"
        await asyncio.sleep(0.05)
    return time.perf_counter() - began


async def test_the_bot_moves_on_by_itself_and_no_click_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("local.world.PATIENCE", 10.0)  # else a click that does wait would be let off
    bot = ToyBot()
    async with serving(bot) as another:
        browser, neighbour = another(), another()
        await browser.open()
        await neighbour.open(viewer=1)
        assert (await browser.command("begin"))["settlement"] == "settled"
        await browser.look()

        began = time.perf_counter()
        assert (await browser.click("Go"))["settlement"] == "settled"
        assert time.perf_counter() - began < PAUSE, "the click waited for the first move"

        await until(browser, "1 moves", PAUSE + 2)
        seen_late = await until(browser, "3 moves", 2 * PAUSE + 2)
        assert seen_late > PAUSE, "the pauses were skipped"
        await until(neighbour, "3 moves", 2)
    assert bot.ended
    assert bot.is_closed()


async def test_a_click_on_what_has_moved_meanwhile_is_not_lost() -> None:
    async with serving(ToyBot()) as another:
        browser = another()
        await browser.open()
        await browser.command("begin")
        await browser.look()
        await browser.click("Go")
        await browser.look()
        await asyncio.sleep(PAUSE + 0.5)  # the board changes, and the browser has not looked again

        assert (await browser.click("Ask"))["settlement"] == "settled"
        assert "a secret" in await browser.look()
        neighbour = another()
        await neighbour.open(viewer=1)
        assert "a secret" not in await neighbour.look()


async def test_a_task_that_waits_for_ever_holds_up_nothing() -> None:
    async with serving(ToyBot(idle=True)) as another:
        browser = another()
        await browser.open()
        await browser.command("begin")
        await browser.look()
        receipt = await browser.click("Ask")
        assert receipt["settlement"] == "settled"
        assert not receipt["diagnostics"]
        assert "a secret" in await browser.look()


def test_ids_are_the_same_after_a_restart_and_the_clock_is_right() -> None:
    first, second = build_world(ToyBot()), build_world(ToyBot())
    for world in (first, second):
        assert abs((world.env.now() - datetime.now(UTC)).total_seconds()) < 5
    assert [person.id for person in first.people] == [person.id for person in second.people]
    assert first.channel.id == second.channel.id
    assert first.env.guild.id == second.env.guild.id
    assert first.env.backend.bot_user.id == second.env.backend.bot_user.id


async def test_a_taken_port_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        bot = ToyBot()
        with pytest.raises(local.PageError, match=f"^Port {port} of 127.0.0.1 cannot be used"):
            await local.serve(bot, port=port, announce=print)
        assert bot.ended
