"""Settings: defaults, values, and one clear sentence for each that is wrong."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import settings
from settings import SettingError, Settings, load

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    """A place where there is no .env."""
    return tmp_path / ".env"


def test_defaults(nothing: Path) -> None:
    assert load({}, file=nothing) == Settings()


def test_every_setting_can_be_set(nothing: Path) -> None:
    given = {
        "DISCORD_TOKEN": " a.b.c ",
        "CANASTA_DATABASE": "kept/tables.db",
        "CANASTA_LOCAL_DATABASE": "/elsewhere/local.db",
        "CANASTA_LOCAL_PORT": "0",
        "CANASTA_LOG_LEVEL": "debug",
        "CANASTA_LOG_FORMAT": "JSON",
        "CANASTA_HEALTH": "run/health.json",
        "CANASTA_KEEP_DAYS": "90",
        "CANASTA_AI_DELAY": "0.5",
        "CANASTA_NEXT_ROUND": "30",
        "CANASTA_GUILD": "123456789012345678",
    }
    assert set(given) == set(settings.names())
    assert load(given, file=nothing) == Settings(
        token="a.b.c",
        database=ROOT / "kept" / "tables.db",
        local_database=Path("/elsewhere/local.db"),
        local_port=0,
        log_level="DEBUG",
        log_format="json",
        health=ROOT / "run" / "health.json",
        keep_days=90,
        ai_delay=0.5,
        next_round=30.0,
        guild=123456789012345678,
    )


def test_the_environment_goes_before_the_file(nothing: Path) -> None:
    nothing.write_text("CANASTA_AI_DELAY=3\nCANASTA_NEXT_ROUND=4\nDISCORD_TOKEN=x\n", encoding="utf-8")
    read = load({"CANASTA_NEXT_ROUND": "5", "DISCORD_TOKEN": ""}, file=nothing)
    assert (read.ai_delay, read.next_round, read.token) == (3.0, 5.0, None)


def test_a_token_is_never_shown() -> None:
    assert "hunter2" not in repr(Settings(token="hunter2"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CANASTA_DATABASE", "."),
        ("CANASTA_DATABASE", "~nobody-of-this-name/canasta.db"),
        ("CANASTA_DATABASE", "c" * 300),
        ("CANASTA_LOCAL_PORT", "65536"),
        ("CANASTA_LOCAL_PORT", "-1"),
        ("CANASTA_LOCAL_PORT", "eighty"),
        ("CANASTA_LOG_LEVEL", "loud"),
        ("CANASTA_LOG_FORMAT", "xml"),
        ("CANASTA_HEALTH", "."),
        ("CANASTA_KEEP_DAYS", "0"),
        ("CANASTA_KEEP_DAYS", "1.5"),
        ("CANASTA_AI_DELAY", "nan"),
        ("CANASTA_AI_DELAY", "-0.1"),
        ("CANASTA_AI_DELAY", "61"),
        ("CANASTA_NEXT_ROUND", "soon"),
        ("CANASTA_NEXT_ROUND", "inf"),
        ("CANASTA_GUILD", "my server"),
        ("CANASTA_GUILD", "0"),
        ("CANASTA_GUILD", "9" * 30),
    ],
)
def test_a_wrong_value_is_named(nothing: Path, name: str, value: str) -> None:
    with pytest.raises(SettingError) as caught:
        load({name: value}, file=nothing)
    assert str(caught.value).startswith(f"{name} must be ")
    assert value in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_name_names_the_nearest(nothing: Path) -> None:
    nothing.write_text("CANASTA_AI_DELAYS=3\n", encoding="utf-8")
    with pytest.raises(
        SettingError, match="CANASTA_AI_DELAYS is not a setting; did you mean CANASTA_AI_DELAY"
    ):
        load({}, file=nothing)


def test_the_two_databases_differ(nothing: Path) -> None:
    with pytest.raises(SettingError, match="two different files"):
        load({"CANASTA_DATABASE": "a.db", "CANASTA_LOCAL_DATABASE": "./a.db"}, file=nothing)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"CANASTA_LOG_LEVEL=\xff\n")
    with pytest.raises(SettingError, match=f"^{re.escape(str(file))} cannot be read"):
        load({}, file=file)


def test_env_example_documents_every_setting_with_its_default() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    entries = re.findall(r"((?:^#.*\n)+)^(\w+)=(.*)$", text, flags=re.MULTILINE)
    assert [name for _, name, _ in entries] == list(settings.names())
    assert load({}, file=ROOT / ".env.example") == Settings()
    silent = {name for _, name, value in entries if not value}
    assert silent == {"DISCORD_TOKEN", "CANASTA_HEALTH", "CANASTA_KEEP_DAYS", "CANASTA_GUILD"}


@pytest.mark.parametrize(
    "wrong", [{"CANASTA_LOCAL_PORT": "x"}, {"CANASTA_PROT": "1"}, {"CANASTA_LOG_LEVEL": "x"}]
)
def test_the_bot_ends_with_a_sentence_and_code_2(wrong: dict[str, str]) -> None:
    result = subprocess.run(
        [sys.executable, ROOT / "bot.py"],
        env={**os.environ, **wrong},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith(next(iter(wrong)))
    assert result.stderr.count("\n") == 1
