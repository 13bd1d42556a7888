"""Measures AI players on duplicate deals: every deal is played once from each team's seats.

scripts/tournament --deals 200 --a medium --b random --profile classic
scripts/tournament --games 60                       whole games, to the target
scripts/tournament --profile salon --seats 5 --option draw=2

Player A has one team, B all others. Intervals hold 95% of what other deals would give.
"""

import argparse
import math
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from canasta_core.actions import Deal, DrawLots
from canasta_core.ai import PLAYERS, Policy, policy
from canasta_core.cards import pack_of
from canasta_core.engine import play
from canasta_core.legality import who_acts
from canasta_core.profiles import RulesError, load_rules, profile_ids
from canasta_core.rules import Rules
from canasta_core.state import GameState, Phase
from canasta_core.views import view_of


@dataclass
class Figures:
    """What one player's teams did, over all rounds."""

    rounds: int = 0
    points: int = 0
    canastas: int = 0
    natural: int = 0
    opened: int = 0
    out: int = 0
    moves: int = 0
    seconds: float = 0.0

    def line(self, name: str) -> str:
        rounds = max(self.rounds, 1)
        return (
            f"{name:10} {self.points / rounds:7.0f} points a round · canastas {self.canastas / rounds:.2f} "
            f"({self.natural / rounds:.2f} natural) · opened {self.opened / rounds:.0%} · "
            f"went out {self.out / rounds:.0%} · {1000 * self.seconds / max(self.moves, 1):.2f} ms a move"
        )


@dataclass
class Tournament:
    """Two players, and what came of their rounds."""

    rules: Rules
    names: tuple[str, str]
    figures: tuple[Figures, Figures] = field(default_factory=lambda: (Figures(), Figures()))
    reasons: Counter[str] = field(default_factory=Counter)

    def shuffled(self, rng: random.Random) -> Deal:
        pack = pack_of(self.rules.packs, self.rules.jokers)
        rng.shuffle(pack)
        return Deal(tuple(pack), tuple(rng.randrange(1 << 20) for _ in range(len(pack))))

    def begin(self, rng: random.Random) -> GameState:
        state = GameState.new(self.rules)
        play(state, None, DrawLots(self.shuffled(rng).pack))
        return state

    def play_round(self, state: GameState, deal: Deal, own: int, rng: random.Random) -> None:
        """One round in place; `own` is the team of player A."""
        players: tuple[Policy, Policy] = (policy(self.names[0]), policy(self.names[1]))
        public = state.public
        play(state, None, deal)
        while public.phase not in (Phase.ROUND_OVER, Phase.GAME_OVER):
            seat = who_acts(public)[0]
            which = 0 if seat % self.rules.teams == own else 1
            start = time.process_time()
            action = players[which].choose(view_of(state, seat), rng)
            self.figures[which].seconds += time.process_time() - start
            self.figures[which].moves += 1
            play(state, seat, action)
        self.count(state, own)

    def count(self, state: GameState, own: int) -> None:
        public = state.public
        self.reasons[str(public.reason)] += 1
        for number, team in enumerate(public.teams):
            figures = self.figures[0 if number == own else 1]
            figures.rounds += 1
            figures.points += public.sheets[number].total
            figures.canastas += team.canastas
            figures.natural += sum(meld.is_canasta and meld.is_natural for meld in team.melds)
            figures.opened += team.opened
            figures.out += public.went_out is not None and public.went_out % self.rules.teams == number

    def deal(self, seed: int) -> float:
        """A's advantage in points a round, over one deal played from every team's seats."""
        differences = []
        for own in range(self.rules.teams):
            rng = random.Random(seed)
            state = self.begin(rng)
            self.play_round(state, self.shuffled(rng), own, random.Random(seed))
            totals = [sheet.total for sheet in state.public.sheets]
            others = [total for number, total in enumerate(totals) if number != own]
            differences.append(totals[own] - sum(others) / len(others))
        return sum(differences) / len(differences)

    def game(self, seed: int, longest: int) -> list[float]:
        """Whether A wins a game, with the same deals from every team's seats; half a win where none ends."""
        wins = []
        for own in range(self.rules.teams):
            rng = random.Random(seed)
            state = self.begin(rng)
            while state.public.phase is not Phase.GAME_OVER and state.public.round_number < longest:
                self.play_round(state, self.shuffled(rng), own, random.Random(seed))
            winner = state.public.winner
            wins.append(0.5 if winner is None else float(winner == own))
        return wins


def interval(values: list[float]) -> tuple[float, float]:
    """Mean, and half the width of its 95% interval."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, math.inf
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, 1.96 * math.sqrt(variance / len(values))


def wilson(wins: float, games: int) -> tuple[float, float]:
    """95% interval of a share of wins (Wilson's score interval: sound near 0 and 1 too)."""
    z, share = 1.96, wins / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - half, middle + half


def option(text: str) -> tuple[str, int | bool | str]:
    """`draw=2`, `sujo=true`, `freeze=wild`."""
    name, _, value = text.partition("=")
    if value in ("true", "false"):
        return name, value == "true"
    return name, int(value) if value.isdecimal() else value


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--a", default="medium", choices=sorted(PLAYERS))
    parser.add_argument("--b", default="random", choices=sorted(PLAYERS))
    parser.add_argument("--profile", default="classic", choices=profile_ids())
    parser.add_argument("--seats", type=int)
    parser.add_argument("--option", type=option, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--deals", type=int, default=100, help="rounds, each played from every team's seats")
    parser.add_argument("--games", type=int, default=0, help="whole games instead, likewise")
    parser.add_argument("--longest", type=int, default=200, help="rounds of a game at most")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if min(given.deals, given.longest) < 1 or given.games < 0:
        parser.error("there must be something to play")
    try:
        rules = load_rules(given.profile, given.seats, dict(given.option))
    except RulesError as error:
        parser.error(f"{error.code}: {error.facts}")
    tournament = Tournament(rules, (given.a, given.b))
    if given.games:
        wins = [tournament.game(given.seed + number, given.longest) for number in range(given.games)]
        won, games = sum(map(sum, wins)), given.games * rules.teams
        low, high = wilson(won, games)
        print(f"{given.a} won {won:g} of {games} games: {won / games:.1%} (95%: {low:.1%} to {high:.1%})")
    else:
        gains = [tournament.deal(given.seed + number) for number in range(given.deals)]
        mean, half = interval(gains)
        print(
            f"{given.a} - {given.b}: {mean:+.0f} points a round (95%: ±{half:.0f}) over {given.deals} deals"
        )
    for name, figures in zip((given.a, given.b), tournament.figures, strict=True):
        print(figures.line(name))
    print(
        "rounds ended:",
        ", ".join(f"{reason} {number}" for reason, number in tournament.reasons.most_common()),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
