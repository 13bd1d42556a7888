"""The scripts are what they should be: executable, valid, and clear when Python is too old."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = (
    *sorted(path for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix),
    ROOT / ".ci" / "run",
)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_executable_and_valid(script: Path) -> None:
    assert os.access(script, os.X_OK)
    if script.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash"):
        subprocess.run(["bash", "-n", script], check=True)


@pytest.mark.parametrize("name", ["backup", "restore", "health", "ratings", "growth"])
def test_the_tools_of_a_host_install_nothing(name: str, tmp_path: Path) -> None:
    """The environment that docs/hosting.md makes has what the bot needs, and belongs to root."""
    for path in (f"scripts/{name}", "scripts/_venv.sh", *(each.name for each in ROOT.glob("requirements*"))):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes((ROOT / path).read_bytes())
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    result = subprocess.run(
        ["bash", tmp_path / "scripts" / name, "--help"], capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"scripts/\w+\.py --help\n", result.stdout)


def test_an_old_python_is_named(tmp_path: Path) -> None:
    """With no Python that is new enough, `run` says so in one sentence and makes nothing."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("python3.11", "python3"):
        (tools / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    project = tmp_path / "project"
    (project / "scripts").mkdir(parents=True)
    for name in ("run", "_venv.sh"):
        (project / "scripts" / name).write_bytes((ROOT / "scripts" / name).read_bytes())
    for path in ROOT.glob("requirements*.txt"):
        (project / path.name).write_bytes(path.read_bytes())

    result = subprocess.run(
        ["bash", project / "scripts" / "run"],
        cwd=tmp_path,
        env={"PATH": f"{tools}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "Python 3.11 or newer is needed, and neither python3.11 nor python3 is one."
    ]
    assert not (project / ".venv").exists()
