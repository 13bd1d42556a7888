"""How Python looks for garbage in a process that keeps much and makes much."""

import gc
from typing import Final

YOUNG: Final = 50_000
"""New objects between two looks at them; Python's own 700 are looked at a hundred times a second here."""
MIDDLE, OLD = 20, 100
"""How many looks at the younger ones come before one at the older."""


def look_seldom() -> None:
    """Keep the search for garbage from holding up moves.

    Every look at all objects stops the process, for a tenth of a second when it holds thousands of
    tables; with `scripts/bench --tables 5000` the slowest moves of a hundred took 270 ms with Python's own
    numbers and 60 ms with these. What is there now is there for good and is not looked at again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
