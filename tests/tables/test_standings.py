"""Standings: what a finished game adds to whom, in which pools, and how ratings move."""

from dataclasses import replace

from canasta_core.tables.standings import (
    ANCHORS,
    WORLD,
    Game,
    Pool,
    SeatRound,
    Share,
    Skill,
    Standing,
    after_game,
    pools_of,
    ranks_of,
)
from ratings import OpenSkill

NOVEMBER = 1_795_000_000.0
"""2026-11-18, in the evening."""
RATER = OpenSkill()


def share(
    seat: int, *, won: bool = False, user: int | None = None, whole: bool = True, ai: str = ""
) -> Share:
    return Share(seat, seat % 2, user, ai, whole and not ai, 5000 if won else 3000, won)


def game(*shares: Share, rounds: tuple[SeatRound, ...] = (), at: float = NOVEMBER) -> Game:
    return Game(7, "classic", "2x2", at, shares, rounds)


FOUR = game(share(0, won=True, user=10), share(1, user=11), share(2, won=True, user=12), share(3, user=13))


def own(standings: dict[tuple[Pool, int], Standing], user: int, name: str = "classic 2x2") -> Standing:
    return standings[Pool(7, name, "all"), user]


def test_a_game_counts_in_its_pool_and_in_all_on_the_server_and_beyond_and_in_three_seasons() -> None:
    assert set(pools_of(FOUR)) == {
        Pool(scope, name, season)
        for scope in (7, WORLD)
        for name in ("classic 2x2", "all")
        for season in ("all", "2026", "2026-11")
    }
    changed = after_game(FOUR, {}, RATER)
    assert {user for _, user in changed} == {10, 11, 12, 13}
    assert len(changed) == 12 * 4


def test_winners_rise_and_losers_fall() -> None:
    changed = after_game(FOUR, {}, RATER)
    assert own(changed, 10).skill.mu > 25 > own(changed, 11).skill.mu
    assert own(changed, 10).skill.sigma < Skill().sigma
    assert round(Skill().rating) == 1000
    assert (own(changed, 10).wins, own(changed, 11).wins) == (1, 0)


def test_games_with_ai_players_have_pools_of_their_own_and_the_ai_is_an_anchor() -> None:
    with_ai = game(share(0, won=True, user=10), share(1, ai="medium"))
    changed = after_game(with_ai, {}, RATER)
    assert {pool.name for pool, _ in changed} == {"classic 2x2 ai", "all ai"}
    assert {user for _, user in changed} == {10}
    first = own(changed, 10, "classic 2x2 ai").skill.mu
    expert = game(share(0, won=True, user=10), share(1, ai="expert"))
    assert ANCHORS["expert"] > ANCHORS["medium"]
    assert own(after_game(expert, {}, RATER), 10, "classic 2x2 ai").skill.mu > first


def test_whoever_did_not_hold_the_seat_from_start_to_end_is_not_counted_but_played_with() -> None:
    late = game(share(0, won=True, user=10), replace(share(1, user=11), whole=False))
    before = {(pool, 11): Standing(Skill(35.0, 2.0), games=9) for pool in pools_of(late)}
    changed = after_game(late, before, RATER)
    assert {user for _, user in changed} == {10}
    fresh = after_game(late, {}, RATER)
    assert own(changed, 10).skill.mu > own(fresh, 10).skill.mu
    assert after_game(game(replace(share(0, user=10), whole=False)), {}, RATER) == {}


def test_ranks_are_the_winner_first_then_by_score_and_ties_share_one() -> None:
    shares = tuple(
        Share(seat, seat, seat + 1, "", True, score, won)
        for seat, (score, won) in enumerate([(900, False), (500, True), (900, False), (-50, False)])
    )
    assert ranks_of(Game(7, "salon", "1x1x1x1", NOVEMBER, shares, ()), [0, 1, 2, 3]) == [2, 1, 2, 4]


def seat_round(seat: int, number: int, points: int, **more: int | bool) -> SeatRound:
    return SeatRound(
        number,
        seat,
        None,
        points,
        int(more.get("canastas", 0)),
        int(more.get("naturals", 0)),
        bool(more.get("went_out", False)),
        bool(more.get("concealed", False)),
        int(more.get("turns", 9)),
    )


def test_rounds_add_up_and_the_best_are_kept() -> None:
    rounds = (
        seat_round(0, 1, 1200, canastas=2, naturals=1, went_out=True, turns=8),
        seat_round(1, 1, -300),
        seat_round(0, 2, -150, canastas=1),
        seat_round(1, 2, 2100, canastas=3, went_out=True, concealed=True, turns=4),
    )
    first = after_game(game(share(0, won=True, user=10), share(1, user=11), rounds=rounds), {}, RATER)
    ann, ben = own(first, 10), own(first, 11)
    assert (ann.rounds, ann.points, ann.canastas, ann.naturals, ann.exits) == (2, 1050, 3, 1, 1)
    assert (ann.fastest_exit, ann.biggest_round, ann.round_average) == (8, 1200, 525.0)
    assert (ben.fastest_exit, ben.biggest_round, ben.concealed, ben.best_streak) == (4, 2100, 1, 0)
    slower = (seat_round(0, 1, 800, went_out=True, turns=10), seat_round(1, 1, 10))
    second = after_game(game(share(0, user=10), share(1, won=True, user=11), rounds=slower), first, RATER)
    ann, ben = own(second, 10), own(second, 11)
    assert (ann.games, ann.wins, ann.win_rate) == (2, 1, 0.5)
    assert (ann.fastest_exit, ann.biggest_round, ann.exits) == (8, 1200, 2)
    assert (ann.streak, ann.best_streak, ben.streak, ben.best_streak) == (0, 1, 1, 1)


def test_a_new_month_begins_anew_and_all_time_goes_on() -> None:
    first = after_game(FOUR, {}, RATER)
    later = after_game(replace(FOUR, finished_at=NOVEMBER + 20 * 86_400), first, RATER)
    assert later[Pool(7, "all", "2026-12"), 10].games == 1
    assert later[Pool(7, "all", "2026"), 10].games == 2
    assert later[Pool(7, "all", "2026-12"), 10].skill == first[Pool(7, "all", "2026-11"), 10].skill
