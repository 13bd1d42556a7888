"""Cards, hands and melds in words that are good to read on a phone: `K♠`, sorted and grouped by rank."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from canasta_core.actions import Group
from canasta_core.cards import JOKER, RANK_LETTERS, Card, Rank, sorted_cards
from canasta_core.rules import Rules
from canasta_core.state import Meld, MeldKind
from cogs.ui.text import text

SYMBOLS: Final = (
    "♠\N{VARIATION SELECTOR-15}",
    "♥\N{VARIATION SELECTOR-15}",
    "♦\N{VARIATION SELECTOR-15}",
    "♣\N{VARIATION SELECTOR-15}",
)
"""In the order S H D C, as text: without the selector many a device shows pictures, hard to see on dark."""
JOKER_TEXT: Final = "JK"
_SUIT_LETTERS: Final = ("S", "H", "D", "C")
_TEN: Final = 10


def rank_text(rank: int) -> str:
    """`K`, `10`, `JK`."""
    if rank >= len(RANK_LETTERS):
        return JOKER_TEXT
    return "10" if rank == _TEN else RANK_LETTERS[rank]


def card_text(card: Card) -> str:
    """`K♠`, `10♥`, `JK`: the symbols tell the suits apart without their colour."""
    return JOKER_TEXT if card == JOKER else rank_text(card >> 2) + SYMBOLS[card & 3]


def cards_text(cards: Iterable[Card]) -> str:
    """Cards in the order given."""
    return " ".join(map(card_text, cards))


def chip(plain: str) -> str:
    """Cards in running text: as code, where Discord makes no pictures of the suits."""
    return f"`{plain}`".replace(" ", "\N{NO-BREAK SPACE}") if plain else ""


def shown(cards: Iterable[Card]) -> str:
    """Cards of one thing done, as running text shows them."""
    return chip(cards_text(cards))


def named(name: str) -> str:
    """A card's canonical name (`KS`, `K`, `T`) as players see it; any other text unchanged."""
    if name == "T":
        return "10"
    if len(name) == 2 and name[0] in RANK_LETTERS and name[1] in _SUIT_LETTERS:
        return ("10" if name[0] == "T" else name[0]) + SYMBOLS[_SUIT_LETTERS.index(name[1])]
    return name


def by_rank(cards: Iterable[Card]) -> list[tuple[Rank, list[Card]]]:
    """Cards sorted and grouped by rank, as a person holds them."""
    return [(Rank(rank), list(group)) for rank, group in groupby(sorted_cards(cards), lambda card: card >> 2)]


def hand_text(cards: Iterable[Card]) -> str:
    """A hand on as few lines as it needs; a rank is never broken over two of them."""
    return " ".join(shown(group) for _, group in by_rank(cards))


def points(rules: Rules, cards: Iterable[Card]) -> int:
    """What cards are worth (R1.2)."""
    return sum(rules.values[card >> 2] for card in cards)


def ranks_text(cards: Sequence[Card]) -> str:
    """`K K 2`: how a person types a group where suits do not matter (R1.3)."""
    return " ".join(rank_text(card >> 2) if card != JOKER else JOKER_TEXT for card in cards)


def is_run_label(label: str) -> bool:
    """Whether a meld's label is that of a run: a suit, with a number where a team has several."""
    return label[:1] in _SUIT_LETTERS


def label_text(locale: str, label: str) -> str:
    """The name of a meld: a rank in the plural (`kings`), or a run by its suit (`♠ run`)."""
    if is_run_label(label):
        return text(locale, "label-run", suit=SYMBOLS[_SUIT_LETTERS.index(label[0])])
    key = LABEL_KEYS.get(label)
    return text(locale, key) if key else named(label)


LABEL_KEYS: Final = {
    "A": "rank-a",
    "K": "rank-k",
    "Q": "rank-q",
    "J": "rank-j",
    "T": "rank-10",
    "9": "rank-9",
    "8": "rank-8",
    "7": "rank-7",
    "6": "rank-6",
    "5": "rank-5",
    "4": "rank-4",
    "3": "rank-3",
}


def meld_text(locale: str, meld: Meld) -> str:
    """`K ×5 (2 wild)`; a canasta with its mark and in words, since a colour alone does not serve everyone."""
    if meld.kind is MeldKind.RUN:
        words = text(locale, "meld-run", high=card_text(meld.cards[0]), low=card_text(meld.cards[-1]))
    else:
        key = "meld" if not meld.is_canasta else "meld-natural" if meld.is_natural else "meld-mixed"
        words = text(locale, key, name=rank_text(meld.rank), count=len(meld.cards), wilds=meld.wilds)
    return words.replace(" ", "\N{NO-BREAK SPACE}")


def melds_text(locale: str, melds: Iterable[Meld]) -> list[str]:
    """A line of canastas and a line of what is none yet, each from the highest rank to the lowest."""
    ordered = sorted(melds, key=lambda meld: (-meld.rank, meld.label))
    kinds = [[meld for meld in ordered if meld.is_canasta is canasta] for canasta in (True, False)]
    return ["\N{NO-BREAK SPACE}· ".join(meld_text(locale, meld) for meld in kind) for kind in kinds if kind]


def group_text(group: Group) -> str:
    """Cards of one group, with the meld they are for where the cards do not say it."""
    cards = cards_text(group.cards)
    return f"{named(group.label)}: {cards}" if group.label else cards
