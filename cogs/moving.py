"""`/canasta move`: a table goes to another channel or thread, or comes to where it is called."""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from typing import Any, Final, TypeVar

import discord
from discord import app_commands

from canasta_core.tables.hosting import check_move
from canasta_core.tables.model import Sitter, Table, is_former
from cogs.answers import LATER_TRY, NETWORK, describe, may_pass
from cogs.autocomplete import tables_here
from cogs.desk import (
    Desk,
    DeskError,
    Interaction,
    guild_of,
    is_moderator,
    only_of,
    person_of,
    sentence,
    show,
)
from cogs.hosting import refuse, table_meant
from cogs.opening import check_channel
from cogs.permissions import check_permissions, check_place, missing
from cogs.ui.layout import name_text, note
from cogs.ui.text import command_text, text

log = logging.getLogger(__name__)
_T = TypeVar("_T")

HERE: Final = ""
"""Where a table moves when no channel is named."""

Named = app_commands.AppCommandChannel | app_commands.AppCommandThread
Place = discord.abc.GuildChannel | discord.Thread


class PlaceOption(app_commands.Transformer):
    """An option that names a channel or thread, as Discord sent it: the bot need not have it in its cache."""

    @property
    def type(self) -> discord.AppCommandOptionType:
        return discord.AppCommandOptionType.channel

    @property
    def channel_types(self) -> list[discord.ChannelType]:
        """Where messages can be written."""
        kinds = discord.ChannelType
        return [
            kinds.text,
            kinds.news,
            kinds.voice,
            kinds.public_thread,
            kinds.private_thread,
            kinds.news_thread,
        ]

    async def transform(self, _: Interaction, value: Any, /) -> Named:
        named: Named = value
        return named


def register(desk: Desk, group: app_commands.Group) -> None:
    """Add the command to the group `/canasta`, and what it does to the desk."""
    desk.errands["move"] = _move

    @group.command(name="move", description=command_text("command-move"))
    @app_commands.describe(to=command_text("option-to"), table=command_text("option-table"))
    @app_commands.autocomplete(table=tables_here(desk))
    async def move(
        interaction: Interaction,
        to: app_commands.Transform[Named, PlaceOption] | None = None,
        table: str | None = None,
    ) -> None:
        here = to is None or to.id == interaction.channel_id
        await desk.run(
            interaction,
            table,
            "move",
            HERE if to is None or here else str(to.id),
            find=table_to_bring if here else table_meant,
        )


async def table_to_bring(desk: Desk, interaction: Interaction, named: str | None) -> Table:
    """The named table; else one of another channel: where the person sits and nobody can be told any more,
    else one that they host.
    """
    if named:
        return await desk.named_table(interaction, named)
    user = interaction.user.id
    tables = await desk.service.tables_in(guild_of(interaction))
    mine = [table for table in tables if user == table.host_id or table.seat_of(user) is not None]
    lost = [table for table in mine if table.lost]
    hosted = [table for table in mine if table.host_id == user and table.channel_id != interaction.channel_id]
    return only_of(lost, hosted) or refuse("no_table_to_bring")


async def _move(desk: Desk, interaction: Interaction, table: Table, typed: str) -> None:
    """Who may move the table is judged by the table; where to, by what the person may do there as well, and
    by who of its people would lose sight of it: that is for a moderator only.
    """
    settings = await desk.service.server_settings(guild_of(interaction))
    place: object = interaction.channel
    if typed == HERE:
        check_channel(interaction, settings, place)
        check_permissions(interaction)
    else:
        place = there = await _place(interaction, int(typed))
        _check_own(interaction, there)
        check_channel(interaction, settings, there)
        check_place(interaction, there)
    channel_id = int(typed) if typed != HERE else interaction.channel_id or 0
    by, moderator = person_of(interaction), is_moderator(interaction, table)
    check_move(table, channel_id, by, moderator=moderator)
    blind = await _blind(interaction, place, [one for one in table.people if one.user_id != by.user_id])
    channel, names = f"<#{channel_id}>", ", ".join(name_text(one.name) for one in blind)
    if blind and not moderator:
        raise DeskError("place_unseen_by", channel=channel, names=names)
    moved = await desk.service.move(table.id, channel_id, by, moderator=moderator)
    said = sentence(moved, "host-moved", channel=channel)
    if blind:
        said += "\n" + text(moved.locale, "host-moved-unseen", channel=channel, names=names)
    await show(interaction, note(said))


async def _place(interaction: Interaction, channel_id: int) -> Place:
    """A channel in which messages can be written, or a thread, archived ones too. Raises DeskError."""
    guild = interaction.guild
    place = guild.get_channel_or_thread(channel_id) if guild is not None else None
    if guild is not None and place is None:
        try:
            place = await guild.fetch_channel(channel_id)
        except (discord.HTTPException, discord.InvalidData, discord.RateLimited, *NETWORK) as error:
            code = "discord" if may_pass(error) else "place_unseen"
            raise DeskError(code, channel=f"<#{channel_id}>") from error
    if not isinstance(place, discord.TextChannel | discord.VoiceChannel | discord.Thread):
        raise DeskError("no_place", channel=f"<#{channel_id}>")
    return place


def _check_own(interaction: Interaction, place: Place) -> None:
    """Nobody takes a table to where they could not write themselves. Raises DeskError."""
    writing = "send_messages_in_threads" if isinstance(place, discord.Thread) else "send_messages"
    user = interaction.user
    allowed = place.permissions_for(user) if isinstance(user, discord.Member) else discord.Permissions.none()
    if missing(allowed, ("view_channel", writing)):
        raise DeskError("place_own", channel=f"<#{place.id}>")


async def _blind(interaction: Interaction, place: object, people: Sequence[Sitter]) -> list[Sitter]:
    """Who of some people cannot see a channel or thread.

    Discord is asked for each, as the bot knows no members. Raises DeskError discord where it does not answer.
    """
    guild = interaction.guild
    if guild is None or not isinstance(place, discord.abc.GuildChannel | discord.Thread):
        return []
    try:
        async with asyncio.timeout(LATER_TRY):
            seen = await asyncio.gather(*(_sees(guild, place, one.user_id) for one in people))
    except (discord.HTTPException, discord.RateLimited, *NETWORK) as error:
        log.warning("who sees channel %s: %s", place.id, describe(error))
        raise DeskError("discord") from error
    return [one for one, sees in zip(people, seen, strict=True) if not sees]


async def _sees(guild: discord.Guild, place: Place, user_id: int | None) -> bool:
    """Whether a member sees a place; who is not on the server is not in the way. Raises what may pass."""
    if user_id is None or is_former(user_id):
        return True
    member = await _answer(guild.fetch_member(user_id))
    if member is None:
        return True
    allowed = place.permissions_for(member)
    if not allowed.view_channel:
        return False
    if isinstance(place, discord.Thread) and place.is_private() and not allowed.manage_threads:
        return await _answer(place.fetch_member(user_id)) is not None
    return True


async def _answer(request: Awaitable[_T]) -> _T | None:
    """What Discord tells of a member; None where there is none. Raises what may pass."""
    try:
        return await request
    except discord.HTTPException as error:
        if may_pass(error):
            raise
        return None
