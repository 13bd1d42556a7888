"""The rules of one table as a message: an overview, or one topic with its examples."""

from typing import Any, Final

from discord import ui

from canasta_core.profiles import profile_title
from canasta_core.rules import Rules
from cogs.ui.layout import Click, Layout, Verb, button, cut, option, rows, select, words
from cogs.ui.rules_examples import Example, examples
from cogs.ui.rules_topics import Topic, in_short, sentences, title, topics_of
from cogs.ui.text import text

OVERVIEW: Final = "overview"
"""What a click names that asks for no topic."""
_SAID: Final = 900
"""Characters at most of what is said above the rules."""


def rules_layout(
    locale: str,
    rules: Rules,
    name: str,
    *,
    table: int = 0,
    topic: Topic | None = None,
    said: str = "",
    seated: bool = False,
) -> Layout:
    """The answer to /rules; `name` is what the rules are of.

    `said` stands above: the last refused move, or why it was. `seated` offers the way back to the hand.
    """
    heading = text(locale, "rules-title", table=name, title=profile_title(rules))
    box: ui.Container[Any] = ui.Container(words(heading))
    if said:
        box.add_item(words(cut(said, _SAID)))
    box.add_item(ui.Separator())
    parts = [overview(locale, rules)] if topic is None else topic_texts(locale, rules, topic)
    box.add_item(words(parts[0]))
    for part in parts[1:]:
        box.add_item(ui.Separator())
        box.add_item(words(part))
    options = [option(title(locale, one), one, default=one is topic) for one in topics_of(rules)]
    box.add_item(select(Click(Verb.RULES, table, 0), text(locale, "rules-select"), options))
    buttons = []
    if topic is not None:
        buttons.append(button(Click(Verb.RULES, table, 0, OVERVIEW), text(locale, "button-overview")))
    if seated:
        buttons.append(button(Click(Verb.HAND, table, 0), text(locale, "button-hand")))
    for row in rows(buttons):
        box.add_item(row)
    return Layout(box)


def overview(locale: str, rules: Rules) -> str:
    """A line or two of each topic."""
    return "\n".join(
        text(
            locale,
            "rules-overview-line",
            topic=title(locale, topic),
            sentences=in_short(locale, rules, topic),
        )
        for topic in topics_of(rules)
    )


def topic_texts(locale: str, rules: Rules, topic: Topic) -> list[str]:
    """All of a topic, and then each of its examples."""
    lines = [text(locale, "rules-topic-heading", topic=title(locale, topic))]
    lines += [f"- {sentence}" for sentence in sentences(locale, rules, topic)]
    return ["\n".join(lines), *(example_text(locale, example) for example in examples(locale, rules, topic))]


def example_text(locale: str, example: Example) -> str:
    """An example, a line for each move."""
    return "\n".join([text(locale, "rules-example", situation=example.situation), *example.lines])
