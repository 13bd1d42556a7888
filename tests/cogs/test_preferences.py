"""`/preferences`: chosen by options or by clicks, kept at once, and the discard that is asked about twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from canasta_core.state import Phase
from canasta_core.tables.model import Preferences, Reminders
from cogs.desk import DeskError
from cogs.preferences import read_quiet, read_zone, zone_names, zones_like
from cogs.ui.preferences import QUIET_FROM, QUIET_TO, with_quiet
from tests.cogs.players import enabled, open_table, said, table_of, who_of
from tests.discord.harness import Game, playing, selects_of, text_of


async def preferences_of(game: Game, who: int) -> Preferences:
    return await game.bot.service.preferences(game.members[who].id)  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("22-8", (1320, 480)),
        ("22:30-7:05", (1350, 425)),
        ("22:30 – 07:00", (1350, 420)),
        ("23 to 7", (1380, 420)),
        ("0-24", None),
        ("13-14", (780, 840)),
        ("24-6", (0, 360)),
        ("off", None),
        ("None", None),
    ],
)
def test_quiet_hours_as_people_type_them(typed: str, meant: tuple[int, int] | None) -> None:
    if typed == "0-24":
        with pytest.raises(DeskError):
            read_quiet(typed)
    else:
        assert read_quiet(typed) == meant


@pytest.mark.parametrize("typed", ["", "x", "22", "25-7", "22:60-7", "8-8", "-1-5", "9" * 3000])
def test_what_are_no_hours_is_refused(typed: str) -> None:
    with pytest.raises(DeskError) as refused:
        read_quiet(typed)
    assert refused.value.code == "bad_quiet"


def test_one_end_of_the_quiet_hours_at_a_time() -> None:
    assert with_quiet(None, QUIET_FROM, "1380") == (1380, 480)
    assert with_quiet(None, QUIET_TO, "420") == (1320, 420)
    assert with_quiet((1320, 480), QUIET_TO, "420") == (1320, 420)
    assert with_quiet((1320, 480), QUIET_FROM, "480") == (480, 960)
    assert with_quiet((1320, 480), QUIET_TO, "1320") == (840, 1320)
    assert with_quiet((1320, 480), QUIET_FROM, "off") is None
    for wrong in ("1440", "-1", "x", ""):
        with pytest.raises(ValueError):  # noqa: PT011 - int's own message
            with_quiet(None, QUIET_FROM, wrong)


def test_zones_are_found_by_their_city() -> None:
    names = zone_names()
    assert read_zone(names, "europe/BERLIN") == "Europe/Berlin"
    assert read_zone(names, " new york ") == "America/New_York"
    assert read_zone(names, "utc") == "UTC"
    assert zones_like(names, "ber")[0] == "Europe/Berlin" or "Europe/Berlin" in zones_like(names, "ber")
    for wrong in ("", "atlantis", "America", "../etc/passwd", "x" * 4000):
        with pytest.raises(DeskError) as refused:
            read_zone(names, wrong)
        assert refused.value.code == "bad_zone"


async def test_preferences_by_options_outlive_a_restart(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        answer = said(await game.slash(0, "preferences"))
        assert "in the table's channel" in answer
        assert "Saved" not in answer
        answer = said(
            await game.slash(
                0, "preferences", zone="tokyo", quiet="22:30-7", reminders="dm", **{"two-step": True}
            )
        )
        assert "Saved." in answer
        assert "Asia/Tokyo" in answer
        assert "22:30 to 07:00" in answer
        chosen = Preferences(Reminders.DM, (1350, 420), "Asia/Tokyo", True)
        assert await preferences_of(game, 0) == chosen
        assert await preferences_of(game, 1) == Preferences()
        await game.restart()
        assert await preferences_of(game, 0) == chosen
        assert "by direct message" in said(await game.slash(0, "preferences"))
        for options, words in (
            ({"zone": "Atlantis"}, "no time zone “Atlantis”"),
            ({"quiet": "late"}, "“late” as hours"),
            ({"zone": "x" * 6000}, "no time zone"),
        ):
            assert words in said(await game.slash(0, "preferences", **options))
        assert await preferences_of(game, 0) == chosen
        offered = await game.autocomplete(0, "preferences", "zone", "berl")
        assert [one["value"] for one in offered] == ["Europe/Berlin"]
        assert len(await game.autocomplete(0, "preferences", "zone", "")) > 20


async def test_preferences_by_clicks_stay_on_one_message(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        shown = (await game.slash(0, "preferences")).response
        assert shown is not None
        for about, value in (("reminders", "off"), ("from", "1380"), ("to", "420"), ("zone", "Asia/Tokyo")):
            result = await game.select(0, values=[value], custom_id=f"cn:prefer:0:0:{about}", message=shown)
            assert result.response is not None
            assert result.response.id == shown.id
            assert "Saved." in text_of(shown)
        await game.click(0, label="Ask me before each discard", message=shown)
        assert await preferences_of(game, 0) == Preferences(Reminders.OFF, (1380, 420), "Asia/Tokyo", True)
        assert "23:00 to 07:00" in text_of(shown)
        await game.click(0, label="Discard without asking", message=shown)
        await game.select(0, values=["off"], custom_id="cn:prefer:0:0:from", message=shown)
        assert await preferences_of(game, 0) == Preferences(Reminders.OFF, None, "Asia/Tokyo")
        for custom_id, values in (
            ("cn:prefer:0:0:from", ["99999"]),
            ("cn:prefer:0:0:zone", ["Atlantis"]),
            ("cn:prefer:0:0:reminders", ["loud"]),
            ("cn:prefer:0:0", None),
        ):
            assert "older message" in said(await game.press(0, shown, custom_id, values))


async def test_two_choices_at_once_are_both_kept(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        shown = (await game.slash(0, "preferences")).response
        await game.at_once(
            [
                game.select(0, values=["dm"], custom_id="cn:prefer:0:0:reminders", message=shown),
                game.select(0, values=["Asia/Tokyo"], custom_id="cn:prefer:0:0:zone", message=shown),
                game.slash(0, "preferences", quiet="22-8"),
            ]
        )
        assert await preferences_of(game, 0) == Preferences(Reminders.DM, (1320, 480), "Asia/Tokyo")


async def test_a_zone_that_was_typed_can_be_chosen_again(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        shown = (await game.slash(0, "preferences", zone="Europe/Paris")).response
        await game.slash(0, "preferences", zone="UTC")
        await game.select(0, values=["Europe/Paris"], custom_id="cn:prefer:0:0:zone", message=shown)
        assert (await preferences_of(game, 0)).zone == "Europe/Paris"


async def test_a_discard_is_asked_about_once_more_where_that_is_wanted(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        table = await open_table(game)
        assert table.state is not None
        who = who_of(game, table, table.state.public.turn)
        await game.slash(who, "preferences", **{"two-step": True})
        await game.slash(who, "draw")
        version = (await table_of(game)).version
        shown = (await game.click(who, label="My hand")).response
        value = discards_in(shown)[0]
        await game.select(who, values=[value], custom_id="cn:discard", message=shown)
        assert "Your turn is over then." in text_of(shown)
        assert (await table_of(game)).version == version, "nothing is done yet"
        labels = enabled(shown)
        assert len(labels) == 2
        assert "Keep" in labels
        await game.click(who, label="Keep", message=shown)
        assert "Your turn is over then." not in text_of(shown)
        await game.select(who, values=[value], custom_id="cn:discard", message=shown)
        throw = f"cn:throw:1:{version}:{value}"
        other = (await game.click(who, label="My hand", message=game.board("Canasta · table"))).response
        results = await game.at_once(
            [game.click(who, custom_id="cn:throw", message=shown), game.press(who, other, throw)]
        )
        assert sum("You discarded" in said(one) for one in results) == 1
        assert sum("already moved on" in said(one) for one in results) == 1
        assert (await table_of(game)).version == version + 1
        # What is typed out and sent was meant; and the next player is asked nothing.
        following = (who + 1) % 4
        await game.slash(following, "draw")
        shown = (await game.click(following, label="My hand", message=game.board("Canasta · table"))).response
        await game.select(following, values=discards_in(shown)[:1], custom_id="cn:discard", message=shown)
        assert "You discarded" in text_of(shown)
        third = (following + 1) % 4
        await game.slash(third, "preferences", **{"two-step": True})
        await game.slash(third, "draw")
        offered = await game.autocomplete(third, "discard", "card", "")
        assert "You discarded" in said(await game.slash(third, "discard", card=offered[0]["value"]))
        table = await table_of(game)
        assert table.state is not None
        assert table.state.public.phase is Phase.DRAW


def discards_in(shown: object) -> list[str]:
    return next(one.values for one in selects_of(shown) if one.custom_id.startswith("cn:discard"))
