"""How fast the engine plays: whole random rounds through its own offers, on one core.

Every round is played several times, a fixed loop is timed in between, and the best time of each counts:
so what else the machine does falls out as far as it can. The price of a round in turns of that loop compares
any two runs; rounds/s compare only those of one machine at rest.

With `--commands` and `--tables` it measures the bot instead: see tests/games/timing.py and bench_tables.py.
"""

import argparse
import asyncio
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from canasta_core.actions import Deal, DrawLots
from canasta_core.cards import pack_of
from canasta_core.engine import play, play_offer
from canasta_core.offers import offers
from canasta_core.profiles import load_rules, profile_ids
from canasta_core.rules import Rules
from canasta_core.state import GameState
from canasta_core.views import PlayerView

LOOPS = 20_000


def calibration() -> float:
    """Seconds of a fixed pure-Python loop."""
    start = time.process_time()
    number = 0
    for turn in range(LOOPS):
        number = (number * 7 + turn) & 1023
    return time.process_time() - start


def shuffled(rules: Rules, rng: random.Random) -> Deal:
    pack = pack_of(rules.packs, rules.jokers)
    rng.shuffle(pack)
    return Deal(tuple(pack), tuple(pack))


def new_game(rules: Rules) -> GameState:
    """A game whose first dealer is known."""
    state = GameState.new(rules)
    play(state, None, DrawLots(shuffled(rules, random.Random(1)).pack))
    return state


def play_round(state: GameState, deal: Deal, rng: random.Random) -> int:
    """A round of random offers, from the deal to the score; how many actions it took."""
    public = state.public
    play(state, None, deal)
    actions = 0
    while public.reason is None:
        seat = public.pending[0] if public.pending else public.turn
        found = offers(PlayerView(seat, public, state.hands[seat]))
        play_offer(state, seat, found[int(rng.random() * len(found))])
        actions += 1
    return actions


def measure(rules: Rules, rounds: int, times: int) -> str:
    """The figures of one profile, in a line."""
    game = new_game(rules)
    loop = float("inf")
    best = [float("inf")] * rounds
    actions = 0
    for _ in range(times):
        actions = 0
        for number in range(rounds):
            loop = min(loop, calibration() / LOOPS)
            state, rng = game.copy(), random.Random(number)
            deal = shuffled(rules, rng)
            start = time.process_time()
            actions += play_round(state, deal, rng)
            best[number] = min(best[number], time.process_time() - start)
    seconds = sum(best)
    return (
        f"{rules.profile:9} {rounds / seconds:5.0f} rounds/s · {1e6 * seconds / actions:.1f} µs an action, "
        f"{actions / rounds:.0f} a round · {seconds / rounds / loop / 1000:.1f} thousand loops a round, "
        f"{seconds / actions / loop:.0f} an action (a loop: {1e9 * loop:.1f} ns)"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="append", choices=profile_ids(), help="default: all")
    parser.add_argument("--rounds", type=int, default=100, help="different rounds")
    parser.add_argument("--times", type=int, default=10, help="how often each is played")
    parser.add_argument("--commands", type=int, metavar="N", help="time N slash commands instead")
    parser.add_argument("--tables", type=int, metavar="N", help="time moves at N open tables instead")
    parser.add_argument("--seconds", type=float, default=30.0, help="with --tables: how long moves come in")
    parser.add_argument("--rate", type=float, default=200.0, help="with --tables: moves a second")
    parser.add_argument("--folder", type=Path, help="with --tables: where the file is made (and left)")
    parser.add_argument(
        "--leaderboard",
        type=int,
        metavar="N",
        help="time leaderboards over N people and 10 N results instead",
    )
    given = parser.parse_args()
    if given.leaderboard:
        import bench_board

        asyncio.run(bench_board.report(given.leaderboard, 10 * given.leaderboard))
        return 0
    if given.tables:
        import bench_tables

        if min(given.tables, given.seconds, given.rate) < 1:
            parser.error("there must be something to measure")
        bench_tables.main(
            given.tables, given.seconds, given.rate, given.folder, lambda: calibration() / LOOPS
        )
        return 0
    if given.commands:
        from tests.games.timing import timing

        print(timing(given.commands))
        return 0
    if min(given.rounds, given.times) < 1:
        parser.error("there must be something to play")
    for name in given.profile or profile_ids():
        print(measure(load_rules(name), given.rounds, given.times), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
