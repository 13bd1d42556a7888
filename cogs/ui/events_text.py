"""What happened, in words: the last moves on the board, and a player's own moves told to them."""

from collections.abc import Iterable
from typing import assert_never

from canasta_core.events import (
    Answered,
    Asked,
    CanastaMade,
    Dealt,
    Declined,
    Discarded,
    Drew,
    Event,
    GameEnded,
    Laid,
    LotsDrawn,
    Opened,
    RedThreeExposed,
    RoundEnded,
    TakenBack,
    TookPile,
    TurnEnded,
    WentOut,
)
from canasta_core.state import Reason
from cogs.ui.cards_text import is_run_label, label_text, shown
from cogs.ui.face import Face


def event_lines(face: Face, events: Iterable[Event]) -> list[str]:
    """One line for all that a player did in a row, oldest first; `events` are the public ones."""
    lines: list[str] = []
    moves: list[str] = []
    mover: int | None = None
    for event in events:
        seat, words = _told(face, event)
        if seat != mover or seat is None:
            if mover is not None:
                lines.append(_line(face, mover, moves))
            moves, mover = [], seat
        if seat is None:
            lines.append(words)
        else:
            moves.append(words)
    if mover is not None:
        lines.append(_line(face, mover, moves))
    return lines


def _line(face: Face, seat: int, moves: list[str]) -> str:
    return face.words("event-line", name=face.name(seat), moves=face.words("event-join").join(moves))


def _told(face: Face, event: Event) -> tuple[int | None, str]:
    """Whose move it was (None for what the table does), and the words for it."""
    words = face.words
    match event:
        case LotsDrawn(dealer=dealer):
            return None, words("event-lots_drawn", name=face.name(dealer))
        case Dealt(number, dealer, first, _):
            return None, words("event-dealt", round=number, dealer=face.name(dealer), first=face.name(first))
        case RedThreeExposed(seat, card, _):
            return seat, words("event-red_three_exposed", card=shown([card]))
        case Drew(seat, count, _):
            return seat, words("event-drew", count=count)
        case TookPile(seat, upcard, cards):
            return seat, words("event-took_pile", count=len(cards) + 1, upcard=shown([upcard]))
        case Laid(seat, label, cards, size, started):
            if started:
                return seat, words("event-laid", cards=shown(cards))
            meld = label_text(face.locale, label)
            return seat, words("event-laid-onto", cards=shown(cards), meld=meld, size=size)
        case CanastaMade(seat, label, natural):
            if is_run_label(label):
                return seat, words("event-canasta_made-run", run=label_text(face.locale, label))
            key = "event-canasta_made-natural" if natural else "event-canasta_made-mixed"
            return seat, words(key, meld=label_text(face.locale, label))
        case Opened(seat, laid, _):
            return seat, words("event-opened", laid=laid)
        case Discarded(seat, card):
            return seat, words("event-discarded", card=shown([card]))
        case Asked(seat, partners):
            return seat, words("event-asked", partners=_names(face, partners))
        case Answered(seat, yes):
            return seat, words("event-answered-yes" if yes else "event-answered-no")
        case Declined(seat):
            return seat, words("event-declined")
        case TurnEnded(seat):
            return seat, words("event-turn_ended")
        case TakenBack(seat, cards):
            return seat, words("event-taken_back", cards=shown(cards))
        case WentOut(seat, concealed):
            return seat, words("event-went_out-concealed" if concealed else "event-went_out")
        case RoundEnded(reason=Reason.WENT_OUT):
            return None, words("event-round_ended-out")  # who went out is told just before
        case RoundEnded(reason=reason):
            return None, words("event-round_ended", reason=words(f"reason-{reason}"))
        case GameEnded(winner, scores):
            facts = {"players": len(face.rules.seats_of(winner)), "score": scores[winner]}
            return None, words("event-game_ended", winner=face.team_name(winner), **facts)
        case _:
            assert_never(event)


def _names(face: Face, seats: Iterable[int]) -> str:
    return face.words("team-and").join(map(face.name, seats))


def _players(face: Face, seat: int) -> int:
    """How many play together with this seat, itself counted."""
    return len(face.rules.seats_of(face.rules.team_of(seat)))


def own_moves(face: Face, seat: int, events: Iterable[Event]) -> list[str]:
    """What a player has just done, told to that player alone: their drawn cards are named."""
    return [line for event in events if (line := _own(face, seat, event))]


def _own(face: Face, seat: int, event: Event) -> str:
    """Empty for what somebody else did, and for what the board tells soon enough."""
    words = face.words
    if getattr(event, "seat", None) != seat:
        return ""
    match event:
        case Drew(_, _, cards):
            return words("you-drew", cards=shown(cards)) if cards else words("you-drew-none")
        case RedThreeExposed(_, card, _):
            return words("you-red-three", card=shown([card]), players=_players(face, seat))
        case TookPile(_, _, cards):
            return words("you-took", cards=shown(cards)) if cards else words("you-took-none")
        case Laid(_, _, cards, _, _):
            return words("you-laid", cards=shown(cards))
        case Opened(_, laid, _):
            return words("you-opened", laid=laid, players=_players(face, seat))
        case CanastaMade(_, label, _):
            meld = label_text(face.locale, label)
            return words("you-run", run=meld) if is_run_label(label) else words("you-canasta", meld=meld)
        case Discarded(_, card):
            return words("you-discarded", card=shown([card]))
        case Asked(_, partners):
            return words("you-asked", partners=_names(face, partners))
        case Answered(_, yes):
            return words("you-answered-yes" if yes else "you-answered-no")
        case Declined():
            return words("you-declined")
        case TurnEnded():
            return words("you-turn_ended")
        case TakenBack(_, cards):
            return words("you-taken_back", cards=shown(cards))
        case WentOut():
            return words("you-went_out")
        case _:
            return ""
