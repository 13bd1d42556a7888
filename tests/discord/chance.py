"""The same cards in every run of a test: chance is seeded, so that what fails once fails again."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

from canasta_core.tables import chance


def seeded(seed: str) -> Any:
    """What stands in for the module `secrets` where tables take their chance from."""
    source = random.Random(seed)
    return SimpleNamespace(
        SystemRandom=lambda: source,
        randbits=source.getrandbits,
        token_hex=lambda size: source.randbytes(size).hex(),
    )


def seed_process(seed: str) -> None:
    """Seed chance for the rest of this process."""
    chance.secrets = seeded(seed)  # type: ignore[assignment]
