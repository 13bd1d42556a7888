"""What one seat may know."""

from dataclasses import dataclass

from canasta_core.state import GameState, Hand, PublicState


@dataclass(frozen=True, slots=True)
class PlayerView:
    """The public state and one seat's own hand: put together by adding, so nothing hidden can be in it."""

    seat: int
    public: PublicState
    hand: Hand

    @property
    def team(self) -> int:
        return self.public.rules.team_of(self.seat)


def view_of(state: GameState, seat: int) -> PlayerView:
    return PlayerView(seat, state.public, state.hands[seat])
