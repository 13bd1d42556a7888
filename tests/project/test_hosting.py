"""docs/hosting.md tells the truth: what it names exists, and what it quotes is what the bot says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import discord
import pytest

import bot
import settings
from cogs.permissions import needed, needed_for_cup
from running.health import EVERY, OLD, PATIENCE
from running.stop import EXIT_CUT_OFF, LONGEST

ROOT = Path(__file__).resolve().parents[2]
HOSTING = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
UNITS = sorted((ROOT / "deploy").glob("canasta*"))
DEPLOYED = "\n".join([DOCKERFILE, *(unit.read_text(encoding="utf-8") for unit in UNITS)])


def test_files_and_settings_that_it_names_exist() -> None:
    named = set(re.findall(r"\b(?:scripts|deploy|docs)/[\w-]+(?:\.\w+)*", HOSTING + DEPLOYED))
    assert {"scripts/backup", "scripts/restore.py", "deploy/Dockerfile", "deploy/canasta.service"} <= named
    for path in named:
        assert (ROOT / path).exists(), path
    assert set(re.findall(r"(?:CANASTA|DISCORD)_[A-Z_]+", HOSTING + DEPLOYED)) <= set(settings.names())
    headings = re.findall(r"^## (.+)$", HOSTING, flags=re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\(#([\w-]+)\)", HOSTING)) == anchors


def test_options_that_it_names_exist() -> None:
    for name in ("backup", "restore", "health", "growth"):
        shown = subprocess.run(
            [sys.executable, ROOT / "scripts" / f"{name}.py", "--help"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        used = set(re.findall(rf"scripts/{name}(?:\.py)?[^`\n&]*?(--\w+)", HOSTING + DEPLOYED))
        assert all(option in shown for option in used), (name, used)


def test_the_permissions_are_those_that_tables_need() -> None:
    plain = {*needed(in_thread=False), *needed(in_thread=True)}
    threads = plain | set(needed(in_thread=False, makes_thread=True))
    for names in (plain, threads, threads | set(needed_for_cup())):
        wanted = discord.Permissions(**dict.fromkeys(names, True)).value
        assert f"{wanted}" in HOSTING
    assert f"permissions={wanted}\n" in HOSTING


@pytest.mark.parametrize("quoted", re.findall(r"^\| (`.+?`) \| ", HOSTING, flags=re.MULTILINE))
def test_what_it_quotes_is_what_the_bot_says(quoted: str) -> None:
    if "CANASTA_" in quoted:
        return
    source = " ".join((ROOT / name).read_text(encoding="utf-8") for name in ("bot.py", "settings.py"))
    source = re.sub(r'"\s+f?"', "", source)  # sentences of several lines
    for text in re.findall(r"`([^`]+)`", quoted):
        for part in re.split(r"…|, not |\(process.*", text):
            words = part.removeprefix("The database ").strip(" .)")
            assert words in source, words


def test_figures_that_it_states() -> None:
    codes = dict(re.findall(r"^\| (\d) \| (.+?) \|$", HOSTING, flags=re.MULTILINE))
    assert "setting" in codes[str(bot.EXIT_SETTING)]
    assert "another process" in codes[str(bot.EXIT_IN_USE)]
    assert "cut off" in codes[str(EXIT_CUT_OFF)]
    assert f"every {EVERY:.0f} seconds" in HOSTING
    assert f"at most {OLD:.0f} seconds" in HOSTING
    assert f"more than {PATIENCE:.0f} seconds" in HOSTING
    assert LONGEST < 10
    steps = bot.FOR_ANSWERS + bot.FOR_TABLES + bot.FOR_STORE + bot.FOR_DISCORD
    assert steps < LONGEST
    assert f"RestartPreventExitStatus={bot.EXIT_SETTING} {bot.EXIT_IN_USE}" in DEPLOYED


def test_the_image_holds_what_the_bot_needs(tmp_path: Path) -> None:
    for line in re.findall(r"^COPY (.+)$", DOCKERFILE, flags=re.MULTILINE):
        *sources, target = line.split()
        for source in sources:
            path = ROOT / source
            if path.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "*.db*", "backups")
                shutil.copytree(path, tmp_path / target, ignore=ignored)
            else:
                folder = tmp_path / target
                folder.mkdir(exist_ok=True)
                shutil.copy(path, folder / path.name)
    code = "import bot, pathlib; bot.create_bot(database='c.db'); print(bot.settings.version())"
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == settings.version()
    for name in ("backup", "restore", "health"):
        subprocess.run(
            [sys.executable, tmp_path / "scripts" / f"{name}.py", "--help"], capture_output=True, check=True
        )
    ignored_by_docker = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for name in re.findall(r"^COPY (.+) \S+$", DOCKERFILE, flags=re.MULTILINE):
        for source in name.split():
            assert f"!{source.partition('/')[0]}" in ignored_by_docker, source
