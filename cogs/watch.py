"""What Discord says of channels and servers: events after which a table has lost its place, or found it.

Only what comes with the intent for servers: channels, threads, roles, and the bot's own membership.
"""

from typing import Protocol

import discord

from cogs.clicks import Bot
from cogs.places import Places, Why


class Searcher(Protocol):
    """Who wants to know of places."""

    places: Places

    async def lose(self, guild_id: int, channel_id: int | None, why: Why) -> None: ...

    async def find(self, guild_id: int, channel_id: int | None = None) -> None: ...

    async def find_again(self, guild_id: int) -> None: ...


def register(bot: Bot, searcher: Searcher) -> None:
    """Listen to a client's events."""

    async def on_guild_channel_delete(channel: discord.abc.GuildChannel) -> None:
        await searcher.lose(channel.guild.id, channel.id, Why.DELETED)

    async def on_raw_thread_delete(payload: discord.RawThreadDeleteEvent) -> None:
        searcher.places.remember_parent(payload.thread_id, payload.parent_id)
        await searcher.lose(payload.guild_id, payload.thread_id, Why.DELETED)

    async def on_guild_remove(guild: discord.Guild) -> None:
        await searcher.lose(guild.id, None, Why.SERVER)

    async def on_guild_join(guild: discord.Guild) -> None:
        await searcher.find_again(guild.id)

    async def on_guild_available(guild: discord.Guild) -> None:
        await searcher.find(guild.id)
        await searcher.find_again(guild.id)

    async def on_guild_channel_create(channel: discord.abc.GuildChannel) -> None:
        await searcher.find(channel.guild.id, channel.id)

    async def on_guild_channel_update(_: discord.abc.GuildChannel, channel: discord.abc.GuildChannel) -> None:
        await searcher.find(channel.guild.id)  # its threads too

    async def on_raw_thread_update(payload: discord.RawThreadUpdateEvent) -> None:
        searcher.places.remember_parent(payload.thread_id, payload.parent_id)
        await searcher.find(payload.guild_id, payload.thread_id)

    async def on_thread_join(thread: discord.Thread) -> None:
        await searcher.find(thread.guild.id, thread.id)

    async def on_thread_remove(thread: discord.Thread) -> None:
        """The bot is out of a thread; in a private one it can write no more, unless it manages threads."""
        guild = thread.guild
        if thread.is_private() and not thread.permissions_for(guild.me).manage_threads:
            # Discord tells nothing of it any more. discord.py keeps it, as if the bot were in it.
            guild._remove_thread(thread)
            searcher.places.remember_parent(thread.id, thread.parent_id)
            await searcher.lose(guild.id, thread.id, Why.ACCESS)

    async def on_guild_role_update(_: discord.Role, role: discord.Role) -> None:
        await searcher.find(role.guild.id)

    async def on_member_update(_: discord.Member, member: discord.Member) -> None:
        if member == member.guild.me:
            await searcher.find(member.guild.id)

    for listener in (
        on_guild_channel_delete,
        on_raw_thread_delete,
        on_guild_remove,
        on_guild_join,
        on_guild_available,
        on_guild_channel_create,
        on_guild_channel_update,
        on_raw_thread_update,
        on_thread_join,
        on_thread_remove,
        on_guild_role_update,
        on_member_update,
    ):
        bot.event(listener)
