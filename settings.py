"""The settings of one installation: read from the environment and from `.env`, checked, and nothing else.

Each is documented in `.env.example`. What the environment has, be it empty, goes before what stands in the
file; an empty value means the default.
"""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from dotenv import dotenv_values

ROOT = Path(__file__).resolve().parent
"""Where bot.py lies. Relative paths in settings start here, whatever the working directory is."""

PREFIX = "CANASTA_"
DATABASE = ROOT / "data" / "canasta.db"
LOCAL_DATABASE = ROOT / "data" / "local.db"
AI_DELAY = 2.0
NEXT_ROUND = 600.0
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
LOG_FORMATS = ("text", "json")


class SettingError(Exception):
    """A setting is wrong or unknown; the message is one sentence for the person who runs the bot."""


def _text(value: str) -> str:
    return value


def _path(value: str) -> Path:
    try:
        path = ROOT / Path(value).expanduser()
        is_folder = path.is_dir()
    except (OSError, RuntimeError):
        # A name that is too long, a folder that may not be looked into, `~` of nobody.
        raise ValueError("the name of a file that can be opened") from None
    if is_folder:
        raise ValueError("the name of a file, not of a folder")
    return path


def _port(value: str) -> int:
    if not value.isascii() or not value.isdecimal() or int(value) > 65535:
        raise ValueError("a port from 1 to 65535, or 0 for any that is free")
    return int(value)


def _level(value: str) -> str:
    if value.upper() not in LOG_LEVELS:
        raise ValueError("one of " + ", ".join(LOG_LEVELS))
    return value.upper()


def _format(value: str) -> str:
    if value.lower() not in LOG_FORMATS:
        raise ValueError("one of " + ", ".join(LOG_FORMATS))
    return value.lower()


def _days(value: str) -> int:
    if not value.isascii() or not value.isdecimal() or not 1 <= int(value) <= 36_500:
        raise ValueError("a whole number of days from 1 to 36500")
    return int(value)


def _guild(value: str) -> int:
    if not value.isascii() or not value.isdecimal() or not 0 < int(value) < 1 << 63:
        raise ValueError("the id of a server, a number of about 18 digits")
    return int(value)


def _seconds(longest: int) -> Callable[[str], float]:
    def read(value: str) -> float:
        wanted = f"a number of seconds from 0 to {longest}"
        try:
            seconds = float(value)
        except ValueError:
            raise ValueError(wanted) from None
        if not math.isfinite(seconds) or not 0 <= seconds <= longest:
            raise ValueError(wanted)
        return seconds

    return read


def _read_from(name: str, read: Callable[[str], Any], *, secret: bool = False) -> Mapping[str, Any]:
    return {"name": name, "read": read, "secret": secret}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `.env` and the environment say; the defaults where they are silent."""

    token: str | None = field(
        default=None, repr=False, metadata=_read_from("DISCORD_TOKEN", _text, secret=True)
    )
    """The bot's token. Without one, the bot runs on the local page."""

    database: Path = field(default=DATABASE, metadata=_read_from("CANASTA_DATABASE", _path))
    """The database file on Discord."""

    local_database: Path = field(default=LOCAL_DATABASE, metadata=_read_from("CANASTA_LOCAL_DATABASE", _path))
    """The database file of the local page, whose people and channels are not those of Discord."""

    local_port: int = field(default=8765, metadata=_read_from("CANASTA_LOCAL_PORT", _port))
    """The local page's port on 127.0.0.1; 0 takes any free one."""

    log_level: str = field(default="INFO", metadata=_read_from("CANASTA_LOG_LEVEL", _level))
    """The least severe messages that are written to stderr."""

    log_format: str = field(default="text", metadata=_read_from("CANASTA_LOG_FORMAT", _format))
    """Lines for people, or one JSON object a line."""

    health: Path | None = field(default=None, metadata=_read_from("CANASTA_HEALTH", _path))
    """The file with the sign of life; beside the database unless it is set."""

    keep_days: int | None = field(default=None, metadata=_read_from("CANASTA_KEEP_DAYS", _days))
    """Days after its end until the log of a game is packed into less room; without it, never."""

    ai_delay: float = field(default=AI_DELAY, metadata=_read_from("CANASTA_AI_DELAY", _seconds(60)))
    """Seconds of public pause before an AI player moves."""

    next_round: float = field(
        default=NEXT_ROUND, metadata=_read_from("CANASTA_NEXT_ROUND", _seconds(604_800))
    )
    """Seconds until the next round starts by itself."""

    guild: int | None = field(default=None, metadata=_read_from("CANASTA_GUILD", _guild))
    """The one server that gets the commands, at once, while developing; without it all servers get them."""


def names() -> tuple[str, ...]:
    """Every setting by its name in the environment."""
    return tuple(spec.metadata["name"] for spec in fields(Settings))


def version() -> str:
    """The version of this program."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def load(environment: Mapping[str, str] | None = None, *, file: Path | None = None) -> Settings:
    """Read the settings from `environment` (the process's own) and from `file` (`.env` beside bot.py).

    Raises SettingError for a value that cannot be used, for an unknown name that starts with `CANASTA_`, and
    for a file that cannot be read.
    """
    environment = os.environ if environment is None else environment
    file = ROOT / ".env" if file is None else file
    try:
        stored = dotenv_values(file, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"{file} cannot be read: {error}.") from None
    given = {name: value.strip() for name, value in {**stored, **environment}.items() if value is not None}

    known = names()
    for name in sorted(given):
        if name.startswith(PREFIX) and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
            raise SettingError(
                f"{name} is not a setting; did you mean {near}? (.env.example lists them all.)"
            )

    values: dict[str, Any] = {}
    for spec in fields(Settings):
        name = spec.metadata["name"]
        if text := given.get(name):
            try:
                values[spec.name] = spec.metadata["read"](text)
            except ValueError as error:
                shown = "its value" if spec.metadata["secret"] else repr(text)
                raise SettingError(f"{name} must be {error}, not {shown}.") from None
    settings = Settings(**values)
    if settings.database == settings.local_database:
        raise SettingError("CANASTA_DATABASE and CANASTA_LOCAL_DATABASE must be two different files.")
    return settings
