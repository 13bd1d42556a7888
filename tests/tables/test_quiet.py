"""Quiet hours: over midnight, in any zone, also where the clock is put forward or back."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canasta_core.tables.model import Preferences
from canasta_core.tables.quiet import is_quiet, out_of_quiet

NIGHT = (22 * 60, 7 * 60)
ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca",
    "America/St_Johns", "Pacific/Apia", "Pacific/Chatham",
)  # fmt: skip


def at(text: str, zone: str = "UTC", fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()


@pytest.mark.parametrize(
    ("quiet", "time", "expected"),
    [
        (NIGHT, "2026-03-02 21:59:59", False),
        (NIGHT, "2026-03-02 22:00:00", True),
        (NIGHT, "2026-03-03 00:00:00", True),
        (NIGHT, "2026-03-03 06:59:59", True),
        (NIGHT, "2026-03-03 07:00:00", False),
        ((13 * 60, 14 * 60), "2026-03-03 13:30:00", True),
        ((13 * 60, 14 * 60), "2026-03-03 14:00:00", False),
        (None, "2026-03-03 03:00:00", False),
    ],
)
def test_when_it_is_quiet(quiet: tuple[int, int] | None, time: str, expected: bool) -> None:
    for zone in ("UTC", "Europe/Berlin", "Asia/Kathmandu"):
        assert is_quiet(Preferences(quiet=quiet, zone=zone), at(time, zone)) is expected


def test_a_reminder_comes_before_the_night_else_after_it_else_not() -> None:
    night = Preferences(quiet=NIGHT, zone="Europe/Berlin")
    best, deadline = at("2026-03-03 03:00", "Europe/Berlin"), at("2026-03-03 09:00", "Europe/Berlin")
    before = at("2026-03-02 21:59", "Europe/Berlin")
    after = at("2026-03-03 07:00", "Europe/Berlin")
    assert out_of_quiet(best, before - 3600, deadline, night) == before
    assert out_of_quiet(best, before, deadline, night) == after
    assert out_of_quiet(best, before, after, night) is None
    assert out_of_quiet(best, before, deadline, Preferences()) == best


def test_the_night_in_which_the_clock_changes() -> None:
    night = Preferences(quiet=(22 * 60, 2 * 60 + 30), zone="Europe/Berlin")
    first, second = (at("2026-10-25 02:30", "Europe/Berlin", fold) for fold in (0, 1))
    assert second - first == 3600
    assert is_quiet(night, first)
    assert is_quiet(night, second - 1)
    assert not is_quiet(night, second)
    spring = Preferences(quiet=(2 * 60 + 30, 7 * 60), zone="Europe/Berlin")
    begins = at("2026-03-29 01:59:59", "Europe/Berlin") + 1
    assert is_quiet(spring, begins), "half past two is not there; what follows it is quiet"
    assert not is_quiet(spring, begins - 1801)


@given(
    st.sampled_from(ZONES),
    st.tuples(st.integers(0, 1439), st.integers(0, 1439)).filter(lambda both: both[0] != both[1]),
    st.floats(at("2026-01-01 00:00"), at("2027-12-31 00:00")),
    st.floats(1, 7 * 86_400),
    st.floats(1, 86_400),
)
def test_never_in_the_quiet_hours_that_a_clock_on_the_wall_shows(
    zone: str, quiet: tuple[int, int], when: float, since: float, left: float
) -> None:
    preferences = Preferences(quiet=quiet, zone=zone)
    found = out_of_quiet(when, when - since, when + left, preferences)
    if found is None:
        assert wall_is_quiet(when, zone, quiet) or is_quiet(preferences, when)
        return
    assert when - since < found < when + left
    assert not wall_is_quiet(found, zone, quiet)
    if not is_quiet(preferences, when):
        assert found == when


def wall_is_quiet(when: float, zone: str, quiet: tuple[int, int]) -> bool:
    local = datetime.fromtimestamp(when, ZoneInfo(zone))
    minute = local.hour * 60 + local.minute
    begin, end = quiet
    return begin <= minute < end if begin < end else minute >= begin or minute < end


def test_a_zone_that_is_not_known_any_more_counts_as_utc() -> None:
    assert is_quiet(Preferences(quiet=NIGHT, zone="Nowhere/Land"), at("2026-03-02 23:00"))
    assert not is_quiet(
        Preferences(quiet=NIGHT, zone="Europe"), at("2026-03-02 23:00") + timedelta(hours=9).seconds
    )
