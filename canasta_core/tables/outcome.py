"""What the rounds and the game that end with a change come to: scores, shares, and what they add up to."""

from collections.abc import Iterable
from dataclasses import asdict, replace

from canasta_core.events import GameEnded, RoundEnded
from canasta_core.state import PublicState
from canasta_core.tables.model import Table
from canasta_core.tables.ports import ResultRow, RoundRow
from canasta_core.tables.rows import data_text
from canasta_core.tables.standings import (
    Game,
    Rater,
    SeatRound,
    Share,
    Standing,
    Standings,
    after_game,
    own_pool,
)


class Outcome:
    """Rows of one commit. Times are unix seconds."""

    def __init__(self) -> None:
        self.rounds: list[RoundRow] = []
        self.seat_rounds: list[SeatRound] = []
        self.results: list[ResultRow] = []
        self.standings: Standings = {}
        """Those that the game changes, once it is rated."""
        self.game: Game | None = None
        """The game that has ended, with the rounds that ended with it."""

    def round_over(self, table: Table, event: RoundEnded, public: PublicState, now: float) -> None:
        """A round has ended: the scores of its teams, and what each seat did in it if that was counted."""
        number = public.round_number
        self.rounds.extend(
            RoundRow(
                round_number=number,
                team=team,
                points=sheet.total,
                score=event.scores[team],
                reason=event.reason,
                sheet=data_text(asdict(sheet)),
                finished_at=now,
            )
            for team, sheet in enumerate(event.sheets)
        )
        if not table.tally:
            return
        self.seat_rounds.extend(
            SeatRound(
                round_number=number,
                seat=sitter.seat,
                user_id=sitter.user_id,
                points=event.sheets[table.rules.team_of(sitter.seat)].total,
                canastas=done.canastas,
                naturals=done.naturals,
                went_out=public.went_out == sitter.seat,
                concealed=public.went_out == sitter.seat and public.concealed,
                turns=done.turns,
            )
            for sitter, done in zip(table.sitters, table.tally, strict=True)
        )

    def game_over(self, table: Table, event: GameEnded, rounds: int, now: float) -> None:
        """The game has ended after so many rounds: each seat's share in it."""
        rules = table.rules
        shape = "x".join(str(len(rules.seats_of(team))) for team in range(rules.teams))
        for sitter in table.sitters:
            team = rules.team_of(sitter.seat)
            self.results.append(
                ResultRow(
                    guild_id=table.guild_id,
                    profile=rules.profile,
                    shape=shape,
                    seat=sitter.seat,
                    team=team,
                    user_id=sitter.user_id,
                    ai=sitter.ai,
                    name=sitter.name,
                    whole=not sitter.is_ai and not sitter.kept and sitter.since <= table.began,
                    score=event.scores[team],
                    won=team == event.winner,
                    rounds=rounds,
                    finished_at=now,
                )
            )
        self.game = Game(
            guild_id=table.guild_id,
            profile=rules.profile,
            shape=shape,
            finished_at=now,
            shares=tuple(
                Share(one.seat, one.team, one.user_id, one.ai, one.whole, one.score, one.won)
                for one in self.results
            ),
            rounds=tuple(self.seat_rounds),
        )

    def rate(self, earlier: Iterable[SeatRound], before: Standings, rater: Rater) -> None:
        """Count the game that has ended: `earlier` are its rounds before this change."""
        assert self.game is not None, "a game has ended"
        self.game = replace(self.game, rounds=(*earlier, *self.game.rounds))
        self.standings = after_game(self.game, before, rater)
        own = own_pool(self.game)
        for index, row in enumerate(self.results):
            after = None if row.user_id is None else self.standings.get((own, row.user_id))
            if after is not None and row.user_id is not None and row.whole:
                first = before.get((own, row.user_id), Standing())
                self.results[index] = replace(
                    row, rating_before=first.skill.rating, rating_after=after.skill.rating
                )
