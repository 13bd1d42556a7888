"""What each notice says, and what becomes of its message when it is over.

Where it is said is the caller's business (`cogs.teller`): errors of Discord pass up from here.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import discord

from canasta_core.events import Event, GameEnded, RoundEnded
from canasta_core.legality import who_acts
from canasta_core.state import Phase
from canasta_core.tables.clocks import is_away
from canasta_core.tables.model import (
    SLOTS,
    Message,
    Notice,
    NoticeKind,
    Preferences,
    Reminders,
    Sitter,
    Stage,
    Table,
)
from canasta_core.tables.quiet import is_quiet
from canasta_core.tables.service import TableService
from cogs import seat_news
from cogs.answers import describe, may_pass
from cogs.places import CLOSED_DMS, Places, why_dead
from cogs.post import Post
from cogs.rounds import ended_rounds
from cogs.ui import pings
from cogs.ui.face import Face, face_of
from cogs.ui.layout import Row, jump_url
from cogs.ui.lobby import lobby
from cogs.ui.question import question_closed, question_ping, turn_ping
from cogs.ui.score import game_over, round_over

log = logging.getLogger(__name__)

_Kind = TypeVar("_Kind", bound=Event)


@dataclass(frozen=True, slots=True)
class Where:
    """Where something is said."""

    channel_id: int
    more: str = ""
    """Why it is said there, when that is not the table's own channel."""
    pings: bool = True
    beside: bool = False
    """Others are told the same, each in private."""


class Notices:
    """Tells notices and tidies up after them."""

    def __init__(self, service: TableService, places: Places, post: Post) -> None:
        self._service = service
        self._places = places
        self._post = post
        self._invited: dict[int, str] = {}
        """What the message with the invitations of a table shows; it need not be changed with each move."""

    async def tell(self, table: Table, notice: Notice, events: Sequence[Event]) -> None:
        """Tell a notice in the table's channel, and tidy up what is over."""
        match notice.kind:
            case NoticeKind.LOBBY | NoticeKind.BOARD:
                await self._board(table, notice)
                await self._tidy(table, events)
            case NoticeKind.ROUND_OVER:
                await self._round_over(table, notice, events)
            case NoticeKind.PROPOSAL:
                await self._proposal(table, notice)
            case NoticeKind.INVITE:
                await self._invite(table, notice)
            case NoticeKind.MOVED:
                await self._board(table, notice)
                await self._follow(table)
            case _:
                await self.tell_in(table, notice, events, Where(table.channel_id))

    async def tell_in(self, table: Table, notice: Notice, events: Sequence[Event], where: Where) -> None:
        """Tell in any place what people wait for. The other kinds are of no use but at the board."""
        match notice.kind:
            case NoticeKind.TURN:
                await self._turn(table, notice, where)
            case NoticeKind.QUESTION:
                await self._question(table, notice, where)
            case NoticeKind.REMINDER:
                await self._reminder(table, notice, where)
            case NoticeKind.STAND_IN:
                await self._stand_in(table, notice, where)
            case NoticeKind.GAME_OVER:
                await self._game_over(table, notice, events, where)
            case NoticeKind.LEFT | NoticeKind.REPLACED:
                await self._seat_news(table, notice, where)
            case _:
                # Shown again when the table has a place again.
                log.info("table %s: %s not told, its place is lost", table.id, notice.kind)

    async def catch_up(self, table: Table) -> None:
        """Tell what waits for people, unless they have been told of it."""
        where = Where(table.channel_id)
        turn = turn_notice(table)
        if turn is not None:
            known = await self._post.known(table.id, "turn")
            reminded = await self._post.known(table.id, "reminder")
            if not any(one is not None and one.version >= turn.version for one in (known, reminded)):
                await self._turn(table, turn, where)
        if asked_people(table) and not await self._post.every(table.id, "question"):
            await self._question(table, _now_notice(table, NoticeKind.QUESTION), where)
        over = table.state is not None and table.state.public.phase is Phase.ROUND_OVER
        if over and table.stage is Stage.PLAYING and await self._post.known(table.id, "round") is None:
            rounds = ended_rounds(await self._service.rounds(table.id))
            if rounds:
                layout = round_over(face_of(table), rounds[max(rounds)], max(rounds))
                await self._post.board(table.channel_id, _now_notice(table, NoticeKind.ROUND_OVER), layout)

    async def tidy_turn(self, table: Table) -> None:
        """Take back the pings of a turn that is over."""
        turn = await self._post.known(table.id, "turn")
        if turn is not None and turn.version != table.turn_version:
            await self._post.withdraw(table.id, "turn")
        reminded = await self._post.every(table.id, "reminder")
        if any(not 0 < table.turn_version <= one.version for one in reminded):
            await self._post.withdraw(table.id, "reminder")

    async def tidy_elsewhere(self, table: Table, events: Sequence[Event]) -> None:
        """Take back what is over and was told near a dead place. The rest waits for that."""
        await self.tidy_turn(table)
        asked = await self._post.every(table.id, "question")
        if not any(self._places.is_dead(one.channel_id) for one in asked):
            await self._tidy_question(table, events)
        await self._tidy_stand_in(table)

    # The board, and what is over

    async def _board(self, table: Table, notice: Notice) -> None:
        layout = lobby(face_of(table))
        known = await self._post.known(table.id, "board")
        if known is not None and known.channel_id != table.channel_id:
            await self._point_away(table, known)
            known = None
        if known is not None and await self._post.edit(known, layout):
            return
        await self._post.board(table.channel_id, notice, layout, slot="board")
        if known is not None:
            # Where it is still there but cannot be edited, it would stand beside the new one.
            await self._post.erase(table.id, known)

    async def _point_away(self, table: Table, old: Message) -> None:
        """The board of the place that the table has left says where it is now."""
        if not self._places.is_dead(old.channel_id):
            await self._post.turn_into(old, pings.moved(face_of(table), table.channel_id))

    async def _follow(self, table: Table) -> None:
        """What somebody waits for comes along to the table's new place; who was pinged is not again."""
        where = Where(table.channel_id, pings=False)
        turn, notice = await self._post.known(table.id, "turn"), turn_notice(table)
        reminded = await self._post.known(table.id, "reminder") if turn is None else None
        left = turn or reminded
        if left is not None and left.channel_id != table.channel_id and notice is not None:
            await self._turn(table, notice, where)
            if reminded is not None:
                await self._post.withdraw(table.id, "reminder")
        asked = await self._post.every(table.id, "question")
        if asked and all(one.channel_id != table.channel_id for one in asked):
            again = Notice(0, table.id, asked[-1].version, NoticeKind.QUESTION, {})
            await self._question(table, again, where)
        over = await self._post.known(table.id, "round")
        if over is not None and over.channel_id != table.channel_id:
            await self._close_round(table, over)
        for slot in ("stand_in", "invite", "proposal"):
            message = await self._post.known(table.id, slot)
            if message is not None and message.channel_id != table.channel_id:
                await self._post.withdraw(table.id, slot)
        if table.proposal is not None:
            await self._proposal(table, _now_notice(table, NoticeKind.PROPOSAL))
        await self.catch_up(table)

    async def _tidy(self, table: Table, events: Sequence[Event]) -> None:
        """Take back what is over: the ping of a turn, the buttons of a question and of a round.

        Where somebody has come or gone meanwhile, the buttons that are still of use are made for the table
        as it is now.
        """
        phase = _phase(table)
        await self.tidy_turn(table)
        await self._tidy_question(table, events)
        over = await self._post.known(table.id, "round")
        if over is not None and phase is not Phase.ROUND_OVER:
            await self._close_round(table, over)
        elif over is not None and over.version != table.version:
            await self._renew_round(table, over, face_of(table))
        await self._tidy_seats(table)

    async def _tidy_stand_in(self, table: Table) -> None:
        if table.stage is not Stage.PLAYING or not any(sitter.absent for sitter in table.sitters):
            await self._post.withdraw(table.id, "stand_in")

    async def _tidy_seats(self, table: Table) -> None:
        playing = table.stage is Stage.PLAYING
        await self._tidy_stand_in(table)
        invited = await self._post.known(table.id, "invite")
        if not (playing and table.invites):
            self._invited.pop(table.id, None)
            await self._post.withdraw(table.id, "invite")
        elif invited is not None:
            content, row = await seat_news.invitations(self._service, table, await self._url(table))
            if self._invited.get(table.id) != content:
                await self._post.edit_content(invited, content, row)
                self._invited[table.id] = content
        proposed = await self._post.known(table.id, "proposal")
        if proposed is None:
            return
        face = face_of(table)
        if table.stage is not Stage.ENDED and table.proposal is not None:
            if proposed.version >= table.proposal.version and proposed.version != table.version:
                content, row = pings.proposal(face, table.proposal, await self._url(table))
                await self._post.edit_content(proposed, content, row)
        else:
            await self._post.edit_content(proposed, await seat_news.decided(self._service, table), None)
            await self._post.forget(table.id, "proposal")

    async def _tidy_question(self, table: Table, events: Sequence[Event]) -> None:
        """Its message keeps the answer, which is public and binding, and loses its buttons."""
        asked = await self._post.every(table.id, "question")
        face, people = face_of(table), asked_people(table)
        if not asked:
            return
        if _phase(table) is Phase.PERMISSION:
            content, row = question_ping(face, people)
            for message in asked:
                if people and message.version != table.version:
                    await self._post.edit_content(message, content, row)
            return
        closed = question_closed(face, [*face.recent, *events])
        for message in asked:
            if closed is None:
                await self._post.erase(table.id, message)
            else:
                await self._post.edit_content(message, closed, None)
        await self._post.forget(table.id, "question")

    async def _close_round(self, table: Table, over: Message) -> None:
        """*Next round* goes from the message of a round when there is one, or never will be."""
        # Without a state there is no button, also where an ended table was left between two rounds.
        await self._renew_round(table, over, replace(face_of(table), public=None))
        await self._post.forget(table.id, "round")

    async def _renew_round(self, table: Table, over: Message, face: Face) -> None:
        rows = await self._service.rounds(table.id)
        if rows:
            last = rows[-1]
            out = await seat_news.exit_of(self._service, table, last)
            ended = ended_rounds(rows)[last.round_number]
            await self._post.turn_into(over, round_over(face, ended, last.round_number, out))

    # What somebody waits for

    async def _turn(self, table: Table, notice: Notice, where: Where) -> None:
        """A short message that pings one player; the last one goes."""
        user_id = notice.data.get("user_id")
        if not isinstance(user_id, int) or table.stage is not Stage.PLAYING:
            return
        content, row = turn_ping(face_of(table), user_id, await self._url(table))
        await self._short(notice, content, row, [user_id], where)

    async def _question(self, table: Table, notice: Notice, where: Where) -> None:
        """The question with *Yes* and *No*, which pings the partners who have yet to answer, each once."""
        people = asked_people(table)
        # A notice from before the clocks does not say whom it is for.
        told = told_people(notice) if "user_ids" in notice.data else people
        pinged = [user_id for user_id in people if user_id in told]
        if pinged:
            content, row = question_ping(face_of(table), people)
            await self._short(notice, content, row, pinged, where)

    async def _reminder(self, table: Table, notice: Notice, where: Where) -> None:
        """A second and last ping for a turn, in the place of the first; as the person wants it."""
        people = [user_id for user_id in told_people(notice) if is_waited_for(table, user_id)]
        if not people or table.deadline is None:
            return
        url = await self._url(table)
        here = []
        for user_id in people:
            chosen = await self._service.preferences(user_id)
            content, row = pings.reminder(face_of(table), [user_id], table.deadline, url)
            wants_direct = chosen.reminders is Reminders.DM
            beside = where.beside or len(people) > 1
            if chosen.reminders is not Reminders.OFF and not (
                wants_direct and await self._direct(notice, user_id, content, row, chosen, beside=beside)
            ):
                here.append(user_id)
        if here:
            content, row = pings.reminder(face_of(table), here, table.deadline, url)
            await self._short(notice, content, row, here, where, apart=True)
            if turn_notice(table) is not None:
                await self._post.withdraw(table.id, "turn")

    async def _stand_in(self, table: Table, notice: Notice, where: Where) -> None:
        """Tells a person once that an AI player keeps their seat, with the click that ends it."""
        sitter = absent(table, notice.data.get("user_id"))
        if sitter is None or sitter.user_id is None:
            return
        chosen = await self._service.preferences(sitter.user_id)
        loud = chosen.reminders is not Reminders.OFF
        url, face = await self._url(table), face_of(table)
        content, row = pings.stand_in(face, sitter, url, pings=loud)
        # One in another channel is another person's own: it goes when all are back.
        if chosen.reminders is Reminders.DM and await self._direct(
            notice, sitter.user_id, content, row, chosen, apart=True
        ):
            return
        others = [one for one in table.sitters if one.absent and one.seat != sitter.seat]
        content, row = pings.stand_in(face, sitter, url, pings=loud, others=others)
        await self._short(notice, content, row, [sitter.user_id] if loud else [], where, apart=True)

    async def _proposal(self, table: Table, notice: Notice) -> None:
        if table.proposal is None or table.stage is Stage.ENDED:
            return
        content, row = pings.proposal(face_of(table), table.proposal, await self._url(table))
        await self._short(notice, content, row, [], Where(table.channel_id))

    async def _invite(self, table: Table, notice: Notice) -> None:
        seat, user_id = notice.data.get("seat"), notice.data.get("user_id")
        guest = user_id if isinstance(user_id, int) else None
        if isinstance(seat, int) and any(one.seat == seat and one.user_id == guest for one in table.invites):
            content, row = await seat_news.invitations(self._service, table, await self._url(table))
            pinged = [] if guest is None else [guest]
            await self._short(notice, content, row, pinged, Where(table.channel_id))
            self._invited[table.id] = content

    async def _seat_news(self, table: Table, notice: Notice, where: Where) -> None:
        """A line that stays: what was said before is not taken back for it."""
        before = await self._post.known(table.id, SLOTS[notice.kind])
        if before is not None and before.version != notice.version:
            await self._post.forget(table.id, SLOTS[notice.kind])
        said, pinged = await seat_news.told(self._service, table, notice, await self._url(table))
        if said:
            await self._short(notice, said, Row(), pinged, where)

    async def _round_over(self, table: Table, notice: Notice, events: Sequence[Event]) -> None:
        ended = _find(events, RoundEnded)
        if ended is not None:
            layout = round_over(face_of(table), ended, _round(notice))
            await self._post.board(table.channel_id, notice, layout)

    async def _game_over(self, table: Table, notice: Notice, events: Sequence[Event], where: Where) -> None:
        ended, game = _find(events, RoundEnded), _find(events, GameEnded)
        if ended is not None and game is not None:
            results = await self._service.results(table.id)
            layout = game_over(face_of(table), ended, game, _round(notice), results)
            await self._post.board(where.channel_id, notice, layout, beside=where.beside)

    async def _short(
        self,
        notice: Notice,
        content: str,
        row: Row,
        pinged: Sequence[int],
        where: Where,
        apart: bool = False,
    ) -> None:
        """Send a short message; without a sound when all whom it pings have their quiet hours."""
        now = discord.utils.utcnow().timestamp()
        quiet = [is_quiet(await self._service.preferences(user_id), now) for user_id in pinged]
        await self._post.plain(
            where.channel_id,
            notice,
            f"{content}\n{where.more}" if where.more else content,
            row,
            pinged=pinged if where.pings else (),
            silent=not where.pings or (bool(quiet) and all(quiet)),
            beside=where.beside,
            apart=apart,
        )

    async def _direct(
        self,
        notice: Notice,
        user_id: int,
        content: str,
        row: Row,
        chosen: Preferences,
        *,
        beside: bool = False,
        apart: bool = False,
    ) -> bool:
        """Send a direct message; False when the person takes none. Raises what may pass."""
        try:
            channel_id = await self._post.direct(user_id)
            silent = is_quiet(chosen, discord.utils.utcnow().timestamp())
            await self._post.plain(
                channel_id, notice, content, row, silent=silent, beside=beside, apart=apart
            )
        except discord.HTTPException as error:
            if may_pass(error) or not takes_none(error):
                raise
            log.info("table %s: no direct message to %s: %s", notice.table_id, user_id, describe(error))
            return False
        return True

    async def _url(self, table: Table) -> str:
        board = await self._post.known(table.id, "board")
        if board is None or self._places.is_dead(board.channel_id):
            return ""
        return jump_url(table.guild_id, board.channel_id, board.message_id)


def _phase(table: Table) -> Phase | None:
    """The phase of a game that is played."""
    if table.stage is not Stage.PLAYING or table.state is None:
        return None
    return table.state.public.phase


def takes_none(error: discord.HTTPException) -> bool:
    """Whether this says that a person cannot be sent direct messages."""
    return error.code in CLOSED_DMS or why_dead(error) is not None


def turn_notice(table: Table) -> Notice | None:
    """The notice of the present turn, when a person is in turn who plays and is not away."""
    if table.state is None or table.stage is not Stage.PLAYING or not table.turn_version:
        return None
    public = table.state.public
    sitter = table.sitter(public.turn)
    if public.phase not in (Phase.DRAW, Phase.PLAY) or sitter is None or not sitter.is_active:
        return None
    if is_away(sitter, discord.utils.utcnow().timestamp()):
        return None
    data = {"seat": sitter.seat, "user_id": sitter.user_id}
    return Notice(0, table.id, table.turn_version, NoticeKind.TURN, data)


def told_people(notice: Notice) -> list[int]:
    """The persons whom a question or a reminder is for."""
    found = notice.data.get("user_ids")
    return [user_id for user_id in found if isinstance(user_id, int)] if isinstance(found, list) else []


def asked_people(table: Table) -> list[int]:
    """The persons who have yet to answer the asker."""
    public = table.state.public if table.state is not None else None
    if public is None or public.phase is not Phase.PERMISSION or table.stage is not Stage.PLAYING:
        return []
    asked = [table.sitter(seat) for seat in who_acts(public)]
    return [
        sitter.user_id
        for sitter in asked
        if sitter is not None and sitter.user_id is not None and sitter.is_active
    ]


def is_waited_for(table: Table, user_id: int) -> bool:
    """Whether the game waits for this person now."""
    if table.state is None or table.stage is not Stage.PLAYING or table.rests:
        return False
    seat = table.seat_of(user_id)
    sitter = None if seat is None else table.sitter(seat)
    return sitter is not None and sitter.is_active and seat in who_acts(table.state.public)


def absent(table: Table, user_id: object) -> Sitter | None:
    """A person whose seat an AI player keeps."""
    return next(
        (one for one in table.sitters if one.absent and one.user_id is not None and one.user_id == user_id),
        None,
    )


def _now_notice(table: Table, kind: NoticeKind) -> Notice:
    return Notice(0, table.id, table.version, kind, {})


def _find(events: Sequence[Event], kind: type[_Kind]) -> _Kind | None:
    return next((event for event in reversed(events) if isinstance(event, kind)), None)


def _round(notice: Notice) -> int:
    number = notice.data.get("round")
    return number if isinstance(number, int) else 0
