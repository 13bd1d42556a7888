"""The messages of a table: sent, edited, deleted, and remembered under slots.

A message is sent, then remembered; Discord itself drops a second message with the same nonce, which covers
a crash between the two. A message that cannot be deleted now is remembered as left, and deleted later: what
comes after does not wait for it. Other errors are the teller's to judge: these methods raise them, but for
what is of no consequence (a message that is gone already cannot be deleted).
"""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar

import discord

from canasta_core.tables.errors import StoreError
from canasta_core.tables.model import SLOTS, Message, Notice
from canasta_core.tables.service import TableService
from cogs.answers import NETWORK, describe, may_pass
from cogs.clicks import Bot
from cogs.places import ARCHIVED, Places, Why
from cogs.ui.layout import Layout, Row

log = logging.getLogger(__name__)
_T = TypeVar("_T")

GONE: Final = frozenset({10008, 30046})
"""Codes after which a message cannot be edited, but a new one may be sent: it was deleted; it is old and
was edited too often."""
KEPT: Final = 4000
"""Slots that are kept in memory; any other is read when it is needed."""

LEFT: Final = "left"
"""The slot of messages that are still to be deleted."""
MOST_LEFT: Final = 20
"""Messages of a table that are still to be deleted; of more, the oldest stay for good."""
SLOW: Final = 30.0
"""Seconds after which a message counts as not sent."""
SLOW_DELETION: Final = 5.0
"""Seconds after which a message counts as not deleted: nobody is to wait for it."""

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
        self._leaving = asyncio.Lock()
        """Held while the messages that are left change; no request is made meanwhile."""
        self._deleting: dict[int, asyncio.Task[None]] = {}
        """Deletions that are under way, by message: another try joins one that has been given up."""

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
        """Whatever is under a slot is of no more use."""
        for number in range(len(await self._row(table_id, slot)), 0, -1):
            await self._forget(table_id, _numbered(slot, number))

    async def _forget(self, table_id: int, slot: str) -> None:
        self._unstored.pop((table_id, slot), None)
        if self._kept.get((table_id, slot), True) is not None:
            await self._service.forget_message(table_id, slot)
            self._keep((table_id, slot), None)

    async def every(self, table_id: int, slot: str) -> list[Message]:
        """The message under a slot, and those beside it: the same told to several people in private."""
        return [one for one in await self._row(table_id, slot) if one is not None]

    async def _row(self, table_id: int, slot: str) -> list[Message | None]:
        """What is under a slot, then what is beside it (slot 2, 3 and so on)."""
        row = [await self.known(table_id, slot)]
        while (beside := await self.known(table_id, _numbered(slot, len(row) + 1))) is not None:
            row.append(beside)
        return row

    async def _write_row(self, table_id: int, slot: str, row: Sequence[Message | None]) -> None:
        """Nothing that stays is lost when this ends half-way."""
        before = await self._row(table_id, slot)
        for number in range(len(row), 0, -1):
            message = row[number - 1]
            if message is not None and before[number - 1 : number] != [message]:
                await self.remember(table_id, _numbered(slot, number), message)
        for number in range(len(before), 0, -1):
            if row[number - 1 : number] in ([], [None]):
                await self._forget(table_id, _numbered(slot, number))

    def _keep(self, key: tuple[int, str], message: Message | None) -> None:
        self._kept[key] = message
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    # What is sent

    async def board(
        self, channel_id: int, notice: Notice, layout: Layout, slot: str = "", *, beside: bool = False
    ) -> None:
        """Send a components v2 message, which pings nobody, to a channel. It takes the slot.

        `beside`: it is told to others as well, each in private and once, and comes beside what is under the
        slot.
        """
        table_id, slot = notice.table_id, slot or SLOTS[notice.kind]
        before = await self.every(table_id, slot) if beside else []
        if _are_told(before, notice, channel_id):
            return
        channel = self._channel(channel_id)
        sent = await _soon(
            channel.send(view=layout, nonce=nonce(notice, channel_id, slot), allowed_mentions=NOBODY)
        )
        message = Message(channel_id, sent.id, notice.version)
        if beside:
            await self._write_row(table_id, slot, [None, *before, message])
        else:
            await self.remember(table_id, slot, message)
        self._places.works(channel_id)

    async def plain(
        self,
        channel_id: int,
        notice: Notice,
        content: str,
        row: Row,
        *,
        pinged: Sequence[int] = (),
        silent: bool = False,
        beside: bool = False,
        apart: bool = False,
    ) -> None:
        """Send a short message to a channel; it pings those people and nobody else.

        A channel is told of a notice once. The message takes the slot, and what was under that goes. `apart`:
        what is in another channel stays, beside it from now on. `beside`: see `board`; what is of the same
        version stays. `silent`: without a sound, for quiet hours.
        """
        table_id, slot = notice.table_id, SLOTS[notice.kind]
        # Read before it is sent: a store that fails afterwards would have it sent again.
        before, _ = await self.every(table_id, slot), await self.every(table_id, LEFT)
        if _are_told(before, notice, channel_id):
            return
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
        self._places.works(channel_id)
        message = Message(channel_id, sent.id, notice.version)
        kept = [
            one
            for one in before
            if (beside and one.version == message.version) or (apart and one.channel_id != channel_id)
        ]
        gone = [one for one in before if one not in kept and one != message]
        await self._leave(table_id, gone)
        await self._write_row(table_id, slot, [None, *kept, message] if beside else [message, *kept])
        if gone:
            await self.clear(table_id)

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
        self._places.works(message.channel_id)
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

    # What is deleted

    async def withdraw(self, table_id: int, slot: str) -> None:
        """Delete whatever is under a slot, now or later."""
        for message in await self.every(table_id, slot):
            await self.erase(table_id, message)
        await self.forget(table_id, slot)

    async def erase(self, table_id: int, message: Message) -> None:
        """Delete a message of our own, now or later; one that cannot be deleted stays."""
        if self._is_asleep(message) or not await self._delete(message):
            await self._leave(table_id, [message])

    async def is_anything_left(self, table_id: int) -> bool:
        """Whether a message is still to be deleted, in a place that is not dead."""
        return not all(self._is_asleep(one) for one in await self.every(table_id, LEFT))

    async def clear(self, table_id: int) -> bool:
        """Delete what was left, but in dead places; False when another try is worth it."""
        done: list[Message] = []
        failed = 0
        for message in await self.every(table_id, LEFT):
            if self._is_asleep(message):
                continue
            if await self._delete(message):
                done.append(message)
            else:
                failed += 1
            if failed > 1:  # one may be at fault itself, of two that is Discord
                break
        if done:
            async with self._leaving:
                left = [one for one in await self.every(table_id, LEFT) if one not in done]
                await self._write_row(table_id, LEFT, left)
        return not failed

    async def _leave(self, table_id: int, messages: Sequence[Message]) -> None:
        """Remember messages that are to be deleted later."""
        if messages:
            async with self._leaving:
                left = await self.every(table_id, LEFT)
                left += [one for one in messages if one not in left]
                await self._write_row(table_id, LEFT, left[-MOST_LEFT:])

    def _is_asleep(self, message: Message) -> bool:
        """Whether a message is in a dead place that may come back with its messages."""
        dead = self._places.is_dead(message.channel_id)
        return dead and self._places.why(message.channel_id) is not Why.DELETED

    async def _delete(self, message: Message) -> bool:
        """Whether that is done, as far as it can be; False when another try is worth it."""
        if self._places.is_dead(message.channel_id):
            return True  # it is gone with its channel
        deleting = self._deleting.get(message.message_id)
        if deleting is None:
            deleting = asyncio.ensure_future(self._partial(message).delete())
            self._deleting[message.message_id] = deleting
            deleting.add_done_callback(lambda _: self._deleting.pop(message.message_id, None))
        try:
            await _soon(deleting, SLOW_DELETION)
        except (discord.HTTPException, discord.RateLimited, *NETWORK) as error:
            left = may_pass(error)
            said = "is still to be deleted" if left else "stays as it is"
            log.info(
                "message %s in channel %s %s: %s",
                message.message_id,
                message.channel_id,
                said,
                describe(error),
            )
            return not left
        return True

    def _partial(self, message: Message) -> discord.PartialMessage:
        return self._channel(message.channel_id).get_partial_message(message.message_id)

    def _channel(self, channel_id: int) -> discord.PartialMessageable:
        return self._bot.get_partial_messageable(channel_id)


async def _soon(request: "Coroutine[Any, Any, _T] | asyncio.Future[_T]", seconds: float = SLOW) -> _T:
    """Make a request, but do not wait for ever. Raises TimeoutError.

    Discord knows a nonce for a few minutes only, so a message whose receipt does not come has to be sent
    again before that is over. The request is left to itself: to cancel it while discord.py sleeps over a rate
    limit for all requests would leave all of them waiting.
    """
    task = asyncio.ensure_future(request)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if done:
        return task.result()
    task.add_done_callback(_late)
    raise TimeoutError


def _late(task: "asyncio.Task[Any]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.info("a request that was given up has failed: %s", type(error).__name__)


def _are_told(messages: Sequence[Message], notice: Notice, channel_id: int) -> bool:
    """Whether one of these tells a channel of a notice already."""
    return any((one.channel_id, one.version) == (channel_id, notice.version) for one in messages)


def _numbered(slot: str, number: int) -> str:
    return slot if number == 1 else f"{slot} {number}"


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
