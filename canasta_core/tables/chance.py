"""Chance at a table: shuffled packs, random numbers, and the salts of promises (`fairness`)."""

import random
import secrets
from collections.abc import Sequence

from canasta_core.cards import Card


class SystemChance:
    """Chance from the operating system's secure source."""

    def __init__(self) -> None:
        self._source = secrets.SystemRandom()

    def shuffled(self, pack: Sequence[Card]) -> tuple[Card, ...]:
        cards = list(pack)
        self._source.shuffle(cards)
        return tuple(cards)

    def numbers(self, count: int) -> tuple[int, ...]:
        return tuple(secrets.randbits(32) for _ in range(count))

    def salt(self) -> str:
        return secrets.token_hex(16)

    def rng(self) -> random.Random:
        return random.Random(secrets.randbits(128))
