"""What commands and clicks share: which table is meant, the one way to move, and private answers.

Every interaction is deferred first, and answered by editing what the deferral left: a new private message
for a command or a click on a public message, and for a click on a private message that message itself.
Everything that can go wrong is answered here, in `guarded`.
"""

import logging
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import discord
from discord import app_commands

from canasta_core.actions import SeatAction
from canasta_core.cards import Card
from canasta_core.profiles import RulesError
from canasta_core.refusals import Code, Refusal
from canasta_core.tables.errors import StaleTable, StoreError, TableCode, TableError
from canasta_core.tables.glance import Glance
from canasta_core.tables.model import Acted, Person, Stage, Table
from canasta_core.tables.service import TableService
from cogs import answers
from cogs.rights import learn, rights_in
from cogs.ui.board import back_button
from cogs.ui.events_text import own_moves
from cogs.ui.face import face_of
from cogs.ui.hand import hand
from cogs.ui.layout import Click, Layout, jump_url, name_text, note, table_name
from cogs.ui.refusals_text import reason_text, refusal_text, rules_error_text, table_error_text
from cogs.ui.rules_scenes import tried_text
from cogs.ui.rules_topics import OF_THE_MOMENT
from cogs.ui.tables import chooser, in_order, listed, waits_for
from cogs.ui.text import text
from cogs.ui.why import refused_buttons, why_button

log = logging.getLogger(__name__)

Interaction = discord.Interaction[Any]
Errand = Callable[["Desk", Interaction, Table, str], Awaitable[None]]
"""What a command does once its table is known; the text is what was typed."""
Find = Callable[["Desk", Interaction, str | None], Awaitable[Table]]
"""How a command finds its table. Raises SeveralTablesError, DeskError, TableError."""
Handler = Callable[["Desk", Interaction, Click], Awaitable[None]]
"""What a click does."""

MOST_TYPED: Final = 300
"""Characters of a move that are read; the longest sensible one has half of that."""
REFUSED_KEPT: Final = 1000
"""Refused moves that are remembered at most."""
_TABLE: Final = "table"
"""Where an interaction keeps the table that it turned out to be about: an error can then name it."""
_OLD_COMMAND: Final = (app_commands.CommandNotFound, app_commands.CommandSignatureMismatch)


class DeskError(Exception):
    """A request that Discord's side cannot meet: a key `problem-<code>` and its facts."""

    def __init__(self, code: str, **facts: int | str) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts


class SeveralTablesError(Exception):
    """A command that could mean more than one table."""

    def __init__(self, tables: Sequence[Table]) -> None:
        super().__init__(len(tables))
        self.tables = tables


class Desk:
    """One bot's front desk."""

    def __init__(self, service: TableService) -> None:
        self.service = service
        self.errands: dict[str, Errand] = {}
        """What the commands do, by a name of their own."""
        self.handlers: dict[str, Handler] = {}
        """What the clicks do, by verb."""
        self.refused = LastRefused()

    @asynccontextmanager
    async def guarded(self, interaction: Interaction) -> AsyncIterator[None]:
        """Answer whatever goes wrong inside, to begin with the deferral."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - every interaction gets an answer; the rest is logged there
            await self.answer_error(interaction, error)

    async def answer_error(self, interaction: Interaction, error: Exception) -> None:
        """Say privately what went wrong; what is unexpected is logged under the reference that is told."""
        locale = locale_of(interaction)
        if isinstance(error, DeskError):
            words_ = text(locale, f"problem-{error.code}", **error.facts)
        elif isinstance(error, TableError):
            table: Table | None = interaction.extras.get(_TABLE)
            face, url = (face_of(table), await self.board_url(table)) if table is not None else (None, "")
            words_ = table_error_text(locale, error, face=face, url=url)
        elif isinstance(error, _OLD_COMMAND):
            words_ = text(locale, "problem-old-command")
        elif isinstance(error, RulesError):
            words_ = rules_error_text(locale, error)
        else:
            reference = secrets.token_hex(3)
            key = "problem-storage" if isinstance(error, StoreError) else "problem-unexpected"
            log.error("reference %s: interaction failed", reference, exc_info=error)
            words_ = text(locale, key, reference=reference)
        try:
            await begin(interaction)
            await show(interaction, note(words_))
        except discord.HTTPException:
            # A wrong request, which is a defect; all else has been dealt with where it happened.
            log.exception("interaction %s has no answer", interaction.id)

    async def show_hand(
        self,
        interaction: Interaction,
        table: Table,
        said: str = "",
        chosen: Sequence[int] = (),
        refusal: Refusal | None = None,
        throwing: Card | None = None,
        tried: SeatAction | str | None = None,
    ) -> None:
        """The player's hand as it is now; `refusal` says why something cannot be done, and offers more.

        `tried` is the move that was refused; `throwing` a card that they are asked about before it goes.

        Raises TableError: not_seated, not_started.
        """
        view = table.view(seat_of(interaction, table))
        face = face_of(table)
        url = await self.board_url(table)
        if refusal is not None:
            said = refusal_text(face, refusal, view, tried)
        layout = hand(face, view, url=url, said=said, chosen=chosen, throwing=throwing)
        if refusal is not None:
            layout.add_item(discord.ui.ActionRow(why_button(face, refusal, view, tried)))
        await show(interaction, layout)

    async def board_url(self, table: Table | Glance) -> str:
        """Where the board is; empty when there is none, or nobody can say now.

        A move that is stored must not be answered as one that failed, so a link is never worth an error.
        """
        try:
            message = await self.service.message(table.id, "board")
        except StoreError as error:
            log.warning("no link to the board of table %s: %s", table.id, error)
            return ""
        return jump_url(table.guild_id, message.channel_id, message.message_id) if message else ""

    async def table(self, interaction: Interaction, table_id: int) -> Table:
        """A table of this server that the person may see; any other is refused as if there were none.

        In a direct message, whose buttons the bot sends when the table's channel is of no use, any table
        where the person sits.
        """
        table = await self.service.get(table_id)
        alone = interaction.guild_id is None and table.seat_of(interaction.user.id) is not None
        if not alone and table.guild_id != interaction.guild_id:
            raise TableError(TableCode.NO_SUCH_TABLE)
        await learn(interaction, [table.channel_id])  # for who may see it here, and who moderates there
        if not alone and not may_see(interaction, table):
            raise TableError(TableCode.NO_SUCH_TABLE)
        interaction.extras[_TABLE] = table
        return table

    async def named_table(self, interaction: Interaction, named: str) -> Table:
        """The table that an option `table:` names, by its number."""
        digits = named.strip().lstrip("#").strip()
        if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
            raise DeskError("unknown_table", text=name_text(named, 40))
        return await self.table(interaction, int(digits))

    async def my_table(self, interaction: Interaction, named: str | None) -> Table:
        """The table that a player's move means.

        The named one; else that of this channel where it is their turn; else that of the server where it
        is; else the one here where they sit; else the only one there is. Nobody moves unasked where they
        do not look: who plays here out of turn, and is waited for elsewhere, is asked.
        Raises SeveralTablesError, DeskError, TableError.
        """
        if named:
            return await self.named_table(interaction, named)
        user, mine, here = await self._own_tables(interaction)
        waiting = [table for table in mine if waits_for(table, user)]
        if not any(table in here for table in waiting):
            playing_here = [table for table in here if waiting and table.stage is Stage.PLAYING]
            elsewhere = only_of([*waiting, *playing_here])
            if elsewhere is not None:
                return elsewhere
        return _meant(user, here, mine)

    async def hand_table(self, interaction: Interaction, named: str | None) -> Table:
        """The same for a hand, which can be looked at out of turn: one of this channel comes first."""
        if named:
            return await self.named_table(interaction, named)
        user, mine, here = await self._own_tables(interaction)
        return _meant(user, here, mine)

    async def any_table(self, interaction: Interaction, named: str | None) -> Table:
        """The same for who only looks: those of this channel come first, and there their own ones."""
        if named:
            return await self.named_table(interaction, named)
        user, mine, here = await self._own_tables(interaction)
        there = await self.service.tables_in(guild_of(interaction), interaction.channel_id)
        if not (there or mine):
            raise DeskError("no_table_here")
        return _meant(user, here, there, mine)

    async def _own_tables(self, interaction: Interaction) -> tuple[int, list[Table], list[Table]]:
        """Who asks, where they sit on this server, and which of these tables are in this channel."""
        user = interaction.user.id
        mine = await self.service.tables_of(user, guild_of(interaction))
        return user, mine, [table for table in mine if table.channel_id == interaction.channel_id]

    async def run(
        self,
        interaction: Interaction,
        named: str | None,
        errand: str,
        typed: str = "",
        *,
        looks: bool = False,
        find: Find | None = None,
    ) -> None:
        """A whole command: find its table (or ask which one is meant) and do the errand there.

        By default it is a player's move; `looks`: of somebody who only looks; `find`: in a way of its own.
        """
        async with self.guarded(interaction):
            await begin(interaction)
            if len(typed) > MOST_TYPED:
                raise DeskError("too_long", count=len(typed), most=MOST_TYPED)
            try:
                if find is not None:
                    table = await find(self, interaction, named)
                else:
                    table = await (self.any_table if looks else self.my_table)(interaction, named)
            except SeveralTablesError as several:
                await self.ask_which(interaction, several.tables, f"{errand} {typed}".strip())
                return
            interaction.extras[_TABLE] = table
            await self.errands[errand](self, interaction, table, typed)

    async def ask_which(
        self, interaction: Interaction, tables: Sequence[Table], errand: str, page: int = 0
    ) -> None:
        """Ask which table a command meant; the errand waits in the question. Raises DeskError."""
        user = interaction.user.id
        rows = in_order([listed(table, user) for table in tables], interaction.channel_id)
        question = chooser(locale_of(interaction), rows, errand, now=now(), page=page)
        if question is None:
            raise DeskError("several_tables")
        await show(interaction, question)

    async def move(
        self, interaction: Interaction, table: Table, action: SeatAction | str, expected: int | None = None
    ) -> None:
        """The one way to move: act, and show the player what came of it.

        A click passes the version it was made for: when the table has moved on, nothing is done, and the
        player sees how it is now.
        """
        kept = is_kept(table, seat_of(interaction, table))
        try:
            acted = await self.service.act(table.id, interaction.user.id, action, expected)
        except StaleTable:
            await self.show_moved(interaction, table.id)
        except Refusal as refusal:
            await self.show_refused(interaction, table.id, refusal, action)
        else:
            self.refused.forget(table.id, interaction.user.id)
            await self.show_acted(interaction, acted, text(table.locale, "back-by-move") if kept else "")
            sitter = table.sitter(acted.seat)
            if sitter is not None and sitter.name != interaction.user.display_name:
                await self._meet(interaction)

    async def keep_name(self, interaction: Interaction) -> None:
        """Bring the name of somebody up to date who is known already; who only looks is not remembered."""
        user = interaction.user
        known = (await self.service.names([user.id])).get(user.id)
        if known is not None and known != user.display_name:
            await self._meet(interaction)

    async def _meet(self, interaction: Interaction) -> None:
        try:
            await self.service.meet(person_of(interaction))
        except StoreError as error:
            log.warning("a new name is not kept: %s", error)  # the next change brings it again

    async def show_acted(self, interaction: Interaction, acted: Acted, said: str = "") -> None:
        """What somebody has just done, after what else there is to say."""
        lines = own_moves(face_of(acted.table), acted.seat, acted.events)
        await self.show_hand(interaction, acted.table, "\n".join(filter(None, [said, *lines])))

    async def show_moved(self, interaction: Interaction, table_id: int) -> None:
        """A stale click: the table as it is now."""
        table = await self.table(interaction, table_id)
        await self.show_hand(interaction, table, text(table.locale, "hand-moved"))

    async def show_refused(
        self, interaction: Interaction, table_id: int, refusal: Refusal, action: SeatAction | str
    ) -> None:
        """Why a move was refused; the hand stays where it was shown."""
        table = await self.table(interaction, table_id)
        face, view = face_of(table), table.view(seat_of(interaction, table))
        if refusal.code not in OF_THE_MOMENT:
            tried = tried_text(table.locale, action, view.hand.cards)
            refused = Refused(tried, refusal.code, reason_text(face, refusal, view, action))
            self.refused.remember(table.id, interaction.user.id, refused)
        if is_private(interaction):
            await self.show_hand(interaction, table, refusal=refusal, tried=action)
        else:
            said = refusal_text(face, refusal, view, action)
            controls = refused_buttons(face, refusal, view, action)
            if is_kept(table, view.seat):
                # Out of turn an AI player keeps the seat on, until its person says so.
                said = f"{said}\n{face.words('hand-kept')}"
                controls.append(back_button(face))
            await show(interaction, note(said, *controls))


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused move as its player was told of it: what was tried, and why not."""

    tried: str
    code: Code
    reason: str


class LastRefused:
    """The last move of each person at each table, where it was refused.

    A convenience, kept in memory only: nothing is lost with it but an answer's first line.
    """

    def __init__(self) -> None:
        self._moves: OrderedDict[tuple[int, int], Refused] = OrderedDict()

    def remember(self, table_id: int, user_id: int, refused: Refused) -> None:
        self._moves[table_id, user_id] = refused
        self._moves.move_to_end((table_id, user_id))
        if len(self._moves) > REFUSED_KEPT:
            self._moves.popitem(last=False)

    def forget(self, table_id: int, user_id: int) -> None:
        self._moves.pop((table_id, user_id), None)

    def forget_all(self, user_id: int) -> None:
        for key in [key for key in self._moves if key[1] == user_id]:
            del self._moves[key]

    def of(self, table_id: int, user_id: int) -> Refused | None:
        return self._moves.get((table_id, user_id))


async def begin(interaction: Interaction) -> None:
    """Answer within Discord's three seconds, before any work.

    Privately; and where a private message was clicked, on that message.
    """
    update = interaction.type is discord.InteractionType.component and is_private(interaction)
    await answers.defer(interaction, update=update)


async def show(
    interaction: Interaction, layout: Layout, uploads: Sequence[answers.Upload] | None = None
) -> None:
    """Put a layout where the deferred answer is; see `cogs.answers` for what becomes of it on the way."""
    await answers.deliver(interaction, layout, uploads)


def is_private(interaction: Interaction) -> bool:
    """Whether a click was made on a private message."""
    return interaction.message is not None and interaction.message.flags.ephemeral


def selected(interaction: Interaction) -> list[str]:
    """What was chosen in the select that was clicked."""
    data: dict[str, Any] = dict(interaction.data or {})
    return list(data.get("values", []))


def locale_of(interaction: Interaction) -> str:
    return str(interaction.locale)


def guild_of(interaction: Interaction) -> int:
    """Raises DeskError where there is no server."""
    if interaction.guild_id is None:
        raise DeskError("guild_only")
    return interaction.guild_id


def person_of(interaction: Interaction) -> Person:
    return Person(interaction.user.id, interaction.user.display_name)


def is_moderator(interaction: Interaction, table: Table) -> bool:
    """Who manages the messages of the table's channel, or the channel, may do there what its host may."""
    return moderates(interaction, table.channel_id)


def moderates(interaction: Interaction, channel_id: int) -> bool:
    """Whether somebody manages the messages of a channel, or the channel.

    The right counts there, not where the command was typed; where the channel is gone, the right on the
    whole server does.
    """
    allowed = rights_in(interaction, channel_id)
    if allowed is None:
        user = interaction.user
        allowed = user.guild_permissions if isinstance(user, discord.Member) else discord.Permissions.none()
    return allowed.manage_messages or allowed.manage_channels


def may_see(interaction: Interaction, table: Table | Glance) -> bool:
    """Whether somebody may know of a table of this server: who is at it, and who sees its channel.

    Where Discord tells nothing of the channel (it is gone, say), it may have been a private one: then only
    those who are at the table may, and moderators of the server. Of a game that has ended those are at it
    who sat there at its end.
    """
    user = interaction.user
    if table.channel_id == interaction.channel_id or table.seat_of(user.id) is not None:
        return True
    if user.id == table.host_id or any(invite.user_id == user.id for invite in table.invites):
        return True
    allowed = rights_in(interaction, table.channel_id)
    return moderates(interaction, table.channel_id) if allowed is None else allowed.view_channel


def seat_of(interaction: Interaction, table: Table) -> int:
    """Raises TableError not_seated."""
    seat = table.seat_of(interaction.user.id)
    if seat is None:
        raise TableError(TableCode.NOT_SEATED)
    return seat


def is_kept(table: Table, seat: int) -> bool:
    """Whether an AI player keeps a person's seat."""
    sitter = table.sitter(seat)
    return sitter is not None and sitter.absent


def sentence(table: Table, key: str, **facts: int | str) -> str:
    """Words about a table, which they name, in its language."""
    said = text(table.locale, key, table=table_name(table.locale, table.id), **facts)
    return said[:1].upper() + said[1:]


async def say_done(interaction: Interaction, table: Table, key: str, **facts: int | str) -> None:
    """Answer with what has become of a table."""
    await show(interaction, note(sentence(table, key, **facts)))


def only_of(*groups: Sequence[Table]) -> Table | None:
    """The table of the first group that is not empty. Raises SeveralTablesError."""
    found = next(filter(None, groups), ())
    if len(found) > 1:
        raise SeveralTablesError(found)
    return found[0] if found else None


def _meant(user_id: int, *groups: Sequence[Table]) -> Table:
    """Of the first group that is not empty the only table where it is somebody's turn, else the only one.

    Raises SeveralTablesError with all of the group, DeskError where all are empty.
    """
    group = next(filter(None, groups), ())
    waiting = [table for table in group if waits_for(table, user_id)]
    found = waiting[0] if len(waiting) == 1 else only_of(group)
    if found is None:
        raise DeskError("no_tables")
    return found


def now() -> float:
    """Unix seconds, by the clock that discord.py goes by."""
    return discord.utils.utcnow().timestamp()
