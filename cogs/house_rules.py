"""The rules that `/canasta new` is asked for: reading them, and offering what the chosen profile has.

What is offered goes with what was chosen before: the same rules judge it that will make the table. Where no
profile is chosen it is the server's, which is passed as `default`.
"""

from collections.abc import Iterator
from typing import Final

from discord import app_commands

from canasta_core.profiles import OptionValue, Profile, RulesError, load_rules, profile
from canasta_core.rules import Rules
from cogs.autocomplete import LONGEST, MOST, Choice, choices
from cogs.desk import DeskError, Interaction, locale_of
from cogs.ui.layout import cut, name_text
from cogs.ui.rules_differences import differences
from cogs.ui.text import text

Options = dict[str, OptionValue]
Number = app_commands.Choice[int]

DEFAULT_PROFILE: Final = "classic"
_OWN: Final = ("target", "teams")
"""House options that have an option of the command to themselves."""


def rules_options(name: str, seats: int | None, typed: str, teams: int | None, target: int | None) -> Options:
    """The house options of a new table. What is the profile's own anyway is none.

    Raises DeskError, RulesError.
    """
    chosen = read_options(typed)
    for option, value in (("teams", teams), ("target", target)):
        if value is not None and value != getattr(load_rules(name, seats, chosen), option):
            chosen[option] = value
    return chosen


def read_options(typed: str) -> Options:
    """House rules written as `name=value, name=value`; a name alone is true. Raises DeskError."""
    found: Options = {}
    for part in typed.replace(";", ",").split(","):
        name, equals, value = (piece.strip().lower() for piece in part.partition("="))
        if not name and not equals:
            continue
        if not name or (equals and not value):
            raise DeskError("bad_options", text=name_text(part, 40))
        found[name] = value if equals else True
    return found


async def house_rules(interaction: Interaction, typed: str, default: str = DEFAULT_PROFILE) -> list[Choice]:
    """The option `options:` of `/canasta new`: `name=value` for what the chosen profile has."""
    *before, last = typed.split(",")
    head = ", ".join(part.strip() for part in before if part.strip())
    try:
        one, chosen = _profile_of(interaction, default), read_options(head)
        base = _with(one, interaction, chosen) or one.rules()
    except (RulesError, DeskError):
        return []
    locale, wanted = locale_of(interaction), last.strip().lower()
    found = []
    for name, value in _values(one):
        written = f"{name}={str(value).lower()}"
        rules = _with(one, interaction, {**chosen, name: value})
        if name in (*_OWN, *chosen) or rules is None or wanted not in written:
            continue
        whole = f"{head}, {written}" if head else written
        found.append((f"{whole} · {_meaning(locale, base, rules)}", whole))
    return choices(found, "")


def _meaning(locale: str, base: Rules, rules: Rules) -> str:
    """What an option changes, in its first sentence."""
    changed = differences(locale, base, rules)
    return " ".join([*changed[0].new, *changed[0].gone][:1]) if changed else ""


async def seat_counts(
    interaction: Interaction, typed: int | str, default: str = DEFAULT_PROFILE
) -> list[Number]:
    """The option `seats:`: those that the profile and the house rules go with."""
    try:
        one = _profile_of(interaction, default)
        chosen = read_options(interaction.namespace.options or "")
    except (RulesError, DeskError):
        return []
    locale = locale_of(interaction)
    fitting = {seats: rules for seats in one.all_seats if (rules := _rules(one, seats, chosen))}
    return _numbers(
        [
            (text(locale, "choose-seats", seats=seats, teams=rules.teams), seats)
            for seats, rules in fitting.items()
        ],
        typed,
    )


async def team_counts(
    interaction: Interaction, typed: int | str, default: str = DEFAULT_PROFILE
) -> list[Number]:
    """The option `teams:`, where there is a choice."""
    return _own_option(interaction, "teams", typed, default)


async def targets(interaction: Interaction, typed: int | str, default: str = DEFAULT_PROFILE) -> list[Number]:
    """The option `target:`, where there is a choice."""
    return _own_option(interaction, "target", typed, default)


def _own_option(interaction: Interaction, name: str, typed: int | str, default: str) -> list[Number]:
    try:
        one = _profile_of(interaction, default)
        chosen = read_options(interaction.namespace.options or "")
    except (RulesError, DeskError):
        return []
    option = one.options.get(name)
    values = option.values if option is not None else ()
    fitting = [value for value in values if _with(one, interaction, {**chosen, name: value})]
    locale = locale_of(interaction)
    return _numbers(
        [(text(locale, f"choose-{name}", count=int(value)), int(value)) for value in fitting], typed
    )


def _numbers(found: list[tuple[str, int]], typed: int | str) -> list[Number]:
    fitting = [one for one in found if str(one[1]).startswith(str(typed).strip())]
    return [Number(name=cut(name, LONGEST), value=value) for name, value in fitting[:MOST]]


def _profile_of(interaction: Interaction, default: str) -> Profile:
    return profile(interaction.namespace.profile or default)


def _values(one: Profile) -> Iterator[tuple[str, OptionValue]]:
    for option in one.options.values():
        for value in option.values:
            if value != option.default:
                yield option.name, value


def _with(one: Profile, interaction: Interaction, chosen: Options) -> Rules | None:
    """The rules that these options make with the seats that were chosen; None for no rules."""
    return _rules(one, interaction.namespace.seats, chosen)


def _rules(one: Profile, seats: int | None, chosen: Options) -> Rules | None:
    try:
        return one.rules(seats if isinstance(seats, int) else None, chosen)
    except RulesError:
        return None
