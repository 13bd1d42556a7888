"""What one table's rules say otherwise than another's: sentence by sentence, so that nothing is forgotten."""

from dataclasses import dataclass

from canasta_core.rules import Rules
from cogs.ui.rules_topics import Topic, sentences, title, topics_of
from cogs.ui.text import text


@dataclass(frozen=True, slots=True)
class Difference:
    """What is told otherwise under one topic."""

    topic: Topic
    new: tuple[str, ...]
    gone: tuple[str, ...]
    """Sentences that are not true any more."""


def differences(locale: str, base: Rules, other: Rules) -> list[Difference]:
    """The topics in which `other` differs from `base`, in their order."""
    found = []
    for topic in Topic:
        before, after = _told(locale, base, topic), _told(locale, other, topic)
        new = tuple(sentence for sentence in after if sentence not in before)
        gone = tuple(sentence for sentence in before if sentence not in after)
        if new or gone:
            found.append(Difference(topic, new, gone))
    return found


def _told(locale: str, rules: Rules, topic: Topic) -> list[str]:
    return sentences(locale, rules, topic) if topic in topics_of(rules) else []


def difference_text(locale: str, difference: Difference) -> str:
    """`**The table.** 2 seats, …`; what is gone is told only where nothing takes its place."""
    said = " ".join(difference.new)
    if not said:
        said = text(locale, "rules-differs-without", sentences=" ".join(difference.gone))
    return text(locale, "rules-differs", topic=title(locale, difference.topic), sentences=said)
