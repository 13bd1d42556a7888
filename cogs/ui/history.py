"""Finished games: lists of them, one of them, and games with the same packs beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import discord
from discord import ui

from canasta_core.profiles import RulesError, profile, profile_title
from canasta_core.state import ScoreSheet
from canasta_core.tables.standings import PastGames, PlayedGame, Share
from cogs.ui.face import Face, person_name
from cogs.ui.layout import (
    MAX_TEXT,
    Click,
    Layout,
    Verb,
    button,
    cut,
    name_text,
    option,
    rows,
    select,
    table_name,
    words,
)
from cogs.ui.score import columns_text, rounds_text
from cogs.ui.tables import pages_of, plain_name
from cogs.ui.text import number_text, text
from cogs.ui.times import duration, when

PAGE: Final = 8
"""Games on a page of the list."""
COMPARED: Final = 5
"""Games beside each other at most: so many columns a phone shows."""
_ROUNDS: Final = 30
"""Rounds beside each other at most."""


EVERYBODY: Final = 0
"""Stands for all people of a server where a user id is said."""


def game_list(
    locale: str, past: PastGames, *, page: int, user_id: int, name: str = "", hidden: int = 0
) -> Layout:
    """A page of finished games, newest first: those of the server (EVERYBODY), of somebody by their name,
    or without one the reader's own.

    `hidden`: so many games of the page are left out, since the reader may not look at them.
    """
    whose = "all" if user_id == EVERYBODY else "other" if name else "mine"
    facts = {"whose": whose, "name": name_text(name) if name else ""}
    if not past.games and not hidden:
        return Layout(words(text(locale, "history-none", **facts)))
    pages = pages_of(past.count, PAGE)
    head = text(locale, "history-title", count=past.count, won=past.won, **facts)
    line = _winners_line if user_id == EVERYBODY else _line
    lines = [head, *(line(locale, game) for game in past.games)]
    if hidden:
        lines.append(text(locale, "history-hidden", count=hidden))
    layout = Layout(words("\n".join(lines)))
    options = [
        option(_title(locale, game), str(game.table_id), _about(locale, game, user_id)) for game in past.games
    ]
    if options:
        layout.add_item(
            select(Click(Verb.HISTORY, 0, page, f"{user_id}.s"), text(locale, "history-choose"), options)
        )
    if pages > 1:
        for row in rows(_turn_pages(locale, page, pages, user_id)):
            layout.add_item(row)
    return layout


def _turn_pages(locale: str, page: int, pages: int, user_id: int) -> list[ui.Button[Any]]:
    at = text(locale, "list-page", page=page + 1, pages=pages)
    return [
        button(
            Click(Verb.HISTORY, 0, max(page - 1, 0), f"{user_id}.b"),
            text(locale, "button-before"),
            disabled=not page,
        ),
        button(Click(Verb.HISTORY, 0, page, f"{user_id}.p"), at, disabled=True),
        button(
            Click(Verb.HISTORY, 0, page + 1, f"{user_id}.n"),
            text(locale, "button-after"),
            disabled=page + 1 == pages,
        ),
    ]


def _about(locale: str, game: PlayedGame, user_id: int) -> str:
    """What an option says of a game."""
    return _winners(locale, game, plain=True) if user_id == EVERYBODY else result_text(locale, game)


def _winners(locale: str, game: PlayedGame, *, plain: bool = False) -> str:
    """`Ann & Cat won 5,120 to 3,480`."""
    own = [(share, name) for share, name in game.others if share.team == game.share.team]
    names = _names(locale, [(game.share, game.name), *own])
    shown = plain_name(names) if plain else names
    return text(locale, "history-winners", names=shown, result=result_text(locale, game))


def _winners_line(locale: str, game: PlayedGame) -> str:
    others = [(share, name) for share, name in game.others if share.team != game.share.team]
    return text(
        locale,
        "history-line",
        game=_title(locale, game),
        result=_winners(locale, game),
        people=text(locale, "history-against", others=_names(locale, others)),
        when=when(game.finished_at),
    )


def _title(locale: str, game: PlayedGame) -> str:
    return f"{table_name(locale, game.table_id)} · {title_of(game.profile)}"


def title_of(profile_id: str) -> str:
    """What a profile is called; one that is no longer there has its id."""
    try:
        return profile(profile_id).title
    except RulesError:
        return profile_id


def _line(locale: str, game: PlayedGame) -> str:
    """`• table 12 · Classic · won 5,120 to 3,480 · with Ben, against Cat & Dan (AI) · 3 June 2026 14:00`."""
    return text(
        locale,
        "history-line",
        game=_title(locale, game),
        result=result_text(locale, game),
        people=_people(locale, game),
        when=when(game.finished_at),
    )


def result_text(locale: str, game: PlayedGame) -> str:
    """`won 5,120 to 3,480`."""
    others = {share.team: share.score for share, _ in game.others if share.team != game.share.team}
    rest = text(locale, "history-to").join(
        text(locale, "history-number", number=score) for score in sorted(others.values(), reverse=True)
    )
    return text(locale, "history-won" if game.share.won else "history-lost", own=game.share.score, rest=rest)


def _people(locale: str, game: PlayedGame) -> str:
    partners = [(share, name) for share, name in game.others if share.team == game.share.team]
    against = [(share, name) for share, name in game.others if share.team != game.share.team]
    facts = {"partners": _names(locale, partners), "others": _names(locale, against)}
    return text(locale, "history-with" if partners else "history-against", **facts)


def _names(locale: str, seats: Sequence[tuple[Share, str]]) -> str:
    return text(locale, "team-and").join(
        text(
            locale,
            "sitter-ai" if share.user_id is None else "sitter-person",
            name=person_name(locale, share.user_id, name),
        )
        for share, name in seats
    )


def choice_text(locale: str, game: PlayedGame, now: float) -> str:
    """The same in an option, where Discord shows no timestamps."""
    return text(
        locale,
        "history-choice",
        game=_title(locale, game),
        result=result_text(locale, game),
        ago=duration(locale, now - game.finished_at),
    )


def game_card(face: Face, rounds: Sequence[Sequence[ScoreSheet]], *, compared: bool) -> Layout:
    """One table that was played: its teams, its rounds, and what can be looked at."""
    lines = [
        face.words("history-game", table=table_name(face.locale, face.id), title=profile_title(face.rules)),
        *(face.words("score-legend", letter=face.letter(team), team=face.team_name(team))
          for team in range(face.rules.teams)),
    ]  # fmt: skip
    if face.duplicate_of is not None:
        lines.append(face.words("history-duplicate", table=table_name(face.locale, face.duplicate_of)))
    controls = [
        button(
            Click(Verb.REPLAY, face.id, 0),
            face.words("button-replay"),
            style=discord.ButtonStyle.primary,
        ),
        button(Click(Verb.FAIR, face.id, 0), face.words("button-fair")),
    ]
    if compared:
        controls.append(button(Click(Verb.COMPARE, face.id, 0), face.words("button-compare")))
    return Layout(words("\n".join(lines)), words(rounds_text(face, rounds)), *rows(controls))


@dataclass(frozen=True, slots=True)
class Compared:
    """A game beside others: its public face, and the sheets of its finished rounds."""

    face: Face
    rounds: Sequence[Sequence[ScoreSheet]]


def comparison(locale: str, games: Sequence[Compared], *, packs: int) -> Layout:
    """Games with the same packs beside each other, team by team; `packs` is how many rounds have them."""
    shown = list(games) if len(games) <= COMPARED else [games[0], *games[1 - COMPARED :]]
    rules = shown[0].face.rules
    lines = [text(locale, "compare-title", count=len(games))]
    for game in shown:
        face = game.face
        teams = [f"{face.letter(team)} {face.team_name(team)}" for team in range(rules.teams)]
        lines.append(
            text(
                locale,
                "compare-line",
                table=table_name(locale, face.id),
                teams=" · ".join(teams),
                rounds=len(game.rounds),
            )
        )
    both = min([packs, *(len(game.rounds) for game in shown)])
    lines.append(text(locale, "compare-explained", rounds=both))
    head = cut("\n".join(lines), MAX_TEXT // 2)
    for most in range(min(both, _ROUNDS), -1, -1):
        blocks = _blocks(locale, shown, both, most) if both else []
        if len(head) + sum(map(len, blocks)) <= MAX_TEXT:
            break
    return Layout(words(head), *map(words, blocks))


def _blocks(locale: str, games: Sequence[Compared], both: int, most: int) -> list[str]:
    """A block for each team: the last `most` rounds of those that all have, and the sums of all these."""
    face = games[0].face
    return [
        "\n".join(
            [
                text(locale, "compare-team", letter=face.letter(team)),
                _team_columns(locale, games, team, both, most),
            ]
        )
        for team in range(face.rules.teams)
    ]


def _team_columns(locale: str, games: Sequence[Compared], team: int, both: int, most: int) -> str:
    lines = [(text(locale, "score-round"), [str(game.face.id) for game in games])]
    for number in range(both - most, both):
        lines.append((str(number + 1), [number_text(game.rounds[number][team].total) for game in games]))
    sums = [sum(sheets[team].total for sheets in game.rounds[:both]) for game in games]
    lines.append((text(locale, "compare-sum"), [number_text(value) for value in sums]))
    return columns_text(lines)
