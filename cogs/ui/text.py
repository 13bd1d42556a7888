"""The only way to words: every sentence a player reads is in `locales/<language>/*.ftl` (Fluent)."""

import logging
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from discord.app_commands import locale_str
from fluent.runtime import FluentBundle, FluentResource

LOCALES: Final = Path(__file__).parent.parent / "locales"
DEFAULT: Final = "en"

MINUS: Final = "\N{MINUS SIGN}"
_HYPHEN: Final = re.compile(r"(?<![\w-])-(?=\d)")
"""What stands before a negative number where Fluent writes it: screen readers pass over it."""

log = logging.getLogger(__name__)


class UnknownTextError(LookupError):
    """A key that no file of the default language has: a defect of the caller."""


def languages() -> tuple[str, ...]:
    """The languages that have words, the default first."""
    found = sorted(folder.name for folder in LOCALES.iterdir() if folder.is_dir())
    return (DEFAULT, *(name for name in found if name != DEFAULT))


@lru_cache
def _bundle(language: str) -> FluentBundle:
    bundle = FluentBundle([language], use_isolating=False)
    for path in sorted((LOCALES / language).glob("*.ftl")):
        bundle.add_resource(FluentResource(path.read_text(encoding="utf-8")))
    return bundle


def text(locale: str, key: str, **facts: int | str) -> str:
    """The sentence `key` in the language of `locale` (`en`, `en-GB`), else in the default language.

    Numbers are passed as numbers, so that plurals and digits come out right; what is a name and only
    looks like a number (a table's) is passed as text. Raises UnknownTextError.
    """
    language = locale.split("-", maxsplit=1)[0].lower()
    for name in (language, DEFAULT) if language in languages_known() else (DEFAULT,):
        bundle = _bundle(name)
        if bundle.has_message(key):
            message = bundle.get_message(key)
            if message.value is not None:
                return _format(bundle, key, message.value, facts)
    raise UnknownTextError(key)


def _format(bundle: FluentBundle, key: str, pattern: Any, facts: Mapping[str, int | str]) -> str:
    words, errors = bundle.format_pattern(pattern, dict(facts))
    if any(isinstance(value, int) and value < 0 for value in facts.values()):
        words = _HYPHEN.sub(MINUS, str(words))
    if errors:
        log.error("text %s: %s", key, "; ".join(map(str, errors)))
    return str(words)


@lru_cache
def languages_known() -> frozenset[str]:
    """`languages`, read once."""
    return frozenset(languages())


def number_text(value: int, *, signed: bool = False) -> str:
    """A number in columns, as sentences write it: `1,485`, `−57`; `signed` has a plus too: `+57`."""
    return (f"{value:+,}" if signed else f"{value:,}").replace("-", MINUS)


def command_text(key: str) -> locale_str:
    """A command's name or description: the default words, and the key for a translator."""
    return locale_str(text(DEFAULT, key), key=key)


def sentence_list(locale: str, parts: list[str]) -> str:
    """`a, b or c`, in the manner of the language."""
    if len(parts) < 2:
        return "".join(parts)
    return text(locale, "list-or", first=text(locale, "list-comma").join(parts[:-1]), last=parts[-1])
