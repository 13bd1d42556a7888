"""Chance at a table: shuffling, and the promise that binds a shuffle before the first move."""

import hashlib
import random
import secrets
from collections.abc import Sequence

from canasta_core.actions import Deal, DrawLots, write_action
from canasta_core.cards import Card


def commitment(salt: str, action: DrawLots | Deal) -> str:
    """The hash that is public from the start, and that salt and pack, public afterwards, must give.

    SHA-256, in hex, of the UTF-8 text `SALT ACTION`: the salt, one space, and the action in canonical
    notation (`deal KS 4H …`: the cards in the order in which they leave the pack; for rules that put
    an unfit upcard back, then ` | ` and the random places). So anyone can check it with

        printf '%s' 'SALT deal KS 4H …' | sha256sum

    The salt keeps the hash from being tried out against hands seen during the round.
    """
    return hashlib.sha256(f"{salt} {write_action(action)}".encode()).hexdigest()


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
