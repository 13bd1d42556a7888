"""What would work instead of a refused move: found among the engine's offers, from the player's own view."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from canasta_core.actions import Discard, Group, LayMelds, SeatAction, Spoken, TakePile, read_action
from canasta_core.cards import Card, UnknownCard, is_wild, name_of, read_card, read_rank
from canasta_core.legality import why_not
from canasta_core.offers import offers
from canasta_core.openings import best_opening
from canasta_core.refusals import Code, Refusal
from canasta_core.rules import Rules
from canasta_core.state import Phase
from canasta_core.views import PlayerView
from cogs.ui.cards_text import chip, points, ranks_text
from cogs.ui.choices import most_below, most_with_upcard, takes
from cogs.ui.face import Face
from cogs.ui.layout import bare_name
from cogs.ui.text import sentence_list

MOST: Final = 2
"""Ways named at most."""
_TYPED: Final = 90
"""Characters of a typed move that are shown."""
_OPTIONS: Final = {"meld": "cards", "take": "with", "discard": "card", "answer": "reply"}
"""The option of a command that its notation goes into."""
_COMMANDS: Final = {"take": "take-pile", "ask": "ask-partner", "end": "end-turn"}
"""Commands that are not called as their notation is."""
_OTHER_CARDS: Final = frozenset(
    {
        Code.CARD_NOT_IN_HAND,
        Code.PILE_FROZEN,
        Code.UPCARD_NOT_MELDED,
        Code.NEEDS_NATURAL,
        Code.MELD_TOO_SHORT,
        Code.TOO_FEW_NATURALS,
        Code.TOO_MANY_WILDS,
        Code.MIXED_RANKS,
        Code.THREES_NOT_MELDABLE,
    }
)
"""Codes of a take that other cards could mend."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What a player tried, as far as it can be read."""

    kind: str
    """That of an action; empty where it is none."""
    first: str
    """The first group as its player would type it: of a take, what was to join the upcard."""
    ranks: Counter[int]
    """How many cards of each rank it names."""
    cards: Counter[Card]
    """And how many of each card that it names in full."""
    action: SeatAction | None
    """The action itself, where all its cards are held."""

    @classmethod
    def read(cls, tried: SeatAction | str, view: PlayerView) -> "Tried":
        """An action, or what was typed in its notation."""
        if not isinstance(tried, str):
            groups = _groups(tried)
            cards = Counter(card for group in groups for card in group.cards)
            first = typed(view.public.rules, groups[:1])
            return cls(tried.kind, first, _ranks(groups), cards, tried)
        try:
            spoken = read_action(tried)
        except Refusal:
            return cls(tried.split(maxsplit=1)[0].lower() if tried.strip() else "", "", *_named(tried), None)
        first = " ".join(spoken.groups[0][1]).upper() if spoken.groups else ""
        return cls(spoken.kind, first, *_named(tried), _resolved(spoken, view))

    def shared(self, action: SeatAction) -> int:
        """How many of its cards an action has too, suits aside."""
        return (self.ranks & _ranks(_groups(action))).total()


def _resolved(spoken: Spoken, view: PlayerView) -> SeatAction | None:
    try:
        return spoken.resolve(view.hand.cards)
    except Refusal:
        return None


def _named(typed_: str) -> tuple[Counter[int], Counter[Card]]:
    """Ranks and cards of a typed move; what names neither is passed over."""
    ranks: Counter[int] = Counter()
    cards: Counter[Card] = Counter()
    for word in re.split(r"[\s,/]+", typed_.replace(":", ": ")):
        try:
            card = read_card(word)
        except UnknownCard:
            try:
                ranks[read_rank(word)] += 1
            except UnknownCard:
                continue
        else:
            cards[card] += 1
            ranks[card >> 2] += 1
    return ranks, cards


def _groups(action: SeatAction) -> tuple[Group, ...]:
    match action:
        case TakePile(group, further):
            return (group, *further)
        case LayMelds(groups):
            return groups
        case Discard(card):
            return (Group((card,)),)
        case _:
            return ()


def _ranks(groups: Iterable[Group]) -> Counter[int]:
    return Counter(card >> 2 for group in groups for card in group.cards)


def typed(rules: Rules, groups: Sequence[Group]) -> str:
    """Groups as a person types them: ranks alone where suits do not matter (R1.3)."""
    return ", ".join(
        (f"{group.label}: " if group.label else "")
        + (" ".join(map(name_of, group.cards)) if rules.runs else ranks_text(group.cards))
        for group in groups
    )


def command(rules: Rules, action: TakePile | LayMelds | Discard) -> str:
    """The command that does it: `/take-pile with:4 JK also:Q Q Q`."""
    match action:
        case TakePile(group, further):
            own = f" with:{typed(rules, [group])}" if group.cards else ""
            return f"/take-pile{own}" + (f" also:{typed(rules, further)}" if further else "")
        case LayMelds(groups):
            return f"/meld cards:{typed(rules, groups)}"
        case Discard(card):
            return f"/discard card:{typed(rules, [Group((card,))])}"


def typed_command(notation: str) -> str:
    """A move as it was typed, from its notation: `/take-pile with:K K also:Q Q 2`."""
    kind, _, rest = notation.partition(" ")
    said = f"/{_COMMANDS.get(kind, kind)}"
    if kind == "take":
        own, _, also = rest.partition(" / ")
        said += (f" with:{own.strip()}" if own.strip() else "") + (f" also:{also.strip()}" if also else "")
    elif kind in _OPTIONS:
        said += f" {_OPTIONS[kind]}:{rest.strip()}"
    return bare_name(said.replace("`", "'"), _TYPED)


def advice(face: Face, refusal: Refusal, view: PlayerView, tried: SeatAction | str | None) -> list[str]:
    """Sentences on what would work; none where nothing near the refused move does."""
    if tried is None:
        return []
    meant = Tried.read(tried, view)
    ways = ways_near(view, refusal, meant)
    if ways:
        shown = [_way(face, view, way, refusal.code) for way in ways[:MOST]]
        key = "advice-ways" if len(ways) <= MOST else "advice-ways-more"
        return [face.words(key, ways=sentence_list(face.locale, shown))]
    return _no_way(face, refusal, view, meant)


def ways_near(view: PlayerView, refusal: Refusal, meant: Tried) -> list[TakePile | LayMelds | Discard]:
    """Legal moves of the kind that was tried: those that have most of its cards first, then the shortest.

    A take, an opening or a promise to go out can be mended with other cards altogether; another meld, or
    another discard, is no answer to what was tried.
    """
    found: list[TakePile | LayMelds | Discard] = []
    must_go, opening = (refusal.code is code for code in (Code.MUST_GO_OUT, Code.OPENING_MINIMUM))
    if meant.kind == "take":
        found += takes(view)
    elif meant.kind == "meld" or must_go:
        found += [offer for offer in offers(view) if isinstance(offer, LayMelds)]
        apart = _apart(view, meant) if refusal.code is Code.MIXED_RANKS else None
        if apart is not None:
            return [apart]
    elif meant.kind == "discard":
        found += [offer for offer in offers(view) if isinstance(offer, Discard)]
    if not (meant.kind == "take" or opening or must_go):
        found = [way for way in found if meant.shared(way)]

    def distance(way: TakePile | LayMelds | Discard) -> tuple[int, int]:
        return -meant.shared(way), _ranks(_groups(way)).total()

    return sorted({command(view.public.rules, way): way for way in found}.values(), key=distance)


def _apart(view: PlayerView, meant: Tried) -> LayMelds | None:
    """The same cards with a meld for each rank, where these are legal: a comma was missing."""
    if not isinstance(meant.action, LayMelds):
        return None
    cards = [card for group in meant.action.groups for card in group.cards]
    if any(map(is_wild, cards)):
        return None
    ranks = dict.fromkeys(card >> 2 for card in cards)
    action = LayMelds(tuple(Group(tuple(card for card in cards if card >> 2 == rank)) for rank in ranks))
    return action if why_not(view, action) is None else None


def _way(face: Face, view: PlayerView, way: TakePile | LayMelds | Discard, code: Code) -> str:
    """A way as a command; with its points where these were missing."""
    rules = view.public.rules
    facts = {"command": f"`{command(rules, way)}`"}
    if code is not Code.OPENING_MINIMUM:
        return face.words("advice-way", **facts)
    laid = [card for group in _groups(way) for card in group.cards]
    upcard = view.public.upcard
    if isinstance(way, TakePile) and upcard is not None:
        laid.append(upcard)
    return face.words("advice-way-points", points=points(rules, laid), **facts)


def _no_way(face: Face, refusal: Refusal, view: PlayerView, meant: Tried) -> list[str]:
    """What is true of the whole hand where no such move is legal."""
    take = meant.kind == "take"
    if refusal.code is Code.OPENING_MINIMUM and meant.kind in ("take", "meld"):
        most = most_with_upcard(view) if take else most_to_open(view)
        if most and take:
            return [face.words("advice-most-take", most=most)]
        if most:
            kept = 0 if int(refusal.facts["laid"]) <= most else _cards_kept(view)
            return [face.words("advice-most", most=most, keep=kept)]
    if take and view.public.phase is Phase.DRAW and refusal.code in {*_OTHER_CARDS, Code.OPENING_MINIMUM}:
        return [face.words("advice-no-take")]
    return []


def most_to_open(view: PlayerView) -> int:
    """The most points that a team which needs more to open could lay from the hand (R5.4); exact."""
    public, rules = view.public, view.public.rules
    room = len(view.hand.cards) - _cards_kept(view)
    return most_below(
        public.minimum(view.team), lambda points: bool(best_opening(rules, view.hand.cards, points, room))
    )


def _cards_kept(view: PlayerView) -> int:
    """Cards that a meld leaves to who may not go out: one, and one to discard where that is done (R6.1)."""
    return 1 if view.public.no_discard else 2


def ways_to_take(view: PlayerView) -> list[str]:
    """The cards that take the pile with nothing else laid, few and short: for a list of what can be done."""
    ways = [typed(view.public.rules, [take.group]) for take in takes(view) if not take.further]
    return [chip(way) for way in dict.fromkeys(ways)][:MOST] if all(ways) else []
