"""A cup's messages: signing up, the tables of the running round, and the standings."""

from collections.abc import Mapping, Sequence
from typing import Final

import discord

from canasta_core.profiles import profile_title
from canasta_core.tables.cup_model import LEAST_PEOPLE, MOST_PEOPLE, Cup, CupStage, CupTable
from canasta_core.tables.cup_standings import standings
from canasta_core.tables.model import is_former
from cogs.ui.layout import MAX_TEXT, Click, Layout, Verb, button, name_text, rows, words
from cogs.ui.pings import clock_text
from cogs.ui.text import number_text, text

_ROOM: Final = 700
"""Characters that are left to what stands around a long list."""


def cup_name(locale: str, cup_id: int) -> str:
    """`cup 12`; its number is a name, not an amount."""
    return text(locale, "cup-name", id=str(cup_id))


def full_name(locale: str, cup: Cup) -> str:
    """`cup 12 · Winter Cup`, as public text."""
    name = cup_name(locale, cup.id)
    return f"{name} · {name_text(cup.title, 60)}" if cup.title else name


def sign_up(cup: Cup, names: Mapping[int, str]) -> Layout:
    """The cup's own message: for people to sign up, then the tables of the running round."""
    locale = cup.locale
    parts = [_title(cup), _what(cup)]
    if cup.stage is CupStage.OPEN:
        count = len(cup.entrants)
        people = ", ".join(_name(locale, one.user_id, names) for one in cup.entrants)
        parts += [
            f"{text(locale, 'cup-how')}\n{_goes_on(cup)}",
            f"{text(locale, 'cup-people', count=count, least=LEAST_PEOPLE)}\n{people}".strip(),
        ]
    elif cup.stage is CupStage.PLAYING:
        parts += [_round(cup, names), _goes_on(cup)]
    else:
        parts.append(text(locale, f"cup-{cup.stage}"))
    box: discord.ui.Container[Layout] = discord.ui.Container()
    for part in parts:
        box.add_item(words(part))
    for row in rows(_controls(cup)):
        box.add_item(row)
    return Layout(box)


def standings_layout(cup: Cup, names: Mapping[int, str], rounds: int, locale: str = "") -> Layout:
    """The standings after so many rounds; in the language of the cup, or of who asks."""
    locale = locale or cup.locale
    name = full_name(locale, cup)
    if not rounds:
        return Layout(words(text(locale, "cup-standings-none", cup=name, state=_before(locale, cup))))
    final = cup.stage is CupStage.OVER and rounds == cup.done
    key = "cup-standings-final" if final else "cup-standings"
    lines = [
        text(
            locale,
            "cup-line",
            place=line.place,
            name=_name(locale, line.user_id, names),
            points=line.points,
            margin=number_text(line.margin, signed=True),
        )
        for line in standings(cup, rounds)
    ]
    box: discord.ui.Container[Layout] = discord.ui.Container()
    box.add_item(words(text(locale, key, cup=name, round=rounds, rounds=cup.rounds)))
    box.add_item(words(_fitting(locale, lines)))
    box.add_item(words(text(locale, "cup-formula")))
    return Layout(box)


def _before(locale: str, cup: Cup) -> str:
    """How a cup is while no round of it is over."""
    if cup.stage is not CupStage.PLAYING:
        return text(locale, "cup-before-open" if cup.stage is CupStage.OPEN else f"cup-{cup.stage}")
    tables = [table for table in cup.tables_of(cup.round) if table.difference is None]
    return text(locale, "cup-before-playing", round=max(1, cup.round), rounds=cup.rounds, count=len(tables))


def _title(cup: Cup) -> str:
    return text(cup.locale, "cup-title", cup=full_name(cup.locale, cup))


def _what(cup: Cup) -> str:
    locale, rules = cup.locale, cup.rules
    lines = [
        text(
            locale,
            "cup-what",
            profile=profile_title(rules),
            target=rules.target,
            kind=text(locale, f"cup-kind-{cup.kind}"),
            rounds=cup.rounds,
        ),
        text(
            locale,
            "cup-clock-none" if cup.clock is None else "cup-clock",
            clock=clock_text(locale, cup.clock),
        ),
        text(
            locale,
            "cup-host",
            name=text(locale, "former-player") if is_former(cup.host_id) else f"<@{cup.host_id}>",
        ),
    ]
    return "\n".join(lines)


def _goes_on(cup: Cup) -> str:
    """What becomes of a round when people stay away."""
    return f"-# {text(cup.locale, 'cup-goes-on-none' if cup.clock is None else 'cup-goes-on')}"


def _round(cup: Cup, names: Mapping[int, str]) -> str:
    head = text(cup.locale, "cup-round", round=max(1, cup.round), rounds=cup.rounds)
    return f"{head}\n{_fitting(cup.locale, [_table(cup, one, names) for one in cup.tables_of(cup.round)])}"


def _table(cup: Cup, table: CupTable, names: Mapping[int, str]) -> str:
    locale = cup.locale
    if table.difference is not None:
        state = text(locale, "cup-table-over")
    else:
        state = text(locale, "cup-table-opening" if table.table_id is None else "cup-table-playing")
    a, b, c, d = (_name(locale, user_id, names) for user_id in table.seats)
    return text(
        locale,
        "cup-table",
        number=table.number,
        first=text(locale, "cup-pair", one=a, other=c),
        second=text(locale, "cup-pair", one=b, other=d),
        state=state,
    )


def _name(locale: str, user_id: int | None, names: Mapping[int, str]) -> str:
    if user_id is None:
        return text(locale, "cup-ai")
    return text(locale, "former-player") if is_former(user_id) else name_text(names.get(user_id, "?"))


def _fitting(locale: str, lines: Sequence[str]) -> str:
    """As many of the first lines as a message has room for, and how many more there are."""
    kept: list[str] = []
    room = MAX_TEXT - 2 * _ROOM
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return "\n".join([*kept, text(locale, "cup-more", count=len(lines) - len(kept))])
        kept.append(line)
    return "\n".join(kept)


def _controls(cup: Cup) -> list[discord.ui.Button[Layout]]:
    def click(verb: Verb) -> Click:
        return Click(verb, cup.id, 0)

    def label(key: str) -> str:
        return text(cup.locale, key)

    if cup.stage is CupStage.OPEN:
        return [
            button(
                click(Verb.CUP_JOIN),
                label("button-join"),
                style=discord.ButtonStyle.primary,
                disabled=len(cup.entrants) >= MOST_PEOPLE,
            ),
            button(click(Verb.CUP_LEAVE), label("button-leave")),
            button(click(Verb.CUP_START), label("button-start"), style=discord.ButtonStyle.success),
        ]
    if cup.stage is CupStage.PLAYING:
        return [button(click(Verb.CUP_STANDINGS), label("cup-button-standings"))]
    return []
