"""Every package is pinned once, the same everywhere, and the files hold all that is needed."""

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
FILES = ("requirements.txt", "requirements-local.txt", "requirements-dev.txt")


def pins(name: str) -> dict[str, str]:
    """Package to version, with those of the file that it includes."""
    found: dict[str, str] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("-r "):
            found |= pins(line.removeprefix("-r "))
            continue
        match = re.fullmatch(r"([\w.-]+)(?:\[\w+\])?==([\w.]+)", line)
        assert match, f"{name}: {line} is no pin"
        key = canonicalize_name(match[1])
        assert key not in found, f"{name}: {key} is pinned twice"
        found[key] = match[2]
    return found


def test_pyproject_names_the_same_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    direct = {
        "requirements.txt": project["dependencies"],
        "requirements-local.txt": project["optional-dependencies"]["local"],
        "requirements-dev.txt": project["optional-dependencies"]["dev"],
    }
    for name, lines in direct.items():
        text = (ROOT / name).read_text(encoding="utf-8").splitlines()
        assert set(lines) <= set(text), name


@pytest.mark.parametrize("name", FILES)
def test_what_is_pinned_is_installed_and_complete(name: str) -> None:
    pinned = pins(name)
    for package, version in pinned.items():
        installed = distribution(package)
        assert installed.version == version
        extras = ["preview"] if package == "simcord" else [""]
        for line in installed.requires or []:
            needed = Requirement(line)
            if needed.marker and not any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                continue
            assert canonicalize_name(needed.name) in pinned, f"{package} needs {needed}"
            assert needed.specifier.contains(pinned[canonicalize_name(needed.name)])
