"""Who has to be told what, and when, by the log of a table: that it is their turn, that they are asked."""

from __future__ import annotations

from dataclasses import dataclass

from tests.week.frames import Film, Frame


@dataclass(slots=True)
class Call:
    """Somebody has to be told."""

    kind: str
    """turn, question"""
    table: int
    version: int
    at: float
    occasion: tuple[int, int, int]
    """The turn (or the question), the seat, and since when they sit there."""
    user: int
    late: bool
    """They were away, or the table was paused, when it began."""
    ends: float = float("inf")
    """When nobody has to be told any more: they have moved, or are gone, or an AI player plays for them."""


Key = tuple[str, int, int, int]


def calls_of(film: Film) -> list[Call]:
    """All calls of a table.

    Each person is told once of each turn and each question, when they are there. Who takes up what an AI
    player kept for them, in the middle of a turn, knows of it; who comes back from there only to be away, or
    while all rest, is told when that is over.
    """
    found: list[Call] = []
    open_calls: dict[Key, Call] = {}
    called: dict[Key, bool] = {}
    """Whether those who are waited for were told; who are no more are forgotten when the turn is over."""
    began: dict[Key, bool] = {}
    """Whether they could not be told at once."""
    now: set[Key] = set()
    before: Frame | None = None
    for frame in film.frames:
        last, now = now, _keys(frame)
        for key in last - now:
            if key in open_calls:
                open_calls.pop(key).ends = frame.at
        running = frame.running()
        for key in sorted(now):
            _, _, seat, since = key
            runs = (seat, since) in running
            if key not in last and before is not None and _takes_up(before, frame, seat):
                called[key] = runs
            elif key not in called:
                called[key] = False
            if not called[key] and runs:
                user = frame.held[seat].user
                assert user is not None
                called[key] = True
                call = Call(
                    key[0], frame.table, frame.version, frame.at, key[1:], user, began.get(key, False)
                )
                open_calls[key] = call
                found.append(call)
            elif not called[key]:
                began[key] = True
        before = frame
    return found


def _keys(frame: Frame) -> set[Key]:
    found: set[Key] = set()
    turn = frame.last.turn
    if not frame.playing or turn is None:
        return found
    held = frame.held.get(turn)
    if held is not None and held.active:
        found.add(("turn", frame.turns, turn, held.since))
    if frame.asking:
        for seat in frame.last.acting:
            asked = frame.held.get(seat)
            if asked is not None and asked.active:
                found.add(("question", frame.occasions, seat, asked.since))
    return found


def _takes_up(before: Frame, frame: Frame, seat: int) -> bool:
    """Somebody comes back to the seat that an AI player kept, in the middle of the same turn."""
    kept, now = before.held.get(seat), frame.held.get(seat)
    return (
        kept is not None
        and now is not None
        and kept.absent
        and kept.since == now.since
        and before.playing
        and before.last.turn is not None
        and before.turns == frame.turns
    )
