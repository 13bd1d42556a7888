"""What a finished game has changed: the ratings of those for whom it counts, and why not for the others."""

from __future__ import annotations

from collections.abc import Sequence

from canasta_core.tables.ports import ResultRow
from canasta_core.tables.standings import WITH_AI
from cogs.ui.face import Face, person_name
from cogs.ui.pools import pool_title
from cogs.ui.text import text


def ratings_text(face: Face, results: Sequence[ResultRow]) -> str:
    """`Ratings (Classic 2 v 2): Ann 1,034 (+18) · Bob 982 (−12)`; empty when nobody of them is a person."""
    changes = [
        face.words(
            "score-rating",
            name=person_name(face.locale, row.user_id, row.name),
            rating=round(row.rating_after),
            change=signed(face.locale, round(row.rating_after) - round(row.rating_before)),
        )
        for row in results
        if row.rating_before is not None and row.rating_after is not None
    ]
    lines = []
    if changes:
        pool = pool_title(face.locale, _pool_name(results))
        lines.append(face.words("score-ratings", pool=pool, changes=face.words("list-join").join(changes)))
    left_out = [row for row in results if row.user_id is not None and not row.whole]
    kept = [row for row in left_out if _was_kept(face, row.seat)]
    late = [row for row in left_out if row not in kept]
    if kept:
        lines.append(face.words("score-uncounted-kept", names=_names(face, kept)))
    if late:
        lines.append(face.words("score-uncounted-late", names=_names(face, late)))
    return "\n".join(lines)


def signed(locale: str, change: int) -> str:
    """`+18`, `−12`, `±0`."""
    sign = "rating-up" if change > 0 else "rating-down" if change < 0 else "rating-same"
    return text(locale, sign, change=abs(change))


def _pool_name(results: Sequence[ResultRow]) -> str:
    own = f"{results[0].profile} {results[0].shape}"
    return f"{own} {WITH_AI}" if any(row.user_id is None for row in results) else own


def _was_kept(face: Face, seat: int) -> bool:
    sitter = face.sitter(seat)
    return sitter is not None and sitter.kept


def _names(face: Face, rows: Sequence[ResultRow]) -> str:
    return face.words("list-comma").join(person_name(face.locale, row.user_id, row.name) for row in rows)
