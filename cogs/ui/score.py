"""Score sheets: line by line for each team, narrow enough for a phone."""

from collections.abc import Sequence
from typing import Final

import discord

from canasta_core.events import GameEnded, RoundEnded
from canasta_core.state import Phase, ScoreSheet
from cogs.ui.face import Face
from cogs.ui.layout import Layout, Verb, button, cut, rows, words

LINES: Final = (
    "melded",
    "in_hand",
    "natural_canastas",
    "mixed_canastas",
    "run_canastas",
    "red_threes",
    "going_out",
)
"""Lines of a ScoreSheet that make up its total; each has a text `score-<line>`."""
ALWAYS: Final = ("melded", "in_hand")
_PRIMARY: Final = discord.ButtonStyle.primary
_NAME: Final = 18
_NUMBER: Final = 8
_BESIDE: Final = 2
"""Teams beside each other: more would not fit on a phone."""


def sheet_text(face: Face, sheets: Sequence[ScoreSheet]) -> list[str]:
    """Blocks of aligned text, two teams beside each other, with a line above that names them."""
    blocks = []
    for start in range(0, len(sheets), _BESIDE):
        teams = range(start, min(start + _BESIDE, len(sheets)))
        legend = "\n".join(
            face.words("score-legend", letter=chr(ord("A") + team), team=face.team_name(team))
            for team in teams
        )
        lines = [_row("", [chr(ord("A") + team) for team in teams])]
        for line in LINES:
            values = [getattr(sheets[team], line) for team in teams]
            if line in ALWAYS or any(values):
                lines.append(_row(face.words(f"score-{line}"), [_signed(value) for value in values]))
        lines.append(_row(face.words("score-total"), [_signed(sheets[team].total) for team in teams]))
        lines.append(_row(face.words("score-before"), [str(sheets[team].before) for team in teams]))
        lines.append(_row(face.words("score-after"), [str(sheets[team].after) for team in teams]))
        blocks.append(f"{legend}\n```\n" + "\n".join(lines) + "\n```")
    return blocks


def _row(name: str, values: Sequence[str]) -> str:
    return cut(name, _NAME).ljust(_NAME) + "".join(value.rjust(_NUMBER) for value in values)


def _signed(value: int) -> str:
    return f"{value:+d}" if value else "0"


def round_over(face: Face, ended: RoundEnded, round_number: int) -> Layout:
    """The message at the end of a round: why it ended, the sheets, and *Next round*."""
    parts = [face.words("score-round-title", round=round_number, reason=face.words(f"reason-{ended.reason}"))]
    parts += sheet_text(face, ended.sheets)
    controls = []
    if face.phase is Phase.ROUND_OVER:
        controls.append(button(face.click(Verb.NEXT), face.words("button-next"), style=_PRIMARY))
    return Layout(*map(words, parts), *rows(controls))


def game_over(face: Face, ended: RoundEnded, game: GameEnded, round_number: int) -> Layout:
    """The message at the end of a game: the result, the last sheets, and *Rematch*."""
    title = face.words(
        "score-game-title",
        winner=face.team_name(game.winner),
        players=len(face.rules.seats_of(game.winner)),
        score=game.scores[game.winner],
        table=face.words("table-name", id=str(face.id)),
        rounds=round_number,
    )
    again = button(face.click(Verb.REMATCH), face.words("button-rematch"), style=_PRIMARY)
    return Layout(words(title), *map(words, sheet_text(face, ended.sheets)), *rows([again]))


def score(face: Face, rounds: Sequence[Sequence[ScoreSheet]]) -> Layout:
    """The answer to /score: totals, what each team needs, the rounds so far, the last sheet in full."""
    public = face.public
    lines = [face.words("score-title", table=face.words("table-name", id=str(face.id)))]
    if public is None:
        return Layout(words("\n".join([*lines, face.words("score-none")])))
    for team in range(face.rules.teams):
        total = public.scores[team]
        missing = face.rules.target - total
        lines.append(
            face.words(
                "score-line",
                team=face.team_name(team),
                score=total,
                missing=max(missing, 0),
                minimum=public.minimum(team),
            )
        )
    if not rounds:
        return Layout(words("\n".join([*lines, face.words("score-none")])))
    return Layout(
        words("\n".join(lines)),
        words(_history(face, rounds)),
        *map(words, sheet_text(face, rounds[-1])),
    )


_HISTORY: Final = 20
"""Rounds listed at most; the last ones."""


def _history(face: Face, rounds: Sequence[Sequence[ScoreSheet]]) -> str:
    """Each round's points by team: two columns, or as many as there are teams."""
    teams = range(face.rules.teams)
    lines = [_history_row(face.words("score-round"), [chr(ord("A") + team) for team in teams])]
    first = max(len(rounds) - _HISTORY, 0)
    for number, sheets in enumerate(rounds[first:], first + 1):
        lines.append(_history_row(str(number), [_signed(sheet.total) for sheet in sheets]))
    lines.append(_history_row(face.words("score-after"), [str(sheet.after) for sheet in rounds[-1]]))
    return "```\n" + "\n".join(lines) + "\n```"


def _history_row(name: str, values: Sequence[str]) -> str:
    width = 7 if len(values) > 2 else _NUMBER
    return cut(name, 6).ljust(7) + "".join(value.rjust(width) for value in values)
