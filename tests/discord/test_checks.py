"""Each hand-written check with a body that breaks it and the nearest one that does not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from . import checks
from .checks import Problem, is_name

V2 = checks.COMPONENTS_V2
Json = dict[str, Any]


def command(**details: Any) -> Json:
    return {"name": "canasta", "description": "Cards", "type": 1, **details}


def option(name: str = "seats", **details: Any) -> Json:
    return {"name": name, "description": "How many", "type": 3, **details}


def subcommand(name: str, *options: Json) -> Json:
    return {"name": name, "description": "Do it", "type": 1, "options": list(options)}


def choice(name: Any = "four", value: Any = 4) -> Json:
    return {"name": name, "value": value}


def options(*several: Json) -> Json:
    return command(options=list(several))


def button(custom_id: str = "a", **details: Any) -> Json:
    return {"type": 2, "style": 1, "label": "Go", "custom_id": custom_id, **details}


def row(*inside: Json) -> Json:
    return {"type": 1, "components": list(inside)}


def select(*labels: str, custom_id: str = "s", **details: Any) -> Json:
    lines = [{"label": label, "value": label} for label in labels or ("a", "b")]
    return {"type": 3, "custom_id": custom_id, "options": lines, **details}


def with_option(**details: Any) -> Json:
    return rows(
        row({**select(), "options": [{"label": "a", "value": "a", **details}, {"label": "b", "value": "b"}]})
    )


def text(size: int) -> Json:
    return {"type": 10, "content": "x" * size}


def rows(*several: Json, **details: Any) -> Json:
    return {"components": list(several), **details}


def layout(*several: Json, **details: Any) -> Json:
    return {"components": list(several), "flags": V2, **details}


def embed(**details: Any) -> Json:
    return {"embeds": [{"title": "Score", **details}]}


def field(name: str = "n", value: str = "v") -> Json:
    return embed(fields=[{"name": name, "value": value}])


def modal(*inputs: Json, **details: Any) -> Json:
    return {"title": "Ask", "custom_id": "m", "components": list(inputs), **details}


def typed(custom_id: str = "t") -> Json:
    return row({"type": 4, "custom_id": custom_id, "label": "Answer", "style": 1})


def pings(content: str = "your turn, <@5>", **allowed: Any) -> Json:
    return {"content": content, "allowed_mentions": allowed}


def choices_of(body: list[Any]) -> Iterable[Problem]:
    return checks.choices("", body)


def only_five(body: Json) -> Iterable[Problem]:
    return checks.mentions(body, frozenset({5}))


def was_v2(body: Json) -> Iterable[Problem]:
    return checks.message(body, was_v2=True)


def gallery(alt: str) -> Json:
    return {"type": 12, "items": [{"media": {"url": "attachment://a.png"}, "description": alt}]}


def thumbnail(alt: str) -> Json:
    picture = {"type": 11, "media": {"url": "attachment://a.png"}, "description": alt}
    return {"type": 9, "components": [text(1)], "accessory": picture}


def sized(size: int) -> list[Json]:
    """A command of exactly so many characters."""
    choices = [choice("n" * 99 + str(number), "v" * 58) for number in range(2)]
    several = [option(f"o{number:02}", description="d" * 100, choices=choices) for number in range(19)]
    rest = size - checks.command_size(options(*several)) - len("end")
    return [options(*several, option("end", description="d" * rest))]


CASES: list[tuple[str, Any, Any, Any]] = [
    # code, check, broken, sound
    ("name", checks.commands, [command(name="Canasta")], [command(name="canasta")]),
    ("name", checks.commands, [command(name="take pile")], [command(name="take-pile")]),
    ("name", checks.commands, [command(name="")], [command(name="x")]),
    ("name", checks.commands, [command(name="x" * 33)], [command(name="x" * 32)]),
    (
        "name",
        checks.commands,
        [command(name_localizations={"de": "Größe"})],
        [command(name_localizations={"de": "größe"})],
    ),
    ("name", checks.commands, [options(option("Seats"))], [options(option("seats"))]),
    ("name", checks.commands, [command(type=2, name="x" * 33)], [command(type=2, name="See the hand")]),
    ("description", checks.commands, [command(description="")], [command(description="x")]),
    ("description", checks.commands, [command(description="x" * 101)], [command(description="x" * 100)]),
    (
        "description",
        checks.commands,
        [options(option(description="x" * 101))],
        [options(option(description="x" * 100))],
    ),
    (
        "description",
        checks.commands,
        [command(description_localizations={"fr": "x" * 101})],
        [command(description_localizations={"fr": "x"})],
    ),
    (
        "required-after-optional",
        checks.commands,
        [options(option("a"), option("b", required=True))],
        [options(option("a", required=True), option("b"))],
    ),
    (
        "required-after-optional",
        checks.commands,
        [options(subcommand("s", option("a"), option("b", required=True)))],
        [options(subcommand("s", option("a", required=True), option("b")))],
    ),
    ("duplicate-command", checks.commands, [command(), command()], [command(), command(type=3)]),
    (
        "duplicate-option",
        checks.commands,
        [options(option("a"), option("a"))],
        [options(option("a"), option("b"))],
    ),
    (
        "duplicate-option",
        checks.commands,
        [options(subcommand("new"), subcommand("new"))],
        [options(subcommand("new"), subcommand("end"))],
    ),
    (
        "mixed-options",
        checks.commands,
        [options(subcommand("new"), option("a"))],
        [options(subcommand("new", option("a")))],
    ),
    (
        "too-many-options",
        checks.commands,
        [options(*(option(f"o{n}") for n in range(26)))],
        [options(*(option(f"o{n}") for n in range(25)))],
    ),
    (
        "too-many-options",
        checks.commands,
        [options(*(subcommand(f"o{n}") for n in range(26)))],
        [options(*(subcommand(f"o{n}") for n in range(25)))],
    ),
    (
        "too-many-choices",
        checks.commands,
        [options(option(choices=[choice(f"c{n}") for n in range(26)]))],
        [options(option(choices=[choice(f"c{n}") for n in range(25)]))],
    ),
    (
        "duplicate-choice",
        checks.commands,
        [options(option(choices=[choice(), choice(value=5)]))],
        [options(option(choices=[choice(), choice("five", 5)]))],
    ),
    (
        "choice-name",
        checks.commands,
        [options(option(choices=[choice("x" * 101)]))],
        [options(option(choices=[choice("x")]))],
    ),
    ("choice-value", choices_of, [choice(value="x" * 101)], [choice(value="x" * 100)]),
    (
        "choices-and-autocomplete",
        checks.commands,
        [options(option(choices=[choice()], autocomplete=True))],
        [options(option(autocomplete=True))],
    ),
    ("command-size", checks.commands, sized(8001), sized(8000)),
    (
        "too-many-commands",
        checks.commands,
        [command(name=f"c{n}") for n in range(101)],
        [command(name=f"c{n}") for n in range(100)],
    ),
    (
        "too-many-choices",
        choices_of,
        [choice(f"c{n}") for n in range(26)],
        [choice(f"c{n}") for n in range(25)],
    ),
    ("content", checks.message, {"content": "x" * 2001}, {"content": "x" * 2000}),
    ("v2-content", checks.message, layout(text(1), content="x"), layout(text(1))),
    ("v2-content", checks.message, layout(text(1), **embed()), {"flags": 0, **embed()}),
    ("v2-content", was_v2, rows(text(1), content="x"), rows(text(1), content=None)),
    ("v2-flag", checks.message, rows(text(1)), layout(text(1))),
    (
        "too-many-components",
        checks.message,
        layout({"type": 17, "components": [text(1)] * 40}),
        layout({"type": 17, "components": [text(1)] * 39}),
    ),
    (
        "v2-text",
        checks.message,
        layout(text(2001), {"type": 17, "components": [text(2000)]}),
        layout(text(2000), {"type": 17, "components": [text(2000)]}),
    ),
    ("text-display", checks.message, layout(text(0)), layout(text(1))),
    (
        "section-accessory",
        checks.message,
        layout({"type": 9, "components": [text(1)]}),
        layout({"type": 9, "components": [text(1)], "accessory": button()}),
    ),
    (
        "too-many-rows",
        checks.message,
        rows(*(row(button(f"{n}")) for n in range(6))),
        rows(*(row(button(f"{n}")) for n in range(5))),
    ),
    ("custom-id", checks.message, rows(row(button("x" * 101))), rows(row(button("x" * 100)))),
    ("custom-id", checks.message, rows(row(select(custom_id=""))), rows(row(select(custom_id="x")))),
    (
        "duplicate-custom-id",
        checks.message,
        rows(row(button("a"), button("a"))),
        rows(row(button("a"), button("b"))),
    ),
    (
        "duplicate-custom-id",
        checks.message,
        layout(row(button("a")), {"type": 9, "components": [text(1)], "accessory": button("a")}),
        layout(row(button("a")), {"type": 9, "components": [text(1)], "accessory": button("b")}),
    ),
    ("label", checks.message, rows(row(button(label="x" * 81))), rows(row(button(label="x" * 80)))),
    (
        "button-face",
        checks.message,
        rows(row(button(label=""))),
        rows(row(button(label=None, emoji={"name": "🂡"}))),
    ),
    ("button-target", checks.message, rows(row({"type": 2, "style": 1, "label": "x"})), rows(row(button()))),
    (
        "button-target",
        checks.message,
        rows(row({"type": 2, "style": 5, "label": "x"})),
        rows(row({"type": 2, "style": 5, "label": "x", "url": "https://example.com"})),
    ),
    (
        "button-target",
        checks.message,
        rows(row(button(style=5, url="https://example.com"))),
        rows(row(button(style=5, url="https://example.com", custom_id=None))),
    ),
    (
        "select-options",
        checks.message,
        rows(row(select(*map(str, range(26))))),
        rows(row(select(*map(str, range(25))))),
    ),
    ("select-options", checks.message, rows(row({**select(), "options": []})), rows(row(select("a")))),
    (
        "select-values",
        checks.message,
        rows(row(select(min_values=2, max_values=1))),
        rows(row(select(min_values=2, max_values=2))),
    ),
    (
        "select-values",
        checks.message,
        rows(row(select("a", "b", max_values=3))),
        rows(row(select("a", "b", max_values=2))),
    ),
    (
        "select-defaults",
        checks.message,
        rows(row({**select(), "options": [{"label": v, "value": v, "default": True} for v in "ab"]})),
        rows(row({**select(), "options": [{"label": v, "value": v, "default": v == "a"} for v in "ab"]})),
    ),
    ("duplicate-option-value", checks.message, rows(row(select("a", "a"))), rows(row(select("a", "b")))),
    ("option-label", checks.message, with_option(label="x" * 101), with_option(label="x" * 100)),
    ("option-value", checks.message, with_option(value="x" * 101), with_option(value="x" * 100)),
    (
        "option-description",
        checks.message,
        with_option(description="x" * 101),
        with_option(description="x" * 100),
    ),
    (
        "placeholder",
        checks.message,
        rows(row(select(placeholder="x" * 151))),
        rows(row(select(placeholder="x" * 150))),
    ),
    (
        "action-row",
        checks.message,
        rows(row(*(button(f"{n}") for n in range(6)))),
        rows(row(*(button(f"{n}") for n in range(5)))),
    ),
    ("action-row", checks.message, rows(row(select(), button())), rows(row(select()), row(button()))),
    (
        "action-row",
        checks.message,
        rows(row(select(), select(custom_id="t"))),
        rows(row(select()), row(select(custom_id="t"))),
    ),
    ("action-row", checks.message, rows(row()), rows(row(button()))),
    (
        "embed-size",
        checks.message,
        {"embeds": [{"description": "x" * 4000}, {"description": "x" * 2001}]},
        {"embeds": [{"description": "x" * 4000}, {"description": "x" * 2000}]},
    ),
    (
        "embed-size",
        checks.message,
        embed(fields=[{"name": "x" * 200, "value": "y" * 1000}] * 5),
        embed(fields=[{"name": "x" * 200, "value": "y" * 900}] * 5),
    ),
    ("embed-field", checks.message, field(value=" "), field()),
    ("embed-field", checks.message, field(name=""), field()),
    ("embed-field", checks.message, field(name="x" * 257), field(name="x" * 256)),
    ("embed-field", checks.message, field(value="x" * 1025), field(value="x" * 1024)),
    (
        "embed-fields",
        checks.message,
        embed(fields=[{"name": "n", "value": "v"}] * 26),
        embed(fields=[{"name": "n", "value": "v"}] * 25),
    ),
    (
        "alt-text",
        checks.message,
        {"attachments": [{"id": 0, "description": "x" * 1025}]},
        {"attachments": [{"id": 0, "description": "x" * 1024}]},
    ),
    ("alt-text", checks.message, layout(gallery("x" * 1025)), layout(gallery("x" * 1024))),
    ("alt-text", checks.message, layout(thumbnail("x" * 1025)), layout(thumbnail("x" * 1024))),
    ("modal-title", checks.modal, modal(typed(), title="x" * 46), modal(typed(), title="x" * 45)),
    ("modal-title", checks.modal, modal(typed(), title=""), modal(typed())),
    ("custom-id", checks.modal, modal(typed(), custom_id=""), modal(typed())),
    (
        "modal-inputs",
        checks.modal,
        modal(*(typed(f"{n}") for n in range(6))),
        modal(*(typed(f"{n}") for n in range(5))),
    ),
    ("modal-inputs", checks.modal, modal(), modal({"type": 18, "label": "One", "component": select()})),
    ("duplicate-custom-id", checks.modal, modal(typed(), typed()), modal(typed("a"), typed("b"))),
    ("mentions-unset", checks.mentions, {"content": "x"}, pings(parse=[])),
    ("mentions-unset", checks.mentions, pings(replied_user=False), pings(parse=[], replied_user=False)),
    ("mentions-parsed", checks.mentions, pings(parse=["users"]), pings(parse=[], users=["5"])),
    ("mentions-roles", checks.mentions, pings(parse=[], roles=["5"]), pings(parse=[], roles=[])),
    ("mentions-replied", checks.mentions, pings(parse=[], replied_user=True), pings(parse=[])),
    (
        "mentions-unnamed",
        checks.mentions,
        pings("hello", parse=[], users=["5"]),
        pings("hello <@5>", parse=[], users=[5]),
    ),
    (
        "mentions-unnamed",
        checks.mentions,
        layout(text(1), allowed_mentions={"users": [5]}),
        layout({"type": 10, "content": "<@5> plays"}, allowed_mentions={"users": [5]}),
    ),
    (
        "mentions-others",
        only_five,
        pings("<@5> <@6>", parse=[], users=[5, 6]),
        pings("<@5> <@6>", parse=[], users=[5]),
    ),
]


@pytest.mark.parametrize(("code", "check", "broken", "sound"), CASES)
def test_check(code: str, check: Any, broken: Any, sound: Any) -> None:
    assert [problem.code for problem in check(broken)] == [code]
    assert list(check(sound)) == []


def test_every_check_has_a_case() -> None:
    source = Path(checks.__file__).read_text(encoding="utf-8")
    codes = set(re.findall(r"""(?:Problem|_too_long)\(\s*"([a-z0-9-]+)\"""", source))
    assert codes == {code for code, *_ in CASES}


def test_size_of_a_command_counts_names_descriptions_and_values_of_everything_in_it() -> None:
    assert checks.command_size(command()) == len("canasta") + len("Cards")
    nested = options(subcommand("new", option("a", choices=[choice("four", "44")])))
    more = len("new") + len("Do it") + len("a") + len("How many") + len("four") + len("44")
    assert checks.command_size(nested) == len("canasta") + len("Cards") + more
    localised = command(name_localizations={"de": "x" * 20, "fr": "x"})
    assert checks.command_size(localised) == 20 + len("Cards")


@pytest.mark.parametrize("name", ["meld", "take-pile", "x_1", "größe", "карты", "カード", "l'as", "हिन्दी"])
def test_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", ["", "Meld", "two words", "a.b", "a/b", "ÄPFEL", "♠", "x" * 33, "a\n"])
def test_no_names(name: str) -> None:
    assert not is_name(name)


def test_where_points_into_the_body() -> None:
    (problem,) = checks.commands([command(), command(name="b", options=[subcommand("s", option("Bad"))])])
    assert problem.where == "/1/options/0/options/0/name"
    (problem,) = checks.message(layout({"type": 17, "components": [text(1), row(button(label=""))]}))
    assert problem.where == "/components/0/components/1/components/0"
