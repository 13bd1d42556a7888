"""Why a text is no record, or not a true one, in a sentence."""

from canasta_core.record import RecordError
from cogs.ui.cards_text import chip
from cogs.ui.layout import name_text
from cogs.ui.text import text


def record_error_text(locale: str, error: RecordError) -> str:
    """The sentence for what is wrong with a record, with its line."""
    facts: dict[str, int | str] = {"line": error.line, **error.facts}
    for key in ("text", "expected", "found"):
        if isinstance(facts.get(key), str):
            facts[key] = name_text(str(facts[key]), 60)
    if "refusal" in facts:
        facts["refusal"] = chip(str(facts["refusal"]))
    return text(locale, f"record-{error.code}", **facts)
