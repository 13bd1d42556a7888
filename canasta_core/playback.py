"""A recorded game gone through again, round by round and step by step."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from canasta_core.actions import Deal
from canasta_core.engine import apply
from canasta_core.events import Event
from canasta_core.record import Record, Step
from canasta_core.state import GameState, Phase


@dataclass(frozen=True, slots=True)
class Moment:
    """A step of a round, the position after it, and what happened with it. All cards are in it."""

    step: Step
    state: GameState
    events: tuple[Event, ...]

    @property
    def is_over(self) -> bool:
        """Whether the round is over with this step."""
        return self.state.public.phase in (Phase.ROUND_OVER, Phase.GAME_OVER)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a round: the moments from `first`, when it is the seat's to draw, up to before `end`."""

    seat: int
    first: int
    end: int


class Playback:
    """The rounds of a record, each a sequence of moments from its deal on.

    Only where each round begins is kept: the moments of a round are played again whenever they are asked
    for, which takes some milliseconds.
    """

    def __init__(self, record: Record) -> None:
        """Plays the whole record once. Raises Refusal when the rules refuse a step."""
        self.record = record
        self._starts: list[tuple[int, GameState]] = []
        state = GameState.new(record.rules)
        for place, step in enumerate(record.steps):
            if isinstance(step.action, Deal):
                self._starts.append((place, state))
            state = apply(state, step.seat, step.action).state
        self.last = state
        """Where the record ends."""

    @property
    def rounds(self) -> int:
        """How many rounds have begun."""
        return len(self._starts)

    @cached_property
    def finished(self) -> int:
        """How many rounds are over: all, but perhaps the last one."""
        over = self.last.public.phase in (Phase.ROUND_OVER, Phase.GAME_OVER)
        return self.rounds if over else max(self.rounds - 1, 0)

    def round(self, number: int) -> tuple[Moment, ...]:
        """The moments of a round, counted from 1. Raises IndexError when there is none of this number."""
        if not 1 <= number <= self.rounds:
            raise IndexError(number)
        place, state = self._starts[number - 1]
        end = self._starts[number][0] if number < self.rounds else len(self.record.steps)
        moments = []
        for step in self.record.steps[place:end]:
            transition = apply(state, step.seat, step.action)
            state = transition.state
            moments.append(Moment(step, state, transition.events))
        return tuple(moments)


def turns_of(moments: Sequence[Moment]) -> tuple[Turn, ...]:
    """The turns of a round, in order; the moment that ends a turn begins the next one, or is the last."""
    begins: list[tuple[int, int]] = []
    before: tuple[Phase, int] | None = None
    for place, moment in enumerate(moments):
        public = moment.state.public
        now = public.phase, public.turn
        if public.phase is Phase.DRAW and now != before:
            begins.append((public.turn, place))
        before = now
    ends = [*(first for _, first in begins[1:]), len(moments) - 1]
    return tuple(Turn(seat, first, end) for (seat, first), end in zip(begins, ends, strict=False))
