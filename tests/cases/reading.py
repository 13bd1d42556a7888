"""Reading case files (RULES.md §11): YAML checked key by key, and the positions they describe."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from canasta_core.actions import Deal
from canasta_core.cards import RED_THREES, Card, Rank, UnknownCard, is_wild, pack_of, rank_name, read_cards
from canasta_core.dealing import freezing_cards
from canasta_core.engine import apply
from canasta_core.melds import is_run
from canasta_core.profiles import RulesError, load_rules
from canasta_core.rules import Rules
from canasta_core.state import GameState, Hand, Meld, MeldKind, Phase, Source

CASE_KEYS = {"id", "rule", "source", "note", "profile", "options", "position", "deal", "play", "expect"}
POSITION_KEYS = {
    "seats", "dealer", "turn", "phase", "drawn", "stock", "pile", "hands", "melds", "red_threes", "scores",
    "melded_before",
}  # fmt: skip
DEAL_KEYS = {"dealer", "seats", "deck"}
STEP_KEYS = {"seat", "do", "error"}
EXPECT_KEYS = {
    "hand", "melds", "pile", "pile_size", "frozen", "turn", "phase", "minimum", "round_score", "scores",
    "went_out", "concealed", "winner", "legal", "not_legal", "red_threes",
}  # fmt: skip


class NoCase(Exception):
    """A file that is no case file: which one, where, and why."""


@dataclass(frozen=True)
class Step:
    seat: int
    do: str
    error: str | None


@dataclass(frozen=True)
class Case:
    id: str
    rules: Rules
    start: GameState
    play: tuple[Step, ...]
    expect: Mapping[str, Any]
    rule: str


def read_file(path: Path) -> list[Case]:
    """Every case of a file. Raises NoCase."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise NoCase(f"{path}: {error}") from None
    if not isinstance(document, list):
        raise NoCase(f"{path}: not a list of cases")
    return [_read_case(f"{path}: case {number}", data) for number, data in enumerate(document, 1)]


def _read_case(where: str, data: Any) -> Case:
    _known(where, data, CASE_KEYS)
    for key in ("id", "profile"):
        if not isinstance(data.get(key), str):
            raise NoCase(f"{where}: needs {key}")
    where = f"{where} ({data['id']})"
    if ("position" in data) == ("deal" in data):
        raise NoCase(f"{where}: needs either position or deal")
    try:
        start = _start(where, data)
    except (UnknownCard, RulesError, TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise NoCase(f"{where}: {type(error).__name__}: {error}") from error
    expect = data.get("expect") or {}
    _known(f"{where} expect", expect, EXPECT_KEYS)
    steps = []
    for number, step in enumerate(data.get("play") or [], 1):
        _known(f"{where} step {number}", step, STEP_KEYS)
        if type(step.get("seat")) is not int or not isinstance(step.get("do"), str):
            raise NoCase(f"{where} step {number}: needs seat and do")
        steps.append(Step(step["seat"], step["do"], step.get("error")))
    return Case(data["id"], start.rules, start, tuple(steps), expect, str(data.get("rule", "")))


def _known(where: str, data: Any, keys: set[str]) -> None:
    if not isinstance(data, dict):
        raise NoCase(f"{where}: not a table of keys")
    for key in data:
        if key not in keys:
            raise NoCase(f"{where}: unknown key {key!r}")


def _start(where: str, data: dict[str, Any]) -> GameState:
    part = data.get("position", data.get("deal")) or {}
    _known(where, part, POSITION_KEYS if "position" in data else DEAL_KEYS)
    seats = part.get("seats", 4)
    rules = load_rules(data["profile"], seats, data.get("options") or {})
    dealer = part.get("dealer", seats - 1)
    return _deal(rules, dealer, part["deck"]) if "deal" in data else _position(rules, dealer, part)


def _deal(rules: Rules, dealer: int, deck: str) -> GameState:
    named = read_cards(deck)
    rest = Counter(pack_of(rules.packs, rules.jokers)) - Counter(named)
    state = GameState.new(rules)
    state.public.dealer = (dealer - 1) % rules.seats
    return apply(state, None, Deal((*named, *rest.elements()), tuple(range(20)))).state


def cards_of(value: Any) -> list[Card]:
    """Cards written as one text or as a list of texts."""
    return read_cards(" ".join(value) if isinstance(value, list) else value)


def _meld(rules: Rules, text: str, lying: Iterable[Meld]) -> Meld:
    cards = read_cards(text)
    if rules.runs and is_run(cards):
        suit = text.split(maxsplit=1)[0][-1].upper()
        same = sum(meld.label.startswith(suit) and len(meld.label) < 3 for meld in lying)
        return Meld.run(suit if not same else f"{suit}{same + 1}", tuple(cards))
    ranks = {card >> 2 for card in cards if not is_wild(card)}
    if len(ranks) != 1:
        raise ValueError(f"no meld: {text}")
    rank = ranks.pop()
    wilds = sum(map(is_wild, cards))
    return Meld(rank_name(rank), MeldKind.SET, Rank(rank), tuple(cards), wilds)


def _position(rules: Rules, dealer: int, part: dict[str, Any]) -> GameState:
    state = GameState.new(rules)
    public = state.public
    public.round_number, public.dealer = 1, dealer
    public.turn = part.get("turn", (dealer + 1) % rules.seats)
    public.phase = Phase(part.get("phase", "draw"))
    if public.phase not in (Phase.DRAW, Phase.PLAY):
        raise ValueError(f"a position is in draw or play, not {public.phase}")
    if public.phase is Phase.PLAY:
        public.drawn = Source(part.get("drawn", "stock"))
    public.pile = cards_of(part.get("pile") or "")
    freezing = freezing_cards(rules)
    public.freezing = sum(card in freezing for card in public.pile)
    for team, melds in (part.get("melds") or {}).items():
        for text in melds:
            public.teams[team].put(_meld(rules, text, public.teams[team].melds))
    for team, cards in (part.get("red_threes") or {}).items():
        public.teams[team].red_threes = cards_of(cards)
    for team, score in (part.get("scores") or {}).items():
        public.scores[team] = score
    before = part.get("melded_before")
    if before is None:
        before = [seat for seat in range(rules.seats) if public.teams[rules.team_of(seat)].melds]
    public.melded = [seat in before for seat in range(rules.seats)]
    _hand_out(state, part)
    team = public.teams[rules.team_of(public.turn)]
    public.seat_fresh, public.team_fresh = not public.melded[public.turn], not team.melds
    public.old_melds = len(team.melds)
    return state


def _hand_out(state: GameState, part: dict[str, Any]) -> None:
    """Named hands and stock, and unseen cards for the rest: never red threes."""
    rules, public = state.rules, state.public
    hands = {seat: cards_of(cards or "") for seat, cards in (part.get("hands") or {}).items()}
    if not set(hands) <= set(range(rules.seats)):
        raise ValueError(f"no such seat: {sorted(hands)}")
    stock = part.get("stock", 20)
    named_stock = [] if isinstance(stock, int) else cards_of(stock or "")
    named = [*public.pile, *named_stock, *(card for hand in hands.values() for card in hand)]
    named += [card for team in public.teams for meld in team.melds for card in meld.cards]
    named += [card for team in public.teams for card in team.red_threes]
    pack = Counter(card for card in pack_of(rules.packs, rules.jokers) if card not in RED_THREES)
    unseen = sorted((pack - Counter(named)).elements(), key=lambda card: (card * 37) % 61)
    if isinstance(stock, int):
        named_stock = [unseen.pop() for _ in range(min(stock, len(unseen)))]
    for seat in range(rules.seats):
        if seat not in hands:
            hands[seat] = [unseen.pop() for _ in range(min(11, len(unseen)))]
    state.hands = [Hand.of(hands[seat]) for seat in range(rules.seats)]
    state.stock = named_stock[::-1]
    public.sizes = [len(hand.cards) for hand in state.hands]
    public.stock_size = len(state.stock)
