"""Every layout within Discord's limits, with the fullest table; and what a player must be able to read."""

import random
import re
from dataclasses import replace
from typing import Any

import pytest

from canasta_core.cards import Rank, is_wild, read_cards
from canasta_core.events import GameEnded, RoundEnded
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
from canasta_core.views import view_of
from cogs.ui.board import board
from cogs.ui.cards_text import SYMBOLS, card_text, hand_text, melds_text
from cogs.ui.face import face_of
from cogs.ui.hand import hand
from cogs.ui.layout import Click, Verb, name_text
from cogs.ui.lobby import lobby, options_text
from cogs.ui.preferences import preferences_layout
from cogs.ui.question import question_closed, question_ping, turn_ping
from cogs.ui.rules_text import rules_layout
from cogs.ui.score import NAME, WIDTH, game_over, round_over, score, sheet_text
from cogs.ui.tables import chooser, listed, table_list
from cogs.ui.text import UnknownTextError, text
from tests.cogs.layouts import SHAPES, body_of, check, controls_of, plain, words_of
from tests.cogs.tables import BIG, LONGEST_NAME, fullest, played, table_of
from tests.discord.checks import walk

TOKEN_URL = "https://discord.com/channels/" + "/".join(["9" * 19] * 3)


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
            # These numbers have seven places.
            assert max(map(len, lines)) <= max(WIDTH, NAME + 8 * face.rules.teams)
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
    assert " natural     700     0     0" in lines
    assert "Total       4060 11045 −1705" in lines
    assert not any("runs" in line for line in lines)
    assert max(map(len, lines)) <= 28
    wide = [
        score(face, [sheets] * 30),
        round_over(face, RoundEnded(Reason.WENT_OUT, (), sheets, (0, 0, 0)), 3),
    ]
    assert all(len(line) <= 28 for layout in wide for lines in blocks_of(check(layout)) for line in lines)
    assert "Team A went out." in words_of(wide[1])
    state.public.scores = [4060, 11045, -1705]
    assert "−1,705 · 6,705 to go · opens with any meld" in words_of(score(face, [sheets]))


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
