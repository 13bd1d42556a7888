"""The parts of every message: custom ids, buttons, selects, and layouts that keep no state.

A custom id says all that a click needs: verb, table, version. discord.py must not remember a layout: it
gives a remembered ephemeral one a timeout of 15 minutes, and when that is over it forgets the dynamic
items of the whole bot along with it. So layouts here tell it that there is nothing to dispatch; the
dynamic item of `cogs.clicks`, registered once, answers every click, also after a restart.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import discord
from discord import ui

from cogs.ui.text import text

MAX_TEXT: Final = 4000
"""Characters of all texts of one message."""
MAX_OPTIONS: Final = 25
MAX_LABEL: Final = 80
"""Of a button."""
MAX_OPTION: Final = 100
MAX_CUSTOM_ID: Final = 100
MAX_ALT: Final = 1024
"""Of the words for a picture."""

TEMPLATE: Final = re.compile(
    r"cn:(?P<verb>[a-z-]{1,16}):(?P<table>\d{1,18}):(?P<version>\d{1,9})(?::(?P<arg>.*))?", re.DOTALL
)
"""Every custom id this bot gives."""


class Verb(StrEnum):
    """What a click asks for."""

    JOIN = "join"
    LEAVE = "leave"
    ADD_AI = "add-ai"
    START = "start"
    HAND = "hand"
    DRAW = "draw"
    PILE = "pile"
    """Show the ways to take the pile."""
    TAKE = "take"
    """Take it in the way chosen."""
    PICK = "pick"
    """Choose melds to lay; nothing is done yet."""
    LAY = "lay"
    DISCARD = "discard"
    ASK = "ask"
    YES = "yes"
    NO = "no"
    DECLINE = "decline"
    END = "end"
    NEXT = "next"
    REMATCH = "rematch"
    RULES = "rules"
    WHY = "why"
    """Tell the rule that a refused move went against."""
    SCORE = "score"
    CHOOSE = "choose"
    """Say which table a command meant."""
    CHOOSE_PAGE = "more"
    """More tables to choose from; the version is the number of the page."""
    LIST = "list"
    """A page of the list of tables; the version is its number."""
    THROW = "throw"
    """Discard the card that was chosen before, by somebody who is asked twice."""
    UNDO = "undo"
    """Take back what was laid last in the running turn."""
    PREFER = "prefer"
    """Choose something for oneself; the argument says what it is about."""
    BACK = "back"
    """Take up the own seat again, which an AI player keeps, or after being away."""
    REPLACE = "replace"
    """Give a person's seat to an AI player, after having been asked; the argument says which."""
    END_TABLE = "end-table"
    """End a running game, after having been asked."""
    LOG = "log"
    """A page of the log of a table; the version is its number."""
    SETTING = "setting"
    """Change a setting of the server; the argument says which."""
    AGREE = "agree"
    """To the clock that is proposed; the version is that of the proposal."""
    KEEP_CLOCK = "keep-clock"
    """Not to agree to it."""
    REPLAY = "replay"
    """Show a finished round; the version is the step, the argument says the rest (`cogs.ui.replay`)."""
    HISTORY = "history"
    """A page of somebody's finished games; the version is its number, the argument says whose."""
    COMPARE = "compare"
    """Beside each other: games that had the same packs."""
    FAIR = "fair"
    """Check the shuffles of a table; the version is the round."""
    TAKE_SEAT = "take-seat"
    """Take the seat of an AI player that one is invited to; its number, from 0, is the argument."""
    LEADERBOARD = "leaderboard"
    """Another page or another leaderboard: the argument says which, the version is the number of the page."""
    FORGET = "forget"
    """Delete all that is stored about oneself, after having been asked."""
    CUP_JOIN = "enter-cup"
    """Sign up for a cup; its number stands where a table's does, here and with the next ones."""
    CUP_LEAVE = "quit-cup"
    CUP_START = "start-cup"
    CUP_END = "end-cup"
    """Give a cup up, after having been asked."""
    CUP_STANDINGS = "standings"
    STATS = "stats"
    """Somebody's statistics: the argument says whose, and which of them."""


@dataclass(frozen=True, slots=True)
class Click:
    """What a custom id says."""

    verb: str
    table: int
    version: int
    arg: str = ""

    @property
    def custom_id(self) -> str:
        head = f"cn:{self.verb}:{self.table}:{self.version}"
        return f"{head}:{self.arg}" if self.arg else head

    @classmethod
    def read(cls, custom_id: str) -> "Click | None":
        """None when the id is none of this bot's, or of another version of it."""
        found = TEMPLATE.fullmatch(custom_id)
        if found is None or found["verb"] not in frozenset(Verb):
            return None
        return cls(found["verb"], int(found["table"]), int(found["version"]), found["arg"] or "")


class Layout(ui.LayoutView):
    """A components v2 message; see above why nothing in it is dispatched by the view itself."""

    def __init__(self, *items: ui.Item[Any]) -> None:
        super().__init__(timeout=None)
        for item in items:
            self.add_item(item)

    def is_dispatchable(self) -> bool:
        return False


class Row(ui.View):
    """Buttons below a plain message: one whose text shows in a notification."""

    def __init__(self, *items: ui.Item[Any]) -> None:
        super().__init__(timeout=None)
        for item in items:
            self.add_item(item)

    def is_dispatchable(self) -> bool:
        return False


def button(
    click: Click,
    label: str,
    *,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    disabled: bool = False,
) -> ui.Button[Any]:
    return ui.Button(custom_id=click.custom_id, label=cut(label, MAX_LABEL), style=style, disabled=disabled)


def option(label: str, value: str, description: str = "", *, default: bool = False) -> discord.SelectOption:
    return discord.SelectOption(
        label=cut(label, MAX_OPTION),
        value=value,
        description=cut(description, MAX_OPTION) or None,
        default=default,
    )


def select(
    click: Click,
    placeholder: str,
    options: Sequence[discord.SelectOption],
    *,
    many: bool = False,
) -> ui.ActionRow[Any]:
    """A row with a select of at most 25 options; `many` lets any number of them be chosen, also none."""
    shown = list(options)[:MAX_OPTIONS]
    menu: ui.Select[Any] = ui.Select(
        custom_id=click.custom_id,
        placeholder=cut(placeholder, 150),
        options=shown,
        min_values=0 if many else 1,
        max_values=len(shown) if many else 1,
    )
    return ui.ActionRow(menu)


def rows(buttons: Iterable[ui.Button[Any]]) -> list[ui.ActionRow[Any]]:
    """Buttons in rows of at most five."""
    every = list(buttons)
    return [ui.ActionRow(*every[start : start + 5]) for start in range(0, len(every), 5)]


def words(content: str) -> ui.TextDisplay[Any]:
    return ui.TextDisplay(content)


def gallery(file: str, alt: str) -> ui.MediaGallery[Any]:
    """Shows a picture that comes with the message, by the name of its file; `alt` says what is to be seen."""
    return ui.MediaGallery(discord.MediaGalleryItem(f"attachment://{file}", description=cut(alt, MAX_ALT)))


def cut(content: str, length: int) -> str:
    """At most `length` characters, an ellipsis where more was said."""
    return content if len(content) <= length else content[: length - 1] + "…"


def shorten(lines: Sequence[str], length: int) -> str:
    """As many of the last lines as fit into `length` characters, in their order."""
    kept: list[str] = []
    room = length
    for line in reversed(lines):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(reversed(kept))


def bare_name(name: str, length: int = 20) -> str:
    """A name where nothing is marked up, as in options and pictures: cut, without what is no text."""
    printable = "".join(one if one.isprintable() else " " for one in name)
    return cut(" ".join(printable.split()) or "?", length)


def name_text(name: str, length: int = 20) -> str:
    """A name as public text: cut, its markdown and mentions escaped, without characters that are no text."""
    escaped = discord.utils.escape_markdown(bare_name(name, length), ignore_links=False).replace("<", "\\<")
    return discord.utils.escape_mentions(escaped).replace("://", ":\N{ZERO WIDTH SPACE}//")


def note(content: str, *controls: ui.Button[Any]) -> Layout:
    """A message that is one paragraph, with buttons below where there are any."""
    return Layout(words(cut(content, MAX_TEXT)), *rows(controls))


def jump_url(guild_id: int, channel_id: int, message_id: int) -> str:
    """Address of a message, for links."""
    return f"https://discord.com/channels/{guild_id}/{channel_id}/{message_id}"


def table_name(locale: str, table_id: int) -> str:
    """`table 12`; its number is a name, not an amount."""
    return text(locale, "table-name", id=str(table_id))
