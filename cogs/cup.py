"""`/canasta cup`: opening a cup, signing up, starting it, its standings; and what is told of it by itself."""

import hashlib
import logging
from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands

from canasta_core.tables.cup_model import (
    MOST_ROUNDS,
    SEATS,
    ChannelGoneError,
    Cup,
    CupKind,
    CupStage,
    CupTable,
)
from canasta_core.tables.errors import StoreError, TableCode, TableError, TellFailed
from canasta_core.tables.service import TableService
from cogs.answers import NETWORK, describe, may_pass
from cogs.autocomplete import Choice, choices
from cogs.clicks import Bot
from cogs.desk import (
    Desk,
    DeskError,
    Interaction,
    begin,
    guild_of,
    is_private,
    locale_of,
    moderates,
    person_of,
    show,
)
from cogs.house_rules import house_rules, rules_options, targets
from cogs.opening import ARCHIVE, clock_choices, own_threads, profile_choices, terms, with_default
from cogs.permissions import check_closed_threads
from cogs.rights import rights_in
from cogs.ui.cup import cup_name, full_name, sign_up, standings_layout
from cogs.ui.layout import Click, Layout, Verb, bare_name, button, name_text, note
from cogs.ui.text import command_text, text

log = logging.getLogger(__name__)

LONGEST_TITLE: Final = 60
_SURE: Final = "sure"
"""Argument of the second click, which does what the first one has asked about."""
_GONE: Final = frozenset({10008, 30046})
"""The message was deleted, or is old and was edited too often: another one may be sent."""
_STRANGERS: Final = frozenset({10007, 10013})
"""Whoever is to be let into a thread is not on the server, or is nobody any more."""


def register(desk: Desk, group: app_commands.Group, bot: Bot) -> None:
    """Add `/canasta cup` to the group, its clicks to the desk, and who tells of cups to the tables."""
    desk.service.tell_cups(DiscordCups(bot, desk.service))
    desk.handlers |= {
        Verb.CUP_JOIN: _click_join,
        Verb.CUP_LEAVE: _click_leave,
        Verb.CUP_START: _click_start,
        Verb.CUP_END: _click_end,
        Verb.CUP_STANDINGS: _click_standings,
    }
    cups = app_commands.Group(name="cup", description=command_text("command-cup"), parent=group)
    _open_command(desk, cups)
    _people_commands(desk, cups)
    _host_commands(desk, cups)


def _open_command(desk: Desk, cups: app_commands.Group) -> None:
    @cups.command(name="open", description=command_text("command-cup-open"))
    @app_commands.describe(
        title=command_text("option-cup-title"),
        profile=command_text("option-profile"),
        kind=command_text("option-cup-kind"),
        rounds=command_text("option-cup-rounds"),
        target=command_text("option-cup-target"),
        options=command_text("option-options"),
        clock=command_text("option-clock"),
    )
    @app_commands.choices(
        profile=profile_choices(SEATS),
        kind=[
            app_commands.Choice(name=command_text(f"cup-kind-{kind}"), value=str(kind)) for kind in CupKind
        ],
    )
    @app_commands.choices(clock=clock_choices())
    @app_commands.autocomplete(target=with_default(desk, targets), options=with_default(desk, house_rules))
    async def open_(
        interaction: Interaction,
        title: str = "",
        profile: str | None = None,
        kind: str = CupKind.SWISS,
        rounds: app_commands.Range[int, 1, MOST_ROUNDS] | None = None,
        target: int | None = None,
        options: str = "",
        clock: int | None = None,
    ) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            settings, pace = await terms(desk, interaction, clock=clock)
            channel = interaction.channel
            if not isinstance(channel, discord.TextChannel) or channel.is_news():
                raise DeskError("cup_channel")
            check_closed_threads(interaction)
            name = profile or settings.profile
            cup = await desk.service.open_cup(
                guild_of(interaction),
                channel.id,
                person_of(interaction),
                name,
                title=bare_name(title, LONGEST_TITLE) if title.strip() else "",
                kind=CupKind(kind),
                rounds=rounds,
                options=rules_options(name, SEATS, options, None, target),
                **pace,
            )
            await _say(interaction, cup, "cup-opened")


def _people_commands(desk: Desk, cups: app_commands.Group) -> None:
    @cups.command(name="join", description=command_text("command-cup-join"))
    @app_commands.describe(cup=command_text("option-cup"))
    @app_commands.autocomplete(cup=_cups_here(desk))
    async def join(interaction: Interaction, cup: str | None = None) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            await _join(desk, interaction, await _cup_meant(desk, interaction, cup))

    @cups.command(name="leave", description=command_text("command-cup-leave"))
    @app_commands.describe(cup=command_text("option-cup"))
    @app_commands.autocomplete(cup=_cups_here(desk))
    async def leave(interaction: Interaction, cup: str | None = None) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            await _ask_to_leave(desk, interaction, await _cup_meant(desk, interaction, cup))

    @cups.command(name="standings", description=command_text("command-cup-standings"))
    @app_commands.describe(cup=command_text("option-cup"))
    @app_commands.autocomplete(cup=_cups_here(desk))
    async def standings(interaction: Interaction, cup: str | None = None) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            await _standings(desk, interaction, await _cup_meant(desk, interaction, cup))


def _host_commands(desk: Desk, cups: app_commands.Group) -> None:
    @cups.command(name="start", description=command_text("command-cup-start"))
    @app_commands.describe(cup=command_text("option-cup"))
    @app_commands.autocomplete(cup=_cups_here(desk))
    async def start(interaction: Interaction, cup: str | None = None) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            await _start(desk, interaction, await _cup_meant(desk, interaction, cup))

    @cups.command(name="end", description=command_text("command-cup-end"))
    @app_commands.describe(cup=command_text("option-cup"))
    @app_commands.autocomplete(cup=_cups_here(desk))
    async def end(interaction: Interaction, cup: str | None = None) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            await _ask_to_end(interaction, await _cup_meant(desk, interaction, cup))


async def _cup_meant(desk: Desk, interaction: Interaction, named: str | None) -> Cup:
    """The named cup; else the only one of this channel, else of this server. Raises DeskError, TableError."""
    if named is not None:
        digits = named.strip().lstrip("#").strip()
        if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
            raise DeskError("unknown_cup", text=name_text(named, 40))
        return await _cup_here(desk, interaction, int(digits))
    every = [cup for cup in await desk.service.cups_in(guild_of(interaction)) if _may_see(interaction, cup)]
    here = [cup for cup in every if cup.channel_id == interaction.channel_id]
    for found in (here, every):
        if len(found) == 1:
            return found[0]
    raise DeskError("several_cups" if every else "no_cup")


async def _cup_here(desk: Desk, interaction: Interaction, cup_id: int) -> Cup:
    """A cup of this server that the person may see; any other is refused as if there were none."""
    cup = await desk.service.cup(cup_id)
    if cup.guild_id != interaction.guild_id or not _may_see(interaction, cup):
        raise TableError(TableCode.NO_SUCH_CUP)
    return cup


def _may_see(interaction: Interaction, cup: Cup) -> bool:
    """Whether somebody may know of a cup of this server: who has to do with it, and who sees its channel.

    Where that is gone it may have been a private one: then besides only moderators of the server may.
    """
    user = interaction.user
    if interaction.channel_id == cup.channel_id or user.id == cup.host_id or cup.entrant(user.id) is not None:
        return True
    allowed = rights_in(interaction, cup.channel_id)
    return moderates(interaction, cup.channel_id) if allowed is None else allowed.view_channel


def _cups_here(desk: Desk) -> Any:
    async def complete(interaction: Interaction, typed: str) -> list[Choice]:
        try:
            every = await desk.service.cups_in(guild_of(interaction))
        except (DeskError, TableError, StoreError):
            return []
        locale = locale_of(interaction)
        found = [
            (" · ".join(filter(None, (cup_name(locale, cup.id), cup.title))), str(cup.id))
            for cup in every
            if _may_see(interaction, cup)
        ]
        return choices([(name, value) for name, value in found if typed.lower() in name.lower()], "")

    return complete


async def _join(desk: Desk, interaction: Interaction, cup: Cup) -> None:
    await _say(interaction, await desk.service.enter_cup(cup.id, person_of(interaction)), "cup-joined")


async def _leave(desk: Desk, interaction: Interaction, cup: Cup) -> None:
    left = await desk.service.leave_cup(cup.id, person_of(interaction))
    await _say(interaction, left, "cup-left" if left.stage is CupStage.OPEN else "cup-left-running")


async def _ask_to_leave(desk: Desk, interaction: Interaction, cup: Cup) -> None:
    """There is no way back into a running cup, so that is asked first; to sign off is done at once."""
    entrant = cup.entrant(interaction.user.id)
    if cup.stage is not CupStage.PLAYING or entrant is None or entrant.left:
        await _leave(desk, interaction, cup)
        return
    locale = locale_of(interaction)
    label = text(locale, "cup-button-leave", cup=cup_name(locale, cup.id))
    sure = button(Click(Verb.CUP_LEAVE, cup.id, 0, _SURE), label, style=discord.ButtonStyle.danger)
    await show(interaction, note(text(locale, "cup-leave-sure", cup=full_name(locale, cup)), sure))


async def _ask_to_end(interaction: Interaction, cup: Cup) -> None:
    """A cup is given up by a second click: so much must not depend on one slip. Raises TableError."""
    if interaction.user.id != cup.host_id and not moderates(interaction, cup.channel_id):
        raise TableError(TableCode.NOT_CUP_HOST)
    if cup.stage not in (CupStage.OPEN, CupStage.PLAYING):
        raise TableError(TableCode.CUP_OVER)
    locale = locale_of(interaction)
    said = text(
        locale,
        f"cup-end-sure-{cup.stage}",
        cup=full_name(locale, cup),
        count=len({who for table in cup.tables_of(cup.round) for who in table.people} or cup.active),
        round=max(1, cup.round),
    )
    label = text(locale, "cup-button-end", cup=cup_name(locale, cup.id))
    sure = button(Click(Verb.CUP_END, cup.id, 0), label, style=discord.ButtonStyle.danger)
    await show(interaction, note(said, sure))


async def _start(desk: Desk, interaction: Interaction, cup: Cup) -> None:
    moderator = moderates(interaction, cup.channel_id)
    begun = await desk.service.start_cup(cup.id, person_of(interaction), moderator=moderator)
    await _say(interaction, begun, "cup-started", count=len(begun.entrants))


async def _standings(desk: Desk, interaction: Interaction, cup: Cup) -> None:
    names = await desk.service.cup_names(cup)
    await show(interaction, standings_layout(cup, names, cup.done, locale_of(interaction)))


async def _click_join(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _join(desk, interaction, await _cup_here(desk, interaction, click.table))


async def _click_leave(desk: Desk, interaction: Interaction, click: Click) -> None:
    cup = await _cup_here(desk, interaction, click.table)
    sure = click.arg == _SURE and is_private(interaction)
    if cup.stage is not CupStage.OPEN and not sure:
        # The old button of a sign-up must not put anybody out of the cup.
        raise TableError(TableCode.CUP_NOT_OPEN)
    await _leave(desk, interaction, cup)


async def _click_start(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _start(desk, interaction, await _cup_here(desk, interaction, click.table))


async def _click_end(desk: Desk, interaction: Interaction, click: Click) -> None:
    """The second click: it is on the private question, and nowhere else."""
    if not is_private(interaction):
        raise DeskError("outdated")
    cup = await _cup_here(desk, interaction, click.table)
    moderator = moderates(interaction, cup.channel_id)
    ended = await desk.service.end_cup(cup.id, person_of(interaction), moderator=moderator)
    await _say(interaction, ended, "cup-given-up")


async def _click_standings(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _standings(desk, interaction, await _cup_here(desk, interaction, click.table))


async def _say(interaction: Interaction, cup: Cup, key: str, **facts: int | str) -> None:
    locale = locale_of(interaction)
    said = text(locale, key, cup=cup_name(locale, cup.id), **facts)
    await show(interaction, note(said[:1].upper() + said[1:]))


class DiscordCups:
    """Tells of cups in the channel where they were opened, and makes a closed thread for each table.

    Nobody waits for it, so requests take the time that discord.py gives them: with many tables Discord slows
    them down, and to cancel one that waits for that would leave others waiting.
    """

    def __init__(self, bot: Bot, service: TableService) -> None:
        self._bot = bot
        self._service = service

    async def place(self, cup: Cup, table: CupTable) -> tuple[int, tuple[int, ...]]:
        """A thread that only the table's people, and who manages threads, can see; and who of them is gone.

        Where none may be made any more the table is in the cup's channel: the game goes on, if openly. Raises
        TellFailed, also while the server cannot be reached; ChannelGoneError.
        """
        guild = self._bot.get_guild(cup.guild_id)
        if guild is None or guild.unavailable:
            # So it is after a start, until Discord has told of channels, and of threads made before a crash.
            raise TellFailed("Discord has not told of the server")
        channel = guild.get_channel(cup.channel_id)
        if not isinstance(channel, discord.TextChannel):
            raise ChannelGoneError(cup.channel_id)
        name = text(
            cup.locale, "cup-thread", cup=str(cup.id), round=str(table.round), table=str(table.number)
        )
        try:
            thread = await self._thread(channel, name)
            gone = [user_id for user_id in table.people if not await self._let_in(thread, user_id)]
        except (discord.HTTPException, discord.RateLimited, *NETWORK) as error:
            if may_pass(error):
                raise TellFailed(describe(error), getattr(error, "retry_after", 0.0)) from error
            log.warning("cup %s: no closed thread in channel %s: %s", cup.id, channel.id, describe(error))
            return cup.channel_id, ()
        return thread.id, tuple(gone)

    async def _thread(self, channel: discord.TextChannel, name: str) -> discord.Thread:
        """One that was made before a crash, or before a receipt was lost, is there already."""
        for thread in own_threads(channel, name):
            if thread.is_private():
                return thread
        return await channel.create_thread(
            name=name,
            type=discord.ChannelType.private_thread,
            invitable=False,
            auto_archive_duration=ARCHIVE,
        )

    async def _let_in(self, thread: discord.Thread, user_id: int) -> bool:
        """False for who is not on the server any more. Who cannot be let in plays by commands."""
        try:
            await thread.add_user(discord.Object(user_id))
        except discord.HTTPException as error:
            if may_pass(error):
                raise
            log.info("user %s is not let into thread %s: %s", user_id, thread.id, describe(error))
            return error.code not in _STRANGERS
        return True

    async def tell(self, cup: Cup, names: Mapping[int, str]) -> None:
        """Bring the cup's message up to date, then tell new standings. Raises TellFailed."""
        try:
            await self._show(cup, sign_up(cup, names))
            for rounds in cup.to_tell:
                await self._send(cup, standings_layout(cup, names, rounds), f"standings {rounds}")
                await self._service.note_cup_told(cup.id, rounds)
            if cup.stage in (CupStage.OVER, CupStage.ENDED):
                await self._service.note_cup_told(cup.id, cup.round)
        except (discord.HTTPException, discord.RateLimited, *NETWORK) as error:
            if may_pass(error):
                raise TellFailed(describe(error), getattr(error, "retry_after", 0.0)) from error
            # Its channel is gone, or closed to the bot; `/canasta cup standings` still tells.
            log.warning("cup %s not told in channel %s: %s", cup.id, cup.channel_id, describe(error))

    async def _show(self, cup: Cup, layout: Layout) -> None:
        channel = self._bot.get_partial_messageable(cup.channel_id)
        if cup.message_id is not None:
            try:
                await channel.get_partial_message(cup.message_id).edit(
                    view=layout, allowed_mentions=discord.AllowedMentions.none()
                )
                return
            except discord.HTTPException as error:
                if error.code not in _GONE:
                    raise
        sent = await self._send(cup, layout, f"cup instead of {cup.message_id}")
        await self._service.note_cup_message(cup.id, sent)

    async def _send(self, cup: Cup, layout: Layout, what: str) -> int:
        """Send a message once: Discord drops a second one with the same nonce."""
        channel = self._bot.get_partial_messageable(cup.channel_id)
        nonce = hashlib.blake2b(f"cup {cup.id} {what}".encode(), digest_size=12).hexdigest()
        sent = await channel.send(view=layout, nonce=nonce, allowed_mentions=discord.AllowedMentions.none())
        return sent.id
