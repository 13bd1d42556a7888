"""`/canasta new` over every option of every profile: offered, in words, accepted; and what cannot be had."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from canasta_core.profiles import Profile, RulesError, profile, profile_ids
from cogs import house_rules
from cogs.house_rules import Options, read_options, rules_options
from cogs.ui.refusals_text import rules_error_text
from cogs.ui.rules_pages import Change, changes
from cogs.ui.text import text
from tests.cogs.players import said
from tests.cogs.test_texts import RULES_ERRORS
from tests.discord.harness import Game, playing, text_of

CHANGES = [(name, change) for name in profile_ids() for change in changes(profile(name))]


def asked(**namespace: Any) -> Any:
    """Somebody typing into `/canasta new`, with other options filled in."""
    filled = {"profile": None, "seats": None, "teams": None, "target": None, "options": None} | namespace
    return SimpleNamespace(locale="en-GB", namespace=SimpleNamespace(**filled))


def told(change: Change) -> str:
    return f"{change.rules.profile} {change.option}={change.value}"


def typed(change: Change) -> tuple[dict[str, Any], str]:
    """How a house rule is asked for: options of the command, and what is typed in `options:`."""
    beside = [f"{name}={str(value).lower()}" for name, value in change.base.options]
    given: dict[str, Any] = {"profile": change.rules.profile}
    if not change.default_table:
        given["seats"] = change.rules.seats
    if change.option in ("target", "teams"):
        given[change.option] = int(change.value)
    else:
        beside.append(f"{change.option}={str(change.value).lower()}")
    return given, ", ".join(beside)


def every_value() -> set[tuple[str, str, Any]]:
    return {
        (name, option.name, value)
        for name in profile_ids()
        for option in profile(name).options.values()
        for value in option.values
        if value != option.default
    }


def test_no_option_is_forgotten_here() -> None:
    assert {(name, change.option, change.value) for name, change in CHANGES} == every_value()
    for _, change in CHANGES:
        assert dict(change.rules.options).get(change.option) == change.value


@pytest.mark.parametrize(("name", "change"), CHANGES, ids=[told(change) for _, change in CHANGES])
async def test_every_option_is_offered_in_words_and_accepted(name: str, change: Change) -> None:
    given, options = typed(change)
    if change.option == "target":
        offered = await house_rules.targets(asked(**given | {"target": None}, options=options), "")
        assert change.value in [choice.value for choice in offered]
    elif change.option == "teams":
        offered = await house_rules.team_counts(asked(**given | {"teams": None}, options=options), "")
        assert change.value in [choice.value for choice in offered]
    else:
        head = options.rpartition(", ")[0]
        found = await house_rules.house_rules(asked(**given), f"{head}, " if head else "")
        (own,) = [choice for choice in found if choice.value == options]
        assert own.name.startswith(f"{options} · ")
        assert len(own.name) > len(options) + 15, "it says what it means"
    seats = await house_rules.seat_counts(asked(profile=name, options=options), "")
    assert change.rules.seats in [choice.value for choice in seats]
    made = rules_options(name, given.get("seats"), options, given.get("teams"), given.get("target"))
    assert profile(name).rules(given.get("seats"), made) == change.rules


@pytest.mark.parametrize("name", profile_ids())
async def test_what_is_offered_can_be_had(name: str) -> None:
    """Whatever was chosen before, a choice never leads to a refusal; nothing is offered twice."""
    one = profile(name)
    for seats, head in product((None, *one.all_seats), ("", *_beginnings(one))):
        if not _fits(one, seats, read_options(head)):
            continue
        found = await house_rules.house_rules(asked(profile=name, seats=seats), f"{head}, " if head else "")
        assert len({choice.value for choice in found}) == len(found)
        for choice in found:
            assert _fits(one, seats, read_options(str(choice.value))), choice.value
            for other in await house_rules.seat_counts(asked(profile=name, options=choice.value), ""):
                assert _fits(one, other.value, read_options(str(choice.value)))
        for number in await house_rules.targets(asked(profile=name, seats=seats, options=head), ""):
            assert _fits(one, seats, {**read_options(head), "target": number.value})
        for number in await house_rules.team_counts(asked(profile=name, seats=seats, options=head), ""):
            assert _fits(one, seats, {**read_options(head), "teams": number.value})


def _beginnings(one: Profile) -> list[str]:
    return [
        f"{option.name}={str(value).lower()}"
        for option in one.options.values()
        for value in option.values
        if option.name not in ("target", "teams") and value != option.default
    ]


def _fits(one: Profile, seats: int | None, options: Options) -> bool:
    try:
        one.rules(seats, options)
    except RulesError:
        return False
    return True


async def test_offers_follow_what_is_typed() -> None:
    at = asked(profile="canastra")
    assert [choice.value for choice in await house_rules.house_rules(at, "freeze=w")] == [
        "freeze=wild",
        "freeze=wild_and_black_three",
    ]
    second = await house_rules.house_rules(at, "two_pack, ")
    assert "two_pack, real=true" in [choice.value for choice in second]
    assert not [choice for choice in second if "three_pack" in choice.value]
    for wrong in ("=,", "no_such, ", "real=maybe, "):
        assert await house_rules.house_rules(at, wrong) in ([], await house_rules.house_rules(at, ""))
    nowhere = asked(profile="no_such", options="=")
    assert await house_rules.house_rules(nowhere, "") == []
    assert await house_rules.seat_counts(nowhere, "") == []
    assert await house_rules.targets(asked(options="="), "") == []
    assert [choice.value for choice in await house_rules.targets(asked(profile="browser"), "25")] == [2500]
    assert [choice.value for choice in await house_rules.team_counts(asked(profile="salon"), "")] == []
    six = await house_rules.team_counts(asked(profile="salon", seats=6), "")
    assert [choice.name for choice in six] == ["2 teams", "3 teams"]


async def test_a_table_with_every_option_says_so_in_its_lobby(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        for _, change in CHANGES:
            if change.option == "target" and change.value % 5000:  # type: ignore[operator]
                continue
            given, options = typed(change)
            answer = said(
                await game.slash(0, "canasta new", **given, **({"options": options} if options else {}))
            )
            assert "is open" in answer, answer
            lobby = text_of(game.board())
            await _says(game, lobby, change)
            await game.slash(0, "canasta end")


async def _says(game: Game, lobby: str, change: Change) -> None:
    """The lobby names each option with words of its own, not only as it is typed."""
    table = (await game.bot.service.tables_in(game.guild.id))[-1]  # type: ignore[attr-defined]
    assert table.rules == change.rules
    if change.option == "target":
        assert f"{change.value:,}" in lobby
        return
    for name, value in table.rules.options:
        sentence = text("en", f"house-{name}-{str(value).lower()}")
        assert sentence in lobby
        assert len(sentence.split()) > 4


REFUSED = [
    ({"profile": "bridge"}, "unknown_profile", "no profile “bridge”"),
    ({"profile": "classic", "seats": 6}, "unknown_seats", "not played with 6 seats, but with 4"),
    ({"profile": "canastra", "seats": 6}, "unknown_seats", "not played with 6 seats"),
    ({"profile": "salon", "options": "real"}, "unknown_option", "no house rule “real”"),
    ({"profile": "classic", "teams": 3}, "unknown_option", "the number of seats says how many teams"),
    ({"profile": "classic", "target": 3000}, "unknown_option", "always played to 5,000"),
    ({"profile": "salon", "options": "draw=2"}, "unknown_option-seats", "not there with 4 seats"),
    ({"profile": "salon", "teams": 3}, "unknown_option-seats", "only with 6 seats, not with 4"),
    ({"profile": "salon", "seats": 6, "teams": 4}, "bad_value", "is no value of teams. It can be: 2 or 3"),
    ({"profile": "browser", "target": 1250}, "bad_value", "“1250” is no value of target"),
    ({"profile": "canastra", "options": "real=maybe"}, "bad_value", "“maybe” is no value of real"),
    ({"profile": "canastra", "options": "two_pack, three_pack"}, "conflict", "do not go together"),
]  # fmt: skip


async def test_what_cannot_be_had_is_refused_with_the_reason(tmp_path: Path) -> None:
    assert {code for _, code, _ in REFUSED} == set(RULES_ERRORS)
    async with playing(tmp_path / "c.db", members=1) as game:
        for given, code, words in REFUSED:
            if code == "unknown_profile":
                continue  # Discord lets no other through than those offered; see below.
            answer = said(await game.slash(0, "canasta new", **given))
            assert words.replace("_", "\\_") in answer or words in answer, answer
            assert answer.endswith(".")
        assert not await game.bot.service.tables_in(game.guild.id)  # type: ignore[attr-defined]


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(RulesError) as raised:
        rules_options("bridge", None, "", None, 5000)
    words = rules_error_text("en", raised.value)
    assert "no profile “bridge”" in words
    assert all(name in words for name in profile_ids())
