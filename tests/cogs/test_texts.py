"""Every sentence has its words, in every language, and no words are left over."""

import ast
import re
from pathlib import Path

import pytest
from fluent.runtime import FluentResource
from fluent.syntax import ast as fluent
from fluent.syntax.visitor import Visitor

import cogs
from canasta_core import events
from canasta_core.profiles import profile, profile_ids
from canasta_core.refusals import Code
from canasta_core.rules import CardClass, Concealed, Exhausted, Permission
from canasta_core.state import Reason
from canasta_core.tables.errors import TableCode
from canasta_core.tables.model import Ended
from cogs.ui.cards_text import LABEL_KEYS
from cogs.ui.score import LINES
from cogs.ui.text import DEFAULT, LOCALES, UnknownTextError, languages, text

ROOT = Path(cogs.__file__).parent
SPEAKERS = {"text": 1, "words": 0, "say": 0, "_say": 1, "command_text": 0, "topic": 0}
"""Functions that take a key, and where among their arguments."""
PREFIXES = {"say": "rules-topic-", "topic": "rules-topic-"}
ERRORS = {"DeskError": "problem-"}
RULES_ERRORS = (
    "unknown_profile",
    "unknown_seats",
    "unknown_option",
    "unknown_option-seats",
    "bad_value",
    "conflict",
)

NEEDED = {
    *(f"refusal-{code}" for code in Code),
    *(f"table-{code}" for code in TableCode),
    *(f"rules-{code}" for code in RULES_ERRORS),
    *(f"reason-{reason}" for reason in Reason),
    *(f"score-{line}" for line in LINES),
    *(f"board-ended-{ended}" for ended in Ended),
    *(f"rules-topic-class-{kind}" for kind in CardClass),
    *(f"rules-topic-permission-{permission}" for permission in Permission),
    *(f"rules-topic-concealed-{concealed}" for concealed in Concealed if concealed is not Concealed.NONE),
    *(f"rules-topic-exhausted-{exhausted}" for exhausted in Exhausted),
    *LABEL_KEYS.values(),
}
"""Keys that codes and enums ask for."""


def entries(language: str) -> dict[str, fluent.Message]:
    found: dict[str, fluent.Message] = {}
    for path in sorted((LOCALES / language).glob("*.ftl")):
        for entry in FluentResource(path.read_text(encoding="utf-8")).body:
            assert not isinstance(entry, fluent.Junk), f"{path.name}: {entry.content}"
            if isinstance(entry, fluent.Message):
                assert entry.id.name not in found, f"{entry.id.name} stands twice"
                found[entry.id.name] = entry
    return found


def variables(message: fluent.Message) -> set[str]:
    class Names(Visitor):
        def __init__(self) -> None:
            self.found: set[str] = set()

        def visit_VariableReference(self, node: fluent.VariableReference) -> None:  # noqa: N802
            self.found.add(node.id.name)

    names = Names()
    names.visit(message)
    return names.found


def keys_in_code() -> tuple[set[str], set[str]]:
    """Keys that stand in the code as texts, and patterns of those that are put together there."""
    keys: set[str] = set()
    patterns: set[str] = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                keys.add(node.value)
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            place = SPEAKERS.get(name, 0 if name in ERRORS else None)
            if place is None or len(node.args) <= place:
                continue
            prefix = PREFIXES.get(name, ERRORS.get(name, ""))
            for key in _written(node.args[place]):
                suffix = "-title" if name == "topic" else ""
                if key.strip("*\n "):
                    (patterns if "*" in key else keys).add(f"{prefix}{key}{suffix}")
    return keys, patterns


def _written(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return _written(node.body) + _written(node.orelse)
    if isinstance(node, ast.JoinedStr):
        return ["".join(part.value if isinstance(part, ast.Constant) else "*" for part in node.values)]
    return []


def test_every_code_and_every_event_has_its_words() -> None:
    known = set(entries(DEFAULT))
    kinds = {kind.kind for kind in events.Event.__args__}
    without = {
        kind
        for kind in kinds
        if not any(key == f"event-{kind}" or key.startswith(f"event-{kind}-") for key in known)
    }
    assert not without
    assert not NEEDED - known


def test_keys_in_code_and_files_are_the_same() -> None:
    known = set(entries(DEFAULT))
    keys, patterns = keys_in_code()
    fits = [re.compile(re.escape(pattern).replace(r"\*", ".*")) for pattern in patterns]
    unused = {key for key in known - keys - NEEDED if not any(fit.fullmatch(key) for fit in fits)}
    assert not unused, "no code asks for these"
    spoken = {key for key in keys if re.fullmatch(r"[a-z]+(-[a-z_0-9]+)+", key)}
    heads = {key.split("-")[0] for key in known}
    missing = {
        key
        for key in spoken - known
        if key.split("-")[0] in heads - {"add"} and f"rules-topic-{key}" not in known
    }
    assert not missing - COMMANDS, "no file has these"
    for fit in fits:
        assert any(fit.fullmatch(key) for key in known), f"nothing fits {fit.pattern}"


COMMANDS = {"take-pile", "ask-partner", "end-turn", "add-ai"}
"""Names in the code that look like keys."""


@pytest.mark.parametrize("language", languages())
def test_languages_have_the_same_keys_and_variables(language: str) -> None:
    default, own = entries(DEFAULT), entries(language)
    assert set(default) == set(own)
    for key, message in default.items():
        assert variables(message) == variables(own[key]), key


@pytest.mark.parametrize("language", languages())
def test_commands_and_score_lines_fit(language: str) -> None:
    for key in entries(language):
        if key.startswith(("command-", "option-")) and not variables(entries(language)[key]):
            assert 1 <= len(text(language, key)) <= 100, key
    for key in [*LINES, "total", "before", "after"]:
        assert len(text(language, f"score-{key}")) <= 17, key


def test_plurals_numbers_and_unknown_keys() -> None:
    assert text("en", "count-cards", count=1) == "1 card"
    assert text("en-GB", "count-cards", count=2) == "2 cards"
    assert text("xx", "option-points", points=1240) == "1,240 points"
    with pytest.raises(UnknownTextError):
        text("en", "no-such-key")


def test_every_profile_has_a_title() -> None:
    assert all(profile(name).title for name in profile_ids())
