"""Pictures: a form curve, and the top of a leaderboard. All that they show is also said in words.

Both are drawn on a dark card of their own, which can be read on a light page as well as on a dark one, in
letters that are still legible on a phone. Won and lost differ by shape, not by colour alone. Drawing takes
some thousandths of a second: call it from a thread. The same picture asked for again is not drawn again.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
Point = tuple[float, float]

WIDTH: Final = 720
CURVE_HEIGHT: Final = 440
_ROW: Final = 58
_HEAD: Final = 112
_MARGIN: Final = 28
_KEPT: Final = 64
"""Pictures that are remembered, of some 20 KB each."""
_FONTS: Final = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "arial.ttf")
"""Fonts of the system, those with the most alphabets first; without any, Pillow's own has Latin letters."""
_TITLE: Final = 34
_TEXT: Final = 27
_SMALL: Final = 23
_NAME: Final = 236
"""Room for a name in the top of a leaderboard."""
_SCALE: Final = 2
"""Shapes are drawn so many times as large and made smaller, which smooths their edges."""

_PRESSED: Final = 1
"""How hard PNG tries: twice as fast as usual, for a file that is a fifth larger."""

_CARD: Final = (32, 35, 43)
_EDGE: Final = (84, 90, 104)
_GRID: Final = (66, 71, 84)
_WORDS: Final = (240, 242, 246)
_FAINT: Final = (182, 188, 201)
_BLUE: Final = (106, 176, 255)
_BAR: Final = (70, 104, 152)
_GOLD: Final = (240, 190, 80)
_NO_GLYPH: Final = "\U0010ffff"
"""A character that no font has."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Somebody's rating over their last games, in words that can be drawn."""

    title: str
    about: str
    ratings: tuple[int, ...]
    """Before the first of the games, and after each of them."""
    won: tuple[bool, ...]
    """Of each game."""
    begin: str
    """Below the left end: when that was."""
    end: str
    won_word: str
    lost_word: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of a `Top`."""

    place: str
    name: str
    value: str
    share: float
    """Length of the bar, from 0 to 1."""
    own: bool


@dataclass(frozen=True, slots=True)
class Top:
    """The top of a leaderboard, in words that can be drawn."""

    title: str
    about: str
    bars: tuple[Bar, ...]


class _Card:
    """A card to draw on: shapes first, smoothed, and words on top of them."""

    def __init__(self, height: int) -> None:
        self._height = height
        self._shapes = Image.new("RGB", (WIDTH * _SCALE, height * _SCALE), _CARD)
        self._draw = ImageDraw.Draw(self._shapes)
        self._words: list[tuple[float, float, str, int, tuple[int, int, int], str]] = []
        self._draw.rectangle((0, 0, WIDTH * _SCALE - 1, height * _SCALE - 1), outline=_EDGE, width=2 * _SCALE)

    def line(self, points: Sequence[Point], colour: tuple[int, int, int], width: int) -> None:
        self._draw.line(self._large(points), fill=colour, width=width * _SCALE, joint="curve")

    def polygon(self, points: Sequence[Point], colour: tuple[int, int, int]) -> None:
        self._draw.polygon(self._large(points), fill=colour)

    def bar(self, left: float, top: float, right: float, bottom: float, colour: tuple[int, int, int]) -> None:
        corners = self._large([(left, top), (right, bottom)])
        self._draw.rounded_rectangle(
            (*corners[0], *corners[1]), radius=6 * _SCALE, fill=colour, corners=(False, True, True, False)
        )

    def dot(self, at: Point, radius: float, *, filled: bool) -> None:
        (left, top), (right, bottom) = self._large(
            [(at[0] - radius, at[1] - radius), (at[0] + radius, at[1] + radius)]
        )
        self._draw.ellipse(
            (left, top, right, bottom),
            fill=_BLUE if filled else _CARD,
            outline=_BLUE,
            width=3 * _SCALE,
        )

    def words(
        self,
        at: Point,
        said: str,
        size: int,
        colour: tuple[int, int, int] = _WORDS,
        anchor: str = "lm",
    ) -> None:
        """Words, cut by the caller; `anchor` as Pillow has it: left, middle or right, and the middle line."""
        self._words.append((*at, said, size, colour, anchor))

    def png(self) -> bytes:
        picture = self._shapes.reduce(_SCALE)
        draw = ImageDraw.Draw(picture)
        for x, y, said, size, colour, anchor in self._words:
            draw.text((x, y), said, fill=colour, font=font(size), anchor=anchor)
        file = io.BytesIO()
        picture.save(file, "PNG", compress_level=_PRESSED)
        return file.getvalue()

    def _large(self, points: Sequence[Point]) -> list[Point]:
        return [(x * _SCALE, y * _SCALE) for x, y in points]


@lru_cache(maxsize=8)
def font(size: int) -> Font:
    """The letters of a size in pixels."""
    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue  # not on this system
    return ImageFont.load_default(size)


@lru_cache(maxsize=4096)
def _has_glyph(character: str) -> bool:
    letters = font(_TEXT)
    if not isinstance(letters, ImageFont.FreeTypeFont):
        return character.isascii()
    missing, own = letters.getmask(_NO_GLYPH), letters.getmask(character)
    return own.size != missing.size or bytes(own) != bytes(missing)


def drawable(said: str) -> str:
    """What of a text can be drawn with the letters there are; emoji for one cannot."""
    kept = "".join(one for one in said if one.isspace() or _has_glyph(one))
    return " ".join(kept.split())


def fitting(said: str, size: int, width: float) -> str:
    """A text, cut to a width in pixels."""
    letters = font(size)
    if letters.getlength(said) <= width:
        return said
    while said and letters.getlength(f"{said}…") > width:
        said = said[:-1]
    return f"{said.rstrip()}…"


def _head(card: _Card, title: str, about: str) -> None:
    room = WIDTH - 2 * _MARGIN
    card.words((_MARGIN, 42), fitting(title, _TITLE, room), _TITLE)
    card.words((_MARGIN, 84), fitting(about, _SMALL, room), _SMALL, _FAINT)


@lru_cache(maxsize=_KEPT)
def draw_curve(curve: Curve) -> bytes:
    """A PNG of somebody's form: a line of their ratings, with a dot for each game."""
    card = _Card(CURVE_HEIGHT)
    _head(card, curve.title, curve.about)
    ticks = ticks_of(min(curve.ratings), max(curve.ratings))
    left, right, top, bottom = 112.0, WIDTH - 116.0, 136.0, CURVE_HEIGHT - 76.0
    low, high = ticks[0], ticks[-1]

    def y(rating: float) -> float:
        return bottom - (rating - low) / (high - low) * (bottom - top)

    for tick in ticks:
        card.line([(left, y(tick)), (right, y(tick))], _GRID, 2)
        card.words((left - 16, y(tick)), f"{tick:,}", _SMALL, _FAINT, "rm")
    step = (right - left) / max(len(curve.ratings) - 1, 1)
    points = [(left + step * number, y(rating)) for number, rating in enumerate(curve.ratings)]
    card.line(points, _BLUE, 4)
    for point, won in zip(points[1:], curve.won, strict=True):
        card.dot(point, 8, filled=won)
    card.words((right + 18, points[-1][1]), f"{curve.ratings[-1]:,}", _TEXT)
    foot = CURVE_HEIGHT - 38
    card.words((left, foot), curve.begin, _SMALL, _FAINT)
    card.words((right, foot), curve.end, _SMALL, _FAINT, "rm")
    x = left + font(_SMALL).getlength(curve.begin) + 50
    for said, filled in ((curve.won_word, True), (curve.lost_word, False)):
        card.dot((x, foot), 8, filled=filled)
        card.words((x + 18, foot), said, _SMALL, _FAINT)
        x += 18 + font(_SMALL).getlength(said) + 32
    return card.png()


def ticks_of(low: int, high: int) -> list[int]:
    """Round numbers for an axis, at equal distances, from below `low` to above `high`: three to six."""
    for step in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
        first, last = low // step * step, -(-high // step) * step
        if last - first < 2 * step:
            last = first + 2 * step
        if (last - first) // step <= 5:
            return list(range(first, last + 1, step))
    return [low, (low + high) // 2, high]


@lru_cache(maxsize=_KEPT)
def draw_top(top: Top) -> bytes:
    """A PNG of the top of a leaderboard: a bar for each line, the reader's own in another colour."""
    card = _Card(_HEAD + _ROW * len(top.bars) + 24)
    _head(card, top.title, top.about)
    places = max((font(_TEXT).getlength(bar.place) for bar in top.bars), default=0.0)
    values = max((font(_TEXT).getlength(bar.value) for bar in top.bars), default=0.0)
    named = _MARGIN + 26 + places + 16
    begin = named + _NAME + 14
    longest = WIDTH - _MARGIN - values - 16 - begin
    for number, bar in enumerate(top.bars):
        middle = _HEAD + _ROW * (number + 0.5)
        colour = _GOLD if bar.own else _WORDS
        if bar.own:
            card.polygon([(_MARGIN, middle - 9), (_MARGIN + 15, middle), (_MARGIN, middle + 9)], _GOLD)
        card.words((_MARGIN + 26 + places, middle), bar.place, _TEXT, _FAINT, "rm")
        card.words((named, middle), fitting(bar.name, _TEXT, _NAME), _TEXT, colour)
        end = begin + max(longest * bar.share, 8.0)
        card.bar(begin, middle - 15, end, middle + 15, _GOLD if bar.own else _BAR)
        card.words((end + 16, middle), bar.value, _TEXT, colour)
    return card.png()
