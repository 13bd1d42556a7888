"""Rule profiles: reading `profiles/*.toml`, and making the Rules of a table from one.

A file holds `title`, `source`, a table of knobs (`[rules]`), what each number of seats changes
(`[seats.4]`), and house options (`[options.NAME]`): either a knob with the values it may take, or named
values with the knobs that each sets. With `extends` it starts from another profile's knobs; seats and
options are never inherited, so that every file says what it offers.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from canasta_core.cards import RANK_LETTERS
from canasta_core.rules import (
    KNOBS,
    BlackThrees,
    CardClass,
    Concealed,
    Exhausted,
    LastRedThree,
    Permission,
    Rules,
    TakeWay,
    UnfitUpcard,
)

PROFILES: Final = Path(__file__).with_name("profiles")
"""Where the profile files lie."""

OptionValue = int | bool | str

_ENUMS: Final[dict[str, type[StrEnum]]] = {
    "unfit_upcard": UnfitUpcard,
    "take": TakeWay,
    "black_threes": BlackThrees,
    "permission": Permission,
    "concealed": Concealed,
    "last_red_three": LastRedThree,
    "exhausted": Exhausted,
}
_FLAGS: Final = frozenset(
    [
        "always_frozen",
        "frozen_unopened",
        "runs",
        "ask_before_melds",
        "ask_once_a_round",
        "waive_minimum",
        "red_threes_negative",
        "exact_target",
    ]
)
_LEAST: Final = {
    "teams": 2,
    "packs": 1,
    "hand": 1,
    "draw": 1,
    "min_naturals": 1,
    "canastas_to_go_out": 1,
    "target": 1,
}
"""Smallest value of a number where it is not 0."""


class ProfileError(Exception):
    """A profile file that is wrong: its name, the key, and the reason."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(f"{file}: {key}: {reason}")
        self.file = file
        self.key = key
        self.reason = reason


class RulesError(Exception):
    """Rules that cannot be had: a stable code and its facts.

    Codes: unknown_profile, unknown_seats, unknown_option, bad_value, conflict.
    """

    def __init__(self, code: str, **facts: str) -> None:
        super().__init__(f"{code} {facts}")
        self.code = code
        self.facts = facts


@dataclass(frozen=True, slots=True)
class Option:
    """A house option: the values it may take and the knobs that each sets."""

    name: str
    default: OptionValue
    knobs: Mapping[OptionValue, Mapping[str, Any]]
    """Knobs by value, in the order in which values are offered."""
    only_seats: tuple[int, ...] = ()
    """Seat counts that have this option; empty is all."""
    excludes: tuple[str, ...] = ()
    """Options that may not differ from their default beside this one."""
    seats: Mapping[OptionValue, Mapping[int, Mapping[str, Any]]] = field(default_factory=dict)
    """Seat counts and their knobs that a value brings in place of the profile's."""

    @property
    def values(self) -> tuple[OptionValue, ...]:
        return tuple(self.knobs)

    def value_of(self, value: object) -> OptionValue:
        """`value` as this option's own; texts are read (`true`, `3000`). Raises RulesError: bad_value."""
        for own in self.knobs:
            if (type(own) is type(value) and own == value) or str(own).lower() == str(value).lower():
                return own
        raise RulesError(
            "bad_value", option=self.name, value=str(value)[:40], values=" ".join(map(_write, self.knobs))
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """A rule profile as its file says it, checked."""

    id: str
    title: str
    source: str
    knobs: Mapping[str, Any]
    seats: Mapping[int, Mapping[str, Any]]
    options: Mapping[str, Option]

    @property
    def default_seats(self) -> int:
        return 4 if 4 in self.seats else max(self.seats)

    @property
    def all_seats(self) -> tuple[int, ...]:
        """Every number of seats that the profile can have, with options or without."""
        more = {
            seats for option in self.options.values() for table in option.seats.values() for seats in table
        }
        return tuple(sorted({*self.seats, *more}))

    def rules(self, seats: int | None = None, options: Mapping[str, OptionValue] | None = None) -> Rules:
        """The rules of a table (R2.2). Raises RulesError."""
        given = options or {}
        for name in given:
            if name not in self.options:
                raise RulesError(
                    "unknown_option", option=name[:40], profile=self.id, options=" ".join(self.options)
                )
        chosen = {name: self.options[name].value_of(value) for name, value in given.items()}
        differing = {name: value for name, value in chosen.items() if value != self.options[name].default}
        for name in differing:
            for other in self.options[name].excludes:
                if other in differing:
                    raise RulesError("conflict", option=name, other=other)
        by_seats = self.seats
        for name, value in differing.items():
            by_seats = self.options[name].seats.get(value, by_seats)
        if seats is None:
            seats = 4 if 4 in by_seats else max(by_seats)
        if seats not in by_seats:
            raise RulesError(
                "unknown_seats", profile=self.id, seats=str(seats), values=" ".join(map(str, by_seats))
            )
        for name in chosen:
            only = self.options[name].only_seats
            if only and seats not in only:
                raise RulesError(
                    "unknown_option",
                    option=name,
                    profile=self.id,
                    seats=str(seats),
                    options=" ".join(map(str, only)),
                )
        knobs = {**self.knobs, **by_seats[seats]}
        for name, value in differing.items():
            knobs |= self.options[name].knobs[value]
        rules = Rules(profile=self.id, options=tuple(sorted(differing.items())), seats=seats, **knobs)
        reason = _impossible(rules)
        if reason:
            raise ProfileError(f"{self.id}.toml", f"seats.{seats}", reason)
        return rules


def _write(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _impossible(rules: Rules) -> str | None:
    if rules.teams > rules.seats:
        return f"{rules.teams} teams need more than {rules.seats} seats"
    if rules.seats * rules.hand + rules.seats + rules.packs * 2 >= rules.pack_size:
        return f"{rules.seats} hands of {rules.hand} leave no stock of {rules.pack_size} cards"
    return None


@cache
def _read_all(folder: Path) -> Mapping[str, Profile]:
    documents = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            documents[path.stem] = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ProfileError(path.name, "file", str(error)) from None
    return {name: _read_profile(name, documents) for name in documents}


def _read_profile(name: str, documents: Mapping[str, dict[str, Any]]) -> Profile:
    file, document = f"{name}.toml", documents[name]
    _known(file, document, ("title", "source", "extends", "seats", "rules", "options"), "")
    for key in ("title", "source"):
        if not isinstance(document.get(key), str) or not document[key]:
            raise ProfileError(file, key, "needs a text")
    knobs = _inherited(name, documents)
    seats = _read_seats(file, document.get("seats"), "seats")
    options = {
        key: _read_option(file, key, table, knobs, seats)
        for key, table in _table(file, document.get("options", {}), "options").items()
    }
    for option in options.values():
        for other in option.excludes:
            if other not in options:
                raise ProfileError(file, f"options.{option.name}.excludes", f"no option {other}")
    return Profile(name, document["title"], document["source"], knobs, seats, options)


def _inherited(name: str, documents: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The knobs of a profile over those of what it extends."""
    chain = [name]
    while (parent := documents[chain[-1]].get("extends")) is not None:
        file = f"{chain[-1]}.toml"
        if parent not in documents:
            raise ProfileError(file, "extends", f"no profile {parent!r}")
        if parent in chain:
            raise ProfileError(file, "extends", f"a cycle: {' -> '.join([*chain, parent])}")
        chain.append(parent)
    knobs: dict[str, Any] = {}
    for one in reversed(chain):
        table = _table(f"{one}.toml", documents[one].get("rules", {}), "rules")
        knobs |= {knob: _read_knob(f"{one}.toml", "rules", knob, value) for knob, value in table.items()}
        missing = [knob for knob in KNOBS if knob not in knobs and knob not in ("seats", "teams")]
        if missing:
            raise ProfileError(f"{one}.toml", f"rules.{missing[0]}", "is missing, and no profile is extended")
    return knobs


def _read_seats(file: str, value: object, key: str) -> dict[int, dict[str, Any]]:
    seats = {}
    for count, table in _table(file, value, key).items():
        if not count.isdigit() or not 2 <= int(count) <= 6:
            raise ProfileError(file, f"{key}.{count}", "seats are 2 to 6")
        inner = _table(file, table, f"{key}.{count}")
        seats[int(count)] = {
            knob: _read_knob(file, f"{key}.{count}", knob, setting) for knob, setting in inner.items()
        }
        if "teams" not in seats[int(count)]:
            raise ProfileError(file, f"{key}.{count}.teams", "is missing")
    if not seats:
        raise ProfileError(file, key, "needs at least one number of seats")
    return seats


def _read_option(
    file: str, name: str, value: object, knobs: Mapping[str, Any], seats: Mapping[int, Mapping[str, Any]]
) -> Option:
    key = f"options.{name}"
    table = _table(file, value, key)
    _known(
        file, table, ("default", "seats", "excludes", "knob", "values", "from", "to", "step", "value"), key
    )
    only = tuple(table.get("seats", ()))
    if not all(type(count) is int for count in only):
        raise ProfileError(file, f"{key}.seats", "needs a list of numbers of seats")
    excludes = tuple(table.get("excludes", ()))
    if "knob" in table:
        knob = table["knob"]
        if "from" in table:
            values = list(range(table["from"], table["to"] + 1, table["step"]))
        else:
            values = table.get("values", [])
        by_value: dict[OptionValue, dict[str, Any]] = {
            one: {knob: _read_knob(file, key, knob, one)} for one in values
        }
        of_seats = [by[knob] for count, by in seats.items() if count in only and knob in by]
        default = table.get(
            "default", of_seats[0] if of_seats else knobs.get(knob, values[0] if values else None)
        )
        return Option(name, _default(file, key, default, by_value), by_value, only, excludes)
    by_name: dict[OptionValue, dict[str, Any]] = {}
    seats_by_value: dict[OptionValue, dict[int, dict[str, Any]]] = {}
    for text, inner in _table(file, table.get("value"), f"{key}.value").items():
        one: OptionValue = {"true": True, "false": False}.get(text, text)
        settings = dict(_table(file, inner, f"{key}.value.{text}"))
        if "seats" in settings:
            seats_by_value[one] = _read_seats(file, settings.pop("seats"), f"{key}.value.{text}.seats")
        by_name[one] = {
            knob: _read_knob(file, f"{key}.value.{text}", knob, setting) for knob, setting in settings.items()
        }
    default = _default(file, key, table.get("default"), by_name)
    return Option(name, default, by_name, only, excludes, seats_by_value)


def _default(file: str, key: str, value: object, values: Mapping[OptionValue, object]) -> OptionValue:
    for own in values:
        if type(own) is type(value) and own == value:
            return own
    raise ProfileError(file, f"{key}.default", f"{value!r} is none of its values")


def _table(file: str, value: object, key: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProfileError(file, key, "needs a table")
    return value


def _known(file: str, table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in keys:
            raise ProfileError(file, f"{where}.{key}".lstrip("."), f"unknown key; known are {' '.join(keys)}")


def _read_knob(file: str, where: str, knob: str, value: object) -> object:
    """A knob's value as Rules holds it. Raises ProfileError for an unknown knob or a wrong value."""
    key = f"{where}.{knob}"
    if knob not in KNOBS or knob == "seats":
        raise ProfileError(file, key, "unknown key")
    if knob in _ENUMS:
        return _member(file, key, _ENUMS[knob], value)
    if knob in _FLAGS:
        if type(value) is not bool:
            raise ProfileError(file, key, "needs true or false")
        return value
    if knob in ("unfit", "freezing"):
        if not isinstance(value, list):
            raise ProfileError(file, key, "needs a list")
        return tuple(_member(file, key, CardClass, one) for one in value)
    if knob == "values":
        return _read_values(file, key, value)
    if knob == "opening_below":
        return _read_opening(file, key, value)
    if knob == "max_wilds" and value == "none":
        return None
    if type(value) is not int:
        raise ProfileError(file, key, "needs a whole number")
    if value < _LEAST.get(knob, 0):
        raise ProfileError(file, key, f"needs at least {_LEAST.get(knob, 0)}")
    return value


def _member(file: str, key: str, enum: type[StrEnum], value: object) -> StrEnum:
    try:
        return enum(str(value))
    except ValueError:
        raise ProfileError(file, key, f"{value!r} is none of {' '.join(enum)}") from None


def _read_values(file: str, key: str, value: object) -> tuple[int, ...]:
    ranks = {letter: rank for rank, letter in enumerate(RANK_LETTERS) if letter != "."} | {"JK": 15}
    if not isinstance(value, Mapping) or set(value) != set(ranks):
        raise ProfileError(file, key, f"needs points for exactly {' '.join(ranks)}")
    table = [0] * 16
    for name, points in value.items():
        if type(points) is not int or points < 0 or points % 5:
            raise ProfileError(file, f"{key}.{name}", "needs points in steps of five")
        table[ranks[name]] = points
    return tuple(table)


def _read_opening(file: str, key: str, value: object) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, list):
        raise ProfileError(file, key, "needs a list of pairs")
    pairs = []
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2 or not all(type(one) is int for one in pair):
            raise ProfileError(file, key, "needs pairs of a score and a minimum")
        pairs.append((pair[0], pair[1]))
    if [score for score, _ in pairs] != sorted({score for score, _ in pairs}):
        raise ProfileError(file, key, "scores must rise")
    return tuple(pairs)


def profile_ids(folder: Path = PROFILES) -> tuple[str, ...]:
    """Ids of all profiles, classic first."""
    return tuple(sorted(_read_all(folder), key=lambda name: (name != "classic", name)))


def profile(name: str, folder: Path = PROFILES) -> Profile:
    """Raises RulesError: unknown_profile; ProfileError when a file is wrong."""
    try:
        return _read_all(folder)[name]
    except KeyError:
        raise RulesError("unknown_profile", profile=name[:40], values=" ".join(profile_ids(folder))) from None


def profile_title(rules: Rules) -> str:
    """What people call the rules of a table; their profile's id where its file is gone since."""
    known = _read_all(PROFILES).get(rules.profile)
    return known.title if known else rules.profile


def load_rules(
    name: str,
    seats: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    folder: Path = PROFILES,
) -> Rules:
    """The rules of a table of this profile (R2.2). Raises RulesError."""
    return profile(name, folder).rules(seats, options)
