"""`/canasta cup` with the real client: signing up, starting, closed tables, and a whole cup to its end."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import discord
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from canasta_core.ai import policy
from canasta_core.codec import encode_rules
from canasta_core.legality import who_acts
from canasta_core.profiles import load_rules
from canasta_core.state import Phase
from canasta_core.tables.cup_model import Cup, CupKind, CupStage, CupTable, Entrant
from canasta_core.tables.model import DAY, Person, ServerSettings, Stage, Table
from cogs.ui.cup import sign_up, standings_layout
from tests.cogs.hosts import moderator
from tests.cogs.players import said, table_of, who_of
from tests.cogs.tables import LONGEST_NAME
from tests.discord.checks import COMPONENTS_V2
from tests.discord.checks import message as problems_of
from tests.discord.harness import Game, buttons_of, playing, text_of
from tests.tables.tools import SeededChance

MATCH = {"profile": "browser", "target": 1000, "clock": 0}


async def opened(game: Game, people: int, **options: Any) -> Any:
    """A cup for which so many members have signed up by its buttons; its message."""
    answer = said(await game.slash(0, "canasta cup open", **{**MATCH, **options}))
    assert "Cup 1 is open" in answer
    message = game.board("cup 1")
    for who in range(people):
        await game.click(who, label="Join", message=message)
    return game.board("cup 1")


async def cup_of(game: Game) -> Cup:
    return await game.bot.service.cup(1)  # type: ignore[attr-defined, no-any-return]


async def running(game: Game) -> list[Table]:
    cup = await cup_of(game)
    return [await game.bot.service.get(one.table_id) for one in cup.tables_of(cup.round)]  # type: ignore[attr-defined]


async def play_table(game: Game, table_id: int, seed: int) -> None:
    """The people of a table play it to its end as AI players would."""
    service, rng, player = game.bot.service, random.Random(seed), policy("medium")  # type: ignore[attr-defined]
    while (table := await service.get(table_id)).stage is Stage.PLAYING:
        if table.state.public.phase is Phase.ROUND_OVER:
            first = table.people[0]
            await service.next_round(table_id, Person(first.user_id, first.name))
            continue
        sitter = table.sitter(who_acts(table.state.public)[0])
        if sitter.user_id is None:
            await game.advance(1)
        else:
            await service.act(table_id, sitter.user_id, player.choose(table.view(sitter.seat), rng))
    # What the table's end sets off is no answer to anybody, so no verb waits for it.
    await service.settle()
    await game.env.settle()


async def test_people_sign_up_and_the_host_starts(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=8, ai_delay=600.0) as game:
        message = await opened(game, 1, title="Winter *Cup*", rounds=1)
        assert r"Winter \*Cup\*" in text_of(message)
        assert "Browser" in text_of(message)
        both = await game.at_once(game.click(who, label="Join", message=message) for who in (1, 2, 1))
        assert ["signed up for this cup already" in said(one) for one in both] == [False, False, True]
        assert "3 have signed up" in text_of(game.board("cup 1"))
        assert "takes 4 people; 3 have" in said(await game.click(0, label="Start"))
        said(await game.slash(3, "canasta cup join"))
        said(await game.click(4, label="Join"))
        said(await game.click(4, label="Leave"))
        assert "do not take part" in said(await game.click(4, label="Leave"))
        assert "4 have signed up" in text_of(game.board("cup 1"))
        assert "Only the host of the cup" in said(await game.click(3, label="Start"))
        assert "Only the host of the cup" in said(await game.slash(4, "canasta cup start"))
        assert "Only the host of the cup" in said(await game.slash(4, "canasta cup end"))
        assert (await cup_of(game)).stage is CupStage.OPEN
        old = game.board("cup 1")
        assert "begins: 4 people" in said(await game.click(0, label="Start"))
        assert "Round 1 of 1" in text_of(game.board("cup 1"))
        late = await game.press(5, old, "cn:enter-cup:1:0")
        assert "the cup has begun" in said(late)
        late = await game.press(0, old, "cn:quit-cup:1:0")
        assert "the cup has begun" in said(late)

        tables = await running(game)
        assert [table.stage for table in tables] == [Stage.PLAYING] * 2
        threads = {one.name: one for one in game.channel.threads}
        assert sorted(threads) == [f"Cup 1 · round 1 · table {number}" for number in (1, 2)]
        for table, thread in zip(tables, sorted(threads.values(), key=lambda one: one.name), strict=True):
            assert table.channel_id == thread.id
            model = game.env.backend.channels[thread.id]
            assert int(model.type) == 12, "closed"
            inside = {sitter.user_id for sitter in table.people}
            assert inside <= set(model.thread_members)
            others = {member.id for member in game.members} - inside
            assert not others & set(model.thread_members)
            assert "Canasta · table" in text_of(game.board("Canasta · table", channel=thread))
        # Who plays the same cards elsewhere sees nothing of a table; its own people do.
        first, second = tables
        numbers = {member.id: number for number, member in enumerate(game.members)}
        for mine, other in ((first, second), (second, first)):
            who = numbers[mine.people[0].user_id]
            for command in ("table", "score"):
                assert "same cards" in said(await game.slash(who, command, table=str(other.id)))
            assert "Canasta" in said(await game.slash(who, "table", table=str(mine.id)))
            answer = said(await game.slash(who, "canasta join", table=str(other.id)))
            assert "knows" in answer or "packs" in answer or "cards" in answer
        before = said(await game.slash(6, "canasta cup standings"))
        assert r"cup 1 · Winter \*Cup\*" in before
        assert "Round 1 of 1 · 2 tables play" in before
        assert "no cup xy" in said(await game.slash(6, "canasta cup standings", cup="xy"))
        assert "no such cup" in said(await game.slash(6, "canasta cup standings", cup="99")).lower()
        asked = await game.slash(0, "canasta cup end")
        assert r"Give up cup 1 · Winter \*Cup\*? 4 people are in round 1" in said(asked)
        assert (await cup_of(game)).stage is CupStage.PLAYING
        said(await game.press(0, old, "cn:end-cup:1:0"))
        assert (await cup_of(game)).stage is CupStage.PLAYING, "not by a public message"
        await game.click(0, label="Give up cup 1", message=asked.response)
        assert "was given up" in text_of(asked.response)
        assert "given up" in text_of(game.board("cup 1"))
        assert "no cup here" in said(await game.slash(6, "canasta cup join"))


async def test_a_whole_cup_with_a_restart_in_the_middle(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, ai_delay=0.0) as game:
        await opened(game, 5, rounds=2, kind="round_robin")
        said(await game.click(0, label="Start"))
        first, second = await running(game)
        game.bot.service._chance = SeededChance(4)  # type: ignore[attr-defined]
        await play_table(game, first.id, 1)
        assert "standings" not in "\n".join(text_of(one) for one in game.messages())
        await game.restart()
        await play_table(game, second.id, 2)
        assert "standings after round 1 of 2" in text_of(game.board("standings"))
        cup = await cup_of(game)
        assert cup.round == 2
        assert "Round 2 of 2" in text_of(game.board("**Host**"))
        assert "standings after round 1" in said(await game.click(3, label="Standings"))
        for number, table in enumerate(await running(game)):
            await play_table(game, table.id, 3 + number)
        final = text_of(game.board("final standings"))
        for name in ("Ann", "Bob", "Cleo", "Dan", "Eve"):
            assert name in final
        assert "2 points when your side's score" in final
        assert (await cup_of(game)).stage is CupStage.OVER
        assert "All rounds have been played" in text_of(game.board("**Host**"))
        posted = [one for one in game.messages() if "standings" in text_of(one) and not buttons_of(one)]
        assert len(posted) == 2, "each once"
        await game.restart()
        await asyncio.sleep(0)
        assert len([one for one in game.messages() if "standings" in text_of(one)]) == 2


async def test_where_a_cup_can_be_opened_and_what_is_offered(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        everyone = game.guild.default_role
        no_threads = discord.PermissionOverwrite(create_private_threads=False)
        closed = game.guild.create_text_channel("closed", overwrites={everyone: no_threads})
        assert "Create Private Threads" in said(await game.slash(0, "canasta cup open", channel_=closed))
        made = game.env.backend.create_thread(game.channel.id, "Corner", owner_id=game.members[0].id)
        corner = next(one for one in game.channel.threads if one.id == made.id)
        assert "ordinary text channel" in said(await game.slash(0, "canasta cup open", channel_=corner))
        assert "target" in said(await game.slash(0, "canasta cup open", profile="classic", target=1234))
        assert await game.bot.service.cups_in(game.guild.id) == []  # type: ignore[attr-defined]
        offered = await game.autocomplete(0, "canasta cup open", "target", "1", profile="browser")
        assert 1000 in [one["value"] for one in offered]
        assert "no cup here" in said(await game.slash(0, "canasta cup standings"))
        for title in ("First", "Second"):
            said(await game.slash(0, "canasta cup open", title=title))
        offered = await game.autocomplete(1, "canasta cup join", "cup", "sec")
        assert [(one["name"], one["value"]) for one in offered] == [("cup 2 · Second", "2")]
        assert "say which" in said(await game.slash(1, "canasta cup join"))
        assert "signed up for cup 2" in said(await game.slash(1, "canasta cup join", cup="2"))
        # The message is deleted: the next change brings another one.
        message = game.board("cup 2")
        game.env.backend.delete_message(game.channel.id, message.id)
        said(await game.slash(0, "canasta cup join", cup="2"))
        assert "2 have signed up" in text_of(game.board("cup 2"))


async def test_a_cup_goes_on_when_its_channel_is_in_the_way(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, ai_delay=600.0) as game:
        await opened(game, 4)
        everyone, denied = game.guild.default_role, discord.Permissions(create_private_threads=True)
        game.env.backend.set_overwrite(
            game.channel.id,
            Overwrite(target_id=everyone.id, type=OverwriteType.ROLE, allow=0, deny=denied.value),
        )
        await game.env.settle()
        said(await game.click(0, label="Start"))
        # No closed thread can be made: the tables are in the channel itself.
        assert [table.channel_id for table in await running(game)] == [game.channel.id] * 2


async def test_who_has_left_the_server_is_played_for(tmp_path: Path) -> None:
    """Discord says so when they are let into their thread; it tells of nobody who leaves by itself."""
    async with playing(tmp_path / "c.db", members=5, ai_delay=600.0) as game:
        await opened(game, 5)
        gone, shy = game.members[4].id, game.members[3].id
        for user_id, code in ((gone, 10007), (shy, 50001)):
            game.env.inject_error("PUT", f"/channels/*/thread-members/{user_id}", status=403, code=code)
        said(await game.click(0, label="Start"))
        await game.advance(5)
        seated = {sitter.user_id for table in await running(game) for sitter in table.people}
        assert seated == {member.id for member in game.members} - {gone}
        assert gone not in (await cup_of(game)).active


async def test_a_cup_whose_channel_was_deleted_ends_with_its_round(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, ai_delay=600.0) as game:
        room = game.guild.create_text_channel("cups")
        said(await game.slash(0, "canasta cup open", channel_=room, **MATCH))
        for who in range(4):
            said(await game.slash(who, "canasta cup join", cup="1"))
        said(await game.slash(0, "canasta cup start", cup="1"))
        await game.advance(5)
        game.env.backend.delete_channel(room.id)
        await game.env.settle()
        for table in await running(game):
            sure = await game.slash(0, "canasta end", table=str(table.id))
            said(await game.click(0, label=f"End table {table.id} for all", message=sure))
        await game.advance(5)
        cup = await cup_of(game)
        assert (cup.stage, cup.round, cup.done) == (CupStage.ENDED, 2, 1)
        assert "standings after round 1" in said(await game.slash(1, "canasta cup standings", cup="1"))


async def test_a_server_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    """So it is after a start: without its channels the tables would be opened for all to see."""
    async with playing(tmp_path / "c.db", members=4, ai_delay=600.0) as game:
        await opened(game, 4)
        there, asked = game.bot.get_guild, list[int]()

        def late(guild_id: int) -> discord.Guild | None:
            asked.append(guild_id)
            return there(guild_id) if len(asked) > 2 else None

        game.bot.get_guild = late  # type: ignore[method-assign]
        await game.click(0, label="Start")
        await game.advance(10)
        game.bot.get_guild = there  # type: ignore[method-assign]
        threads = {thread.id for thread in game.channel.threads}
        assert {table.channel_id for table in await running(game)} == threads
        assert len(threads) == 2


async def test_a_cup_in_a_channel_that_somebody_cannot_see_is_none_to_them(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        everyone = game.guild.default_role
        hidden = game.guild.create_text_channel("hidden")
        said(await game.slash(0, "canasta cup open", channel_=hidden, title="Secret", **MATCH))
        said(await game.slash(1, "canasta cup join", channel_=hidden))
        game.env.backend.set_overwrite(
            hidden.id,
            Overwrite(
                target_id=everyone.id,
                type=OverwriteType.ROLE,
                allow=0,
                deny=discord.Permissions(view_channel=True).value,
            ),
        )
        await game.env.settle()
        assert await game.autocomplete(2, "canasta cup join", "cup", "") == []
        assert "no such cup" in said(await game.slash(2, "canasta cup join", cup="1"))
        assert "no cup here" in said(await game.slash(2, "canasta cup standings"))
        offered = await game.autocomplete(1, "canasta cup standings", "cup", "")
        assert [one["name"] for one in offered] == ["cup 1 · Secret"], "who takes part knows of it"


async def test_a_cup_goes_by_what_the_server_has_chosen_as_a_table_does(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        chosen = ServerSettings(profile="browser", clock=3600, undo=False, away_days=3)
        with game.env._bot_scope():
            await game.bot.service.set_server_settings(game.guild.id, chosen)  # type: ignore[attr-defined]
        offered = await game.autocomplete(0, "canasta cup open", "target", "1")
        assert 1000 in [one["value"] for one in offered], "of the server's own profile"
        assert await game.autocomplete(0, "canasta cup open", "options", "real", profile="canastra")
        said(await game.slash(0, "canasta cup open"))
        said(await game.slash(0, "canasta new"))
        cup, table = await cup_of(game), await game.bot.service.get(1)  # type: ignore[attr-defined]
        assert cup.rules == table.rules
        assert (cup.clock, cup.undo, cup.away_limit, cup.locale) == (3600, False, 3 * DAY, "en")
        assert (cup.clock, cup.undo, cup.away_limit, cup.locale) == (
            table.clock,
            table.undo,
            table.away_limit,
            table.locale,
        )
        assert "AI players go on there" in text_of(game.board("cup 1"))


def test_the_fullest_messages_fit() -> None:
    people = range(1, 49)
    tables = [
        CupTable(1, number + 1, tuple(people[number * 4 : number * 4 + 4]), 10 + number, 5 * number)
        for number in range(12)
    ]
    cup = Cup(
        id=123_456,
        guild_id=1,
        channel_id=2,
        host_id=1,
        title=LONGEST_NAME * 3,
        rules_text=encode_rules(load_rules("canastra", 4)),
        kind=CupKind.ROUND_ROBIN,
        rounds=47,
        clock=86_400,
        undo=True,
        away_limit=0,
        locale="en",
        stage=CupStage.OPEN,
        round=1,
        created_at=0.0,
        entrants=tuple(Entrant(one) for one in people),
        tables=tuple(tables),
    )
    names = dict.fromkeys(people, LONGEST_NAME)
    for stage in CupStage:
        shown = Cup(**{name: getattr(cup, name) for name in cup.__dataclass_fields__} | {"stage": stage})
        for layout in (sign_up(shown, names), standings_layout(shown, names, 1)):
            body = {"components": layout.to_components(), "flags": COMPONENTS_V2}
            assert not list(problems_of(body))


async def test_who_leaves_a_running_cup_is_asked_first(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=5, ai_delay=600.0) as game:
        await opened(game, 5)
        assert "signed off" in said(await game.slash(4, "canasta cup leave")), "there is a way back"
        said(await game.click(0, label="Start"))
        bob = game.members[1].id
        asked = await game.slash(1, "canasta cup leave")
        assert "there is no way back" in said(asked)
        assert bob in (await cup_of(game)).active
        said(await game.press(1, game.board("cup 1"), "cn:quit-cup:1:0:sure"))
        assert bob in (await cup_of(game)).active, "not by a public message"
        await game.click(1, label="Leave cup 1", message=asked.response)
        assert "no further round" in text_of(asked.response)
        assert bob not in (await cup_of(game)).active
        assert "do not take part" in said(await game.slash(4, "canasta cup leave"))


async def test_the_last_one_at_a_table_of_a_cup_can_leave_it(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=8, ai_delay=600.0) as game:
        await opened(game, 8)
        said(await game.click(0, label="Start"))
        await game.advance(5)
        table = next(one for one in await running(game) if one.seat_of(game.members[0].id) is None)
        *others, last = [who_of(game, table, seat) for seat in range(4)]
        for who in others:
            assert "left" in said(await game.slash(who, "canasta leave", table=str(table.id)))
        asked = await game.slash(last, "canasta leave", table=str(table.id))
        assert "if you leave, the game is over" in said(asked)
        await game.click(last, label=f"End table {table.id} for all", message=asked.response)
        assert "Nobody was left" in text_of(asked.response)
        assert (await table_of(game, table.id)).stage is Stage.ENDED


async def test_a_cup_of_a_channel_that_is_gone_is_none_to_strangers(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        moderator(game, 3)
        room = game.guild.create_text_channel("hidden")
        said(await game.slash(0, "canasta cup open", channel_=room, **MATCH))
        said(await game.slash(1, "canasta cup join", channel_=room))
        game.env.backend.delete_channel(room.id)
        await game.env.settle()
        for who, seen in ((0, True), (1, True), (2, False), (3, True)):
            answer = said(await game.slash(who, "canasta cup standings", cup="1"))
            assert ("no such cup" in answer) is not seen, who
