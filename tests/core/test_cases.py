"""The cases of tests/cases, and the runner that plays them."""

import subprocess
import sys
from pathlib import Path

import pytest

from canasta_core.profiles import profile_ids
from tests.cases.playing import first_difference
from tests.cases.reading import Case, NoCase, read_file

FILES = sorted(Path("tests/cases").glob("*.yaml"))
CASES = [case for path in FILES for case in read_file(path)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    difference = first_difference(case)
    assert difference is None, difference


def test_ids_are_unique_and_rules_are_cited() -> None:
    ids = [case.id for case in CASES]
    assert len(ids) == len(set(ids))
    assert all(case.rule.startswith("R") for case in CASES)


def test_every_profile_has_cases() -> None:
    assert {case.rules.profile for case in CASES} == set(profile_ids())


GOOD = """
- id: good
  rule: R5.1
  profile: classic
  position: {phase: play, hands: {0: KS KH KD 4C 5D}, melds: {0: [QS QH QD]}}
  play:
    - {seat: 0, do: meld KS KH KD}
  expect: {hand: {0: 4C 5D}}
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("phase: play", "fase: play"),
        ("rule: R5.1", "rule: R5.1\n  colour: red"),
        ("{hand:", "{hands:"),
        ("do: meld KS KH KD", "do: meld KS KH KD, say: no"),
        ("profile: classic", "profile: klassik"),
        ("KS KH KD 4C 5D", "KS KH KD 4X 5D"),
        ("position:", "positions:"),
    ],
)
def test_a_file_that_is_no_case_file(tmp_path: Path, old: str, new: str) -> None:
    assert read_file(write(tmp_path / "good.yaml", GOOD))
    path = write(tmp_path / "bad.yaml", GOOD.replace(old, new, 1))
    with pytest.raises(NoCase):
        read_file(path)
    assert run(path).returncode == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{0: 4C 5D}}", "{0: 4C 6D}}", "hand: of 0: expected 4C 6D, came 4C 5D"),
        ("do: meld KS KH KD", "do: meld KS KH KD, error: mixed_ranks", "expected mixed_ranks, came accepted"),
        ("do: meld KS KH KD", "do: meld KS KH 4C", "expected to be accepted, came mixed_ranks"),
        ("expect: {", "expect: {legal: [ask], ", "legal: expected ask too"),
        ("expect: {", "expect: {not_legal: [discard], ", "came discard"),
        ("expect: {", "expect: {melds: {0: [QS QH QD]}, ", "melds: of 0"),
        ("expect: {", "expect: {phase: draw, ", "phase: expected draw, came play"),
        ("expect: {", "expect: {round_score: {0: 5}, ", "round_score: of 0: expected 5, came None"),
    ],
)
def test_a_wrong_expectation_fails(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = write(tmp_path / "wrong.yaml", GOOD.replace(old, new, 1))
    result = run(path)
    assert result.returncode == 1
    assert result.stdout.startswith("good: ")
    assert said in result.stdout
    assert result.stdout.endswith("0 passed, 1 failed\n")


def test_the_runner_passes_all() -> None:
    result = run(*FILES)
    assert result.returncode == 0
    assert result.stdout == f"{len(CASES)} passed, 0 failed\n"


def run(*paths: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tests.cases", *map(str, paths)], capture_output=True, text=True, check=False
    )
