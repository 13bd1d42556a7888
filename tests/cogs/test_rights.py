"""Who may look back at games of a channel that not all see, who moderates there, where a table can be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.builders import ChannelHandle
from simcord.enums import ChannelType, OverwriteType

from cogs.places import Places
from cogs.ui.history import EVERYBODY
from tests.cogs.finished import finish_game
from tests.cogs.players import open_table, said, table_of
from tests.cogs.test_cup import opened, running
from tests.cogs.test_history import finished
from tests.cogs.test_hosting import moderator
from tests.cogs.test_replays import play_rounds
from tests.discord.harness import Game, buttons_of, playing, selects_of, text_of
from tests.games.tables import dealing

ANN, BOB, EVE, MODERATOR = range(4)
"""Ann and Bob play; Eve looks on; the last one manages messages on the server."""
LOOKS_BACK = ("replay", "history list", "history export", "history compare", "fair")
VIEW = discord.Permissions(view_channel=True).value


def secret_channel(game: Game, *seen_by: int) -> ChannelHandle:
    """A channel that these members and the bot see, and nobody else."""
    hidden, seen = (discord.PermissionOverwrite(view_channel=view) for view in (False, True))
    those: Any = {game.members[who]: seen for who in seen_by} | {game.bot.user: seen}
    return game.guild.create_text_channel("staff", overwrites={game.guild.default_role: hidden, **those})


def thread_in(
    game: Game, parent: ChannelHandle, owner: int, *, closed: bool = False, told: bool = True
) -> ChannelHandle:
    """A thread; `told`: Discord tells the bot of it."""
    kind = ChannelType.PRIVATE_THREAD if closed else ChannelType.PUBLIC_THREAD
    made = game.env.backend.create_thread(parent.id, "Corner", owner_id=owner, type=kind, broadcast=told)
    return ChannelHandle(game.env, game.guild, made)


def put_away(game: Game, thread: ChannelHandle) -> None:
    game.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})


def forbid(game: Game, channel: ChannelHandle, who: int, allow: int = 0, deny: int = 0) -> None:
    game.env.backend.set_overwrite(
        channel.id,
        Overwrite(target_id=game.members[who].id, type=OverwriteType.MEMBER, allow=allow, deny=deny),
    )


async def finished_in(game: Game, channel: ChannelHandle, seed: int) -> int:
    """A whole game of Ann and Bob there; the number of its table."""
    home, game.channel = game.channel, channel
    table = await finish_game(game, [ANN, BOB], seed)
    game.channel = home
    return table.id


async def is_open(game: Game, who: int, table_id: int) -> bool:
    """Whether somebody can look at a game, which must be the same for every way to name it."""
    answers = [said(await game.slash(who, command, table=str(table_id))) for command in LOOKS_BACK]
    chosen = f"cn:history:0:0:{EVERYBODY}.s"
    shown = (await game.slash(who, "history list", everybody=True)).response
    answers.append(said(await game.press(who, shown, chosen, [str(table_id)])))
    closed = {"no such table" in answer.lower() for answer in answers}
    assert len(closed) == 1, answers
    return not closed.pop()


async def listed(game: Game, who: int, **options: Any) -> set[int]:
    """The games that a list names and offers."""
    shown = await game.slash(who, "history list", **options)
    said(shown)
    return {int(value) for menu in selects_of(shown.response) for value in menu.values}


def asked_for(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """Channels that the bot asks Discord for from now on."""
    asked: Counter[int] = Counter()
    fetch = discord.Guild.fetch_channel

    async def count(guild: discord.Guild, channel_id: int, /) -> Any:
        asked[channel_id] += 1
        return await fetch(guild, channel_id)

    monkeypatch.setattr(discord.Guild, "fetch_channel", count)
    return asked


async def test_games_of_a_channel_that_somebody_does_not_see_are_not_theirs_to_look_at(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        moderator(game, MODERATOR)
        home, secret = game.channel, secret_channel(game, ANN, BOB)
        hidden, public = await finished_in(game, secret, 1), await finished_in(game, home, 2)
        ann = game.members[ANN]
        for who in (EVE, MODERATOR):
            assert await is_open(game, who, public)
            assert not await is_open(game, who, hidden)
            for options in ({"everybody": True}, {"person": ann}):
                assert await listed(game, who, **options) == {public}
                words = said(await game.slash(who, "history list", **options))
                assert "2" in words.split("\n")[0], "how many there are is known from the leaderboard too"
                assert "One game of this page was played where you cannot look" in words
                assert f"table {hidden} " not in words
            offered = await game.autocomplete(who, "canasta new", "duplicate", "")
            assert [one["value"] for one in offered] == [str(public)]
        # Who sat there may always.
        forbid(game, secret, ANN, deny=VIEW)
        await game.env.settle()
        assert await is_open(game, ANN, hidden)
        assert await listed(game, ANN) == {hidden, public}
        assert "cannot look" not in said(await game.slash(ANN, "history list"))
        # Who comes to see the channel may as well.
        forbid(game, secret, EVE, allow=VIEW)
        await game.env.settle()
        assert await is_open(game, EVE, hidden)
        assert await listed(game, EVE, everybody=True) == {hidden, public}
        # The channels are gone: nobody can say any more who saw them.
        game.channel = game.guild.create_text_channel("refuge")
        for channel in (secret, home):
            game.env.backend.delete_channel(channel.id)
        await game.env.settle()
        for number in (hidden, public):
            assert not await is_open(game, EVE, number)
            assert await is_open(game, MODERATOR, number), "somebody has to answer for the server"
            assert await is_open(game, BOB, number)
        assert not await listed(game, EVE, everybody=True)
        assert "2 games of this page were" in said(await game.slash(EVE, "history list", everybody=True))


async def test_a_game_that_cannot_be_read_is_not_in_the_way_of_the_others(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        broken, whole = [await finished_in(game, game.channel, seed) for seed in (1, 2)]
        with game.env._bot_scope():
            await game.bot._store._database.write(  # type: ignore[attr-defined]
                lambda db: db.execute("UPDATE tables SET state = 'x' WHERE id = ?", (broken,))
            )
        game.bot.service._kept.clear()  # type: ignore[attr-defined]
        assert await listed(game, EVE, everybody=True) == {whole}
        assert await listed(game, ANN) == {broken, whole}, "what is known of it without its state"


async def test_a_running_game_is_offered_to_those_who_see_it(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=6, next_round=1.0, create=dealing(3)) as game:
        secret = secret_channel(game, *range(4))
        home, game.channel = game.channel, secret
        await open_table(game)
        await play_rounds(game, 1)
        game.channel = home
        for command in LOOKS_BACK[:1] + LOOKS_BACK[2:]:
            offered = [await game.autocomplete(who, command, "table", "") for who in (0, 4)]
            assert [[one["value"] for one in found] for found in offered] == [["1"], []]


async def test_scores_with_the_same_packs_are_compared_as_far_as_the_tables_are_seen(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=9, next_round=1.0, create=dealing(4)) as game:
        first = await finished(game, profile="classic")
        home, game.channel = game.channel, secret_channel(game, *range(4, 8))
        await game.slash(4, "canasta new", duplicate=str(first))
        for who in (5, 6, 7):
            await game.click(who, label="Join")
        await play_rounds(game, 1, 2)
        game.channel = home
        looker, player = 8, 4
        assert "2 games" in said(await game.slash(player, "history compare", table="1"))
        answer = said(await game.slash(looker, "history compare", table="1"))
        assert "in channels that you do not see" in answer
        for who, has in ((looker, False), (player, True)):
            card = await game.slash(who, "history list", table="1")
            assert ("Compare" in {one.label for one in buttons_of(card.response)}) is has


async def test_who_plays_the_same_packs_in_a_cup_does_not_learn_the_scores_from_the_history(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path / "c.db", members=5, ai_delay=600.0) as game:
        await opened(game, 4)
        said(await game.click(0, label="Start"))
        first, second = await running(game)
        player = next(who for who in range(4) if game.members[who].id == first.people[0].user_id)
        for command in ("history list", "history compare"):
            answer = said(await game.slash(player, command, table=str(second.id)))
            assert "same cards at another table of this cup" in answer
            assert "same cards" not in said(await game.slash(4, command, table=str(second.id)))


async def test_threads_have_the_rights_of_their_channel_also_when_they_were_put_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        home, secret, bot = game.channel, secret_channel(game, ANN, BOB), game.bot.user
        assert bot is not None
        ann = game.members[ANN].id
        open_, shut, closed, cups = threads = [
            thread_in(game, home, ann),
            thread_in(game, secret, ann),
            thread_in(game, home, ann, closed=True),
            thread_in(game, home, bot.id, closed=True),
        ]
        await game.env.settle()
        numbers = {thread.id: await finished_in(game, thread, 3) for thread in threads}
        seen = {numbers[open_.id], numbers[cups.id]}
        assert await listed(game, EVE, everybody=True) == seen
        for thread in threads:
            put_away(game, thread)
        await game.env.settle()
        asked = asked_for(monkeypatch)
        offered = await game.autocomplete(EVE, "canasta new", "duplicate", "")
        assert not offered, "an option does not ask Discord, and goes by the private side"
        assert not asked
        for _ in range(2):
            assert await listed(game, EVE, everybody=True) == seen
        assert asked == dict.fromkeys((thread.id for thread in threads), 1), "each once"
        offered = await game.autocomplete(EVE, "canasta new", "duplicate", "")
        assert {int(one["value"]) for one in offered} == seen
        for thread in threads:
            assert await is_open(game, EVE, numbers[thread.id]) == (numbers[thread.id] in seen)
        # Who may manage the threads of a channel sees the closed ones.
        forbid(game, home, EVE, allow=discord.Permissions(manage_threads=True).value)
        await game.env.settle()
        assert await is_open(game, EVE, numbers[closed.id])
        assert not await is_open(game, EVE, numbers[shut.id])
        assert asked.total() == len(threads)


async def test_a_place_that_cannot_be_asked_for_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        thread = thread_in(game, game.channel, game.members[ANN].id)
        await game.env.settle()
        number = await finished_in(game, thread, 3)
        put_away(game, thread)
        await game.env.settle()
        with monkeypatch.context() as patch:

            async def fail(*_: Any) -> None:
                raise TimeoutError

            patch.setattr(discord.Guild, "fetch_channel", fail)
            assert not await is_open(game, EVE, number)
            assert await is_open(game, ANN, number)
        assert await is_open(game, EVE, number)


async def test_a_moderators_right_counts_where_the_thread_is(tmp_path: Path) -> None:
    """Also when Discord has put it away, and the bot knows its channel only by asking."""
    async with playing(tmp_path / "c.db", members=5) as game:
        moderator(game, MODERATOR)
        manage = discord.Permissions(manage_messages=True, manage_channels=True).value
        parent = game.guild.create_text_channel("theirs")
        thread = thread_in(game, parent, game.members[ANN].id)
        local = 4
        forbid(game, parent, MODERATOR, deny=manage)
        forbid(game, parent, local, allow=manage)
        await game.env.settle()
        for who in (ANN, MODERATOR):
            await game.slash(who, "canasta new" if who == ANN else "canasta join", channel_=thread)
        put_away(game, thread)
        await game.env.settle()
        assert "Only the host" in said(await game.slash(MODERATOR, "canasta start", table="1"))
        await game.restart()
        put_away(game, thread)  # Discord tells a bot that starts of open threads only
        await game.env.settle()
        assert "begins" in said(await game.slash(local, "canasta start", table="1"))
        # Of a channel that is gone, who moderates the server decides.
        game.env.backend.delete_channel(thread.id)
        game.env.backend.delete_channel(parent.id)
        await game.env.settle()
        assert "no such table" in said(await game.slash(local, "canasta pause", table="1")).lower()
        assert "is paused" in said(await game.slash(MODERATOR, "canasta pause", table="1"))


async def test_no_table_is_opened_in_a_private_thread_that_the_bot_is_not_in(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        bot = game.bot.user
        assert bot is not None
        own: Any = {bot: discord.PermissionOverwrite(manage_threads=False)}
        parent = game.guild.create_text_channel("corners", overwrites=own)
        closed = thread_in(game, parent, game.members[ANN].id, closed=True, told=False)
        refused = said(await game.slash(ANN, "canasta new", channel_=closed))
        assert "I lack: a place in this private thread (mention me here, and I am in it) or" in refused
        assert await game.bot.service.tables_in(game.guild.id) == []  # type: ignore[attr-defined]
        # A table does not come there either.
        await game.slash(ANN, "canasta new")
        assert "private thread" in said(await game.slash(ANN, "canasta move", channel_=closed, table="1"))
        assert (await table_of(game)).channel_id == game.channel.id
        # It is let in, and Discord tells it of the thread.
        game.env.backend.add_thread_member(closed.id, bot.id)
        game.env.backend.announce_thread_create(game.env.backend.channels[closed.id])
        await game.env.settle()
        assert "is open" in said(await game.slash(ANN, "canasta new", channel_=closed))
        # Who may manage threads needs no place in one.
        other = thread_in(game, game.channel, game.members[ANN].id, closed=True, told=False)
        assert "is open" in said(await game.slash(ANN, "canasta new", channel_=other))


async def test_no_table_is_opened_in_a_locked_thread_unless_the_bot_may_write_there(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        own: Any = {game.bot.user: discord.PermissionOverwrite(manage_threads=False)}
        parent = game.guild.create_text_channel("corners", overwrites=own)
        for place, words in ((parent, "is locked, and I lack Manage Threads"), (game.channel, "is open")):
            thread = thread_in(game, place, game.members[ANN].id)
            game.env.backend.edit_channel(thread.id, {}, thread_metadata={"locked": True})
            await game.env.settle()
            assert words in said(await game.slash(ANN, "canasta new", channel_=thread))
            # A table that is lost there is not told of again each time that Discord says anything.
            assert Places(game.bot).looks_open(game.guild.id, thread.id) is (words == "is open")  # type: ignore[arg-type]


async def test_the_question_which_table_is_meant_is_true_for_who_sits_at_none(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        moderator(game, MODERATOR)
        for who in (ANN, BOB):
            await game.slash(who, "canasta new")
        asked = await game.slash(MODERATOR, "canasta end")
        assert "There are several tables it could be. Which one do you mean?" in said(asked)
        assert "You sit" not in text_of(asked.response)
