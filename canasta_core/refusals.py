"""Why an action is refused: the codes of R10.2, each with its rule and the numbers a person needs."""

from collections.abc import Mapping
from enum import StrEnum


class Code(StrEnum):
    """Stable codes, in the order in which they are judged when several apply (R10.2)."""

    UNKNOWN_ACTION = "unknown_action"
    GAME_OVER = "game_over"
    ROUND_OVER = "round_over"
    NOT_YOUR_TURN = "not_your_turn"
    PERMISSION_PENDING = "permission_pending"
    WRONG_PHASE = "wrong_phase"
    UNKNOWN_CARD = "unknown_card"
    CARD_NOT_IN_HAND = "card_not_in_hand"
    STOCK_EMPTY = "stock_empty"
    MUST_TAKE = "must_take"
    PILE_EMPTY = "pile_empty"
    PILE_BLOCKED = "pile_blocked"
    PILE_FROZEN = "pile_frozen"
    UPCARD_NOT_MELDED = "upcard_not_melded"
    NEEDS_NATURAL = "needs_natural"
    SINGLE_CARD_PILE = "single_card_pile"
    THREES_NOT_MELDABLE = "threes_not_meldable"
    MIXED_RANKS = "mixed_ranks"
    WILD_ONLY = "wild_only"
    NO_SUCH_MELD = "no_such_meld"
    MELD_TOO_SHORT = "meld_too_short"
    TOO_FEW_NATURALS = "too_few_naturals"
    TOO_MANY_WILDS = "too_many_wilds"
    OPENING_MINIMUM = "opening_minimum"
    CANASTA_REQUIRED = "canasta_required"
    PERMISSION_REFUSED = "permission_refused"
    PERMISSION_REQUIRED = "permission_required"
    MUST_GO_OUT = "must_go_out"
    PERMISSION_NOT_AVAILABLE = "permission_not_available"
    PERMISSION_ALREADY_ASKED = "permission_already_asked"
    PERMISSION_TOO_LATE = "permission_too_late"
    CANNOT_GO_OUT = "cannot_go_out"


RULE_OF: Mapping[Code, str] = {
    Code.UNKNOWN_ACTION: "R11",
    Code.GAME_OVER: "R9.4",
    Code.ROUND_OVER: "R9.4",
    Code.NOT_YOUR_TURN: "R4.1",
    Code.PERMISSION_PENDING: "R7.3",
    Code.WRONG_PHASE: "R4.1",
    Code.UNKNOWN_CARD: "R1.1",
    Code.CARD_NOT_IN_HAND: "R1.3",
    Code.STOCK_EMPTY: "R8.2",
    Code.MUST_TAKE: "R8.2",
    Code.PILE_EMPTY: "R4.3",
    Code.PILE_BLOCKED: "R4.3",
    Code.PILE_FROZEN: "R4.5",
    Code.UPCARD_NOT_MELDED: "R4.4a",
    Code.NEEDS_NATURAL: "R4.4a",
    Code.SINGLE_CARD_PILE: "R4.9",
    Code.THREES_NOT_MELDABLE: "R5.5",
    Code.MIXED_RANKS: "R5.1",
    Code.WILD_ONLY: "R5.1",
    Code.NO_SUCH_MELD: "R5.2",
    Code.MELD_TOO_SHORT: "R5.1",
    Code.TOO_FEW_NATURALS: "R5.1",
    Code.TOO_MANY_WILDS: "R5.1",
    Code.OPENING_MINIMUM: "R5.4",
    Code.CANASTA_REQUIRED: "R6.1",
    Code.PERMISSION_REFUSED: "R7.3",
    Code.PERMISSION_REQUIRED: "R7.3",
    Code.MUST_GO_OUT: "R7.3",
    Code.PERMISSION_NOT_AVAILABLE: "R7.3",
    Code.PERMISSION_ALREADY_ASKED: "R7.3",
    Code.PERMISSION_TOO_LATE: "R7.3",
    Code.CANNOT_GO_OUT: "R7.3",
}
"""The rule that each code stands for."""


class Refusal(Exception):
    """An action that the rules do not allow; nothing has changed (R10.1).

    `code` says what is wrong, `rule` where it is written, and `facts` holds what a sentence about it
    needs: numbers (`minimum`, `laid`, `canastas`), ranks and cards in canonical text. Facts are known
    to the player who tried: none of them may come from a hidden card.
    """

    def __init__(self, code: Code, **facts: int | str) -> None:
        super().__init__(code, facts)
        self.code = code
        self.rule = RULE_OF[code]
        self.facts = facts

    def __str__(self) -> str:
        detail = ", ".join(f"{key}={value}" for key, value in self.facts.items())
        return f"{self.code} ({self.rule}{'; ' + detail if detail else ''})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Refusal) and (self.code, self.facts) == (other.code, other.facts)

    def __hash__(self) -> int:
        return hash((self.code, tuple(sorted(self.facts.items()))))
