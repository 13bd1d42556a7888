"""The rules of one table in short, by topic, generated from its Rules."""

from typing import Any

from discord import ui

from canasta_core.profiles import profile
from canasta_core.rules import (
    BlackThrees,
    Concealed,
    LastRedThree,
    Permission,
    Rules,
    TakeWay,
    UnfitUpcard,
)
from cogs.ui.cards_text import rank_text
from cogs.ui.layout import Layout, words
from cogs.ui.text import sentence_list, text


def rules_layout(locale: str, rules: Rules, name: str) -> Layout:
    """The answer to /rules; `name` is what the rules are of."""
    title = text(locale, "rules-title", table=name, title=profile(rules.profile).title)
    box: ui.Container[Any] = ui.Container(words(title))
    for topic in topics(locale, rules):
        box.add_item(words(topic))
    return Layout(box)


def topics(locale: str, rules: Rules) -> list[str]:
    """One short paragraph for each topic."""
    writer = _Writer(locale, rules)
    return [
        writer.setup(),
        writer.values(),
        writer.turn(),
        writer.pile(),
        writer.melds(),
        writer.opening(),
        writer.going_out(),
        writer.stock(),
        writer.scoring(),
    ]


class _Writer:
    def __init__(self, locale: str, rules: Rules) -> None:
        self.locale = locale
        self.rules = rules

    def say(self, key: str, **facts: int | str) -> str:
        return text(self.locale, f"rules-topic-{key}", **facts)

    def topic(self, key: str, *lines: str) -> str:
        return "\n".join([self.say(f"{key}-title"), " ".join(line for line in lines if line)])

    def setup(self) -> str:
        rules = self.rules
        return self.topic(
            "setup",
            self.say("setup", seats=rules.seats, teams=rules.teams, alone=int(rules.seats == rules.teams)),
            self.say("cards", packs=rules.packs, jokers=rules.jokers, hand=rules.hand),
            self.say("target-exact" if rules.exact_target else "target", target=rules.target),
            self.say("fallback", score=rules.fallback) if rules.exact_target else "",
        )

    def values(self) -> str:
        groups: dict[int, list[str]] = {}
        for rank in (15, 2, *range(14, 2, -1)):
            groups.setdefault(self.rules.values[rank], []).append(rank_text(rank))
        parts = [self.say("value", ranks=" ".join(ranks), points=worth) for worth, ranks in groups.items()]
        return self.topic("values", self.say("wild"), " · ".join(parts))

    def turn(self) -> str:
        return self.topic("turn", self.say("turn", draw=self.rules.draw), self.say("red-threes-turn"))

    def pile(self) -> str:
        rules = self.rules
        freezing = [self.say(f"class-{kind}") for kind in rules.freezing]
        unfit = [self.say(f"class-{kind}") for kind in rules.unfit]
        covered = rules.unfit_upcard is UnfitUpcard.COVER
        if rules.always_frozen:
            frozen = self.say("always-frozen")
        elif freezing:
            frozen = self.say("freezing", cards=sentence_list(self.locale, freezing))
        else:
            frozen = self.say("never-frozen")
        ways = {TakeWay.ANY: "any", TakeWay.ONE_NATURAL: "one", TakeWay.PAIR_OR_MELD: "pair"}
        return self.topic(
            "pile",
            self.say(f"take-{ways[rules.take]}"),
            self.say("blocked"),
            frozen,
            self.say("frozen-unopened") if rules.frozen_unopened and not rules.always_frozen else "",
            self.say("unfit-cover" if covered else "unfit-return", cards=sentence_list(self.locale, unfit)),
        )

    def melds(self) -> str:
        rules = self.rules
        blacks = "going-out" if rules.black_threes is BlackThrees.GOING_OUT else "alone"
        return self.topic(
            "melds",
            self.say("melds", naturals=rules.min_naturals),
            self.say("wilds-limit", count=rules.max_wilds)
            if rules.max_wilds is not None
            else self.say("wilds-free"),
            self.say("canasta"),
            self.say("runs") if rules.runs else "",
            self.say(f"black-threes-{blacks}"),
        )

    def opening(self) -> str:
        rules = self.rules
        steps = [
            self.say("opening-below", score=score, minimum=minimum) for score, minimum in rules.opening_below
        ]
        steps.append(self.say("opening-top", minimum=rules.opening_top))
        return self.topic("opening", self.say("opening"), " · ".join(steps))

    def going_out(self) -> str:
        rules = self.rules
        permission = Permission.NONE if rules.seats == rules.teams else rules.permission
        lines = [self.say("going-out", canastas=rules.canastas_to_go_out, points=rules.going_out)]
        lines.append(self.say(f"permission-{permission}"))
        if permission is Permission.OPTIONAL and rules.ask_before_melds:
            lines.append(self.say("permission-early"))
        if rules.ask_once_a_round and permission is not Permission.NONE:
            lines.append(self.say("permission-once"))
        if rules.concealed is not Concealed.NONE:
            lines.append(self.say(f"concealed-{rules.concealed}", points=rules.going_out_concealed))
        if rules.waive_minimum:
            lines.append(self.say("concealed-waived"))
        return self.topic("out", *lines)

    def stock(self) -> str:
        last = {
            LastRedThree.END: "end",
            LastRedThree.MELD_THEN_END: "meld",
            LastRedThree.PLAY_ON: "play",
        }
        return self.topic(
            "stock",
            self.say(f"exhausted-{self.rules.exhausted}"),
            self.say(f"last-red-three-{last[self.rules.last_red_three]}"),
        )

    def scoring(self) -> str:
        rules = self.rules
        return self.topic(
            "scoring",
            self.say("scoring"),
            self.say("canastas", natural=rules.natural_canasta, mixed=rules.mixed_canasta),
            self.say("run-canastas", points=rules.run_canasta) if rules.runs else "",
            self.say(
                "red-threes", each=rules.red_three, all=rules.red_threes_all, count=rules.red_threes_in_pack
            ),
            self.say("red-threes-negative") if rules.red_threes_negative else "",
        )
