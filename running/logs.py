"""What is logged: lines for people, or one JSON object a line for machines; never a token, never a card.

Who reads logs may play, too. So whatever a message or a traceback says, card notation is struck out of it, as
are the bot's token and the tokens that Discord puts into addresses.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, TextIO

FORMATS: Final = ("text", "json")
_TALKATIVE: Final = ("aiosqlite", "discord", "filelock")
"""What these say for debugging is rows and payloads, or of no use."""

_TOKENS: Final = (
    # .../interactions/<id>/<token>/callback and .../webhooks/<id>/<token>/messages/...
    (re.compile(r"(/(?:interactions|webhooks)/[^/\s]+/)[^/\s?\"'<>]+"), r"\1[token]"),
    # "interaction:" in base 64, with which every interaction's token begins
    (re.compile(r"aW50ZXJhY3Rpb24[\w+/=.-]*"), "[token]"),
    # a bot's token: its id, a time and a signature
    (re.compile(r"[\w-]{23,30}\.[\w-]{6,8}\.[\w-]{27,}"), "[token]"),
)
_CARD: Final = re.compile(
    r"(?<![\w.])(?:(?:10|[2-9TJQKA])(?:[SHDC]|[\ufe0e\ufe0f]?[♠♥♦♣][\ufe0e\ufe0f]?)|JK)(?!\w)"
)
_TABLE: Final = re.compile(r"\btable (\d+)\b", re.IGNORECASE)
_GUILD: Final = re.compile(r"\b(?:guild|server) (\d+)\b", re.IGNORECASE)


class Redactor:
    """Strikes out of a text what must not be in a log."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """`secrets`: texts that are struck out as they are."""
        self._secrets = tuple(secret for secret in secrets if secret)

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[token]")
        for pattern, shown in _TOKENS:
            text = pattern.sub(shown, text)
        return _CARD.sub("[card]", text)


class TextFormatter(logging.Formatter):
    """A line for people: time (UTC), level, logger, message; a traceback below it."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__("%(levelname)-8s %(name)s: %(message)s")
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        return f"{_time(record)} {self._redact(super().format(record))}"


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message; table, guild, exception where there is one."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        said: dict[str, str | int] = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": self._redact(message),
        }
        # Messages about a table or a server name it in these words.
        for name, pattern in (("table", _TABLE), ("guild", _GUILD)):
            if found := pattern.search(message):
                said[name] = int(found[1])
        if record.exc_info:
            said["exception"] = self._redact(self.formatException(record.exc_info))
        if record.stack_info:
            said["stack"] = self._redact(record.stack_info)
        return json.dumps(said, ensure_ascii=False)


def set_up(level: int, form: str, secrets: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """Log to `stream` (stderr) in one of FORMATS, from now on."""
    redact = Redactor(secrets)
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter(redact) if form == "json" else TextFormatter(redact))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.captureWarnings(True)
    for talkative in _TALKATIVE:
        logging.getLogger(talkative).setLevel(max(level, logging.INFO))


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
