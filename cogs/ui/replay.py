"""A finished round gone through step by step: the board as it was, or with all hands open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import discord
from discord import ui

from canasta_core.events import Drew, GameEnded, RoundEnded, seen_by
from canasta_core.playback import Moment, Playback, Turn, turns_of
from canasta_core.profiles import profile_title
from canasta_core.record import Record
from canasta_core.tables.model import Sitter, Stage
from cogs.ui.board import pile_text, seats_text, team_text
from cogs.ui.cards_text import hand_text, shown
from cogs.ui.events_text import event_lines
from cogs.ui.face import Face
from cogs.ui.layout import (
    MAX_OPTIONS,
    MAX_TEXT,
    Click,
    Layout,
    Verb,
    button,
    cut,
    name_text,
    option,
    select,
    table_name,
    words,
)
from cogs.ui.score import sheet_text
from cogs.ui.tables import plain_name
from cogs.ui.text import text

_PRIMARY: Final = discord.ButtonStyle.primary
TURNS: Final = MAX_OPTIONS - 2
"""Turns in the select; its other two options lead to those before and after them."""
_TOLD: Final = 900
"""Characters at most of what happened in a step."""
_ARG: Final = re.compile(r"(?P<round>\d{1,4})\.(?P<side>[op])\.(?P<what>[a-z])(?:\.(?P<file>[0-9a-f]{12}))?")


@dataclass(frozen=True, slots=True)
class Spot:
    """Where somebody is in a replay: all that its buttons have to say."""

    table: int
    """0 for a record that was attached."""
    round: int
    step: int = 0
    """Steps of the round after its deal."""
    open: bool = False
    """All hands are shown."""
    file: str = ""
    """Which of the attached records."""

    def click(self, what: str) -> Click:
        """The custom id that leads here; `what` tells the controls of one message apart."""
        arg = f"{self.round}.{'o' if self.open else 'p'}.{what}"
        return Click(Verb.REPLAY, self.table, self.step, f"{arg}.{self.file}" if self.file else arg)

    @classmethod
    def read(cls, click: Click) -> tuple[Spot, str] | None:
        """The spot that a click leads to, and by which control; None when it says nothing of the kind."""
        found = _ARG.fullmatch(click.arg)
        if found is None:
            return None
        spot = cls(click.table, int(found["round"]), click.version, found["side"] == "o", found["file"] or "")
        return spot, found["what"]


ROUND, TURN = "r", "j"
"""The controls that are selects: of a round, and of a turn by its first step."""


def replay(locale: str, playback: Playback, spot: Spot) -> Layout:
    """A step of a round, with the controls that lead to all others. A step beyond the end is the last."""
    moments = playback.round(spot.round)
    spot = replace(spot, step=min(spot.step, len(moments) - 1))
    moment = moments[spot.step]
    face = face_at(locale, playback.record, moment, spot.table)
    turns = turns_of(moments)
    title = _title(face, playback, spot, len(moments) - 1)
    told = cut("\n".join(_told(face, moment, spot.open)), _TOLD)
    room = MAX_TEXT - len(title) - len(told)
    box: ui.Container[Any] = ui.Container()
    box.add_item(words(title))
    if told:
        box.add_item(words(told))
    for part in _fitting(_table(face, moment, spot.open), room):
        box.add_item(ui.Separator())
        box.add_item(words(part))
    for row in _controls(locale, playback, moments, turns, spot):
        box.add_item(row)
    return Layout(box)


def face_at(locale: str, record: Record, moment: Moment, table_id: int = 0) -> Face:
    """The public face of a recorded position, with the names that are in the record."""
    return Face(
        id=table_id,
        version=0,
        locale=locale,
        rules=record.rules,
        stage=Stage.PLAYING,
        public=moment.state.public,
        sitters=sitters_of(record),
        host_id=0,
        recent=tuple(seen_by(event, None) for event in moment.events),
        deadline=None,
        ended=None,
    )


FORMER: Final = -1
"""Who has no name in a record was forgotten."""


def sitters_of(record: Record) -> tuple[Sitter, ...]:
    """Who sat at each seat; a record has names, and no user ids."""
    return tuple(
        Sitter(seat, None if player.ai else 0 if player.name else FORMER, player.name, player.ai)
        for seat, player in enumerate(record.players)
    )


def _title(face: Face, playback: Playback, spot: Spot, last: int) -> str:
    name = table_name(face.locale, spot.table)
    if spot.file:
        name = name_text(playback.record.title, 40) if playback.record.title else face.words("replay-file")
    return face.words(
        "replay-title",
        name=name,
        title=profile_title(face.rules),
        round=spot.round,
        rounds=playback.finished,
        step=spot.step,
        last=last,
        side="open" if spot.open else "public",
    )


def _told(face: Face, moment: Moment, open_: bool) -> list[str]:
    """What happened in the step; with open hands, which cards were drawn too."""
    lines = [face.words("replay-told", line=line) for line in event_lines(face, face.recent)]
    drawn = [card for event in moment.events if isinstance(event, Drew) for card in event.cards]
    if open_ and drawn:
        lines.append(face.words("replay-drawn", cards=shown(drawn)))
    return lines


def _table(face: Face, moment: Moment, open_: bool) -> list[str]:
    public = moment.state.public
    parts = [team_text(face, public, team) for team in range(face.rules.teams)]
    if moment.is_over:
        parts += [sheet_text(face, event.sheets) for event in moment.events if isinstance(event, RoundEnded)]
    else:
        parts.append(pile_text(face, public))
    if open_ or not moment.is_over:
        parts.append(_hands(face, moment) if open_ else seats_text(face, public))
    return parts


def _hands(face: Face, moment: Moment) -> str:
    """Each seat with its cards below; of what is left when a round is over, only who has some."""
    lines = []
    for line, hand in zip(seats_text(face, moment.state.public).split("\n"), moment.state.hands, strict=True):
        lines.append(line)
        if hand.cards:
            lines.append(hand_text(hand.cards))
    return "\n".join(lines)


def _fitting(parts: Sequence[str], room: int) -> list[str]:
    """The parts, the longest cut where they are more than a message holds."""
    found = list(parts)
    while (over := sum(map(len, found)) - room) > 0:
        longest = max(range(len(found)), key=lambda place: len(found[place]))
        found[longest] = cut(found[longest], max(len(found[longest]) - over, 1))
    return found


def _controls(
    locale: str, playback: Playback, moments: Sequence[Moment], turns: Sequence[Turn], spot: Spot
) -> list[ui.ActionRow[Any]]:
    found = []
    if turns:
        found.append(_turn_select(locale, playback.record, moments, turns, spot))
    if playback.finished > 1:
        found.append(_round_select(locale, playback, spot))
    steps = _steps(locale, turns, spot, len(moments) - 1)
    return [*found, ui.ActionRow(*steps[:3]), ui.ActionRow(*steps[3:], *_sides(locale, spot))]


def _steps(locale: str, turns: Sequence[Turn], spot: Spot, last: int) -> list[ui.Button[Any]]:
    """Back, on, next turn; first, last: each knows the step that it leads to."""
    at = spot.step
    following = next((turn.first for turn in turns if turn.first > at), last)
    targets = {
        "b": (max(at - 1, 0), "button-step-back"),
        "n": (min(at + 1, last), "button-step-on"),
        "t": (following, "button-step-turn"),
        "f": (0, "button-step-first"),
        "l": (last, "button-step-last"),
    }
    return [
        button(
            replace(spot, step=step).click(what),
            text(locale, key),
            style=_PRIMARY if what == "n" else discord.ButtonStyle.secondary,
            disabled=step == at,
        )
        for what, (step, key) in targets.items()
    ]


def _sides(locale: str, spot: Spot) -> list[ui.Button[Any]]:
    """The other side, and for a table of this server the check of its shuffles."""
    key = "button-side-public" if spot.open else "button-side-open"
    side = button(replace(spot, open=not spot.open).click("o"), text(locale, key))
    if spot.file:
        return [side]
    return [side, button(Click(Verb.FAIR, spot.table, spot.round), text(locale, "button-fair"))]


def _turn_select(
    locale: str, record: Record, moments: Sequence[Moment], turns: Sequence[Turn], spot: Spot
) -> ui.ActionRow[Any]:
    """The turns around this one; before and after them stand options that lead to the other ones."""
    current = max((place for place, turn in enumerate(turns) if turn.first <= spot.step), default=0)
    start = current // TURNS * TURNS
    block = turns[start : start + TURNS]
    options = []
    if start:
        earlier = text(locale, "replay-turns-before", first=start - TURNS + 1, last=start)
        options.append(option(earlier, str(turns[start - 1].first)))
    for place, turn in enumerate(block, start):
        face = face_at(locale, record, moments[turn.end])
        said = text(locale, "replay-turn", number=place + 1, name=plain_name(face.name(turn.seat)))
        doing = _doing(face, moments[turn.first + 1 : turn.end + 1])
        options.append(option(said, str(turn.first), doing, default=place == current))
    if start + TURNS < len(turns):
        more = len(turns[start + TURNS :][:TURNS])
        facts = {"first": start + TURNS + 1, "last": start + TURNS + more}
        options.append(option(text(locale, "replay-turns-after", **facts), str(turns[start + TURNS].first)))
    return select(spot.click(TURN), text(locale, "replay-jump"), options)


def _doing(face: Face, moments: Sequence[Moment]) -> str:
    """What was done in a turn, as plain text: an option shows no markdown."""
    events = [
        seen_by(event, None)
        for moment in moments
        for event in moment.events
        if not isinstance(event, RoundEnded | GameEnded)
    ]
    lines = [line.partition(" ")[2] for line in event_lines(face, events)]
    return plain_name("; ".join(lines)).replace("`", "").replace("\N{NO-BREAK SPACE}", " ")


def _round_select(locale: str, playback: Playback, spot: Spot) -> ui.ActionRow[Any]:
    """The rounds; of very many those around this one."""
    count = playback.finished
    first = min(max(spot.round - MAX_OPTIONS // 2, 1), max(count - MAX_OPTIONS + 1, 1))
    options = [
        option(text(locale, "replay-round", round=number), str(number), default=number == spot.round)
        for number in range(first, min(first + MAX_OPTIONS, count + 1))
    ]
    return select(replace(spot, step=0).click(ROUND), text(locale, "replay-choose-round"), options)
