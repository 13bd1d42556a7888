"""Refused moves in sentences that teach: what was tried, the rule, the numbers, what would work."""

from typing import Final

from canasta_core.actions import KINDS, SeatAction
from canasta_core.cards import read_card, read_rank
from canasta_core.legality import may_decline
from canasta_core.melds import MELD
from canasta_core.offers import legal_kinds
from canasta_core.profiles import RulesError, profile, profile_ids
from canasta_core.refusals import Code, Refusal
from canasta_core.rules import TakeWay
from canasta_core.tables.errors import TableError
from canasta_core.views import PlayerView
from cogs.ui.advice import Tried, advice, typed_command, ways_to_take
from cogs.ui.cards_text import chip, named
from cogs.ui.face import Face
from cogs.ui.layout import name_text, table_name
from cogs.ui.rules_topics import OF_THE_MOMENT, TOPIC_OF, Topic, sentences, title
from cogs.ui.text import sentence_list, text
from cogs.ui.times import long_duration, when

_CARDS: Final = ("card", "upcard")
_NONE: Final = "none"
"""Value of a fact that a refusal may leave out."""
_NOTHING: Final = "nothing"
"""What is offered for the upcard where no cards are."""
_UNTAGGED: Final = OF_THE_MOMENT | {Code.UNKNOWN_ACTION, Code.UNKNOWN_CARD, Code.CARD_NOT_IN_HAND}
"""Codes that no topic of the rules says more about."""
_SHORT: Final = 16
"""Characters of typed cards that a sentence repeats."""
_OWN_OPTIONS: Final = ("target", "teams")
"""House options that have an option of `/canasta new` to themselves."""


def refusal_text(
    face: Face, refusal: Refusal, view: PlayerView | None, tried: SeatAction | str | None = None
) -> str:
    """Why a move was refused, what would work, what else is legal now, and where its rule is told.

    `view` is that of the player who tried, and `tried` the move, as it was typed or chosen; without them
    nothing is said of what would be legal. What was chosen stands on the message already.
    """
    lines = []
    if isinstance(tried, str):
        lines.append(face.words("refusal-tried", command=f"`{typed_command(tried)}`"))
    lines.append(reason_text(face, refusal, view, tried))
    if view is not None:
        if _is_about_threes(refusal, view, tried):
            lines.append(face.words("refusal-threes", black=sentences_of_black_threes(face)))
        lines += (found := advice(face, refusal, view, tried))
        if moves := legal_text(face.locale, view, with_ways=not found):
            lines.append(moves)
    if refusal.code not in _UNTAGGED:
        lines.append(face.words("rule-tag", topic=title(face.locale, TOPIC_OF[refusal.code])))
    return "\n".join(lines)


def _is_about_threes(refusal: Refusal, view: PlayerView, tried: SeatAction | str | None) -> bool:
    """Whether somebody wanted to lay threes that they do not hold: they would have to know more than that."""
    about = refusal.code is Code.CARD_NOT_IN_HAND and str(refusal.facts.get("card", "")).startswith("3")
    return about and tried is not None and Tried.read(tried, view).kind in ("meld", "take")


def sentences_of_black_threes(face: Face) -> str:
    """When these rules let black threes be laid (R5.5)."""
    return sentences(face.locale, face.rules, Topic.BLACK_THREES)[0]


def reason_text(
    face: Face, refusal: Refusal, view: PlayerView | None, tried: SeatAction | str | None = None
) -> str:
    """The sentence for a refused move."""
    given: dict[str, int | str] = facts_told(refusal, view, tried)
    facts: dict[str, int | str] = {"text": _NONE, "buried": _NONE, "offered": _NONE, "kind": _NONE, **given}
    facts |= _in_words(face, refusal.code, given)
    for key in _CARDS:
        if key in facts:
            facts[key] = chip(named(str(facts[key])))
    if "turn" in facts:
        facts["turn"] = face.name(int(facts["turn"]))
    if facts["text"] != _NONE:
        facts["text"] = name_text(str(facts["text"]), 40)
    said = face.words(f"refusal-{refusal.code}", **facts)
    return said[:1].upper() + said[1:]


def _in_words(face: Face, code: Code, facts: dict[str, int | str]) -> dict[str, int | str]:
    """What a sentence says otherwise than as a bare fact: cards by name, and what the rules ask for."""
    locale = face.locale
    match code:
        case Code.MIXED_RANKS:
            ranks = list(map(named, _ranks(str(facts.get("cards", "")))))
            run = len(ranks) >= MELD and not face.rules.runs
            return {"ranks": ", ".join(map(chip, ranks)), "run": int(run)}
        case Code.CARD_NOT_IN_HAND if "held" in facts:
            held, wanted, card = int(facts["held"]), int(facts["wanted"]), str(facts["card"])
            more = number_word(locale, wanted) if held else _NONE
            return {"holding": some_text(locale, card, held), "wanted": more}
        case Code.CARD_NOT_IN_HAND:
            return {"holding": _NONE, "wanted": _NONE}
        case Code.UPCARD_NOT_MELDED:
            offered = str(facts.get("offered", _NONE))
            cards = offered if offered in (_NONE, _NOTHING) else chip(offered)
            return {"offered": cards, "rule": sentences(locale, face.rules, Topic.PILE)[0]}
        case Code.PILE_FROZEN | Code.NEEDS_NATURAL if "upcard" in facts:
            one = code is Code.NEEDS_NATURAL and face.rules.take is TakeWay.ONE_NATURAL
            return {
                "needed": some_text(locale, str(facts["upcard"])[:1], 1 if one else 2),
                "matching": number_word(locale, int(facts.get("matching", 0)), alone=True),
            }
        case Code.MELD_TOO_SHORT | Code.TOO_FEW_NATURALS if "rank" in facts:
            count = int(facts.get("cards" if code is Code.MELD_TOO_SHORT else "naturals", 0))
            return {"holding": some_text(locale, str(facts["rank"]), count), **_rank(locale, facts)}
        case Code.NO_SUCH_MELD | Code.TOO_MANY_WILDS if "rank" in facts:
            return _rank(locale, facts)
        case Code.THREES_NOT_MELDABLE:
            return {"black": sentences_of_black_threes(face)}
        case _:
            return {}


def _rank(locale: str, facts: dict[str, int | str]) -> dict[str, int | str]:
    return {"rank": noun(locale, str(facts["rank"]), 2)}


def noun(locale: str, rank: str, count: int) -> str:
    """The name of a rank for so many cards of it: `king`, `kings`."""
    return text(locale, f"of-rank-{rank.lower()}", count=count)


def number_word(locale: str, count: int, *, alone: bool = False) -> str:
    """`no`, `one`, `two`; numbers that are not small in digits. Where no noun follows, `none`."""
    return text(locale, "number-none" if alone and not count else "number-word", count=count)


def some_text(locale: str, card: str, count: int) -> str:
    """`two kings`, `no joker`; of one card named in full `one K♠`."""
    name = noun(locale, card, count) if len(card) == 1 or card == "JK" else chip(named(card))
    return text(locale, "some-cards", number=number_word(locale, count), cards=name)


def facts_told(
    refusal: Refusal, view: PlayerView | None, tried: SeatAction | str | None = None
) -> dict[str, int | str]:
    """The facts of a refusal, and what its sentence needs besides of the table as the player sees it."""
    facts: dict[str, int | str] = dict(refusal.facts)
    if view is None:
        return facts
    public = view.public
    meant = Tried.read(tried, view) if tried is not None else None
    match refusal.code:
        case Code.PERMISSION_TOO_LATE:
            # Too late for whom melds first here (R7.3); else for want of a card to keep.
            facts.setdefault("early", int(bool(public.rules.ask_before_melds and public.laid)))
        case Code.WRONG_PHASE:
            if public.no_discard:
                facts["phase"] = "no_discard"
            elif facts.get("phase") == "draw" and may_decline(public):
                facts["phase"] = "empty"
        case Code.UNKNOWN_ACTION if meant is not None and meant.kind == "discard":
            facts["kind"] = meant.kind
        case Code.UPCARD_NOT_MELDED if meant is not None and len(meant.first) <= _SHORT:
            facts["offered"] = meant.first or _NOTHING
        case Code.CARD_NOT_IN_HAND if "card" in facts:
            facts |= _held_and_wanted(str(facts["card"]), view, meant)
        case _:
            pass
    return facts


def _held_and_wanted(card: str, view: PlayerView, meant: Tried | None) -> dict[str, int | str]:
    """How many of a card, or of a rank, the player holds, and how many the move took."""
    alone = len(card) == 1
    held = view.hand.counts[read_rank(card)] if alone else view.hand.cards.count(read_card(card))
    named_ = (meant.ranks[read_rank(card)] if alone else meant.cards[read_card(card)]) if meant else 0
    return {"held": held, "wanted": max(named_, held + 1)}


def _ranks(cards: str) -> list[str]:
    """The different natural ranks of cards in canonical text, in their order."""
    ranks = dict.fromkeys(name[:-1] for name in cards.split() if name != "JK")
    return [rank for rank in ranks if rank != "2"]


def legal_text(locale: str, view: PlayerView, *, with_ways: bool = False) -> str:
    """`You can now: draw or take the pile.` Empty when it is not this seat's move.

    `with_ways` says with which cards, where that is short.
    """
    legal = legal_kinds(view)
    ways = ways_to_take(view) if with_ways and "take" in legal else []
    moves = [text(locale, f"legal-{kind}") for kind in KINDS if kind in legal]
    if ways:
        taking = text(locale, "legal-take-with", ways=sentence_list(locale, ways))
        moves[moves.index(text(locale, "legal-take"))] = taking
    return text(locale, "legal-now", moves=sentence_list(locale, moves)) if moves else ""


def table_error_text(
    locale: str, error: TableError, table_id: int | None = None, *, face: Face | None = None, url: str = ""
) -> str:
    """The sentence for what a table refuses. Seats are counted from 1 for people.

    `face` is the table as whoever asked may see it, `url` leads to its board: they let the sentence name
    the table, its host, and the seats that are free. Without them `table_id` names it.
    """
    facts = dict(error.facts)
    if "seat" in facts:
        facts["seat"] = int(facts["seat"]) + 1
    for key in ("name", "level", "value"):
        if key in facts:
            facts[key] = name_text(str(facts[key]))
    for key in ("until", "latest"):
        if key in facts:
            facts[key] = when(float(facts[key]))
    if "left" in facts:
        left = float(facts["left"])
        facts["left"] = long_duration(locale, left) if left >= 60 else text(locale, "away-nothing")
    number = face.id if face is not None else table_id
    name = table_name(locale, number) if number is not None else text(locale, "table-that")
    facts["table"] = text(locale, "table-link", table=name, url=url) if url else name
    facts |= {"host": _NONE, "stage": _NONE, "free": 0}
    if face is not None:
        facts |= {"host": face.person(face.host_id), "stage": str(face.stage)}
        facts["free"] = face.rules.seats - len(face.sitters)
    said = text(locale, f"table-{error.code}", **facts)
    return said[:1].upper() + said[1:]


def rules_error_text(locale: str, error: RulesError) -> str:
    """The sentence for rules that cannot be had, and where they can."""
    facts: dict[str, int | str] = {
        key: name_text(value, 200) if value else _NONE for key, value in error.facts.items()
    }
    for key in ("values", "options"):
        if key in facts:
            facts[key] = sentence_list(locale, str(facts[key]).split())
    option = error.facts.get("option", "")
    if error.code == "unknown_seats":
        return text(locale, "rules-unknown_seats", **facts | _about_seats(locale, error))
    if error.code != "unknown_option":
        return text(locale, f"rules-{error.code}", **facts)
    if option not in _OWN_OPTIONS:
        return text(
            locale, "rules-unknown_option-seats" if "seats" in facts else "rules-unknown_option", **facts
        )
    if "seats" in facts:
        return text(locale, "rules-own-teams-seats", **facts)
    own = profile(error.facts["profile"])
    facts |= {"title": own.title, "target": own.rules().target}
    others = [one.title for one in map(profile, profile_ids()) if option in one.options]
    return text(locale, f"rules-own-{option}", **facts, profiles=sentence_list(locale, others))


def _about_seats(locale: str, error: RulesError) -> dict[str, int | str]:
    """The profile's own name, what would bring so many seats, and the profiles that have them anyway."""
    own, seats = profile(error.facts["profile"]), int(error.facts["seats"])
    bringing = [
        f"`{option.name}={str(value).lower()}`"
        for option in own.options.values()
        for value, counts in option.seats.items()
        if seats in counts
    ]
    others = [one.title for one in map(profile, profile_ids()) if one is not own and seats in one.seats]
    usual = error.facts["values"].split() == list(map(str, own.seats))
    return {
        "title": own.title,
        "house": int(not usual),
        "adding": sentence_list(locale, bringing) if usual and bringing else _NONE,
        "others": sentence_list(locale, others) or _NONE,
    }
