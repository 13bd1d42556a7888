"""What the rules of one table say, topic by topic, in sentences made from its Rules.

Every number is one of Rules; what a profile does not have is not told. The examples are in `rules_examples`.
"""

from enum import StrEnum
from typing import Final

from canasta_core.cards import THREE
from canasta_core.refusals import Code
from canasta_core.rules import (
    BlackThrees,
    Concealed,
    Exhausted,
    LastRedThree,
    Permission,
    Rules,
    TakeWay,
    UnfitUpcard,
)
from cogs.ui.cards_text import rank_text
from cogs.ui.text import sentence_list, text


class Topic(StrEnum):
    """What one can ask the rules about, in the order in which they are told."""

    TABLE = "table"
    VALUES = "values"
    TURN = "turn"
    PILE = "pile"
    FREEZING = "freezing"
    MELDS = "melds"
    RUNS = "runs"
    CANASTAS = "canastas"
    BLACK_THREES = "black_threes"
    RED_THREES = "red_threes"
    OPENING = "opening"
    GOING_OUT = "going_out"
    PERMISSION = "permission"
    CONCEALED = "concealed"
    STOCK = "stock"
    SCORING = "scoring"
    END = "end"


TOPIC_OF: Final = {
    Code.UNKNOWN_ACTION: Topic.TURN,
    Code.GAME_OVER: Topic.END,
    Code.ROUND_OVER: Topic.TURN,
    Code.NOT_YOUR_TURN: Topic.TURN,
    Code.PERMISSION_PENDING: Topic.PERMISSION,
    Code.WRONG_PHASE: Topic.TURN,
    Code.UNKNOWN_CARD: Topic.VALUES,
    Code.CARD_NOT_IN_HAND: Topic.TURN,
    Code.STOCK_EMPTY: Topic.STOCK,
    Code.MUST_TAKE: Topic.STOCK,
    Code.PILE_EMPTY: Topic.PILE,
    Code.PILE_BLOCKED: Topic.PILE,
    Code.PILE_FROZEN: Topic.FREEZING,
    Code.UPCARD_NOT_MELDED: Topic.PILE,
    Code.NEEDS_NATURAL: Topic.PILE,
    Code.SINGLE_CARD_PILE: Topic.PILE,
    Code.THREES_NOT_MELDABLE: Topic.BLACK_THREES,
    Code.MIXED_RANKS: Topic.MELDS,
    Code.WILD_ONLY: Topic.MELDS,
    Code.NO_SUCH_MELD: Topic.MELDS,
    Code.MELD_TOO_SHORT: Topic.MELDS,
    Code.TOO_FEW_NATURALS: Topic.MELDS,
    Code.TOO_MANY_WILDS: Topic.MELDS,
    Code.OPENING_MINIMUM: Topic.OPENING,
    Code.CANASTA_REQUIRED: Topic.GOING_OUT,
    Code.PERMISSION_REFUSED: Topic.PERMISSION,
    Code.PERMISSION_REQUIRED: Topic.PERMISSION,
    Code.MUST_GO_OUT: Topic.PERMISSION,
    Code.PERMISSION_NOT_AVAILABLE: Topic.PERMISSION,
    Code.PERMISSION_ALREADY_ASKED: Topic.PERMISSION,
    Code.PERMISSION_TOO_LATE: Topic.PERMISSION,
    Code.CANNOT_GO_OUT: Topic.GOING_OUT,
}
"""Where the rule is told that a refused move went against."""

OF_THE_MOMENT: Final = frozenset(
    {
        Code.GAME_OVER,
        Code.ROUND_OVER,
        Code.NOT_YOUR_TURN,
        Code.PERMISSION_PENDING,
        Code.WRONG_PHASE,
    }
)
"""Codes of moves that only came at the wrong time: no question about the rules."""

_IN_SHORT: Final = {
    Topic.TABLE: 3,
    Topic.VALUES: 2,
    Topic.FREEZING: 2,
    Topic.OPENING: 2,
    Topic.RED_THREES: 2,
}
"""How many of a topic's sentences the overview has; one of the others."""


def topics_of(rules: Rules) -> tuple[Topic, ...]:
    """What there is to tell about these rules."""
    return tuple(topic for topic in Topic if topic is not Topic.RUNS or rules.runs)


def permission_of(rules: Rules) -> Permission:
    """Whether anybody is asked at this table: nobody where each plays alone (R7.3)."""
    return rules.permission if rules.has_partners else Permission.NONE


def title(locale: str, topic: Topic) -> str:
    """`The pile`."""
    return text(locale, f"rules-topic-title-{topic}")


def sentences(locale: str, rules: Rules, topic: Topic) -> list[str]:
    """All there is to say about a topic, what matters most first."""
    writer = _Writer(locale, rules)
    found = {
        Topic.TABLE: writer.table,
        Topic.VALUES: writer.values,
        Topic.TURN: writer.turn,
        Topic.PILE: writer.pile,
        Topic.FREEZING: writer.freezing,
        Topic.MELDS: writer.melds,
        Topic.RUNS: writer.runs,
        Topic.CANASTAS: writer.canastas,
        Topic.BLACK_THREES: writer.black_threes,
        Topic.RED_THREES: writer.red_threes,
        Topic.OPENING: writer.opening,
        Topic.GOING_OUT: writer.going_out,
        Topic.PERMISSION: writer.permission,
        Topic.CONCEALED: writer.concealed,
        Topic.STOCK: writer.stock,
        Topic.SCORING: writer.scoring,
        Topic.END: writer.end,
    }[topic]()
    return [sentence for sentence in found if sentence]


def in_short(locale: str, rules: Rules, topic: Topic) -> str:
    """The one or two sentences of a topic that an overview has."""
    return " ".join(sentences(locale, rules, topic)[: _IN_SHORT.get(topic, 1)])


class _Writer:
    """One method for each topic; an empty sentence is one that does not apply."""

    def __init__(self, locale: str, rules: Rules) -> None:
        self.locale = locale
        self.rules = rules

    def say(self, key: str, **facts: int | str) -> str:
        return text(self.locale, f"rules-topic-{key}", **facts)

    def either(self, parts: list[str]) -> str:
        return sentence_list(self.locale, parts)

    def table(self) -> list[str]:
        rules = self.rules
        comma = text(self.locale, "list-comma")
        teams = [comma.join(str(seat + 1) for seat in rules.seats_of(team)) for team in range(rules.teams)]
        return [
            self.say("setup", seats=rules.seats, teams=rules.teams, alone=int(not rules.has_partners)),
            self.say("cards", packs=rules.packs, jokers=rules.jokers, hand=rules.hand),
            self.say("target-exact" if rules.exact_target else "target", target=rules.target),
            self.say("teams", teams=self.say("teams-join").join(teams)) if rules.has_partners else "",
            self.say("dealer"),
        ]

    def values(self) -> list[str]:
        groups: dict[int, list[str]] = {}
        for rank in (15, 2, *range(14, 2, -1)):
            if rank < 15 or self.rules.jokers:
                name = self.say("black-three") if rank == THREE else rank_text(rank)
                groups.setdefault(self.rules.values[rank], []).append(name)
        parts = [self.say("value", ranks=" ".join(ranks), points=worth) for worth, ranks in groups.items()]
        return [
            self.say("wild", jokers=self.rules.jokers),
            self.say("values", values=self.say("values-join").join(parts)),
            self.say("natural"),
        ]

    def turn(self) -> list[str]:
        return [self.say("turn", draw=self.rules.draw), self.say("turn-last"), self.say("turn-stays")]

    def pile(self) -> list[str]:
        ways = {TakeWay.ANY: "any", TakeWay.ONE_NATURAL: "one", TakeWay.PAIR_OR_MELD: "pair"}
        unfit = self.either([self.say(f"class-{kind}") for kind in self.rules.unfit])
        covered = self.rules.unfit_upcard is UnfitUpcard.COVER
        return [
            self.say(f"take-{ways[self.rules.take]}"),
            self.say("take-rest"),
            self.say("blocked"),
            self.say("single-card"),
            self.say("unfit-cover" if covered else "unfit-return", cards=unfit) if unfit else "",
        ]

    def freezing(self) -> list[str]:
        rules = self.rules
        if rules.always_frozen:
            return [self.say("always-frozen")]
        kinds = self.either([self.say(f"class-{kind}") for kind in rules.freezing])
        return [
            self.say("freezing", cards=kinds) if kinds else self.say("never-frozen"),
            self.say("frozen-unopened") if rules.frozen_unopened else "",
            self.say("thaw") if kinds else "",
        ]

    def melds(self) -> list[str]:
        rules = self.rules
        limit = self.say("wilds-free") if rules.max_wilds is None else ""
        return [
            self.say("melds", naturals=rules.min_naturals),
            limit or self.say("wilds-limit", count=rules.max_wilds or 0),
            self.say("one-meld"),
            self.say("wilds-alone"),
        ]

    def runs(self) -> list[str]:
        if not self.rules.runs:
            return [self.say("runs-none")]
        return [self.say("runs", points=self.rules.run_canasta), self.say("runs-whole")]

    def canastas(self) -> list[str]:
        rules = self.rules
        return [
            self.say("canastas", natural=rules.natural_canasta, mixed=rules.mixed_canasta),
            self.say("canastas-grow"),
        ]

    def black_threes(self) -> list[str]:
        alone = self.rules.black_threes is BlackThrees.ALONE
        return [
            self.say("black-threes-alone" if alone else "black-threes-going-out"),
            self.say("black-threes-block"),
        ]

    def red_threes(self) -> list[str]:
        rules = self.rules
        points = {"each": rules.red_three, "all": rules.red_threes_all, "count": rules.red_threes_in_pack}
        return [
            self.say("red-threes-turn"),
            self.say("red-threes", **points),
            self.say("red-threes-negative" if rules.red_threes_negative else "red-threes-positive"),
            self.say("red-threes-pile") if rules.unfit_upcard is UnfitUpcard.COVER else "",
        ]

    def opening(self) -> list[str]:
        rules = self.rules
        steps = [
            self.say("opening-below", score=score, minimum=minimum) for score, minimum in rules.opening_below
        ]
        steps.append(self.say("opening-top", minimum=rules.opening_top))
        return [
            self.say("opening"),
            self.say("opening-steps", steps=self.say("values-join").join(steps)),
            self.say("opening-counts"),
        ]

    def going_out(self) -> list[str]:
        rules = self.rules
        return [
            self.say("going-out", canastas=rules.canastas_to_go_out, points=rules.going_out),
            self.say("going-out-how"),
            self.say("keep-a-card"),
        ]

    def permission(self) -> list[str]:
        rules, asked = self.rules, permission_of(self.rules)
        if asked is Permission.NONE:
            return [self.say("permission-none")]
        several = len(rules.partners_of(0)) > 1
        return [
            self.say(f"permission-{asked}"),
            self.say("permission-binds"),
            self.say("permission-several") if several else "",
            self.say("permission-early" if rules.ask_before_melds else "permission-late"),
            self.say("permission-once") if rules.ask_once_a_round else "",
        ]

    def concealed(self) -> list[str]:
        rules = self.rules
        if rules.concealed is Concealed.NONE:
            return [self.say("concealed-none", points=rules.going_out)]
        return [
            self.say(f"concealed-{rules.concealed}", points=rules.going_out_concealed),
            self.say("concealed-waived" if rules.waive_minimum else "concealed-minimum"),
        ]

    def stock(self) -> list[str]:
        last = {LastRedThree.END: "end", LastRedThree.MELD_THEN_END: "meld", LastRedThree.PLAY_ON: "play"}
        alone = self.rules.exhausted is Exhausted.UPCARD_ALONE
        return [
            self.say(f"exhausted-{self.rules.exhausted}"),
            self.say("exhausted-rest") if alone else "",
            self.say(f"last-red-three-{last[self.rules.last_red_three]}"),
            self.say("nobody-stuck"),
        ]

    def scoring(self) -> list[str]:
        return [self.say("scoring"), self.say("scoring-more")]

    def end(self) -> list[str]:
        rules = self.rules
        if rules.exact_target:
            fallback = self.say("fallback", target=rules.target, score=rules.fallback)
            return [self.say("end-exact"), fallback, self.say("end-tie")]
        return [self.say("end"), self.say("end-tie")]
