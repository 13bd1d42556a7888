"""Who sits where in a round of a cup. Nothing here knows tables: it is arithmetic with user ids.

The number of tables is that of the people divided by four, rounded up, and two at least; AI players fill what
is left over, spread over the tables, so that nobody ever has to sit out a round. An AI player as partner
counts like a partner of its own: whom it was before gets another one first.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from canasta_core.tables.cup_model import LEAST_TABLES, SEATS, Seats

_Unit = TypeVar("_Unit")
_Pair = tuple[int, int]

AI: Final = 0
"""Stands for every AI player."""
# What is worse by how much: AI players who are not spread, a partner had before, an opponent had before, a
# table of people whose standings are apart. Each outweighs all of the next.
UNEVEN: Final = 10**9
PARTNER: Final = 10**6
OPPONENT: Final = 3_000
_STEPS: Final = 20_000
"""Tries at most for a round in which nobody has a partner again."""


@dataclass(frozen=True, slots=True)
class Met:
    """Who has been whose partner, and whose opponent, how often."""

    partners: Counter[_Pair] = field(default_factory=Counter)
    opponents: Counter[_Pair] = field(default_factory=Counter)


def met(tables: Iterable[Seats]) -> Met:
    """What the tables played so far amount to."""
    found = Met()
    for one in tables:
        a, b, c, d = (AI if user_id is None else user_id for user_id in one)
        found.partners.update((_pair(a, c), _pair(b, d)))
        found.opponents.update(_across((a, c), (b, d)))
    return found


def table_count(people: int) -> int:
    """How many tables so many people need."""
    return max(LEAST_TABLES, -(-people // SEATS))


def full_rounds(people: int) -> int:
    """Rounds after which everybody has been everybody's partner once."""
    return table_count(people) * SEATS - 1


def swiss(order: Sequence[int], earlier: Met, rng: random.Random) -> list[Seats]:
    """A round for people in the order of their standing, best first.

    AI players are spread as evenly as can be; then partners are new as long as that is possible, then
    opponents, and then people of about the same standing sit together.
    """
    rank = {user_id: place for place, user_id in enumerate(order)}
    everybody = _with_ai(order)

    def cost(units: Sequence[int]) -> int:
        a, b, c, d = units
        places = [rank[one] for one in units if one != AI]
        return (
            UNEVEN * units.count(AI) ** 2
            + PARTNER * (_again(earlier.partners, a, c) + _again(earlier.partners, b, d))
            + OPPONENT * sum(_again(earlier.opponents, *pair) for pair in _across((a, c), (b, d)))
            + (max(places) - min(places) if places else 0)
        )

    starts = [everybody]
    fresh = _fresh_partners(everybody, earlier)
    if fresh is not None:
        starts.append([one for (a, c), (b, d) in _by_two(fresh) for one in (a, b, c, d)])
    for _ in range(4):
        starts.append(rng.sample(everybody, len(everybody)))
    best = min((_settled(start, SEATS, cost) for start in starts), key=lambda one: _total(one, SEATS, cost))
    return _seated(best)


def round_robin(entries: Sequence[int | None], number: int, earlier: Met) -> list[Seats]:
    """Round `number` (from 1) of the schedule in which everybody is everybody's partner once.

    `entries` are always the same; None for who has left. The pairs are those of the circle method; which of
    them play against each other is chosen so that opponents repeat as little as possible.
    """
    everybody = _with_ai([AI if one is None else one for one in entries])
    circle, last = everybody[:-1], everybody[-1]
    size = len(circle)
    turn = (number - 1) % size
    pairs = [(last, circle[turn])]
    pairs += [
        (circle[(turn + step) % size], circle[(turn - step) % size]) for step in range(1, (size + 1) // 2)
    ]

    def cost(units: Sequence[_Pair]) -> int:
        one, other = units
        return UNEVEN * (one + other).count(AI) ** 2 + sum(
            # The square: twice the same opponent once is better than one of them twice.
            2 * earlier.opponents[_pair(*pair)] + 1
            for pair in _across(one, other)
            if AI not in pair
        )

    units = _settled(pairs, 2, cost)
    return _seated([one for (a, c), (b, d) in _by_two(units) for one in (a, b, c, d)])


def _with_ai(people: Sequence[int]) -> list[int]:
    return [*people, *[AI] * (table_count(len(people)) * SEATS - len(people))]


def _seated(units: Sequence[int]) -> list[Seats]:
    """As tables, without those where no person sits: nobody would play there."""
    found = [tuple(one or None for one in units[at : at + SEATS]) for at in range(0, len(units), SEATS)]
    return [seats for seats in found if any(seats)]


def _pair(one: int, other: int) -> _Pair:
    return (one, other) if one < other else (other, one)


def _across(team: _Pair, other: _Pair) -> tuple[_Pair, ...]:
    """The four pairs of opponents at a table."""
    return tuple(_pair(one, against) for one in team for against in other)


def _again(counts: Counter[_Pair], one: int, other: int) -> int:
    """How often two have met before; AI players among themselves do not mind."""
    return counts[_pair(one, other)] if one or other else 0


def _by_two(units: Sequence[_Unit]) -> list[tuple[_Unit, _Unit]]:
    return [(units[at], units[at + 1]) for at in range(0, len(units), 2)]


def _fresh_partners(everybody: Sequence[int], earlier: Met) -> list[_Pair] | None:
    """Everybody in pairs of whom none has been one before; None when none is found soon enough."""
    left, found, steps = list(everybody), list[_Pair](), 0

    def search() -> bool:
        nonlocal steps
        if not left:
            return True
        # Who has the fewest new partners left chooses first: that finds an end without many detours.
        options = {
            at: [
                to for to in range(len(left)) if to != at and not _again(earlier.partners, left[at], left[to])
            ]
            for at in range(len(left))
        }
        first = min(options, key=lambda at: len(options[at]))
        for to in options[first]:
            steps += 1
            if steps > _STEPS:
                return False
            one, other = left[first], left[to]
            for at in sorted((first, to), reverse=True):
                del left[at]
            found.append((one, other))
            if search():
                return True
            found.pop()
            for at, back in sorted(((first, one), (to, other))):
                left.insert(at, back)
        return False

    return found if search() else None


def _total(units: Sequence[_Unit], size: int, cost: Callable[[Sequence[_Unit]], int]) -> int:
    return sum(cost(units[at : at + size]) for at in range(0, len(units), size))


def _settled(start: Sequence[_Unit], size: int, cost: Callable[[Sequence[_Unit]], int]) -> list[_Unit]:
    """Swap two units for as long as that makes it better; a table is `size` units that follow each other."""
    units = list(start)
    tables = range(0, len(units), size)
    costs = [cost(units[at : at + size]) for at in tables]

    def try_swap(one: int, other: int) -> bool:
        mine, theirs = one // size, other // size
        before = costs[mine] + (costs[theirs] if theirs != mine else 0)
        units[one], units[other] = units[other], units[one]
        new = {table: cost(units[table * size : (table + 1) * size]) for table in {mine, theirs}}
        if sum(new.values()) < before:
            for table, value in new.items():
                costs[table] = value
            return True
        units[one], units[other] = units[other], units[one]
        return False

    better = True
    while better:
        better = False
        for one in range(len(units)):
            for other in range(one + 1, len(units)):
                if units[one] != units[other] and try_swap(one, other):
                    better = True
    return units
