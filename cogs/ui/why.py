"""*Why?* and *My hand*: the buttons of a refused move. All that the first needs is in its custom id."""

from collections.abc import Mapping
from typing import Any, Final

from discord import ui

from canasta_core.actions import SeatAction
from canasta_core.refusals import Code, Refusal
from canasta_core.views import PlayerView
from cogs.ui.face import Face
from cogs.ui.layout import MAX_CUSTOM_ID, Verb, button
from cogs.ui.refusals_text import facts_told, reason_text

FACTS: Final[Mapping[Code, tuple[str, ...]]] = {
    Code.UNKNOWN_ACTION: ("text", "kind"),
    Code.NOT_YOUR_TURN: ("turn",),
    Code.WRONG_PHASE: ("phase",),
    Code.UNKNOWN_CARD: ("text",),
    Code.CARD_NOT_IN_HAND: ("card", "held", "wanted"),
    Code.PILE_BLOCKED: ("upcard",),
    Code.PILE_FROZEN: ("upcard", "matching", "for_all"),
    Code.UPCARD_NOT_MELDED: ("upcard", "offered"),
    Code.NEEDS_NATURAL: ("upcard", "matching"),
    Code.MIXED_RANKS: ("cards",),
    Code.NO_SUCH_MELD: ("rank",),
    Code.MELD_TOO_SHORT: ("rank", "cards", "wilds"),
    Code.TOO_FEW_NATURALS: ("rank", "naturals", "min_naturals"),
    Code.TOO_MANY_WILDS: ("rank", "wilds", "max_wilds"),
    Code.OPENING_MINIMUM: ("minimum", "laid", "buried"),
    Code.CANASTA_REQUIRED: ("canastas", "required"),
    Code.PERMISSION_TOO_LATE: ("early",),
}
"""What the sentence of a refusal tells."""
_MAY_LACK: Final[Mapping[Code, frozenset[str]]] = {
    Code.UNKNOWN_ACTION: frozenset({"text", "kind"}),
    Code.CARD_NOT_IN_HAND: frozenset({"held", "wanted"}),
    Code.UPCARD_NOT_MELDED: frozenset({"offered"}),
    Code.OPENING_MINIMUM: frozenset({"buried"}),
}
"""Facts that a refusal has only where they matter, or where it is known what was tried."""
_ESCAPES: Final = (("%", "%25"), (";", "%3B"), ("=", "%3D"))


def refused_buttons(
    face: Face, refusal: Refusal, view: PlayerView | None, tried: SeatAction | str | None = None
) -> list[ui.Button[Any]]:
    """The buttons of a refused move where the hand is not shown anyway."""
    return [
        why_button(face, refusal, view, tried),
        button(face.click(Verb.HAND), face.words("button-hand")),
    ]


def why_button(
    face: Face, refusal: Refusal, view: PlayerView | None, tried: SeatAction | str | None = None
) -> ui.Button[Any]:
    """*Why?* alone. Facts that do not fit into its custom id are left out, all of them."""
    facts = facts_told(refusal, view, tried)
    told = [f"{key}={_escaped(facts[key])}" for key in FACTS.get(refusal.code, ()) if key in facts]
    click = face.click(Verb.WHY, ";".join([refusal.code, *told]))
    if len(click.custom_id.encode("utf-16-le", "surrogatepass")) // 2 > MAX_CUSTOM_ID:
        click = face.click(Verb.WHY, refusal.code)
    return button(click, face.words("button-why"))


def read_why(arg: str) -> Refusal | None:
    """The refusal that a custom id names, as far as it does; None when it names none."""
    code, *pairs = arg.split(";")
    if code not in frozenset(Code):
        return None
    facts: dict[str, int | str] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        facts[key] = int(value) if _is_number(value) else _unescaped(value)
    return Refusal(Code(code), **facts)


def reason_known(face: Face, refusal: Refusal) -> str:
    """The sentence for a refusal that was read; empty when the facts for it were left out."""
    needed = set(FACTS.get(refusal.code, ())) - _MAY_LACK.get(refusal.code, frozenset())
    return reason_text(face, refusal, None) if needed <= set(refusal.facts) else ""


def _is_number(value: str) -> bool:
    """Whether it was one, and no text like 007."""
    return value.isascii() and value.isdigit() and len(value) < 10 and str(int(value)) == value


def _escaped(value: int | str) -> str:
    words = str(value)
    for plain, escape in _ESCAPES:
        words = words.replace(plain, escape)
    return words


def _unescaped(words: str) -> str:
    for plain, escape in reversed(_ESCAPES):
        words = words.replace(escape, plain)
    return words
