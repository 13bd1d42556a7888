"""`/canasta move`: a table goes to another channel or thread, or comes to where it is called."""

from typing import Any, Final

import discord
from discord import app_commands

from canasta_core.tables.model import Table
from cogs.answers import NETWORK, may_pass
from cogs.autocomplete import tables_here
from cogs.desk import Desk, DeskError, Interaction, guild_of, is_moderator, person_of, say_done
from cogs.hosting import only_of, refuse, table_meant
from cogs.opening import check_channel
from cogs.permissions import check_permissions, check_place, missing
from cogs.ui.text import command_text

HERE: Final = ""
"""Where a table moves when no channel is named."""

Named = app_commands.AppCommandChannel | app_commands.AppCommandThread


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
    """Who may move the table is judged by the table; where to, by what the person may do there as well."""
    settings = await desk.service.server_settings(guild_of(interaction))
    if typed == HERE:
        check_channel(interaction, settings, interaction.channel)
        check_permissions(interaction)
        channel_id = interaction.channel_id or 0
    else:
        place = await _place(interaction, int(typed))
        _check_own(interaction, place)
        check_channel(interaction, settings, place)
        check_place(interaction, place)
        _check_unlocked(interaction, place)
        channel_id = place.id
    moved = await desk.service.move(
        table.id, channel_id, person_of(interaction), moderator=is_moderator(interaction, table)
    )
    await say_done(interaction, moved, "host-moved", channel=f"<#{channel_id}>")


async def _place(interaction: Interaction, channel_id: int) -> discord.abc.GuildChannel | discord.Thread:
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


def _check_own(interaction: Interaction, place: discord.abc.GuildChannel | discord.Thread) -> None:
    """Nobody takes a table to where they could not write themselves. Raises DeskError."""
    writing = "send_messages_in_threads" if isinstance(place, discord.Thread) else "send_messages"
    user = interaction.user
    allowed = place.permissions_for(user) if isinstance(user, discord.Member) else discord.Permissions.none()
    if missing(allowed, ("view_channel", writing)):
        raise DeskError("place_own", channel=f"<#{place.id}>")


def _check_unlocked(interaction: Interaction, place: discord.abc.GuildChannel | discord.Thread) -> None:
    """A locked thread takes messages only from who may manage it. Raises DeskError."""
    if not isinstance(place, discord.Thread) or not place.locked or interaction.guild is None:
        return
    if not place.permissions_for(interaction.guild.me).manage_threads:
        raise DeskError("place_locked", channel=f"<#{place.id}>")
