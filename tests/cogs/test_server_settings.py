"""`/canasta settings`, and what `/canasta new` makes of it: by whom, where, with what, in threads."""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import discord
import pytest

from canasta_core.profiles import profile_ids
from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.model import CLOCKS, DAY, ServerSettings, Stage, Table
from cogs import opening
from cogs.desk import DeskError
from cogs.server_settings import FIELDS, changed
from cogs.ui.layout import Click, Verb
from cogs.ui.settings import AWAY_DAYS, changed_text, settings_layout
from cogs.ui.text import text
from tests.cogs.layouts import check, controls_of
from tests.cogs.players import click_turn, is_over, said, table_of
from tests.discord.checks import walk
from tests.discord.harness import Game, buttons_of, playing, selects_of, text_of
from tests.discord.reading import Select

MANAGER = discord.Permissions(manage_guild=True)


def manager(game: Game, who: int) -> None:
    """Let a member manage the server."""
    role = game.guild.create_role(f"manager{who}", permissions=MANAGER)
    give(game, who, role.id)


def give(game: Game, who: int, role_id: int) -> None:
    member, backend = game.members[who].id, game.env.backend
    roles = [*backend.get_member(game.guild.id, member).role_ids, role_id]
    backend.edit_member(game.guild.id, member, {"role_ids": roles})


def take_roles(game: Game, who: int) -> None:
    game.env.backend.edit_member(game.guild.id, game.members[who].id, {"role_ids": []})


async def settings_of(game: Game) -> ServerSettings:
    return await game.bot.service.server_settings(game.guild.id)  # type: ignore[attr-defined, no-any-return]


async def tables(game: Game) -> list[Table]:
    return await game.bot.service.tables_in(game.guild.id)  # type: ignore[attr-defined, no-any-return]


async def choose(game: Game, who: int, shown: Any, name: str, values: Sequence[Any]) -> str:
    """Change one setting in the message that shows them; what the message says then."""
    await game.select(who, values=values, custom_id=f"cn:setting:0:0:{name}", message=shown.response)
    return text_of(shown.response)


def select_of(shown: Any, name: str) -> Select:
    return next(one for one in selects_of(shown.response) if one.custom_id == f"cn:setting:0:0:{name}")


async def test_only_who_manages_the_server_sees_and_changes_the_settings(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        answer = said(await game.slash(1, "canasta settings"))
        assert "Manage Server" in answer
        manager(game, 0)
        shown = await game.slash(0, "canasta settings")
        assert "saved at once" in said(shown)
        # A click that somebody else sends, or who has lost the right meanwhile, is refused as well.
        assert "Manage Server" in said(await game.press(1, shown.response, "cn:setting:0:0:undo off"))
        take_roles(game, 0)
        await game.press(0, shown.response, "cn:setting:0:0:undo off")
        assert "Manage Server" in text_of(shown.response)
        assert (await settings_of(game)) == ServerSettings()


async def test_every_setting_is_saved_at_once_logged_and_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        manager(game, 0)
        role = game.guild.create_role("Hosts")
        shown = await game.slash(0, "canasta settings")
        with caplog.at_level(logging.INFO, logger="cogs.server_settings"):
            assert "may now be opened in" in await choose(game, 0, shown, "channels", [game.channel])
            assert "opened by" in await choose(game, 0, shown, "roles", [role])
            assert "play" in await choose(game, 0, shown, "profile", ["salon"])
            assert "1 hour" in await choose(game, 0, shown, "clock", ["3600"])
            assert "no limit" in await choose(game, 0, shown, "clock", ["none"])
            assert "21 days" in await choose(game, 0, shown, "away", ["21"])
            await game.click(0, label="Threads: off", message=shown.response)
            await game.click(0, label="Undo: on", message=shown.response)
        assert {button.label for button in buttons_of(shown.response)} == {"Threads: on", "Undo: off"}
        expected = ServerSettings(
            channels=frozenset({game.channel.id}),
            profile="salon",
            clock=None,
            host_roles=frozenset({role.id}),
            threads=True,
            away_days=21,
            undo=False,
        )
        assert await settings_of(game) == expected
        lines = [
            record.getMessage() for record in caplog.records if "changed the setting" in record.getMessage()
        ]
        assert len(lines) == 8
        assert all(f"guild {game.guild.id}: user {game.members[0].id} changed" in line for line in lines)
        assert "the setting clock from 86400 to 3600" in lines[3]
        await game.restart()
        assert await settings_of(game) == expected
        again = await game.slash(0, "canasta settings")
        assert {button.label for button in buttons_of(again.response)} == {"Threads: on", "Undo: off"}
        assert "everywhere" in await choose(game, 0, again, "channels", [])
        assert "Everybody" in await choose(game, 0, again, "roles", [])


async def test_two_moderators_at_once_do_not_undo_each_other(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3) as game:
        for who in (0, 1):
            manager(game, who)
        first, second = [await game.slash(who, "canasta settings") for who in (0, 1)]
        await game.at_once(
            [
                game.select(0, values=["3600"], custom_id="cn:setting:0:0:clock", message=first.response),
                game.select(1, values=["salon"], custom_id="cn:setting:0:0:profile", message=second.response),
                game.click(0, label="Undo: on", message=first.response),
                game.click(1, label="Undo: on", message=second.response),
            ]
        )
        settings = await settings_of(game)
        assert (settings.clock, settings.profile, settings.undo) == (3600, "salon", False)


async def test_wrong_values_and_a_full_disk_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        manager(game, 0)
        shown = await game.slash(0, "canasta settings")
        for custom_id, values in (
            ("clock", ["77"]),
            ("clock", ["soon"]),
            ("profile", ["bridge"]),
            ("channels", ["everywhere"]),
            ("roles", ["-1"]),
            ("threads maybe", None),
            ("away", []),
            ("colour", ["blue"]),
        ):
            await game.press(0, shown.response, f"cn:setting:0:0:{custom_id}", values)
            assert "older message" in text_of(shown.response), custom_id
        await game.press(0, shown.response, "cn:setting:0:0:away", ["9999"])
        assert "no value of the setting" in text_of(shown.response)
        assert await settings_of(game) == ServerSettings()

        async def full(*_: Any) -> None:
            raise StoreError(StoreCode.FULL, "disk full")

        shown = await game.slash(0, "canasta settings")
        monkeypatch.setattr(game.bot.service, "set_server_settings", full)  # type: ignore[attr-defined]
        await game.click(0, label="Undo: on", message=shown.response)
        assert "could not be saved" in text_of(shown.response)
        assert await settings_of(game) == ServerSettings()


def test_what_is_chosen_is_read() -> None:
    assert changed(ServerSettings(), "language", ["none"]).locale == ""
    assert changed(ServerSettings(), "language", ["en"]).locale == "en"
    for wrong in (["xx"], []):
        with pytest.raises(DeskError):
            changed(ServerSettings(), "language", wrong)
    for name in FIELDS:
        assert changed_text("en", name, ServerSettings())


async def test_new_tables_take_what_the_server_has_chosen_and_hosts_may_differ(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        service = game.bot.service  # type: ignore[attr-defined]
        await game.slash(0, "canasta new")
        first = (await tables(game))[-1]
        assert (first.rules.profile, first.clock, first.undo) == ("classic", DAY, True)
        lobby = text_of(game.board())
        assert "1 day for a turn" in lobby or "24 hours for a turn" in lobby
        await service.set_server_settings(
            game.guild.id,
            ServerSettings(profile="canastra", clock=None, undo=False, away_days=3),
        )
        offered = await game.autocomplete(0, "canasta new", "options", "")
        assert any("freeze=wild" in choice["value"] for choice in offered), "those of the server's profile"
        await game.slash(0, "canasta new")
        second = (await tables(game))[-1]
        assert (second.rules.profile, second.clock, second.undo) == ("canastra", None, False)
        assert second.away_limit == 3 * DAY
        assert "**Clock:** none" in text_of(game.board())
        assert "**Undo:** none" in text_of(game.board())
        await game.slash(0, "canasta new", profile="salon", clock=300, undo=True)
        third = (await tables(game))[-1]
        assert (third.rules.profile, third.clock, third.undo) == ("salon", 300, True)
        assert "5 minutes for a turn" in text_of(game.board())
        await game.slash(0, "canasta new", clock=opening.NO_CLOCK)
        assert (await tables(game))[-1].clock is None


async def test_tables_are_opened_in_the_allowed_channels_and_their_threads(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        service = game.bot.service  # type: ignore[attr-defined]
        category = game.guild.create_category("Games")
        inside = game.guild.create_text_channel("cards", category=category)
        allowed = game.guild.create_text_channel("allowed")
        gone = game.guild.create_text_channel("gone")
        ids = frozenset({category.id, allowed.id, gone.id})
        await service.set_server_settings(game.guild.id, ServerSettings(channels=ids))
        answer = said(await game.slash(0, "canasta new"))
        assert f"<#{allowed.id}>" in answer
        assert f"<#{category.id}>" in answer
        for channel in (inside, allowed):
            assert "is open" in said(await game.slash(0, "canasta new", channel_=channel))
        in_thread = await game.slash(0, "canasta new", channel_=allowed, thread=True)
        assert "thread of its own" in said(in_thread)
        thread = game.env.backend.channels[(await tables(game))[-1].channel_id]
        assert thread.parent_id == allowed.id
        await service.set_server_settings(game.guild.id, ServerSettings(channels=frozenset({gone.id})))
        game.env.backend.delete_channel(gone.id)
        await game.env.settle()
        assert "are gone" in said(await game.slash(0, "canasta new"))


async def test_only_the_roles_that_may_host_open_tables(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        service = game.bot.service  # type: ignore[attr-defined]
        hosts, other = game.guild.create_role("Hosts"), game.guild.create_role("Other")
        await service.set_server_settings(game.guild.id, ServerSettings(host_roles=frozenset({hosts.id})))
        give(game, 1, hosts.id)
        give(game, 2, other.id)
        manager(game, 3)
        for who, opens in ((0, False), (1, True), (2, False), (3, True)):
            answer = said(await game.slash(who, "canasta new"))
            assert ("is open" in answer) == opens
            assert opens or f"<@&{hosts.id}>" in answer
        assert "You sit" in said(await game.slash(0, "canasta join", table="1")), "anybody may still play"


async def test_a_table_in_a_thread_of_its_own_plays_a_round(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2, ai_delay=0) as game:
        service = game.bot.service  # type: ignore[attr-defined]
        await service.set_server_settings(game.guild.id, ServerSettings(threads=True))
        answer = said(await game.slash(0, "canasta new", profile="salon", seats=2))
        (table,) = await tables(game)
        thread = game.env.backend.channels[table.channel_id]
        assert thread.parent_id == game.channel.id
        assert thread.name == "Canasta · Salon · Ann" or "Ann" in str(thread.name)
        assert f"<#{thread.id}>" in answer
        place = game.channel
        inside = next(one for one in place.threads if one.id == thread.id)
        game.channel = inside
        await game.click(1, label="Join")
        assert (await table_of(game)).stage is Stage.PLAYING
        rng = random.Random(2)
        for _ in range(300):
            if await is_over(game):
                break
            await click_turn(game, rng)
        assert await is_over(game)
        assert "Round 1" in text_of(game.board("Round 1"))
        assert all(not message.components for message in game.messages(channel=place))


async def test_a_thread_goes_again_when_its_table_cannot_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:

        async def full(*_: Any, **__: Any) -> None:
            raise StoreError(StoreCode.FULL, "disk full")

        monkeypatch.setattr(game.bot.service, "create", full)  # type: ignore[attr-defined]
        assert "could not be saved" in said(await game.slash(0, "canasta new", thread=True))
        assert not game.channel.threads


async def test_threads_that_cannot_be_made_are_refused_with_the_reason(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        closed = game.guild.create_text_channel(
            "no-threads",
            overwrites={
                game.guild.default_role: discord.PermissionOverwrite(
                    create_public_threads=False, send_messages_in_threads=False
                )
            },
        )
        answer = said(await game.slash(0, "canasta new", channel_=closed, thread=True))
        assert "Create Public Threads" in answer
        assert "Send Messages in Threads" in answer
        voice = game.guild.create_voice_channel("talk")
        assert "only from a text channel" in said(
            await game.slash(0, "canasta new", channel_=voice, thread=True)
        )
        assert not await tables(game)
        # Where only the server wants threads, a channel without them holds the table itself.
        service = game.bot.service  # type: ignore[attr-defined]
        await service.set_server_settings(game.guild.id, ServerSettings(threads=True))
        assert "is open" in said(await game.slash(0, "canasta new", channel_=voice))
        assert (await tables(game))[-1].channel_id == voice.id
        # Rules that cannot be had are refused before there is a thread for nothing.
        assert "no house rule" in said(await game.slash(0, "canasta new", options="bridge"))
        assert not game.channel.threads


async def test_channels_where_the_bot_may_not_write_are_named(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        manager(game, 0)
        quiet = game.guild.create_text_channel(
            "quiet", overwrites={game.guild.default_role: discord.PermissionOverwrite(send_messages=False)}
        )
        shown = await game.slash(0, "canasta settings")
        words = await choose(game, 0, shown, "channels", [quiet, game.channel])
        assert f"In <#{quiet.id}> I lack: Send Messages" in words
        assert f"In <#{game.channel.id}>" not in words


@pytest.mark.parametrize("count", [0, 25, 40])
def test_the_fullest_settings_fit(count: int) -> None:
    ids = frozenset(range(10**18, 10**18 + count))
    names = ", ".join(["Send Messages in Threads"] * 6)
    for settings in (
        ServerSettings(),
        ServerSettings(channels=ids, host_roles=ids, away_days=365, clock=None),
    ):
        layout = settings_layout(
            "en",
            settings,
            channels=ids,
            roles=ids,
            closed=[(one, names) for one in sorted(ids)],
            said=changed_text("en", "channels", settings),
        )
        check(layout)
    selects = [one for _, one in walk(layout.to_components()) if "default_values" in one]
    assert all(len(one["default_values"]) <= one["max_values"] for one in selects)
    assert all(len(one["default_values"]) == min(count, 25) for one in selects)
    verbs = controls_of(layout)
    assert set(verbs) == {Verb.SETTING}
    every = [one for _, one in walk(layout.to_components()) if one.get("options")]
    assert [len(one["options"]) for one in every] == [len(profile_ids()), len(CLOCKS), len(AWAY_DAYS) + 1]
    assert Click.read("cn:setting:0:0:threads on") == Click(Verb.SETTING, 0, 0, "threads on")


def test_what_no_longer_exists_is_not_shown_as_chosen() -> None:
    settings = ServerSettings(channels=frozenset({5, 6}), host_roles=frozenset({7, 8}))
    layout = settings_layout("en", settings, channels=[6], roles=[8])
    found = [one["default_values"] for _, one in walk(layout.to_components()) if "default_values" in one]
    assert found == [[{"id": 6, "type": "channel"}], [{"id": 8, "type": "role"}]]


def test_what_is_gone_altogether_does_not_look_like_everywhere() -> None:
    settings = ServerSettings(channels=frozenset({5}), host_roles=frozenset({7}))
    shown = str(settings_layout("en", settings, channels=[6], roles=[8]).to_components())
    assert "The channels that were chosen are gone" in shown
    assert "The roles that were chosen are gone" in shown
    shown = str(settings_layout("en", ServerSettings(), channels=[6], roles=[8]).to_components())
    assert "gone" not in shown


async def test_the_language_is_an_option_when_there_is_more_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        assert "language" not in _options(game)
        monkeypatch.setattr(opening, "languages", lambda: ("en", "de"))
        monkeypatch.setattr(
            opening, "text", lambda locale, key, **facts: f"{text(locale, key, **facts)} ({locale})"
        )
        await game.restart()
        assert "language" in _options(game)
        await game.slash(0, "canasta new", language="de")
        assert (await tables(game))[-1].locale == "de"
    monkeypatch.setattr("cogs.ui.settings.languages", lambda: ("en", "de"))
    check(settings_layout("en", ServerSettings(locale="de"), channels=(), roles=()))


def _options(game: Game) -> set[str]:
    group = game.bot.tree.get_command("canasta")  # type: ignore[attr-defined]
    return {parameter.name for parameter in group.get_command("new").parameters}
