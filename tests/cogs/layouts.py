"""Layouts as tests read them: their words, their controls, and Discord's limits."""

from typing import Any

from canasta_core.profiles import profile, profile_ids
from cogs.ui.layout import Click, Layout
from tests.discord import checks
from tests.discord.checks import COMPONENTS_V2, walk

SHAPES = [(name, seats) for name in profile_ids() for seats in sorted(profile(name).seats)]


def body_of(layout: Any) -> dict[str, Any]:
    return {"components": layout.to_components(), "flags": COMPONENTS_V2 if isinstance(layout, Layout) else 0}


def check(layout: Any, content: str = "") -> str:
    """Assert Discord's limits; the words of the layout."""
    body = body_of(layout) | ({"content": content} if content else {})
    assert not list(checks.message(body))
    return words_of(layout)


def words_of(layout: Any) -> str:
    return "\n".join(part["content"] for _, part in walk(layout.to_components()) if part["type"] == 10)


def plain(words: str) -> str:
    """Words without the selectors that make suits text."""
    return words.replace("\N{VARIATION SELECTOR-15}", "")


def controls_of(layout: Any) -> dict[str, dict[str, Any]]:
    """Buttons and selects by their verb."""
    found = {}
    for _, part in walk(layout.to_components()):
        if part.get("custom_id"):
            click = Click.read(part["custom_id"])
            assert click is not None
            found[click.verb] = part
    return found
