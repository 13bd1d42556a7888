"""Ends a running bot by SIGKILL, at an exact point, and starts it again in the same Discord on the same
database.

    with Child(tmp_path, factory="bot:create_bot") as child:
        child.slash(0, "canasta new", profile="classic")
        with child.killed("data.sqlite_store:SqliteStore.commit", "after"):
            child.click(1, label="Join")
        child.start()                      # a new process, on what database and Discord were at that moment
        child.click(1, label="Leave")      # messages and old buttons are still there

The process holds bot and simulated Discord together (child.py). At the point of death Discord is written to a
file (world.py), so that a message which was sent exists after the kill, one which was not does not. A
kill point is a function of the bot ("package.module:Class.method", replaced on its owner, so calls through
names imported elsewhere are not seen) or a request ("POST /channels/*/messages"; "before": Discord never gets
it, "after": the bot never hears the answer).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

_ROOT = Path(__file__).resolve().parents[2]


class Killed(Exception):
    """The process has died by SIGKILL while it did what it was told."""


class Child:
    """A bot in a process of its own. Its verbs are those of `harness.Game`, with plain data in and out."""

    def __init__(
        self,
        directory: Path,
        *,
        factory: str = "bot:create_bot",
        members: int = 4,
        patience: float = 60.0,
        every_step: bool = False,
        **settings: Any,
    ) -> None:
        """`directory` holds the database (bot.db), Discord, and the log; `patience`: seconds per verb.

        `every_step`: keep Discord after each request, not only at kill points. It makes long games slow, and
        is needed for `shot_after` alone.
        """
        self.directory = directory
        self._config = {
            "directory": str(directory),
            "factory": factory,
            "members": members,
            "every_step": every_step,
            "settings": settings,
        }
        self._patience = patience
        self._process: subprocess.Popen[str] | None = None
        self.members: list[int] = []
        """The user ids of the people."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._process is None:
            return
        if kind is not None:
            self._reap(kill=True)
        else:
            self.stop()

    @property
    def database(self) -> Path:
        """The bot's database file."""
        return self.directory / "bot.db"

    def start(self, *kill_points: tuple[str, str] | tuple[str, str, int]) -> None:
        """Start the process (again). Kill points (at, when, call) may lie in the bot's own start.

        Raises `Killed` when one does.
        """
        if self._process is not None:
            raise RuntimeError("the process is running")
        points = [{"at": at, "when": when, "call": call[0] if call else 1} for at, when, *call in kill_points]
        config = json.dumps({**self._config, "kill_points": points})
        with (self.directory / "child.log").open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.discord.child", config],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=_ROOT,
                start_new_session=True,
            )
        self.members = self._answer()

    def stop(self) -> None:
        """End the process in order. Raises AssertionError when the bot had errors or left something open."""
        process = self._running()
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write('{"do": "quit"}\n')
            process.stdin.flush()
        watch = threading.Timer(self._patience, process.kill)
        watch.start()
        code = process.wait()
        watch.cancel()
        self._reap()
        if code != 0:
            raise AssertionError(f"the process ended with {code}\n{self._log()}")

    def kill(self) -> None:
        """SIGKILL, while the bot is idle."""
        with contextlib.suppress(Killed):
            self.do("die")

    @contextlib.contextmanager
    def shot_after(self, seconds: float) -> Iterator[None]:
        """SIGKILL from outside, so many real seconds into what is done inside, wherever the bot is."""
        if not self._config["every_step"]:
            raise RuntimeError("Discord would be lost: Child(every_step=True)")
        shot = threading.Timer(seconds, self._running().kill)
        shot.start()
        try:
            yield
        except Killed:
            return
        finally:
            shot.cancel()
        raise AssertionError(f"all was done within {seconds} seconds")

    @contextlib.contextmanager
    def killed(self, at: str, when: str, call: int = 1) -> Iterator[None]:
        """What is done inside must end in death `when` ("before" or "after") the `call`-th call of `at`."""
        self.do("arm", at=at, when=when, call=call)
        try:
            yield
        except Killed:
            return
        raise AssertionError(f"{at} was not reached {call} times")

    def do(self, what: str, /, **details: Any) -> Any:
        """Send one order and wait for its answer.

        Raises `Killed`; AssertionError when the order failed, a request was wrong or the bot raised.
        """
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps({"do": what, **details}) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer says why
        return self._answer()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            raise RuntimeError("the process is not running; start() it")
        return self._process

    def _answer(self) -> Any:
        process = self._running()
        assert process.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        watch = threading.Timer(self._patience, give_up)
        watch.start()
        line = process.stdout.readline()
        watch.cancel()
        if not line:
            code = process.wait()
            self._reap()
            if code == -signal.SIGKILL and not late.is_set():
                raise Killed
            raise AssertionError(
                f"{'no answer in time' if late.is_set() else f'ended with {code}'}\n{self._log()}"
            )
        answer = json.loads(line)
        if wrong := [*answer["failures"], *answer["errors"]]:
            raise AssertionError("\n".join(wrong))
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["ok"]

    def _reap(self, *, kill: bool = False) -> None:
        """Forget the process, and end what it has left behind (workers of a process pool outlive SIGKILL)."""
        process = self._running()
        if kill:
            process.kill()
        process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(BrokenPipeError):
                assert pipe is not None
                pipe.close()
        self._process = None

    def _log(self) -> str:
        return (self.directory / "child.log").read_text(encoding="utf-8")[-4000:]

    # what people do and see

    def slash(self, who: int, name: str, /, **options: Any) -> Any:
        """Use a command; its answer."""
        return self.do("slash", who=who, name=name, options=options)

    def autocomplete(self, who: int, name: str, option: str, typed: str, /, **filled: Any) -> Any:
        """Type into an option; the choices."""
        return self.do("autocomplete", who=who, name=name, option=option, typed=typed, filled=filled)

    def click(
        self, who: int, *, label: str | None = None, custom_id: str | None = None, message: int | None = None
    ) -> Any:
        """Press a button, `message` being an id; the answer."""
        return self.do("click", who=who, label=label, custom_id=custom_id, message=message)

    def select(
        self, who: int, *, values: Sequence[str], custom_id: str = "", message: int | None = None
    ) -> Any:
        """Choose in a select; the answer."""
        return self.do("select", who=who, values=list(values), custom_id=custom_id, message=message)

    def press(self, who: int, message: int, custom_id: str, values: Sequence[str] | None = None) -> Any:
        """Send a click that the message may not offer any more; the answer."""
        chosen = None if values is None else list(values)
        return self.do("press", who=who, message=message, custom_id=custom_id, values=chosen)

    def submit(self, who: int, **values: str) -> Any:
        """Fill in the modal shown last; the answer."""
        return self.do("submit", who=who, values=values)

    def at_once(self, verbs: Sequence[dict[str, Any]]) -> Any:
        """Several verbs at the same instant: `[{"do": "click", "who": 0, "label": "Draw"}]`; answers."""
        return self.do("at_once", verbs=list(verbs))

    def advance(self, seconds: float) -> None:
        """Let virtual time pass."""
        self.do("advance", seconds=seconds)

    def until(self, text: str, *, who: int = 0, seconds: float = 60) -> None:
        """Let virtual time pass until `who` sees `text` in some message."""
        self.do("until", text=text, who=who, seconds=seconds)

    def messages(self, who: int | None = None) -> list[dict[str, Any]]:
        """The channel's messages that `who` sees: id, text, ephemeral, buttons, selects."""
        return self.do("messages", who=who)  # type: ignore[no-any-return]

    def board(self, containing: str = "") -> dict[str, Any]:
        """The newest public message with components."""
        return self.do("board", containing=containing)  # type: ignore[no-any-return]

    def sent(self) -> list[dict[str, Any]]:
        """Every body sent in all lives of the process: method, path, body, viewer (None: public), at."""
        if self._process is not None:
            self.do("keep")
        lines = (self.directory / "sent.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def public_payloads(self) -> list[Any]:
        """Every body visible to everybody, in all lives of the process."""
        return [one["body"] for one in self.sent() if one["viewer"] is None]
