"""A table's log played again: the proof that log and snapshot tell the same game."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

from canasta_core.actions import Deal, DrawLots, LayMelds
from canasta_core.dealing import WrongPack
from canasta_core.engine import apply
from canasta_core.events import Event
from canasta_core.fairness import is_kept
from canasta_core.refusals import Refusal
from canasta_core.rules import Rules
from canasta_core.state import GameState
from canasta_core.tables.model import LogEntry, What
from canasta_core.tables.undo import taken_back

_CHANCE: Final = (DrawLots, Deal)


class Differs(StrEnum):
    """What of a log does not agree with the game that its actions give."""

    VERSIONS = "versions"
    """A row is missing, stands twice or in the wrong place."""
    ACTION = "action"
    """The rules refuse it, or it is a shuffle of other cards than the table's."""
    EVENTS = "events"
    """What was told is not what happened."""
    PROMISE = "promise"
    """Salt and pack are not those that were promised before the round."""
    UNDO = "undo"
    """There is nothing that could be taken back."""


class ReplayError(Exception):
    """A log that does not agree with itself. `version` is that of the first row where it does not.

    The text names no cards, so that it may stand in a log.
    """

    def __init__(self, version: int, differs: Differs, detail: str = "") -> None:
        super().__init__(version, differs, detail)
        self.version = version
        self.differs = differs
        self.detail = detail

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"version {self.version}: {self.differs}{detail}"


def replay(entries: Iterable[LogEntry], rules: Rules) -> GameState:
    """The state that a whole log gives, from its first row on.

    Each action is judged by the rules, the events are compared with those recorded, and each shuffle is
    checked against its promise. Raises ReplayError.
    """
    state = GameState.new(rules)
    for _, reached in positions(entries, rules):
        state = reached
    return state


def positions(entries: Iterable[LogEntry], rules: Rules) -> Iterator[tuple[LogEntry, GameState]]:
    """Each row of a whole log with the state after it. Raises ReplayError where `replay` does."""
    state = GameState.new(rules)
    before: list[GameState] = []
    for expected, entry in enumerate(entries, 1):
        if entry.version != expected:
            raise ReplayError(entry.version, Differs.VERSIONS, f"expected {expected}")
        if entry.what is What.UNDO:
            if not before or entry.seat is None:
                raise ReplayError(entry.version, Differs.UNDO)
            earlier = before.pop()
            _compare(entry, (taken_back(state, earlier, entry.seat),))
            state = earlier
        elif entry.action is not None:
            before = [*before, state] if isinstance(entry.action, LayMelds) else []
            state = _played(state, entry)
        else:
            _compare(entry, ())
        yield entry, state


def _played(state: GameState, entry: LogEntry) -> GameState:
    action = entry.action
    assert action is not None, "the caller has looked"
    try:
        transition = apply(state, entry.seat, action)
    except Refusal as refusal:
        raise ReplayError(entry.version, Differs.ACTION, f"{action.kind}: {refusal.code}") from refusal
    except WrongPack as error:
        raise ReplayError(entry.version, Differs.ACTION, f"{action.kind}: wrong pack") from error
    _compare(entry, transition.events)
    if isinstance(action, _CHANCE):
        salt, promise = str(entry.detail.get("salt", "")), str(entry.detail.get("commitment", ""))
        if not is_kept(promise, salt, action):
            raise ReplayError(entry.version, Differs.PROMISE)
    return transition.state


def _compare(entry: LogEntry, events: tuple[Event, ...]) -> None:
    if entry.events != events:
        raise ReplayError(entry.version, Differs.EVENTS)


def counted(entries: Iterable[LogEntry]) -> list[LogEntry]:
    """The rows whose actions make the game as it counted: without melds that were taken back."""
    found: list[LogEntry] = []
    for entry in entries:
        if entry.what is What.UNDO:
            found.pop()
        elif entry.action is not None:
            found.append(entry)
    return found
