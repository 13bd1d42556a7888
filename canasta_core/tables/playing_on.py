"""AI players go on at a table of a cup where nobody is any more, so that no round waits for ever.

Any other table rests then until somebody comes back. In a cup the others wait for its result, and it must not
be the one that suits whoever stays away.
"""

from typing import Final

from canasta_core import ai
from canasta_core.legality import who_acts
from canasta_core.state import Phase
from canasta_core.tables.change import TURN_PHASES, Change
from canasta_core.tables.lobby import STAND_IN
from canasta_core.tables.model import DAY, Stage, Table
from canasta_core.tables.ports import Chance

LONGEST_REST: Final = float(DAY)
"""Seconds at most in which somebody may come back; where the clock for a turn is shorter, as long as that."""
TURN_PAUSE: Final = 2.0
"""Seconds between two turns."""


def is_deserted(table: Table) -> bool:
    """A game that rests because nobody is there; not one that was paused, or that nobody can reach."""
    stopped = table.paused is not None or table.is_out_of_reach
    return table.stage is Stage.PLAYING and table.rests and not stopped


def goes_on_at(table: Table, now: float) -> float:
    """When AI players go on if nobody comes back (unix seconds).

    Where somebody is there, or the table is paused: the earliest time at which it may come to that.
    """
    rest = LONGEST_REST if table.clock is None else min(LONGEST_REST, table.clock)
    return (table.touched_at if is_deserted(table) else now) + rest


def play_turn(change: Change, chance: Chance) -> None:
    """An edit: AI players play a turn to its end, or the next round is dealt. Nothing where somebody is."""
    state = change.table.state
    if state is None or not is_deserted(change.table):
        return
    if state.public.phase is Phase.ROUND_OVER:
        change.deal(chance, None)
        return
    turn = state.public.turn
    while is_deserted(change.table) and state.public.phase in TURN_PHASES and state.public.turn == turn:
        seat = who_acts(state.public)[0]
        change.move(seat, ai.policy(STAND_IN).choose(change.table.view(seat), chance.rng()), None)
        assert change.table.state is not None, "the game has begun"
        state = change.table.state
