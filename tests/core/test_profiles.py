"""Profile files and the rules made from them (RULES.md §2)."""

import dataclasses
import random
import shutil
from pathlib import Path

import pytest

from canasta_core.codec import decode_rules, encode_rules
from canasta_core.profiles import PROFILES, ProfileError, RulesError, load_rules, profile_ids, profile_title
from canasta_core.rules import Permission, Rules
from tests.soak.rounds import deal_round, every_table, play_round


def first_offer(view: object, found: list, rng: random.Random) -> object:
    return rng.choice(found)


def test_the_four_profiles() -> None:
    assert set(profile_ids()) >= {"classic", "salon", "canastra", "browser"}
    assert profile_ids()[0] == "classic"


@pytest.mark.parametrize(
    ("name", "seats", "teams", "hand"),
    [
        ("classic", 4, 2, 11),
        ("salon", 2, 2, 15),
        ("salon", 3, 3, 13),
        ("salon", 4, 2, 11),
        ("salon", 5, 2, 11),
        ("salon", 6, 2, 11),
        ("canastra", 2, 2, 15),
        ("canastra", 3, 3, 13),
        ("canastra", 4, 2, 11),
        ("browser", 2, 2, 15),
        ("browser", 4, 2, 11),
    ],
)
def test_seats_teams_and_hands(name: str, seats: int, teams: int, hand: int) -> None:
    rules = load_rules(name, seats)
    assert (rules.teams, rules.hand, rules.pack_size) == (teams, hand, 108)


def test_teams_sit_alternately() -> None:
    rules = load_rules("salon", 5)
    assert (list(rules.seats_of(0)), list(rules.seats_of(1))) == ([0, 2, 4], [1, 3])
    assert rules.partners_of(2) == (0, 4)
    three = load_rules("salon", 6, {"teams": 3})
    assert [list(three.seats_of(team)) for team in range(3)] == [[0, 3], [1, 4], [2, 5]]


def test_three_packs() -> None:
    rules = load_rules("canastra", 6, {"three_pack": True, "teams": 3})
    assert (rules.pack_size, rules.hand, rules.teams, rules.red_threes_in_pack) == (162, 13, 3, 6)
    assert rules.red_threes_all == 1000
    assert load_rules("canastra", None, {"three_pack": True}).seats == 4


@pytest.mark.parametrize(
    ("score", "classic", "salon"),
    [(-5, 15, 0), (0, 50, 50), (1495, 50, 50), (1500, 90, 90), (2995, 90, 90), (3000, 120, 120)],
)
def test_minimums(score: int, classic: int, salon: int) -> None:
    assert load_rules("classic").minimum(score) == classic
    assert load_rules("salon").minimum(score) == salon


@pytest.mark.parametrize(
    ("name", "seats", "options", "code"),
    [
        ("klassik", 4, {}, "unknown_profile"),
        ("classic", 3, {}, "unknown_seats"),
        ("classic", 4, {"target": 3000}, "unknown_option"),
        ("classic", 4, {"draw": 2}, "unknown_option"),
        ("salon", 7, {}, "unknown_seats"),
        ("salon", 4, {"draw": 2}, "unknown_option"),
        ("salon", 3, {"canastas_to_go_out": 2}, "unknown_option"),
        ("salon", 5, {"teams": 3}, "unknown_option"),
        ("salon", 2, {"draw": 3}, "bad_value"),
        ("salon", 2, {"draw": True}, "bad_value"),
        ("salon", 4, {"real": True}, "unknown_option"),
        ("canastra", 6, {}, "unknown_seats"),
        ("canastra", 3, {"three_pack": True}, "unknown_seats"),
        ("canastra", 4, {"two_pack": True, "three_pack": True}, "conflict"),
        ("canastra", 4, {"target": 4000}, "bad_value"),
        ("canastra", 4, {"freeze": "sometimes"}, "bad_value"),
        ("browser", 4, {"target": 1250}, "bad_value"),
        ("browser", 4, {"target": 10500}, "bad_value"),
        ("browser", 3, {}, "unknown_seats"),
    ],
)
def test_rules_that_cannot_be_had(name: str, seats: int, options: dict, code: str) -> None:
    with pytest.raises(RulesError) as raised:
        load_rules(name, seats, options)
    assert raised.value.code == code
    assert raised.value.facts


def test_options_may_be_given_as_text() -> None:
    rules = load_rules("canastra", 4, {"permission": "false", "target": "5000", "sujo": "True"})
    assert (rules.permission, rules.target, rules.exact_target) == (Permission.NONE, 5000, True)
    assert rules.options == (("permission", False), ("sujo", True), ("target", 5000))


def test_a_default_is_no_option() -> None:
    assert load_rules("canastra", 4, {"target": 3000, "freeze": "none"}).options == ()


def test_fallbacks_of_an_exact_target() -> None:
    for target, fallback in ((3000, 1500), (5000, 3000), (10000, 3000)):
        assert load_rules("canastra", 4, {"sujo": True, "target": target}).fallback == fallback


@pytest.mark.parametrize(
    "rules", list(every_table()), ids=lambda rules: f"{rules.profile}{rules.seats}{rules.options}"
)
def test_rules_can_be_stored(rules: Rules) -> None:
    assert decode_rules(encode_rules(rules)) == rules


def edited(folder: Path, name: str, *edits: tuple[str, str]) -> Path:
    """A copy of the profiles in which a file was changed."""
    copy = folder / "profiles"
    shutil.copytree(PROFILES, copy)
    path = copy / f"{name}.toml"
    text = path.read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    return copy


@pytest.mark.parametrize(
    ("name", "old", "new", "key", "reason"),
    [
        ("classic", "packs = 2", "pakcs = 2", "rules.pakcs", "unknown key"),
        ("classic", "packs = 2\n", "", "rules.packs", "is missing"),
        ("classic", "packs = 2", 'packs = "two"', "rules.packs", "whole number"),
        ("classic", "packs = 2", "packs = 0", "rules.packs", "at least 1"),
        ("classic", "runs = false", "runs = 0", "rules.runs", "true or false"),
        ("classic", 'take = "any"', 'take = "all"', "rules.take", "is none of"),
        ("classic", 'unfit = ["wild"', 'unfit = ["wilds"', "rules.unfit", "is none of"),
        ("classic", "JK = 50, ", "", "rules.values", "exactly"),
        ("classic", "JK = 50", "JK = 51", "rules.values.JK", "steps of five"),
        ("classic", "[1500, 50]", "[-1500, 50]", "rules.opening_below", "rise"),
        ("classic", "[1500, 50]", "1500", "rules.opening_below", "pairs"),
        ("classic", 'title = "Classic"', "title = 1", "title", "needs a text"),
        ("classic", "[rules]", 'colour = "red"\n[rules]', "seats.4.colour", "unknown key"),
        ("classic", "[seats.4]", "[seats.9]", "seats.9", "2 to 6"),
        ("classic", "[seats.4]\nteams = 2", "[seats.4]", "seats.4.teams", "is missing"),
        ("salon", 'extends = "classic"', 'extends = "classics"', "extends", "no profile"),
        ("salon", 'default = "upcard"', 'default = "top"', "options.exhausted_take.default", "none of"),
        ("salon", "seats = [2]", 'seats = ["2"]', "options.draw.seats", "list of numbers"),
        (
            "canastra",
            'excludes = ["three_pack"]',
            'excludes = ["four_pack"]',
            "options.two_pack.excludes",
            "no option",
        ),
        ("canastra", "[options.real.value.true]\nruns", "[options.real.value.true]\nrun", "runs", "unknown"),
        ("browser", "step = 500", "step = 500\nstride = 1", "options.target.stride", "unknown key"),
        ("classic", "[rules]", "[rules", "file", ""),
    ],
)
def test_wrong_files_name_file_key_and_reason(
    tmp_path: Path, name: str, old: str, new: str, key: str, reason: str
) -> None:
    folder = edited(tmp_path, name, (old, new))
    with pytest.raises(ProfileError) as raised:
        profile_ids(folder)
    assert raised.value.file == f"{name}.toml"
    assert key in raised.value.key or key.removesuffix("s") in raised.value.key
    assert reason in raised.value.reason


def test_a_cycle_of_extends(tmp_path: Path) -> None:
    folder = edited(tmp_path, "salon", ('extends = "classic"', 'extends = "browser"'))
    path = folder / "browser.toml"
    text = path.read_text(encoding="utf-8").replace('extends = "classic"', 'extends = "salon"')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError, match="a cycle"):
        profile_ids(folder)


def test_impossible_hands(tmp_path: Path) -> None:
    folder = edited(tmp_path, "classic", ("hand = 11", "hand = 30"))
    with pytest.raises(ProfileError, match="leave no stock"):
        load_rules("classic", folder=folder)


def test_a_table_outlives_its_profile() -> None:
    rules = load_rules("salon")
    assert profile_title(rules) == "Salon"
    assert profile_title(dataclasses.replace(rules, profile="gone")) == "gone"


NEW = """
extends = "salon"
title = "Corner"
source = "own"

[seats.3]
teams = 3
hand = 9

[rules]
draw = 2
natural_canasta = 1000
target = 2000
"""


def test_a_new_profile_is_one_file(tmp_path: Path) -> None:
    folder = edited(tmp_path, "classic")
    (folder / "corner.toml").write_text(NEW, encoding="utf-8")
    rules = load_rules("corner", folder=folder)
    assert (rules.seats, rules.draw, rules.natural_canasta, rules.max_wilds) == (3, 2, 1000, None)
    rng = random.Random(7)
    for _ in range(5):
        played = play_round(deal_round(rules, rng), first_offer, rng)
        assert len(played.state.public.sheets) == 3
