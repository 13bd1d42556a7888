"""Score sheets: line by line for each team, narrow enough for a phone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import discord

from canasta_core.events import GameEnded, RoundEnded
from canasta_core.state import Phase, PublicState, Reason, ScoreSheet
from canasta_core.tables.model import Stage
from canasta_core.tables.ports import ResultRow
from cogs.ui.face import Face
from cogs.ui.layout import Layout, Verb, button, cut, rows, words
from cogs.ui.rating_changes import ratings_text
from cogs.ui.text import number_text

LINES: Final = (
    "melded",
    "in_hand",
    "natural_canastas",
    "mixed_canastas",
    "run_canastas",
    "red_threes",
    "going_out",
)
"""Lines of a ScoreSheet that make up its total; each has a text `score-<line>`, and one for columns."""
ALWAYS: Final = ("melded", "in_hand")
CANASTAS: Final = ("natural_canastas", "mixed_canastas", "run_canastas")
"""Lines below a heading of their own."""
_PRIMARY: Final = discord.ButtonStyle.primary
NAME: Final = 10
"""Characters of a line's name: with three teams of usual scores a line has 28, as much as a phone shows."""
WIDTH: Final = 28
"""Characters of a line that a phone shows."""
_NUMBER: Final = 6


@dataclass(frozen=True, slots=True)
class Exit:
    """Who went out in a round: the name as public text, and whether concealed."""

    name: str
    concealed: bool


def sheet_text(face: Face, sheets: Sequence[ScoreSheet], *, head: str = "") -> str:
    """The sheets beside each other in columns, with lines above that say which team a letter stands for, or
    with `head` in their place.
    """
    rows_ = [("", [face.letter(team) for team in range(len(sheets))])]
    headed = False
    for line in LINES:
        values = [getattr(sheet, line) for sheet in sheets]
        if line not in ALWAYS and not any(values):
            continue
        if line in CANASTAS and not headed:
            rows_.append((face.words("sheet-canastas"), []))
            headed = True
        rows_.append((face.words(f"sheet-{line}"), [number_text(value) for value in values]))
    rows_.append((face.words("score-total"), [number_text(sheet.total) for sheet in sheets]))
    rows_.append((face.words("score-before"), [number_text(sheet.before) for sheet in sheets]))
    rows_.append((face.words("score-after"), [number_text(sheet.after) for sheet in sheets]))
    return "\n".join([head or _legend(face), columns_text(rows_), *_falls(face, sheets)])


def _legend(face: Face) -> str:
    return "\n".join(
        face.words("score-legend", letter=face.letter(team), team=face.team_name(team))
        for team in range(face.rules.teams)
    )


def columns_text(lines: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Names to the left and numbers to the right, in letters of one width.

    Where they would not fit on a phone otherwise, the numbers go without a sign for thousands: a line that
    wraps is harder to read.
    """
    width = _width(lines)
    columns = max(len(values) for _, values in lines)
    if NAME + columns * width > WIDTH:
        lines = [(name, [value.replace(",", "") for value in values]) for name, values in lines]
        width = _width(lines)
    rows_ = [
        cut(name, NAME).ljust(NAME) + "".join(value.rjust(width) for value in values)
        for name, values in lines
    ]
    return "\n".join(["```", *(row.rstrip() for row in rows_), "```"])


def _width(lines: Sequence[tuple[str, Sequence[str]]]) -> int:
    return max([_NUMBER, *(len(value) + 1 for _, values in lines for value in values)])


def _falls(face: Face, sheets: Sequence[ScoreSheet]) -> list[str]:
    """Why a total is less than its sheet adds up to: the team passed an exact target (R2.1)."""
    return [
        face.words(
            "score-fall",
            letter=face.letter(team),
            passed=sheet.before + sheet.total,
            target=face.rules.target,
            score=sheet.after,
        )
        for team, sheet in enumerate(sheets)
        if face.rules.exact_target and sheet.after < sheet.before + sheet.total
    ]


def _reason(face: Face, ended: RoundEnded, out: Exit | None) -> str:
    """Why the round ended, and who went out, or where that is not known the team that is paid for it."""
    public = face.public
    if (
        out is None
        and public is not None
        and public.reason is Reason.WENT_OUT
        and public.went_out is not None
    ):
        out = Exit(face.name(public.went_out), public.concealed)
    if out is not None:
        return face.words("board-went-out-concealed" if out.concealed else "board-went-out", name=out.name)
    teams = [team for team, sheet in enumerate(ended.sheets) if sheet.going_out]
    if ended.reason is not Reason.WENT_OUT or len(teams) != 1:
        return face.words(f"reason-{ended.reason}")
    return face.words("score-went-out", team=face.team_short(teams[0]))


def round_over(face: Face, ended: RoundEnded, round_number: int, out: Exit | None = None) -> Layout:
    """The message at the end of a round: why it ended, the sheets, and *Next round*.

    `out`: who went out, where the table has gone on since.
    """
    parts = [face.words("score-round-title", round=round_number, reason=_reason(face, ended, out))]
    parts.append(sheet_text(face, ended.sheets))
    controls = []
    if face.phase is Phase.ROUND_OVER:
        controls.append(button(face.click(Verb.NEXT), face.words("button-next"), style=_PRIMARY))
    return Layout(*map(words, parts), *rows(controls))


def game_over(
    face: Face, ended: RoundEnded, game: GameEnded, round_number: int, results: Sequence[ResultRow] = ()
) -> Layout:
    """The message at the end of a game: the result, the last sheets, the rating changes, and *Rematch*."""
    title = face.words(
        "score-game-title",
        winner=face.team_name(game.winner),
        players=len(face.rules.seats_of(game.winner)),
        score=game.scores[game.winner],
        table=face.words("table-name", id=str(face.id)),
        rounds=round_number,
    )
    controls = [
        button(face.click(Verb.REMATCH), face.words("button-rematch"), style=_PRIMARY),
        button(face.click(Verb.REPLAY), face.words("button-replay")),
    ]
    if face.duplicate_of is not None:
        controls.append(button(face.click(Verb.COMPARE), face.words("button-compare")))
    parts = [title, sheet_text(face, ended.sheets), ratings_text(face, results)]
    return Layout(*map(words, filter(None, parts)), *rows(controls))


def score(face: Face, rounds: Sequence[Sequence[ScoreSheet]]) -> Layout:
    """The answer to /score: totals, what each team needs, the rounds so far, the last sheet in full."""
    public = face.public
    lines = [face.words("score-title", table=face.words("table-name", id=str(face.id)))]
    if public is None:
        return Layout(words("\n".join([*lines, face.words("score-none")])))
    lines += [_standing(face, public, team) for team in range(face.rules.teams)]
    if not rounds:
        return Layout(words("\n".join([*lines, face.words("score-none")])))
    if not face.rules.has_partners:
        lines.append(_legend(face))  # the lines above have names, and no letters
    parts = ["\n".join(lines)]
    if len(rounds) > 1:
        parts.append(rounds_text(face, rounds))
    parts.append(sheet_text(face, rounds[-1], head=face.words("score-heading", round=len(rounds))))
    return Layout(*map(words, parts))


def _standing(face: Face, public: PublicState, team: int) -> str:
    """`Team A · Ann & Cleo — 955 · 4,045 to go · opens with 50`; of a game that is over, the result alone."""
    total = public.scores[team]
    facts: dict[str, int | str] = {"team": face.team_title(team), "score": total}
    if public.winner == team:
        return face.words("score-line-won", **facts)
    if face.stage is Stage.ENDED:
        return face.words("score-line-over", **facts)
    missing = max(face.rules.target - total, 0)
    return face.words("score-line", missing=missing, minimum=public.minimum(team), **facts)


_HISTORY: Final = 20
"""Rounds listed at most; the last ones."""


def rounds_text(face: Face, rounds: Sequence[Sequence[ScoreSheet]]) -> str:
    """Each round's points by team: two columns, or as many as there are teams."""
    lines = [(face.words("score-round"), [face.letter(team) for team in range(face.rules.teams)])]
    first = max(len(rounds) - _HISTORY, 0)
    for number, sheets in enumerate(rounds[first:], first + 1):
        lines.append((str(number), [number_text(sheet.total) for sheet in sheets]))
    lines.append((face.words("score-after"), [number_text(sheet.after) for sheet in rounds[-1]]))
    return columns_text(lines)
