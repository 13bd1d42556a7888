"""The log of a table for its people: who came and went, and what was done to the table. No card is in it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from discord import ui

from canasta_core.events import GameEnded
from canasta_core.tables.model import LogEntry, Tenure, What, is_former
from canasta_core.tables.records import OF_THE_GAME
from cogs.ui.face import Face, person_name
from cogs.ui.layout import MAX_TEXT, Click, Layout, Verb, button, name_text, table_name, words
from cogs.ui.pings import clock_text, lost_text
from cogs.ui.times import when

MOST_LINES: Final = 20
"""Of a page."""
_ROOM: Final = MAX_TEXT - 200
"""Characters of the lines of a page; the rest is for its title."""


def log_layout(
    face: Face,
    entries: Sequence[LogEntry],
    tenures: Sequence[Tenure],
    names: Mapping[int, str],
    page: int = 0,
) -> Layout:
    """A page of the lines, newest last, with Discord's timestamps. Page 0 has the last lines of all, and a
    page that there is not is the earliest one. `names` are those of people, by user id.
    """
    told = [entry for entry in entries if entry.what not in OF_THE_GAME or _is_end(entry)]
    pages = _pages([_Line(face, entry, tenures, names).text() for entry in told])
    page = min(page, len(pages) - 1)
    head = face.words("log-title", table=table_name(face.locale, face.id), page=page + 1, pages=len(pages))
    layout = Layout(words("\n".join([head, *pages[page]])))
    if len(pages) > 1:
        layout.add_item(ui.ActionRow(*_turn_pages(face, page, len(pages))))
    return layout


def _pages(lines: Sequence[str]) -> list[list[str]]:
    """The lines in pages that fit into a message, the last lines first; at least one page."""
    pages: list[list[str]] = [[]]
    room = _ROOM
    for line in reversed(lines):
        room -= len(line) + 1
        if pages[-1] and (room < 0 or len(pages[-1]) == MOST_LINES):
            pages.append([])
            room = _ROOM - len(line) - 1
        pages[-1].insert(0, line)
    return pages


def _turn_pages(face: Face, page: int, pages: int) -> list[ui.Button[Any]]:
    def turn(to: int, key: str, control: str) -> ui.Button[Any]:
        # The argument tells two buttons apart that lead to the same page: they cannot both be pressed.
        there = 0 <= to < pages
        click = Click(Verb.LOG, face.id, min(max(to, 0), pages - 1), control)
        return button(click, face.words(key), disabled=not there)

    return [turn(page + 1, "log-earlier", "e"), turn(page - 1, "log-later", "l")]


def _is_end(entry: LogEntry) -> bool:
    return any(isinstance(event, GameEnded) for event in entry.events)


class _Line:
    """One change of a table in words."""

    def __init__(
        self, face: Face, entry: LogEntry, tenures: Sequence[Tenure], names: Mapping[int, str]
    ) -> None:
        self._face = face
        self._entry = entry
        self._tenures = tenures
        self._names = names

    def text(self) -> str:
        """`3 June 2026 14:00 · Ann paused the table until … · as a moderator`"""
        key = "log-line-moderator" if self._entry.detail.get("moderator") is True else "log-line"
        return self._face.words(key, when=when(self._entry.at), what=self._what())

    def _what(self) -> str:
        entry, face = self._entry, self._face
        by = self._person(entry.actor)
        seat = 0 if entry.seat is None else entry.seat + 1
        facts: dict[str, int | str] = {"by": by, "seat": seat, "name": self._at_seat()}
        key = entry.what.replace("_", "-")
        detail = entry.detail
        match entry.what:
            case What.END:
                return face.words(f"log-end-{detail.get('reason', 'finished')}", **facts)
            case What.MOVE:
                return face.words("log-end-finished", **facts)
            case What.LEAVE | What.REPLACE:
                said = face.words(f"log-{key}", **facts)
                return said + self._new_host(detail.get("host"))
            case What.SEAT_AI:
                facts["name"] = self._newcomer()
            case What.AWAY | What.PAUSE:
                until = detail.get("until")
                facts["when"] = when(until) if isinstance(until, int | float) else "?"
            case What.BACK | What.RESUME | What.BEGIN | What.CREATE if entry.actor is None:
                key += "-itself"
            case What.JOIN:
                guest = self._person(detail.get("by"))
                if detail.get("by") is not None:
                    return face.words("log-join-by", guest=guest, **facts)
            case What.HOST:
                facts["name"] = self._person(detail.get("user_id"))
            case What.INVITE:
                if detail.get("withdrawn") is True:
                    key += "-withdrawn"
                elif detail.get("user_id") is None:
                    key += "-open"
                else:
                    facts["name"] = self._person(detail.get("user_id"))
            case What.MOVE_PLACE:
                facts["to"] = f"<#{detail.get('to_channel', 0)}>"
            case What.LOST:
                facts["why"] = self._why(detail.get("why"))
            case What.PROPOSE | What.DISAGREE | What.CLOCK | What.AGREE:
                clock = detail.get("clock")
                facts["clock"] = clock_text(face.locale, clock if isinstance(clock, int) else None)
                if entry.what is What.CLOCK and entry.actor is None:
                    key += "-agreed"
        return face.words(f"log-{key}", **facts)

    def _why(self, why: object) -> str:
        try:
            return lost_text(self._face.locale, str(why))
        except LookupError:
            return str(why)

    def _new_host(self, user_id: object) -> str:
        return "" if user_id is None else self._face.words("log-new-host", name=self._person(user_id))

    def _person(self, user_id: object) -> str:
        """The last known name of somebody, as public text."""
        if not isinstance(user_id, int):
            return "?"
        if is_former(user_id):
            return self._face.words("former-player")
        held = (tenure.name for tenure in self._tenures if tenure.user_id == user_id)
        return name_text(self._names.get(user_id) or next(held, "?"))

    def _newcomer(self) -> str:
        """Who sat down with this change."""
        return next((self._name(one) for one in self._at() if one.from_version == self._entry.version), "?")

    def _at_seat(self) -> str:
        """Who was at the seat until this change."""
        version = self._entry.version
        held = (one for one in self._at() if one.from_version < version <= (one.to_version or version))
        return next((self._name(one) for one in held), "?")

    def _name(self, tenure: Tenure) -> str:
        return person_name(self._face.locale, tenure.user_id, tenure.name)

    def _at(self) -> list[Tenure]:
        return [tenure for tenure in self._tenures if tenure.seat == self._entry.seat]
