"""The lobby: a table before its game, with its rules, seats and teams."""

import discord

from canasta_core.profiles import profile_title
from canasta_core.tables.model import Stage
from cogs.ui.board import board
from cogs.ui.face import Face
from cogs.ui.layout import Layout, Verb, button, rows, table_name, words
from cogs.ui.pings import clock_text
from cogs.ui.text import UnknownTextError


def lobby(face: Face) -> Layout:
    """The lobby message; when the table has become a game, or was given up, that is what it shows."""
    if face.stage is not Stage.LOBBY:
        return board(face)
    rules = face.rules
    parts = [
        face.words(
            "lobby-title-exact" if rules.exact_target else "lobby-title",
            table=table_name(face.locale, face.id),
            title=profile_title(rules),
            seats=rules.seats,
            target=rules.target,
        )
    ]
    house = options_text(face)
    if house:
        parts.append(house)
    if face.duplicate_of is not None:
        parts.append(face.words("lobby-duplicate", table=table_name(face.locale, face.duplicate_of)))
    parts.append(pace_text(face))
    parts += ["\n".join(_team(face, team)) for team in range(rules.teams)]
    free = rules.seats - len(face.sitters)
    parts.append(face.words("lobby-waiting", free=free))
    if free and rules.seats > rules.teams:
        parts.append(face.words("lobby-choose"))
    full = not free
    controls = [
        button(
            face.click(Verb.JOIN), face.words("button-join"), style=discord.ButtonStyle.primary, disabled=full
        ),
        button(face.click(Verb.LEAVE), face.words("button-leave")),
        button(face.click(Verb.ADD_AI), face.words("button-add-ai"), disabled=full),
        button(face.click(Verb.START), face.words("button-start"), style=discord.ButtonStyle.success),
        button(face.click(Verb.RULES), face.words("button-rules")),
    ]
    box: discord.ui.Container[Layout] = discord.ui.Container()
    for part in parts:
        box.add_item(words(part))
    for row in rows(controls):
        box.add_item(row)
    return Layout(box)


def pace_text(face: Face) -> str:
    """How long a turn may take, and whether melds can be taken back."""
    key = "lobby-clock-none" if face.clock is None else "lobby-clock"
    clock = face.words(key, clock=clock_text(face.locale, face.clock))
    return f"{clock}\n{face.words('lobby-undo' if face.undo else 'lobby-undo-none')}"


def options_text(face: Face) -> str:
    """The house rules of a table that differ from its profile's, one a line; the target stands above them."""
    lines = [
        _option(face, name, str(value).lower()) for name, value in face.rules.options if name != "target"
    ]
    return "\n".join([face.words("lobby-house"), *lines]) if lines else ""


def _option(face: Face, name: str, value: str) -> str:
    """What a house rule means; one that has no sentence yet is told as it was typed."""
    try:
        return face.words(f"house-{name}-{value}")
    except UnknownTextError:
        return face.words("lobby-option", name=name, value=value)


def _team(face: Face, team: int) -> list[str]:
    seats = face.rules.seats_of(team)
    lines = [face.words("lobby-team", team=face.team_short(team))] if len(seats) > 1 else []
    for seat in seats:
        sitter = next((sitter for sitter in face.sitters if sitter.seat == seat), None)
        if sitter is None:
            lines.append(face.words("lobby-seat-free", seat=seat + 1))
        else:
            key = "lobby-seat-host" if sitter.user_id == face.host_id else "lobby-seat"
            lines.append(face.words(key, seat=seat + 1, name=face.name(seat)))
    return lines
