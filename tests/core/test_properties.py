"""What holds in every state that can be reached (hypothesis, stateful)."""

import random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from canasta_core.actions import Action, Deal, DrawLots, SeatAction
from canasta_core.cards import Card, pack_of
from canasta_core.codec import (
    decode_action,
    decode_event,
    decode_state,
    encode_action,
    encode_event,
    encode_state,
    state_hash,
)
from canasta_core.engine import apply
from canasta_core.events import Drew, seen_by
from canasta_core.legality import who_acts, why_not
from canasta_core.offers import legal_kinds, offers
from canasta_core.refusals import Refusal
from canasta_core.rules import Rules
from canasta_core.state import GameState, Hand, Phase
from canasta_core.views import view_of
from tests.soak.rounds import every_table, replay, wild_action

TABLES = list(every_table())


class Game(RuleBasedStateMachine):
    """A game in which hypothesis chooses what is done."""

    rules: Rules
    state: GameState

    @initialize(rules=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
    def start(self, rules: Rules, seed: int) -> None:
        self.rng = random.Random(seed)
        self.rules = rules
        self.log: list[tuple[int | None, Action]] = []
        self.state = GameState.new(rules)
        self._chance(DrawLots(self._pack()))
        self._chance(Deal(self._pack(), tuple(self.rng.randrange(1000) for _ in range(20))))

    def _pack(self) -> tuple[Card, ...]:
        pack = pack_of(self.rules.packs, self.rules.jokers)
        self.rng.shuffle(pack)
        return tuple(pack)

    def _chance(self, action: DrawLots | Deal) -> None:
        self.state = apply(self.state, None, action).state
        self.log.append((None, action))

    def _act(self, seat: int, action: SeatAction) -> None:
        before = encode_state(self.state)
        done = apply(self.state, seat, action)
        assert encode_state(self.state) == before
        for event in done.events:
            assert decode_event(encode_event(event)) == event
            if isinstance(event, Drew):
                assert seen_by(event, seat) == event
                assert not getattr(seen_by(event, None), "cards", ())
        assert decode_action(encode_action(action)) == action
        self.state = done.state
        self.log.append((seat, action))

    def _over(self) -> bool:
        return not who_acts(self.state.public)

    @precondition(lambda self: not self._over())
    @rule(choice=st.floats(0, 1, exclude_max=True), lay=st.booleans())
    def follow_an_offer(self, choice: float, lay: bool) -> None:
        seat = who_acts(self.state.public)[0]
        found = offers(view_of(self.state, seat))
        preferred = [action for action in found if action.kind in ("meld", "take", "ask")] if lay else []
        chosen = preferred or found
        self._act(seat, chosen[int(choice * len(chosen))])

    @rule(seed=st.integers(0, 2**32))
    def try_anything(self, seed: int) -> None:
        rng = random.Random(seed)
        seat = rng.randrange(self.rules.seats)
        action = wild_action(self.state, seat, rng)
        refusal = why_not(view_of(self.state, seat), action)
        before = encode_state(self.state)
        if refusal is None:
            self._act(seat, action)
            return
        with pytest.raises(Refusal) as raised:
            apply(self.state, seat, action)
        assert raised.value == refusal
        assert raised.value.rule
        assert encode_state(self.state) == before

    @precondition(lambda self: self.state.public.phase is Phase.ROUND_OVER)
    @rule()
    def deal_again(self) -> None:
        dealer = self.state.public.dealer
        self._chance(Deal(self._pack(), tuple(self.rng.randrange(1000) for _ in range(20))))
        assert self.state.public.dealer == (dealer + 1) % self.rules.seats

    @invariant()
    def cards_are_conserved(self) -> None:
        public = self.state.public
        cards = [*self.state.stock, *public.pile, *(card for hand in self.state.hands for card in hand.cards)]
        for team in public.teams:
            cards += [*team.red_threes, *(card for meld in team.melds for card in meld.cards)]
        assert sorted(cards) == sorted(pack_of(self.rules.packs, self.rules.jokers))
        for hand in self.state.hands:
            assert Hand.of(hand.cards) == hand
            assert all(card >> 2 != 3 or card in (12, 15) for card in hand.cards)

    @invariant()
    def scores_are_multiples_of_five(self) -> None:
        assert all(score % 5 == 0 for score in self.state.public.scores)

    @invariant()
    def somebody_can_act_until_the_round_is_over(self) -> None:
        public = self.state.public
        assert bool(who_acts(public)) == (public.phase in (Phase.DRAW, Phase.PLAY, Phase.PERMISSION))
        for seat in range(self.rules.seats):
            view = view_of(self.state, seat)
            found = offers(view)
            assert bool(found) == (seat in who_acts(public))
            assert all(why_not(view, action) is None for action in found)
            assert legal_kinds(view) == {action.kind for action in found}

    @invariant()
    def what_a_seat_cannot_see_changes_nothing_for_it(self) -> None:
        for seat in who_acts(self.state.public):
            twin = self.state.copy()
            others = [other for other in range(self.rules.seats) if other != seat]
            hidden = [*twin.stock, *(card for other in others for card in twin.hands[other].cards)]
            random.Random(len(hidden)).shuffle(hidden)
            for other in others:
                size = len(twin.hands[other].cards)
                twin.hands[other] = Hand.of(hidden[:size])
                del hidden[:size]
            twin.stock = hidden
            assert view_of(twin, seat) == view_of(self.state, seat)
            assert offers(view_of(twin, seat)) == offers(view_of(self.state, seat))

    @invariant()
    def the_codec_reads_back(self) -> None:
        again = decode_state(encode_state(self.state))
        assert again == self.state
        assert state_hash(again) == state_hash(self.state)

    def teardown(self) -> None:
        if hasattr(self, "state"):
            assert state_hash(replay(self.rules, self.log)) == state_hash(self.state)


TestGame = Game.TestCase
TestGame.settings = settings(
    max_examples=40, stateful_step_count=60, deadline=None, suppress_health_check=list(HealthCheck)
)
