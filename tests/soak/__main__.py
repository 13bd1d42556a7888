"""`scripts/soak`: sweep every profile, seat count and option for dead ends, lost cards and refused offers."""

import argparse
import random
import sys
import time

from canasta_core.rules import Rules
from tests.soak.choosers import CHOOSERS
from tests.soak.rounds import Broken, deal_round, every_table, play_round

STOCKS = (None, 0, 1, 2, 5)
"""Stock sizes after the deal; None is the whole stock."""


def sweep(rules: Rules, chooser: str, stock: int | None, rounds: int, *, strict: bool) -> None:
    """Play rounds of one kind. Raises Broken."""
    rng = random.Random(f"{rules.profile} {rules.seats} {rules.options} {chooser} {stock}")
    for _ in range(rounds):
        play_round(deal_round(rules, rng, stock), CHOOSERS[chooser], rng, strict=strict)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="rounds of each kind (default 200)")
    parser.add_argument("--profile", help="only this profile, with its default seats and no options")
    parser.add_argument("--chooser", choices=sorted(CHOOSERS), help="only this way of choosing")
    parser.add_argument("--full", action="store_true", help="only full stocks")
    parser.add_argument("--fast", action="store_true", help="in place, without trying refused actions")
    arguments = parser.parse_args()
    tables = list(every_table())
    if arguments.profile:
        tables = [rules for rules in tables if rules.profile == arguments.profile and not rules.options]
    played, start = 0, time.monotonic()
    for rules in tables:
        for chooser in [arguments.chooser] if arguments.chooser else CHOOSERS:
            for stock in STOCKS[:1] if arguments.full else STOCKS:
                try:
                    sweep(rules, chooser, stock, arguments.rounds, strict=not arguments.fast)
                except Broken as error:
                    print(error)
                    return 1
                played += arguments.rounds
        options = " ".join(f"{name}={value}" for name, value in rules.options)
        took = time.monotonic() - start
        print(f"{rules.profile} {rules.seats} {options}: {played} rounds so far, {took:.0f} s", flush=True)
    print(f"{played} rounds without a dead end, a lost card or a refused offer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
