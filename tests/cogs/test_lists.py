"""Several tables: the list with what waits first, and which table a command without `table:` means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import discord
from simcord.backend.models import Overwrite
from simcord.builders import ChannelHandle
from simcord.enums import OverwriteType

from canasta_core.legality import who_acts
from canasta_core.tables.model import Pause, Stage, Table
from cogs.ui.tables import Listed, in_order, listed, page_of, pages_of, table_list, waits_for
from tests.cogs.players import open_table, said, table_of
from tests.cogs.tables import played
from tests.cogs.tables import table_of as layout_table
from tests.discord.harness import Game, buttons_of, playing, selects_of, text_of

NOBODY = 999
"""Sits at no table."""


def row(number: int, **changes: Any) -> Listed:
    base = listed(layout_table(played(moves=1)[0]), NOBODY)
    return replace(base, id=number, **{"channel_id": 2, **changes})


def test_what_waits_comes_first_then_mine_then_what_can_be_joined_here() -> None:
    rows = [
        row(1),
        row(2, stage=Stage.LOBBY),
        row(3, stage=Stage.LOBBY, channel_id=1),
        row(4, mine=True),
        row(5, mine=True, deadline=50.0),
        row(6, mine=True, waiting=True),
        row(7, mine=True, waiting=True, deadline=90.0),
        row(8, mine=True, waiting=True, deadline=80.0),
        row(9, channel_id=1),
    ]
    assert [one.id for one in in_order(rows, 1)] == [8, 7, 6, 5, 4, 3, 9, 1, 2]


def test_pages_hold_every_table_once() -> None:
    rows = [row(number) for number in range(1, 32)]
    assert pages_of(31, 10) == 4
    assert [one.id for page in range(4) for one in page_of(rows, page)] == list(range(1, 32))
    assert page_of(rows, 99) == page_of(rows, 3)
    layout = table_list("en", rows, page=99)
    assert not [one for one in buttons_of_layout(layout) if one["label"] == "More" and not one["disabled"]]


def buttons_of_layout(layout: Any) -> list[dict[str, Any]]:
    rows = [part for part in layout.to_components() if part["type"] == 1]
    return [one for found in rows for one in found["components"]]


def test_what_a_list_says_of_a_table() -> None:
    state, events = played(seed=3, moves=30)
    table = layout_table(state, events)
    acting = who_acts(state.public)[0]
    user = 100 + acting
    name = table.sitters[acting].name

    def line(table: Table, who: int) -> str:
        return (
            table_list("en", [listed(table, who)], channel_id=8).to_components()[0]["content"].split("\n")[1]
        )

    assert "➤ table 12 · Classic · **your turn**" in line(table, user)
    assert "<#" not in line(table, user)
    dated = replace(table, deadline=5000.0)
    assert "**your turn** (ends <t:5000:R>)" in line(dated, user)
    assert f"round 1, turn of {name} (ends <t:5000:R>)" in line(dated, NOBODY)
    paused = replace(dated, paused=Pause(9000.0, 100))
    assert "round 1, paused" in line(paused, user)
    assert "➤" not in line(paused, user)
    lost = replace(table, lost="deleted", channel_id=9)
    assert "I cannot write in its channel: `/canasta move table:12`" in line(lost, user)
    assert "<#9>" in line(replace(table, channel_id=9), user)
    kept = tuple(replace(one, absent=one.user_id == user) for one in table.sitters)
    assert "an AI keeps your seat" in line(replace(table, sitters=kept), user)


async def opened(
    game: Game, channel: ChannelHandle | None = None, host: int = 0, *, begin: bool = True
) -> Table:
    """A table of one person and, when it has begun, three AI players."""
    await game.slash(host, "canasta new", channel_=channel)
    table = (await game.bot.service.tables_in(game.guild.id))[-1]  # type: ignore[attr-defined]
    if begin:
        await game.slash(host, "canasta start", channel_=channel, table=str(table.id))
    return await table_of(game, table.id)


async def until_turn(game: Game, table_id: int, user_id: int, mine: bool = True) -> None:
    async def so() -> bool:
        table = await table_of(game, table_id)
        return table.state is not None and (table.seat_of(user_id) in who_acts(table.state.public)) is mine

    await game.until(so, 3600)


async def discard(game: Game, table_id: int, who: int = 0) -> None:
    """Draw and discard, so that it is somebody else's turn."""
    await game.slash(who, "draw", table=str(table_id))
    offered = await game.autocomplete(who, "discard", "card", "", table=str(table_id))
    await game.slash(who, "discard", card=offered[0]["value"], table=str(table_id))


async def test_the_command_without_a_table_picks_rightly(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2, ai_delay=600.0) as game:
        ann = game.members[0].id
        other, third = (game.guild.create_text_channel(name) for name in ("other", "third"))
        assert "You sit at no table" in said(await game.slash(0, "hand"))
        for channel in (None, None, other):
            await opened(game, channel)
        for number in (1, 2, 3):
            await until_turn(game, number, ann)
        # It is her turn at two tables here: which one? Nobody has to think of a number.
        asked = await game.slash(0, "hand")
        assert "Which one" in said(asked)
        (menu,) = selects_of(asked.response)
        deadlines = {one.id: one.deadline for one in [await table_of(game, number) for number in (1, 2)]}
        assert [int(one.value) for one in menu.options] == sorted(deadlines, key=lambda id_: deadlines[id_])
        assert "Classic · round 1" in menu.options[0].label
        assert (await game.select(0, values=["2"], custom_id="cn:choose", message=asked.response)).response
        assert "table 2" in text_of(asked.response)
        # At one of them alone: that one, here; elsewhere the only one there.
        await discard(game, 2)
        assert "table 1" in said(await game.slash(0, "hand"))
        assert "table 3" in said(await game.slash(0, "hand", channel_=other))
        # Where she has no table: the only one where it is her turn, of all.
        asked = await game.slash(0, "hand", channel_=third)
        (menu,) = selects_of(asked.response)
        assert {one.value for one in menu.options[:2]} == {"1", "3"}, "what waits for her first"
        assert menu.options[2].value == "2"
        await discard(game, 3)
        assert "table 1" in said(await game.slash(0, "hand", channel_=third))
        await discard(game, 1)
        assert "Which one" in said(await game.slash(0, "hand", channel_=third))
        offered = await game.autocomplete(0, "hand", "table", "")
        assert {choice["value"] for choice in offered} == {"1", "2", "3"}
        assert all("turn of" in choice["name"] for choice in offered)


async def test_to_leave_one_of_several_tables_is_never_guessed(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2, ai_delay=1.0) as game:
        await open_table(game, 2)
        await game.advance(20)
        table = await table_of(game, 1)
        assert table.state is not None
        mine, other = (0, 1) if table.state.public.turn == table.seat_of(game.members[0].id) else (1, 0)
        assert waits_for(table, game.members[mine].id), (
            "where it is their turn is not where they want to leave"
        )
        await game.slash(mine, "canasta new")
        asked = await game.slash(mine, "canasta leave")
        assert "Which one" in said(asked)
        assert (await table_of(game, 1)).seat_of(game.members[mine].id) is not None
        await game.select(mine, values=["2"], custom_id="cn:choose", message=asked.response)
        assert "Nobody else sits at table 2" in text_of(asked.response)
        await game.click(mine, label="Leave and close table 2", message=asked.response)
        assert "You have left table 2" in text_of(asked.response)
        assert "left table 1" in said(await game.slash(other, "canasta leave"))
        # The last one is asked, since the game would be over.
        asked = await game.slash(mine, "canasta leave")
        assert "if you leave, the game is over" in said(asked)
        assert (await table_of(game, 1)).stage is Stage.PLAYING
        await game.click(mine, label="End table 1 for all", message=asked.response)
        assert (await table_of(game, 1)).stage is Stage.ENDED
        assert "sit at no table" in said(await game.slash(mine, "canasta leave"))


async def test_tables_of_a_channel_that_somebody_cannot_see_are_not_there(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        everyone = game.guild.default_role
        hidden = discord.PermissionOverwrite(view_channel=False)
        seen = discord.PermissionOverwrite(view_channel=True)
        staff = {game.members[0]: seen, game.bot.user: seen}
        secret = game.guild.create_text_channel("staff", overwrites={everyone: hidden, **staff})
        await game.slash(0, "canasta new", channel_=secret)
        assert "table 1" in said(await game.slash(0, "canasta list"))
        assert [one["value"] for one in await game.autocomplete(0, "table", "table", "")] == ["1"]
        assert "There is no table" in said(await game.slash(1, "canasta list"))
        assert not await game.autocomplete(1, "table", "table", "")
        for command in ("table", "canasta join", "canasta log", "score", "rules"):
            assert "no such table" in said(await game.slash(1, command, table="1"))
        # Who sits there stays at the table, whatever becomes of their sight of the channel.
        game.env.backend.set_overwrite(
            secret.id,
            Overwrite(target_id=game.members[0].id, type=OverwriteType.MEMBER, allow=0, deny=1 << 10),
        )
        await game.env.settle()
        assert "table 1" in said(await game.slash(0, "canasta list"))
        assert "Seat 1 · Ann" in said(await game.slash(0, "table", table="1"))


async def test_many_tables_have_pages_in_the_list_and_in_the_question(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2, ai_delay=7200.0) as game:
        service = game.bot.service  # type: ignore[attr-defined]
        ann = game.members[0].id
        for number in range(28):
            await opened(game, begin=number % 4 == 0)
        await opened(game, host=1, begin=False)
        shown = await game.slash(0, "canasta list")
        assert "### 29 tables" in said(shown)
        waiting = [
            table.id
            for table in await service.tables_of(ann)
            if table.state is not None and table.seat_of(ann) in who_acts(table.state.public)
        ]
        seen: list[str] = []
        for page in range(3):
            lines = [line for line in text_of(shown.response).split("\n") if line[:1] in "➤•"]
            assert len(lines) == (10 if page < 2 else 9)
            assert all("https://discord.com/channels/" in line for line in lines), "each has its board"
            seen += [line.split("]")[0].rpartition(" ")[2] for line in lines]
            if page < 2:
                await game.click(0, label="More", message=shown.response)
                assert f"Page {page + 2} of 3" in {one.label for one in buttons_of(shown.response)}
        assert sorted(seen, key=int) == [str(number) for number in range(1, 30)]
        assert sorted(map(int, seen[: len(waiting)])) == waiting
        assert seen[-1] == "29", "somebody else's table comes last"
        assert "More" not in {one.label for one in buttons_of(shown.response) if not one.disabled}
        await game.click(0, label="Back", message=shown.response)
        assert "Page 2 of 3" in {one.label for one in buttons_of(shown.response)}

        asked = await game.slash(0, "hand", channel_=game.guild.create_text_channel("x"))
        if len(waiting) != 1:
            (menu,) = selects_of(asked.response)
            assert len(menu.options) == 25
            await game.click(0, label="More tables (1 of 2)", message=asked.response)
            (menu,) = selects_of(asked.response)
            assert len(menu.options) == 3
            chosen = await game.select(
                0, values=[menu.options[0].value], custom_id="cn:choose", message=asked.response
            )
            assert f"table {menu.options[0].value}" in text_of(chosen.response) or "not started" in text_of(
                chosen.response
            )
