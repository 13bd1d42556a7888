"""States, actions, events and rules as JSON text and back.

Every value is coded by its type, so that a new field of a state or an event needs no code here; what a
hand and a team keep for speed is found anew. Cards are written in the notation of R1. The version stands
in every text; a later format reads the older ones.
"""

import hashlib
import json
import types
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, Final

from canasta_core import actions, events
from canasta_core.actions import Action
from canasta_core.cards import Card, Rank, name_of, read_card, read_cards, write_cards
from canasta_core.events import Event
from canasta_core.rules import Rules
from canasta_core.state import GameState, Hand, Meld, Outline, Team

VERSION: Final = 1

_ACTIONS: Final = {one.kind: one for one in typing.get_args(actions.Action)}
_EVENTS: Final = {one.kind: one for one in typing.get_args(events.Event)}

_RULES_KEPT: Final = 256
"""Different rules that are kept ready: a server has a handful."""
_RULES_READ: Final[dict[str, Rules]] = {}
"""By what was read."""

_Coder = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""To what JSON can hold, and back."""


class WrongFormat(ValueError):
    """A text that is not this format, or of a later version."""


def encode_state(state: GameState) -> str:
    return _write(_coder(GameState)[0](state))


def decode_state(text: str) -> GameState:
    """Raises WrongFormat."""
    state: GameState = _read(text, _coder(GameState)[1])
    return state


def decode_outline(text: str) -> Outline:
    """How far the game of an encoded state is, without decoding its cards. Raises WrongFormat."""
    outline: Outline = _read(text, _outline)
    return outline


def _outline(data: dict[str, Any]) -> Outline:
    public = data["public"]
    given = {field.name: public[field.name] for field in fields(Outline)}
    return _coder(Outline)[1](given)  # type: ignore[no-any-return]  # a coder says nothing of types


def encode_rules(rules: Rules) -> str:
    return _write(_coder(Rules)[0](rules))


def decode_rules(text: str) -> Rules:
    """Raises WrongFormat."""
    rules: Rules = _read(text, _coder(Rules)[1])
    return rules


def encode_action(action: Action) -> str:
    return _write(_with_kind(action))


def decode_action(text: str) -> Action:
    """Raises WrongFormat."""
    action: Action = _read(text, lambda data: _of_kind(_ACTIONS, data))
    return action


def encode_event(event: Event) -> str:
    return _write(_with_kind(event))


def decode_event(text: str) -> Event:
    """Raises WrongFormat."""
    event: Event = _read(text, lambda data: _of_kind(_EVENTS, data))
    return event


def state_hash(state: GameState) -> str:
    """A fingerprint (sha256, hex) of everything in a state."""
    return hashlib.sha256(encode_state(state).encode()).hexdigest()


def _write(data: dict[str, Any]) -> str:
    return json.dumps({"v": VERSION, **data}, separators=(",", ":"))


def _read(text: str, decode: Callable[[Any], Any]) -> Any:
    try:
        data = json.loads(text)
        version = data.pop("v")
        if version == VERSION:
            return decode(data)
    except WrongFormat:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WrongFormat(f"{type(error).__name__}: {error}") from error
    raise WrongFormat(f"version {version}, this program reads {VERSION}")


def _with_kind(value: Action | Event) -> dict[str, Any]:
    kind: Any = type(value)
    return {"kind": value.kind, **_coder(kind)[0](value)}


def _of_kind(kinds: dict[str, Any], data: dict[str, Any]) -> Any:
    return _coder(kinds[data.pop("kind")])[1](data)


@cache
def _coder(kind: Any) -> _Coder:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Card:
        return name_of, read_card
    if kind is Hand:
        return lambda hand: write_cards(hand.cards), lambda text: Hand.of(read_cards(text))
    if kind is Team:
        return _encode_team, _decode_team
    if kind is Rules:
        return _encode_rules, _decode_rules
    if kind in (list[Card], tuple[Card, ...]):
        return write_cards, lambda text: origin(read_cards(text))
    if kind in (int, str, bool, Rank):
        return _same, _same
    if isinstance(kind, type) and issubclass(kind, Enum):
        return lambda value: value.value, kind
    if is_dataclass(kind):
        return _dataclass_coder(kind)
    if origin in (typing.Union, types.UnionType):
        return _union_coder(arguments)
    if origin in (list, tuple):
        return _sequence_coder(origin, arguments)
    raise TypeError(f"no coder for {kind}")


def _encode_team(team: Team) -> dict[str, Any]:
    return {
        "melds": _coder(list[Meld])[0](team.melds),
        "red_threes": write_cards(team.red_threes),
    }


def _decode_team(data: dict[str, Any]) -> Team:
    team = Team.empty()
    for meld in _coder(list[Meld])[1](data["melds"]):
        team.put(meld)
    team.red_threes = read_cards(data["red_threes"])
    return team


def _same(value: Any) -> Any:
    return value


def _dataclass_coder(kind: Any) -> _Coder:
    hints = typing.get_type_hints(kind)
    names = tuple(field.name for field in fields(kind))
    known = frozenset(names)
    # Most values are what JSON holds as they are: only the others are gone through one by one.
    coders = [(name, *coder) for name in names if (coder := _coder(hints[name])) != (_same, _same)]
    values = attrgetter(*names) if len(names) > 1 else None

    def encode(value: Any) -> dict[str, Any]:
        if values is None:
            data = {name: getattr(value, name) for name in names}
        else:
            data = dict(zip(names, values(value), strict=True))
        for name, to, _ in coders:
            data[name] = to(data[name])
        return data

    def decode(data: dict[str, Any]) -> Any:
        if data.keys() != known:
            raise WrongFormat(f"{kind.__name__} has other fields: {sorted(data)}")
        given = dict(data)
        for name, _, back in coders:
            given[name] = back(given[name])
        return kind(**given)

    return encode, decode


def _encode_rules(rules: Rules) -> dict[str, Any]:
    """Every state holds the rules of its table: the data is made once, and nobody changes it."""
    return _rules_data(rules)


@lru_cache(maxsize=_RULES_KEPT)
def _rules_data(rules: Rules) -> dict[str, Any]:
    data: dict[str, Any] = _dataclass_coder(Rules)[0](rules)
    return data


def _decode_rules(data: dict[str, Any]) -> Rules:
    """Rules are frozen, so tables may share them."""
    key = repr(data)
    found = _RULES_READ.get(key)
    if found is None:
        found = _dataclass_coder(Rules)[1](data)
        if len(_RULES_READ) >= _RULES_KEPT:
            _RULES_READ.clear()
        _RULES_READ[key] = found
    return found


def _union_coder(arguments: tuple[Any, ...]) -> _Coder:
    others = [one for one in arguments if one is not type(None)]
    if all(one in (int, str, bool) for one in others):
        return _same, _same
    (other,) = others
    to, back = _coder(other)
    return (
        lambda value: None if value is None else to(value),
        lambda data: None if data is None else back(data),
    )


def _sequence_coder(origin: Any, arguments: tuple[Any, ...]) -> _Coder:
    if origin is tuple and arguments[-1:] != (Ellipsis,):
        each = [_coder(one) for one in arguments]
        return (
            lambda value: [to(one) for (to, _), one in zip(each, value, strict=True)],
            lambda data: tuple(back(one) for (_, back), one in zip(each, data, strict=True)),
        )
    to, back = _coder(arguments[0])
    return lambda value: [to(one) for one in value], lambda data: origin(back(one) for one in data)
