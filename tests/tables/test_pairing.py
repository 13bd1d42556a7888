"""Who meets whom in a cup: properties of pairings, whatever the standings."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canasta_core.tables.cup_model import Cup, CupKind, CupStage, CupTable, Entrant, Seats
from canasta_core.tables.cup_standings import standings
from canasta_core.tables.pairing import full_rounds, met, round_robin, swiss, table_count


def partners(rounds: list[list[Seats]]) -> Counter[frozenset[int]]:
    """How often each two people were partners."""
    found: Counter[frozenset[int]] = Counter()
    for tables in rounds:
        for a, b, c, d in tables:
            found.update(frozenset(pair) for pair in ((a, c), (b, d)) if None not in pair)
    return found


def with_ai(rounds: list[list[Seats]], people: int) -> list[int]:
    """How often each person had an AI player as partner."""
    found: Counter[int] = Counter()
    for tables in rounds:
        for a, b, c, d in tables:
            for pair in ((a, c), (b, d)):
                if None in pair and any(pair):
                    found[next(filter(None, pair))] += 1
    return [found[person] for person in range(1, people + 1)]


def check_round(tables: list[Seats], people: int) -> None:
    """Everybody plays once, and AI players are at as many tables as can be."""
    seated = sorted(one for seats in tables for one in seats if one is not None)
    assert seated == list(range(1, people + 1))
    assert len(tables) == table_count(people)
    ais = [seats.count(None) for seats in tables]
    assert max(ais) - min(ais) <= 1


@settings(max_examples=60, deadline=None)
@given(people=st.integers(4, 20), rounds=st.integers(1, 6), seed=st.integers(0, 10**6))
def test_swiss_rounds(people: int, rounds: int, seed: int) -> None:
    rng = random.Random(seed)
    order, played = list(range(1, people + 1)), []
    for _ in range(rounds):
        rng.shuffle(order)
        tables = swiss(order, met(one for each in played for one in each), rng)
        check_round(tables, people)
        played.append(tables)
    if people % 4 == 0 and people > 4 and rounds <= people // 2:
        # Each has at least half of all left as new partners: then a round without a repetition exists.
        assert max(partners(played).values()) == 1


def test_in_a_swiss_round_people_of_like_standing_meet() -> None:
    tables = swiss(list(range(1, 17)), met([]), random.Random(1))
    assert sorted(sorted(seats) for seats in tables) == [[k, k + 1, k + 2, k + 3] for k in (1, 5, 9, 13)]


@pytest.mark.parametrize("people", [4, 5, 7, 8, 9, 12, 16, 20, 23])
def test_in_a_round_robin_everybody_is_everybodys_partner_once(people: int) -> None:
    played: list[list[Seats]] = []
    for number in range(1, full_rounds(people) + 1):
        earlier = met(one for each in played for one in each)
        tables = round_robin(range(1, people + 1), number, earlier)
        assert sorted(one for seats in tables for one in seats if one is not None) == list(
            range(1, people + 1)
        )
        assert len(tables) == table_count(people)
        played.append(tables)
    assert len(partners(played)) == people * (people - 1) // 2
    assert set(partners(played).values()) == {1}
    # AI players are everybody's partner equally often.
    assert len(set(with_ai(played, people))) == 1
    against: Counter[frozenset[int]] = Counter()
    for tables in played:
        for a, b, c, d in tables:
            against.update(frozenset((one, other)) for one in (a, c) for other in (b, d) if one and other)
    if people % 4 == 0 and people > 4:
        assert max(against.values()) <= 4, "twice would be perfect"


def test_who_has_left_is_replaced_by_ai_players_and_nobody_sits_alone_with_nothing() -> None:
    entries = [1, 2, None, None, None, None, None, 3]
    for number in range(1, 8):
        tables = round_robin(entries, number, met([]))
        assert sorted(one for seats in tables for one in seats if one is not None) == [1, 2, 3]
        assert all(any(seats) for seats in tables)


def test_many_people_are_paired_in_reasonable_time() -> None:
    order, rng, played = list(range(1, 49)), random.Random(2), []
    for _ in range(3):
        rng.shuffle(order)
        played.append(swiss(order, met(one for each in played for one in each), rng))
    assert max(partners(played).values()) == 1


def cup_of(*tables: CupTable, people: int = 8) -> Cup:
    return Cup(
        id=1,
        guild_id=1,
        channel_id=2,
        host_id=1,
        title="",
        rules_text="",
        kind=CupKind.SWISS,
        rounds=2,
        clock=None,
        undo=True,
        away_limit=0,
        locale="en",
        stage=CupStage.PLAYING,
        round=max(table.round for table in tables),
        created_at=0.0,
        entrants=tuple(Entrant(number) for number in range(1, people + 1)),
        tables=tables,
    )


def test_points_are_for_what_the_same_seats_did_elsewhere() -> None:
    first = CupTable(1, 1, (1, 2, 3, 4), 11, 300)
    second = CupTable(1, 2, (5, 6, 7, 8), 12, -100)
    lines = standings(cup_of(first, second))
    # 1 and 3 won by 300 where 5 and 7 lost by 100; 6 and 8 won by 100 where 2 and 4 lost by 300.
    assert [(line.user_id, line.place, line.points, line.margin) for line in lines] == [
        (1, 1, 2, 400),
        (3, 1, 2, 400),
        (6, 1, 2, 400),
        (8, 1, 2, 400),
        (2, 5, 0, -400),
        (4, 5, 0, -400),
        (5, 5, 0, -400),
        (7, 5, 0, -400),
    ]
    equal = standings(cup_of(first, replace(second, difference=300)))
    assert {(line.place, line.points, line.margin) for line in equal} == {(1, 1, 0)}
    # A round that runs does not count yet; one without a result is a difference of zero.
    running = CupTable(2, 1, (1, 2, 3, 4), 13, None)
    assert standings(cup_of(first, second, running)) == lines
    assert standings(cup_of(first, second, replace(running, difference=0)), 1) == lines
