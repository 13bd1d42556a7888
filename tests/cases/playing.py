"""Playing a case, and comparing what came with what it expects (RULES.md §11)."""

from collections.abc import Callable, Mapping
from typing import Any

from canasta_core.cards import Card, name_of, read_cards, write_cards
from canasta_core.engine import apply
from canasta_core.legality import speak, who_acts
from canasta_core.offers import legal_kinds
from canasta_core.refusals import Refusal
from canasta_core.state import GameState, Phase
from canasta_core.views import view_of
from tests.cases.reading import Case, cards_of


def first_difference(case: Case) -> str | None:
    """Where a case first differs, what was expected and what came; None when it passes."""
    state = case.start
    for number, step in enumerate(case.play, 1):
        before = state.copy()
        try:
            came = None
            after = apply(state, step.seat, speak(view_of(state, step.seat), step.do)).state
        except Refusal as refusal:
            came, after = str(refusal.code), state
        if state != before:
            return f"step {number} ({step.do}): expected the state before it to stay, it changed"
        if came != step.error:
            wanted = step.error or "to be accepted"
            return f"step {number} ({step.do}): expected {wanted}, came {came or 'accepted'}"
        state = after
    for key, expected in case.expect.items():
        difference = _CHECKS[key](state, expected)
        if difference:
            return f"after {len(case.play)} steps: {key}: {difference}"
    return None


def _compare(expected: object, came: object) -> str | None:
    return None if expected == came else f"expected {expected}, came {came}"


def _by_key(read: Callable[[GameState, int], object]) -> Callable[[GameState, Any], str | None]:
    """A check of a table by seat or by team."""

    def check(state: GameState, expected: Mapping[int, Any]) -> str | None:
        for key, value in expected.items():
            difference = _compare(value, read(state, key))
            if difference:
                return f"of {key}: {difference}"
        return None

    return check


def _sorted(cards: list[Card]) -> str:
    return " ".join(sorted(map(name_of, cards)))


def _hand(state: GameState, expected: Mapping[int, Any]) -> str | None:
    wanted = {seat: _sorted(cards_of(cards or "")) for seat, cards in expected.items()}
    return _by_key(lambda state, seat: _sorted(state.hands[seat].cards))(state, wanted)


def _melds(state: GameState, expected: Mapping[int, Any]) -> str | None:
    wanted = {team: sorted(_sorted(read_cards(meld)) for meld in melds) for team, melds in expected.items()}
    return _by_key(
        lambda state, team: sorted(_sorted(list(meld.cards)) for meld in state.public.teams[team].melds)
    )(state, wanted)


def _red_threes(state: GameState, expected: Mapping[int, Any]) -> str | None:
    wanted = {team: _sorted(cards_of(cards or "")) for team, cards in expected.items()}
    return _by_key(lambda state, team: _sorted(state.public.teams[team].red_threes))(state, wanted)


def _round_score(state: GameState, team: int) -> int | None:
    sheets = state.public.sheets
    return sheets[team].total if sheets else None


def _kinds(state: GameState) -> set[str]:
    return {kind for seat in who_acts(state.public) for kind in legal_kinds(view_of(state, seat))}


def _legal(state: GameState, expected: list[str]) -> str | None:
    missing = set(expected) - _kinds(state)
    return (
        f"expected {' '.join(sorted(missing))} too, came {' '.join(sorted(_kinds(state)))}"
        if missing
        else None
    )


def _not_legal(state: GameState, expected: list[str]) -> str | None:
    present = set(expected) & _kinds(state)
    return (
        f"expected {' '.join(expected)} not to be legal, came {' '.join(sorted(present))}"
        if present
        else None
    )


_CHECKS: dict[str, Callable[[GameState, Any], str | None]] = {
    "hand": _hand,
    "melds": _melds,
    "red_threes": _red_threes,
    "pile": lambda state, text: _compare(write_cards(cards_of(text or "")), write_cards(state.public.pile)),
    "pile_size": lambda state, size: _compare(size, len(state.public.pile)),
    "frozen": lambda state, frozen: _compare(frozen, state.public.frozen),
    "turn": lambda state, seat: _compare(seat, state.public.turn),
    "phase": lambda state, phase: _compare(Phase(phase), state.public.phase),
    "minimum": _by_key(lambda state, team: state.public.minimum(team)),
    "round_score": _by_key(_round_score),
    "scores": _by_key(lambda state, team: state.public.scores[team]),
    "went_out": lambda state, seat: _compare(seat, state.public.went_out),
    "concealed": lambda state, concealed: _compare(concealed, state.public.concealed),
    "winner": lambda state, team: _compare(team, state.public.winner),
    "legal": _legal,
    "not_legal": _not_legal,
}
