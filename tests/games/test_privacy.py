"""Ephemeral stays ephemeral: no card that only one hand knows is in anything that others can see."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from canasta_core.ai import policy
from canasta_core.cards import RED_THREES, Card, name_of, read_card
from canasta_core.legality import who_acts
from canasta_core.state import GameState, Phase
from canasta_core.tables.model import Stage, Table
from tests.cogs.players import by_slash, open_table, table_of, who_of
from tests.discord.harness import Game, playing

CARD = re.compile(r"(10|[2-9AKQJ])[\ufe0e\ufe0f]?([♠♥♦♣])|(?<![A-Z])(JK)(?![A-Z])")
LETTERS = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}


def cards_in(body: object) -> set[Card]:
    """Every card that is named in what was sent."""
    text = json.dumps(body, ensure_ascii=False)
    return {read_card(joker or rank + LETTERS[suit]) for rank, suit, joker in CARD.findall(text)}


def lying(state: GameState) -> set[Card]:
    """Cards that lie open on the table."""
    public = state.public
    cards = {*public.pile, *(card for team in public.teams for card in team.red_threes)}
    return cards | {card for team in public.teams for meld in team.melds for card in meld.cards}


class Onlooker:
    """Somebody who sees the channel only, and remembers what lay open in this round and the last."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.seen = 0
        self.known: set[Card] = set()
        self.before: set[Card] = set()
        self.round = 0

    def look(self, table: Table) -> None:
        """Everything sent since the last look names only cards that lie open, or did."""
        state = table.state
        assert state is not None
        public = state.public
        if public.round_number != self.round:
            self.round, self.before, self.known = public.round_number, self.known, set()
        self.known |= lying(state)
        if public.phase in (Phase.ROUND_OVER, Phase.GAME_OVER):
            self.known |= {card for hand in state.hands for card in hand.cards}
        payloads = self.game.public_payloads()
        for body in payloads[self.seen :]:
            secret = cards_in(body) - self.known - self.before
            assert not secret, f"{[name_of(card) for card in secret]} in {body}"
        self.seen = len(payloads)


@pytest.mark.parametrize("name", ["classic", "salon"])
async def test_no_hidden_card_in_public_over_a_whole_game(tmp_path: Path, name: str) -> None:
    rng, player = random.Random(name), policy("medium")
    async with playing(tmp_path / "c.db", members=4, next_round=1.0) as game:
        await open_table(game, profile=name)
        onlooker, private = Onlooker(game), 0
        for _ in range(3000):
            table = await table_of(game)
            assert table.state is not None
            onlooker.look(table)
            if table.stage is Stage.ENDED:
                break
            if table.state.public.phase is Phase.ROUND_OVER:
                await game.advance(2)
                continue
            seat = who_acts(table.state.public)[0]
            action = player.choose(table.view(seat), rng)
            command, options = by_slash(table.rules, action)
            result = await game.slash(who_of(game, table, seat), command, **options)
            assert result.ephemeral
            own = {card for card in table.state.hands[seat].cards if card not in RED_THREES}
            private += bool(cards_in(result.response.components) & own - onlooker.known)
        assert table.stage is Stage.ENDED
        # The check sees: what people were told privately did name hidden cards, all the time.
        assert private > 50
