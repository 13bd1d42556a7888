"""The worked examples: for each topic one or two small positions, made for the Rules at hand.

What each move should come to, and each number, is derived here from Rules; `Scene` asks the engine whether
it is so.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from canasta_core.actions import Deal
from canasta_core.cards import RANK_LETTERS, THREE, is_wild, pack_of, read_cards
from canasta_core.engine import apply
from canasta_core.refusals import Code
from canasta_core.rules import BlackThrees, CardClass, Concealed, Exhausted, Permission, Rules, TakeWay
from canasta_core.scoring import canasta_bonuses, red_three_points
from canasta_core.state import GameState, Phase, Team
from cogs.ui.cards_text import points, shown
from cogs.ui.rules_scenes import YOU, Scene, Scenes, WrongExampleError
from cogs.ui.rules_topics import Topic, permission_of
from cogs.ui.text import text

log = logging.getLogger(__name__)

_SEVENS: Final = "7S 7H 7D"
"""A meld that only shows that the team has opened."""
_SEVEN: Final = "{0}S {0}H {0}D {0}C {0}S {0}H {0}D"
"""A natural canasta of a rank."""
_OPENERS: Final = ("Q", "K", "A", "J", "T", "9", "8")
"""Ranks of which an opening is put together, three of each."""
_BURIED: Final = {CardClass.WILD: "2H", CardClass.RED_THREE: "3H", CardClass.BLACK_THREE: "3C"}


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: what there is, and a line for each move tried in it and for what follows."""

    situation: str
    lines: tuple[str, ...]


def examples(locale: str, rules: Rules, topic: Topic) -> list[Example]:
    """The examples of a topic; a wrong one is logged, and not told."""
    try:
        return proved(locale, rules, topic)
    except WrongExampleError:
        log.exception("no example of %s for %s", topic, rules.profile)
        return []


def proved(locale: str, rules: Rules, topic: Topic) -> list[Example]:
    """The examples of a topic. Raises WrongExampleError when the engine does not bear them out."""
    if topic is Topic.TABLE:
        return [_deal(locale, rules)]
    if topic is Topic.RUNS and not rules.runs:
        return []
    return [Example(scene.situation, tuple(scene.lines)) for scene in _SCENES[topic](locale, rules)]


def _deal(locale: str, rules: Rules) -> Example:
    """How far the pack goes: dealt by the engine, naturals first, so that nothing is replaced."""
    pack = pack_of(rules.packs, rules.jokers)
    pack.sort(key=lambda card: is_wild(card) or card >> 2 == THREE)
    state = GameState.new(rules)
    state.public.dealer = 0
    public = apply(state, None, Deal(tuple(pack), tuple(range(len(pack))))).state.public
    dealt = rules.seats * rules.hand
    left = rules.pack_size - dealt - 1
    if (public.stock_size, sum(public.sizes)) != (left, dealt):
        raise WrongExampleError(f"the stock has {public.stock_size} cards, not {left}")
    facts = {"cards": rules.pack_size, "seats": rules.seats, "hand": rules.hand, "left": left}
    return Example(text(locale, "rules-scene-deal", **facts), ())


def _canastas(rules: Rules) -> list[str]:
    """As many canastas as going out takes."""
    return [_SEVEN.format(rank) for rank in "KAJT"[: rules.canastas_to_go_out]]


def _yes(rules: Rules) -> bool | None:
    """The partner's answer where going out needs one."""
    return True if permission_of(rules) is Permission.REQUIRED else None


def _values(locale: str, rules: Rules) -> list[Scene]:
    scene = Scene(locale, rules, "KS KH 2D 9C 4C", melds=[_SEVENS])
    before = _melded(scene)
    scene.plays("meld KS KH 2D")
    ten, wild = rules.values[13], rules.values[2]
    total = scene.proves(2 * ten + wild, _melded(scene) - before)
    scene.adds("values", king=ten, two=wild, total=total)
    return [scene]


def _melded(scene: Scene) -> int:
    """Points of the cards that lie before the reader's team."""
    return sum(points(scene.rules, meld.cards) for meld in scene.state.public.teams[0].melds)


def _turn(locale: str, rules: Rules) -> list[Scene]:
    hand = "KS QH 9D 9C 4C"
    scene = Scene(locale, rules, hand, melds=[_SEVENS], stock="9H QC 5D 8S", phase=Phase.DRAW, pile="6C")
    scene.is_refused("discard 4C", Code.WRONG_PHASE)
    scene.plays("draw")
    scene.plays("meld 9D 9C 9H")
    scene.plays("discard 4C")
    after = len(hand.split()) + rules.draw - 3 - 1
    scene.adds("turn", cards=scene.proves(after, scene.state.public.sizes[YOU]))
    return [scene]


def _pile(locale: str, rules: Rules) -> list[Scene]:
    taking = Scene(
        locale, rules, "KS KH 2D 8H 4C", melds=[_SEVENS], pile="9C 5D KC", stock=None, phase=Phase.DRAW
    )
    taking.tries("take KS KH")
    taking.tries("take KS 2D", _with_a_wild(rules))
    taking.tries("take 8H", Code.PILE_FROZEN if rules.always_frozen else Code.UPCARD_NOT_MELDED)
    blocked = Scene(
        locale, rules, "KS KH 2D 8H 4C", melds=[_SEVENS], pile="9C KC 3S", stock=None, phase=Phase.DRAW
    )
    blocked.tries("take KS KH", Code.PILE_BLOCKED)
    return [taking, blocked]


def _with_a_wild(rules: Rules) -> Code | None:
    """What comes of taking with one natural and a wild."""
    if rules.always_frozen:
        return Code.PILE_FROZEN
    if rules.take is TakeWay.PAIR_OR_MELD:
        return Code.NEEDS_NATURAL
    return Code.TOO_FEW_NATURALS if rules.min_naturals > 2 else None


def _freezing(locale: str, rules: Rules) -> list[Scene]:
    kind = rules.freezing[0] if rules.freezing else CardClass.WILD
    frozen = bool(rules.freezing) or rules.always_frozen
    scene = Scene(
        locale,
        rules,
        "KD KC 8H 4C",
        melds=["KS KH KD"],
        pile=f"{_BURIED[kind]} 9C KH",
        phase=Phase.DRAW,
    )
    scene.tries("take KD", Code.PILE_FROZEN if frozen else None)
    if frozen:
        scene.tries("take KD KC")
    scenes = [scene]
    if rules.frozen_unopened and not rules.always_frozen:
        unopened = Scene(locale, rules, "KD 2S AS AH AD QS QH QD 4C", pile="9C 5D KH", phase=Phase.DRAW)
        unopened.tries("take KD 2S / AS AH AD / QS QH QD", Code.PILE_FROZEN)
        scenes.append(unopened)
    return scenes


def _melds(locale: str, rules: Rules) -> list[Scene]:
    count = 4 if rules.max_wilds is None else rules.max_wilds + 1
    wilds = " ".join(["2S", "2H", "2D", "2C"] * 2)[: 3 * count - 1]
    scene = Scene(locale, rules, f"QS QH QD 8S 8H {wilds} 9S 4C", melds=[_SEVENS])
    few = rules.min_naturals > 2
    scene.tries("meld QS QH QD")
    scene.tries("meld 8S 8H 2S", Code.TOO_FEW_NATURALS if few else Code.TOO_MANY_WILDS if count < 2 else None)
    scene.tries("meld 8S 8H", Code.MELD_TOO_SHORT)
    scene.tries("meld 9S 2S 2H", Code.TOO_FEW_NATURALS if rules.min_naturals > 1 else None)
    limited = None if rules.max_wilds is None else Code.TOO_MANY_WILDS
    scene.tries(f"meld 8S 8H {wilds}", Code.TOO_FEW_NATURALS if few else limited)
    return [scene]


def _runs(locale: str, rules: Rules) -> list[Scene]:
    scene = Scene(locale, rules, "QS JS TS 9S 8S 7S 6S 9H 4C", melds=["7H 7D 7C"])
    scene.tries("meld QS JS TS 9S 8S 7S", Code.MIXED_RANKS)
    scene.adds("run-short")
    before = _melded(scene)
    scene.plays("meld QS JS TS 9S 8S 7S 6S")
    cards = sum(rules.values[rank] for rank in range(6, 13))
    scene.proves(cards, _melded(scene) - before)
    scene.proves(rules.run_canasta, canasta_bonuses(rules, scene.state.public.teams[0])[2])
    scene.adds("run", cards=cards, bonus=rules.run_canasta, total=cards + rules.run_canasta)
    return [scene]


def _canasta_topic(locale: str, rules: Rules) -> list[Scene]:
    king, two = rules.values[13], rules.values[2]
    made = [("KD", "natural", 7 * king, rules.natural_canasta)]
    if rules.max_wilds != 0:
        made.append(("K: 2D", "mixed", 6 * king + two, rules.mixed_canasta))
    scenes = []
    for cards, kind, worth, bonus in made:
        scene = Scene(locale, rules, "KD 2D 9C 4C", melds=["KS KH KD KC KS KH"])
        scene.plays(f"meld {cards}")
        scene.proves(worth, _melded(scene))
        scene.proves(bonus, sum(canasta_bonuses(rules, scene.state.public.teams[0])))
        scene.adds(f"canasta-{kind}", cards=worth, bonus=bonus, total=worth + bonus)
        scenes.append(scene)
    return scenes


def _black_threes(locale: str, rules: Rules) -> list[Scene]:
    early = Scene(locale, rules, "3S 3C 3S 9C 4C", melds=_canastas(rules))
    early.tries("meld 3S 3C 3S", Code.THREES_NOT_MELDABLE)
    alone = rules.black_threes is BlackThrees.ALONE
    last = Scene(
        locale, rules, "3S 3C 3S" if alone else "3S 3C 3S 4C", melds=_canastas(rules), answer=_yes(rules)
    )
    last.plays("meld 3S 3C 3S")
    if not alone:
        last.plays("discard 4C")
    last.proves(YOU, last.state.public.went_out)
    return [early, last]


def _red_threes(locale: str, rules: Rules) -> list[Scene]:
    scene = Scene(
        locale, rules, "KS 9D 9C 4C", melds=[_SEVENS], stock="3H QC 5D 8S", phase=Phase.DRAW, red_threes="3D"
    )
    scene.plays("draw")
    team = scene.state.public.teams[0]
    scene.proves(2, len(team.red_threes))
    total = scene.proves(2 * rules.red_three, red_three_points(rules, team))
    unmelded = Team.empty()
    unmelded.red_threes = team.red_threes
    sign = -1 if rules.red_threes_negative else 1
    without = scene.proves(sign * total, red_three_points(rules, unmelded))
    scene.adds("red-threes-negative" if sign < 0 else "red-threes-positive", total=total, without=without)
    return [scene]


def _opening(locale: str, rules: Rules) -> list[Scene]:
    scores = [0, *(score for score, _ in rules.opening_below if score > 0)]
    score = next((one for one in scores if rules.minimum(one) > 0), 0)
    minimum = rules.minimum(score)
    groups, laid = _reaching(rules, minimum, 0, _OPENERS)
    drawn = Scene(locale, rules, " ".join([*groups, "6C", "4C"]), score=score)
    drawn.adds("opening", score=score, minimum=minimum)
    if len(groups) > 1:
        drawn.tries(f"meld {' / '.join(groups[:-1])}", Code.OPENING_MINIMUM)
    drawn.plays(f"meld {' / '.join(groups)}")
    drawn.proves(laid, _melded(drawn))
    return [drawn, _opening_take(locale, rules, score)]


def _opening_take(locale: str, rules: Rules, score: int) -> Scene:
    """Of a pile taken to open only the top card counts, whatever lies below it (R4.7)."""
    kings = 3 * rules.values[13]
    minimum = rules.minimum(score)
    further, laid = _reaching(rules, minimum, kings, [rank for rank in _OPENERS if rank != "K"])
    hand = " ".join(["KS KH", *further, "6C", "4C"])
    scene = Scene(locale, rules, hand, score=score, pile="AC AD KD", phase=Phase.DRAW)
    if further:
        scene.tries("take KS KH", Code.OPENING_MINIMUM)
    scene.plays(" / ".join(["take KS KH", *further]))
    scene.proves(laid, _melded(scene))
    return scene


def _reaching(rules: Rules, minimum: int, laid: int, ranks: Sequence[str]) -> tuple[list[str], int]:
    """Melds of three that bring what is laid already to the minimum, one at least where nothing is."""
    groups: list[str] = []
    for rank in ranks:
        if laid and laid >= minimum:
            break
        groups.append(f"{rank}S {rank}H {rank}D")
        laid += 3 * rules.values[RANK_LETTERS.index(rank)]
    return groups, laid


def _going_out(locale: str, rules: Rules) -> list[Scene]:
    short = Scene(locale, rules, "QS QH QD 4C", melds=[*_canastas(rules)[1:], _SEVENS])
    short.tries("meld QS QH QD", Code.CANASTA_REQUIRED)
    enough = Scene(locale, rules, "QS QH QD 4C", melds=_canastas(rules), answer=_yes(rules))
    enough.plays("meld QS QH QD")
    enough.plays("discard 4C")
    enough.adds("going-out", points=enough.proves(rules.going_out, enough.state.public.sheets[0].going_out))
    return [short, enough]


def _permission(locale: str, rules: Rules) -> list[Scene]:
    asked = permission_of(rules)
    no = Scene(locale, rules, "QS QH QD 4C", melds=_canastas(rules))
    if asked is Permission.NONE:
        no.tries("ask", Code.PERMISSION_NOT_AVAILABLE)
        no.plays("meld QS QH QD")
        no.plays("discard 4C")
        return [no]
    if asked is Permission.REQUIRED:
        no.tries("meld QS QH QD", Code.PERMISSION_REQUIRED)
    partners = rules.partners_of(YOU)
    no.plays("ask")
    no.plays("answer no", partners[0])
    no.is_refused("meld QS QH QD", Code.PERMISSION_REFUSED)
    yes = Scene(locale, rules, "QS QH QD 4C", melds=_canastas(rules))
    yes.plays("ask")
    for partner in partners:
        yes.plays("answer yes", partner)
    yes.is_refused("discard QS", Code.MUST_GO_OUT)
    yes.plays("meld QS QH QD")
    yes.plays("discard 4C")
    return [no, yes]


def _concealed(locale: str, rules: Rules) -> list[Scene]:
    groups = [_SEVEN.format(rank) for rank in "AKJT"[: rules.canastas_to_go_out]]
    groups += ["QS QH QD"] if len(groups) == 1 else []
    scene = Scene(locale, rules, " ".join([*groups, "4C"]), answer=_yes(rules))
    scene.plays(f"meld {' / '.join(groups)}")
    scene.plays("discard 4C")
    none = rules.concealed is Concealed.NONE
    earned = scene.proves(
        rules.going_out if none else rules.going_out_concealed, scene.state.public.sheets[0].going_out
    )
    scene.adds("going-out", points=earned)
    return [scene]


def _stock(locale: str, rules: Rules) -> list[Scene]:
    scene = Scene(
        locale, rules, "KD KC QS 8H 5C 4C", melds=["KS KH KS"], pile="9C 6D KH", stock="", phase=Phase.DRAW
    )
    take = "take KD KC"
    match rules.exhausted:
        case Exhausted.MUST_TAKE:
            scene.tries("draw", Code.STOCK_EMPTY)
            scene.tries("decline", None if rules.always_frozen else Code.MUST_TAKE)
            scene.plays(take)
            scene.plays("discard 4C")
        case Exhausted.UPCARD_ALONE | Exhausted.PILE_NO_DISCARD:
            scene.tries("draw", Code.STOCK_EMPTY)
            scene.tries("decline")
            scene.plays(take)
            scene.is_refused("discard 4C", Code.WRONG_PHASE)
            scene.plays("end")
        case Exhausted.DRAW_ENDS:
            scene.tries("decline", Code.WRONG_PHASE)
            scene.tries("draw")
            scene.plays(take)
            scene.plays("discard 4C")
    return [scene]


def _last_discard(locale: str, rules: Rules, score: int) -> tuple[Scene, list[tuple[str, int]], int]:
    """The end of a round, with the lines of the reader's score sheet and what they come to."""
    melds = _canastas(rules)
    partners = rules.partners_of(YOU)
    scene = Scene(
        locale,
        rules,
        "4C",
        melds=[*melds, "8S 8H 2D"],
        red_threes="3H 3D",
        score=score,
        answer=_yes(rules),
        others=dict.fromkeys(partners, "7C") | {1: "9S 9H 5C"},
    )
    values = rules.values
    cards = sum(7 * values[read_cards(meld)[0] >> 2] for meld in melds) + 2 * values[8] + values[2]
    lines = [
        ("melded", cards),
        ("natural_canastas", len(melds) * rules.natural_canasta),
        ("red_threes", rules.red_threes_all if rules.red_threes_in_pack == 2 else 2 * rules.red_three),
        ("going_out", rules.going_out),
    ]
    if partners:
        lines.insert(1, ("in_hand", -len(partners) * values[7]))
    return scene, lines, sum(number for _, number in lines)


def _scoring(locale: str, rules: Rules) -> list[Scene]:
    scene, lines, total = _last_discard(locale, rules, 0)
    partners = rules.partners_of(YOU)
    if partners:
        scene.adds("partner-holds", count=len(partners), card=shown(read_cards("7C")))
    scene.plays("discard 4C")
    sheet = scene.state.public.sheets[0]
    for name, number in lines:
        scene.proves(number, getattr(sheet, name))
    scene.proves(total, sheet.total)
    count = rules.canastas_to_go_out
    parts = [scene.tell(f"score-{name}", points=number, count=count) for name, number in lines]
    scene.adds("score", lines=text(locale, "list-comma").join(parts), total=total)
    return [scene]


def _end(locale: str, rules: Rules) -> list[Scene]:
    total = _last_discard(locale, rules, 0)[2]
    scenes = []
    for over in (50, 0) if rules.exact_target else (50,):
        score = rules.target + over - total
        scene = _last_discard(locale, rules, score)[0]
        scene.adds("end-before", score=score)
        scene.plays("discard 4C")
        public = scene.state.public
        reached = over == 0 or not rules.exact_target
        after = scene.proves(rules.target + over if reached else rules.fallback, public.scores[0])
        scene.proves(int(reached), int(public.winner == 0))
        won = "end-hits" if rules.exact_target else "end-wins"
        scene.adds(won if reached else "end-falls", total=total, sum=rules.target + over, after=after)
        scenes.append(scene)
    return scenes


_SCENES: Final[dict[Topic, Scenes]] = {
    Topic.VALUES: _values,
    Topic.TURN: _turn,
    Topic.PILE: _pile,
    Topic.FREEZING: _freezing,
    Topic.MELDS: _melds,
    Topic.RUNS: _runs,
    Topic.CANASTAS: _canasta_topic,
    Topic.BLACK_THREES: _black_threes,
    Topic.RED_THREES: _red_threes,
    Topic.OPENING: _opening,
    Topic.GOING_OUT: _going_out,
    Topic.PERMISSION: _permission,
    Topic.CONCEALED: _concealed,
    Topic.STOCK: _stock,
    Topic.SCORING: _scoring,
    Topic.END: _end,
}
