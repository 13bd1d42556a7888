"""Running for a year: one process a file, an orderly end, logs without secrets, a sign of life."""

import asyncio
import io
import json
import logging
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import bot
from canasta_core.ai import policy
from canasta_core.cards import write_cards
from canasta_core.codec import encode_state
from canasta_core.legality import who_acts
from canasta_core.state import Phase
from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.model import Person, Stage
from data.lock import lock_path
from data.sqlite_store import SqliteStore
from running import health, logs
from running.health import Health
from running.stop import within
from tests.cogs.players import by_slash, open_table, table_of, who_of
from tests.discord.harness import playing
from tests.project.test_bot import environment, run

ROOT = Path(__file__).resolve().parents[2]


# One process a file


@contextmanager
def holding(database: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has the file open until it is ended."""
    code = (
        "import asyncio, sys\n"
        "from data.sqlite_store import SqliteStore\n"
        "async def main():\n"
        "    store = SqliteStore(sys.argv[1])\n"
        "    await store.open()\n"
        "    print('open', flush=True)\n"
        "    await asyncio.sleep(3600)\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", code, str(database)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_process_says_so_and_ends(tmp_path: Path) -> None:
    with holding(tmp_path / "local.db") as first:
        (tmp_path / "local.db.health").write_text("of the first")
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        second = run(tmp_path, CANASTA_LOG_LEVEL="WARNING")
        assert second.returncode == bot.EXIT_IN_USE == 3
        sentence = f"The database {tmp_path / 'local.db'} is already in use by another process of this bot"
        assert second.stderr.startswith(f"{sentence} (process {first.pid} on ")
        assert second.stderr.count("\n") == 1
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
        assert first.poll() is None


async def test_a_killed_process_frees_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    store = SqliteStore(path)
    with holding(path) as first:
        (tmp_path / "link.db").symlink_to(path)
        for name in (path, tmp_path / "link.db"):
            with pytest.raises(StoreError) as caught:
                await SqliteStore(name).open()
            assert caught.value.code is StoreCode.IN_USE
            assert str(caught.value.facts["holder"]).startswith(f"{first.pid} on ")
        first.send_signal(signal.SIGKILL)
        first.wait()
    await store.open()
    assert lock_path(path).read_text().strip().startswith(f"{os.getpid()} on ")
    await store.close()


async def test_the_file_is_free_again_after_an_orderly_end(tmp_path: Path) -> None:
    for _ in range(2):
        store = SqliteStore(tmp_path / "c.db")
        await store.open()
        await store.close()
        with holding(tmp_path / "c.db"):
            pass


async def test_a_start_that_fails_frees_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    path.write_bytes(b"\xaa" * 8192)
    with pytest.raises(StoreError):
        await SqliteStore(path).open()
    path.unlink()
    with holding(path):
        pass


async def test_a_lock_that_may_not_be_made_is_said(tmp_path: Path) -> None:
    lock_path(tmp_path / "c.db").mkdir()
    with pytest.raises(StoreError) as caught:
        await SqliteStore(tmp_path / "c.db").open()
    assert caught.value.code is StoreCode.UNAVAILABLE
    assert "c.db.lock" in caught.value.detail


# An orderly end


def stored(database: Path) -> int:
    """The version of the one table, from what is on disk."""
    with closing(sqlite3.connect(database)) as db:
        return int(db.execute("SELECT version FROM tables").fetchone()[0])


def end(folder: Path, how: str, *signals: signal.Signals) -> tuple[int, float, list[int], str]:
    """Play, send the signals in the middle; exit code, seconds to the end, moves acknowledged, log."""
    command = [sys.executable, "-m", "tests.project.stopping", str(folder / "c.db"), how]
    moves: list[int] = []
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT) as process,
    ):
        assert process.stdout is not None
        try:
            while len(moves) < (2 if how == "commit" else 25):
                what, _, number = process.stdout.readline().partition(" ")
                assert what in ("playing", "move"), what + number + (folder / "log").read_text()
                if what == "move":
                    moves.append(int(number))
            assert (folder / "health").exists()
            start = time.monotonic()
            for each in signals:
                process.send_signal(each)
                time.sleep(0.3)
            code = process.wait(timeout=30)
            seconds = time.monotonic() - start
        finally:
            process.kill()
        rest = [line.split() for line in process.stdout]
    moves += [int(words[1]) for words in rest if words[0] == "move"]
    return code, seconds, moves, (folder / "log").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(tmp_path: Path, number: signal.Signals) -> None:
    code, seconds, moves, log = end(tmp_path, "nothing", number)
    assert (code, seconds < 5) == (0, True)
    assert stored(tmp_path / "c.db") - moves[-1] in (0, 1), "at most the answer to the last one was cut off"
    assert f"{number.name}: running moves are finished" in log
    assert "Traceback" not in log
    assert not (tmp_path / "health").exists()
    assert not (tmp_path / "c.db-wal").exists(), "the database was not closed"


def test_a_running_move_is_finished_and_answered(tmp_path: Path) -> None:
    """Each commit takes a second here. Moves go on while answers are waited for, and the last is whole."""
    code, seconds, moves, _ = end(tmp_path, "commit", signal.SIGTERM)
    assert code == 0
    assert seconds < 10
    assert len(moves) > 2
    assert stored(tmp_path / "c.db") - moves[-1] in (0, 1)


@pytest.mark.parametrize("how", ["answer", "chore"])
def test_whatever_hangs_it_ends_in_time(tmp_path: Path, how: str) -> None:
    code, seconds, moves, log = end(tmp_path, how, signal.SIGTERM)
    assert seconds < 10
    assert code == (0 if how == "answer" else 4), log
    assert "did not end within" in log
    assert stored(tmp_path / "c.db") - moves[-1] in (0, 1)


async def test_what_answers_people_is_known_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end waits for these tasks; discord.py names them."""
    named: list[str] = []
    async with playing(tmp_path / "c.db", members=2) as game:
        join = game.bot.service.join

        async def joined(*arguments: object, **more: object) -> object:
            task = asyncio.current_task()
            assert task is not None
            named.append(task.get_name())
            return await join(*arguments, **more)

        monkeypatch.setattr(game.bot.service, "join", joined)
        await game.slash(0, "canasta new", profile="classic")
        await game.slash(1, "canasta join")
        await game.slash(1, "canasta leave")
        await game.click(1, label="Join")
    assert len(named) == 2
    assert all(name.startswith(bot.ANSWERING) for name in named), named


def test_a_thread_that_hangs_is_cut_off(tmp_path: Path) -> None:
    code, seconds, moves, log = end(tmp_path, "end", signal.SIGTERM)
    assert code == 4
    assert seconds < 10
    assert "is cut off" in log
    assert stored(tmp_path / "c.db") - moves[-1] in (0, 1)


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    code, seconds, moves, _ = end(tmp_path, "answer", signal.SIGTERM, signal.SIGTERM)
    assert code == -signal.SIGTERM
    assert seconds < 2
    assert stored(tmp_path / "c.db") - moves[-1] in (0, 1)


# Logs

BOT_TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4OQ.GhIjKl.abcdefghijklmnopqrstuvwxyz0123456789ABCD"
CLICK_TOKEN = "aW50ZXJhY3Rpb246MTIzNDU2Nzg5MDEyMzQ1Njc4OTpzZWNyZXQ"


@contextmanager
def logging_to(form: str, *secrets: str) -> Iterator[io.StringIO]:
    """All that is logged, formatted; the handlers are put back afterwards."""
    stream, root = io.StringIO(), logging.getLogger()
    before = (list(root.handlers), root.level)
    root.handlers.clear()
    try:
        logs.set_up(logging.DEBUG, form, secrets, stream)
        yield stream
    finally:
        logging.captureWarnings(False)
        root.handlers[:], level = before
        root.setLevel(level)
        for name in ("aiosqlite", "discord", "filelock"):
            logging.getLogger(name).setLevel(logging.NOTSET)


def raised(message: str) -> ValueError:
    """An error with a traceback."""
    with pytest.raises(ValueError, match=message[:1]) as caught:
        raise ValueError(message)
    return caught.value


@pytest.mark.parametrize("form", logs.FORMATS)
def test_no_token_and_no_card_in_messages_or_tracebacks(form: str) -> None:
    url = f"https://discord.com/api/v10/webhooks/123456789012345678/{CLICK_TOKEN}/messages/@original"
    log = logging.getLogger("tried")
    with logging_to(form, "hunter2-is-the-token") as said:
        log.warning("We are being rate limited. PATCH %s responded with 429. Retrying in 0.5 seconds.", url)
        log.error("POST /interactions/123456789012345678/odd.token_of-a.click/callback?wait=true")
        log.error("Authorization: Bot %s, and hunter2-is-the-token", BOT_TOKEN)
        log.error("a hand: %s", "KS 2D JK 10H")
        log.error("shown as 10♥ K♠ JK, also 10♥\ufe0f")
        log.error("what was tried", exc_info=raised(f"{url} KS 2D {BOT_TOKEN}"))
    text = said.getvalue()
    for secret in (CLICK_TOKEN, "odd.token", BOT_TOKEN, "hunter2", "KS", "2D", "♥", "♠", "JK"):
        assert secret not in text, secret
    assert "responded with 429. Retrying in 0.5 seconds." in text
    assert "/callback?wait=true" in text
    assert text.count("Traceback") == 1


def test_a_line_is_one_object_with_what_it_is_about() -> None:
    log = logging.getLogger("canasta.tried")
    with logging_to("json") as said:
        log.info("telling of table %s waits\nlong", 12)
        log.info("guild 900000000000000001: no place for table 7")
        log.error("given up", exc_info=raised("no"))
    first, second, third = map(json.loads, said.getvalue().splitlines())
    assert list(first) == ["time", "level", "logger", "message", "table"]
    assert (first["level"], first["logger"], first["table"]) == ("INFO", "canasta.tried", 12)
    assert first["message"] == "telling of table 12 waits\nlong"
    assert (second["table"], second["guild"]) == (7, 900000000000000001)
    assert third["exception"].startswith("Traceback")
    assert first["time"].endswith("+00:00")


async def test_a_whole_game_at_debug_level_shows_no_card_and_no_token(tmp_path: Path) -> None:
    rng, player = random.Random("logs"), policy("medium")
    form = logging.Formatter()
    with logging_to("json") as said:
        raw = io.StringIO()
        unfiltered = logging.StreamHandler(raw)
        unfiltered.setFormatter(form)
        logging.getLogger().addHandler(unfiltered)
        async with playing(tmp_path / "c.db", members=2, next_round=1.0) as game:
            await open_table(game, 2, profile="browser", seats=2)
            for number in range(3000):
                table = await table_of(game)
                assert table.state is not None
                if table.stage is Stage.ENDED:
                    break
                if table.state.public.phase is Phase.ROUND_OVER:
                    await game.advance(2)
                    continue
                seat = who_acts(table.state.public)[0]
                who = who_of(game, table, seat)
                action = player.choose(table.view(seat), rng)
                if number % 20:
                    await game.bot.service.act(table.id, game.members[who].id, action)
                    continue
                hand = write_cards(table.state.hands[seat].cards)
                # What is refused is logged where its caller does not wait for it.
                act = game.bot.service.act(table.id, game.members[who].id, f"discard {hand}")
                caller = asyncio.create_task(act)
                await asyncio.sleep(0)
                caller.cancel()
                await asyncio.gather(caller, return_exceptions=True)
                command, options = by_slash(table.rules, action)
                await game.slash(who, command, **options)
        assert table.stage is Stage.ENDED
        state = encode_state(table.state)
    # Even before anything is struck out of them, the bot's own lines name no card.
    for text in (said.getvalue(), raw.getvalue()):
        assert text.count("a change was not made") > 10, "there was something to log"
        assert not logs._CARD.search(text), logs._CARD.search(text)
        assert "aW50ZXJhY3Rpb24" not in text
        assert '"hands"' not in text
    assert "[card]" not in said.getvalue()
    # The search sees: the same state as it is stored is full of cards.
    assert len(logs._CARD.findall(state)) > 50


# The sign of life


def sign(**changed: object) -> Health:
    now = time.time()
    kept = {
        "at": now,
        "pid": 5,
        "version": "1",
        "connected": True,
        "since": now,
        "last_commit": None,
        "trouble": "",
        "playing": 1,
        "untold": 2,
    }
    return Health(**{**kept, **changed})  # type: ignore[arg-type]


def check(file: Path) -> tuple[int, str]:
    result = subprocess.run(
        [sys.executable, ROOT / "scripts" / "health.py", file], capture_output=True, text=True, check=False
    )
    assert result.stderr == ""
    return result.returncode, result.stdout


def test_a_sign_of_life_is_judged_by_its_age_and_content(tmp_path: Path) -> None:
    now, file = time.time(), tmp_path / "c.db.health"
    assert check(file) == (1, f"There is no {file}: the bot does not run, or has not begun yet.\n")
    for changed, said in (
        ({}, ""),
        ({"connected": False, "since": now - 60}, ""),
        ({"connected": False, "since": now - 400}, "no connection to Discord for 400 s"),
        ({"at": now - 200}, "sign of life is 200 s old (process 5)"),
        ({"trouble": "full: database or disk is full"}, "database does not work: full"),
    ):
        health.write(file, sign(**changed))
        assert health.read(file) == sign(**{**vars_of(health.read(file)), **changed})
        assert bool(health.problems(health.read(file), now)) is bool(said)
        assert said in " ".join(health.problems(health.read(file), now))
    health.write(file, sign())
    code, text = check(file)
    assert code == 0
    assert "1 tables playing, 2 notices untold" in text
    health.write(file, sign(at=now - 200))
    assert check(file)[0] == 1
    file.write_text('{"at": 1}')
    code, text = check(file)
    assert code == 1
    assert "cannot be read" in text


def vars_of(one: Health) -> dict[str, object]:
    return {name: getattr(one, name) for name in Health.__slots__}


async def test_the_bot_writes_how_it_is_and_takes_it_away(tmp_path: Path) -> None:
    file = tmp_path / "run" / "health"
    file.parent.mkdir()
    ann = Person(7, "Ann")
    async with playing(tmp_path / "c.db", members=1, ai_delay=3600.0, health_file=file, keep_days=30) as game:
        first = health.read(file)
        assert (first.pid, first.version, first.playing) == (os.getpid(), bot.settings.version(), 0)
        table = await game.bot.service.create(game.guild.id, game.channel.id, ann, "classic")
        await game.bot.service.begin(table.id, ann)
        await game.advance(31)
        later = health.read(file)
        assert later.connected
        assert (later.playing, later.trouble) == (1, "")
        assert later.last_commit is not None
        assert health.problems(later, later.at) == []
        assert [path.name for path in file.parent.iterdir()] == ["health"]
    assert not file.exists()


async def test_a_sign_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1, health_file=tmp_path / "no" / "health") as game:
        await game.slash(0, "canasta new", profile="classic")
        await game.advance(100)
        assert len(await game.bot.service.tables_in(game.guild.id)) == 1


def test_what_the_page_starts_has_a_sign_of_life(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "bot.py")]
    given = environment(tmp_path, CANASTA_LOG_FORMAT="json")
    with subprocess.Popen(
        command, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as page:
        assert page.stdout is not None
        assert page.stderr is not None
        page.stdout.readline()
        page.stdout.readline()
        file = tmp_path / "local.db.health"
        end_of_patience = time.monotonic() + 10
        while not file.exists() and time.monotonic() < end_of_patience:
            time.sleep(0.05)
        result = subprocess.run(
            [sys.executable, ROOT / "scripts" / "health.py"],
            env=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout
        page.send_signal(signal.SIGTERM)
        assert page.wait(timeout=20) == 0
        for line in page.stderr:
            assert json.loads(line)["level"] in ("INFO", "WARNING"), line
    assert not file.exists()


async def test_one_process_may_open_the_file_again(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        for _ in range(2):
            await game.restart()
            await game.slash(0, "canasta new", profile="classic")
    with holding(tmp_path / "c.db"):
        pass


async def test_a_step_of_the_end_that_is_given_up_is_not_in_the_way_of_the_next(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def given_up() -> None:
        raise asyncio.CancelledError

    assert not await within(1.0, "a step", given_up)
    assert "a step was given up" in caplog.text
