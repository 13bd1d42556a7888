"""The messages of a table: sent, edited, deleted, and remembered under slots.

A message is sent, then remembered; Discord itself drops a second message with the same nonce, which covers
a crash between the two. Errors are the teller's to judge: these methods raise them, but for what is of no
consequence (a message that is gone already cannot be deleted).
"""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from typing import Any, Final

import discord

from canasta_core.tables.errors import StoreError
from canasta_core.tables.model import SLOTS, Message, Notice
from canasta_core.tables.service import TableService
from cogs.answers import describe, may_pass
from cogs.clicks import Bot
from cogs.places import ARCHIVED, Places
from cogs.ui.layout import Layout, Row

log = logging.getLogger(__name__)

GONE: Final = frozenset({10008, 30046})
"""Codes after which a message cannot be edited, but a new one may be sent: it was deleted; it is old and
was edited too often."""
KEPT: Final = 4000
"""Slots that are kept in memory; any other is read when it is needed."""

MOST_LEFT: Final = 20
"""Messages that are still to be deleted in one dead place."""
SLOW: Final = 30.0
"""Seconds after which a message counts as not sent."""

NOBODY: Final = discord.AllowedMentions.none()


class Post:
    """Sends for one bot."""

    def __init__(self, bot: Bot, service: TableService, places: Places) -> None:
        self._bot = bot
        self._service = service
        self._places = places
        self._kept: OrderedDict[tuple[int, str], Message | None] = OrderedDict()
        """What is remembered, by table and slot; only this class changes it."""
        self._unstored: dict[tuple[int, str], Message] = {}
        """Messages that were sent when the store could take nothing."""
        self._left: dict[int, list[Message]] = {}
        """Messages of dead places that are to be deleted, by channel."""

    # What is remembered

    async def known(self, table_id: int, slot: str) -> Message | None:
        """The message under a slot."""
        key = table_id, slot
        if key in self._unstored:
            return self._unstored[key]
        if key not in self._kept:
            self._keep(key, await self._service.message(table_id, slot))
        self._kept.move_to_end(key)
        return self._kept[key]

    async def remember(self, table_id: int, slot: str, message: Message) -> None:
        """A message is out: when the store cannot take it, memory has to do, or it would be sent again."""
        try:
            await self._service.remember_message(
                table_id, slot, message.channel_id, message.message_id, message.version
            )
        except StoreError as error:
            log.warning(
                "table %s: message %s is kept in memory only: %s", table_id, message.message_id, error
            )
            self._unstored[table_id, slot] = message
        else:
            self._unstored.pop((table_id, slot), None)
        self._keep((table_id, slot), message)

    async def forget(self, table_id: int, slot: str) -> None:
        self._unstored.pop((table_id, slot), None)
        if self._kept.get((table_id, slot), True) is not None:
            await self._service.forget_message(table_id, slot)
            self._keep((table_id, slot), None)

    def _keep(self, key: tuple[int, str], message: Message | None) -> None:
        self._kept[key] = message
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    # What is sent

    async def board(self, channel_id: int, notice: Notice, layout: Layout, slot: str = "") -> None:
        """Send a components v2 message, which pings nobody, to a channel."""
        slot = slot or SLOTS[notice.kind]
        channel = self._channel(channel_id)
        sent = await _soon(
            channel.send(view=layout, nonce=nonce(notice, channel_id, slot), allowed_mentions=NOBODY)
        )
        await self.remember(notice.table_id, slot, Message(channel_id, sent.id, notice.version))
        await self._works(channel_id)

    async def plain(
        self,
        channel_id: int,
        notice: Notice,
        content: str,
        row: Row,
        *,
        pinged: Sequence[int] = (),
        silent: bool = False,
        slot: str = "",
    ) -> None:
        """Send a short message to a channel; it pings those people and nobody else.

        `silent`: without a sound, for quiet hours.
        """
        slot = slot or SLOTS[notice.kind]
        mentions = discord.AllowedMentions(
            everyone=False, roles=False, replied_user=False, users=[discord.Object(one) for one in pinged]
        )
        sent = await _soon(
            self._channel(channel_id).send(
                content,
                view=row,
                nonce=nonce(notice, channel_id, slot),
                allowed_mentions=mentions,
                silent=silent,
            )
        )
        await self.remember(notice.table_id, slot, Message(channel_id, sent.id, notice.version))
        await self._works(channel_id)

    async def direct(self, user_id: int) -> int:
        """The channel for direct messages with a person. Raises HTTPException when there can be none."""
        return (await self._bot.create_dm(discord.Object(user_id))).id

    # What is changed

    async def edit(self, message: Message, layout: Layout) -> bool:
        """Whether it could be edited; if not, a new one may be sent.

        A thread that was put away is opened; where that may not be, a new message may open it.
        """
        for archived in (False, True):
            try:
                await self._partial(message).edit(view=layout, allowed_mentions=NOBODY)
            except discord.HTTPException as error:
                put_away = error.code == ARCHIVED
                if put_away and not archived and await self._places.unarchive(message.channel_id):
                    continue
                if put_away or error.code in GONE:
                    return False
                raise
            else:
                break
        await self._works(message.channel_id)
        return True

    async def edit_content(self, message: Message, content: str, row: Row | None) -> None:
        """Change a short message; one that cannot be changed stays as it is."""
        try:
            await self._partial(message).edit(content=content, view=row, allowed_mentions=NOBODY)
        except discord.HTTPException as error:
            _give_up(message, error)

    async def turn_into(self, message: Message, layout: Layout) -> None:
        """Change a components v2 message that is of no more use; where that cannot be, it stays."""
        try:
            await self._partial(message).edit(view=layout, allowed_mentions=NOBODY)
        except discord.HTTPException as error:
            _give_up(message, error)

    async def erase(self, message: Message) -> None:
        """Delete a message of our own; one that cannot be deleted stays.

        In a dead place that is left for the time when it works again.
        """
        if self._places.is_dead(message.channel_id):
            left = self._left.setdefault(message.channel_id, [])
            left.append(message)
            del left[:-MOST_LEFT]
            return
        try:
            await self._partial(message).delete()
        except discord.HTTPException as error:
            _give_up(message, error)

    async def _works(self, channel_id: int) -> None:
        self._places.works(channel_id)
        for message in self._left.pop(channel_id, ()):
            await self.erase(message)

    async def withdraw(self, table_id: int, slot: str) -> None:
        """Delete what is under a slot, if anything is."""
        message = await self.known(table_id, slot)
        if message is not None:
            await self.erase(message)
            await self.forget(table_id, slot)

    def _partial(self, message: Message) -> discord.PartialMessage:
        return self._channel(message.channel_id).get_partial_message(message.message_id)

    def _channel(self, channel_id: int) -> discord.PartialMessageable:
        return self._bot.get_partial_messageable(channel_id)


async def _soon(sending: Coroutine[Any, Any, discord.Message]) -> discord.Message:
    """Send, but do not wait for ever. Raises TimeoutError.

    Discord knows a nonce for a few minutes only, so a message whose receipt does not come has to be sent
    again before that is over. The request is left to itself: to cancel it while discord.py sleeps over a rate
    limit for all requests would leave all of them waiting.
    """
    task = asyncio.ensure_future(sending)
    try:
        done, _ = await asyncio.wait({task}, timeout=SLOW)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if done:
        return task.result()
    task.add_done_callback(_late)
    raise TimeoutError


def _late(task: "asyncio.Task[discord.Message]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.info("a message that was given up could not be sent: %s", type(error).__name__)


def nonce(notice: Notice, channel_id: int, slot: str) -> str:
    """At most 25 characters, the same for every delivery of one notice to one channel."""
    said = f"{notice.table_id}-{notice.version}-{slot}-{channel_id}"
    return hashlib.blake2b(said.encode(), digest_size=12).hexdigest()


def _give_up(message: Message, error: discord.HTTPException) -> None:
    """Leave a message that cannot be tidied as it is. Raises what may pass."""
    if may_pass(error):
        raise error
    log.info(
        "message %s in channel %s stays as it is: %s",
        message.message_id,
        message.channel_id,
        describe(error),
    )
