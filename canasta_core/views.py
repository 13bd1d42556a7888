"""What one seat may know."""

from canasta_core.state import GameState, Hand, PublicState, Team


class PlayerView:
    """The public state and one seat's own hand: put together by adding, so nothing hidden can be in it."""

    __slots__ = ("hand", "own", "public", "seat", "team")

    def __init__(self, seat: int, public: PublicState, hand: Hand) -> None:
        self.seat = seat
        self.public = public
        self.hand = hand
        team = seat % public.rules.teams
        self.team: int = team
        self.own: Team = public.teams[team]
        """What lies before the seat's own team."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlayerView) and (
            (self.seat, self.public, self.hand) == (other.seat, other.public, other.hand)
        )

    __hash__ = None  # type: ignore[assignment]  # it shows a state that search changes in place


def view_of(state: GameState, seat: int) -> PlayerView:
    return PlayerView(seat, state.public, state.hands[seat])
