"""The AI players: legal, fair, quick, and worth sitting with."""

import random
import time
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canasta_core.actions import Answer, AskPartner, Deal, Discard, DrawLots, Group, LayMelds, SeatAction
from canasta_core.ai import PLAYERS, Policy, levels, policy
from canasta_core.cards import Card, pack_of, read_cards
from canasta_core.engine import play
from canasta_core.legality import who_acts, why_not
from canasta_core.melds import lay, tell_apart
from canasta_core.profiles import load_rules
from canasta_core.rules import Permission, Rules
from canasta_core.state import GameState, Hand, Phase, Reason, Source
from canasta_core.views import view_of

TABLES: list[tuple[str, int, Mapping[str, int | bool | str]]] = [
    ("classic", 4, {}),
    *(("salon", seats, {}) for seats in (2, 3, 4, 5, 6)),
    ("salon", 2, {"draw": 2, "canastas_to_go_out": 2}),
    ("salon", 6, {"teams": 3}),
    ("salon", 4, {"exhausted_take": "pile"}),
    *(("canastra", seats, {}) for seats in (2, 3, 4)),
    ("canastra", 4, {"real": True}),
    ("canastra", 4, {"sujo": True}),
    ("canastra", 4, {"two_pack": True, "freeze": "always"}),
    ("canastra", 6, {"three_pack": True}),
    ("browser", 2, {}),
    ("browser", 4, {}),
]


def _deal(rules: Rules, rng: random.Random) -> Deal:
    pack = pack_of(rules.packs, rules.jokers)
    rng.shuffle(pack)
    return Deal(tuple(pack), tuple(rng.randrange(1 << 20) for _ in pack))


def _game(rules: Rules, rng: random.Random) -> GameState:
    state = GameState.new(rules)
    play(state, None, DrawLots(_deal(rules, rng).pack))
    return state


def _play_round(state: GameState, players: list[Policy], rng: random.Random) -> list[SeatAction]:
    """One round, a policy a team. `play` refuses whatever is illegal."""
    play(state, None, _deal(state.rules, rng))
    actions = []
    while seats := who_acts(state.public):
        action = players[seats[0] % state.rules.teams].choose(view_of(state, seats[0]), rng)
        play(state, seats[0], action)
        actions.append(action)
    return actions


@pytest.mark.parametrize(("profile", "seats", "options"), TABLES, ids=str)
def test_rounds_at_every_table(profile: str, seats: int, options: Mapping[str, int | bool | str]) -> None:
    """Twenty rounds, with the scores of a running game, without an illegal move; most of them gone out of."""
    rules = load_rules(profile, seats, options)
    rng = random.Random(7)
    state = _game(rules, rng)
    reasons: Counter[Reason | None] = Counter()
    for _ in range(20):
        if state.public.phase is Phase.GAME_OVER:
            state = _game(rules, rng)
        actions = _play_round(state, [policy("medium")] * rules.teams, rng)
        reasons[state.public.reason] += 1
        if rules.permission is Permission.REQUIRED and rules.has_partners:
            assert AskPartner() in actions or state.public.went_out is None
    assert reasons[Reason.STUCK] == 0
    assert reasons[Reason.WENT_OUT] >= 8, reasons


def test_medium_beats_random_by_far() -> None:
    """Every deal from both sides, so that the cards cancel out."""
    rules = load_rules("classic")
    gains = []
    for seed in range(12):
        for own in range(2):
            rng = random.Random(seed)
            state = _game(rules, rng)
            players = [policy("medium" if team == own else "random") for team in range(2)]
            _play_round(state, players, rng)
            totals = [sheet.total for sheet in state.public.sheets]
            gains.append(totals[own] - totals[1 - own])
    assert sum(gains) / len(gains) > 500


@settings(max_examples=60, deadline=None)
@given(
    table=st.sampled_from(TABLES),
    seed=st.integers(0, 2**32),
    moves=st.integers(0, 250),
    player=st.sampled_from(sorted(PLAYERS)),
)
def test_hidden_cards_change_no_move(
    table: tuple[str, int, Mapping[str, int | bool | str]], seed: int, moves: int, player: str
) -> None:
    """Permuting every card that the seat cannot see, with the same random numbers, gives the same move."""
    rng = random.Random(seed)
    rules = load_rules(*table)
    state = _game(rules, rng)
    play(state, None, _deal(rules, rng))
    for _ in range(moves):
        seat = who_acts(state.public)[0]
        mover = policy(player if rng.random() < 0.7 else "random")
        after = state.copy()
        play(after, seat, mover.choose(view_of(state, seat), rng))
        if not who_acts(after.public):
            break
        state = after
    seat = who_acts(state.public)[0]
    twin = _with_hidden_cards_permuted(state, seat, rng)
    before = state.copy()
    action = policy(player).choose(view_of(state, seat), random.Random(seed))
    assert policy(player).choose(view_of(twin, seat), random.Random(seed)) == action
    assert why_not(view_of(state, seat), action) is None
    assert state == before


def _with_hidden_cards_permuted(state: GameState, seat: int, rng: random.Random) -> GameState:
    twin = state.copy()
    others = [other for other in range(state.rules.seats) if other != seat]
    hidden = [*twin.stock, *(card for other in others for card in twin.hands[other].cards)]
    rng.shuffle(hidden)
    for other in others:
        size = len(twin.hands[other].cards)
        twin.hands[other] = Hand.of(hidden[:size])
        del hidden[:size]
    twin.stock = hidden
    return twin


def test_a_move_takes_little_time() -> None:
    """The aim is 2 ms a move on an idle core; a loaded one gets five times that."""
    rules = load_rules("classic")
    rng = random.Random(3)
    state = _game(rules, rng)
    start = time.process_time()
    moves = sum(len(_play_round(state, [policy("medium")] * 2, rng)) for _ in range(4))
    assert (time.process_time() - start) / moves < 0.010


def test_levels_are_players() -> None:
    assert levels() == ("medium",)
    assert set(levels()) <= set(PLAYERS)
    with pytest.raises(KeyError):
        policy("nobody")


def _position(
    profile: str,
    hand: str,
    *,
    melds: tuple[str, ...] = (),
    theirs: tuple[str, ...] = (),
    pile: str = "",
    phase: Phase = Phase.PLAY,
    partner: str = "4S 5S",
) -> GameState:
    """Seat 0 to act, with what lies before both teams."""
    rules = load_rules(profile)
    state = GameState.new(rules)
    public = state.public
    public.dealer, public.turn, public.phase, public.round_number = 3, 0, phase, 1
    public.drawn = Source.STOCK if phase is Phase.PLAY else None
    for team, written in zip(public.teams, (melds, theirs), strict=True):
        layings = tell_apart(rules, [Group(tuple(read_cards(meld))) for meld in written], blacks_ok=False)
        assert isinstance(layings, list)
        for laying in layings:
            lay(team, laying)
    public.old_melds = len(public.teams[0].melds)
    public.team_fresh = public.seat_fresh = not melds
    public.pile = read_cards(pile)
    held: list[list[Card]] = [read_cards(hand), read_cards("9S 9H TS JS QS 6S 6H"), read_cards(partner)]
    held.append(read_cards("9D TH JH QH 8S 8H 5H"))
    state.hands = [Hand.of(cards) for cards in held]
    public.sizes = [len(cards) for cards in held]
    state.stock = read_cards("4D 4C 5D 5C 6D 6C 7D 7C 8D 8C") * 3
    public.stock_size = len(state.stock)
    return state


def _choice(state: GameState, seat: int = 0) -> SeatAction:
    return policy("medium").choose(view_of(state, seat), random.Random(1))


@pytest.mark.parametrize(("partner", "yes"), [("4S 5S KS", True), ("JK JK 2S 2H AS", False)])
def test_the_partner_is_answered_from_the_own_hand(partner: str, yes: bool) -> None:
    melds = ("KS KH KD KC KS KH KD",)
    state = _position("salon", "QS QH QD 7S", melds=melds, partner=partner)
    play(state, 0, AskPartner())
    assert _choice(state, 2) == Answer(yes)


def test_after_a_yes_the_seat_goes_out_and_after_a_no_it_does_not() -> None:
    for yes in (True, False):
        state = _position("salon", "QS QH QD 7S", melds=("KS KH KD KC KS KH KD",))
        assert _choice(state) == AskPartner()
        play(state, 0, AskPartner())
        play(state, 2, Answer(yes))
        while state.public.phase is Phase.PLAY and state.public.turn == 0:
            play(state, 0, _choice(state))
        assert (state.public.went_out == 0) is yes


def test_a_wild_finishes_the_first_canasta_and_it_is_a_deuce() -> None:
    state = _position("classic", "JK 2S 5S 7H 9H JD QD", melds=("KS KH KD KC 2H 2D",))
    assert _choice(state) == LayMelds((Group(tuple(read_cards("2S")), "K"),))


def test_no_wilds_start_a_pair_once_the_team_has_opened() -> None:
    state = _position("classic", "JK 2S QS QH 7H 9H JD 5C", melds=("KS KH KD",))
    assert isinstance(_choice(state), Discard)


def test_a_rank_the_next_seat_melds_is_not_given_away() -> None:
    theirs = ("4S 4H 4C 4S 4H 4C",)
    state = _position(
        "classic", "4D TH 9H JD AD 8C", melds=("KS KH KD",), theirs=theirs, pile="7S 5D 6H TD KC 5C"
    )
    choice = _choice(state)
    assert isinstance(choice, Discard)
    assert choice != Discard(read_cards("4D")[0])
