"""Refused moves in sentences that teach: what was tried, the rule, the numbers, what would work."""

from typing import Final

from canasta_core.actions import KINDS
from canasta_core.offers import legal_kinds
from canasta_core.profiles import RulesError
from canasta_core.refusals import Code, Refusal
from canasta_core.tables.errors import TableError
from canasta_core.views import PlayerView
from cogs.ui.cards_text import chip, named
from cogs.ui.face import Face
from cogs.ui.layout import name_text, table_name
from cogs.ui.text import sentence_list, text
from cogs.ui.times import long_duration, when

_CARDS: Final = ("card", "upcard", "rank")
_NONE: Final = "none"
"""Value of a fact that a refusal may leave out."""


def refusal_text(face: Face, refusal: Refusal, view: PlayerView | None) -> str:
    """Why a move was refused, what would be legal now, and the rule.

    `view` is that of the player who tried; without it nothing is said of what would be legal.
    """
    lines = [reason_text(face, refusal, view)]
    if view is not None and (moves := legal_text(face.locale, view)):
        lines.append(moves)
    lines.append(face.words("rule-tag", rule=refusal.rule))
    return "\n".join(lines)


def reason_text(face: Face, refusal: Refusal, view: PlayerView | None) -> str:
    """The sentence for a refused move."""
    facts: dict[str, int | str] = {"text": _NONE, "buried": _NONE, **facts_told(refusal, view)}
    if refusal.code is Code.MIXED_RANKS:
        facts["ranks"] = ", ".join(chip(named(rank)) for rank in _ranks(str(facts.get("cards", ""))))
    for key in _CARDS:
        if key in facts:
            facts[key] = chip(named(str(facts[key])))
    if "turn" in facts:
        facts["turn"] = face.name(int(facts["turn"]))
    if facts["text"] != _NONE:
        facts["text"] = name_text(str(facts["text"]), 40)
    return face.words(f"refusal-{refusal.code}", **facts)


def facts_told(refusal: Refusal, view: PlayerView | None) -> dict[str, int | str]:
    """The facts of a refusal, and what its sentence needs besides of the table as the player sees it."""
    facts: dict[str, int | str] = dict(refusal.facts)
    public = view.public if view is not None else None
    if refusal.code is Code.PERMISSION_TOO_LATE:
        # Too late for whom melds first here (R7.3); else for want of a card to keep.
        facts.setdefault("early", int(bool(public and public.rules.ask_before_melds and public.laid)))
    if refusal.code is Code.WRONG_PHASE and public is not None and public.no_discard:
        facts["phase"] = "no_discard"
    return facts


def _ranks(cards: str) -> list[str]:
    """The different natural ranks of cards in canonical text, in their order."""
    ranks = dict.fromkeys(name[:-1] for name in cards.split() if name != "JK")
    return [rank for rank in ranks if rank != "2"]


def legal_text(locale: str, view: PlayerView) -> str:
    """`You can now: draw or take the pile.` Empty when it is not this seat's move."""
    legal = legal_kinds(view)
    moves = [text(locale, f"legal-{kind}") for kind in KINDS if kind in legal]
    return text(locale, "legal-now", moves=sentence_list(locale, moves)) if moves else ""


def table_error_text(locale: str, error: TableError, table_id: int | None = None) -> str:
    """The sentence for what a table refuses. Seats are counted from 1 for people."""
    facts = dict(error.facts)
    if "seat" in facts:
        facts["seat"] = int(facts["seat"]) + 1
    for key in ("name", "level", "value"):
        if key in facts:
            facts[key] = name_text(str(facts[key]))
    for key in ("until", "latest"):
        if key in facts:
            facts[key] = when(float(facts[key]))
    if "left" in facts:
        left = float(facts["left"])
        facts["left"] = long_duration(locale, left) if left >= 60 else text(locale, "away-nothing")
    if table_id is not None:
        facts["table"] = table_name(locale, table_id)
    facts.setdefault("table", text(locale, "table-that"))
    return text(locale, f"table-{error.code}", **facts)


def rules_error_text(locale: str, error: RulesError) -> str:
    """The sentence for rules that cannot be had."""
    facts = {key: name_text(value, 200) if value else _NONE for key, value in error.facts.items()}
    for key in ("values", "options"):
        if key in facts:
            facts[key] = ", ".join(facts[key].split())
    by_seats = error.code == "unknown_option" and "seats" in facts
    return text(locale, "rules-unknown_option-seats" if by_seats else f"rules-{error.code}", **facts)
