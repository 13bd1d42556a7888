"""The short form of scripts/soak: every table once, with a stock of some size and a way of choosing."""

import pytest

from canasta_core.rules import Rules
from tests.soak.__main__ import STOCKS, sweep
from tests.soak.choosers import CHOOSERS
from tests.soak.rounds import every_table

TABLES = list(every_table())


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: f"{rules.profile}{rules.seats}{rules.options}")
def test_every_table(rules: Rules) -> None:
    for number, chooser in enumerate(CHOOSERS):
        stock = STOCKS[(TABLES.index(rules) + number) % len(STOCKS)]
        sweep(rules, chooser, stock, 2, strict=True)


def test_classic_rounds() -> None:
    for chooser in CHOOSERS:
        sweep(next(rules for rules in TABLES if rules.profile == "classic"), chooser, None, 10, strict=True)
