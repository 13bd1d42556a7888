"""Four people who play a whole game in a process that may be killed.

They decide by what their own seat may see (read from the database file, as the bot stored it), and do it
either by slash commands alone or by buttons and selects alone.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from canasta_core.actions import Action, Answer, Discard, Group, LayMelds, SeatAction, TakePile, write_action
from canasta_core.ai import policy
from canasta_core.cards import name_of
from canasta_core.codec import decode_action, decode_state, state_hash
from canasta_core.engine import apply
from canasta_core.legality import who_acts
from canasta_core.offers import offers
from canasta_core.rules import Rules
from canasta_core.state import GameState
from canasta_core.views import PlayerView, view_of
from cogs.ui.choices import lay_choices, takes
from tests.discord.killing import Child

PLAIN_COMMANDS = {"draw": "draw", "ask": "ask-partner", "decline": "decline", "end": "end-turn"}
PLAIN_BUTTONS = {"draw": "Draw", "ask": "Ask partner", "decline": "Leave the pile", "end": "End turn"}


class File:
    """What the database file holds of its one table, read from outside the process."""

    def __init__(self, path: Path, table_id: int = 1) -> None:
        self._path, self._id = path, table_id

    def _rows(self, sql: str) -> list[Any]:
        connection = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)
        try:
            return connection.execute(sql, (self._id,)).fetchall()
        finally:
            connection.close()

    @property
    def stage(self) -> str:
        return str(self._rows("SELECT stage FROM tables WHERE id = ?")[0][0])

    @property
    def version(self) -> int:
        return int(self._rows("SELECT version FROM tables WHERE id = ?")[0][0])

    @property
    def state(self) -> GameState:
        return decode_state(self._rows("SELECT state FROM tables WHERE id = ?")[0][0])

    @property
    def users(self) -> dict[int, int]:
        """Who sits at each seat."""
        return dict(self._rows("SELECT seat, user_id FROM seats WHERE table_id = ? AND to_version IS NULL"))

    @property
    def untold(self) -> int:
        return len(self._rows("SELECT id FROM outbox WHERE table_id = ?"))

    @property
    def log(self) -> list[tuple[int, int | None, Action | None]]:
        """Version, seat and action of every change."""
        rows = self._rows("SELECT version, seat, action FROM table_log WHERE table_id = ? ORDER BY version")
        return [(version, seat, decode_action(action) if action else None) for version, seat, action in rows]


class Person:
    """A way to play, which both kinds of people share."""

    def __init__(self, child: Child, file: File, seed: str) -> None:
        self.child, self.file = child, file
        self.rng = random.Random(seed)
        self.player = policy("medium")

    def decide(self) -> tuple[int, SeatAction, PlayerView]:
        """Which member acts next, what they do, and what they see."""
        state = self.file.state
        seat = who_acts(state.public)[0]
        view = view_of(state, seat)
        return self.child.members.index(self.file.users[seat]), self.choose(view), view

    def choose(self, view: PlayerView) -> SeatAction:
        return self.player.choose(view, self.rng)

    def act(self) -> str:
        """One action of whoever must act; what they are told."""
        who, action, view = self.decide()
        return str(self.do(who, action, view)["text"])

    def do(self, who: int, action: SeatAction, view: PlayerView) -> Any:
        raise NotImplementedError


class Typist(Person):
    """Plays by slash commands alone."""

    def do(self, who: int, action: SeatAction, view: PlayerView) -> Any:
        match action:
            case TakePile(group, further):
                words = {"with": str(group), "also": " / ".join(map(str, further))}
                options = {name: text for name, text in words.items() if text}
                return self.child.slash(who, "take-pile", **options)
            case LayMelds(groups):
                return self.child.slash(who, "meld", cards=", ".join(map(str, groups)))
            case Discard(card):
                return self.child.slash(who, "discard", card=name_of(card))
            case Answer(yes):
                return self.child.slash(who, "answer", reply="yes" if yes else "no")
        return self.child.slash(who, PLAIN_COMMANDS[action.kind])


class Clicker(Person):
    """Plays by buttons and selects alone."""

    def choose(self, view: PlayerView) -> SeatAction:
        action = super().choose(view)
        if isinstance(action, TakePile) and action not in takes(view):
            return self.rng.choice([*takes(view), *(one for one in offers(view) if one.kind == "draw")])
        if isinstance(action, LayMelds) and not _to_click(view, action.groups):
            return self.rng.choice([one for one in offers(view) if not isinstance(one, LayMelds)])
        return action

    def do(self, who: int, action: SeatAction, view: PlayerView) -> Any:
        if isinstance(action, Answer):
            question = next(
                message for message in reversed(self.child.messages())
                if any(button["label"] == "Yes" for button in message["buttons"])
            )  # fmt: skip
            return self.child.click(who, label="Yes" if action.yes else "No", message=question["id"])
        board = self.child.board("Canasta · table")
        hand = self.child.click(who, label="My hand", message=board["id"])["response"]
        if isinstance(action, TakePile):
            if len(takes(view)) == 1:
                return self.child.click(who, label="Take pile", message=hand["id"])
            place = takes(view).index(action)
            return self._select(who, hand, "cn:take", [str(place)])
        if isinstance(action, Discard):
            select = next(one for one in hand["selects"] if one["custom_id"].startswith("cn:discard"))
            values = [option["value"] for option in select["options"]]
            alike = [value for value in values if value[:-1] == name_of(action.card)[:-1]]
            return self._select(who, hand, "cn:discard", alike[:1])
        if isinstance(action, LayMelds):
            places = _to_click(view, action.groups)
            for part in sorted({place // 25 for place in places}):
                chosen = [str(place) for place in places if place // 25 == part]
                ids = self._selects(who, hand)
                pick = next(one for one in ids if one.split(":")[4].startswith(f"{part}-"))
                self._select(who, hand, pick, chosen)
            return self.child.click(who, custom_id="cn:lay", message=hand["id"])
        return self.child.click(who, label=PLAIN_BUTTONS[action.kind], message=hand["id"])

    def _selects(self, who: int, hand: Any) -> list[str]:
        """Custom ids of the selects of melds, as they are after the clicks so far."""
        shown = next(message for message in self.child.messages(who) if message["id"] == hand["id"])
        ids = [str(one["custom_id"]) for one in shown["selects"]]
        return [one for one in ids if one.startswith("cn:pick")]

    def _select(self, who: int, hand: Any, custom_id: str, values: Sequence[str]) -> Any:
        return self.child.select(who, values=values, custom_id=custom_id, message=hand["id"])


def _to_click(view: PlayerView, groups: Sequence[Group]) -> list[int]:
    """Places among the choices of groups that say the same, or nothing where one cannot be clicked."""
    choices = [(choice.label, sorted(card >> 2 for card in choice.cards)) for choice in lay_choices(view)]
    wanted = [(group.label, sorted(card >> 2 for card in group.cards)) for group in groups]
    return [choices.index(one) for one in wanted] if all(one in choices for one in wanted) else []


def replayed(rules: Rules, log: Sequence[tuple[int, int | None, Action | None]]) -> str:
    """The hash of the state that the log leads to."""
    state = GameState.new(rules)
    for _, seat, action in log:
        if action is not None:
            state = apply(state, seat, action).state
    return state_hash(state)


def described(log: Sequence[tuple[int, int | None, Action | None]]) -> list[str]:
    return [f"{version} {seat} {write_action(action) if action else ''}" for version, seat, action in log]
