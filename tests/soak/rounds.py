"""Whole rounds through the engine's own offers, with everything checked on the way."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from canasta_core.actions import (
    KINDS,
    Action,
    Answer,
    AskPartner,
    Deal,
    Decline,
    Discard,
    Draw,
    EndTurn,
    Group,
    LayMelds,
    SeatAction,
    TakePile,
    write_action,
)
from canasta_core.cards import Card, pack_of, rank_name
from canasta_core.engine import apply, begin_turn, play, play_offer
from canasta_core.legality import speak, who_acts, why_not
from canasta_core.offers import offers
from canasta_core.profiles import OptionValue, profile, profile_ids
from canasta_core.refusals import Refusal
from canasta_core.rules import Rules
from canasta_core.state import GameState, Phase
from canasta_core.views import PlayerView, view_of

Chooser = Callable[[PlayerView, Sequence[SeatAction], random.Random], SeatAction]


class Broken(AssertionError):
    """Something that must never happen, with the round that shows it."""


@dataclass
class Played:
    """A round that was played: how it ended and how long it was."""

    state: GameState
    log: list[str] = field(default_factory=list)


def deal_round(rules: Rules, rng: random.Random, stock: int | None = None) -> GameState:
    """A dealt round, its stock cut to `stock` cards where that is given."""
    state = GameState.new(rules)
    state.public.dealer = rng.randrange(rules.seats)
    brackets = [0] + [score for below, _ in rules.opening_below for score in (below - 5, below)]
    state.public.scores = [min(rng.choice(brackets), rules.target - 5) for _ in range(rules.teams)]
    pack = pack_of(rules.packs, rules.jokers)
    rng.shuffle(pack)
    play(state, None, Deal(tuple(pack), tuple(rng.randrange(1000) for _ in range(20))))
    if stock is not None:
        state.stock = state.stock[len(state.stock) - stock :]
        state.public.stock_size = stock
        begin_turn(state, state.public.turn, None)
    return state


def play_round(state: GameState, chooser: Chooser, rng: random.Random, *, strict: bool = True) -> Played:
    """Play a dealt round to its end. Raises Broken with the whole round where an invariant fails.

    `strict` applies every action on a copy and tries refused ones at every step; without it the actions
    are played in place and only the invariants are checked.
    """
    played = Played(state)
    cards = _all_cards(state)
    for _ in range(5000):
        public = played.state.public
        seats = who_acts(public)
        if not seats:
            _check(public.phase in (Phase.ROUND_OVER, Phase.GAME_OVER), played, "nobody acts")
            _check(all(score % 5 == 0 for score in public.scores), played, "a score is no multiple of five")
            return played
        seat = rng.choice(seats)
        view = view_of(played.state, seat)
        found = offers(view)
        _check(bool(found), played, f"seat {seat} has no legal action")
        action = chooser(view, found, rng)
        played.log.append(f"{seat} {write_action(action)}")
        if strict:
            _try_refused(played, rng)
            _try_all(played, seat, found)
        try:
            if strict:
                offered = played.state.copy() if action in found else None
                played.state = apply(played.state, seat, action).state
                if offered is not None:
                    play_offer(offered, seat, action)
                    _check(offered == played.state, played, "an offer played unjudged ends elsewhere")
            else:
                play(played.state, seat, action)
        except Refusal as refusal:
            raise _broken(played, f"refused: {refusal}") from refusal
        _check(_all_cards(played.state) == cards, played, "cards were lost or found")
        _check_sizes(played)
    raise _broken(played, "the round does not end")


def _try_all(played: Played, seat: int, found: Sequence[SeatAction]) -> None:
    """Every offer is accepted, and can be written and read back."""
    view = view_of(played.state, seat)
    for action in found:
        refusal = why_not(view, action)
        _check(refusal is None, played, f"offered {write_action(action)} is refused: {refusal}")
        again = speak(view, write_action(action))
        _check(
            write_action(again) == write_action(action), played, f"{write_action(action)} is read as {again}"
        )


def _try_refused(played: Played, rng: random.Random) -> None:
    """An action that comes out of nowhere is accepted as `why_not` says, or changes nothing."""
    state = played.state
    seat = rng.randrange(state.rules.seats)
    action = wild_action(state, seat, rng)
    before = state.copy()
    refusal = why_not(view_of(state, seat), action)
    try:
        apply(state, seat, action)
    except Refusal as raised:
        _check(refusal == raised, played, f"{seat} {write_action(action)}: why_not {refusal}, apply {raised}")
    else:
        _check(refusal is None, played, f"{seat} {write_action(action)} is accepted; why_not says {refusal}")
    _check(state == before, played, f"{seat} {write_action(action)} changed the state it was given")


def wild_action(state: GameState, seat: int, rng: random.Random) -> SeatAction:
    """Some action of any kind, mostly of cards in the hand, mostly illegal."""
    cards = state.hands[seat].cards
    kind = rng.choice(KINDS)

    def group() -> Group:
        size = rng.choice((0, 1, 2, 3, 3, 4, 7)) or 1
        chosen = rng.sample(cards, min(size, len(cards))) if rng.random() < 0.5 else _alike(cards, rng)
        label = rank_name(rng.randrange(3, 15)) if rng.random() < 0.2 else ""
        return Group(tuple(chosen) or (Card(rng.randrange(8, 61)),), label)

    match kind:
        case "discard":
            return Discard(rng.choice(cards) if cards and rng.random() < 0.8 else Card(rng.randrange(8, 61)))
        case "meld":
            return LayMelds(tuple(group() for _ in range(rng.choice((1, 1, 2)))))
        case "take":
            first = Group(()) if rng.random() < 0.3 else group()
            return TakePile(first, tuple(group() for _ in range(rng.choice((0, 0, 1)))))
        case "answer":
            return Answer(rng.random() < 0.5)
        case _:
            return {"draw": Draw(), "ask": AskPartner(), "decline": Decline(), "end": EndTurn()}[kind]


def _alike(cards: Sequence[Card], rng: random.Random) -> list[Card]:
    if not cards:
        return []
    rank = rng.choice(cards) >> 2
    same = [card for card in cards if card >> 2 == rank]
    wilds = [card for card in cards if card >> 2 in (2, 15) and card >> 2 != rank]
    return same + wilds[: rng.randrange(3)]


def _all_cards(state: GameState) -> Counter[Card]:
    public = state.public
    cards = Counter([*state.stock, *public.pile])
    for hand in state.hands:
        cards.update(hand.cards)
    for team in public.teams:
        cards.update(team.red_threes)
        for meld in team.melds:
            cards.update(meld.cards)
    return cards


def _check_sizes(played: Played) -> None:
    state = played.state
    public = state.public
    _check(public.sizes == [len(hand.cards) for hand in state.hands], played, "hand sizes are wrong")
    _check(public.stock_size == len(state.stock), played, "the stock's size is wrong")
    for team in public.teams:
        canastas = sum(meld.is_canasta for meld in team.melds)
        _check(team.canastas == canastas, played, "canastas are miscounted")


def _check(holds: bool, played: Played, what: str) -> None:
    if not holds:
        raise _broken(played, what)


def _broken(played: Played, what: str) -> Broken:
    rules = played.state.rules
    return Broken(
        f"{what}\n{rules.profile} seats {rules.seats} {dict(rules.options)}\n" + "\n".join(played.log[-40:])
    )


def every_table() -> Iterator[Rules]:
    """Rules of every profile, seat count and house option, each option alone, and the wildest together."""
    for name in profile_ids():
        one = profile(name)
        for seats in one.seats:
            yield one.rules(seats)
        for option in one.options.values():
            for value in option.values:
                if value != option.default and not (option.name == "target" and value != option.values[-1]):
                    yield from _with_option(name, {option.name: value}, option.only_seats)
    yield from _with_option("canastra", {"real": True, "sujo": True, "freeze": "always"}, ())
    yield from _with_option("canastra", {"three_pack": True, "real": True, "teams": 3}, (6,))
    yield from _with_option(
        "canastra", {"two_pack": True, "real": True, "freeze": "wild_and_black_three"}, ()
    )
    yield from _with_option("salon", {"draw": 2, "canastas_to_go_out": 2, "exhausted_take": "pile"}, (2,))


def _with_option(name: str, options: Mapping[str, OptionValue], only: Sequence[int]) -> Iterator[Rules]:
    one = profile(name)
    replaced = [
        one.options[key].seats[value] for key, value in options.items() if value in one.options[key].seats
    ]
    for seats in replaced[0] if replaced else one.seats:
        if not only or seats in only:
            yield one.rules(seats, options)


def replay(rules: Rules, log: Sequence[tuple[int | None, Action]]) -> GameState:
    """A game from its beginning."""
    state = GameState.new(rules)
    for seat, action in log:
        state = apply(state, seat, action).state
    return state
