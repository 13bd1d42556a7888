"""Cards and actions as text, both ways (R1, RULES.md §11)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canasta_core.actions import Answer, Discard, Group, LayMelds, Spoken, TakePile, read_action, write_action
from canasta_core.cards import (
    JOKER,
    Card,
    UnknownCard,
    name_of,
    pack_of,
    read_card,
    read_cards,
    sorted_cards,
    write_cards,
)
from canasta_core.refusals import Code, Refusal

PACK = pack_of(2, 4)


@given(st.sampled_from(PACK))
def test_a_card_reads_back(card: Card) -> None:
    assert read_card(name_of(card)) == card
    assert read_card(name_of(card).lower()) == card


@pytest.mark.parametrize(
    ("text", "name"),
    [("10h", "TH"), ("*", "JK"), ("joker", "JK"), ("Joker", "JK"), ("jk", "JK"), ("ks", "KS"), ("2d", "2D")],
)
def test_other_names(text: str, name: str) -> None:
    assert name_of(read_card(text)) == name


@pytest.mark.parametrize("text", ["", "K", "1S", "10", "KX", "SK", "KSS", "11H", "🂡", "jo ker"])
def test_no_card(text: str) -> None:
    with pytest.raises(UnknownCard):
        read_card(text)


def test_a_pack() -> None:
    assert len(PACK) == 108
    assert PACK.count(JOKER) == 4
    assert len(set(PACK)) == 53


def test_cards_as_a_person_holds_them() -> None:
    assert write_cards(sorted_cards(read_cards("3S 4H KD 2C JK AS KS"))) == "JK 2C AS KS KD 4H 3S"


groups = st.builds(
    Group,
    st.lists(st.sampled_from(PACK), min_size=1, max_size=8).map(tuple),
    st.sampled_from(["", "", "K", "T", "4", "3"]),
)
actions = st.one_of(
    st.builds(LayMelds, st.lists(groups, min_size=1, max_size=3).map(tuple)),
    st.builds(TakePile, st.one_of(st.just(Group(())), groups), st.lists(groups, max_size=2).map(tuple)),
    st.builds(Discard, st.sampled_from(PACK)),
    st.builds(Answer, st.booleans()),
)


@given(actions)
def test_an_action_reads_back(action: LayMelds | TakePile | Discard | Answer) -> None:
    text = write_action(action)
    assert read_action(text).resolve(PACK * 8) == action
    assert write_action(read_action(text.lower()).resolve(PACK * 8)) == text


@pytest.mark.parametrize(
    "text",
    ["", "fly", "draw 4C", "discard", "discard 4C 5C", "discard black: 3S", "answer", "answer maybe",
     "meld", "meld KS KH KD /", "take / ", "take KS / ", "meld / KS KH KD", "ask me", "x" * 6000],
)  # fmt: skip
def test_no_action(text: str) -> None:
    with pytest.raises(Refusal) as raised:
        read_action(text)
    assert raised.value.code is Code.UNKNOWN_ACTION


def test_symbols_and_commas() -> None:
    assert read_action("meld K♠ K♥ K♦️, 7♣ 7♠ 2♦") == read_action("meld KS KH KD / 7C 7S 2D")


def test_ranks_alone_are_filled_after_cards_in_full() -> None:
    hand = read_cards("KS KH KD KC")
    spoken = read_action("meld K KS K")
    assert spoken.resolve(hand) == LayMelds((Group(tuple(read_cards("KH KS KD"))),))


def test_ranks_alone_that_the_hand_has_not() -> None:
    with pytest.raises(Refusal) as raised:
        Spoken("meld", (("", ("K", "K", "K")),)).resolve(read_cards("KS KH 4C"))
    assert raised.value.code is Code.CARD_NOT_IN_HAND
