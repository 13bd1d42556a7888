"""A finished round or game as text that anybody can read, replay and check: see docs/record.md.

    python -m canasta_core.record FILE…

replays each file and prints what it holds, or the first line that does not agree; it exits 1 when one
does not, 2 when one is no record.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from canasta_core.actions import Action, Deal, DrawLots, SeatAction, write_action
from canasta_core.cards import UnknownCard, pack_of, read_cards, write_cards
from canasta_core.codec import WrongFormat, decode_rules, encode_rules
from canasta_core.dealing import WrongPack
from canasta_core.engine import apply
from canasta_core.events import Event
from canasta_core.fairness import is_kept
from canasta_core.legality import speak
from canasta_core.playable import are_playable
from canasta_core.refusals import Refusal
from canasta_core.rules import Rules
from canasta_core.state import GameState, Phase
from canasta_core.views import view_of

VERSION: Final = 1
MAX_LENGTH: Final = 2_000_000
"""Characters of a record that are read: a long game of six has a tenth of it."""
_HEAD: Final = "canasta-record"
_LINE_BREAKS: Final = "\x85\u2028\u2029"
_MARK: Final = 8
"""Characters of a position's hash that stand before each step."""


class RecordCode(StrEnum):
    """Why a text is no record, or not a true one. Facts always hold `line`."""

    NOT_A_RECORD = "not_a_record"
    NEWER_FORMAT = "newer_format"
    """Facts: found, known."""
    TOO_LONG = "too_long"
    """Facts: length, most."""
    BAD_HEADER = "bad_header"
    """Facts: text."""
    BAD_RULES = "bad_rules"
    BAD_STEP = "bad_step"
    """A line that is no step. Facts: text."""
    BAD_PACK = "bad_pack"
    """A shuffle of other cards than the table's. Facts: round."""
    REFUSED = "refused"
    """The rules refuse this action. Facts: text, refusal."""
    WRONG_POSITION = "wrong_position"
    """After this step the cards do not lie as recorded. Facts: text, expected, found."""
    BROKEN_PROMISE = "broken_promise"
    """Salt and pack do not give the hash that was promised. Facts: round."""
    NO_PROMISE = "no_promise"
    """A shuffle without salt and promise. Facts: round."""
    WRONG_SCORE = "wrong_score"
    """Facts: round, expected, found."""


class RecordError(ValueError):
    """A text that is no record, or one that does not agree with itself or with the rules."""

    def __init__(self, code: RecordCode, line: int, **facts: int | str) -> None:
        super().__init__(code, line, facts)
        self.code = code
        self.line = line
        """Counted from 1."""
        self.facts = facts

    def __str__(self) -> str:
        detail = ", ".join(f"{key}={value}" for key, value in self.facts.items())
        return f"line {self.line}: {self.code}" + (f" ({detail})" if detail else "")


@dataclass(frozen=True, slots=True)
class Player:
    """Who sat at a seat, by name; `ai` is the level of an AI player."""

    name: str
    ai: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """An action, and for a shuffle what binds it."""

    seat: int | None
    """None for chance."""
    action: Action
    salt: str = ""
    promise: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A game from its first shuffle to the end of a round, or to its own."""

    rules: Rules
    players: tuple[Player, ...]
    """By seat."""
    steps: tuple[Step, ...]
    began: float | None = None
    """Unix seconds."""
    title: str = ""
    """What the game is called where it was played."""


def positions(record: Record) -> Iterator[tuple[Step | None, GameState, tuple[Event, ...]]]:
    """The positions of a recorded game, the empty table first, each with the step that led to it.

    Raises Refusal when the rules refuse a step.
    """
    state = GameState.new(record.rules)
    yield None, state, ()
    for step in record.steps:
        transition = apply(state, step.seat, step.action)
        state = transition.state
        yield step, state, transition.events


def final_position(record: Record) -> GameState:
    """Raises Refusal when the rules refuse a step."""
    *_, (_, state, _) = positions(record)
    return state


def position_text(state: GameState) -> str:
    """All cards and scores of a position in one line; its hash marks each step (docs/record.md)."""
    public = state.public
    teams = [
        f"{','.join(meld.label + ':' + write_cards(sorted(meld.cards)) for meld in team.melds)}"
        f"|{write_cards(sorted(team.red_threes))}"
        for team in public.teams
    ]
    return ";".join(
        [
            f"{public.round_number} {public.phase} {public.turn}",
            *(write_cards(sorted(hand.cards)) for hand in state.hands),
            write_cards(reversed(state.stock)),
            write_cards(public.pile),
            *teams,
            " ".join(map(str, public.scores)),
        ]
    )


def position_mark(state: GameState) -> str:
    """The first characters of the SHA-256 of the position's text."""
    return hashlib.sha256(position_text(state).encode()).hexdigest()[:_MARK]


def write_record(record: Record) -> str:
    """The record as text. Raises Refusal when the rules refuse one of its steps."""
    rules = record.rules
    lines = [f"{_HEAD}: {VERSION}"]
    if record.title:
        lines.append(f"title: {_quoted(record.title)}")
    if record.began is not None:
        began = datetime.fromtimestamp(int(record.began), UTC)
        lines.append(f"began: {began.strftime('%Y-%m-%dT%H:%M:%SZ')}")
    lines += [f"profile: {rules.profile}", f"seats: {rules.seats}"]
    if rules.options:
        written = " ".join(f"{key}={str(value).lower()}" for key, value in sorted(rules.options))
        lines.append(f"options: {written}")
    lines.append(f"rules: {encode_rules(rules)}")
    for seat, player in enumerate(record.players):
        kind = f"ai {player.ai}" if player.ai else "person"
        lines.append(f"seat {seat}: {kind} {_quoted(player.name)}")
    lines.append("")
    for step, state, _ in positions(record):
        if step is None:
            continue
        if step.seat is None:
            lines += [f"promise: {step.promise}", f"salt: {step.salt}"]
        who = "-" if step.seat is None else step.seat
        lines.append(f"{position_mark(state)} {who} {write_action(step.action)}")
        if state.public.phase in (Phase.ROUND_OVER, Phase.GAME_OVER):
            lines += [f"score: {' '.join(map(str, state.public.scores))}", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _quoted(text: str) -> str:
    """A JSON string on one line, also for those to whom other characters break one."""
    written = json.dumps(text, ensure_ascii=False)
    for character in _LINE_BREAKS:
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written


def read_record(text: str) -> Record:
    """Read a record, replaying it: every shuffle, every move, every position and every score is checked.

    Raises RecordError for the first line that does not agree.
    """
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        if len(text) > MAX_LENGTH:
            raise RecordError(RecordCode.TOO_LONG, 1, length=len(text), most=MAX_LENGTH)
        self._lines = [line.removesuffix("\r") for line in text.split("\n")]
        self._number = 0
        self._header: dict[str, str] = {}
        self._steps: list[Step] = []
        self._promise = self._salt = ""

    def read(self) -> Record:
        steps_from = self._read_header()
        rules = self._rules()
        players = tuple(self._player(seat) for seat in range(rules.seats))
        began = self._began()
        title = self._json("title", "")
        state = GameState.new(rules)
        for number in range(steps_from, len(self._lines)):
            self._number = number + 1
            line = self._lines[number].strip()
            if line:
                state = self._line(line, state)
        return Record(rules, players, tuple(self._steps), began, title)

    def _fail(self, code: RecordCode, **facts: int | str) -> RecordError:
        return RecordError(code, self._number, **facts)

    def _read_header(self) -> int:
        """Take in the lines up to the first empty one; return the number of lines that were read."""
        for number, line in enumerate(self._lines):
            self._number = number + 1
            key, colon, value = line.partition(":")
            if number == 0:
                self._check_head(key, value.strip())
            elif not line.strip():
                return number + 1
            elif not colon or key in self._header:
                raise self._fail(RecordCode.BAD_HEADER, text=line[:60])
            else:
                self._header[key] = value.strip()
        self._number = max(1, self._number)
        raise self._fail(RecordCode.NOT_A_RECORD)

    def _check_head(self, key: str, version: str) -> None:
        if key.strip("\ufeff") != _HEAD or not (
            version.isascii() and version.isdecimal() and len(version) < 9
        ):
            raise self._fail(RecordCode.NOT_A_RECORD)
        if int(version) != VERSION:
            raise self._fail(RecordCode.NEWER_FORMAT, found=int(version), known=VERSION)

    def _rules(self) -> Rules:
        try:
            rules = decode_rules(self._header.get("rules", ""))
        except (WrongFormat, RecursionError):
            raise self._fail(RecordCode.BAD_RULES) from None
        shown = (self._header.get("profile"), self._header.get("seats"))
        if shown != (rules.profile, str(rules.seats)) or not are_playable(rules):
            raise self._fail(RecordCode.BAD_RULES)
        return rules

    def _player(self, seat: int) -> Player:
        key = f"seat {seat}"
        text = self._header.get(key, "")
        kind, _, rest = text.partition(" ")
        level = ""
        if kind == "ai":
            level, _, rest = rest.partition(" ")
        if kind not in ("ai", "person"):
            raise self._fail(RecordCode.BAD_HEADER, text=f"{key}: {text}"[:60])
        return Player(self._text_of(rest, key), level)

    def _began(self) -> float | None:
        text = self._header.get("began")
        if text is None:
            return None
        try:
            return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
        except ValueError:
            raise self._fail(RecordCode.BAD_HEADER, text=f"began: {text}"[:60]) from None

    def _json(self, key: str, default: str) -> str:
        return self._text_of(self._header[key], key) if key in self._header else default

    def _text_of(self, written: str, key: str) -> str:
        try:
            value = json.loads(written)
            if isinstance(value, str):
                value.encode()  # half a surrogate pair is no character
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, str):
            raise self._fail(RecordCode.BAD_HEADER, text=f"{key}: {written}"[:60])
        return value

    def _line(self, line: str, state: GameState) -> GameState:
        key, colon, value = line.partition(": ")
        if colon and key == "promise":
            self._promise = value
            return state
        if colon and key == "salt":
            self._salt = value
            return state
        if colon and key == "score":
            found = " ".join(map(str, state.public.scores))
            if value != found:
                raise self._fail(
                    RecordCode.WRONG_SCORE, round=state.public.round_number, expected=value[:40], found=found
                )
            return state
        return self._step(line, state)

    def _step(self, line: str, state: GameState) -> GameState:
        mark, _, rest = line.partition(" ")
        who, _, words = rest.partition(" ")
        if not words or not (who == "-" or (who.isascii() and who.isdecimal() and len(who) < 3)):
            raise self._fail(RecordCode.BAD_STEP, text=line[:60])
        try:
            if who == "-":
                step = self._shuffle(words, state)
            else:
                step = Step(int(who), self._action(int(who), words, state))
            after = apply(state, step.seat, step.action).state
        except WrongPack:
            raise self._fail(RecordCode.BAD_PACK, round=state.public.round_number) from None
        except Refusal as refusal:
            raise self._fail(RecordCode.REFUSED, text=words[:60], refusal=refusal.code) from None
        found = position_mark(after)
        if mark != found:
            raise self._fail(RecordCode.WRONG_POSITION, text=words[:60], expected=mark[:_MARK], found=found)
        self._steps.append(step)
        return after

    def _action(self, seat: int, words: str, state: GameState) -> SeatAction:
        if seat >= state.rules.seats:
            raise self._fail(RecordCode.BAD_STEP, text=words[:60])
        return speak(view_of(state, seat), words)

    def _shuffle(self, words: str, state: GameState) -> Step:
        kind, _, rest = words.partition(" ")
        cards, _, places = rest.partition(" | ")
        try:
            pack = tuple(read_cards(cards))
            numbers = tuple(map(int, places.split()))
        except (UnknownCard, ValueError):
            raise self._fail(RecordCode.BAD_STEP, text=words[:60]) from None
        action: DrawLots | Deal
        if kind == "lots":
            action = DrawLots(pack)
        elif kind == "deal":
            action = Deal(pack, numbers)
        else:
            raise self._fail(RecordCode.BAD_STEP, text=words[:60])
        number = state.public.round_number + (kind == "deal")
        promise, salt = self._promise, self._salt
        self._promise = self._salt = ""
        if not promise or not salt:
            raise self._fail(RecordCode.NO_PROMISE, round=number)
        if not is_kept(promise, salt, action):
            raise self._fail(RecordCode.BROKEN_PROMISE, round=number)
        if sorted(pack) != sorted(pack_of(state.rules.packs, state.rules.jokers)):
            raise self._fail(RecordCode.BAD_PACK, round=number)
        return Step(None, action, salt, promise)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check files; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m canasta_core.record", description="Replay and check recorded games of Canasta."
    )
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
    worst = 0
    for path in parser.parse_args(arguments).files:
        try:
            record = read_record(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            print(f"{path}: {error}", file=sys.stderr)  # noqa: T201 - a command line tool
            worst = 2
        except RecordError as error:
            print(f"{path}: {error}", file=sys.stderr)  # noqa: T201 - the same
            worst = max(worst, 2 if error.code in _UNREADABLE else 1)
        else:
            public = final_position(record).public
            moves = sum(step.seat is not None for step in record.steps)
            end = f"team {public.winner} won" if public.winner is not None else "not over"
            scores = " ".join(map(str, public.scores))
            played = f"{record.rules.profile}, {public.round_number} rounds, {moves} moves"
            print(f"{path}: {played}, scores {scores}, {end}: everything agrees")  # noqa: T201 - the same
    return worst


_UNREADABLE: Final = (RecordCode.NOT_A_RECORD, RecordCode.NEWER_FORMAT, RecordCode.TOO_LONG)


if __name__ == "__main__":
    sys.exit(main())
