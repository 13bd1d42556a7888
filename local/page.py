"""Serves the page, and keeps it up to date while the bot goes on by itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from typing import Any

import discord
from simcord.backend.errors import SetupError
from simcord.preview import Preview

from local.world import World, build_world

log = logging.getLogger(__name__)

TICK = 0.25
"""Seconds between two looks at the clock. The page asks for news every half second by itself."""

_REMEMBERED = 40

_MARK = "@"
_MARKED = frozenset({discord.ComponentType.button.value, discord.ComponentType.select.value})


class PageError(Exception):
    """The page cannot be served; the message is one sentence for the person who started it."""


async def serve(client: discord.Client, *, port: int, announce: Callable[[str], None]) -> None:
    """Run `client` in a simulated Discord and serve it on 127.0.0.1 until cancelled or ended from the page.

    `port` 0 takes any free one. `announce` gets the page's address. The client is closed in the end.
    Raises PageError when the port is taken.
    """
    world = build_world(client)
    try:
        await world.env.start()
        with world.env.time_context():
            await _serve(world, port, announce)
    finally:
        await client.close()
        await world.env.shutdown()


async def _serve(world: World, port: int, announce: Callable[[str], None]) -> None:
    preview = world.env.preview(world.channel, viewers=world.people, layout="channel", port=port)
    page = LivePage(world, preview)
    try:
        await preview.__aenter__()
    except SetupError as error:
        if isinstance(error.__cause__, OSError):
            raise PageError(
                f"Port {port} of 127.0.0.1 cannot be used (taken, perhaps); "
                "set CANASTA_LOCAL_PORT to another one, or to 0 for any that is free."
            ) from error
        raise
    try:
        announce(preview.url)
        keeper = asyncio.create_task(page.keep_up(), name="local page")
        closed = asyncio.create_task(preview.wait_closed(), name="local page closed")
        try:
            done, _ = await asyncio.wait((keeper, closed), return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in (keeper, closed):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
    finally:
        await preview.close()


class LivePage:
    """Makes simcord's preview, made to show what an action led to, follow a bot that acts by itself."""

    def __init__(self, world: World, preview: Preview) -> None:
        self._env = world.env
        self._preview = preview
        self._lock = asyncio.Lock()
        self._published = -1
        self._errors = 0
        self._seen: dict[tuple[str, int], dict[str, Any]] = {}
        # The preview's web server calls these two for each action of the browser, and for what it is to show.
        self._act = preview._action
        self._project = preview._page_payload
        preview._action = self._action  # type: ignore[method-assign]
        preview._page_payload = self._page_payload  # type: ignore[method-assign]

    async def keep_up(self) -> None:
        """Move the clock and publish what has changed, for ever."""
        while True:
            await asyncio.sleep(TICK)
            async with self._lock:
                await self._bring_up_to_date()

    async def _bring_up_to_date(self) -> None:
        await self._env.keep_time()
        for problem in self._env.errors_since(self._errors):
            log.error("The bot raised an error.", exc_info=problem)
        self._errors = self._env.error_cursor
        if self._env.events() != self._published:
            await self._preview.refresh()
            self._published = self._env.events()
            self._remember()

    def _remember(self) -> None:
        """Note what each open page shows by now, so that `_still_there` can compare."""
        for page in self._preview._pages.values():
            self._seen[page.id, page.revision] = page.snapshot.get("messages", {})
        while len(self._seen) > _REMEMBERED:
            del self._seen[next(iter(self._seen))]

    async def _action(self, context_id: str | None, body: Mapping[str, Any]) -> dict[str, Any]:
        """One click, command or keystroke of the browser, alone with the bot.

        simcord refuses an action while another operation runs, and the page is stuck then; the lock prevents
        that. It also refuses an action aimed at a page that has been published anew since. Where the bot
        publishes by itself that would be many, so what is still as the person saw it is let through.
        """
        if "control_key" in body:
            body = {**body, "control_key": str(body["control_key"]).partition(_MARK)[0]}
        async with self._lock:
            await self._bring_up_to_date()
            page = self._preview._pages.get(context_id or "")
            if page is not None and self._still_there(page, body):
                body = {**body, "published_revision": page.revision}
            result = await self._act(context_id, body)
            self._remember()
            return result

    def _page_payload(self, page: Any) -> dict[str, Any]:
        """What the browser is to show.

        It knows controls by their place in a message, and leaves a select as it was last set while its place
        is the same. On Discord one with a new custom id is a new one; so places are marked with custom ids.
        """
        payload = self._project(page)
        _mark(list(payload["messages"].values()))
        return payload

    def _still_there(self, page: Any, body: Mapping[str, Any]) -> bool:
        """Whether the button or select (else the message) aimed at still says what the person saw.

        Its custom id may have changed: it is the present one that is sent then.
        """
        if "target_id" not in body:
            return True  # a command, or the page's own business
        before = self._seen.get((page.id, body.get("published_revision", -1)), {})
        now = page.snapshot.get("messages", {})
        target, control = str(body.get("target_id")), body.get("control_key")
        if target not in before or target not in now:
            return False
        if control is None:
            return bool(before[target] == now[target])
        return _control(now[target], control) == _control(before[target], control) is not None


def _mark(part: Any) -> None:
    if isinstance(part, dict):
        if part.get("type") in _MARKED and "control_key" in part and "custom_id" in part:
            part["control_key"] += _MARK + part["custom_id"]
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            _mark(inner)


def _control(part: Any, key: str) -> dict[str, Any] | None:
    """The button or select of that key in a message as the page has it, but for its custom id."""
    if isinstance(part, dict):
        if part.get("control_key") == key:
            return {name: value for name, value in part.items() if name != "custom_id"}
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            if (found := _control(inner, key)) is not None:
                return found
    return None
