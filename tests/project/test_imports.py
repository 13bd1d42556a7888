"""The import rules hold, and a breach of them is found."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("canasta_core", "data", "cogs", "local", "ratings", "running")
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "*.db*")
        )
    for name in ("bot.py", "settings.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def test_the_tree_as_it_is(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("package", "planted"),
    [
        ("canasta_core", "import discord"),
        ("canasta_core", "import yaml"),
        ("canasta_core", "import canasta_core.tables.model"),
        ("canasta_core", "import data"),
        ("canasta_core/tables", "import aiosqlite"),
        ("canasta_core/tables", "import cogs"),
        ("canasta_core/tables", "import bot"),
        ("data", "import cogs"),
        ("data", "import discord"),
        ("data", "import simcord"),
        ("data", "import fluent.runtime"),
        ("cogs", "import data"),
        ("cogs", "import aiosqlite"),
        ("cogs", "import settings"),
        ("canasta_core/tables", "import filelock"),
        ("cogs", "import running.logs"),
        ("running", "import canasta_core"),
        ("running", "import discord"),
        ("local", "import canasta_core.cards"),
        ("local", "import bot"),
        ("ratings", "import cogs"),
        ("ratings", "import data"),
        ("canasta_core/tables", "import openskill"),
        ("cogs", "import openskill.models"),
    ],
)
def test_a_planted_breach_is_found(copy: Path, package: str, planted: str) -> None:
    plant = copy / package / "planted.py"
    plant.write_text(f"{planted}\n", encoding="utf-8")
    try:
        result = lint(copy)
    finally:
        plant.unlink()
    assert result.returncode == 1, result.stdout
    assert f"{package.replace('/', '.')}.planted" in result.stdout


def imported(path: Path) -> Iterator[str]:
    """The top-level names that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


def test_the_core_imports_the_standard_library_only() -> None:
    allowed = sys.stdlib_module_names | {"canasta_core"}
    foreign = {
        (str(path.relative_to(ROOT)), name)
        for path in (ROOT / "canasta_core").rglob("*.py")
        for name in imported(path)
        if name not in allowed
    }
    assert foreign == set()


@pytest.mark.parametrize(
    ("module", "allowed"),
    [
        (
            "bot.py",
            {"aiohttp", "canasta_core", "cogs", "data", "discord", "local", "ratings", "running", "settings"},
        ),
        ("settings.py", {"dotenv"}),
    ],
)
def test_single_modules_import_only(module: str, allowed: set[str]) -> None:
    assert {name for name in imported(ROOT / module) if name not in sys.stdlib_module_names} <= allowed
