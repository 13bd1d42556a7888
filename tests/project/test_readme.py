"""README tells the truth: every command is in it, and what it names exists."""

import re
from pathlib import Path

import bot
import cogs

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


async def test_every_command_is_documented_and_no_other(tmp_path: Path) -> None:
    made = bot.create_bot(database=tmp_path / "canasta.db")
    await cogs.setup(made, made.service)
    there = {
        f"/{command.qualified_name}"
        for top in made.tree.get_commands()
        for command in (getattr(top, "commands", None) or [top])
    }
    assert set(re.findall(r"`(/[a-z -]+)`", README)) == there


def test_what_it_names_exists() -> None:
    scripts = set(re.findall(r"scripts/[\w.-]+", README))
    assert "scripts/run" in scripts
    links = {target for target in re.findall(r"\]\(([^)#]+)", README) if "://" not in target}
    for path in scripts | links:
        assert (ROOT / path).exists(), path
