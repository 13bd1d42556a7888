"""What a player can choose from: ways to take, melds to lay, cards to discard, all from the engine's offers.

A choice is named by its place in these lists. They follow from the view alone, so a place means the same
as long as the table has the same version.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from canasta_core.actions import Discard, Group, LayMelds, TakePile
from canasta_core.cards import Card, is_wild, rank_name, read_rank
from canasta_core.legality import why_not
from canasta_core.melds import is_run
from canasta_core.offers import lay_parts, offers
from canasta_core.refusals import Code, Refusal
from canasta_core.state import Phase
from canasta_core.views import PlayerView
from cogs.ui.cards_text import by_rank
from cogs.ui.layout import MAX_OPTIONS

MOST: Final = 2 * MAX_OPTIONS
"""Melds to choose from at most: two selects of them."""
_ORDER: Final = {code: place for place, code in enumerate(Code)}


def takes(view: PlayerView) -> list[TakePile]:
    """Every way to take the pile that is offered."""
    return [offer for offer in offers(view) if isinstance(offer, TakePile)]


def why_no_take(view: PlayerView) -> Refusal | None:
    """Why the pile cannot be taken, judged by the most promising cards of the hand; None when it can be."""
    if takes(view):
        return None
    upcard = view.public.upcard
    held = [card for card in view.hand.sorted() if upcard is not None and card >> 2 == upcard >> 2]
    wilds = [card for card in view.hand.sorted() if is_wild(card)]
    tried = [(*held, *wilds[-1:]), (*held[:1], *wilds[-1:]), tuple(held), tuple(held[:2]), ()]
    refusals = [refusal for cards in tried if (refusal := why_not(view, TakePile(Group(cards))))]
    return max(refusals, key=lambda refusal: _ORDER[refusal.code], default=None)


def lay_choices(view: PlayerView) -> list[Group]:
    """Groups to lay, alone or together: sensible parts first, then what else occurs in the offers."""
    if view.public.phase is not Phase.PLAY or view.public.turn != view.seat:
        return []
    groups = [part.group for part in lay_parts(view)]
    groups += [group for offer in offers(view) if isinstance(offer, LayMelds) for group in offer.groups]
    found: dict[tuple[str, tuple[int, ...]], Group] = {}
    for group in groups:
        found.setdefault((group.label, tuple(sorted(_like(view, group.cards)))), group)
    return list(found.values())[:MOST]


def _like(view: PlayerView, cards: Iterable[Card]) -> list[int]:
    """What makes two groups the same choice: their ranks, or their cards where suits matter."""
    return [int(card) if view.public.rules.runs else card >> 2 for card in cards]


def combine(view: PlayerView, chosen: Sequence[Group]) -> LayMelds:
    """The one action that lays what is chosen.

    Choices for one rank are put together: `K K K` and `K K K 2` are three kings and a deuce. Cards are
    picked anew from the hand, so that two choices may each name the first of two deuces.
    """
    runs = [group for group in chosen if is_run(group.cards)]
    by_meld: dict[int, Counter[int]] = {}
    for group in chosen:
        if group not in runs:
            rank = rank_of_group(group)
            by_meld[rank] = by_meld.get(rank, Counter()) | Counter(card >> 2 for card in group.cards)
    left = view.hand.sorted()
    groups = list(runs)
    for group in runs:
        for card in group.cards:
            if card in left:
                left.remove(card)
    for rank, counts in by_meld.items():
        cards = [card for of, count in counts.items() for card in _pick(left, of, count)]
        alone = all(map(_wild_rank, counts))
        groups.append(Group(tuple(cards), rank_name(rank) if alone else ""))
    return LayMelds(tuple(groups))


def _wild_rank(rank: int) -> bool:
    return is_wild(Card(rank << 2))


def rank_of_group(group: Group) -> int:
    """Rank of the set that a group starts or joins: that of its naturals, or of its label."""
    natural = next((card >> 2 for card in group.cards if not is_wild(card)), None)
    return natural if natural is not None else read_rank(group.label)


def _pick(left: list[Card], rank: int, count: int) -> list[Card]:
    """Cards of a rank, out of the hand; where they run out the last is named again, and will be refused."""
    found = [card for card in left if card >> 2 == rank][:count]
    for card in found:
        left.remove(card)
    spare = found[-1] if found else Card(rank << 2)
    return found + [spare] * (count - len(found))


def discards(view: PlayerView) -> list[tuple[Card, list[Card]]]:
    """Cards that may be discarded, each with those of the hand it stands for.

    One for each rank where suits do not matter, else one for each different card.
    """
    legal = {offer.card for offer in offers(view) if isinstance(offer, Discard)}
    found: list[tuple[Card, list[Card]]] = []
    for _, cards in by_rank(view.hand.cards):
        if view.public.rules.runs:
            found += [(card, [card] * cards.count(card)) for card in dict.fromkeys(cards) if card in legal]
        elif any(card in legal for card in cards):
            found.append((next(card for card in cards if card in legal), cards))
    return found


def mask_of(places: Iterable[int]) -> str:
    """Places as one short text for a custom id."""
    return f"{sum(1 << place for place in set(places)):x}"


def repicked(arg: str, values: Iterable[str]) -> list[int]:
    """What is chosen after a choice in one select; `arg` says which it is, and what was chosen before."""
    part, _, mask = arg.partition("-")
    start = MAX_OPTIONS * int(part) if part.isdecimal() else 0
    kept = [place for place in places_of(mask) if not start <= place < start + MAX_OPTIONS]
    return kept + [int(value) for value in values if value.isdecimal()]


def places_of(mask: str) -> list[int]:
    """Places that `mask_of` wrote; empty for a text it did not write."""
    try:
        number = int(mask or "0", 16)
    except ValueError:
        return []
    return [place for place in range(MOST) if number >> place & 1]
