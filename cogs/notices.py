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
    Invite,
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
from cogs.answers import describe, may_pass
from cogs.places import CLOSED_DMS, Places, why_dead
from cogs.post import Post
from cogs.rounds import ended_rounds
from cogs.ui import pings
from cogs.ui.face import face_of
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


class Notices:
    """Tells notices and tidies up after them."""

    def __init__(self, service: TableService, places: Places, post: Post) -> None:
        self._service = service
        self._places = places
        self._post = post
        self._invited: dict[int, tuple[Invite, ...]] = {}
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
        if asked_people(table) and await self._post.known(table.id, "question") is None:
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
        reminded = await self._post.known(table.id, "reminder")
        if reminded is not None and not 0 < table.turn_version <= reminded.version:
            await self._post.withdraw(table.id, "reminder")

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
            await self._post.erase(known)

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
        asked = await self._post.known(table.id, "question")
        if asked is not None and asked.channel_id != table.channel_id:
            again = Notice(0, table.id, asked.version, NoticeKind.QUESTION, {})
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
        phase = None
        if table.stage is Stage.PLAYING and table.state is not None:
            phase = table.state.public.phase
        await self.tidy_turn(table)
        asked = await self._post.known(table.id, "question")
        if asked is not None and phase is not Phase.PERMISSION:
            await self._close_question(table, asked, events)
        elif asked is not None and asked.version != table.version:
            await self._renew_question(table, asked)
        over = await self._post.known(table.id, "round")
        if over is not None and phase is not Phase.ROUND_OVER:
            await self._close_round(table, over)
        elif over is not None and over.version != table.version:
            await self._renew_round(table, over)
        await self._tidy_seats(table)

    async def _tidy_seats(self, table: Table) -> None:
        playing = table.stage is Stage.PLAYING
        if not (playing and any(sitter.absent for sitter in table.sitters)):
            await self._post.withdraw(table.id, "stand_in")
        invited = await self._post.known(table.id, "invite")
        if not (playing and table.invites):
            self._invited.pop(table.id, None)
            await self._post.withdraw(table.id, "invite")
        elif invited is not None and self._invited.get(table.id) != table.invites:
            content, row = pings.invitations(face_of(table), await self._url(table))
            await self._post.edit_content(invited, content, row)
            self._invited[table.id] = table.invites
        proposed = await self._post.known(table.id, "proposal")
        if proposed is None:
            return
        face = face_of(table)
        if playing and table.proposal is not None:
            if proposed.version >= table.proposal.version and proposed.version != table.version:
                content, row = pings.proposal(face, table.proposal, await self._url(table))
                await self._post.edit_content(proposed, content, row)
        else:
            await self._post.edit_content(proposed, pings.proposal_decided(face, table.clock), None)
            await self._post.forget(table.id, "proposal")

    async def _close_question(self, table: Table, asked: Message, events: Sequence[Event]) -> None:
        """The message keeps the answer, which is public and binding, and loses its buttons."""
        face = face_of(table)
        content = question_closed(face, [*face.recent, *events])
        if content is None:
            await self._post.erase(asked)
        else:
            await self._post.edit_content(asked, content, None)
        await self._post.forget(table.id, "question")

    async def _renew_question(self, table: Table, asked: Message) -> None:
        people = asked_people(table)
        if people:
            content, row = question_ping(face_of(table), people)
            await self._post.edit_content(asked, content, row)

    async def _close_round(self, table: Table, over: Message) -> None:
        """*Next round* goes from the message of a round when there is one, or never will be."""
        rounds = ended_rounds(await self._service.rounds(table.id))
        if rounds:
            number = max(rounds)
            # Without a state there is no button, also where an ended table was left between two rounds.
            face = replace(face_of(table), public=None)
            await self._post.turn_into(over, round_over(face, rounds[number], number))
        await self._post.forget(table.id, "round")

    async def _renew_round(self, table: Table, over: Message) -> None:
        rounds = ended_rounds(await self._service.rounds(table.id))
        if rounds:
            number = max(rounds)
            await self._post.turn_into(over, round_over(face_of(table), rounds[number], number))

    # What somebody waits for

    async def _turn(self, table: Table, notice: Notice, where: Where) -> None:
        """A short message that pings one player; the last one goes."""
        user_id = notice.data.get("user_id")
        if not isinstance(user_id, int) or table.stage is not Stage.PLAYING:
            return
        old = await self._post.known(table.id, "turn")
        content, row = turn_ping(face_of(table), user_id, await self._url(table))
        await self._short(notice, content, row, [user_id], where)
        if old is not None:
            await self._post.erase(old)

    async def _question(self, table: Table, notice: Notice, where: Where) -> None:
        """The question with *Yes* and *No*, which pings the partners who have yet to answer, each once."""
        people = asked_people(table)
        # A notice from before the clocks does not say whom it is for.
        told = told_people(notice) if "user_ids" in notice.data else people
        pinged = [user_id for user_id in people if user_id in told]
        if pinged:
            old = await self._post.known(table.id, "question")
            content, row = question_ping(face_of(table), people)
            await self._short(notice, content, row, pinged, where)
            if old is not None:
                await self._post.erase(old)

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
            if chosen.reminders is not Reminders.OFF and not (
                wants_direct and await self._direct(notice, user_id, content, row, chosen)
            ):
                here.append(user_id)
        if here:
            content, row = pings.reminder(face_of(table), here, table.deadline, url)
            await self._short(notice, content, row, here, where)
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
        if chosen.reminders is Reminders.DM and await self._direct(
            notice, sitter.user_id, content, row, chosen
        ):
            return
        others = [one for one in table.sitters if one.absent and one.seat != sitter.seat]
        content, row = pings.stand_in(face, sitter, url, pings=loud, others=others)
        old = await self._post.known(table.id, "stand_in")
        await self._short(notice, content, row, [sitter.user_id] if loud else [], where)
        if old is not None and old.channel_id == where.channel_id:
            await self._post.erase(old)

    async def _proposal(self, table: Table, notice: Notice) -> None:
        if table.proposal is None or table.stage is Stage.ENDED:
            return
        old = await self._post.known(table.id, "proposal")
        content, row = pings.proposal(face_of(table), table.proposal, await self._url(table))
        await self._short(notice, content, row, [], Where(table.channel_id))
        if old is not None:
            await self._post.erase(old)

    async def _invite(self, table: Table, notice: Notice) -> None:
        seat, user_id = notice.data.get("seat"), notice.data.get("user_id")
        guest = user_id if isinstance(user_id, int) else None
        if isinstance(seat, int) and any(one.seat == seat and one.user_id == guest for one in table.invites):
            old = await self._post.known(table.id, "invite")
            content, row = pings.invitations(face_of(table), await self._url(table))
            pinged = [] if guest is None else [guest]
            await self._short(notice, content, row, pinged, Where(table.channel_id))
            self._invited[table.id] = table.invites
            if old is not None:
                await self._post.erase(old)

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
            await self._post.board(where.channel_id, notice, layout)

    async def _short(
        self, notice: Notice, content: str, row: Row, pinged: Sequence[int], where: Where
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
        )

    async def _direct(
        self, notice: Notice, user_id: int, content: str, row: Row, chosen: Preferences
    ) -> bool:
        """Send a direct message; False when the person takes none. Raises what may pass."""
        try:
            channel_id = await self._post.direct(user_id)
            silent = is_quiet(chosen, discord.utils.utcnow().timestamp())
            await self._post.plain(channel_id, notice, content, row, silent=silent)
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
