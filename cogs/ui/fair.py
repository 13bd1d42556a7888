"""That the cards were shuffled fairly: the promises, what they bind, and how to check them oneself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from discord import ui

from canasta_core.actions import Deal, DrawLots, write_action
from canasta_core.fairness import is_kept
from canasta_core.record import Record
from cogs.ui.layout import MAX_OPTIONS, Click, Layout, Verb, button, option, rows, select, table_name, words
from cogs.ui.text import text

LOTS: Final = 0
"""Stands for the lots, drawn before the first round, where rounds are numbered."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A shuffle that has been shown, with what binds it."""

    round: int
    """LOTS, or the round that was dealt from it."""
    action: DrawLots | Deal
    salt: str
    promise: str

    @property
    def is_kept(self) -> bool:
        return is_kept(self.promise, self.salt, self.action)


def shuffles_of(record: Record) -> list[Shuffle]:
    """The shuffles of a record, in order."""
    found: list[Shuffle] = []
    for step in record.steps:
        if isinstance(step.action, DrawLots | Deal):
            found.append(Shuffle(len(found), step.action, step.salt, step.promise))
    return found


def fairness(
    locale: str,
    table_id: int,
    shuffles: Sequence[Shuffle],
    *,
    round_number: int,
    running: tuple[int, str] | None,
    closed: str = "",
) -> Layout:
    """The check of all finished rounds, one of them in full, and the promise of the one that runs.

    `running`: its number and promise. `closed` says why there is nothing to check yet.
    """
    head = text(locale, "fair-title", table=table_name(locale, table_id))
    lines = [head, text(locale, "fair-promise")]
    if shuffles:
        lines.append(_verdict(locale, shuffles))
    elif closed:
        lines.append(closed)
    layout = Layout(words("\n".join(lines)))
    if running is not None:
        layout.add_item(words(text(locale, "fair-running", round=running[0], promise=running[1])))
    if not shuffles:
        return layout
    chosen = next((one for one in shuffles if one.round == round_number), shuffles[-1])
    line = f"printf '%s' '{chosen.salt} {write_action(chosen.action)}' | sha256sum"
    said = text(locale, "fair-round", round=chosen.round, promise=chosen.promise)
    block = "\n".join([said, "```sh", line, "```"])
    layout.add_item(words(block))
    if len(shuffles) > 1:
        layout.add_item(_choice(locale, table_id, shuffles, chosen))
    replay = button(Click(Verb.REPLAY, table_id, 0), text(locale, "button-replay"))
    for row in rows([replay]):
        layout.add_item(row)
    return layout


def _verdict(locale: str, shuffles: Sequence[Shuffle]) -> str:
    broken = [str(one.round) for one in shuffles if not one.is_kept]
    if broken:
        return text(locale, "fair-broken", rounds=", ".join(broken), count=len(broken))
    return text(locale, "fair-kept", count=len(shuffles) - 1)


def _choice(locale: str, table_id: int, shuffles: Sequence[Shuffle], chosen: Shuffle) -> ui.ActionRow[Any]:
    first = min(max(chosen.round - MAX_OPTIONS // 2, 0), max(len(shuffles) - MAX_OPTIONS, 0))
    options = [
        option(
            text(locale, "fair-option", round=one.round), str(one.round), default=one.round == chosen.round
        )
        for one in shuffles[first : first + MAX_OPTIONS]
    ]
    return select(Click(Verb.FAIR, table_id, chosen.round), text(locale, "fair-choose"), options)
