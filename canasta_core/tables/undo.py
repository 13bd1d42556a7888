"""Taking back the melds of the running turn, where a table allows it (R5.6)."""

from collections import Counter
from typing import Final

from canasta_core.actions import Action, LayMelds
from canasta_core.cards import sorted_cards
from canasta_core.events import CanastaMade, Event, Laid, Opened, TakenBack
from canasta_core.state import GameState, Phase

_SHOWS_NOTHING_HIDDEN: Final = (Laid, CanastaMade, Opened)
"""Events of a meld that reveal only the cards laid. Whatever else comes of one makes it final."""


def can_be_taken_back(action: Action, after: GameState | None, events: tuple[Event, ...]) -> bool:
    """Whether an accepted action may still be undone: melds, after which the turn simply goes on.

    A meld that goes out ends the round, which shows all hands; one that empties the hand for another
    hand, or turns anything over, tells so with an event of its own.
    """
    return (
        isinstance(action, LayMelds)
        and after is not None
        and after.public.phase is Phase.PLAY
        and all(isinstance(event, _SHOWS_NOTHING_HIDDEN) for event in events)
    )


def taken_back(now: GameState, before: GameState, seat: int) -> TakenBack:
    """What everybody is told when a seat takes its melds back to an earlier state of the turn."""
    cards = Counter(before.hands[seat].cards) - Counter(now.hands[seat].cards)
    return TakenBack(seat, tuple(sorted_cards(cards.elements())))
