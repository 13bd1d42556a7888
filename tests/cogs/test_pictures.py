"""Pictures are small, quick, as large as they should be, and show every name that can be drawn."""

from __future__ import annotations

import io
import time
from itertools import pairwise

import pytest
from PIL import Image

from cogs.ui import pictures
from cogs.ui.pictures import (
    CURVE_HEIGHT,
    WIDTH,
    Bar,
    Curve,
    Top,
    draw_curve,
    draw_top,
    drawable,
    fitting,
    font,
    ticks_of,
)

LARGEST = 200_000
"""Bytes."""
LONGEST = 0.05
"""Seconds of the thread's own time: how busy the machine is otherwise is not the picture's."""


def curve(games: int, name: str = "Ann") -> Curve:
    ratings = tuple(1000 + 13 * number % 97 for number in range(games + 1))
    won = tuple(number % 3 > 0 for number in range(games))
    return Curve(
        f"{name} · rating", "Classic 2 v 2", ratings, won, f"{games} games ago", "now", "won", "lost"
    )


def top(lines: int, name: str = "Ann") -> Top:
    bars = tuple(
        Bar(f"{999_990 + number}.", f"{name}{number}", "1,234,567", number / max(lines - 1, 1), number == 3)
        for number in range(lines)
    )
    return Top("Rating", "All games between people · All time", bars)


@pytest.mark.parametrize("games", [1, 2, 20])
def test_curves(games: int) -> None:
    png = draw_curve(curve(games, "W" * 60))
    assert len(png) < LARGEST
    with Image.open(io.BytesIO(png)) as picture:
        assert picture.format == "PNG"
        assert picture.size == (WIDTH, CURVE_HEIGHT)


@pytest.mark.parametrize("lines", [1, 10])
def test_tops(lines: int) -> None:
    png = draw_top(top(lines, "W" * 30))
    assert len(png) < LARGEST
    with Image.open(io.BytesIO(png)) as picture:
        assert picture.width == WIDTH
        assert picture.height < 800
        own = any(pixel == pictures._GOLD for pixel in picture.get_flattened_data())
        assert own == (lines > 3), "the reader's own line is of another colour"


def test_drawing_is_quick_and_done_once() -> None:
    for draw, what in ((draw_curve, curve), (draw_top, top)):
        taken = []
        for number in range(5):
            begin = time.thread_time()
            draw(what(10, f"N{number}"))  # type: ignore[operator]
            taken.append(time.thread_time() - begin)
        assert min(taken) < LONGEST, taken
        assert draw(what(10, "N1")) is draw(what(10, "N1"))  # type: ignore[operator]


@pytest.mark.parametrize("low", [-500, 0, 913, 1000, 1003])
@pytest.mark.parametrize("width", [0, 1, 19, 57, 430, 2999])
def test_axes_have_round_numbers_around_all_values(low: int, width: int) -> None:
    ticks = ticks_of(low, low + width)
    steps = {after - before for before, after in pairwise(ticks)}
    assert len(steps) == 1
    assert 3 <= len(ticks) <= 6
    assert ticks[0] <= low <= low + width <= ticks[-1]
    assert steps.pop() % 10 == 0


def test_what_has_no_letters_is_left_out() -> None:
    assert drawable("Ann") == "Ann"
    assert drawable("  Ann \U0010fffe\U0010fffe  Lee ") == "Ann Lee"
    assert drawable("\U0010fffe") == ""


def test_long_names_are_cut_to_the_room_there_is() -> None:
    for name in ("W" * 40, "i" * 200, "", "Ann"):
        assert font(27).getlength(fitting(name, 27, 236)) <= 236
    assert fitting("Ann", 27, 236) == "Ann"
    assert fitting("W" * 40, 27, 236).endswith("…")


def test_without_any_font_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_FONTS", ("no-such-font.ttf",))
    for kept in (font, pictures._has_glyph):
        kept.cache_clear()
    try:
        assert drawable("Ann Ωж") in ("Ann", "Ann Ω")
        assert len(draw_curve(curve(7, "Zoe"))) < LARGEST
    finally:
        for kept in (font, pictures._has_glyph):
            kept.cache_clear()
