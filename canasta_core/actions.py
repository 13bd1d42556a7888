"""What can be done at a table, and its text notation both ways (RULES.md §11).

Actions are never changed once made. Those that search makes by the million are not frozen, which would
triple the price of making one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from canasta_core.cards import (
    JOKER_RANK,
    SUITS,
    THREE,
    TWO,
    Card,
    Rank,
    UnknownCard,
    card_of,
    name_of,
    rank_name,
    read_card,
    read_rank,
    write_cards,
)
from canasta_core.refusals import Code, Refusal


@dataclass(slots=True, unsafe_hash=True)
class Group:
    """Cards of the hand laid together. `label` names the meld they go to (`K`), where cards alone do not."""

    cards: tuple[Card, ...]
    label: str = ""

    def __str__(self) -> str:
        return f"{self.label}: {write_cards(self.cards)}" if self.label else write_cards(self.cards)


_NOTHING: Final = Group(())


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw from the stock (R4.1)."""

    kind: ClassVar[str] = "draw"


@dataclass(slots=True, unsafe_hash=True)
class TakePile:
    """Take the pile: `group` joins the upcard, `further` melds are laid with it (R4.4, R4.7)."""

    kind: ClassVar[str] = "take"
    group: Group = _NOTHING
    further: tuple[Group, ...] = ()


@dataclass(slots=True, unsafe_hash=True)
class LayMelds:
    """Lay melds and additions from the hand, all in one action (R5)."""

    kind: ClassVar[str] = "meld"
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Discard:
    """Put a card of the hand onto the pile; the turn ends (R4.1)."""

    kind: ClassVar[str] = "discard"
    card: Card


@dataclass(frozen=True, slots=True)
class AskPartner:
    """Ask the partner for permission to go out (R7.3)."""

    kind: ClassVar[str] = "ask"


@dataclass(frozen=True, slots=True)
class Answer:
    """A partner's answer to the question (R7.3)."""

    kind: ClassVar[str] = "answer"
    yes: bool


@dataclass(frozen=True, slots=True)
class Decline:
    """With no stock: not to take the pile (R8.2, R8.3)."""

    kind: ClassVar[str] = "decline"


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End a turn in which nobody discards (R8.3)."""

    kind: ClassVar[str] = "end"


@dataclass(frozen=True, slots=True)
class DrawLots:
    """Chance: the shuffled pack from which the seats draw for the first deal (R3.1)."""

    kind: ClassVar[str] = "lots"
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Deal:
    """Chance: the shuffled pack, in the order in which cards leave it (R3.3).

    `places` are random numbers, used modulo the size of the stock, for first upcards that go back
    into it; a profile that covers unfit upcards never reads them.
    """

    kind: ClassVar[str] = "deal"
    pack: tuple[Card, ...]
    places: tuple[int, ...] = ()


SeatAction = Draw | TakePile | LayMelds | Discard | AskPartner | Answer | Decline | EndTurn
"""What a seat can do."""
Action = SeatAction | DrawLots | Deal
"""All that changes a game."""

KINDS: Final = ("draw", "take", "meld", "discard", "ask", "answer", "decline", "end")
"""Kinds of action a seat can do, in the order in which a turn offers them."""

_BARE: Final[dict[str, SeatAction]] = {
    "draw": Draw(),
    "ask": AskPartner(),
    "decline": Decline(),
    "end": EndTurn(),
}
BLACK_LABEL: Final = "3"
_SYMBOLS: Final = str.maketrans({"♠": "S", "♥": "H", "♦": "D", "♣": "C", "\ufe0f": None})


@dataclass(frozen=True, slots=True)
class Spoken:
    """An action as it was written: known to be one, its cards not yet looked up in a hand.

    The engine first asks whether an action of this kind may be done at all (`wrong_phase` comes before
    `unknown_card` in R10.2), then resolves it.
    """

    kind: str
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Label ('' where none is written) and card words of each group."""
    yes: bool = False

    def resolve(self, hand: Sequence[Card]) -> SeatAction:
        """The action with every card named in full, ranks alone filled from `hand` (R1.3).

        Raises Refusal: unknown_card, card_not_in_hand.
        """
        if self.kind in _BARE:
            return _BARE[self.kind]
        if self.kind == "answer":
            return Answer(self.yes)
        words = [[_read_word(word) for word in group] for _, group in self.groups]
        labels = [_read_label(label) for label, _ in self.groups]
        left = list(hand)
        for card in (word for group in words for word in group if not isinstance(word, _RankAlone)):
            if card not in left:
                raise Refusal(Code.CARD_NOT_IN_HAND, card=name_of(card))
            left.remove(card)
        if self.kind != "discard":
            # The first group of a take joins the upcard; the others could be runs.
            first = 1 if self.kind == "take" else 0
            labels[first:] = [
                label or _rank_meant(group) for label, group in zip(labels, words, strict=True)
            ][first:]
        groups = tuple(
            Group(tuple(_pick(word, left) for word in group), label)
            for label, group in zip(labels, words, strict=True)
        )
        if self.kind == "discard":
            return Discard(groups[0].cards[0])
        return LayMelds(groups) if self.kind == "meld" else TakePile(groups[0], groups[1:])


@dataclass(frozen=True, slots=True)
class _RankAlone:
    rank: Rank


def _read_word(word: str) -> Card | _RankAlone:
    try:
        return read_card(word)
    except UnknownCard:
        pass
    try:
        return _RankAlone(read_rank(word))
    except UnknownCard:
        raise Refusal(Code.UNKNOWN_CARD, text=word[:20]) from None


def _rank_meant(words: Sequence["Card | _RankAlone"]) -> str:
    """The label that a group of several ranks gets when a rank stands alone in it.

    Suits matter in a run, so it cannot be named by ranks (R1.3): such a group is a set with a wrong card.
    """
    alone = [word.rank for word in words if isinstance(word, _RankAlone) and word.rank not in (TWO, THREE)]
    ranks = {word.rank if isinstance(word, _RankAlone) else word >> 2 for word in words}
    return rank_name(alone[0]) if alone and len(ranks - {TWO, JOKER_RANK}) > 1 else ""


def _read_label(label: str) -> str:
    if not label:
        return ""
    if label.lower() == "black":
        return BLACK_LABEL
    try:
        read_rank(label)
    except UnknownCard:
        raise Refusal(Code.UNKNOWN_CARD, text=label[:20]) from None
    return "T" if label == "10" else label.upper()


def _pick(word: Card | _RankAlone, left: list[Card]) -> Card:
    if not isinstance(word, _RankAlone):
        return word
    for suit in range(len(SUITS)):
        card = card_of(word.rank, suit)
        if card in left:
            left.remove(card)
            return card
    raise Refusal(Code.CARD_NOT_IN_HAND, card=name_of(card_of(word.rank, 0))[0])


def read_action(text: str) -> Spoken:
    """What `text` says in the notation of RULES.md §11; a comma separates groups as a slash does.

    Raises Refusal: unknown_action when it is no action; its cards are looked up by `Spoken.resolve`.
    """
    words = text.translate(_SYMBOLS).split(maxsplit=1)
    kind = words[0].lower() if words else ""
    rest = words[1] if len(words) > 1 else ""
    if kind in _BARE and not rest:
        return Spoken(kind)
    if kind == "answer" and rest.strip().lower() in ("yes", "no"):
        return Spoken(kind, yes=rest.strip().lower() == "yes")
    if kind in ("meld", "take", "discard"):
        groups = tuple(_read_group(group) for group in rest.replace(",", "/").split("/"))
        cards = [len(group) for _, group in groups]
        first_may_be_empty = kind == "take"
        if kind == "discard" and (cards != [1] or groups[0][0]):
            raise Refusal(Code.UNKNOWN_ACTION, text=text[:40])
        if all(cards[1:]) and (cards[0] or first_may_be_empty):
            return Spoken(kind, groups)
    raise Refusal(Code.UNKNOWN_ACTION, text=text[:40])


def _read_group(text: str) -> tuple[str, tuple[str, ...]]:
    label, colon, cards = text.rpartition(":")
    return (label.strip() if colon else "", tuple(cards.split()))


def write_action(action: Action) -> str:
    """Canonical text of an action; `read_action` reads every seat action back."""
    match action:
        case TakePile(group, further):
            parts = [str(group), *map(str, further)]
            return f"take {' / '.join(parts)}".replace("  ", " ").strip()
        case LayMelds(groups):
            return f"meld {' / '.join(map(str, groups))}"
        case Discard(card):
            return f"discard {name_of(card)}"
        case Answer(yes):
            return "answer yes" if yes else "answer no"
        case DrawLots(cards):
            return f"lots {write_cards(cards)}"
        case Deal(pack, places):
            text = f"deal {write_cards(pack)}"
            return f"{text} | {' '.join(map(str, places))}" if places else text
        case _:
            return action.kind
