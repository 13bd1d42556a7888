"""Discord, and what people have in mind, kept from one life of the process to the next."""

from __future__ import annotations

import functools
import heapq
import json
import os
import pickle
import random
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import simcord
from simcord.backend import Backend, serializers
from simcord.http import router

from tests.discord.harness import World
from tests.discord.requests import RequestChecker
from tests.games.test_privacy import cards_in

_PASSING = {"subscribers", "http_requests", "transcript", "faults"}
"""What belongs to one process: who listens, and the logs."""
SILENT = 1 << 12
"""Flag of a message that makes no noise."""
NONCES_LAST = 180.0
"""Seconds for which Discord knows a nonce again («the past few minutes»)."""
IN_START = "at a step of the start"
"""A death that follows one «in the start»; it is none of those planned."""
WITH_A_RESULT = "with a round's result"
"""The death with the first result: at no place that is planned, for there are few rounds."""
SETTLES_EVERY = 0.003
"""Real seconds after which simcord looks again whether the bot has come to rest; a week is many looks."""
EPHEMERAL_LASTS = 900.0
"""Seconds after which nobody can do anything with a private message any more."""


@dataclass(frozen=True, slots=True)
class Posted:
    """A public message that the bot asked Discord for."""

    at: float
    life: int
    channel: int
    nonce: str
    pinged: tuple[int, ...]
    silent: bool
    """Without a sound: nobody is called by it."""
    message: int
    again: bool
    """Discord knew the nonce, and made no second message of it."""
    number: int
    """How many were posted before."""


@dataclass(frozen=True, slots=True)
class Named:
    """Cards that a public body named, at which tables."""

    at: float
    tables: frozenset[int]
    cards: frozenset[int]


@dataclass
class Week:
    """How far the week is."""

    rng: random.Random
    agenda: list[tuple[float, int, int, str, tuple[Any, ...]]] = field(default_factory=list)
    """A heap: when, a number, who (a member's number), what, and details."""
    entries: int = 0
    tables: dict[int, int] = field(default_factory=dict)
    """Ids of the tables, by number in the plan."""
    counts: Counter[str] = field(default_factory=Counter)
    posted: list[Posted] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    """What is wrong."""
    nonces: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)
    moods: dict[tuple[int, int], str] = field(default_factory=dict)
    """What a person (number) is up to at a table (number): "absent", "left", "away"."""
    lost_tables: dict[int, float] = field(default_factory=dict)
    """Ids of the tables whose channel somebody deleted, and when."""
    deleted: set[int] = field(default_factory=set)
    """Ids of the channels that somebody deleted."""
    downs: list[tuple[float, float]] = field(default_factory=list)
    """From when until when no process was there."""
    life: int = 0
    kills: int = 0
    channels: list[int] = field(default_factory=list)
    pinged: list[tuple[float, int, frozenset[int]]] = field(default_factory=list)
    """Pings that people have not noticed yet: when, user id, tables."""

    def plan(self, at: float, who: int, what: str, *details: Any) -> None:
        """Put something on the agenda."""
        self.entries += 1
        heapq.heappush(self.agenda, (at, self.entries, who, what, details))

    def wrong(self, at: float, text: str) -> None:
        self.counts["wrong"] += 1
        if len(self.found) < 200:
            self.found.append(f"life {self.life}, {at / 86400:.4f} d ({at:.0f} s): {text}")


def load(file: Path) -> tuple[World, Week] | None:
    """What the last process left; None before the first."""
    if not file.exists():
        return None
    kept = pickle.loads(file.read_bytes())  # noqa: S301 - this very program has written it
    backend = Backend()
    vars(backend).update(kept["backend"])
    return World(backend, kept["guild"], kept["channel"], kept["members"]), kept["week"]


class Keeper:
    """Stands between bot and Discord: listens, knows nonces, and keeps everything at the point of death."""

    def __init__(self, file: Path, week: Week) -> None:
        self.file, self.week = file, week
        self.world: Callable[[], World] | None = None
        self.around: Callable[[str, str], None] | None = None
        """Called with "before" and "after", and the request."""
        self.env: simcord.Env | None = None
        self._checker: RequestChecker | None = None
        self._errors = 0

    def attend(self, env: simcord.Env, checker: RequestChecker) -> None:
        """Watch every request of `env`, for the rest of this process."""
        self.env, self._checker = env, checker
        env._settle_internal = functools.partial(env._settle_internal, idle=SETTLES_EVERY)  # type: ignore[method-assign]
        dispatch = router.dispatch

        def watched(backend: Any, method: str, path: str, **details: Any) -> Any:
            if self.around is not None:
                self.around("before", f"{method} {path}")
            try:
                return self._known(backend, method, path, details) or self._dispatch(
                    dispatch, backend, method, path, details
                )
            finally:
                if self.around is not None:
                    self.around("after", f"{method} {path}")

        router.dispatch = watched

    def _dispatch(self, dispatch: Any, backend: Any, method: str, path: str, details: Any) -> Any:
        try:
            result = dispatch(backend, method, path, **details)
        except Exception as error:
            self.week.counts[f"refused by Discord: {getattr(error, 'code', type(error).__name__)}"] += 1
            raise
        self.week.counts[f"requests {method}"] += 1
        if method == "POST" and path.startswith("/channels/") and path.endswith("/messages"):
            self._note(backend, path, details.get("json") or {}, int(result["id"]), again=False)
        return result

    def _known(self, backend: Any, method: str, path: str, details: Any) -> Any:
        """The message that has this nonce already, which simcord itself does not look for."""
        body = details.get("json")
        if method != "POST" or not isinstance(body, dict) or not body.get("enforce_nonce"):
            return None
        known = self.week.nonces.get((path, str(body["nonce"])))
        if known is None or known[0] < backend.clock.elapsed - NONCES_LAST:
            return None
        channel = int(path.split("/")[2])
        stored = backend.messages.get(channel, {}).get(known[1])
        if stored is None:
            return None
        self._note(backend, path, body, stored.id, again=True)
        return dict(serializers.message_payload(backend, stored))

    def _note(self, backend: Any, path: str, body: dict[str, Any], message: int, *, again: bool) -> None:
        nonce, now = str(body.get("nonce") or ""), backend.clock.elapsed
        if nonce and not again:
            self.week.nonces[path, nonce] = now, message
        channel = int(path.split("/")[2])
        owner = [user for user, direct in backend.dm_channels.items() if direct == channel]
        pinged = tuple(owner or backend.messages[channel][message].ping_user_ids)
        silent = bool(int(body.get("flags") or 0) & SILENT)
        life, number = self.week.life, len(self.week.posted)
        self.week.posted.append(Posted(now, life, channel, nonce, pinged, silent, message, again, number))
        if not again:
            self.week.pinged += [(now, user, _tables_in(body)) for user in pinged]

    def help(self, connection: sqlite3.Connection) -> None:
        """Give a connection the functions of `watch.WATCH`."""
        connection.create_function("week_now", 0, self._now)
        connection.create_function("week_posts", 0, lambda: len(self.week.posted))

    def _now(self) -> float:
        assert self.env is not None
        return float(self.env.backend.clock.now().timestamp())

    # Between two acts

    def look(self) -> None:
        """Take in what the bot has sent and done wrong since the last look."""
        assert self.env is not None
        assert self._checker is not None
        now = self.env.backend.clock.elapsed
        for sent in self._checker.sent:
            if sent.viewer is None and (cards := cards_in(sent.body)):
                self.week.named.append(Named(sent.at, _tables_in(sent.body), frozenset(cards)))
        self._checker.sent.clear()
        for failure in self._checker.failures:
            self.week.wrong(now, f"Discord would not accept: {failure}")
        self._checker.failures.clear()
        errors = self.env.errors_since(self._errors)
        self._errors += len(errors)
        for error in errors:
            self.week.wrong(now, f"the bot raised {error!r}")

    def forget(self) -> None:
        """Drop what nobody in this Discord could use any more, so that a week stays small."""
        assert self.env is not None
        backend = self.env.backend
        backend.http_requests.clear()
        backend.transcript.clear()
        oldest = _snowflake(backend, -EPHEMERAL_LASTS)
        for messages in backend.messages.values():
            for number in [one.id for one in messages.values() if one.is_ephemeral and one.id < oldest]:
                del messages[number]
        for number in [one for one in backend.interactions if one < oldest]:
            del backend.interactions[number]
        late = backend.clock.elapsed - NONCES_LAST
        self.week.nonces = {key: one for key, one in self.week.nonces.items() if one[0] >= late}

    # The end

    def save(self) -> None:
        """Write the Discord of now, and what people have in mind."""
        assert self.env is not None
        if self.world is None:
            return
        self.look()
        self.forget()
        world = self.world()
        backend = {name: value for name, value in vars(world.backend).items() if name not in _PASSING}
        fresh = self.file.with_suffix(".new")
        fresh.write_bytes(
            pickle.dumps(
                {
                    "backend": backend,
                    "guild": world.guild,
                    "channel": world.channel,
                    "members": world.members,
                    "week": self.week,
                }
            )
        )
        fresh.replace(self.file)

    def die(self, how: str) -> NoReturn:
        """Keep Discord, which lives on, and end this process as the kernel ends one that has no say in it."""
        self.prepare(how)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("survived SIGKILL")

    def prepare(self, how: str) -> None:
        """Keep everything for a death that is certain now."""
        if how not in (IN_START, WITH_A_RESULT):
            self.week.kills += 1
        self.week.counts[f"killed: {how}"] += 1
        self.save()
        self.file.with_name("died").write_text(json.dumps({"how": how}), encoding="utf-8")


def _tables_in(body: Any) -> frozenset[int]:
    text = json.dumps(body)
    parts = text.split('"custom_id": "cn:')[1:]
    return frozenset(int(part.split(":")[1]) for part in parts)


def _snowflake(backend: Any, seconds: float) -> int:
    """The least id that Discord would give so many seconds from now."""
    return (int((backend.clock.now().timestamp() + seconds) * 1000) - 1420070400000) << 22
