"""Whether rules that came from anywhere can be played: a text may ask for a million packs."""

import types
import typing
from dataclasses import fields
from functools import cache
from typing import Any, Final

from canasta_core.cards import JOKER
from canasta_core.rules import Rules

MOST: Final = 12
"""Seats and packs at most, and the like."""
_LARGEST: Final = 1_000_000
"""Of all numbers."""
_LONGEST: Final = 60
"""Of all texts and rows."""


def are_playable(rules: Rules) -> bool:
    """Whether a table could have these rules. What the codec has read has the right fields, of any type."""
    hints = _hints()
    if not all(_fits(getattr(rules, name), kind) for name, kind in hints.items()):
        return False
    return (
        2 <= rules.seats <= MOST
        and 1 <= rules.teams <= rules.seats
        and 1 <= rules.packs <= MOST
        and 0 <= rules.jokers <= 4 * MOST
        and 1 <= rules.draw <= MOST
        and rules.hand >= 1
        # Enough is left for the upcard, when all cards that cannot be one lie above it, and for red threes.
        and rules.hand * rules.seats + 12 * rules.packs + rules.jokers < rules.pack_size
        and len(rules.values) == (JOKER >> 2) + 1
        and rules.min_naturals >= 0
        and rules.canastas_to_go_out >= 0
    )


@cache
def _hints() -> dict[str, Any]:
    known = typing.get_type_hints(Rules)
    return {field.name: known[field.name] for field in fields(Rules)}


def _fits(value: object, kind: Any) -> bool:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in arguments)
    if origin is tuple:
        if not isinstance(value, tuple) or len(value) > _LONGEST:
            return False
        kinds = [arguments[0]] * len(value) if arguments[-1] is Ellipsis else arguments
        return len(kinds) == len(value) and all(map(_fits, value, kinds))
    if type(value) is not kind:
        return False
    if isinstance(value, int):
        return -_LARGEST <= value <= _LARGEST
    return not isinstance(value, str) or len(value) <= _LONGEST
