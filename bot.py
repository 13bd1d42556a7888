"""Starts the bot: on Discord with a token, on a page on this machine without one.

This is the one place where the parts are put together: the settings, the store, the tables and the cogs. So
it is, with `local`, the one module outside `cogs` that knows discord.py.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import logging
import os
import sys
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import discord
from discord import app_commands

import cogs
import settings
from canasta_core.tables.clock import SystemClock
from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.model import Notice, NoticeKind
from canasta_core.tables.ports import Teller
from canasta_core.tables.service import TableService
from data.archive import Archiver
from data.sqlite_store import SqliteStore
from data.vitals import look
from ratings import OpenSkill
from running import health, logs, memory
from running.health import Health
from running.stop import run_until_stopped, within
from settings import AI_DELAY, NEXT_ROUND, SettingError, Settings

log = logging.getLogger("canasta")

EXIT_FAILED = 1
"""Something outside this installation is in the way: the network, the disk, Discord."""
EXIT_SETTING = 2
"""A setting is wrong; the sentence on stderr says which."""
EXIT_IN_USE = 3
"""Another process works with the same database file."""

ANSWERING = ("CommandTree-invoker", "discord-ui-", "discord.py: on_interaction")
"""How the names of discord.py's tasks begin that answer somebody."""
FOR_ANSWERS, FOR_TABLES, FOR_STORE, FOR_DISCORD = 3.5, 2.5, 1.0, 0.5
"""Seconds for each step of an orderly end."""


class StartError(Exception):
    """The bot cannot run; the message is one sentence for the person who started it, `code` the exit code."""

    def __init__(self, message: str, code: int = EXIT_FAILED) -> None:
        super().__init__(message)
        self.code = code


class DiscordClock(SystemClock):
    """The time that discord.py goes by, which a simulated Discord can put forward."""

    def now(self) -> float:
        return discord.utils.utcnow().timestamp()


class CanastaBot(discord.Client):
    """The bot as Discord sees it. `create_bot` builds one; nothing is opened before it logs in."""

    def __init__(
        self,
        *,
        database: Path,
        ai_delay: float,
        next_round: float,
        guild: int | None,
        health_file: Path | None = None,
        keep_days: int | None = None,
    ) -> None:
        # Slash commands, buttons and the server's channels: no privileged intent, no message content.
        super().__init__(
            intents=discord.Intents(guilds=True), allowed_mentions=discord.AllowedMentions.none()
        )
        self.tree = app_commands.CommandTree(self)
        self.always_sync = False
        """Send the commands to Discord at the next start even if they have not changed."""
        self.among_strangers = False
        """The Discord it meets is a new one, without the messages that the database remembers."""
        self._database = database
        self._guild = None if guild is None else discord.Object(guild)
        self._store = SqliteStore(database)
        clock = DiscordClock()
        self.service = TableService(
            self._store, clock=clock, rater=OpenSkill(), ai_delay=ai_delay, next_round=next_round
        )
        self._health_file = health_file
        self._connected = False
        self._connection_changed = time.time()
        self._archiver = None if keep_days is None else Archiver(self._store.database, clock, keep_days)
        self._chores: list[asyncio.Task[None]] = []

    async def setup_hook(self) -> None:
        """Open what the bot works with, when Discord has accepted it and before the first event comes in."""
        try:
            self._database.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(StoreCode.UNAVAILABLE, f"its folder: {error.strerror}") from error
        await self._store.open()
        if self._health_file is not None:
            self._start(health.keep_writing(self._health_file, self._health), "sign of life")
        await cogs.setup(self, self.service)
        await self._sync_commands()
        teller = cogs.DiscordTeller(self, self.service)
        if self.among_strangers:
            await self._post_boards(teller)
        await self.service.start(teller)
        if self._archiver is not None:
            self._start(self._archiver.run(), "packing of old logs")

    async def stop(self) -> None:
        """End in order, but within eight seconds whatever hangs: for the process that ends with it.

        Moves that run are finished and answered first. The gateway is not read any more by then, so that no
        new ones come.
        """
        await within(FOR_ANSWERS, "the answer to a move", self._answer_all)
        await within(FOR_TABLES, "a move or a notice", self.service.close)
        await within(FOR_STORE, "the database", self._end_store)
        await within(FOR_DISCORD, "the connection to Discord", super().close)

    async def _answer_all(self) -> None:
        while answering := [task for task in asyncio.all_tasks() if task.get_name().startswith(ANSWERING)]:
            await asyncio.wait(answering)

    async def close(self) -> None:
        """End the tables' tasks and the store, then the connection to Discord."""
        if self.is_closed():
            return
        try:
            await self.service.close()
        finally:
            # Also when somebody loses patience meanwhile: a store left open would keep the process alive.
            try:
                await self._end_store()
            finally:
                await super().close()

    async def _end_store(self) -> None:
        for chore in self._chores:
            chore.cancel()
        await asyncio.gather(*self._chores, return_exceptions=True)
        await self._store.close()

    def _start(self, chore: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(chore, name=name)
        task.add_done_callback(_log_failure)
        self._chores.append(task)

    async def on_connect(self) -> None:
        self._note_connection(True)

    async def on_resumed(self) -> None:
        self._note_connection(True)

    async def on_disconnect(self) -> None:
        self._note_connection(False)

    def _note_connection(self, connected: bool) -> None:
        if connected is not self._connected:
            self._connected, self._connection_changed = connected, time.time()

    async def _health(self) -> Health:
        vitals = await look(self._store.database)
        return Health(
            at=time.time(),
            pid=os.getpid(),
            version=settings.version(),
            connected=self._connected,
            since=self._connection_changed,
            last_commit=vitals.last_commit,
            trouble=vitals.trouble,
            playing=vitals.playing,
            untold=vitals.untold,
        )

    async def _post_boards(self, teller: Teller) -> None:
        """Show every running game, before anything is told of it."""
        for table in await self.service.playing():
            await teller.tell(table, Notice(0, table.id, table.version, NoticeKind.BOARD, {}), ())

    async def _sync_commands(self) -> None:
        """Send the commands to Discord if they are not those sent last, or `always_sync` says so.

        What was sent last is remembered beside the database, as a hash. Syncing is rate-limited by Discord,
        so it is not for every start. Where it fails, the bot works with what Discord has.
        """
        if self._guild is not None:
            self.tree.copy_global_to(guild=self._guild)
        commands = sorted(
            self.tree.get_commands(guild=self._guild),
            key=lambda command: (command.name, type(command).__name__),
        )
        described: list[Any] = [self.application_id, self._guild and self._guild.id]
        described += [command.to_dict(self.tree) for command in commands]
        digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
        record = self._database.with_name(f"{self._database.name}.commands")
        if not self.always_sync and await asyncio.to_thread(_read, record) == digest:
            return
        try:
            await self.tree.sync(guild=self._guild)
        except (discord.HTTPException, aiohttp.ClientError, TimeoutError, OSError):
            # The games go on with the commands that Discord has: it may well be that nothing else is wrong.
            log.exception("Discord did not take the commands; the next start sends them again")
            return
        try:
            await asyncio.to_thread(record.write_text, digest, "utf-8")
        except OSError as error:
            log.warning("%s cannot be written, so the next start sends the commands again: %s", record, error)
        log.info("Sent %d commands to Discord.", len(commands))


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("%s has stopped", task.get_name(), exc_info=error)


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return None


def create_bot(
    *,
    database: str | Path,
    ai_delay: float = AI_DELAY,
    next_round: float = NEXT_ROUND,
    guild: int | None = None,
    health_file: Path | None = None,
    keep_days: int | None = None,
) -> CanastaBot:
    """Build the bot without connecting it; tests and tools start here too.

    `database` is its file, made with its folder when there is none. `ai_delay` and `next_round` are seconds,
    as in `Settings`; with `guild` only that server gets the commands. Without `health_file` there is no sign
    of life, without `keep_days` no log is packed.
    """
    return CanastaBot(
        database=Path(database),
        ai_delay=ai_delay,
        next_round=next_round,
        guild=guild,
        health_file=health_file,
        keep_days=keep_days,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bot until it is stopped; return the exit code."""
    parser = argparse.ArgumentParser(prog="bot.py", description="A Discord bot to play Canasta.")
    parser.add_argument(
        "--sync", action="store_true", help="send the commands to Discord even if they have not changed"
    )
    options = parser.parse_args(arguments)
    try:
        chosen = settings.load()
        # This bot has no voice; what voice would need is nothing to warn of.
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        logs.set_up(getattr(logging, chosen.log_level), chosen.log_format, [chosen.token or ""])
        if chosen.token is None:
            asyncio.run(run_until_stopped(_run_locally(chosen)))
        else:
            asyncio.run(run_until_stopped(_run_on_discord(chosen, chosen.token, sync=options.sync)))
    except SettingError as error:
        print(error, file=sys.stderr)
        return EXIT_SETTING
    except StartError as error:
        print(error, file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        log.info("Stopped.")  # on Windows: elsewhere the signal has been dealt with
    except Exception:
        # Logged, not left to the interpreter, whose traceback would go past the format and its redaction.
        log.exception("the bot has failed")
        return EXIT_FAILED
    return 0


async def _run_on_discord(chosen: Settings, token: str, *, sync: bool) -> None:
    bot = _create(chosen, chosen.database)
    bot.always_sync = sync
    try:
        try:
            await bot.start(token)
        finally:
            await bot.stop()
    except discord.LoginFailure:
        raise StartError(
            "Discord does not accept DISCORD_TOKEN; copy it anew from the developer portal.", 2
        ) from None
    except discord.PrivilegedIntentsRequired:
        raise StartError(
            "Discord refuses the intents of this bot; it should need no privileged one."
        ) from None
    except (aiohttp.ClientConnectionError, TimeoutError) as error:
        raise StartError(f"Discord cannot be reached: {error}.") from None
    except (discord.HTTPException, discord.GatewayNotFound, discord.ConnectionClosed) as error:
        raise StartError(f"Discord refuses to work: {error}.") from None
    except StoreError as error:
        raise _store_failed(error, chosen.database) from None


async def _run_locally(chosen: Settings) -> None:
    try:
        import local
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "simcord":
            raise
        raise StartError(
            "There is no DISCORD_TOKEN, and the local page is not installed"
            " (pip install -r requirements-local.txt).",
            EXIT_SETTING,
        ) from None

    def announce(address: str) -> None:
        print("There is no DISCORD_TOKEN, so the bot runs on a page on this machine:", flush=True)
        print(address, flush=True)

    bot = _create(chosen, chosen.local_database)
    bot.always_sync = bot.among_strangers = True  # each simulated Discord is a new one
    try:
        await local.serve(bot, port=chosen.local_port, announce=announce)
    except local.PageError as error:
        raise StartError(str(error), EXIT_SETTING) from None
    except StoreError as error:
        raise _store_failed(error, chosen.local_database) from None


def _create(chosen: Settings, database: Path) -> CanastaBot:
    return create_bot(
        database=database,
        ai_delay=chosen.ai_delay,
        next_round=chosen.next_round,
        guild=chosen.guild,
        health_file=chosen.health or health.health_path(database),
        keep_days=chosen.keep_days,
    )


def _store_failed(error: StoreError, database: Path) -> StartError:
    said = {
        StoreCode.IN_USE: "is already in use by another process of this bot",
        StoreCode.NEWER_SCHEMA: "was written by a newer version of this program",
        StoreCode.NOT_OURS: "belongs to another program",
        StoreCode.DAMAGED: "is damaged",
        StoreCode.READ_ONLY: "may not be written",
        StoreCode.LOCKED: "is held by another program",
        StoreCode.FULL: "has no room left on its disk",
        StoreCode.UNAVAILABLE: "cannot be opened",
    }.get(error.code, "does not work")
    code = EXIT_IN_USE if error.code is StoreCode.IN_USE else EXIT_FAILED
    return StartError(f"The database {database} {said} ({error.detail}).", code)


if __name__ == "__main__":
    memory.look_seldom()
    sys.exit(main())
