"""How tables tell people what has happened: the Teller port, in Discord messages.

A message is sent, then remembered; Discord itself drops a second message with the same nonce, which covers
a crash between the two. What is dead (a deleted channel, a missing permission) is logged, forgotten and not
tried again; what may work later is raised as TellFailed.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

import aiohttp
import discord

from canasta_core.events import Event, GameEnded, RoundEnded
from canasta_core.legality import who_acts
from canasta_core.state import Phase
from canasta_core.tables.errors import StoreError, TellFailed
from canasta_core.tables.model import SLOTS, Message, Notice, NoticeKind, Stage, Table
from canasta_core.tables.service import TableService
from cogs.clicks import Bot
from cogs.rounds import ended_rounds
from cogs.ui.face import face_of
from cogs.ui.layout import Layout, Row, jump_url
from cogs.ui.lobby import lobby
from cogs.ui.question import question_closed, question_ping, turn_ping
from cogs.ui.score import game_over, round_over

log = logging.getLogger(__name__)

GONE: Final = frozenset({10008, 30046, 50083})
"""Codes after which a message cannot be edited, but a new one may be sent: it was deleted; it is old and
was edited too often; its thread is archived, and sending wakes it."""

DEAD_FOR: Final = 300.0
"""Seconds for which a channel that refused a message is left alone."""

_Kind = TypeVar("_Kind", bound=Event)


class DiscordTeller:
    """Tells the people of a table in its channel."""

    def __init__(self, bot: Bot, service: TableService) -> None:
        self._bot = bot
        self._service = service
        self._dead: dict[int, float] = {}
        """Channels that refused a message, and until when nothing is sent there (time of the loop)."""
        self._unstored: dict[tuple[int, str], Message] = {}
        """Messages that were sent when the store could take nothing, by table and slot."""

    async def tell(self, table: Table, notice: Notice, events: tuple[Event, ...]) -> None:
        """Deliver a notice; see the port. Raises TellFailed."""
        now = asyncio.get_running_loop().time()
        if self._dead.get(table.channel_id, now) > now:
            return
        try:
            await self._tell(table, notice, events)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise TellFailed(type(error).__name__) from error
        except discord.RateLimited as error:
            raise TellFailed("rate limited", error.retry_after) from error
        except discord.HTTPException as error:
            if _may_pass(error):
                raise TellFailed(f"status {error.status}") from error
            log.warning(
                "table %s: %s not told in channel %s: %s %s",
                table.id,
                notice.kind,
                table.channel_id,
                error.status,
                error.code,
            )
            if isinstance(error, discord.NotFound | discord.Forbidden):
                self._dead[table.channel_id] = now + DEAD_FOR
                await self._forget(table.id, SLOTS[notice.kind])
        else:
            self._dead.pop(table.channel_id, None)

    async def _tell(self, table: Table, notice: Notice, events: Sequence[Event]) -> None:
        match notice.kind:
            case NoticeKind.LOBBY | NoticeKind.BOARD:
                await self._board(table, notice)
                await self._tidy(table, events)
            case NoticeKind.TURN:
                await self._turn(table, notice)
            case NoticeKind.QUESTION:
                await self._question(table, notice)
            case NoticeKind.ROUND_OVER:
                await self._round_over(table, notice, events)
            case NoticeKind.GAME_OVER:
                await self._game_over(table, notice, events)

    async def _board(self, table: Table, notice: Notice) -> None:
        layout = lobby(face_of(table))
        known = await self._known(table.id, "board")
        if known is not None and await self._edit(known, layout):
            return
        await self._post(table, notice, layout)

    async def _tidy(self, table: Table, events: Sequence[Event]) -> None:
        """Take back what is over: the ping of a turn, the buttons of a question and of a round.

        Where somebody has come or gone meanwhile, the buttons that are still of use are made for the table
        as it is now.
        """
        phase = None
        if table.stage is Stage.PLAYING and table.state is not None:
            phase = table.state.public.phase
        turn = await self._known(table.id, "turn")
        if turn is not None and turn.version != table.turn_version:
            await self._delete(table.id, "turn", turn)
        asked = await self._known(table.id, "question")
        if asked is not None and phase is not Phase.PERMISSION:
            await self._close_question(table, asked, events)
        elif asked is not None and asked.version != table.version:
            await self._renew_question(table, asked)
        over = await self._known(table.id, "round")
        if over is not None and phase is not Phase.ROUND_OVER:
            await self._close_round(table, over)
        elif over is not None and over.version != table.version:
            await self._renew_round(table, over)

    async def _turn(self, table: Table, notice: Notice) -> None:
        """A short message that pings one player; the last one goes."""
        user_id = notice.data.get("user_id")
        if not isinstance(user_id, int) or table.stage is not Stage.PLAYING:
            return
        old = await self._known(table.id, "turn")
        board = await self._known(table.id, "board")
        url = jump_url(table.guild_id, board.channel_id, board.message_id) if board else ""
        content, row = turn_ping(face_of(table), user_id, url)
        await self._send(table, notice, content, row, [user_id])
        if old is not None:
            await self._erase(old)

    async def _question(self, table: Table, notice: Notice) -> None:
        """The question with *Yes* and *No*, which pings the partners who have yet to answer."""
        people = _asked_people(table)
        if people:
            old = await self._known(table.id, "question")
            content, row = question_ping(face_of(table), people)
            await self._send(table, notice, content, row, people)
            if old is not None:
                await self._erase(old)

    async def _round_over(self, table: Table, notice: Notice, events: Sequence[Event]) -> None:
        ended = _find(events, RoundEnded)
        if ended is not None:
            layout = round_over(face_of(table), ended, _round(notice))
            await self._post(table, notice, layout)

    async def _game_over(self, table: Table, notice: Notice, events: Sequence[Event]) -> None:
        ended, game = _find(events, RoundEnded), _find(events, GameEnded)
        if ended is not None and game is not None:
            await self._post(table, notice, game_over(face_of(table), ended, game, _round(notice)))

    async def _post(self, table: Table, notice: Notice, layout: Layout) -> None:
        sent = await self._channel(table.channel_id).send(
            view=layout, nonce=_nonce(notice), allowed_mentions=discord.AllowedMentions.none()
        )
        await self._remember(table, notice, sent.id)

    async def _send(
        self, table: Table, notice: Notice, content: str, row: Row, pinged: Sequence[int]
    ) -> None:
        mentions = discord.AllowedMentions(
            everyone=False, roles=False, replied_user=False, users=[discord.Object(one) for one in pinged]
        )
        sent = await self._channel(table.channel_id).send(
            content, view=row, nonce=_nonce(notice), allowed_mentions=mentions
        )
        await self._remember(table, notice, sent.id)

    async def _known(self, table_id: int, slot: str) -> Message | None:
        """The message under a slot."""
        return self._unstored.get((table_id, slot)) or await self._service.message(table_id, slot)

    async def _remember(self, table: Table, notice: Notice, message_id: int) -> None:
        """A message is out: when the store cannot take it, memory has to do, or it would be sent again."""
        slot = SLOTS[notice.kind]
        message = Message(table.channel_id, message_id, notice.version)
        try:
            await self._service.remember_message(
                table.id, slot, message.channel_id, message.message_id, message.version
            )
        except StoreError as error:
            log.warning("table %s: message %s is kept in memory only: %s", table.id, message_id, error)
            self._unstored[table.id, slot] = message
        else:
            self._unstored.pop((table.id, slot), None)

    async def _forget(self, table_id: int, slot: str) -> None:
        self._unstored.pop((table_id, slot), None)
        await self._service.forget_message(table_id, slot)

    async def _close_question(self, table: Table, asked: Message, events: Sequence[Event]) -> None:
        """The message keeps the answer, which is public and binding, and loses its buttons."""
        face = face_of(table)
        content = question_closed(face, [*face.recent, *events])
        if content is None:
            await self._erase(asked)
        else:
            await self._edit_content(asked, content, None)
        await self._forget(table.id, "question")

    async def _renew_question(self, table: Table, asked: Message) -> None:
        people = _asked_people(table)
        if people:
            content, row = question_ping(face_of(table), people)
            await self._edit_content(asked, content, row)

    async def _close_round(self, table: Table, over: Message) -> None:
        """*Next round* goes from the message of a round when there is one, or never will be."""
        rounds = ended_rounds(await self._service.rounds(table.id))
        if rounds:
            number = max(rounds)
            # Without a state there is no button, also where an ended table was left between two rounds.
            face = replace(face_of(table), public=None)
            await self._edit(over, round_over(face, rounds[number], number))
        await self._forget(table.id, "round")

    async def _renew_round(self, table: Table, over: Message) -> None:
        rounds = ended_rounds(await self._service.rounds(table.id))
        if rounds:
            number = max(rounds)
            await self._edit(over, round_over(face_of(table), rounds[number], number))

    async def _delete(self, table_id: int, slot: str, message: Message) -> None:
        await self._erase(message)
        await self._forget(table_id, slot)

    async def _erase(self, message: Message) -> None:
        """Delete a message of our own; one that cannot be deleted stays."""
        try:
            await self._partial(message).delete()
        except discord.HTTPException as error:
            _give_up(message, error)

    async def _edit(self, message: Message, layout: Layout) -> bool:
        """Whether it could be edited; if not, a new one may be sent."""
        try:
            await self._partial(message).edit(view=layout, allowed_mentions=discord.AllowedMentions.none())
        except discord.HTTPException as error:
            if error.code in GONE:
                return False
            raise
        return True

    async def _edit_content(self, message: Message, content: str, row: Row | None) -> None:
        try:
            await self._partial(message).edit(
                content=content, view=row, allowed_mentions=discord.AllowedMentions.none()
            )
        except discord.HTTPException as error:
            _give_up(message, error)

    def _partial(self, message: Message) -> discord.PartialMessage:
        return self._channel(message.channel_id).get_partial_message(message.message_id)

    def _channel(self, channel_id: int) -> discord.PartialMessageable:
        return self._bot.get_partial_messageable(channel_id)


def _asked_people(table: Table) -> list[int]:
    """The persons who have yet to answer the asker."""
    public = table.state.public if table.state is not None else None
    if public is None or public.phase is not Phase.PERMISSION or table.stage is not Stage.PLAYING:
        return []
    asked = [table.sitter(seat) for seat in who_acts(public)]
    return [sitter.user_id for sitter in asked if sitter is not None and sitter.user_id is not None]


def _may_pass(error: discord.HTTPException) -> bool:
    """Whether the same request may work later."""
    return error.status == 429 or error.status >= 500


def _give_up(message: Message, error: discord.HTTPException) -> None:
    """Leave a message that cannot be tidied as it is. Raises what may pass."""
    if _may_pass(error):
        raise error
    log.info("message %s stays: %s %s", message.message_id, error.status, error.code)


def _nonce(notice: Notice) -> str:
    """At most 25 characters, the same for every delivery of one notice."""
    return f"{notice.table_id}-{notice.version}-{notice.kind[:5]}"[:25]


def _find(events: Sequence[Event], kind: type[_Kind]) -> _Kind | None:
    return next((event for event in reversed(events) if isinstance(event, kind)), None)


def _round(notice: Notice) -> int:
    number = notice.data.get("round")
    return number if isinstance(number, int) else 0
