"""What is stored about a person, as files for them, and the question before it is deleted."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

import discord
from discord import ui

from canasta_core.tables.own_data import OwnData, time_text
from canasta_core.tables.privacy import Forgotten
from cogs.ui.layout import Click, Layout, Verb, button, note, rows, words
from cogs.ui.text import text

FILE: Final = "canasta-data"
"""Name of the file, without its ending."""
MOST_FILES: Final = 10
"""That one message can carry."""
_PACKS: Final = 8
"""How many times smaller such a text gets at least when it is packed, as a first guess."""
_Entry = tuple[str, str]
"""Kind, and JSON text."""


def files_of(locale: str, data: OwnData, made_at: float, limit: int) -> dict[str, bytes]:
    """Files for a person, by name, each below `limit` bytes: one to be read as it is, or packed ones.

    Takes seconds for very long lives, so it is not for the event loop.
    """
    entries = [(kind, one) for kind, found in data.entries.items() for one in found]
    whole = _document(locale, data.user_id, made_at, entries, 1, 1)
    if len(whole) < limit:
        return {f"{FILE}.json": whole}
    size = limit * _PACKS
    while True:
        parts = list(_parts(entries, size))
        packed = [
            _zipped(_document(locale, data.user_id, made_at, part, number, len(parts)), number)
            for number, part in enumerate(parts, 1)
        ]
        if all(len(one) < limit for one in packed):
            return {f"{FILE}-{number}.zip": one for number, one in enumerate(packed, 1)}
        size //= 2


def _parts(entries: Sequence[_Entry], size: int) -> Iterator[Sequence[_Entry]]:
    """Entries in their order, so many that their texts have `size` bytes or so together."""
    start = room = 0
    for place, (_, one) in enumerate(entries):
        room += len(one.encode()) + 2
        if room > size and place > start:
            yield entries[start:place]
            start, room = place, len(one.encode()) + 2
    yield entries[start:]


def _document(
    locale: str, user_id: int, made_at: float, entries: Sequence[_Entry], part: int, parts: int
) -> bytes:
    kinds = [
        (kind, ",\n  ".join(one for _, one in found))
        for kind, found in groupby(entries, lambda entry: entry[0])
    ]
    head = {
        "what": text(locale, "privacy-file"),
        "user_id": user_id,
        "made_at": made_at,
        "made_at_text": time_text(made_at),
        "part": part,
        "parts": parts,
        "about": {kind: text(locale, f"privacy-kind-{kind.replace('_', '-')}") for kind, _ in kinds},
    }
    body = ",\n ".join(f"{json.dumps(kind)}: [\n  {found}\n ]" for kind, found in kinds)
    start = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    return f'{start},\n "data": {{\n {body}\n }}\n}}\n'.encode()


def _zipped(document: bytes, number: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        packed.writestr(f"{FILE}-{number}.json", document)
    return file.getvalue()


def files_layout(locale: str, names: Sequence[str]) -> Layout:
    """The message that carries the files."""
    said = text(locale, "privacy-exported", count=len(names))
    return Layout(words(said), *(ui.File(f"attachment://{name}") for name in names))


def delete_question(locale: str, tables: int) -> Layout:
    """What deletion means, and the click that does it; `tables` where the person sits now."""
    sure = button(
        Click(Verb.FORGET, 0, 0), text(locale, "button-delete-everything"), style=discord.ButtonStyle.danger
    )
    return Layout(words(text(locale, "privacy-delete-sure", tables=tables)), *rows([sure]))


def deleted(locale: str, forgotten: Forgotten) -> Layout:
    """It is done."""
    return note(text(locale, "privacy-deleted", left=forgotten.left, tables=forgotten.tables))
