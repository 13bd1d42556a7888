"""Whose clock runs at a table, until when, and when the table has to be looked at by itself.

Pure functions of a table, the time and what people have chosen. One clock covers a whole turn, a question
to partners, or what is left of the turn after the answer; it is wound with the change that begins the
occasion, in the same transaction. All times are unix seconds.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from canasta_core.legality import who_acts
from canasta_core.state import Phase
from canasta_core.tables.model import DAY, Preferences, Reminders, Sitter, Stage, Table, Wait
from canasta_core.tables.quiet import out_of_quiet

LOBBY_LIFE: Final = 7 * DAY
"""Seconds from the last change of a table that does not begin until it ends by itself."""
REST_LIFE: Final = 30 * DAY
"""Seconds from the last change of a game that nobody plays any more until it ends by itself."""
MOST_MISSED: Final = 3
"""Turns in a row that the clock may end for a person before an AI player keeps the seat."""
GRACE: Final = 300.0
"""Seconds that somebody gets at most who moves after their clock ran out and before the AI player did.

Once in a turn: whoever is late again has the rest of it played by the AI player.
"""
GONE: Final = 7 * DAY
"""Seconds without a move after which nobody asks who is waited for at a table without a clock."""
_LEAST_NOTICE: Final = 60.0
_MOST_NOTICE: Final = 12 * 3600.0
"""A reminder comes a sixth of the clock before its end, within these seconds."""
_APART: Final = (Phase.PERMISSION, Phase.ROUND_OVER)
"""Phases that are occasions of their own."""


def is_away(sitter: Sitter, now: float) -> bool:
    """Whether somebody has said that they are away, and the time is not over."""
    return sitter.away_until is not None and sitter.away_until > now


def lapsed(table: Table, now: float) -> tuple[int, ...]:
    """Seats of persons whose time to be away is over; a table that has ended changes no more."""
    if table.stage is Stage.ENDED:
        return ()
    return tuple(
        sitter.seat for sitter in table.sitters if sitter.away_until is not None and not is_away(sitter, now)
    )


def in_turn(table: Table) -> tuple[Sitter, ...]:
    """The persons whose turn it is, or who are asked, at the seats that no AI player keeps."""
    if table.state is None or table.stage is not Stage.PLAYING:
        return ()
    found = (table.sitter(seat) for seat in who_acts(table.state.public))
    return tuple(sitter for sitter in found if sitter is not None and sitter.is_active)


def waited_for(table: Table) -> tuple[Sitter, ...]:
    """The persons who must move now, also who is away; not those for whom an AI player finishes."""
    return tuple(sitter for sitter in in_turn(table) if sitter.seat not in table.wait.owed)


def running_for(table: Table, now: float) -> tuple[Sitter, ...]:
    """The persons whose clock runs: those waited for who are not away, unless the whole table rests."""
    if table.rests:
        return ()
    return tuple(sitter for sitter in waited_for(table) if not is_away(sitter, now))


def is_gone(table: Table, sitter: Sitter, now: float) -> bool:
    """Whether a table without a clock has waited for somebody for so long that the others go on."""
    since = table.wait.since
    return (
        table.clock is None
        and since is not None
        and now - since >= GONE
        and sitter in running_for(table, now)
    )


def is_between_rounds(table: Table) -> bool:
    """A round is over, and the next one begins by itself."""
    return (
        table.stage is Stage.PLAYING
        and table.state is not None
        and table.state.public.phase is Phase.ROUND_OVER
    )


def is_asking(table: Table) -> bool:
    """A question to partners is open."""
    return (
        table.stage is Stage.PLAYING
        and table.state is not None
        and table.state.public.phase is Phase.PERMISSION
    )


def wound(
    before: Table, table: Table, now: float, next_round: float, preferences: Mapping[int, Preferences]
) -> Table:
    """`table` with its clock as it must be stored, `before` being as it is stored now.

    The clock goes on while the occasion is the same, and begins anew when it is another, or somebody else
    is waited for. It stops, and keeps what it had left, while everybody waited for is away and while the
    table rests. Who moves when it has run out and no AI player has finished for them yet gets a short
    while more, once in a turn, to finish what they are at. `next_round`: seconds of the pause between two
    rounds. `preferences` by user id, of `running_for`; who is missing has chosen nothing.
    """
    table = replace(table, wait=replace(table.wait, owed=_still_owed(before, table)))
    occasion = _occasion(table)
    if occasion is None:
        return replace(
            table,
            deadline=None,
            reminder=None,
            wait=Wait(),
            paused=table.paused if table.stage is Stage.PLAYING else None,
        )
    same = goes_on = occasion == _occasion(before)
    waiting = waited_for(table)
    newcomers = {_who(each) for each in waiting} - {_who(each) for each in waited_for(before)}
    if is_between_rounds(table):
        length: float | None = next_round
        runs = not table.rests
    else:
        length = table.clock
        runs = bool(running_for(table, now))
    same = same and not newcomers
    wait = replace(
        table.wait,
        remaining=None,
        reminded=same and table.wait.reminded,
        asked=(),
        late=goes_on and table.wait.late,
        since=_since(before, now, same) if table.clock is None else None,
    )
    if is_asking(table):
        wait = replace(wait, asked=_still_asked(before, table))
    if length is None or not (waiting or is_between_rounds(table)):
        return replace(table, deadline=None, reminder=None, wait=wait)
    if not runs:
        remaining = _remaining(before, now) if same else None
        return replace(table, deadline=None, reminder=None, wait=replace(wait, remaining=remaining))
    late = (
        before.deadline is not None
        and before.deadline <= now
        and table.played != before.played
        and not before.wait.late
    )
    if same and before.deadline is not None and not late:
        return replace(table, deadline=before.deadline, reminder=before.reminder, wait=wait)
    if (same and late) or any(seat in before.wait.owed for seat, _ in newcomers):
        # Their time is over already: what they get is for finishing what they are at.
        length, wait = min(length, GRACE), replace(wait, reminded=True, late=True)
    elif same and before.wait.remaining is not None:
        length = before.wait.remaining
    table = replace(table, deadline=now + length, reminder=None, wait=wait)
    return replace(table, reminder=reminder(table, now, preferences))


def reminder(table: Table, now: float, preferences: Mapping[int, Preferences]) -> float | None:
    """When the persons whose clock runs are to be reminded: with the first of them who wants it.

    None when nobody does, when they were, or when there is no good time left for it.
    """
    if table.clock is None or table.deadline is None or table.wait.reminded or is_between_rounds(table):
        return None
    best = table.deadline - max(_LEAST_NOTICE, min(table.clock / 6, _MOST_NOTICE))
    times = [
        out_of_quiet(best, now, table.deadline, preferences.get(sitter.user_id, Preferences()))
        for sitter in running_for(table, now)
        if sitter.user_id is not None and wants_reminder(preferences, sitter.user_id)
    ]
    return min((each for each in times if each is not None), default=None)


def wants_reminder(preferences: Mapping[int, Preferences], user_id: int) -> bool:
    return preferences.get(user_id, Preferences()).reminders is not Reminders.OFF


def alarm(table: Table) -> float | None:
    """When the table has to be looked at by itself next; None when never.

    For its clock, a reminder, the end of somebody's absence or of the pause, or because nobody begins or
    plays it.
    """
    if table.stage is Stage.ENDED:
        return None
    times = [table.deadline, table.reminder, *(sitter.away_until for sitter in table.sitters)]
    if table.paused is not None:
        times.append(table.paused.until)
    else:
        times.append(expiry(table))
    return min((each for each in times if each is not None), default=None)


def expiry(table: Table) -> float | None:
    """When the table ends if nothing changes: in the lobby, or when no person plays any more."""
    if table.stage is Stage.LOBBY:
        return table.touched_at + LOBBY_LIFE
    if table.stage is Stage.PLAYING and table.rests:
        return table.touched_at + REST_LIFE
    return None


def _occasion(table: Table) -> tuple[object, ...] | None:
    """What tells one occasion of waiting from the next; None when nothing runs at the table at all."""
    if table.state is None or table.stage is not Stage.PLAYING:
        return None
    public = table.state.public
    if public.phase is Phase.GAME_OVER:
        return None
    apart = public.phase if public.phase in _APART else None
    return public.round_number, public.turn, apart, table.clock


def _is_same_turn(before: Table, table: Table) -> bool:
    if before.state is None or table.state is None:
        return False
    earlier, public = before.state.public, table.state.public
    return (earlier.round_number, earlier.turn) == (public.round_number, public.turn)


def _who(sitter: Sitter) -> tuple[int, int]:
    """Tells one sitter of a seat from the next."""
    return sitter.seat, sitter.since


def _since(before: Table, now: float, same: bool) -> float:
    """Since when somebody is waited for who may move; while all of them are away or it rests, nobody is."""
    ran = bool(running_for(before, before.touched_at))
    return before.wait.since if same and ran and before.wait.since is not None else now


def _remaining(before: Table, now: float) -> float | None:
    if before.deadline is None:
        return before.wait.remaining
    # A clock that has run out belongs to somebody else than those who are waited for now.
    return before.deadline - now if before.deadline > now else None


def _still_owed(before: Table, table: Table) -> tuple[int, ...]:
    """Seats for which an AI player still has to finish the same turn, or to answer the same question."""
    if table.state is None or table.stage is not Stage.PLAYING or not _is_same_turn(before, table):
        return ()
    public = table.state.public
    involved = {public.turn, *public.pending} if public.phase is not Phase.ROUND_OVER else set()
    stayed = {_who(sitter) for sitter in before.sitters}
    return tuple(
        sitter.seat
        for sitter in table.sitters
        if sitter.seat in table.wait.owed
        and sitter.seat in involved
        and sitter.is_active
        and _who(sitter) in stayed
    )


def _still_asked(before: Table, table: Table) -> tuple[int, ...]:
    """Seats of persons who know of the question that is open, and still are to answer it."""
    if not is_asking(before) or not is_asking(table) or not _is_same_turn(before, table):
        return ()
    known = {_who(sitter) for sitter in waited_for(before)}
    return tuple(
        sitter.seat
        for sitter in waited_for(table)
        if _who(sitter) in known and sitter.seat in table.wait.asked
    )
