"""Facts about Discord that its published description does not say, as checks of request bodies (DISCORD.md
§3).

Each check is a generator of problems: a code (stable; tests and `RequestChecker.take` name it), the JSON
path, and a sentence. None of them knows the simulation; `requests.py` decides which body gets which check.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

COMPONENTS_V2 = 1 << 15
EPHEMERAL = 1 << 6

ROW, BUTTON, STRING_SELECT, TEXT_INPUT = 1, 2, 3, 4
SELECTS = {3, 5, 6, 7, 8}
SECTION, TEXT_DISPLAY, THUMBNAIL, GALLERY = 9, 10, 11, 12
INPUTS = {TEXT_INPUT, *SELECTS, 19, 21, 22, 23}
LINK, PREMIUM = 5, 6
SUBCOMMAND, GROUP = 1, 2


class Problem(NamedTuple):
    """One thing wrong with a body."""

    code: str
    where: str
    text: str


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 0


def _too_long(code: str, where: str, value: Any, most: int, least: int = 0) -> Iterator[Problem]:
    if not least <= _length(value) <= most:
        yield Problem(code, where, f"{_length(value)} characters, allowed are {least} to {most}")


def _repeated(values: Iterable[Any]) -> list[Any]:
    return [value for value, times in Counter(values).items() if times > 1]


# commands


def commands(body: Any) -> Iterator[Problem]:
    """A bulk overwrite of commands, or the creation or change of one."""
    several = body if isinstance(body, list) else [body]
    if len([one for one in several if one.get("type", 1) == 1]) > 100:
        yield Problem("too-many-commands", "", f"{len(several)} commands, allowed are 100")
    for name in _repeated((one.get("name"), one.get("type", 1)) for one in several):
        yield Problem("duplicate-command", "", f"two commands are called {name[0]!r}")
    for number, command in enumerate(several):
        where = f"/{number}" if isinstance(body, list) else ""
        yield from _command(where, command)
        if (size := command_size(command)) > 8000:
            yield Problem(
                "command-size", where, f"{size} characters of names, descriptions and values, of 8000"
            )


def command_size(command: Mapping[str, Any]) -> int:
    """The characters Discord counts: names, descriptions and choice values of a command and all below it.

    Of the localised texts the longest counts.
    """

    def text(key: str) -> int:
        localised = (command.get(f"{key}_localizations") or {}).values()
        return max([_length(command.get(key)), *map(_length, localised)])

    choices = sum(
        len(str(choice.get("name", ""))) + len(str(choice.get("value", "")))
        for choice in command.get("choices") or []
    )
    return text("name") + text("description") + choices + sum(map(command_size, command.get("options") or []))


def _command(where: str, command: Mapping[str, Any]) -> Iterator[Problem]:
    if command.get("type", 1) != 1:  # the name of a context menu may hold spaces and capitals
        yield from _too_long("name", f"{where}/name", command.get("name"), 32, 1)
        return
    yield from _named(where, command)
    yield from _options(where, command.get("options") or [])


def is_name(name: str) -> bool:
    """Discord's rule: ^[-_'\\p{L}\\p{N}\\p{sc=Deva}\\p{sc=Thai}]{1,32}$, lower case where there is one."""

    def fits(character: str) -> bool:
        if character in "-_'" or unicodedata.category(character)[0] in "LN":
            return True
        return unicodedata.name(character, "").startswith(("DEVANAGARI ", "THAI CHARACTER "))

    return 1 <= len(name) <= 32 and name == name.lower() and all(map(fits, name))


def _named(where: str, thing: Mapping[str, Any]) -> Iterator[Problem]:
    names = {
        "/name": thing.get("name", ""),
        **{
            f"/name_localizations/{locale}": name
            for locale, name in (thing.get("name_localizations") or {}).items()
        },
    }
    for place, name in names.items():
        if not is_name(name):
            yield Problem(
                "name", where + place, f"{name!r} is not a lower-case name of 1 to 32 letters, digits, - _ '"
            )
    texts = {
        "/description": thing.get("description"),
        **{
            f"/description_localizations/{locale}": text
            for locale, text in (thing.get("description_localizations") or {}).items()
        },
    }
    for place, text in texts.items():
        yield from _too_long("description", where + place, text, 100, 1)


def _options(where: str, options: list[Any]) -> Iterator[Problem]:
    nested = [option for option in options if option.get("type") in (SUBCOMMAND, GROUP)]
    if nested and len(nested) != len(options):
        yield Problem("mixed-options", where, "subcommands and plain options side by side")
    if len(options) > 25:
        yield Problem(
            "too-many-options", where, f"{len(options)} {'subcommands' if nested else 'options'} of 25"
        )
    for name in _repeated(option.get("name") for option in options):
        yield Problem("duplicate-option", where, f"two options are called {name!r}")
    optional = False
    for number, option in enumerate(options):
        place = f"{where}/options/{number}"
        yield from _named(place, option)
        if option in nested:
            yield from _options(place, option.get("options") or [])
            continue
        if option.get("required") and optional:
            yield Problem(
                "required-after-optional", place, f"{option.get('name')!r} follows an optional option"
            )
        optional = optional or not option.get("required")
        yield from choices(place, option.get("choices") or [])
        if option.get("choices") and option.get("autocomplete"):
            yield Problem(
                "choices-and-autocomplete", place, "an option has choices or autocomplete, not both"
            )


def choices(where: str, offered: list[Any]) -> Iterator[Problem]:
    """The choices of an option, or those an autocomplete answers with."""
    if len(offered) > 25:
        yield Problem("too-many-choices", where, f"{len(offered)} choices of 25")
    for name in _repeated(choice.get("name") for choice in offered):
        yield Problem("duplicate-choice", where, f"two choices are called {name!r}")
    for number, choice in enumerate(offered):
        place = f"{where}/choices/{number}"
        yield from _too_long("choice-name", f"{place}/name", choice.get("name"), 100, 1)
        yield from _too_long("choice-value", f"{place}/value", str(choice.get("value", "")), 100)


# messages


def walk(components: Any, where: str = "/components") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every component of a layout with its JSON path, nested ones and accessories included."""
    for number, component in enumerate(components or []):
        yield from _walk_one(component, f"{where}/{number}")


def _walk_one(component: dict[str, Any], place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    yield place, component
    yield from walk(component.get("components"), f"{place}/components")
    for key in ("accessory", "component"):
        if isinstance(component.get(key), dict):
            yield from _walk_one(component[key], f"{place}/{key}")


def message(body: Mapping[str, Any], *, was_v2: bool = False) -> Iterator[Problem]:
    """A message to be sent or edited. `was_v2`: the one edited has the components v2 flag, which stays."""
    yield from _too_long("content", "/content", body.get("content"), 2000)
    layout = list(walk(body.get("components")))
    v2 = was_v2 or bool((body.get("flags") or 0) & COMPONENTS_V2)
    if v2:
        for key in ("content", "embeds", "poll", "stickers", "sticker_ids"):
            if body.get(key):
                yield Problem("v2-content", f"/{key}", f"a message of components v2 has no {key}")
        if len(layout) > 40:
            yield Problem(
                "too-many-components", "/components", f"{len(layout)} components of 40, nested ones counted"
            )
        size = sum(_length(one.get("content")) for _, one in layout if one.get("type") == TEXT_DISPLAY)
        if size > 4000:
            yield Problem("v2-text", "/components", f"{size} characters in all text displays, of 4000")
    else:
        if len(body.get("components") or []) > 5:
            yield Problem("too-many-rows", "/components", f"{len(body['components'])} action rows of 5")
        for where, one in layout:
            if one.get("type") not in {ROW, BUTTON, *SELECTS}:
                yield Problem("v2-flag", where, "a component of v2 in a message without the flag")
    yield from components(layout)
    yield from _embeds(body.get("embeds") or [])
    for number, attachment in enumerate(body.get("attachments") or []):
        yield from _too_long(
            "alt-text", f"/attachments/{number}/description", attachment.get("description"), 1024
        )


def components(layout: list[tuple[str, dict[str, Any]]]) -> Iterator[Problem]:
    """Every component of a message or a modal."""
    for custom_id in _repeated(one["custom_id"] for _, one in layout if one.get("custom_id")):
        yield Problem(
            "duplicate-custom-id", "/components", f"two components have the custom id {custom_id!r}"
        )
    for where, one in layout:
        kind = one.get("type")
        if one.get("custom_id") is not None:
            yield from _too_long("custom-id", f"{where}/custom_id", one["custom_id"], 100, 1)
        if kind == BUTTON:
            yield from _button(where, one)
        elif kind in SELECTS:
            yield from _select(where, one)
        elif kind == ROW:
            yield from _row(where, one.get("components") or [])
        elif kind == THUMBNAIL:
            yield from _too_long("alt-text", f"{where}/description", one.get("description"), 1024)
        elif kind == GALLERY:
            for number, item in enumerate(one.get("items") or []):
                place = f"{where}/items/{number}/description"
                yield from _too_long("alt-text", place, item.get("description"), 1024)
        elif kind == TEXT_DISPLAY:
            yield from _too_long("text-display", f"{where}/content", one.get("content"), 4000, 1)
        elif kind == SECTION and not one.get("accessory"):
            yield Problem("section-accessory", where, "a section needs an accessory")


def _row(where: str, inside: list[dict[str, Any]]) -> Iterator[Problem]:
    buttons = sum(one.get("type") == BUTTON for one in inside)
    others = len(inside) - buttons
    if not inside:
        yield Problem("action-row", where, "an empty action row")
    elif buttons > 5 or others > 1 or (buttons and others):
        yield Problem(
            "action-row", where, f"{buttons} buttons and {others} others; a row holds 5 buttons or 1 select"
        )


def _button(where: str, button: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _too_long("label", f"{where}/label", button.get("label"), 80)
    style = button.get("style")
    if style != PREMIUM and not button.get("label") and not button.get("emoji"):
        yield Problem("button-face", where, "a button needs a label or an emoji")
    needed = {LINK: "url", PREMIUM: "sku_id"}.get(style, "custom_id")
    if not button.get(needed):
        yield Problem("button-target", where, f"a button of style {style} needs a {needed}")
    if needed == "url" and button.get("custom_id"):
        yield Problem("button-target", where, "a link button has no custom_id")


def _select(where: str, select: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _too_long("placeholder", f"{where}/placeholder", select.get("placeholder"), 150)
    least = 1 if select.get("min_values") is None else select["min_values"]
    most = 1 if select.get("max_values") is None else select["max_values"]
    if least > most or most < 1 or most > 25:
        yield Problem("select-values", where, f"min_values {least}, max_values {most}")
    if select.get("type") != STRING_SELECT:
        return
    options = select.get("options") or []
    if not 1 <= len(options) <= 25:
        yield Problem("select-options", where, f"{len(options)} options, allowed are 1 to 25")
    elif most > len(options):
        yield Problem("select-values", where, f"max_values {most} of {len(options)} options")
    if (chosen := sum(bool(option.get("default")) for option in options)) > most:
        yield Problem("select-defaults", where, f"{chosen} default options, max_values {most}")
    for value in _repeated(option.get("value") for option in options):
        yield Problem("duplicate-option-value", where, f"two options have the value {value!r}")
    for number, option in enumerate(options):
        place = f"{where}/options/{number}"
        yield from _too_long("option-label", f"{place}/label", option.get("label"), 100, 1)
        yield from _too_long("option-value", f"{place}/value", option.get("value"), 100, 1)
        yield from _too_long("option-description", f"{place}/description", option.get("description"), 100)


def _embeds(embeds: list[dict[str, Any]]) -> Iterator[Problem]:
    size = 0
    for number, embed in enumerate(embeds):
        where = f"/embeds/{number}"
        size += _length(embed.get("title")) + _length(embed.get("description"))
        size += _length((embed.get("footer") or {}).get("text")) + _length(
            (embed.get("author") or {}).get("name")
        )
        if len(embed.get("fields") or []) > 25:
            yield Problem("embed-fields", where, f"{len(embed['fields'])} fields of 25")
        for index, field in enumerate(embed.get("fields") or []):
            size += _length(field.get("name")) + _length(field.get("value"))
            for key, most in (("name", 256), ("value", 1024)):
                if not str(field.get(key, "")).strip() or _length(field.get(key)) > most:
                    place = f"{where}/fields/{index}/{key}"
                    yield Problem("embed-field", place, f"a field's {key} has 1 to {most} characters")
    if size > 6000:
        yield Problem("embed-size", "/embeds", f"{size} characters in all embeds, of 6000")


# modals, mentions


def modal(body: Mapping[str, Any]) -> Iterator[Problem]:
    """A modal shown in answer to an interaction."""
    yield from _too_long("modal-title", "/title", body.get("title"), 45, 1)
    yield from _too_long("custom-id", "/custom_id", body.get("custom_id"), 100, 1)
    layout = list(walk(body.get("components")))
    inputs = [one for _, one in layout if one.get("type") in INPUTS]
    if not 1 <= len(inputs) <= 5 or len(body.get("components") or []) > 5:
        yield Problem("modal-inputs", "/components", f"{len(inputs)} inputs, allowed are 1 to 5")
    yield from components(layout)


def mentions(body: Mapping[str, Any], named: frozenset[int] | None = None) -> Iterator[Problem]:
    """Nobody is pinged unless named: allowed_mentions is set, parses nothing, lists only users of the text.

    `named`: the only users whom this message may ping, where the caller knows them.
    """
    allowed = body.get("allowed_mentions")
    if not isinstance(allowed, dict):
        yield Problem(
            "mentions-unset", "/allowed_mentions", "allowed_mentions is not set, so everybody can be pinged"
        )
        return
    if allowed.get("parse"):
        yield Problem("mentions-parsed", "/allowed_mentions/parse", f"pings all of {allowed['parse']}")
    elif "parse" not in allowed and "users" not in allowed and "roles" not in allowed:
        yield Problem("mentions-unset", "/allowed_mentions", "neither parse nor users nor roles is given")
    if allowed.get("roles"):
        yield Problem("mentions-roles", "/allowed_mentions/roles", "a role is pinged")
    if allowed.get("replied_user"):
        yield Problem("mentions-replied", "/allowed_mentions/replied_user", "the author replied to is pinged")
    text = " ".join([_text(body), *(_text(one) for _, one in walk(body.get("components")))])
    for user in map(int, allowed.get("users") or []):
        if f"<@{user}>" not in text and f"<@!{user}>" not in text:
            yield Problem(
                "mentions-unnamed", "/allowed_mentions/users", f"{user} may be pinged but is not named"
            )
        if named is not None and user not in named:
            yield Problem(
                "mentions-others", "/allowed_mentions/users", f"{user} is not to be pinged by this message"
            )


def _text(part: Mapping[str, Any]) -> str:
    return part["content"] if isinstance(part.get("content"), str) else ""
