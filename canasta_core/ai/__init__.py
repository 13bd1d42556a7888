"""The AI players. Each sees a PlayerView and nothing else, so that none can look into a hidden hand."""

import random
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from canasta_core.actions import SeatAction
from canasta_core.ai.medium import MediumPlayer
from canasta_core.ai.random_player import RandomPlayer
from canasta_core.views import PlayerView


class Policy(Protocol):
    """A way to play: from what a seat may know to its next action."""

    def choose(self, view: PlayerView, rng: random.Random) -> SeatAction:
        """A legal action of a seat that must act now. The same view and random numbers give the same one."""
        ...


PLAYERS: Final[Mapping[str, Callable[[], Policy]]] = {
    "random": RandomPlayer,
    "medium": MediumPlayer,
}
"""Every player by name: those of `levels` and the yardstick of tests and tournaments."""

_LEVELS: Final = ("medium",)


def levels() -> tuple[str, ...]:
    """Levels that a person can choose for a seat, the weakest first."""
    return _LEVELS


def policy(level: str) -> Policy:
    """The player of that name. Raises KeyError for a name that PLAYERS does not have."""
    return PLAYERS[level]()
