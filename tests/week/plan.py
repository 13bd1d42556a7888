"""Who plays what with whom, what people are like, and when the process dies: all from one seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
NEXT_ROUND = 600.0
"""Seconds from the end of a round to the next deal."""

CLOCKS: tuple[int | None, ...] = (86400, 28800, 172800, 86400, 3600, None, 259200, 300, 86400, 604800)
"""Clocks of the tables, in turn: every value there is, the default more often."""

TABLES: tuple[tuple[str, int, str], ...] = (
    ("classic", 4, ""),
    ("browser", 2, "target=1000"),
    ("salon", 4, ""),
    ("canastra", 4, ""),
    ("browser", 4, "target=1500"),
    ("salon", 2, "draw=2, canastas_to_go_out=2"),
    ("canastra", 2, ""),
    ("classic", 4, ""),
    ("salon", 3, ""),
    ("canastra", 4, "real, sujo"),
    ("browser", 4, "target=1000"),
    ("salon", 6, "teams=3"),
    ("canastra", 3, ""),
    ("classic", 4, ""),
    ("salon", 5, ""),
    ("browser", 2, "target=1000"),
    ("canastra", 6, "three_pack"),
    ("salon", 4, "exhausted_take=pile"),
    ("canastra", 4, "two_pack, freeze=wild_and_black_three"),
    ("salon", 6, ""),
)
"""Profile, seats and house options of the tables, in turn."""

PACES = {
    "quick": 4 * MINUTE,
    "steady": 1.5 * HOUR,
    "slow": 6 * HOUR,
    "sleeper": 1 * HOUR,
    "absent": 2 * HOUR,
    "away": 1 * HOUR,
    "leaver": 40 * MINUTE,
    "replaced": 2 * HOUR,
    "sloppy": 30 * MINUTE,
    "mover": 1 * HOUR,
    "undoer": 20 * MINUTE,
}
"""What people are like, and how long they typically take for a turn (sleep not counted).

quick, steady, slow: no more than that. sleeper: with quiet hours, in which they never play. absent: stops
playing, and comes back with a click, or never. away: says so before. leaver: leaves a table, and comes back
or not. replaced: stops, and the host gives the seat away. sloppy: stale and double clicks, two things at
once, illegal moves. mover: as a host takes the table elsewhere, hands it on, pauses it, changes the clock.
undoer: lays and takes back.
"""


@dataclass(frozen=True, slots=True)
class PersonPlan:
    """Somebody, for the whole week."""

    number: int
    habit: str
    pace: float
    """Median of the seconds from a ping to a move."""
    sleeps: float
    """Second of the day (UTC) at which they go to bed, for eight hours."""
    clicks: bool
    """Rather by buttons than by commands."""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table that somebody will open."""

    number: int
    profile: str
    seats: int
    options: str
    clock: int | None
    channel: int
    people: tuple[int, ...]
    """Host first. Free seats go to AI players."""
    opens: float


@dataclass(frozen=True, slots=True)
class KillPlan:
    """From `at` on the process is to die, `how` as `deaths.HOWS` says, at the `count`-th chance."""

    at: float
    how: str
    count: int
    down: float
    """Seconds until the next process starts."""


@dataclass(frozen=True, slots=True)
class Plan:
    seed: int
    days: float
    channels: int
    people: tuple[PersonPlan, ...]
    tables: tuple[TablePlan, ...]
    kills: tuple[KillPlan, ...] = field(repr=False)

    @property
    def haste(self) -> float:
        """In a short week everything is shorter."""
        return haste(self.days)

    @property
    def end(self) -> float:
        return self.days * DAY


def make_plan(seed: int, *, tables: int, people: int, days: float, kills: int, hows: tuple[str, ...]) -> Plan:
    """The whole plan; the same for the same numbers."""
    rng = random.Random(f"{seed} {tables} {people} {days} {kills}")
    channels = max(4, tables // 4)
    return Plan(
        seed=seed,
        days=days,
        channels=channels,
        people=tuple(_person(number, haste(days), rng) for number in range(people)),
        tables=_tables(tables, people, channels, days, rng),
        kills=_kills(kills, days, hows, rng),
    )


def haste(days: float) -> float:
    return min(1.0, days / 3)


def _person(number: int, hurry: float, rng: random.Random) -> PersonPlan:
    # The first persons have one habit each, so that every habit is there in a small week too.
    habits = list(PACES)
    habit = habits[number % len(habits)] if number < 44 else rng.choice(habits)
    return PersonPlan(
        number=number,
        habit=habit,
        pace=PACES[habit] * hurry * rng.uniform(0.6, 1.6),
        sleeps=rng.uniform(0, DAY),
        clicks=rng.random() < 0.3,
    )


def _tables(count: int, people: int, channels: int, days: float, rng: random.Random) -> tuple[TablePlan, ...]:
    everybody: list[int] = []
    found = []
    for number in range(count):
        profile, seats, options = TABLES[number % len(TABLES)]
        ais = rng.choice((0, 0, 1)) if seats > 2 else rng.choice((0, 0, 0, 1))
        chosen: list[int] = []
        while len(chosen) < min(seats - ais, people):
            if not everybody:
                everybody = rng.sample(range(people), people)
            one = everybody.pop()
            if one not in chosen:
                chosen.append(one)
        found.append(
            TablePlan(
                number=number,
                profile=profile,
                seats=seats,
                options=options,
                clock=CLOCKS[number % len(CLOCKS)],
                channel=rng.randrange(channels),
                people=tuple(chosen),
                opens=rng.uniform(0, min(1.0, days / 4) * DAY),
            )
        )
    return tuple(found)


def _kills(count: int, days: float, hows: tuple[str, ...], rng: random.Random) -> tuple[KillPlan, ...]:
    kinds = [hows[number % len(hows)] for number in range(count)]
    rng.shuffle(kinds)
    times = sorted(rng.uniform(0.01, 0.97) * days * DAY for _ in kinds)
    return tuple(
        KillPlan(at=at, how=how, count=rng.randint(1, 12), down=_downtime(days, rng))
        for at, how in zip(times, kinds, strict=True)
    )


def _downtime(days: float, rng: random.Random) -> float:
    """Most restarts are quick; now and then nobody is there to see to it for hours."""
    kind = rng.random()
    if kind < 0.6:
        return rng.uniform(1, 20)
    if kind < 0.9:
        return rng.uniform(1, 20) * MINUTE
    return rng.uniform(1, 10) * HOUR * min(1.0, days / 7)
