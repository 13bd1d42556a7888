"""What people and servers have chosen is stored key by key, and survives what is damaged."""

import asyncio
import logging
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canasta_core.profiles import profile_ids
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import CLOCKS, DAY, Preferences, Reminders, ServerSettings
from canasta_core.tables.service import TableService
from canasta_core.tables.settings import (
    preference_rows,
    read_preferences,
    read_server_settings,
    server_setting_rows,
)
from data.sqlite_store import SqliteStore
from tests.tables.tools import ANN, GUILD

MINUTE = st.integers(0, 24 * 60 - 1)
PREFERENCES = st.builds(
    Preferences,
    reminders=st.sampled_from(Reminders),
    quiet=st.none() | st.tuples(MINUTE, MINUTE).filter(lambda times: times[0] != times[1]),
    zone=st.sampled_from(["UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+12"]),
    two_step=st.booleans(),
)
IDS = st.frozensets(st.integers(1, 2**63 - 1), max_size=5)
SERVER = st.builds(
    ServerSettings,
    channels=IDS,
    profile=st.sampled_from(profile_ids()),
    clock=st.sampled_from(CLOCKS),
    locale=st.sampled_from(["", "en", "de", "pt-BR", "zh-TW", "es-419"]),
    host_roles=IDS,
    threads=st.booleans(),
    away_days=st.integers(0, 365),
    undo=st.booleans(),
)


@given(PREFERENCES)
def test_preferences_there_and_back(preferences: Preferences) -> None:
    assert read_preferences(preference_rows(preferences)) == preferences


@given(SERVER)
def test_server_settings_there_and_back(settings: ServerSettings) -> None:
    assert read_server_settings(server_setting_rows(settings)) == settings


def test_nothing_chosen() -> None:
    assert read_preferences({}) == Preferences()
    assert read_server_settings({"of a later version": "x"}) == ServerSettings()


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("reminders", ["", "pigeon", "OFF "]),
        ("quiet", ["22", "22:00", "22:00-", "25:00-07:00", "22:60-07:00", "7:00-7:00", "1:00-2:00-3:00"]),
        ("quiet", ["-22:00-07:00", "a:b-c:d", "\0"]),
        ("zone", ["", "Mars/Olympus", "../../etc/passwd", "/etc/localtime", "Europe", "\0", "x" * 5000]),
        ("two_step", ["", "1", "True", "on "]),
    ],
)
def test_damaged_preferences_count_as_not_chosen(
    key: str, texts: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    whole = Preferences(Reminders.DM, (60, 120), "Europe/Berlin", True)
    for text in texts:
        caplog.clear()
        found = read_preferences({**preference_rows(whole), key: text})
        expected = {**preference_rows(whole), key: preference_rows(Preferences())[key]}
        assert preference_rows(found) == expected, "the others stand"
        assert [record.levelno for record in caplog.records] == [logging.WARNING]
        assert key in caplog.text


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("channels", ["x", "1,2", "0", "-5", "1.5"]),
        ("profile", ["", "chess", "Classic"]),
        ("clock", ["", "0", "301", "-300", "None", "1e3"]),
        ("locale", ["d\xe9", "../de", "x" * 13, "en_GB"]),
        ("host_roles", ["everyone", "0"]),
        ("threads", ["yes", ""]),
        ("away_days", ["", "-1", "366", "1.5", "x"]),
        ("undo", ["yes", ""]),
    ],
)
def test_damaged_server_settings_count_as_not_chosen(
    key: str, texts: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    whole = ServerSettings(
        frozenset({5}), "salon", 3600, "de", frozenset({6}), threads=True, away_days=3, undo=False
    )
    for text in texts:
        caplog.clear()
        found = read_server_settings({**server_setting_rows(whole), key: text})
        expected = {**server_setting_rows(whole), key: server_setting_rows(ServerSettings())[key]}
        assert server_setting_rows(found) == expected, "the others stand"
        assert [record.levelno for record in caplog.records] == [logging.WARNING]


@pytest.mark.parametrize(
    ("wrong", "setting"),
    [
        (ServerSettings(clock=7), "clock"),
        (ServerSettings(profile="chess"), "profile"),
        (ServerSettings(away_days=1000), "away_days"),
        (ServerSettings(away_days=-1), "away_days"),
        (ServerSettings(channels=frozenset({0})), "channels"),
        (ServerSettings(locale="no such language"), "locale"),
    ],
)
async def test_a_wrong_setting_is_refused(service: TableService, wrong: ServerSettings, setting: str) -> None:
    await service.set_server_settings(GUILD, ServerSettings(away_days=5))
    with pytest.raises(TableError) as caught:
        await service.set_server_settings(GUILD, wrong)
    assert (caught.value.code, caught.value.facts["setting"]) == (TableCode.BAD_SETTING, setting)
    assert await service.server_settings(GUILD) == ServerSettings(away_days=5), "nothing of it was stored"


@pytest.mark.parametrize(
    ("wrong", "setting"),
    [
        (Preferences(zone="Mars/Olympus"), "zone"),
        (Preferences(quiet=(5, 5)), "quiet"),
        (Preferences(quiet=(5, 1440)), "quiet"),
    ],
)
def test_a_wrong_preference_is_refused(wrong: Preferences, setting: str) -> None:
    with pytest.raises(TableError) as caught:
        preference_rows(wrong)
    assert (caught.value.code, caught.value.facts["setting"]) == (TableCode.BAD_SETTING, setting)


async def test_a_server_has_its_own_settings(service: TableService, store: SqliteStore) -> None:
    assert await service.server_settings(GUILD) == ServerSettings()
    chosen = ServerSettings(frozenset({5, 7}), "salon", None, threads=True)
    await service.set_server_settings(GUILD, chosen)
    assert await service.server_settings(GUILD) == chosen
    assert await service.server_settings(GUILD + 1) == ServerSettings()
    await service.set_server_settings(GUILD, ServerSettings(clock=2 * DAY))
    assert await service.server_settings(GUILD) == ServerSettings(clock=2 * DAY), "back to the defaults"
    await store.set_guild_setting(GUILD, "clock", "x")
    assert await service.server_settings(GUILD) == ServerSettings()


async def test_what_was_read_before_a_choice_is_not_kept_after_it(
    make_service: Callable[..., TableService], store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service()
    read = store.preferences
    is_read, go_on = asyncio.Event(), asyncio.Event()

    async def slow(user_id: int) -> dict[str, str]:
        rows = await read(user_id)
        is_read.set()
        await go_on.wait()
        return rows

    monkeypatch.setattr(store, "preferences", slow)
    before = asyncio.create_task(service.preferences(ANN.user_id))
    await is_read.wait()
    monkeypatch.setattr(store, "preferences", read)
    await service.set_preferences(ANN, Preferences(two_step=True))
    go_on.set()
    assert await before == Preferences()
    assert await service.preferences(ANN.user_id) == Preferences(two_step=True)
