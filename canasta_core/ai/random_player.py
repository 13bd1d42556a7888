"""Any legal action: the yardstick by which other players are measured."""

import random

from canasta_core.actions import SeatAction
from canasta_core.offers import offers
from canasta_core.views import PlayerView


class RandomPlayer:
    """Every offer is as likely as every other."""

    def choose(self, view: PlayerView, rng: random.Random) -> SeatAction:
        return rng.choice(offers(view))
