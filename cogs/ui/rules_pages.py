"""The rules of every profile as Markdown pages, from the very sentences and examples that /rules shows."""

from collections.abc import Iterator
from dataclasses import dataclass

from canasta_core.profiles import OptionValue, Profile, RulesError, profile, profile_ids
from canasta_core.rules import Rules
from cogs.ui.rules_differences import Difference, difference_text, differences
from cogs.ui.rules_examples import Example, examples
from cogs.ui.rules_topics import Topic, sentences, title, topics_of
from cogs.ui.text import sentence_list, text

INDEX = "README"
"""The page that lists the others."""


@dataclass(frozen=True, slots=True)
class Change:
    """A house rule: with which options, beside which rules without it, and what it makes of them."""

    option: str
    value: OptionValue
    base: Rules
    rules: Rules
    default_table: bool
    """Whether it can be had at the profile's default table, with nothing else."""


def pages(locale: str) -> dict[str, str]:
    """Markdown by name, one page a profile, and the index."""
    made = {name: _page(locale, profile(name)) for name in profile_ids()}
    made[INDEX] = _index(locale)
    return {name: _plain(content) for name, content in made.items()}


def _plain(content: str) -> str:
    """Without what only Discord needs: spaces that do not break."""
    return content.replace("\N{NO-BREAK SPACE}", " ").rstrip() + "\n"


def _index(locale: str) -> str:
    lines = [f"# {text(locale, 'page-index')}", "", text(locale, "page-index-intro"), ""]
    for name in profile_ids():
        one = profile(name)
        about = text(
            locale, "page-index-line", seats=_seats(locale, one), target=one.rules().target, title=one.title
        )
        lines.append(f"- [{one.title}]({name}.md): {about}")
    return "\n".join(lines)


def _seats(locale: str, one: Profile) -> str:
    return sentence_list(locale, [str(seats) for seats in one.all_seats])


def _page(locale: str, one: Profile) -> str:
    rules = one.rules()
    parts = [
        f"# {one.title}",
        text(locale, "page-intro", seats=rules.seats, all=_seats(locale, one)),
        _contents(locale, one, rules),
    ]
    for topic in topics_of(rules):
        parts += [f"## {title(locale, topic)}", _topic(locale, rules, topic)]
    others = [seats for seats in one.seats if seats != rules.seats]
    if others:
        parts.append(f"## {text(locale, 'page-seats')}")
        parts.append(text(locale, "page-seats-intro", seats=rules.seats))
        for seats in others:
            parts.append(f"### {text(locale, 'page-seats-count', seats=seats)}")
            parts.append(_changes(locale, rules, one.rules(seats)))
    if one.options:
        parts.append(f"## {text(locale, 'page-options')}")
        parts.append(text(locale, "page-options-intro"))
        for change in changes(one):
            parts += [f"### {_change_title(locale, change)}", *_change(locale, change)]
    return "\n\n".join(parts)


def _contents(locale: str, one: Profile, rules: Rules) -> str:
    headings = [title(locale, topic) for topic in topics_of(rules)]
    if len(one.seats) > 1:
        headings.append(text(locale, "page-seats"))
    if one.options:
        headings.append(text(locale, "page-options"))
    return "\n".join(f"- [{heading}](#{_anchor(heading)})" for heading in headings)


def _anchor(heading: str) -> str:
    """As GitHub makes it."""
    kept = "".join(letter for letter in heading.lower() if letter.isalnum() or letter in " -_")
    return kept.replace(" ", "-")


def _topic(locale: str, rules: Rules, topic: Topic) -> str:
    told = "\n".join(f"- {sentence}" for sentence in sentences(locale, rules, topic))
    return "\n\n".join([told, *(_example(locale, one) for one in examples(locale, rules, topic))])


def _example(locale: str, example: Example) -> str:
    lines = [text(locale, "rules-example", situation=example.situation)]
    if example.lines:
        lines += ["", *(f"- {line}" for line in example.lines)]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _changes(locale: str, base: Rules, rules: Rules) -> str:
    """What `rules` says otherwise than `base`: sentences, and the examples that come out otherwise."""
    parts = []
    for difference in differences(locale, base, rules):
        told = [f"- {difference_text(locale, difference)}"]
        told += [_indented(_example(locale, one)) for one in _new_examples(locale, base, rules, difference)]
        parts.append("\n\n".join(told))
    return "\n".join(parts) if all("\n" not in part for part in parts) else "\n\n".join(parts)


def _indented(block: str) -> str:
    return "\n".join(f"  {line}" for line in block.splitlines())


def _new_examples(locale: str, base: Rules, rules: Rules, difference: Difference) -> list[Example]:
    """Examples of a topic that is told otherwise, where they show something else than before."""
    topic = difference.topic
    before = examples(locale, base, topic) if topic in topics_of(base) else []
    known = {(example.situation, example.lines) for example in before}
    return [one for one in examples(locale, rules, topic) if (one.situation, one.lines) not in known]


def changes(one: Profile) -> Iterator[Change]:
    """Every value of every house option that is not its default, at a table that can have it."""
    for option in one.options.values():
        for value in option.values:
            if value != option.default:
                yield _changed(one, option.name, value)


def _changed(one: Profile, name: str, value: OptionValue) -> Change:
    """At the default table where that has the option, else at the first that has it.

    Some options need another one, which brings the number of seats that they are for.
    """
    option = one.options[name]
    for seats in option.only_seats or (one.default_seats,):
        for beside in _beside(one, name):
            try:
                rules = one.rules(seats, {**beside, name: value})
                return Change(name, value, one.rules(seats, beside), rules, not option.only_seats)
            except RulesError:
                continue
    raise RulesError("unknown_option", option=name, profile=one.id, options="")


def _beside(one: Profile, name: str) -> Iterator[dict[str, OptionValue]]:
    """No other option, then each that brings seats of its own."""
    yield {}
    for other in one.options.values():
        for value in other.seats:
            if other.name != name:
                yield {other.name: value}


def _change_title(locale: str, change: Change) -> str:
    return f"`{change.option}={_written(change.value)}`"


def _written(value: OptionValue) -> str:
    return str(value).lower()


def _change(locale: str, change: Change) -> list[str]:
    parts = []
    if not change.default_table:
        beside = [f"`{name}={_written(value)}`" for name, value in change.base.options]
        seats = text(locale, "page-only-seats", seats=change.rules.seats)
        with_ = text(locale, "page-only-with", options=", ".join(beside)) if beside else ""
        parts.append(" ".join(filter(None, [seats, with_])))
    parts.append(_changes(locale, change.base, change.rules))
    more = _more_seats(change)
    for count, rules in more.items():
        parts.append(text(locale, "page-option-seats", seats=count))
        parts.append(_changes(locale, change.rules, rules))
    return parts


def _more_seats(change: Change) -> dict[int, Rules]:
    """Tables that exist only with the option: those of seats that it brings along."""
    one = profile(change.rules.profile)
    own = one.options[change.option].seats.get(change.value, {})
    return {seats: one.rules(seats, {change.option: change.value}) for seats in own if seats not in one.seats}
