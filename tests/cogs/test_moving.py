"""`/canasta move`: a table goes nowhere that its people cannot see. Also: the bot is put out of a thread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import discord
from simcord.backend import serializers
from simcord.builders import ChannelHandle

from tests.cogs.hosts import log_of, moderator
from tests.cogs.players import open_table, said, table_of
from tests.cogs.test_rights import VIEW, forbid, thread_in
from tests.discord.harness import Game, playing

HIDDEN = "cannot see <#"


async def is_moved(game: Game, who: int, to: ChannelHandle, *, bring: bool = False) -> tuple[bool, str]:
    """Whether the table is there after somebody has moved it (`bring`: typed there), and what was said."""
    way: dict[str, Any] = {"channel_": to} if bring else {"to": to}
    answer = said(await game.slash(who, "canasta move", table="1", **way))
    return (await table_of(game)).channel_id == to.id, answer


async def test_a_table_is_not_moved_where_its_people_cannot_see_it(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5) as game:
        await open_table(game, 3)
        secret = game.guild.create_text_channel("secret")
        for who in (1, 2):
            forbid(game, secret, who, deny=VIEW)
        await game.env.settle()
        for bring in (False, True):
            moved, answer = await is_moved(game, 0, secret, bring=bring)
            assert not moved
            assert "Bob, Cleo cannot see <#" in answer
        assert "Only the host" in (await is_moved(game, 4, secret))[1], "that is told to nobody else"
        # Who has left the server is not in the way; the other still is.
        game.env.inject_error("GET", f"/guilds/*/members/{game.members[1].id}", status=404, code=10007)
        moved, answer = await is_moved(game, 0, secret)
        assert not moved
        assert answer.startswith("Cleo cannot see")
        forbid(game, secret, 1, allow=VIEW)
        forbid(game, secret, 2, allow=VIEW)
        await game.env.settle()
        assert await is_moved(game, 0, secret) == (True, f"Table 1 is in <#{secret.id}> now.")


async def test_a_moderator_may_move_it_there_and_is_told(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=6) as game:
        moderator(game, 5)
        await open_table(game, 2)
        secret = game.guild.create_text_channel("secret")
        forbid(game, secret, 1, deny=VIEW)
        await game.env.settle()
        moved, answer = await is_moved(game, 5, secret)
        assert moved
        assert "⚠️ Bob cannot see" in answer


async def test_when_discord_does_not_say_who_sees_it_the_move_can_be_tried_again(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        await open_table(game, 2)
        other = game.guild.create_text_channel("other")
        game.env.inject_error("GET", f"/guilds/*/members/{game.members[1].id}", status=500)
        moved, answer = await is_moved(game, 0, other)
        assert not moved
        assert "does not answer me just now" in answer
        assert (await is_moved(game, 0, other))[0]


async def test_a_private_thread_is_seen_by_its_members_and_who_manages_threads(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        await open_table(game, 3)
        closed = thread_in(game, game.channel, game.members[0].id, closed=True)
        game.env.backend.add_thread_member(closed.id, game.bot.user.id)  # type: ignore[union-attr]
        await game.env.settle()
        moved, answer = await is_moved(game, 0, closed, bring=True)
        assert not moved
        assert "Bob, Cleo cannot see" in answer
        game.env.backend.add_thread_member(closed.id, game.members[1].id)
        forbid(game, game.channel, 2, allow=discord.Permissions(manage_threads=True).value)
        await game.env.settle()
        assert (await is_moved(game, 0, closed, bring=True))[0]


async def test_a_private_thread_that_the_bot_is_put_out_of_is_lost_at_once(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2, ai_delay=600.0) as game:
        bot = game.bot.user
        assert bot is not None
        own: Any = {bot: discord.PermissionOverwrite(manage_threads=False)}
        parent = game.guild.create_text_channel("corners", overwrites=own)
        closed = thread_in(game, parent, game.members[0].id, closed=True)
        backend = game.env.backend
        backend.add_thread_member(closed.id, bot.id)
        await game.env.settle()
        await game.slash(0, "canasta new", channel_=closed)
        assert not (await table_of(game)).lost
        backend.remove_thread_member(closed.id, bot.id)
        await game.env.settle()
        await game.advance(5)
        assert (await table_of(game)).lost == "access"
        assert "private thread" in said(await game.slash(0, "canasta new", channel_=closed))
        # Let in again, it is told of the thread and goes on there.
        backend.add_thread_member(closed.id, bot.id)
        backend.emit("THREAD_CREATE", dict(serializers.channel_payload(backend, backend.channels[closed.id])))
        await game.env.settle()
        await game.advance(5)
        assert not (await table_of(game)).lost
        assert "opened the table" in await log_of(game)
