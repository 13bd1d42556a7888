"""What a table does by itself when its alarm rings: an edit of a Change."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from canasta_core.tables import clocks
from canasta_core.tables.change import Change
from canasta_core.tables.model import Ended, NoticeKind, Preferences, Sitter, Stage, Table, What
from canasta_core.tables.ports import Chance


def ring(change: Change, chance: Chance, untold: Collection[int]) -> None:
    """Do what is due. Nothing may be: then the change stays empty.

    `untold`: user ids of those who could not be told yet of what they are waited for.
    """
    table = change.table
    if table.stage is Stage.ENDED:
        return
    if table.paused is not None:
        if table.paused.until <= change.now:
            change.table = replace(change.table, paused=None)
            change.step(What.RESUME)
        return
    expires = clocks.expiry(table)
    if expires is not None and expires <= change.now:
        _end(change)
    elif table.deadline is not None and table.deadline <= change.now:
        if clocks.is_between_rounds(table):
            change.deal(chance, None)
        else:
            _miss(change, untold)


def is_reminder_due(table: Table, now: float) -> bool:
    """Whether somebody has to be reminded, and nothing else has to be done first."""
    return (
        table.reminder is not None
        and table.reminder <= now
        and table.deadline is not None
        and table.deadline > now
    )


def reminder_data(
    table: Table, sitters: Sequence[Sitter], preferences: Mapping[int, Preferences]
) -> dict[str, object] | None:
    """What a REMINDER tells: which persons whose clock runs want to know; None when none of them does."""
    wanting = [
        sitter
        for sitter in sitters
        if sitter.user_id is not None and clocks.wants_reminder(preferences, sitter.user_id)
    ]
    if not wanting:
        return None
    return {
        "seat": wanting[0].seat,
        "user_id": wanting[0].user_id,
        "user_ids": [sitter.user_id for sitter in wanting],
        "deadline": table.deadline,
    }


def _end(change: Change) -> None:
    reason = Ended.EXPIRED if change.table.stage is Stage.LOBBY else Ended.DESERTED
    change.end(reason)
    change.step(What.END, detail={"reason": reason})


def _miss(change: Change, untold: Collection[int]) -> None:
    """The clock has run out for a person: an AI player finishes the turn, or keeps the seat.

    Of several who were asked it is the first; whoever is left has the next alarm, which is at once. Nobody
    misses a turn that they could not know of, as while Discord is out of order: the clock begins anew.
    """
    sitters = clocks.running_for(change.table, change.now)
    if not sitters:
        return
    sitter = sitters[0]
    if sitter.user_id in untold:
        change.wind_anew()
        change.step(What.UNTOLD, seat=sitter.seat)
        return
    missed = sitter.missed + 1
    change.set_sitter(replace(sitter, missed=missed))
    if missed < clocks.MOST_MISSED:
        wait = change.table.wait
        change.table = replace(change.table, wait=replace(wait, owed=(*wait.owed, sitter.seat)))
        change.step(What.MISSED, seat=sitter.seat)
        return
    change.step(What.MISSED, seat=sitter.seat)
    change.set_sitter(replace(sitter, missed=missed, absent=True, kept=True))
    change.tell(NoticeKind.STAND_IN, seat=sitter.seat, user_id=sitter.user_id)
    change.step(What.KEPT, seat=sitter.seat)
