"""The lobby: a table before its game, with its rules, seats and teams."""

from typing import Final

import discord

from canasta_core.profiles import load_rules, profile_title
from canasta_core.tables.model import Stage
from cogs.ui.board import board
from cogs.ui.face import Face
from cogs.ui.layout import Layout, Verb, bare_name, button, option, rows, select, table_name, words
from cogs.ui.pings import clock_text
from cogs.ui.rules_differences import differences
from cogs.ui.rules_topics import Topic, title
from cogs.ui.tables import plain_name
from cogs.ui.text import UnknownTextError

CLASSIC: Final = "classic"
"""The profile that the others are compared with."""
CHOSEN: Final = "seat"
"""Argument of the click of a select of seats."""


def lobby(face: Face) -> Layout:
    """The lobby message; when the table has become a game, or was given up, that is what it shows."""
    if face.stage is not Stage.LOBBY:
        return board(face)
    parts = [_title(face), seats_text(face), _waiting(face), rules_text(face)]
    full = len(face.sitters) == face.rules.seats
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
    for place, part in enumerate(parts):
        if place:
            box.add_item(discord.ui.Separator())
        box.add_item(words(part))
    for row in rows(controls):
        box.add_item(row)
    choices = _choices(face)
    if choices:
        click = face.click(Verb.JOIN, CHOSEN)
        box.add_item(select(click, face.words("lobby-choose-placeholder"), choices))
    return Layout(box)


def _title(face: Face) -> str:
    rules = face.rules
    title = face.words(
        "lobby-title-exact" if rules.exact_target else "lobby-title",
        table=table_name(face.locale, face.id),
        title=profile_title(rules),
        seats=rules.seats,
        target=rules.target,
    )
    if face.duplicate_of is None:
        return title
    return f"{title}\n{face.words('lobby-duplicate', table=table_name(face.locale, face.duplicate_of))}"


def seats_text(face: Face) -> str:
    """Who sits where, team by team."""
    teams = ["\n".join(_team(face, team)) for team in range(face.rules.teams)]
    return ("\n\n" if face.rules.has_partners else "\n").join(teams)


def _waiting(face: Face) -> str:
    """What is still to come until the game starts, and who is waited for."""
    lines = []
    kept = kept_names(face)
    if kept:
        lines.append(face.words("lobby-kept", names=kept))
    free = face.rules.seats - len(face.sitters)
    lines.append(face.words("lobby-waiting", free=free))
    if _choices(face):
        lines.append(face.words("lobby-choose"))
    return "\n".join(lines)


def kept_names(face: Face) -> str:
    """Those for whom seats are kept, who have not come yet; empty when there is nobody."""
    waited = [face.person(one.user_id) for one in face.invites if one.user_id and not face.sitter(one.seat)]
    return face.words("list-comma").join(waited)


def rules_text(face: Face) -> str:
    """What is played otherwise than in the profile, and than in Classic; and how fast."""
    return "\n".join(filter(None, [options_text(face), _unlike_classic(face), pace_text(face)]))


def _unlike_classic(face: Face) -> str:
    """The topics in which these rules differ from Classic; seats and target stand above."""
    found = differences(face.locale, load_rules(CLASSIC), face.rules)
    topics = [title(face.locale, one.topic) for one in found if one.topic is not Topic.TABLE]
    if not topics:
        return ""
    return face.words("lobby-unlike-classic", topics=face.words("list-comma").join(topics))


def pace_text(face: Face) -> str:
    """How long a turn may take, and whether melds can be taken back."""
    key = "lobby-clock-none" if face.clock is None else "lobby-clock"
    clock = face.words(key, clock=clock_text(face.locale, face.clock))
    return f"{clock}\n{face.words('lobby-undo' if face.undo else 'lobby-undo-none')}"


def place_text(face: Face, seat: int) -> str:
    """`seat 3, team A with Ann`: where somebody sits, and with whom."""
    if not face.rules.has_partners:
        return face.words("lobby-place", seat=seat + 1)
    partners = [face.name(one) for one in face.rules.partners_of(seat) if face.sitter(one)]
    team = face.letter(face.rules.team_of(seat))
    if not partners:
        return face.words("lobby-place-team", seat=seat + 1, team=team)
    names = face.words("team-and").join(partners)
    return face.words("lobby-place-with", seat=seat + 1, team=team, names=names)


def _choices(face: Face) -> list[discord.SelectOption]:
    """Seats that one may sit down at, or move to: the free ones, and those of AI players.

    Only where it matters who sits with whom.
    """
    if not face.rules.has_partners:
        return []
    found = []
    for seat in range(face.rules.seats):
        sitter = face.sitter(seat)
        if sitter is not None and not sitter.is_ai:
            continue
        if sitter is not None:
            said = face.words("lobby-choice-ai", name=bare_name(sitter.name))
        else:
            said = face.words("lobby-choice-kept" if face.invited(seat) else "lobby-choice-free")
        place = plain_name(place_text(face, seat))
        found.append(option(place[:1].upper() + place[1:], str(seat), said))
    return found


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
    return [*lines, *(_seat(face, seat) for seat in seats)]


def _seat(face: Face, seat: int) -> str:
    sitter, kept = face.sitter(seat), face.invited(seat)
    if sitter is None:
        if kept is None or kept.user_id is None:
            return face.words("lobby-seat-free", seat=seat + 1)
        return face.words("lobby-seat-kept", seat=seat + 1, name=face.person(kept.user_id))
    key = "lobby-seat-host" if sitter.user_id == face.host_id else "lobby-seat"
    return face.words(key, seat=seat + 1, name=face.name(seat))
