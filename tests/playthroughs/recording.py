"""Reading, writing and making recorded games."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from canasta_core.actions import Action, Deal, DrawLots, write_action
from canasta_core.cards import Card, pack_of, read_cards
from canasta_core.codec import state_hash
from canasta_core.engine import apply
from canasta_core.legality import speak, who_acts
from canasta_core.profiles import OptionValue, load_rules, profile, profile_ids
from canasta_core.rules import Rules
from canasta_core.state import GameState, Phase
from canasta_core.views import view_of

FOLDER = Path(__file__).parent
HASH = 8
"""Characters of the state hash that a line holds."""

SPECIAL: tuple[tuple[str, int, dict[str, OptionValue]], ...] = (
    ("salon", 6, {"teams": 3}),
    ("salon", 2, {"draw": 2, "canastas_to_go_out": 2}),
    ("salon", 4, {"exhausted_take": "pile"}),
    ("canastra", 4, {"real": True, "sujo": True}),
    ("canastra", 4, {"two_pack": True, "freeze": "wild_and_black_three"}),
    ("canastra", 4, {"freeze": "always", "permission": False}),
    ("canastra", 6, {"three_pack": True}),
    ("canastra", 6, {"three_pack": True, "teams": 3}),
)
"""Option tables recorded beside every profile with every number of seats."""


@dataclass(frozen=True)
class Table:
    """What a recorded game is played by."""

    name: str
    seats: int
    options: dict[str, OptionValue]

    @property
    def path(self) -> Path:
        words = [f"{key}_{str(value).lower()}" for key, value in sorted(self.options.items())]
        return FOLDER / f"{'-'.join([self.name, str(self.seats), *words])}.txt"

    @property
    def rules(self) -> Rules:
        return load_rules(self.name, self.seats, self.options)

    @property
    def header(self) -> str:
        options = " ".join(f"{key}={str(value).lower()}" for key, value in sorted(self.options.items()))
        return f"profile {self.name} seats {self.seats} {options}".strip()


def tables() -> Iterator[Table]:
    """Every table that needs a recorded game: each profile with each number of seats, and some options."""
    for name in profile_ids():
        for seats in profile(name).seats:
            yield Table(name, seats, {})
    for name, seats, options in SPECIAL:
        yield Table(name, seats, options)


ROUNDS = 40
"""Rounds recorded at most: an exact target may take long."""


def record(table: Table, seed: str) -> str:
    """A whole game played by AI players (and in one turn of eight by chance), as text."""
    from canasta_core.ai import policy
    from canasta_core.offers import offers

    rng = random.Random(seed)
    state = GameState.new(table.rules)
    lines = [table.header]

    def step(seat: int | None, action: Action) -> None:
        nonlocal state
        state = apply(state, seat, action).state
        lines.append(f"{state_hash(state)[:HASH]} {'-' if seat is None else seat} {write_action(action)}")

    step(None, DrawLots(_shuffled(table.rules, rng)))
    player = policy("medium")
    while state.public.phase is not Phase.GAME_OVER and state.public.round_number < ROUNDS:
        step(None, Deal(_shuffled(table.rules, rng), tuple(rng.randrange(100) for _ in range(12))))
        while seats := who_acts(state.public):
            view = view_of(state, seats[0])
            astray = rng.random() < 0.125
            step(seats[0], rng.choice(offers(view)) if astray else player.choose(view, rng))
    return "\n".join(lines) + "\n"


def _shuffled(rules: Rules, rng: random.Random) -> tuple[Card, ...]:
    pack = pack_of(rules.packs, rules.jokers)
    rng.shuffle(pack)
    return tuple(pack)


def first_difference(table: Table, text: str) -> str | None:
    """Replay a recorded game; the first line whose state differs, or None. Raises Refusal."""
    header, *lines = text.splitlines()
    if header != table.header:
        return f"header: expected {table.header}, came {header}"
    state = GameState.new(table.rules)
    for number, line in enumerate(lines, 2):
        expected, who, words = line.split(" ", 2)
        seat = None if who == "-" else int(who)
        action = _chance(words) if seat is None else speak(view_of(state, seat), words)
        state = apply(state, seat, action).state
        came = state_hash(state)[:HASH]
        if came != expected:
            return f"line {number} ({words[:60]}): expected {expected}, came {came}"
    return None


def _chance(words: str) -> Action:
    kind, rest = words.split(" ", 1)
    cards, _, places = rest.partition(" | ")
    pack = tuple(read_cards(cards))
    return DrawLots(pack) if kind == "lots" else Deal(pack, tuple(map(int, places.split())))
