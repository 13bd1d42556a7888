"""Game records: whole games go through text and come back, and whatever is changed in one is noticed."""

import json
import random
import re
from functools import cache
from pathlib import Path

import pytest

from canasta_core.actions import write_action
from canasta_core.cards import read_cards
from canasta_core.codec import state_hash
from canasta_core.engine import apply
from canasta_core.fairness import commitment, is_kept
from canasta_core.legality import speak
from canasta_core.profiles import load_rules
from canasta_core.record import (
    MAX_LENGTH,
    Player,
    Record,
    RecordCode,
    RecordError,
    Step,
    final_position,
    main,
    position_mark,
    position_text,
    read_record,
    write_record,
)
from canasta_core.state import GameState, Hand, Meld, MeldKind
from canasta_core.views import view_of
from tests.playthroughs.recording import Table, _chance, tables

TABLES = list(tables())
SHORT = TABLES[0]


def recorded(table: Table) -> tuple[Record, GameState]:
    """A playthrough as a record, and where it ends."""
    return _recorded(TABLES.index(table))


@cache
def _recorded(number: int) -> tuple[Record, GameState]:
    table = TABLES[number]
    state = GameState.new(table.rules)
    steps = []
    for number, line in enumerate(table.path.read_text().splitlines()[1:]):
        _, who, words = line.split(" ", 2)
        if who == "-":
            action = _chance(words)
            salt = f"salt{number}"
            step = Step(None, action, salt, commitment(salt, action))
        else:
            step = Step(int(who), speak(view_of(state, int(who)), words))
        state = apply(state, step.seat, step.action).state
        steps.append(step)
    names = ("Ann", 'Ben "the \\ pile"', "Çelik 🂡", "Do\u2028ra\x85\n", "Eve", "Flo")
    players = tuple(Player(names[seat], "medium" if seat == 1 else "") for seat in range(table.rules.seats))
    return Record(table.rules, players, tuple(steps), 1_790_000_000.0, "table 12"), state


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.path.stem)
def test_every_playthrough_comes_back_to_the_same_hash(table: Table) -> None:
    record, end = recorded(table)
    again = read_record(write_record(record))
    assert again == record
    assert state_hash(final_position(again)) == state_hash(end)


def lines_of(table: Table = SHORT) -> list[str]:
    return write_record(recorded(table)[0]).splitlines()


def refused(lines: list[str]) -> RecordError:
    with pytest.raises(RecordError) as caught:
        read_record("\n".join(lines))
    return caught.value


def index_of(lines: list[str], pattern: str, skip: int = 0) -> int:
    return [number for number, line in enumerate(lines) if re.search(pattern, line)][skip]


def test_another_move_is_named_by_its_line() -> None:
    lines = lines_of()
    at = index_of(lines, " discard ", 20)
    mark, seat, _ = lines[at].split(" ", 2)
    held = index_of(lines, rf"^\w+ {seat} draw$")
    lines[at] = f"{mark} {seat} draw"
    assert held != at
    error = refused(lines)
    assert (error.line, error.code) == (at + 1, RecordCode.REFUSED)


def test_a_legal_move_that_is_not_the_one_played_is_named() -> None:
    """Of all discards of the game, each put in the place of another: refused, or the position differs."""
    lines = lines_of()
    places = [number for number, line in enumerate(lines) if " discard " in line]
    codes = set()
    for at in places[:40]:
        for card in ("4S", "KH", "7D", "9C"):
            changed = lines.copy()
            changed[at] = re.sub(r"discard \w+", f"discard {card}", changed[at])
            if changed[at] != lines[at]:
                error = refused(changed)
                assert error.line == at + 1
                codes.add(error.code)
    assert codes == {RecordCode.REFUSED, RecordCode.WRONG_POSITION}


def test_another_card_in_a_pack_breaks_the_promise() -> None:
    lines = lines_of()
    at = index_of(lines, " - deal ", 1)
    words = lines[at].split(" ")
    words[5], words[60] = words[60], words[5]
    assert words != lines[at].split(" ")
    lines[at] = " ".join(words)
    error = refused(lines)
    assert (error.line, error.code, error.facts) == (at + 1, RecordCode.BROKEN_PROMISE, {"round": 2})


@pytest.mark.parametrize("key", ["salt", "promise"])
def test_another_salt_or_promise_is_named(key: str) -> None:
    lines = lines_of()
    at = index_of(lines, f"^{key}: ", 2)
    lines[at] = lines[at][:-1] + ("0" if lines[at][-1] != "0" else "1")
    error = refused(lines)
    assert (error.code, error.facts["round"]) == (RecordCode.BROKEN_PROMISE, 2)
    del lines[at]
    assert refused(lines).code is RecordCode.NO_PROMISE


def test_a_pack_with_a_card_too_many_is_no_pack() -> None:
    """Also when salt and promise were made for it."""
    record, _ = recorded(SHORT)
    lines = lines_of()
    at = index_of(lines, " - deal ")
    deal = record.steps[1].action
    crooked = type(deal)((deal.pack[0], *deal.pack[:1], *deal.pack[2:]))
    assert sorted(crooked.pack) != sorted(deal.pack)
    mark = lines[at].split(" ", 1)[0]
    lines[at] = f"{mark} - {write_action(crooked)}"
    lines[at - 2] = f"promise: {commitment('x', crooked)}"
    lines[at - 1] = "salt: x"
    assert (refused(lines).code, refused(lines).line) == (RecordCode.BAD_PACK, at + 1)


def test_another_score_is_named() -> None:
    lines = lines_of()
    at = index_of(lines, "^score: ", 1)
    lines[at] = lines[at][:-1] + ("0" if lines[at][-1] != "0" else "5")
    error = refused(lines)
    assert (error.line, error.code) == (at + 1, RecordCode.WRONG_SCORE)


def test_any_line_of_the_game_left_out_or_doubled_is_noticed() -> None:
    lines = lines_of()
    first = index_of(lines, "^$") + 1
    rng = random.Random(7)
    last = index_of(lines, "^score", -1)
    for at in rng.sample([number for number in range(first, last) if lines[number]], 60):
        if lines[at].startswith("score"):
            continue
        assert refused(lines[:at] + lines[at + 1 :])
        if not lines[at].startswith(("promise", "salt")):
            assert refused(lines[: at + 1] + lines[at:])


def test_every_changed_character_of_a_step_is_noticed() -> None:
    lines = lines_of()
    rng = random.Random(11)
    steps = [number for number, line in enumerate(lines) if re.match(r"[0-9a-f]{8} ", line)]
    for at in rng.sample(steps, 120):
        place = rng.randrange(len(lines[at]))
        other = rng.choice("0123456789ACDHJKQSTacdehklmrstw- /:")
        if other.lower() != lines[at][place].lower() and not (other in "-/: " or lines[at][place] in " /:"):
            changed = lines.copy()
            changed[at] = lines[at][:place] + other + lines[at][place + 1 :]
            assert refused(changed).line == at + 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", RecordCode.NOT_A_RECORD),
        ("\n\n", RecordCode.NOT_A_RECORD),
        ("hello", RecordCode.NOT_A_RECORD),
        ("canasta-record: 1", RecordCode.NOT_A_RECORD),
        ("canasta-record: x\n\n", RecordCode.NOT_A_RECORD),
        (f"canasta-record: {'1' * 5000}\n\n", RecordCode.NOT_A_RECORD),
        ("canasta-record: 2\n\n", RecordCode.NEWER_FORMAT),
        ("canasta-record: 1\n\n", RecordCode.BAD_RULES),
        ("canasta-record: 1\nnonsense\n\n", RecordCode.BAD_HEADER),
        ("canasta-record: 1\nseats: 4\nseats: 4\n\n", RecordCode.BAD_HEADER),
        ("canasta-record: 1\nrules: {}\n\n", RecordCode.BAD_RULES),
        ("x" * (MAX_LENGTH + 1), RecordCode.TOO_LONG),
    ],
)
def test_what_is_no_record(text: str, code: RecordCode) -> None:
    with pytest.raises(RecordError) as caught:
        read_record(text)
    assert caught.value.code is code


@pytest.mark.parametrize(
    ("pattern", "by", "code"),
    [
        (r'"packs":\d+', '"packs":1000000', RecordCode.BAD_RULES),
        (r'"seats":4', '"seats":400', RecordCode.BAD_RULES),
        (r'"hand":\d+', '"hand":99', RecordCode.BAD_RULES),
        (r'"hand":\d+', '"hand":24', RecordCode.BAD_RULES),
        (r'"draw":\d+', '"draw":1.5', RecordCode.BAD_RULES),
        (r'"target":\d+', '"target":true', RecordCode.BAD_RULES),
        (r'"target":\d+', f'"target":{"9" * 5000}', RecordCode.BAD_RULES),
        (r'"values":"?[^,]+', '"values":[', RecordCode.BAD_RULES),
        (r"^rules: .*", f"rules: {'[' * 100_000}", RecordCode.BAD_RULES),
        (r'"Ann"', "[" * 100_000, RecordCode.BAD_HEADER),
        (r'"Ann"', '"\\\\ud800"', RecordCode.BAD_HEADER),
        (r"^profile: \w+", "profile: salon", RecordCode.BAD_RULES),
        (r"^seat 0: person", "seat 0: ghost", RecordCode.BAD_HEADER),
        (r'"Ann"', "Ann", RecordCode.BAD_HEADER),
        (r"^began: .*", "began: yesterday", RecordCode.BAD_HEADER),
        (r"^(\w+) 0 draw$", r"\1 17 draw", RecordCode.BAD_STEP),
        (r"^(\w+) 0 draw$", r"\1 0 sing", RecordCode.REFUSED),
        (r"^(\w+) - deal", r"\1 - steal", RecordCode.BAD_STEP),
        (r"^(\w+) - deal \w+", r"\1 - deal XX", RecordCode.BAD_STEP),
    ],
)
def test_bad_lines_are_named(pattern: str, by: str, code: RecordCode) -> None:
    text = write_record(recorded(SHORT)[0])
    changed = re.sub(pattern, by, text, count=1, flags=re.MULTILINE)
    assert changed != text
    with pytest.raises(RecordError) as caught:
        read_record(changed)
    assert caught.value.code is code


def test_rules_of_any_types_and_numbers_never_break_the_reader() -> None:
    """A text from anywhere is refused in words, whatever stands in its rules."""
    rng = random.Random(5)
    lines = lines_of()[:40]
    at = index_of(lines, "^rules: ")
    rules = json.loads(lines[at].removeprefix("rules: "))
    odd = [0, -1, 2, 7, 12, 10**9, "x", "", None, True, [], [1], [[1, 2]], {}, 1.5]
    for key in rules:
        for value in rng.sample(odd, 8):
            changed = lines.copy()
            changed[at] = f"rules: {json.dumps({**rules, key: value})}"
            try:
                read_record("\n".join(changed))
            except RecordError:
                continue


def test_lines_end_as_any_system_writes_them() -> None:
    record, _ = recorded(SHORT)
    assert read_record("\ufeff" + write_record(record).replace("\n", "\r\n")) == record


def test_the_text_of_a_position_is_the_documented_one() -> None:
    """docs/record.md promises this format to others."""
    state = GameState.new(load_rules("classic"))
    state.hands[1] = Hand.of(read_cards("JK KS 2C 4H KS AD"))
    state.stock = read_cards("7D 5C")
    state.public.pile = read_cards("9C 3S")
    state.public.teams[0].put(Meld("K", MeldKind.SET, 13, tuple(read_cards("KH 2S KD KC")), 1))
    state.public.teams[0].red_threes = read_cards("3D 3H")
    text = "0 deal 0;;2C 4H KS KS AD JK;;;5C 7D;9C 3S;K:2S KH KD KC|3H 3D;|;0 0"
    assert position_text(state) == text
    assert len(position_mark(state)) == 8


def test_a_promise_holds_for_its_salt_and_pack_only() -> None:
    deal = recorded(SHORT)[0].steps[1].action
    promise = commitment("abc", deal)
    assert is_kept(promise, "abc", deal)
    assert not is_kept(promise, "abd", deal)
    assert not is_kept(promise, "abc", type(deal)(deal.pack[::-1]))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, none = tmp_path / "good.txt", tmp_path / "bad.txt", tmp_path / "none.txt"
    text = write_record(recorded(SHORT)[0])
    good.write_text(text, encoding="utf-8")
    bad.write_text(text.replace(" 0 draw", " 0 decline", 1), encoding="utf-8")
    none.write_text("hello", encoding="utf-8")
    assert main([str(good)]) == 0
    assert "everything agrees" in capsys.readouterr().out
    assert main([str(bad), str(good)]) == 1
    said = capsys.readouterr()
    assert "refused" in said.err
    assert "everything agrees" in said.out
    assert main([str(good), str(none)]) == 2
    assert main([str(tmp_path / "missing.txt")]) == 2
