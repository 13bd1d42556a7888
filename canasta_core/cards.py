"""Cards, packs and their text notation (R1).

A card is a small integer, rank * 4 + suit, so that copies of a card are equal, a hand is a multiset,
and the engine can work on plain lists. Ranks are 2 to 14 (ace high) and 15 for the joker.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NewType

Card = NewType("Card", int)
"""One card: rank * 4 + suit. Two copies of the king of spades are the same number."""

Rank = NewType("Rank", int)
"""2 to 10, jack 11, queen 12, king 13, ace 14, joker 15."""

TWO: Final = Rank(2)
THREE: Final = Rank(3)
ACE: Final = Rank(14)
JOKER_RANK: Final = Rank(15)
RANKS: Final = 16
"""Length of a list indexed by rank."""

SUITS: Final = "SHDC"
RANK_LETTERS: Final = "..23456789TJQKA"

RANK_BIT: Final = tuple(1 << rank - 4 if 4 <= rank <= ACE else 0 for rank in range(RANKS))
"""A set of natural ranks is a number with these bits; other ranks have none."""
RANKS_IN: Final = tuple(
    tuple(Rank(rank) for rank in range(ACE, THREE, -1) if bits >> rank - 4 & 1) for bits in range(1 << 11)
)
"""The ranks in each such set, highest first."""

JOKER: Final = Card(60)
BLACK_THREES: Final = (Card(12), Card(15))
RED_THREES: Final = (Card(13), Card(14))

NATURAL_RANKS: Final = tuple(Rank(rank) for rank in range(ACE, THREE, -1))
"""Ranks of which sets are made, highest first: A K Q … 4."""


class UnknownCard(ValueError):
    """A text that names no card (R1.1). `text` is what was written."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def is_wild(card: Card) -> bool:
    """Jokers and deuces stand for other cards."""
    return card >= JOKER or card >> 2 == TWO


def is_black_three(card: Card) -> bool:
    return card in BLACK_THREES


def card_of(rank: int, suit: int) -> Card:
    return JOKER if rank == JOKER_RANK else Card(rank * 4 + suit)


def pack_of(packs: int, jokers: int) -> list[Card]:
    """All cards of `packs` packs of 52 with `jokers` jokers in all, in a fixed order."""
    one = [card_of(rank, suit) for rank in range(TWO, ACE + 1) for suit in range(4)]
    return one * packs + [JOKER] * jokers


_NAMES: Final = {
    **{card_of(rank, suit): RANK_LETTERS[rank] + SUITS[suit] for rank in range(2, 15) for suit in range(4)},
    JOKER: "JK",
}
_CARDS: Final = {name: card for card, name in _NAMES.items()} | {"*": JOKER, "JOKER": JOKER}
_RANKS: Final = {RANK_LETTERS[rank]: Rank(rank) for rank in range(2, 15)}


def name_of(card: Card) -> str:
    """Canonical text of a card (R1.1): `KS`, `TH`, `JK`."""
    return _NAMES[card]


def rank_name(rank: int) -> str:
    """Canonical text of a rank: `K`, `T`, `JK` for the joker."""
    return "JK" if rank == JOKER_RANK else RANK_LETTERS[rank]


def read_card(text: str) -> Card:
    """The card that `text` names, whatever its case; ten may be written 10.

    Raises UnknownCard.
    """
    word = text.strip().upper()
    if word.startswith("10"):
        word = "T" + word[2:]
    try:
        return _CARDS[word]
    except KeyError:
        raise UnknownCard(text) from None


def read_rank(text: str) -> Rank:
    """The rank that `text` names (`k`, `10`). Raises UnknownCard."""
    word = text.strip().upper()
    try:
        return _RANKS["T" if word == "10" else word]
    except KeyError:
        raise UnknownCard(text) from None


def read_cards(text: str) -> list[Card]:
    """Cards written with spaces (R1.3), every one in full. Raises UnknownCard."""
    return [read_card(word) for word in text.split()]


def write_cards(cards: Iterable[Card]) -> str:
    """Canonical text of cards, in the order given."""
    return " ".join(_NAMES[card] for card in cards)


def sort_key(card: Card) -> tuple[int, int]:
    """Jokers, then deuces, then A K Q … 4, black threes last; suits in the order S H D C."""
    rank = card >> 2
    order = 17 if rank == JOKER_RANK else 16 if rank == TWO else rank
    return (-order, card & 3)


def sorted_cards(cards: Iterable[Card]) -> list[Card]:
    """Cards as a person holds them: see `sort_key`."""
    return sorted(cards, key=sort_key)


def count_ranks(cards: Sequence[Card]) -> list[int]:
    """How many cards of each rank; indexed by rank."""
    counts = [0] * RANKS
    for card in cards:
        counts[card >> 2] += 1
    return counts
