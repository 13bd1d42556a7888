"""Ratings by openskill: Plackett-Luce, which ranks any number of teams of any size in one go.

Of openskill's models it is the one whose outcome for a game of several teams (salon with three teams,
three players each for themselves) is that of the whole order at once, where Bradley-Terry and
Thurstone-Mosteller take it apart into duels; for two teams they hardly differ. The beta, tau and kappa are
openskill's own defaults: they were found on far more games than this program will see.
"""

from collections.abc import Sequence

from openskill.models import PlackettLuce

from canasta_core.tables.standings import MU, SIGMA, Skill


class OpenSkill:
    """The mathematics of `standings.Rater`."""

    def __init__(self) -> None:
        self._model = PlackettLuce(mu=MU, sigma=SIGMA)

    def rate(self, teams: Sequence[Sequence[Skill]], ranks: Sequence[int]) -> list[list[Skill]]:
        """The skills after a game; see the port."""
        rated = self._model.rate(
            [[self._model.rating(mu=one.mu, sigma=one.sigma) for one in team] for team in teams],
            ranks=[float(rank) for rank in ranks],
        )
        return [[Skill(one.mu, one.sigma) for one in team] for team in rated]
