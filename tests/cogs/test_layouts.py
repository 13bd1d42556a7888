"""Every layout within Discord's limits, with the fullest table; and what a player must be able to read."""

import random
import re
from dataclasses import replace
from typing import Any

import pytest

from canasta_core.actions import Discard, LayMelds, TakePile
from canasta_core.cards import Rank, is_wild, name_of, read_cards
from canasta_core.events import GameEnded, RoundEnded
from canasta_core.legality import who_acts, why_not
from canasta_core.offers import offers
from canasta_core.profiles import load_rules, profile, profile_ids
from canasta_core.state import Hand, Meld, MeldKind, Phase, Reason, ScoreSheet, Team
from canasta_core.tables.model import (
    Ended,
    Invite,
    Pause,
    Preferences,
    Proposal,
    Reminders,
    Sitter,
    Stage,
    Table,
)
from canasta_core.tables.ports import ResultRow
from canasta_core.tables.standings import Leaderboard, Line, Order, PlayedGame, Share, Skill, Standing
from canasta_core.views import PlayerView, view_of
from cogs.ui.board import board
from cogs.ui.cards_text import SYMBOLS, card_text, cards_text, hand_text, melds_text
from cogs.ui.choices import MOST, combine, discards, lay_choices, mask_of, places_of, repicked, takes
from cogs.ui.face import face_of
from cogs.ui.form import pools_played
from cogs.ui.hand import hand
from cogs.ui.layout import Click, Layout, Verb, name_text
from cogs.ui.leaderboard import PAGE, Asked, Choices, Own, alt_text, leaderboard_layout, top_of
from cogs.ui.lobby import lobby, options_text
from cogs.ui.preferences import preferences_layout
from cogs.ui.question import question_closed, question_ping, turn_ping
from cogs.ui.rules_text import rules_layout
from cogs.ui.score import NAME, game_over, round_over, score, sheet_text
from cogs.ui.stats import Looked, Record, curve_of, form_shown, stats_layout
from cogs.ui.stats import alt_text as stats_alt
from cogs.ui.tables import chooser, listed, table_list
from cogs.ui.text import UnknownTextError, text
from tests.cogs.tables import BIG, LONGEST_NAME, fullest, played, table_of
from tests.discord import checks
from tests.discord.checks import COMPONENTS_V2, walk

SHAPES = [(name, seats) for name in profile_ids() for seats in sorted(profile(name).seats)]
TOKEN_URL = "https://discord.com/channels/" + "/".join(["9" * 19] * 3)


def body_of(layout: Any) -> dict[str, Any]:
    return {"components": layout.to_components(), "flags": COMPONENTS_V2 if isinstance(layout, Layout) else 0}


def check(layout: Any, content: str = "") -> str:
    """Assert Discord's limits; the words of the layout."""
    body = body_of(layout) | ({"content": content} if content else {})
    assert not list(checks.message(body))
    return words_of(layout)


def words_of(layout: Any) -> str:
    return "\n".join(part["content"] for _, part in walk(layout.to_components()) if part["type"] == 10)


def plain(words: str) -> str:
    """Words without the selectors that make suits text."""
    return words.replace("\N{VARIATION SELECTOR-15}", "")


def controls_of(layout: Any) -> dict[str, dict[str, Any]]:
    """Buttons and selects by their verb."""
    found = {}
    for _, part in walk(layout.to_components()):
        if part.get("custom_id"):
            click = Click.read(part["custom_id"])
            assert click is not None
            found[click.verb] = part
    return found


@pytest.mark.parametrize(("name", "seats"), SHAPES)
@pytest.mark.parametrize(
    "phase", [Phase.DRAW, Phase.PLAY, Phase.PERMISSION, Phase.ROUND_OVER, Phase.GAME_OVER]
)
def test_the_fullest_table_fits(name: str, seats: int, phase: Phase) -> None:
    table = fullest(name, seats, phase)
    public = table.state.public  # type: ignore[union-attr]
    public.winner = 0 if phase is Phase.GAME_OVER else None
    public.reason = "went_out"  # type: ignore[assignment]
    face = face_of(table)
    check(board(face))
    check(board(replace(face, stage=Stage.ENDED, ended=Ended.MODERATOR)))
    for seat in range(seats):
        check(hand(face, table.view(seat), url=TOKEN_URL, said="x" * 3000, chosen=range(50)))
        check(hand(face, table.view(seat)))


@pytest.mark.parametrize(("name", "seats"), SHAPES)
def test_scores_lobbies_and_rules_fit(name: str, seats: int) -> None:
    table = fullest(name, seats, Phase.ROUND_OVER)
    face = face_of(table)
    sheet = ScoreSheet(*[-123_455] * 9)
    ended = RoundEnded("went_out", (), (sheet,) * face.rules.teams, (-123_455,) * face.rules.teams)  # type: ignore[arg-type]
    for layout in (
        round_over(face, ended, 999),
        game_over(face, ended, GameEnded(0, ended.scores), 999),
        score(face, [ended.sheets] * 60),
        score(replace(face, public=None), []),
    ):
        for block in check(layout).split("```")[1::2]:
            lines = block.strip("\n").split("\n")
            assert max(map(len, lines)) <= NAME + 8 * face.rules.teams  # these numbers have seven places
            assert len({len(line) for line in lines if any(map(str.isdigit, line))}) == 1
    for sitters in (face.sitters, face.sitters[:1], ()):
        check(lobby(replace(face, stage=Stage.LOBBY, public=None, sitters=sitters)))
    check(rules_layout("en", face.rules, "table 1"))
    row_of = listed(lasting(table), BIG)
    urls = {table.id: TOKEN_URL}
    check(table_list("en", [row_of] * 200, page=3, channel_id=1, urls=urls))
    check(table_list("en", [replace(row_of, waiting=True, kept=True)] * 10, channel_id=1, urls=urls))
    check(table_list("en", []))
    content, row = turn_ping(face, 10**18, TOKEN_URL)
    check(row, content)
    content, row = question_ping(face, [10**18] * 2)
    check(row, content)


@pytest.mark.parametrize(
    ("name", "options"),
    [("canastra", {"real": True, "sujo": True, "freeze": "always"}), ("canastra", {"two_pack": True})],
)
def test_rules_with_house_options_are_told(name: str, options: dict[str, Any]) -> None:
    rules = load_rules(name, None, options)
    said = check(rules_layout("en", rules, "table 1"))
    assert ("in a row" in said) == rules.runs
    assert ("exactly" in said) == rules.exact_target
    assert ("always frozen" in said) == rules.always_frozen
    assert ("no jokers" in said) == (rules.jokers == 0)


def test_rules_say_their_numbers() -> None:
    said = check(rules_layout("en", load_rules("classic"), "table 1"))
    for number in ("5,000", "below 1,500: 50", "else 120", "natural 500, mixed 300", "800", "11 cards"):
        assert number in said


def blocks_of(said: str) -> list[list[str]]:
    """Lines of what stands in columns."""
    return [block.strip("\n").split("\n") for block in said.split("```")[1::2]]


def test_sheets_of_three_teams_stand_in_columns_on_a_phone() -> None:
    state, _ = played("salon", seats=6, moves=4, teams=3)
    face = face_of(table_of(state))
    sheets = (
        ScoreSheet(1345, -85, 700, 300, 0, 200, 100, 1500, 4060),
        ScoreSheet(645, -385, 0, 300, 0, 100, 0, 10385, 11045),
        ScoreSheet(0, -785, 0, 0, 0, -800, 0, -120, -1705),
    )
    said = sheet_text(face, sheets)
    assert "**A** · Ann & Dan\n**B** · Bob & Eve\n**C** · Cleo & Finn" in said
    (lines,) = blocks_of(said)
    assert lines[0].split() == ["A", "B", "C"]
    assert " natural    +700     0     0" in lines
    assert "Total       4060 11045 -1705" in lines
    assert not any("runs" in line for line in lines)
    assert max(map(len, lines)) <= 28
    wide = [
        score(face, [sheets] * 30),
        round_over(face, RoundEnded(Reason.WENT_OUT, (), sheets, (0, 0, 0)), 3),
    ]
    assert all(len(line) <= 28 for layout in wide for lines in blocks_of(check(layout)) for line in lines)
    assert "Team A went out." in words_of(wide[1])
    state.public.scores = [4060, 11045, -1705]
    assert "-1,705 · 6,705 to go · opens with any meld" in words_of(score(face, [sheets]))


def test_a_team_that_passes_an_exact_target_hears_why_it_falls() -> None:
    state, _ = played("canastra", seats=4, moves=4, sujo=True)
    face = face_of(table_of(state))
    sheets = (ScoreSheet(500, 0, 0, 0, 0, 0, 0, 2800, 1500), ScoreSheet(200, 0, 0, 0, 0, 0, 0, 2800, 3000))
    said = sheet_text(face, sheets)
    assert "**A** would have 3,300: past 3,000, and so falls back to 1,500." in said
    assert said.count("falls back") == 1


def test_who_belongs_to_which_team_is_said_at_every_name() -> None:
    state, events = played("salon", seats=6, moves=4, teams=3)
    table = table_of(state, events)
    state.public.turn = 1
    said = words_of(board(face_of(table)))
    assert "**Team A · Ann & Dan**" in said
    assert "• A · Dan · " in said
    assert "➤ **B · Bob** · " in said
    lobby_said = words_of(lobby(replace(face_of(table), stage=Stage.LOBBY, public=None)))
    assert "**Team C**\nSeat 3 · Cleo" in lobby_said
    alone, events = played("salon", seats=3, moves=0)
    said = words_of(board(face_of(table_of(alone, events))))
    assert "Team" not in said
    assert "You need" in words_of(hand(face_of(table_of(alone)), view_of(alone, alone.public.turn)))


def test_a_question_to_two_partners_says_who_has_yet_to_answer() -> None:
    state, events = played("salon", seats=6, moves=4)
    public = state.public
    public.phase, public.turn, public.pending = Phase.PERMISSION, 0, (4,)
    face = face_of(table_of(state, events))
    said = words_of(board(face))
    assert re.search(r"• A · Cleo · .* — has said yes", said)
    assert re.search(r"❓ \*\*A · Eve\*\* · .* — to answer yes or no", said)
    assert "a yes of each of 2" in question_ping(face, [104])[0]
    assert "Ann asks" in words_of(hand(face, view_of(state, 4)))
    assert "all wait" in words_of(hand(face, view_of(state, 1)))


def test_canastas_stand_apart_and_are_named() -> None:
    state, _ = played("canastra", seats=4, moves=4, real=True)
    team = Team.empty()
    for rank, cards in (
        (9, "9S 9H 9D"),
        (12, "QS QH QD QC QS QH QD"),
        (4, "4S 4H 4D 4C 2S 2D JK"),
        (13, "KS KH KD 2H"),
    ):
        laid = tuple(read_cards(cards))
        wilds = sum(is_wild(card) for card in laid)
        team.put(Meld("..23456789TJQKA"[rank], MeldKind.SET, Rank(rank), laid, wilds))
    team.put(Meld.run("S", read_cards("TS 9S 8S 7S 6S 5S 4S")))
    canastas, others = [line.replace("\N{NO-BREAK SPACE}", " ") for line in melds_text("en", team.melds)]
    assert canastas == "🔴 Q ×7 natural · 🔴 10♠ to 4♠ run · ⚫ 4 ×7 mixed (3 wild)".replace("♠", SYMBOLS[0])
    assert others == "K ×4 (1 wild) · 9 ×3"
    state.public.teams[0] = team
    assert canastas in words_of(board(face_of(table_of(state)))).replace("\N{NO-BREAK SPACE}", " ")


def test_needed_canastas_are_counted_where_one_is_not_enough() -> None:
    state, _ = played("salon", seats=2, moves=4, canastas_to_go_out=2)
    assert "Canastas: 0 of the 2" in words_of(board(face_of(table_of(state))))
    state, _ = played("salon", seats=2, moves=4)
    assert "Canastas:" not in words_of(board(face_of(table_of(state))))


def test_every_house_option_has_its_sentence() -> None:
    """Those of the profiles there are; one that a new profile brings is told as it was typed."""
    told = 0
    for name in profile_ids():
        for option in profile(name).options.values():
            for value in option.knobs:
                if value == option.default or option.name == "target":
                    continue
                assert has_text(f"house-{option.name}-{str(value).lower()}"), (name, option.name, value)
                told += 1
    assert told >= 12
    state, _ = played("canastra", moves=0, real=True, target=5000)
    said = words_of(lobby(replace(face_of(table_of(state)), stage=Stage.LOBBY, public=None)))
    assert "Seven in a row" in said
    assert "first to 5,000" in said
    assert "target =" not in said
    rules = replace(state.rules, options=(("strange", 7),))
    assert "• strange = 7" in options_text(replace(face_of(table_of(state)), rules=rules))


def has_text(key: str) -> bool:
    try:
        return bool(text("en", key))
    except UnknownTextError:
        return False


def test_cards_are_sorted_and_told_apart_without_colour() -> None:
    cards = read_cards("4C KH JK 3S 2D KS TH AD")
    assert plain(hand_text(cards)) == "`JK` `2♦` `A♦` `K♠\N{NO-BREAK SPACE}K♥` `10♥` `4♣` `3♠`"
    assert len({card_text(card) for card in range(8, 61)}) == 53  # type: ignore[arg-type]


def test_names_cannot_mark_up_or_ping() -> None:
    shown = name_text(LONGEST_NAME)
    assert "<@" not in shown.replace("\\<", "")
    assert not re.search(r"(?<!\\)[*_~`|]", shown)
    assert name_text("@everyone") != "@everyone"
    assert "\n" not in name_text("a\n# b")
    assert len(name_text("x" * 40)) == 20
    assert name_text(" ") == "?"
    assert name_text("a\u202eb\x00\ud800") == "a b"


def test_the_board_says_in_words_what_matters() -> None:
    state, events = played(seed=3, moves=30)
    table = table_of(state, events, ais=2)
    said = check(board(face_of(table)))
    public = state.public
    assert card_text(public.pile[-1]) in said
    assert f"{public.stock_size} cards" in said
    assert "Ann & Cleo (AI)" in said
    assert said.count("➤") == 1
    for team in public.teams:
        for meld in team.melds:
            assert f"×{len(meld.cards)}" in said


@pytest.mark.parametrize("seed", range(12))
def test_the_board_does_not_depend_on_a_hand(seed: int) -> None:
    """The same public state with other hidden cards makes the same message."""
    state, events = played(seed=seed, moves=5 + 3 * seed)
    other = state.copy()
    cards = [card for one in other.hands for card in one.cards] + other.stock
    random.Random(seed).shuffle(cards)
    for seat, one in enumerate(other.hands):
        size = len(one.cards)
        other.hands[seat], cards = Hand.of(cards[:size]), cards[size:]
    other.stock = cards
    first, second = (body_of(board(face_of(table_of(each, events)))) for each in (state, other))
    assert first == second


def test_frozen_and_blocked_are_said() -> None:
    state, _ = played(seed=2, moves=0)
    public = state.public
    public.pile = read_cards("2H 9C")
    public.freezing = 1
    said = check(board(face_of(table_of(state))))
    assert "Frozen for all" in said
    public.pile, public.freezing = read_cards("9C"), 0
    layout = board(face_of(table_of(state)))
    assert "Frozen for Ann & Cleo, Bob & Dan" in words_of(layout)
    assert not controls_of(layout)[Verb.PILE]["disabled"]
    public.pile = read_cards("9C 3S")
    layout = board(face_of(table_of(state)))
    assert "Blocked" in words_of(layout)
    assert controls_of(layout)[Verb.PILE]["disabled"]
    public.pile = []
    assert "**Pile:** empty" in words_of(board(face_of(table_of(state))))


def moments(name: str, rounds: int) -> list[tuple[Table, PlayerView]]:
    """Views of who acts, at every tenth move of rounds played by chance."""
    found = []
    for seed in range(rounds):
        for moves in range(2, 120, 10):
            state, events = played(name, seed=seed, moves=moves)
            if not who_acts(state.public):
                break
            found.append((table_of(state, events), view_of(state, who_acts(state.public)[0])))
    return found


@pytest.mark.parametrize("name", profile_ids())
def test_what_the_hand_offers_is_what_the_engine_offers(name: str) -> None:
    for table, view in moments(name, 4):
        layout = hand(face_of(table), view)
        check(layout)
        controls = controls_of(layout)
        legal = offers(view)
        kinds = {action.kind for action in legal}
        verbs = {"draw": Verb.DRAW, "take": Verb.TAKE, "discard": Verb.DISCARD, "ask": Verb.ASK}
        verbs |= {"decline": Verb.DECLINE, "end": Verb.END, "answer": Verb.YES}
        for kind, verb in verbs.items():
            assert (verb in controls) == (kind in kinds), kind
        assert ("meld" not in kinds) or Verb.PICK in controls
        for take in takes(view):
            assert why_not(view, take) is None
        for card, _ in discards(view):
            assert why_not(view, Discard(card)) is None


@pytest.mark.parametrize("name", profile_ids())
def test_every_offered_meld_can_be_chosen(name: str) -> None:
    """Each offer is a combination of choices, as far as so many can say it."""
    tried = 0
    for _, view in moments(name, 4):
        choices = lay_choices(view)
        for offer in offers(view):
            if not isinstance(offer, LayMelds) or len(choices) == MOST:
                continue
            tried += 1
            parts = [
                next(
                    choice
                    for choice in choices
                    if choice.label == group.label
                    and sorted(card >> 2 for card in choice.cards)
                    == sorted(card >> 2 for card in group.cards)
                )
                for group in offer.groups
            ]
            assert why_not(view, combine(view, parts)) is None
    assert tried > 10


def test_choices_of_one_rank_are_put_together() -> None:
    state, _ = played(seed=1, moves=1)
    seat = state.public.turn
    state.hands[seat] = Hand.of(read_cards("KS KH KD 2S 2H JK QS QH 4C 5C"))
    view = view_of(state, seat)
    choices = lay_choices(view)

    def place(text: str) -> int:
        wanted = sorted(card >> 2 for card in read_cards(text))
        return next(i for i, one in enumerate(choices) if sorted(card >> 2 for card in one.cards) == wanted)

    action = combine(view, [choices[place("KS KH KD")], choices[place("KS KH KD 2S")]])
    assert [cards_text(group.cards) for group in action.groups] == [cards_text(read_cards("KS KH KD 2S"))]
    both = combine(view, [choices[place("KS KH KD 2S")], choices[place("QS QH 2S")]])
    assert sorted(name_of(card) for group in both.groups for card in group.cards) == sorted(
        ["KS", "KH", "KD", "2S", "QS", "QH", "2H"]
    )
    layout = hand(face_of(table_of(state)), view, chosen=[place("KS KH KD")])
    assert "**30** of 50 points" in words_of(layout)
    assert controls_of(layout)[Verb.LAY]["disabled"]
    layout = hand(face_of(table_of(state)), view, chosen=[place("KS KH KD 2S")])
    assert "**50** of 50 points" in words_of(layout)
    assert not controls_of(layout)[Verb.LAY]["disabled"]
    read = Click.read(controls_of(layout)[Verb.LAY]["custom_id"])
    assert read is not None
    assert places_of(read.arg) == [place("KS KH KD 2S")]


def test_more_wilds_than_the_hand_has_are_refused_not_invented() -> None:
    state, _ = played(seed=1, moves=1)
    seat = state.public.turn
    state.hands[seat] = Hand.of(read_cards("KS KH 2S QS QH 4C 5C 6C"))
    view = view_of(state, seat)
    choices = lay_choices(view)
    layout = hand(face_of(table_of(state)), view, chosen=range(len(choices)))
    assert controls_of(layout)[Verb.LAY]["disabled"]
    assert "do not hold `2♠`" in plain(words_of(layout))


def test_masks_and_custom_ids_are_read_back() -> None:
    assert places_of(mask_of([0, 3, 49])) == [0, 3, 49]
    assert sorted(repicked(f"0-{mask_of([1, 30])}", ["2", "3"])) == [2, 3, 30]
    assert sorted(repicked(f"1-{mask_of([1, 30])}", [])) == [1]
    assert repicked("nonsense", ["4"]) == [4]
    assert places_of("nonsense") == []
    assert places_of("") == []
    click = Click(Verb.LAY, 10**17, 10**8, "1ffffff")
    assert len(click.custom_id) <= 100
    assert Click.read(click.custom_id) == click
    for wrong in ("", "cn", "cn:fly:1:2", "cn:draw:x:1", "cn:draw:1", "xx:draw:1:2", "cn:draw:1:2\n"):
        assert Click.read(wrong) is None


def test_take_options_name_every_card_that_is_laid() -> None:
    seen = 0
    for table, view in moments("salon", 4):
        layout = hand(face_of(table), view)
        row = controls_of(layout).get(Verb.TAKE)
        if row is None:
            continue
        for option, take in zip(row["options"], takes(view), strict=False):
            assert isinstance(take, TakePile)
            for group in (take.group, *take.further):
                assert cards_text(group.cards) in option["label"] or option["label"].endswith("…")
            seen += 1
    assert seen > 2


def test_a_question_keeps_its_answer() -> None:
    from canasta_core.events import Answered, Asked

    face = face_of(table_of(played(moves=1)[0]))
    assert "yes" in str(question_closed(face, [Asked(0, (2,)), Answered(2, True)]))
    assert "**no**" in str(question_closed(face, [Asked(0, (2, 4)), Answered(2, True), Answered(4, False)]))
    assert "closed" in str(question_closed(face, [Asked(0, (2,))]))
    assert question_closed(face, []) is None


def test_the_chooser_holds_what_was_typed() -> None:
    row = listed(table_of(played(moves=1)[0]), 100)
    layout = chooser("en", [row, row], "do draw", now=0.0)
    assert layout is not None
    assert Click.read(controls_of(layout)[Verb.CHOOSE]["custom_id"]) == Click("choose", 0, 0, "do draw")
    assert chooser("en", [row], "do meld " + "K " * 50, now=0.0) is None


def test_more_tables_than_a_select_holds_have_pages() -> None:
    table = lasting(fullest("salon", 6, Phase.DRAW))
    rows = [replace(listed(table, BIG), id=number) for number in range(60)]
    seen = []
    for page in range(3):
        layout = chooser("en", rows, "do draw", now=0.0, page=page)
        assert layout is not None
        check(layout)
        seen += [one["value"] for one in controls_of(layout)[Verb.CHOOSE]["options"]]
        following = Click.read(controls_of(layout)[Verb.CHOOSE_PAGE]["custom_id"])
        assert following == Click(Verb.CHOOSE_PAGE, 0, (page + 1) % 3, "do draw")
    assert seen == [str(number) for number in range(60)]


def test_preferences_fit() -> None:
    for chosen in (
        Preferences(),
        Preferences(Reminders.DM, (1350, 425), "America/Argentina/ComodRivadavia", True),
        Preferences(Reminders.OFF, (0, 60), "Europe/Berlin"),
    ):
        said = check(preferences_layout("en", chosen, 1.8e9, "Saved."))
        assert chosen.zone in said


def lasting(table: Table) -> Table:
    """A table with all that a game of weeks can bring at once: as much as a board has to say."""
    at = 4e9
    sitters = tuple(
        replace(sitter, absent=seat % 3 == 1, away_until=at + 1 if seat % 3 == 2 else None)
        for seat, sitter in enumerate(table.sitters)
    )
    last = sitters[-1].seat
    sitters = (*sitters[:-1], Sitter(last, None, LONGEST_NAME, "medium"))
    people = tuple(sitter.user_id or BIG for sitter in sitters)
    return replace(
        table,
        sitters=sitters,
        deadline=at,
        touched_at=at - 1,
        clock=None,
        proposal=Proposal(7 * 86_400, BIG, people, 7),
        invites=(Invite(last, BIG),),
        lost="access",
        before=(table.state,) * 3 if table.state is not None else (),
    )


@pytest.mark.parametrize(("name", "seats"), SHAPES)
@pytest.mark.parametrize("phase", [Phase.DRAW, Phase.PLAY, Phase.PERMISSION, Phase.ROUND_OVER])
def test_all_that_weeks_can_bring_fits(name: str, seats: int, phase: Phase) -> None:
    full = fullest(name, seats, phase)
    full.state.public.reason = Reason.NO_TAKE  # type: ignore[union-attr]
    table = lasting(full)
    invites = tuple(Invite(seat, None) for seat in range(seats))
    nobody = tuple(replace(sitter, user_id=None, ai="medium") for sitter in table.sitters)
    for case in (
        table,
        replace(table, paused=Pause(4e9, BIG)),
        replace(table, sitters=nobody, invites=invites),
        replace(table, sitters=tuple(replace(sitter, absent=True) for sitter in table.sitters)),
    ):
        face = face_of(case)
        check(board(face))
        for seat in range(seats):
            view = case.view(seat)
            check(hand(face, view, url=TOKEN_URL, said="x" * 3000, chosen=range(50)))
            check(hand(face, view, url=TOKEN_URL, said="x" * 3000, throwing=view.hand.cards[0]))


def test_the_board_says_whose_clock_runs_and_who_is_away() -> None:
    state, events = played(seed=3, moves=30)
    public = state.public
    table = replace(table_of(state, events, ais=1), deadline=5000.0, clock=3600, touched_at=1000.0)
    turn = public.turn = 0
    layout = board(face_of(table))
    said = check(layout)
    assert "**Ann** has until <t:5000:f> (<t:5000:R>); then an AI plays this turn." in said
    assert Verb.BACK not in controls_of(layout)
    assert "Until <t:5000:f>" in words_of(hand(face_of(table), table.view(turn)))
    assert "Until <t:5000:f>" not in words_of(hand(face_of(table), table.view(1)))

    bob = replace(table.sitters[1], away_until=9000.0)
    cleo = replace(table.sitters[2], absent=True)
    gone = replace(table, sitters=(table.sitters[0], bob, cleo, table.sitters[3]))
    layout = board(face_of(gone))
    said = check(layout)
    assert re.search(r"Bob · .* cards · away until <t:9000:f>", said)
    assert re.search(r"Cleo \(AI\) · .* cards · an AI keeps the seat", said)
    assert Verb.BACK in controls_of(layout)
    assert Verb.BACK in controls_of(hand(face_of(gone), gone.view(1)))
    assert Verb.BACK in controls_of(hand(face_of(gone), gone.view(2)))
    assert Verb.BACK not in controls_of(hand(face_of(gone), gone.view(0)))
    over = replace(gone, touched_at=9001.0)
    assert "away" not in words_of(board(face_of(over)))

    ann = replace(table.sitters[0], away_until=9000.0)
    waits = replace(table, sitters=(ann, *table.sitters[1:]), deadline=None)
    assert "**Ann** is away: the clock waits." in words_of(board(face_of(waits)))

    nobody = tuple(replace(sitter, absent=sitter.user_id is not None) for sitter in table.sitters)
    assert "Nobody is here" in words_of(board(face_of(replace(table, sitters=nobody))))

    paused = face_of(replace(table, paused=Pause(7000.0, 100), deadline=None))
    layout = board(paused)
    assert "**Paused** until <t:7000:f>" in words_of(layout)
    assert controls_of(layout)[Verb.DRAW]["disabled"]
    assert controls_of(layout)[Verb.PILE]["disabled"]
    assert set(controls_of(hand(paused, table.view(0)))) == {Verb.HAND}


def test_open_seats_can_be_taken_on_the_board() -> None:
    state, events = played(seed=3, moves=30)
    table = replace(table_of(state, events, ais=2), invites=(Invite(2, None), Invite(3, 777)))
    layout = board(face_of(table))
    said = check(layout)
    assert "whoever likes may take this seat" in said
    assert "<@777> is invited" in said
    ids = [part["custom_id"] for _, part in walk(layout.to_components()) if part["type"] == 2]
    assert [id_ for id_ in ids if id_.startswith("cn:take-seat:")] == [
        f"cn:take-seat:12:57:{seat}" for seat in (2, 3)
    ]


def test_undo_is_offered_when_there_is_something_to_take_back() -> None:
    for seed in range(40):
        state, events = played(seed=seed, moves=31)
        if state.public.phase is Phase.PLAY:
            break
    turn = state.public.turn
    table = table_of(state, events)
    assert Verb.UNDO not in controls_of(hand(face_of(table), table.view(turn)))
    laid = replace(table, before=(state,))
    assert Verb.UNDO in controls_of(hand(face_of(laid), laid.view(turn)))
    assert Verb.UNDO not in controls_of(hand(face_of(laid), laid.view((turn + 1) % 4)))
    never = replace(laid, undo=False)
    assert Verb.UNDO not in controls_of(hand(face_of(never), never.view(turn)))


def test_a_discard_that_is_asked_about_leaves_nothing_else_to_do() -> None:
    for seed in range(40):
        state, events = played(seed=seed, moves=31)
        turn = state.public.turn
        cards = [one for one in offers(view_of(state, turn)) if isinstance(one, Discard)]
        if cards:
            break
    table = table_of(state, events)
    layout = hand(face_of(table), table.view(turn), throwing=cards[0].card)
    assert f"Discard `{card_text(cards[0].card)}`?" in check(layout)
    controls = controls_of(layout)
    assert set(controls) == {Verb.THROW, Verb.HAND}
    assert controls[Verb.HAND]["label"] == "Keep"
    assert controls[Verb.THROW]["label"] == f"Discard {card_text(cards[0].card)}"


def results_of(face: Any, **changes: Any) -> list[ResultRow]:
    """A result for each seat of a table, with the longest name and the largest rating."""
    shape = "x".join(str(len(face.rules.seats_of(team))) for team in range(face.rules.teams))
    row = ResultRow(
        guild_id=BIG,
        profile=face.rules.profile,
        shape=shape,
        seat=0,
        team=0,
        user_id=BIG,
        ai="",
        name=LONGEST_NAME,
        whole=True,
        score=-123_455,
        won=False,
        rounds=999,
        finished_at=4e9,
        rating_before=12_345.0,
        rating_after=-12_345.0,
    )
    return [replace(row, seat=seat, **changes) for seat in range(face.rules.seats)]


@pytest.mark.parametrize(("name", "seats"), SHAPES)
def test_the_end_of_a_game_tells_what_it_changed(name: str, seats: int) -> None:
    face = face_of(fullest(name, seats, Phase.GAME_OVER))
    sheet = ScoreSheet(*[-123_455] * 9)
    ended = RoundEnded(Reason.WENT_OUT, (), (sheet,) * face.rules.teams, (5000,) * face.rules.teams)
    rows = results_of(face)
    rows[0] = replace(rows[0], rating_before=1015.6, rating_after=1034.4)
    said = check(game_over(face, ended, GameEnded(0, ended.scores), 999, rows))
    assert f"{name_text(LONGEST_NAME)} **1,034** (+18)" in said
    assert "**-12,345** (−24,690)" in said
    assert "Does not count" not in said
    # Each seat that does not count is told why; an AI player's is not spoken of.
    left = [replace(one, whole=False, rating_before=None, rating_after=None) for one in rows]
    left[-1] = replace(left[-1], user_id=None, ai="medium", name="Robot")
    kept = replace(face, sitters=(replace(face.sitters[0], kept=True), *face.sitters[1:]))
    said = check(game_over(kept, ended, GameEnded(0, ended.scores), 999, left))
    assert "Ratings" not in said
    assert said.count("an AI player kept the seat") == 1
    assert ("after the first deal plays for the others" in said) == (seats > 2)
    assert "Robot" not in said
    nobody = [replace(one, user_id=None, ai="medium", whole=False, rating_after=None) for one in rows]
    assert "count" not in check(game_over(face, ended, GameEnded(0, ended.scores), 999, nobody))


UTMOST = Standing(
    skill=Skill(999.0, 0.0),
    games=99_999,
    wins=99_999,
    rounds=999_999,
    points=-999_999_999,
    canastas=999_999,
    naturals=999_999,
    exits=99_999,
    concealed=99_999,
    fastest_exit=99_999,
    biggest_round=99_999,
    streak=9,
    best_streak=99_999,
)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("world", [False, True])
def test_leaderboards_fit(order: Order, world: bool) -> None:
    lines = tuple(Line(10**6 + number, BIG + number, LONGEST_NAME, UTMOST) for number in range(PAGE))
    board_ = Leaderboard(lines, 10**7)
    pools = [f"canastra 2x2x2x2x2x{number} ai" for number in range(60)]
    choices = Choices(pools, [f"{year}-{month:02}" for year in range(2026, 2030) for month in range(1, 13)])
    for picture in (False, True):
        asked = Asked(order, world, pools[-1], "2029-12", 10**6, picture)
        for own in (
            Own(BIG - 1, Line(10**7, BIG - 1, LONGEST_NAME, UTMOST), 99_999, False),
            Own(BIG - 1, None, 1, False),
            Own(BIG - 1, None, 0, True),
            Own(BIG, lines[0], 9, True),
        ):
            said = check(leaderboard_layout("en", asked, board_, own, choices, said="x" * 500))
            assert said.count(name_text(LONGEST_NAME)) == PAGE + (
                own.line is not None and own.line not in lines
            )
            assert ("➤" in said) == (own.line is not None)
            shown = leaderboard_layout("en", asked, board_, own, choices, shown_by=LONGEST_NAME)
            assert "➤" not in check(shown)
            assert "You" not in words_of(shown)
        for count, filled in ((0, ()), (10**7, ())):
            check(
                leaderboard_layout("en", asked, Leaderboard(filled, count), Own(1, None, 0, False), choices)
            )
        assert len(alt_text("en", asked, board_)) <= 1024
        top = top_of("en", asked, board_, BIG)
        assert [bar.own for bar in top.bars] == [True] + [False] * (PAGE - 1)
        assert all(0.0 <= bar.share <= 1.0 for bar in top.bars)


def test_statistics_fit() -> None:
    mine = Share(0, 0, 1, "", True, 5000, True)
    others = tuple(
        (Share(seat, seat % 2, BIG + seat, "", True, 5000, True), LONGEST_NAME) for seat in range(1, 6)
    )
    played_ = [
        PlayedGame(
            number,
            7,
            "canastra",
            f"2x2x2x2x2x{number % 60}",
            4e9,
            mine,
            LONGEST_NAME,
            others,
            12_345.0,
            -12_345.0,
        )
        for number in range(600)
    ]
    late = replace(played_[0], share=replace(mine, whole=False), rating_before=None, rating_after=None)
    names = ["all", "all ai", *pools_played(played_)]
    record = Record(
        user_id=1,
        name=LONGEST_NAME,
        played=[*played_, *[late] * 5],
        standings=dict.fromkeys(names, UTMOST),
        place=10**7,
    )
    for looked in (Looked(1), Looked(1, names[-1]), Looked(1, "classic 2x2")):
        for own in (True, False):
            said = check(stats_layout("en", record, looked, own=own, said="x" * 300))
            assert "5 more games do not count" in said
            check(stats_layout("en", record, looked, own=own, shown_by=LONGEST_NAME))
        form = form_shown(record, looked)
        assert form is not None
        assert len(stats_alt("en", record, form)) <= 1024
        assert curve_of("en", record, form).won == form.won
    for few in (replace(record, played=[]), replace(record, played=[late], name="")):
        for own in (True, False):
            assert "that counts" in check(stats_layout("en", few, Looked(1), own=own))
    ai = replace(played_[0], others=((Share(1, 1, None, "medium", False, 0, False), "Ada"),), share=mine)
    said = check(stats_layout("en", replace(record, played=[ai], place=None), Looked(1), own=True))
    assert "People" not in said
    assert "with AI players" in said
