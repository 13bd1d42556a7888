"""The itemised score of a round, and the end of a game (R9)."""

from canasta_core.rules import Rules
from canasta_core.state import GameState, MeldKind, ScoreSheet, Team


def score_sheets(state: GameState) -> tuple[ScoreSheet, ...]:
    """The score of every team in a round that is over, line by line (R9.1)."""
    public, rules = state.public, state.rules
    sheets = []
    for number, team in enumerate(public.teams):
        in_hand = -sum(
            rules.values[card >> 2] for seat in rules.seats_of(number) for card in state.hands[seat].cards
        )
        out = 0
        if public.went_out is not None and rules.team_of(public.went_out) == number:
            out = rules.going_out_concealed if public.concealed else rules.going_out
        natural, mixed, runs = canasta_bonuses(rules, team)
        sheet = ScoreSheet(
            melded=sum(rules.values[card >> 2] for meld in team.melds for card in meld.cards),
            in_hand=in_hand,
            natural_canastas=natural,
            mixed_canastas=mixed,
            run_canastas=runs,
            red_threes=red_three_points(rules, team),
            going_out=out,
            before=public.scores[number],
            after=0,
        )
        sheets.append(sheet)
    return tuple(_with_total(rules, sheet) for sheet in sheets)


def canasta_bonuses(rules: Rules, team: Team) -> tuple[int, int, int]:
    """Points for a team's natural, mixed and run canastas (R5.3, R2.1)."""
    natural = mixed = runs = 0
    for meld in team.melds:
        if not meld.is_canasta:
            continue
        if meld.kind is MeldKind.RUN:
            runs += rules.run_canasta
        elif meld.is_natural:
            natural += rules.natural_canasta
        else:
            mixed += rules.mixed_canasta
    return natural, mixed, runs


def red_three_points(rules: Rules, team: Team) -> int:
    """Red threes with their sign: all of the pack together count more (R9.1)."""
    number = len(team.red_threes)
    points = rules.red_threes_all if number == rules.red_threes_in_pack else number * rules.red_three
    return -points if rules.red_threes_negative and not team.melds else points


def _with_total(rules: Rules, sheet: ScoreSheet) -> ScoreSheet:
    after = sheet.before + sheet.total
    if rules.exact_target and after > rules.target:
        after = rules.fallback
    return ScoreSheet(
        sheet.melded,
        sheet.in_hand,
        sheet.natural_canastas,
        sheet.mixed_canastas,
        sheet.run_canastas,
        sheet.red_threes,
        sheet.going_out,
        sheet.before,
        after,
    )


def winner_of(rules: Rules, scores: list[int]) -> int | None:
    """The team that has won with these totals; None while the game goes on (R9.4)."""
    reached = max(scores) == rules.target if rules.exact_target else max(scores) >= rules.target
    best = [team for team, score in enumerate(scores) if score == max(scores)]
    return best[0] if reached and len(best) == 1 else None
