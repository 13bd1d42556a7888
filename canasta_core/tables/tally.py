"""What each seat has done in the running round, as far as standings ask: turns, and canastas it made."""

from collections.abc import Sequence
from dataclasses import dataclass

from canasta_core.state import GameState, Phase, Team


@dataclass(frozen=True, slots=True)
class Tally:
    """One seat in one round."""

    turns: int = 0
    canastas: int = 0
    """That this seat completed."""
    naturals: int = 0
    """Those that are natural; who puts a wild card to one takes it from their own count."""


def dealt(state: GameState) -> tuple[Tally, ...]:
    """The count at the start of a round."""
    return (Tally(),) * state.rules.seats


def counted(tally: Sequence[Tally], seat: int, before: GameState, after: GameState) -> tuple[Tally, ...]:
    """The count after something the seat did: a move, or the taking back of one.

    A round that was not counted from its deal on (one that ran before there were counts) stays uncounted.
    """
    if not tally:
        return ()
    team = after.rules.team_of(seat)
    was, now = (_canastas(state.public.teams[team]) for state in (before, after))
    own = tally[seat]
    changed = Tally(
        own.turns + (before.public.phase is Phase.DRAW),
        own.canastas + now[0] - was[0],
        own.naturals + now[1] - was[1],
    )
    return (*tally[:seat], changed, *tally[seat + 1 :])


def _canastas(team: Team) -> tuple[int, int]:
    """All of them, and the natural ones."""
    found = [meld.is_natural for meld in team.melds if meld.is_canasta]
    return len(found), sum(found)
