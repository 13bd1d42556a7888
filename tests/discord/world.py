"""Keeps a simulated Discord in a file, so that it outlives the process in which bot and Discord run together.

What Discord had done when the process died must be in the file. So it is written at the point of death, and
after each request and each act of a person too when death may come from outside (`every_step`). It replaces
the file before, whole. (A SIGKILL loses nothing that the kernel has; only a power cut would, hence no fsync.)
"""

from __future__ import annotations

import dataclasses
import fnmatch
import json
import os
import pickle
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import simcord
from simcord.backend import Backend
from simcord.http import router

from .harness import World
from .requests import RequestChecker

# What belongs to one process: who listens, and the logs (kept in a journal of their own).
_PASSING = {"subscribers", "http_requests", "transcript", "faults"}


def load(file: Path) -> World | None:
    """The Discord kept in `file`; None when there is no such file."""
    if not file.exists():
        return None
    kept = pickle.loads(file.read_bytes())  # noqa: S301 - this very test has written it
    backend = Backend()
    vars(backend).update(kept.pop("backend"))
    return World(backend=backend, **kept)


class Keeper:
    """Saves a Discord at every step, and ends the process at a request if so told."""

    def __init__(self, file: Path, journal: Path, world: World | None, *, every_step: bool) -> None:
        self._every_step = every_step
        self._file, self._journal = file, journal
        self._world: Callable[[], World] | None = None if world is None else lambda: world
        self._checker: RequestChecker | None = None
        self._written = 0
        self.deadly: list[tuple[str, str, int]] = []
        """Fatal requests: pattern of method and path, "before" or "after", how often not yet."""

    def attend(self, env: simcord.Env, checker: RequestChecker) -> None:
        """Watch every request and every interaction of `env`. For the rest of this process."""
        self._checker = checker
        dispatch = router.dispatch

        def kept(backend: Any, method: str, path: str, **details: Any) -> Any:
            fatal = self._deadly(f"{method} {path}")
            if "before" in fatal:
                self.die()
            try:
                return dispatch(backend, method, path, **details)
            finally:
                if "after" in fatal:
                    self.die()
                self.step()

        router.dispatch = kept
        env._register_dispatch_observer(lambda _: self.step())

    def of(self, world: Callable[[], World]) -> None:
        """From now on save what `world()` returns."""
        self._world = world
        self.save()

    def die(self) -> NoReturn:
        """Keep Discord, which lives on, and end this process as the kernel ends one that has no say in it."""
        self.save()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("survived SIGKILL")

    def step(self) -> None:
        """Something has happened."""
        if self._every_step:
            self.save()

    def _deadly(self, request: str) -> set[str]:
        """When to die over `request`, each pattern that fits being counted down."""
        fatal = set()
        for number, (pattern, when, left) in enumerate(self.deadly):
            if fnmatch.fnmatchcase(request, pattern):
                if left == 0:
                    fatal.add(when)
                self.deadly[number] = pattern, when, left - 1
        return fatal

    def save(self) -> None:
        """Write the Discord of now, and the bodies that were sent since the last time."""
        if self._checker is not None and len(self._checker.sent) > self._written:
            with self._journal.open("a", encoding="utf-8") as journal:
                for sent in self._checker.sent[self._written :]:
                    journal.write(json.dumps(dataclasses.asdict(sent)) + "\n")
            self._written = len(self._checker.sent)
        if self._world is None:
            return
        world = self._world()
        backend = {name: value for name, value in vars(world.backend).items() if name not in _PASSING}
        kept = {"backend": backend, "guild": world.guild, "channel": world.channel, "members": world.members}
        fresh = self._file.with_suffix(".new")
        fresh.write_bytes(pickle.dumps(kept))
        fresh.replace(self._file)
