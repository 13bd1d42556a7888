"""docs/rules/ says what /rules says: current, complete, and with links that lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from canasta_core.profiles import profile, profile_ids
from cogs.ui.rules_pages import INDEX, changes, pages
from cogs.ui.rules_topics import title, topics_of

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "rules"
PAGES = pages("en")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_current(name: str) -> None:
    there = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert there == PAGES[name], "scripts/rules-pages writes it anew"


def test_every_profile_has_its_page_and_is_listed() -> None:
    assert set(PAGES) == {INDEX, *profile_ids()}
    written = {path.stem for path in FOLDER.glob("*.md")} - {"conflicts"}
    assert written == set(PAGES), "a page of a profile that is no more"
    for name in profile_ids():
        assert f"({name}.md)" in PAGES[INDEX]


@pytest.mark.parametrize("name", profile_ids())
def test_a_page_tells_every_topic_seat_count_and_option(name: str) -> None:
    one = profile(name)
    headings = re.findall(r"^#+ (.*)$", PAGES[name], re.MULTILINE)
    assert len(headings) == len(set(headings))
    for topic in topics_of(one.rules()):
        assert title("en", topic) in headings
    for seats in one.seats:
        assert f"{seats} seats" in headings or seats == one.default_seats
    for change in changes(one):
        heading = f"### `{change.option}={str(change.value).lower()}`"
        section = PAGES[name].partition(heading)[2].partition("\n### ")[0]
        assert "- **" in section, f"{heading} says nothing"
    assert "{" not in PAGES[name]


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    anchors = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^## (.*)$", PAGES[name], re.MULTILINE)
    }
    links = re.findall(r"\]\(([^)]+)\)", PAGES[name])
    assert links
    for link in links:
        assert link[1:] in anchors if link.startswith("#") else (FOLDER / link).exists(), link


def test_the_script_writes_and_checks(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(ROOT / "scripts" / "rules_pages.py"), "--into", str(tmp_path), *arguments],
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )

    assert run("--check").returncode == 1
    assert not list(tmp_path.iterdir())
    assert run().returncode == 0
    assert run("--check").returncode == 0
    (tmp_path / "classic.md").write_text("old", encoding="utf-8")
    stale = run("--check")
    assert stale.returncode == 1
    assert stale.stdout.splitlines() == [str(tmp_path / "classic.md")]
