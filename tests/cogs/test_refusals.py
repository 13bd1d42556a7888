"""Refusals that teach: what was tried, the rule, the numbers, and what would work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from canasta_core.actions import read_action
from canasta_core.engine import apply
from canasta_core.legality import speak, why_not
from canasta_core.offers import legal_kinds, offers
from canasta_core.profiles import RulesError, load_rules, profile
from canasta_core.refusals import Code, Refusal
from canasta_core.state import GameState, Phase
from canasta_core.tables.errors import TableCode, TableError
from canasta_core.tables.model import Sitter, Stage
from canasta_core.views import PlayerView, view_of
from cogs.house_rules import rules_options
from cogs.ui.advice import most_to_open
from cogs.ui.face import Face, face_of
from cogs.ui.layout import Click, Verb
from cogs.ui.refusals_text import legal_text, refusal_text, rules_error_text, table_error_text
from cogs.ui.rules_text import overview
from cogs.ui.rules_topics import OF_THE_MOMENT, TOPIC_OF, title
from cogs.ui.text import text
from cogs.ui.why import read_why, reason_known, refused_buttons
from tests.cases.reading import read_file
from tests.cogs.positions import place
from tests.cogs.tables import played, table_of

PLAY = {"phase": Phase.PLAY}
CASES = Path(__file__).parent.parent / "cases"


def refused(face: Face, view: PlayerView, move: str) -> str:
    """What somebody hears who types this move, which is refused."""
    return refusal_text(face, refusal_of(view, move), view, move).replace("\N{VARIATION SELECTOR-15}", "")


def refusal_of(view: PlayerView, move: str) -> Refusal:
    try:
        refusal = why_not(view, speak(view, move))
    except Refusal as spoken:
        return spoken
    assert refusal is not None, move
    return refusal


def plain(said: str) -> str:
    return said.replace("\N{NO-BREAK SPACE}", " ")


def heard(cards: str, move: str, profile_name: str = "classic", **facts: Any) -> str:
    return plain(refused(*place(cards, profile_name, **facts), move))


def test_a_take_hears_with_which_cards_it_works() -> None:
    opened = {"pile": "8C 4H", "own": ("9S 9H 9D",)}
    said = heard("4S JK KS KH 6C 7D", "take K K", **opened)
    assert said.splitlines() == [
        "-# `/take-pile with:K K`",
        "`K K` does not go with `4♥`. The top card of the pile must be melded at once: with two cards of its "
        "rank from your hand, with one and a wild card, or onto a meld of your team.",
        "What works: `/take-pile with:4 JK`.",
        "You can now: draw or take the pile.",
        "-# Rule: Taking the pile (`/rules`)",
    ]
    assert "`nothing`" not in heard("4S JK KS KH 6C 7D", "take", **opened)
    assert "You offer no cards for `4♥`" in heard("4S JK KS KH 6C 7D", "take", **opened)
    said = heard("4S QS KS KH 6C 7D", "take K K", **opened)
    assert "What works" not in said
    assert "Nothing that you hold takes it now." in said
    frozen = heard("4S 4D JK KS KH 6C 7D", "take 4 JK", freezing=1, **opened)
    assert "frozen for all: `4♥` takes two fours from your hand, and you offer one." in frozen
    assert "What works: `/take-pile with:4 4`." in frozen
    assert "Here `4♥` takes two fours" in heard("4S JK KS 6C 7D", "take 4 JK", "browser", **opened)
    none = heard("4S JK KS 6C 7D", "take JK", "canastra", **opened)
    assert "Here `4♥` takes one four from your hand, and you offer none." in none


def test_an_opening_hears_with_what_it_is_enough() -> None:
    facts = {"pile": "8C KC", "score": 2000}
    said = heard("KS KH QS QH QD 7S 7H 7D 2D 4S 5C", "take K K", **facts)
    assert "needs 90 points in one go to open, and these make 30." in said
    ways = re.findall(r"`(/take-pile with:[^`]*)` \((\d+) points\)", said)
    assert len(ways) == 2
    assert all(way.startswith("/take-pile with:K K") and int(worth) >= 90 for way, worth in ways), ways
    said = heard("KS KH QS QH 9D 7S 7H 8D 2D 4S 5C", "take K K", **facts)
    assert "What works" not in said
    assert "All that you could lay with it makes 70 at most." in said
    said = heard("KS KH KD QS QH QD 8S 4H 5C", "meld K K K", **PLAY)
    assert "What works: `/meld cards:Q Q Q, K K K` (60 points)." in said or (
        "What works: `/meld cards:K K K, Q Q Q` (60 points)." in said
    )
    said = heard("KS KH KD QS QH 4D 8S 4H 5C", "meld K K K", **PLAY)
    assert "All that you could lay makes 30 at most." in said
    said = heard("7S 7H 7D 7C 6S 6H 6D 6C 4S", "meld 7 7 7 7, 6 6 6 6", **PLAY)
    assert "these make 40" in said
    assert (
        "Two cards must stay in your hand, one of them to discard: what you may lay makes 35 at most." in said
    )


def test_the_most_is_the_most() -> None:
    _, view = place("KS KH KD KC 7S 7H 7D JK 2D 4S 5C 8D", **PLAY, score=3000)
    # Four kings, three sevens, both wilds: 40 + 15 + 70.
    assert most_to_open(view) == 120 - 1
    _, view = place("KS KH KD KC 7S 7H 4D JK 4S 5C 8D", **PLAY, score=3000)
    # Four kings, two sevens with the joker.
    assert most_to_open(view) == 40 + 10 + 50


def test_cards_not_held_are_counted() -> None:
    own = {"own": ("9S 9H 9D",)}
    assert "You hold one two, and this takes three." in heard(
        "2S KS KH 8D 4S", "meld 9: 2 2 2", **own, **PLAY
    )
    assert "You hold no kings." in heard("2S QS QH 8D 4S", "meld K K K", **own, **PLAY)
    said = heard("KS QS QH 8D 4S", "meld KS KS KS", **own, **PLAY)
    assert "You hold one `K♠`, and this takes three." in said
    said = heard("KS QS QH 8D 4S", "meld 3 3 3", **own, **PLAY)
    assert "You hold no threes." in said
    assert "Red threes are never melded. Black threes are laid only in the move that goes out" in said
    alone = heard("KS QS QH 8D 4S", "meld 3 3 3", "salon", **own, **PLAY)
    assert "when nothing but black threes is left" in alone
    assert "melded" not in heard("KS QS QH 8D 4S", "discard 3", **own, **PLAY)


def test_melds_of_a_wrong_shape_hear_which_are_right() -> None:
    own = {"own": ("9S 9H 9D",), **PLAY}
    said = heard("KS KH JK 8D 4S 5C", "meld K K", **own)
    assert "Two kings are too few: a meld takes three at least." in said
    assert "What works: `/meld cards:K K JK`." in said
    said = heard("KS KH 7H 8D 4S 5C", "meld K K", **own)
    assert "What works" not in said, "there is neither a third king nor a wild card"
    assert "2 cards are too few for a meld of kings" in heard("KS JK 7H 8D 4S 5C", "meld K JK", **own)
    nearest = heard("KS KH JK 8D 4S 5C", "meld K JK", **own)
    assert "What works: `/meld cards:K K JK` or `/meld cards:9: JK`." in nearest
    said = heard("KS KH KD QS QH QD 8D 4S", "meld K K K Q Q Q", **own)
    assert "this one mixes `K`, `Q`. Put a comma between melds." in said
    assert "What works: `/meld cards:K K K, Q Q Q`." in said
    said = heard("KS QS JS TS 8D 4S", "meld KS QS JS TS", **own)
    assert "There are no runs here" in said
    assert "no runs" not in heard("KS QS JS TS 8D 4S", "meld KS QS JS TS", "canastra", real=True, **own)
    assert "this would have one king, and the rest wild" in heard("KS JK 2S 8D 4S", "meld K JK 2", **own)


def test_a_discard_is_one_card() -> None:
    said = heard("JK JK JK 8D 4S", "discard JK JK JK", **PLAY)
    assert "One card is discarded, and it is named alone, as `4C` or `4`." in said
    assert "comma" not in said
    assert "What works: `/discard card:JK`." in said


def test_who_may_not_go_out_hears_what_that_means() -> None:
    canasta = {"own": ("9S 9H 9D 9C 9S 9H 9D",), **PLAY}
    said = heard("KS KH KD 4S", "meld K K K", answer=False, **canasta)
    assert "Your partner said no. At the end of your turn a card must be left to you" in said
    said = heard("KS KH KD 4S", "meld K K K", own=("9S 9H 9D",), **PLAY)
    assert "this leaves none. That is going out, for which your team needs a canasta: it has none." in said
    said = heard("KS KH KD 9C 4S", "discard 4", answer=True, **canasta)
    assert "you must go out this turn" in said
    assert "What works" in said


def test_what_is_legal_names_the_ways_to_take() -> None:
    face, view = place("4S JK KS KH 6C 7D", pile="8C 4H", own=("9S 9H 9D",))
    said = plain(refused(face, view, "meld K K K"))
    assert "You can now: draw or take the pile with `4 JK`." in said
    assert plain(legal_text("en", view)) == "You can now: draw or take the pile."
    onto, view = place("4S JK KS KH 6C 7D", pile="8C 9C", own=("9S 9H 9D",))
    assert "You can now: draw or take the pile." in refused(onto, view, "meld K K K")


def test_no_question_about_the_rules() -> None:
    """Who comes at the wrong time has broken no rule that `/rules` would tell."""
    face, view = place("4S JK KS KH 6C 7D", **PLAY)
    for code in Code:
        said = refusal_text(face, Refusal(code, turn=0, phase="play", card="K", text="x"), view)
        tagged = f"Rule: {title('en', TOPIC_OF[code])}" in said
        told = code in {*OF_THE_MOMENT, Code.UNKNOWN_ACTION, Code.UNKNOWN_CARD, Code.CARD_NOT_IN_HAND}
        assert tagged is not told, code
        assert not re.search(r"\bR\d", said), code
    assert {Code.NOT_YOUR_TURN, Code.WRONG_PHASE, Code.GAME_OVER, Code.ROUND_OVER} <= OF_THE_MOMENT


def test_a_refused_move_leads_to_the_rule_and_to_the_hand() -> None:
    face, view = place("2S KS KH 8D 4S", own=("9S 9H 9D",), **PLAY)
    move = "meld 9: 2 2 2"
    refusal = refusal_of(view, move)
    why, hand = refused_buttons(face, refusal, view, move)
    assert (why.label, hand.label) == ("Why?", "My hand")
    clicks = [Click.read(str(one.custom_id)) for one in (why, hand)]
    assert [click.verb for click in clicks if click] == [Verb.WHY, Verb.HAND]
    assert clicks[0] is not None
    again = read_why(clicks[0].arg)
    assert again is not None
    assert reason_known(face, again) == "You hold one two, and this takes three."


def refused_steps() -> Iterator[tuple[str, GameState, int, str, Refusal]]:
    """Every move that the cases refuse, with the state in which it was tried."""
    for path in sorted(CASES.glob("*.yaml")):
        for case in read_file(path):
            state = case.start
            for step in case.play:
                try:
                    state = apply(state, step.seat, speak(view_of(state, step.seat), step.do)).state
                except Refusal as refusal:
                    yield case.id, state, step.seat, step.do, refusal


def test_every_way_that_is_named_is_legal() -> None:
    """The advice of all refused moves of the cases, typed as it is written."""
    count = 0
    for where, state, seat, move, refusal in refused_steps():
        view = view_of(state, seat)
        said = refusal_text(face_of(table_of(state)), refusal, view, move)
        assert "{" not in said, where
        assert len(said) < 1500, where
        advised = [line for line in said.splitlines() if line.startswith("What works")]
        for way in re.findall(r"`(/[^`]*)`", "\n".join(advised)):
            notation = way.replace("/take-pile", "take").replace(" with:", " ").replace(" also:", " / ")
            notation = notation.replace("/meld cards:", "meld ").replace("/discard card:", "discard ")
            action = read_action(notation).resolve(view.hand.cards)
            assert why_not(view, action) is None, (where, way)
            count += 1
        if "Nothing that you hold takes it" in said:
            assert "take" not in legal_kinds(view), where
        if " at most." in said:
            assert {offer.kind for offer in offers(view)}.isdisjoint({move.split()[0]}), where
    assert count > 70


def test_a_table_is_named_with_its_link_its_host_and_its_seats() -> None:
    state, _ = played(moves=1)
    table = replace(table_of(state), sitters=(Sitter(0, 100, "Ann", ""),), stage=Stage.LOBBY)
    lobby = face_of(table)
    running = face_of(table_of(state))
    url = "https://discord.com/channels/7/8/9"

    def said(code: TableCode, face: Face | None, **facts: Any) -> str:
        return table_error_text("en", TableError(code, **facts), face=face, url=url if face else "")

    assert said(TableCode.NOT_STARTED, lobby) == (
        f"The game at [table 12]({url}) has not started yet. Ann, its host, can start it; 3 seats are free."
    )
    assert "`/canasta join` takes a free seat there." in said(TableCode.NOT_SEATED, lobby)
    assert said(TableCode.NOT_SEATED, running) == (
        f"You do not sit at [table 12]({url}). Its seats are taken by invitation from Ann, its host."
    )
    assert said(TableCode.NOT_HOST, running).endswith("The host is Ann.")
    assert said(TableCode.NOT_INVITED, running).endswith("The host is Ann.")
    assert said(TableCode.PAUSED, running, until=5).startswith(f"[table 12]({url}) is paused")
    for code in TableCode:
        bare = said(code, None, seat=0, seats=4, name="Ann", level="x", version=3, until=5, left=99)
        assert bare[0].isupper() or not bare[0].isalpha(), bare
        assert "The host is" not in bare


CANNOT_BE = [
    (
        {"name": "classic", "target": 123},
        "Classic is always played to 5,000. The target can be chosen in Browser or Canastra.",
    ),
    ({"name": "classic", "teams": 3}, "It can be chosen in Canastra or Salon, with six seats."),
    ({"name": "salon", "seats": 4, "teams": 3}, "can be chosen only with 6 seats, not with 4."),
    (
        {"name": "classic", "seats": 2},
        "Classic is not played with 2 seats, but with 4. With 2 seats there is Browser, Canastra or Salon.",
    ),
    (
        {"name": "canastra", "seats": 6},
        "2, 3 or 4. The house rule `three_pack=true` brings them. With 6 seats there is Salon.",
    ),
    (
        {"name": "canastra", "seats": 3, "typed": "three_pack"},
        "With these house rules Canastra is not played with 3 seats, but with 4 or 6.",
    ),
    ({"name": "salon", "typed": "real"}, "There is no house rule “real” here."),
]


@pytest.mark.parametrize(("wanted", "words"), CANNOT_BE)
def test_rules_that_cannot_be_had_say_where_they_can(wanted: dict[str, Any], words: str) -> None:
    given = {"seats": None, "typed": "", "teams": None, "target": None, **wanted}
    name, seats = given.pop("name"), given["seats"]
    with pytest.raises(RulesError) as raised:
        load_rules(name, seats, rules_options(name, **given))
    said = rules_error_text("en", raised.value)
    assert words in said.replace("\\_", "_"), said
    for other in ("browser", "canastra", "classic", "salon"):
        if profile(other).title in said.partition("there is")[2]:
            assert seats in profile(other).seats


def test_a_beginner_learns_that_the_pile_is_frozen_before_the_opening() -> None:
    frozen = "For a team that has not opened, it is frozen in any case."
    assert frozen in overview("en", load_rules("classic"))
    assert frozen not in overview("en", load_rules("browser"))


def test_a_negative_number_has_a_minus_and_not_a_hyphen() -> None:
    assert text("en", "option-points", points=-1240) == "−1,240 points"
    assert text("en", "option-points", points=1240) == "1,240 points"
