"""A small bot with one of each thing that the real one uses, for the tests of the harness."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Self

import aiosqlite
import discord
from discord import app_commands

NOBODY = discord.AllowedMentions.none()
PROFILES = ("classic", "salon", "canastra", "browser")
SECRET = "the queen of spades"


class Store:
    """Counters in a file. `told` is the count that the message is known to show."""

    def __init__(self, path: Path | str) -> None:
        self._path = path
        self._connection: aiosqlite.Connection | None = None
        self._writing = asyncio.Lock()

    @property
    def _db(self) -> aiosqlite.Connection:
        assert self._connection is not None
        return self._connection

    async def open(self) -> None:
        self._connection = await aiosqlite.connect(self._path)
        await self._db.execute_fetchall("PRAGMA journal_mode=WAL")
        await self._db.execute(
            "CREATE TABLE IF NOT EXISTS counters (id INTEGER PRIMARY KEY, channel INTEGER NOT NULL,"
            " message INTEGER, count INTEGER NOT NULL, told INTEGER NOT NULL) STRICT"
        )
        await self._db.commit()

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def add(self, channel: int) -> int:
        async with self._writing:
            cursor = await self._db.execute(
                "INSERT INTO counters (channel, count, told) VALUES (?, 0, -1)", (channel,)
            )
            await self._db.commit()
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    async def move(self, counter: int, message: int) -> None:
        async with self._writing:
            await self._db.execute(
                "UPDATE counters SET message = ?, told = 0 WHERE id = ?", (message, counter)
            )
            await self._db.commit()

    async def press(self, counter: int, version: int) -> int | None:
        """The new count; None when `version` is not the count any more."""
        async with self._writing:
            cursor = await self._db.execute(
                "UPDATE counters SET count = count + 1 WHERE id = ? AND count = ?", (counter, version)
            )
            await self._db.commit()
        return version + 1 if cursor.rowcount else None

    async def told(self, counter: int, count: int) -> None:
        async with self._writing:
            await self._db.execute("UPDATE counters SET told = ? WHERE id = ?", (count, counter))
            await self._db.commit()

    async def untold(self) -> list[tuple[int, int, int, int]]:
        rows = await self._db.execute_fetchall(
            "SELECT id, channel, message, count FROM counters WHERE told < count AND message IS NOT NULL"
        )
        return [(row[0], row[1], row[2], row[3]) for row in rows]


class Press(
    discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"toy:(?P<counter>\d+):(?P<version>\d+)"
):
    """The button of a counter; its custom id holds all that it knows."""

    def __init__(self, counter: int, version: int) -> None:
        super().__init__(discord.ui.Button(label="Count", custom_id=f"toy:{counter}:{version}"))
        self.counter, self.version = counter, version

    @classmethod
    async def from_custom_id(cls, interaction: Any, item: Any, match: re.Match[str], /) -> Self:
        return cls(int(match["counter"]), int(match["version"]))

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        bot: ToyBot = interaction.client
        await interaction.response.defer()
        count = await bot.store.press(self.counter, self.version)
        if count is None:
            await interaction.followup.send("already moved", ephemeral=True)
            return
        await bot.tell(self.counter, interaction.channel_id, interaction.message.id, count)


class Board(discord.ui.LayoutView):
    """The public message of a counter."""

    def __init__(self, counter: int, count: int) -> None:
        super().__init__(timeout=None)
        row: discord.ui.ActionRow[Any] = discord.ui.ActionRow(Press(counter, count))
        self.add_item(
            discord.ui.Container(discord.ui.TextDisplay(f"Counter {counter} stands at {count}"), row)
        )


class Pick(discord.ui.View):
    """A select in an ephemeral message."""

    @discord.ui.select(
        custom_id="toy-pick",
        placeholder="Profiles",
        max_values=2,
        options=[discord.SelectOption(label=name) for name in PROFILES],
    )
    async def chosen(self, interaction: discord.Interaction[Any], select: discord.ui.Select[Any]) -> None:
        await interaction.response.edit_message(content=f"picked {', '.join(select.values)}", view=None)


class Ask(discord.ui.Modal, title="A question"):
    answer: discord.ui.TextInput[Any] = discord.ui.TextInput(
        label="Answer", custom_id="answer", max_length=20
    )

    async def on_submit(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message(f"you said {self.answer.value}", ephemeral=True)


class ToyBot(discord.Client):
    def __init__(self, database: Path | str) -> None:
        super().__init__(intents=discord.Intents(guilds=True), allowed_mentions=NOBODY)
        self.tree = app_commands.CommandTree(self)
        self.tree.add_command(commands)
        self.store = Store(database)
        self.wake = asyncio.Event()
        self.woken = 0
        self.background: set[asyncio.Task[None]] = set()

    async def setup_hook(self) -> None:
        await self.store.open()
        self.add_dynamic_items(Press)
        for counter, channel, message, count in await self.store.untold():
            await self.tell(counter, channel, message, count)
        self.spawn(self.waker())

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.background.add(task)
        task.add_done_callback(self.background.discard)

    async def waker(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self.wake.wait(), timeout=3600)
            except TimeoutError:
                self.woken += 1
            self.wake.clear()

    async def tell(self, counter: int, channel: int | None, message: int, count: int) -> None:
        place = self.get_partial_messageable(channel)
        await place.get_partial_message(message).edit(view=Board(counter, count))
        await self.store.told(counter, count)

    async def later(self, counter: int, channel: int, message: int, seconds: float) -> None:
        await asyncio.sleep(seconds)
        count = await self.store.press(counter, 0)
        if count is not None:
            await self.tell(counter, channel, message, count)

    async def close(self) -> None:
        for task in self.background:
            task.cancel()
        await self.store.close()
        await super().close()


commands = app_commands.Group(name="toy", description="A toy")
Interaction = discord.Interaction[Any]


async def _profiles(_: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=name, value=name) for name in PROFILES if name.startswith(typed)]


@commands.command(name="new", description="A counter")
@app_commands.autocomplete(profile=_profiles)
async def new(interaction: Interaction, profile: str = "classic", later: int = 0) -> None:
    bot: ToyBot = interaction.client
    await interaction.response.defer(ephemeral=True)
    counter = await bot.store.add(interaction.channel_id)
    message = await interaction.channel.send(view=Board(counter, 0))
    await bot.store.move(counter, message.id)
    if later:
        bot.spawn(bot.later(counter, message.channel.id, message.id, later))
    await interaction.edit_original_response(content=f"made counter {counter}, {profile}")


@commands.command(name="secret", description="For you alone")
async def secret(interaction: Interaction) -> None:
    await interaction.response.send_message(f"you hold {SECRET}", ephemeral=True)


@commands.command(name="pick", description="A select")
async def pick(interaction: Interaction) -> None:
    await interaction.response.send_message("choose", view=Pick(timeout=600), ephemeral=True)


@commands.command(name="ask", description="A modal")
async def ask(interaction: Interaction) -> None:
    await interaction.response.send_modal(Ask())


@commands.command(name="wrong", description="Does one thing that Discord or a player would not accept")
async def wrong(interaction: Interaction, how: str) -> None:
    channel: Any = interaction.channel
    if how == "silent":
        return
    if how == "late":
        await asyncio.sleep(4)
    if how == "thinking":
        await interaction.response.defer(ephemeral=True)
        return
    await interaction.response.send_message("here", ephemeral=True)
    if how == "twice":
        interaction.response._response_type = None
        await interaction.response.send_message("again", ephemeral=True)
    elif how == "old token":
        await asyncio.sleep(901)
        await interaction.followup.send("so late", ephemeral=True)
    elif how == "ephemeral by channel":
        message = await interaction.original_response()
        await channel.get_partial_message(message.id).edit(content="changed")
    elif how == "everyone":
        everyone = discord.AllowedMentions(everyone=True, users=False, roles=False, replied_user=False)
        await channel.send("@everyone", allowed_mentions=everyone)
    elif how == "schema":
        await channel.send(view=discord.ui.View().add_item(discord.ui.Button(label="x" * 81, custom_id="x")))
    elif how == "by hand":
        view = discord.ui.View()
        select: discord.ui.Select[Any] = discord.ui.Select(custom_id="one", max_values=3)
        select.add_option(label="a")
        await channel.send(view=view.add_item(select))
    elif how == "multipart":
        picture = discord.File(io.BytesIO(b"picture"), "board.png", description="x" * 1025)
        await channel.send(file=picture)
    elif how == "leak":
        await channel.send(f"she holds {SECRET}")
    elif how == "error":
        raise RuntimeError("as asked")
    elif how == "exit":
        raise SystemExit(3)


def create_bot(*, database: Path | str, **settings: Any) -> discord.Client:
    """The toy, with the signature of the real `bot.create_bot`."""
    return ToyBot(database)
