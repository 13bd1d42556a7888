"""Finished rounds as the tables keep them."""

import json
from collections.abc import Sequence
from itertools import groupby

from canasta_core.events import RoundEnded
from canasta_core.state import Reason, ScoreSheet
from canasta_core.tables.ports import RoundRow


def ended_rounds(rows: Sequence[RoundRow]) -> dict[int, RoundEnded]:
    """How each round ended, by its number; without the hands."""
    found = {}
    for number, group in groupby(rows, lambda row: row.round_number):
        teams = list(group)
        found[number] = RoundEnded(
            reason=Reason(teams[0].reason),
            hands=(),
            sheets=tuple(ScoreSheet(**json.loads(row.sheet)) for row in teams),
            scores=tuple(row.score for row in teams),
        )
    return found
