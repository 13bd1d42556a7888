"""Ways of choosing among offers, each to reach other corners of the game."""

import random
from collections.abc import Mapping, Sequence

from canasta_core.actions import Answer, SeatAction
from canasta_core.ai import policy
from canasta_core.views import PlayerView
from tests.soak.rounds import Chooser


def choose_random(view: PlayerView, found: Sequence[SeatAction], rng: random.Random) -> SeatAction:
    return rng.choice(found)


def choose_hoarder(view: PlayerView, found: Sequence[SeatAction], rng: random.Random) -> SeatAction:
    """Keeps every card: takes piles, and melds only where there is nothing else to do."""
    for kind in ("take", "draw", "discard", "end", "decline"):
        of_kind = [action for action in found if action.kind == kind]
        if of_kind:
            return rng.choice(of_kind)
    return rng.choice(found)


def choose_spendthrift(view: PlayerView, found: Sequence[SeatAction], rng: random.Random) -> SeatAction:
    """Lays whatever can be laid, asks whenever it can, and always says yes."""
    for kind in ("ask", "meld", "take"):
        of_kind = [action for action in found if action.kind == kind]
        if of_kind:
            return rng.choice(of_kind)
    return Answer(True) if Answer(True) in found else rng.choice(found)


def choose_medium(view: PlayerView, found: Sequence[SeatAction], rng: random.Random) -> SeatAction:
    return policy("medium").choose(view, rng)


CHOOSERS: Mapping[str, Chooser] = {
    "random": choose_random,
    "hoarder": choose_hoarder,
    "spendthrift": choose_spendthrift,
    "medium": choose_medium,
}
