"""A network between the bot and a simulated Discord, where requests fail as they do in reality.

simcord stands in for discord.py's whole HTTP layer, so its answers come at once and faults reach the bot as
finished exceptions. Here discord.py's own layer stays (its waiting for rate limits, its repeated tries, its
locks), and only the connection below it is replaced: `Wire` is the aiohttp session. So a fault is what a
server or a cable does: a status with a body and headers, silence, a connection that is cut before or after
Discord has done what was asked.

    async with playing(database, attend=Wire.attend) as game:
        wire = Wire.of(game)
        wire.fail("POST /channels/{channel_id}/messages", Fault.cut(done=True))

Files travel as they do in reality, as a form that is read to its end for each try: a try that is made again
has to begin the files anew. What Discord got of them is in `uploaded`.

Discord's check for a nonce (a second message with it is not sent) is done here; simcord does not do it.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import aiohttp
import discord
import simcord
from discord.http import HTTPClient
from discord.webhook.async_ import AsyncWebhookAdapter
from simcord import _dpy_internals
from simcord.backend.errors import BackendError
from simcord.http import FakeHTTPClient, FakeWebhookAdapter, router
from simcord.http.client import _path_of

from . import description
from .harness import Game
from .requests import RequestChecker

TOTAL = 300.0
"""Seconds after which aiohttp gives a request up, if nobody says otherwise."""
_INSTALL, _ADAPT = _dpy_internals.install_http, _dpy_internals.set_webhook_adapter
NONCE_KEPT = 300.0
"""Seconds for which Discord knows a nonce; its documentation says «a few minutes»."""


@dataclass(frozen=True)
class Fault:
    """What happens to a request instead of what should."""

    name: str
    status: int = 0
    code: int = 0
    retry_after: float = 0.0
    everywhere: bool = False
    """A rate limit for all of the bot's requests."""
    silent: bool = False
    cut: bool = False
    done: bool = False
    """Discord does what was asked; only its answer is lost."""
    gone: bool = False
    """The message that is meant has been deleted."""

    @classmethod
    def of_status(cls, status: int, code: int = 0) -> Fault:
        return cls(f"{status}/{code}" if code else str(status), status=status, code=code)


@dataclass
class _Planned:
    kind: str
    fault: Fault
    times: int | None
    only: Callable[[str], bool]


class _Response:
    """Just what discord.py reads of an aiohttp response."""

    def __init__(self, status: int, body: Any) -> None:
        self.status = status
        self.reason = str(status)
        self.headers = {
            "Via": "1.1 google",
            "X-Ratelimit-Limit": "5",
            "X-Ratelimit-Remaining": "4",
            "X-Ratelimit-Reset-After": "1.0",
        }
        if body is not None:
            self.headers["content-type"] = "application/json"
        self._text = "" if body is None else json.dumps(body, default=str)

    async def text(self, encoding: str = "utf-8") -> str:
        return self._text


class _Cable:
    """Where aiohttp writes a form."""

    def __init__(self) -> None:
        self.carried = b""

    async def write(self, chunk: bytes) -> None:
        self.carried += chunk


async def _read(data: Any) -> tuple[Any, list[discord.File]]:
    """The body of a request, and its files."""
    if not isinstance(data, aiohttp.FormData):
        return (None if data is None else json.loads(data)), []
    form, cable = data(), _Cable()
    await form.write(cable)  # type: ignore[arg-type]
    body: Any = None
    contents: dict[int, tuple[str, bytes]] = {}
    edge = b"--" + form.boundary.encode()  # type: ignore[attr-defined]
    for part in cable.carried.split(edge)[1:-1]:
        head, _, content = part.removeprefix(b"\r\n").removesuffix(b"\r\n").partition(b"\r\n\r\n")
        fields = dict(re.findall(r'(name|filename)="([^"]*)"', head.decode()))
        if fields["name"] == "payload_json":
            body = json.loads(content)
        else:
            contents[int(fields["name"].removeprefix("files[").removesuffix("]"))] = (
                fields["filename"],
                content,
            )
    said = {int(one["id"]): one.get("description") for one in body.get("attachments", ())}
    files = [
        discord.File(BytesIO(content), filename, description=said.get(number))
        for number, (filename, content) in sorted(contents.items())
    ]
    return body, files


class _Request:
    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def __aenter__(self) -> _Response:
        return await self._answer  # type: ignore[no-any-return]

    async def __aexit__(self, *_: object) -> None:
        return None


class _Client(FakeHTTPClient):
    """simcord's client with discord.py's own way of making requests."""

    request = HTTPClient.request  # type: ignore[assignment]

    async def static_login(self, token: str) -> Any:
        self._global_over = asyncio.Event()
        self._global_over.set()
        return await super().static_login(token)

    async def get_from_cdn(self, url: str) -> bytes:
        raise AssertionError("not in these tests")


@dataclass
class Wire:
    """The connection of one simulated Discord."""

    env: simcord.Env
    kinds: Counter[str] = field(default_factory=Counter)
    """How many requests of each kind arrived or should have."""
    planned: list[_Planned] = field(default_factory=list)
    met: Counter[str] = field(default_factory=Counter)
    """How often each fault has happened, by the kind of the request."""
    times: list[tuple[float, str]] = field(default_factory=list)
    """When each request was made, in virtual time."""
    paths: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of each request."""
    delivered: list[tuple[str, str, Any]] = field(default_factory=list)
    """Kind, path and body of all that Discord has done."""
    uploaded: list[tuple[str, str, bytes]] = field(default_factory=list)
    """Kind of the request, name and content of each file that Discord got."""
    down: bool = False
    """Nothing gets through."""
    _nonces: dict[tuple[int, str], tuple[float, Any]] = field(default_factory=dict)

    @classmethod
    def attend(cls, env: simcord.Env, _: RequestChecker) -> None:
        """Lay the wire, before the bot starts. For `playing(attend=…)`."""
        wire = cls(env)
        env._wire = wire  # type: ignore[attr-defined]
        adapter = AsyncWebhookAdapter()

        def install_http(client: Any, http: Any) -> None:
            if isinstance(http, FakeHTTPClient) and http.backend is env.backend:
                http.__class__ = _Client
                http._HTTPClient__session = wire  # type: ignore[attr-defined]
            _INSTALL(client, http)

        def set_webhook_adapter(given: Any) -> Any:
            ours = isinstance(given, FakeWebhookAdapter) and given.backend is env.backend
            return _ADAPT(adapter if ours else given)

        # Other simulations pass through, also should this one never be shut down.
        _dpy_internals.install_http = install_http
        _dpy_internals.set_webhook_adapter = set_webhook_adapter
        shutdown = env.shutdown

        async def restore() -> None:
            try:
                await shutdown()
            finally:
                _dpy_internals.install_http = _INSTALL
                _dpy_internals.set_webhook_adapter = _ADAPT

        env.shutdown = restore  # type: ignore[method-assign]

    @classmethod
    def of(cls, game: Game) -> Wire:
        return game.env._wire  # type: ignore[attr-defined, no-any-return]

    def fail(
        self,
        kind: str,
        fault: Fault,
        times: int | None = 1,
        only: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Let the next requests of a kind fail (None: all); `only` looks at their paths."""
        self.planned.append(_Planned(kind, fault, times, only))

    def heal(self) -> None:
        """From now on everything gets through."""
        self.planned.clear()
        self.down = False

    # What discord.py calls

    @property
    def closed(self) -> bool:
        return False

    async def close(self) -> None:
        return None

    def request(self, method: str, url: str, **kwargs: Any) -> _Request:
        return _Request(self._answer(method, url, kwargs))

    async def _answer(self, method: str, url: str, kwargs: dict[str, Any]) -> _Response:
        path = _path_of(url)
        kind = kind_of(method, path)
        self.kinds[kind] += 1
        self.times.append((self.env._virtual_time, kind))
        self.paths.append((method, path))
        fault = self._fault(kind, path)
        body, files = await _read(kwargs.get("data"))
        if fault is None:
            return self._pass(method, path, kwargs, body, files)
        self.met[kind] += 1
        if fault.done:
            self._pass(method, path, kwargs, body, files)
        if fault.gone:
            channel, message = path.split("/")[2], path.split("/")[4]
            self.env.backend.delete_message(int(channel), int(message))
        if fault.silent:
            await asyncio.sleep(TOTAL)
            raise TimeoutError
        if fault.cut:
            raise aiohttp.ServerDisconnectedError
        if fault.status == 429:
            wait = {"retry_after": fault.retry_after, "global": fault.everywhere}
            return _Response(429, {"message": "injected", "code": fault.code, **wait})
        return _Response(fault.status, {"message": "injected", "code": fault.code})

    def _fault(self, kind: str, path: str) -> Fault | None:
        if self.down:
            return Fault("down", cut=True)
        for plan in self.planned:
            if plan.kind in (kind, "*") and plan.only(path):
                if plan.times is not None:
                    plan.times -= 1
                    if plan.times <= 0:
                        self.planned.remove(plan)
                return plan.fault
        return None

    def _pass(
        self, method: str, path: str, kwargs: dict[str, Any], body: Any, files: list[discord.File]
    ) -> _Response:
        contents = [(kind_of(method, path), file.filename, file.fp.read()) for file in files]
        for file in files:
            file.reset()
        nonce = body.get("nonce") if isinstance(body, dict) and body.get("enforce_nonce") else None
        channel = path.split("/")[2] if path.startswith("/channels/") else ""
        key = (int(channel), str(nonce)) if nonce and channel else None
        now = self.env._virtual_time
        if key in self._nonces and now - self._nonces[key][0] < NONCE_KEPT:
            return _Response(200, self._nonces[key][1])
        try:
            answer = router.dispatch(
                self.env.backend,
                method,
                path,
                json=body,
                params=kwargs.get("params"),
                files=files,
                message_content_access=True,
            )
        except (router.RouteNotImplemented, router.UnsupportedField):
            raise
        except BackendError as error:
            return _Response(error.status, error.to_json())
        self.delivered.append((kind_of(method, path), path, body))
        self.uploaded += contents
        if key is not None:
            self._nonces[key] = now, answer
        return _Response(204 if answer is None else 200, answer)


def kind_of(method: str, path: str) -> str:
    """A request by its method and its template: `PATCH /channels/{channel_id}/messages/{message_id}`."""
    found = description.template_of(method, path)
    return f"{method} {found[0] if found else path}"
