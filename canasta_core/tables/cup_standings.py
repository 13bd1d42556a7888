"""Who leads in a cup.

At each table of a round the same packs were dealt. For each other table a person gets 2 points when their
side's difference (own score less the opponents') is greater than that of the same seats there, and 1 when it
is the same. Equal points are told apart by the sum of what the own difference was greater by; who is equal in
that too shares a place.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from canasta_core.tables.cup_model import Cup, CupTable


@dataclass(frozen=True, slots=True)
class CupLine:
    """One person's standing in a cup."""

    place: int
    user_id: int
    points: int
    margin: int
    """By how much their differences were greater than those of the same seats, all together."""


def standings(cup: Cup, rounds: int | None = None) -> tuple[CupLine, ...]:
    """Everybody who has signed up, after the first rounds (by default all that are over); best first."""
    points: defaultdict[int, int] = defaultdict(int)
    margins: defaultdict[int, int] = defaultdict(int)
    for number in range(1, (cup.done if rounds is None else rounds) + 1):
        for user_id, won, margin in _compared(cup.tables_of(number)):
            points[user_id] += won
            margins[user_id] += margin
    order = sorted(
        (one.user_id for one in cup.entrants), key=lambda user_id: (-points[user_id], -margins[user_id])
    )
    lines: list[CupLine] = []
    for at, user_id in enumerate(order):
        line = CupLine(at + 1, user_id, points[user_id], margins[user_id])
        if lines and (lines[-1].points, lines[-1].margin) == (line.points, line.margin):
            line = CupLine(lines[-1].place, user_id, line.points, line.margin)
        lines.append(line)
    return tuple(lines)


def _compared(tables: Iterable[CupTable]) -> Iterable[tuple[int, int, int]]:
    """For each person of a round: points and margin."""
    every = tuple(tables)
    for table in every:
        others = [one.difference or 0 for one in every if one.number != table.number]
        for seat, user_id in enumerate(table.seats):
            if user_id is None:
                continue
            side = 1 if seat % 2 == 0 else -1
            ahead = [side * ((table.difference or 0) - other) for other in others]
            yield user_id, sum(2 if one > 0 else int(one == 0) for one in ahead), sum(ahead)
