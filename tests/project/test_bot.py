"""Starting and stopping the bot: what it sends to Discord, and how it ends when it cannot run."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import aiohttp
import discord
import pytest

import bot
from canasta_core.tables.model import Person
from local.world import LiveEnv, build_world
from running import logs

ROOT = Path(__file__).resolve().parents[2]


def environment(folder: Path, **more: str) -> dict[str, str]:
    """That of a local page with a database of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CANASTA_")}
    return {
        **kept,
        "DISCORD_TOKEN": "",
        "CANASTA_LOCAL_DATABASE": str(folder / "local.db"),
        "CANASTA_LOCAL_PORT": "0",
        **more,
    }


def run(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "bot.py"],
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


async def test_building_the_bot_opens_nothing(tmp_path: Path) -> None:
    made = bot.create_bot(database=tmp_path / "new" / "canasta.db")
    assert list(tmp_path.iterdir()) == []
    assert made.intents == discord.Intents(guilds=True)
    assert made.allowed_mentions is not None
    assert made.allowed_mentions.to_dict() == discord.AllowedMentions.none().to_dict()


async def syncs(database: Path, *, always: bool = False, guild: int | None = None) -> list[str]:
    """Where one start of the bot sends its commands to."""
    made = bot.create_bot(database=database, guild=guild)
    made.always_sync = always
    env = LiveEnv(made)
    if guild is not None:
        env.create_guild(id=guild)
    await env.start()
    try:
        return [each.path for each in env.http_requests if each.method == "PUT" and "commands" in each.path]
    finally:
        await made.close()
        await env.shutdown()


async def test_commands_are_sent_when_they_have_changed_and_only_then(tmp_path: Path) -> None:
    database = tmp_path / "new" / "canasta.db"
    (first,) = await syncs(database)
    assert "/guilds/" not in first
    assert await syncs(database) == []
    assert await syncs(database, always=True) == [first]

    (to_one,) = await syncs(database, guild=1234567890)
    assert "/guilds/1234567890/" in to_one
    assert await syncs(database) == [first]

    database.with_name("canasta.db.commands").write_text("of another version", encoding="utf-8")
    assert await syncs(database) == [first]


async def test_a_record_of_the_commands_that_cannot_be_kept_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "c.db.commands").mkdir()
    assert len(await syncs(tmp_path / "c.db")) == 1
    assert len(await syncs(tmp_path / "c.db")) == 1


@pytest.mark.parametrize(
    "error",
    [
        discord.Forbidden(SimpleNamespace(status=403, reason="Forbidden"), {"code": 50001}),  # type: ignore[arg-type]
        aiohttp.ClientConnectionError("cut"),
        TimeoutError(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_commands_that_discord_does_not_take_are_sent_at_the_next_start(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise error

    database = tmp_path / "c.db"
    with monkeypatch.context() as patch:
        patch.setattr(discord.app_commands.CommandTree, "sync", refuse)
        assert await syncs(database) == [], "it starts all the same"
    assert "Discord did not take the commands" in caplog.text
    assert len(await syncs(database)) == 1
    assert await syncs(database) == []


async def test_a_new_simulated_discord_shows_the_games_that_go_on(tmp_path: Path) -> None:
    shown = []
    for start in (1, 2):
        made = bot.create_bot(database=tmp_path / "local.db", ai_delay=60)
        made.among_strangers = True
        world = build_world(made)
        try:
            await world.env.start()
            messages = world.env.backend.messages.get(world.channel.id, {})
            shown.append([str(message.components) for message in messages.values()])
            if start == 1:
                host = Person(world.people[0].id, "You")
                table = await made.service.create(world.channel.guild.id, world.channel.id, host, "classic")
                await made.service.begin(table.id, host)
                async with asyncio.timeout(10):
                    while await made._store.to_tell():  # what is left untold would be told anyway
                        await asyncio.sleep(0.05)
        finally:
            await made.close()
            await world.env.shutdown()
    assert shown[0] == []
    assert "Stock" in shown[1][0]


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (discord.LoginFailure("Improper token has been passed."), 2, "Discord does not accept DISCORD_TOKEN"),
        (discord.PrivilegedIntentsRequired(None), 1, "Discord refuses the intents"),
        (aiohttp.ClientConnectionError("no route to host"), 1, "Discord cannot be reached: no route to host"),
        (TimeoutError(), 1, "Discord cannot be reached"),
        (discord.GatewayNotFound(), 1, "Discord refuses to work"),
    ],
)
def test_what_discord_refuses_is_one_sentence(
    error: Exception,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(discord.Client, "login", refuse)
    monkeypatch.setattr(logs, "set_up", lambda *_: None)
    for name in [name for name in os.environ if name.startswith("CANASTA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DISCORD_TOKEN", "a.b.c")
    monkeypatch.setenv("CANASTA_DATABASE", str(tmp_path / "canasta.db"))
    assert bot.main([]) == code
    output = capsys.readouterr()
    assert output.err.startswith(said)
    assert output.err.count("\n") == 1
    assert "a.b.c" not in output.err


def test_the_local_page_starts_and_stops(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "bot.py")]
    with subprocess.Popen(
        command, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as page:
        assert page.stdout is not None
        assert page.stderr is not None
        assert "page on this machine" in page.stdout.readline()
        assert page.stdout.readline().startswith("http://127.0.0.1:")
        page.send_signal(signal.SIGTERM)
        assert page.wait(timeout=20) == 0
        assert "Traceback" not in page.stderr.read()
    assert (tmp_path / "local.db").exists()
    assert not (tmp_path / "local.db-wal").exists(), "the database was not closed"


def test_a_taken_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = run(tmp_path, CANASTA_LOCAL_PORT=str(taken.getsockname()[1]), CANASTA_LOG_LEVEL="WARNING")
    assert result.returncode == 2
    assert result.stderr.startswith("Port ")
    assert result.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    database = str(tmp_path / "taken" / "local.db")
    result = run(tmp_path, CANASTA_LOCAL_DATABASE=database, CANASTA_LOG_LEVEL="WARNING")
    assert result.returncode == 1
    assert result.stderr.startswith(f"The database {database} cannot be opened")
    assert result.stderr.count("\n") == 1


async def test_a_second_signal_while_closing_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store's threads would keep the process alive for ever."""
    made = bot.create_bot(database=tmp_path / "c.db")
    await made._store.open()
    closing = asyncio.Event()

    async def slow() -> None:
        closing.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(made.service, "close", slow)
    task = asyncio.create_task(made.close())
    await closing.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    opened = made._store._database._writer is not None
    await made._store.close()
    assert not opened
    assert made.is_closed()


def test_a_database_of_something_else_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "local.db").write_bytes(b"These are not the tables you are looking for. " * 100)
    result = run(tmp_path, CANASTA_LOG_LEVEL="WARNING")
    assert result.returncode == 1
    assert result.stderr.startswith(f"The database {tmp_path / 'local.db'} is damaged")
    assert result.stderr.count("\n") == 1
