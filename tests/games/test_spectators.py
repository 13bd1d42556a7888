"""During a round nobody reaches a card that is hidden from them, whatever they try.

Whole games are played. Again and again somebody who does not play, a moderator and each player try something:
every command of the tree, every option that completes what is typed, every button and select that was ever
shown to anybody, and custom ids made by hand for every verb. What they get may name only cards that they see
anyway. Where it names others (the examples of the rules, a round that is over), it must be the same whatever
cards are hidden; and nothing of the running round's pack, nor its salt, is ever in it.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import discord
import pytest
from discord import AppCommandOptionType, app_commands
from simcord import SetupError

from canasta_core.actions import Deal
from canasta_core.ai import policy
from canasta_core.cards import RED_THREES, Card, name_of, write_cards
from canasta_core.legality import who_acts
from canasta_core.state import GameState, Hand, Phase
from canasta_core.tables.model import Stage, Table
from cogs.ui.cards_text import hand_text
from cogs.ui.layout import Verb
from tests.cogs.players import open_table, table_of
from tests.discord.harness import Game, buttons_of, playing, selects_of
from tests.games.tables import dealing
from tests.games.test_privacy import cards_in, lying

PLAYERS = 4
EVE, MODERATOR = 4, 5
"""Members who do not play; the second one manages messages and channels."""
EVERY = 20
"""Moves between two bouts of attempts."""
BOUT = 38
"""Attempts of a bout."""

VALUES: dict[str, tuple[Any, ...]] = {
    "table": ("1",),
    "card": ("4S", "KH", "2D", "JK"),
    "cards": ("K K K", "7 7 7, 9 9 9"),
    "with": ("K K", "9 2"),
    "also": ("Q Q Q",),
    "reply": ("yes", "no"),
    "seat": (1, 2, 3, 4),
    "round": (1, 2, 3, 9),
    "file": (("x.txt", b"canasta-record: 1\n\n"),),
    "duplicate": ("1",),
    "topic": ("",),
    "for": ("2 days",),
    "until": ("tomorrow",),
    "options": ("",),
    "zone": ("UTC",),
    "quiet": ("22:00-07:00",),
    "level": ("medium",),
    "pool": ("classic 2x2", "all ai"),
    "season": ("2026", "all"),
    "seats": (4,),
    "cup": ("1", "2"),
    "title": ("x",),
    "rounds": (3,),
    "teams": (2,),
    "target": (5000,),
}
"""What is said for options by name, where they have no choices; those of people and channels by their type.

An option that is neither here nor has choices fails the test: say here what somebody would try with it.
"""
CHANGES_THE_TABLE = {
    "canasta add-ai", "canasta clock", "canasta end", "canasta host", "canasta invite", "canasta join",
    "canasta leave", "canasta move", "canasta new", "canasta pause", "canasta replace", "canasta resume",
    "canasta settings", "canasta start", "away", "back", "privacy delete",
}  # fmt: skip
"""Commands that would end or change the game when somebody may use them: tried by who may not."""
CHANGING_VERBS = {
    Verb.END_TABLE, Verb.LEAVE, Verb.ADD_AI, Verb.START, Verb.JOIN, Verb.SETTING, Verb.AGREE, Verb.KEEP_CLOCK,
    Verb.REMATCH, Verb.TAKE_SEAT, Verb.FORGET,
}  # fmt: skip
LOOKING_BACK = {
    "replay", "history list", "history export", "history compare", "fair",
    f"cn:{Verb.REPLAY}", f"cn:{Verb.HISTORY}", f"cn:{Verb.FAIR}", f"cn:{Verb.COMPARE}",
}  # fmt: skip
"""What shows cards of rounds that are over: these may name any card."""
ARGUMENTS = (
    ("", None), ("0", None), ("0-1", ["0"]), ("KS", ["KS"]), ("", ["1"]),
    ("1.o.n", None), ("2.o.l", None), ("3.o.j", ["40"]), ("9.p.r", ["2"]), ("1.o.r", ["99"]),
)  # fmt: skip
"""Arguments and selected values of the ids that are made by hand."""


@dataclass(frozen=True)
class Attempt:
    """Something to try: `who` is one of those who may safely, `run` does it as a member."""

    name: str
    members: tuple[int, ...]
    run: Callable[[int], Awaitable[Any]]


class Spies:
    """Everybody who tries what they should not get, and what they got."""

    def __init__(self, game: Game, seed: str) -> None:
        self.game = game
        self.rng = random.Random(seed)
        self.everybody = tuple(range(len(game.members)))
        self.no_right = (EVE,)
        self.ids: dict[str, list[str] | None] = {}
        """Every custom id that was ever shown, with a value to select where it is a select's."""
        self.waiting: list[tuple[int, Attempt]] = []
        self.tried: Counter[str] = Counter()
        self.rounds_tried: set[tuple[str, int]] = set()
        self.known: dict[int, set[Card]] = {}
        """By member: what lay open, or was in their own hand, in the running round and the one before."""
        self.open: set[Card] = set()
        self.open_now: set[Card] = set()
        """What lay open in this round and the one before, and in this one."""
        self.round = 0
        self.twins = 0

    # What there is to try

    def attempts(self) -> Iterator[Attempt]:
        for command in self.game.bot.tree.walk_commands():  # type: ignore[attr-defined]
            if isinstance(command, app_commands.Command):
                yield from self._of_command(command)
        for verb in Verb:
            for arg, values in self.rng.sample(ARGUMENTS, 2):
                yield self._press(verb, arg, values)
        for custom_id in self.rng.sample(list(self.ids), min(40, len(self.ids))):
            yield self._old(custom_id)

    def _of_command(self, command: Any) -> Iterator[Attempt]:
        name = command.qualified_name
        changes = name in CHANGES_THE_TABLE or name.startswith("canasta cup")
        members = self.no_right if changes else self.everybody

        async def use(who: int) -> Any:
            options = {
                one.display_name: self._value(one)
                for one in command.parameters
                if one.required or one.display_name == "table" or self.rng.random() < 0.5
            }
            return await self.game.slash(who, name, **options)

        yield Attempt(name, members, use)
        for option in command.parameters:
            if option.autocomplete:

                async def complete(who: int, option: Any = option) -> Any:
                    filled = (
                        {"table": "1"}
                        if any(one.display_name == "table" for one in command.parameters)
                        else {}
                    )
                    filled.pop(option.display_name, None)
                    typed = self.rng.choice(("", "", "K", "1"))
                    return await self.game.autocomplete(who, name, option.display_name, typed, **filled)

                yield Attempt(f"{name} {option.display_name}:", self.everybody, complete)

    def _value(self, option: Any) -> Any:
        if option.choices:
            return self.rng.choice([choice.value for choice in option.choices])
        match option.type:
            case AppCommandOptionType.user | AppCommandOptionType.mentionable:
                return self.rng.choice(self.game.members)
            case AppCommandOptionType.channel:
                return self.game.channel
            case AppCommandOptionType.role:
                return self.game.guild.default_role
            case AppCommandOptionType.boolean:
                return self.rng.random() < 0.5
        assert option.display_name in VALUES, (
            f"say in VALUES what to try with the option {option.display_name}"
        )
        return self.rng.choice(VALUES[option.display_name])

    def _press(self, verb: Verb, arg: str, values: list[str] | None) -> Attempt:
        async def press(who: int) -> Any:
            version = (await table_of(self.game)).version
            number = 0 if verb in (Verb.LIST, Verb.CHOOSE, Verb.HISTORY) else 1
            head = f"cn:{verb}:{number}:{self.rng.choice((0, 1, 5, version))}"
            await_id = f"{head}:{arg}" if arg else head
            return await self.game.press(who, self._message(who), await_id, values)

        changes = verb in CHANGING_VERBS or verb.startswith("cup")
        members = self.no_right if changes else self.everybody
        return Attempt(f"cn:{verb}", members, press)

    def _old(self, custom_id: str) -> Attempt:
        values = self.ids[custom_id]

        async def press(who: int) -> Any:
            return await self.game.press(who, self._message(who), custom_id, values)

        verb = custom_id.split(":")[1]
        changes = verb in CHANGING_VERBS or verb.startswith("cup")
        members = self.no_right if changes else self.everybody
        return Attempt(f"cn:{verb}", members, press)

    def _message(self, who: int) -> Any:
        """A private message of theirs, or the board."""
        seen = [one for one in self.game.messages(who)[-30:] if one.ephemeral]
        return (
            self.rng.choice(seen) if seen and self.rng.random() < 0.5 else self.game.board("Canasta · table")
        )

    def collect(self) -> None:
        """Remember what can be clicked in all that anybody sees."""
        for who in self.everybody:
            for message in self.game.messages(who)[-12:]:
                for button in buttons_of(message):
                    if button.custom_id:
                        self.ids.setdefault(button.custom_id, None)
                for select in selects_of(message):
                    if select.values:
                        self.ids.setdefault(select.custom_id, [self.rng.choice(select.values)])
        while len(self.ids) > 150:  # old ones are refused as stale: some of them are enough
            self.ids.pop(self.rng.choice(list(self.ids)))

    # What they get

    def notice(self, table: Table) -> None:
        """What everybody sees anyway, now."""
        state = table.state
        assert state is not None
        if state.public.round_number != self.round:
            self.round = state.public.round_number
            self.known, self.open = {}, set(self.open_now)
            self.open_now = set()
        self.open_now |= lying(state)
        self.open |= self.open_now
        for who in self.everybody:
            known = self.known.setdefault(who, set())
            known |= lying(state)
            seat = table.seat_of(self.game.members[who].id)
            if seat is not None:
                known |= set(state.hands[seat].cards)

    async def bout(self, count: int) -> None:
        """So many attempts, each by somebody, and a look at what came of each."""
        self.collect()
        for _ in range(count):
            table = await table_of(self.game)
            if table.state is None or table.state.public.phase in (Phase.ROUND_OVER, Phase.GAME_OVER):
                return
            if not self.waiting:
                self.waiting = [(who, one) for one in self.attempts() for who in one.members]
                self.rng.shuffle(self.waiting)
                # Who has no right at all tries everything first.
                self.waiting.sort(key=lambda one: one[0] == EVE)
            who, attempt = self.waiting.pop()
            await self.attempt(who, attempt)

    async def attempt(self, who: int, attempt: Attempt) -> None:
        before = await table_of(self.game)
        self.notice(before)
        state = self.rng.getstate()
        got, public = await self._run(who, attempt)
        table = await table_of(self.game)
        self.notice(table)
        if table.state is None or table.state.public.phase in (Phase.ROUND_OVER, Phase.GAME_OVER):
            return
        assert not cards_in(public) - self.open, f"{attempt.name} by {who} made public: {public}"
        self.tried[f"{attempt.name} by {'player' if who < PLAYERS else who}"] += 1
        self.rounds_tried.add((attempt.name, table.state.public.round_number))
        await self._check_secrets(got, table, attempt.name)
        unknown = cards_in(got) - self.known[who]
        if unknown and attempt.name not in LOOKING_BACK:
            assert table.version == before.version, (
                f"{attempt.name} by {who}, a move, tells of {unknown}: {got}"
            )
            await self._check_twin(who, attempt, state, got, table, unknown)
        if attempt.name in LOOKING_BACK:
            for seat, hand in enumerate(table.state.hands):
                own = self.game.members[who].id == table.sitters[seat].user_id
                assert own or len(hand.cards) < 6 or hand_text(hand.cards) not in str(got), attempt.name

    async def _run(self, who: int, attempt: Attempt) -> tuple[list[Any], list[Any]]:
        """All that the bot tells somebody who tries it, with the texts of attached files; and everybody."""
        sent = self.game.checker.sent
        start = len(sent)
        try:
            result = await attempt.run(who)
        except SetupError:
            return [], []  # nobody could do that in Discord's own client: the other ways are tried too
        self.game.checker.take()
        files = [
            (self.game.env.backend.cdn.get(file.url) or b"").decode("utf-8", "replace")
            for file in getattr(getattr(result, "response", None), "attachments", ())
            if file.filename.endswith(".txt")
        ]
        choices = result if isinstance(result, list) else []
        private = [one.body for one in sent[start:] if one.viewer is not None]
        public = [one.body for one in sent[start:] if one.viewer is None]
        return [*private, *files, *choices], public

    async def _check_secrets(self, got: list[Any], table: Table, name: str) -> None:
        """Nothing of the running round's shuffle is there, in any notation."""
        said = json.dumps(got, ensure_ascii=False, default=str)
        log = await self.game.bot.service.log(1)  # type: ignore[attr-defined]
        deal = next(one for one in reversed(log) if isinstance(one.action, Deal))
        assert isinstance(deal.action, Deal)
        assert str(deal.detail["salt"]) not in said, name
        pack = deal.action.pack
        for start in range(len(pack) - 5):
            assert write_cards(pack[start : start + 6]) not in said, name

    async def _check_twin(
        self, who: int, attempt: Attempt, random_state: Any, got: list[Any], table: Table, unknown: set[Card]
    ) -> None:
        """The same at a table where all cards that they do not see lie otherwise gives the same."""
        service = self.game.bot.service  # type: ignore[attr-defined]
        seat = table.seat_of(self.game.members[who].id)
        after = self.rng.getstate()
        assert table.state is not None
        service._kept[1] = replace(table, state=shuffled(table.state, seat, random.Random(self.twins)))
        self.twins += 1
        try:
            self.rng.setstate(random_state)
            again, _ = await self._run(who, attempt)
            assert (await table_of(self.game)).version == table.version
        finally:
            service._kept[1] = table
            self.rng.setstate(after)
        assert words(again) == words(got), (
            f"{attempt.name} by {who} tells of {[name_of(card) for card in unknown]}: {got}"
        )


def words(bodies: list[Any]) -> list[str]:
    """What can be read in what was sent."""
    found: list[str] = []

    def walk(one: Any) -> None:
        if isinstance(one, dict):
            for key, value in one.items():
                if key in ("content", "label", "description", "name", "value", "placeholder") and isinstance(
                    value, str
                ):
                    found.append(value)
                else:
                    walk(value)
        elif isinstance(one, list):
            for value in one:
                walk(value)
        elif isinstance(one, str):
            found.append(one)

    walk(bodies)
    return found


def shuffled(state: GameState, seat: int | None, rng: random.Random) -> GameState:
    """The state with all cards otherwise that `seat` does not see; red threes stay where they are."""
    twin = state.copy()
    others = [number for number in range(len(twin.hands)) if number != seat]
    hidden = [card for card in twin.stock if card not in RED_THREES]
    hidden += [card for number in others for card in twin.hands[number].cards]
    rng.shuffle(hidden)
    twin.stock = [card if card in RED_THREES else hidden.pop() for card in twin.stock]
    for number in others:
        twin.hands[number] = Hand.of([hidden.pop() for _ in twin.hands[number].cards])
    assert not hidden
    return twin


async def play(game: Game, spies: Spies, seed: str, *, rounds: int) -> Table:
    """People play as an AI would, with a bout of attempts every few moves."""
    rng, player, service = random.Random(seed), policy("medium"), game.bot.service  # type: ignore[attr-defined]
    for moves in range(20_000):
        table = await table_of(game)
        assert table.state is not None
        public = table.state.public
        spies.notice(table)
        if table.stage is Stage.ENDED or public.round_number > rounds:
            return table
        if public.phase is Phase.ROUND_OVER:
            await game.advance(2)
            continue
        if moves % EVERY == 0:
            await spies.bout(BOUT)
            continue
        seat = who_acts(public)[0]
        user = table.sitters[seat].user_id
        await service.act(1, user, player.choose(table.view(seat), rng), table.version)
        await game.advance(0)
    raise AssertionError("the game has no end")


async def six_people(game: Game, **options: Any) -> Spies:
    """A table of four, watched by one more and a moderator."""
    permissions = discord.Permissions(manage_messages=True, manage_channels=True)
    role = game.guild.create_role("moderator", permissions=permissions)
    game.env.backend.edit_member(game.guild.id, game.members[MODERATOR].id, {"role_ids": [role.id]})
    await open_table(game, **options)
    return Spies(game, str(options))


@pytest.mark.parametrize(("name", "rounds"), [("classic", 99), ("salon", 2)])
async def test_nobody_reaches_a_hidden_card(tmp_path: Path, name: str, rounds: int) -> None:
    async with playing(tmp_path / "c.db", members=6, next_round=1.0, create=dealing(5)) as game:
        spies = await six_people(game, profile=name)
        await play(game, spies, name, rounds=rounds)
        verbs = {f"cn:{verb}" for verb in Verb}
        tried = {attempt.name for attempt in spies.attempts()} | verbs
        for kind in ("player", EVE, MODERATOR):
            done = {key.partition(" by ")[0] for key in spies.tried if key.endswith(f" by {kind}")}
            if kind == EVE and rounds > 9:
                assert not tried - done, "these were not tried"
            assert len(done) > 20
        assert spies.twins > 0, "the examples of the rules name cards that nobody sees"
        if rounds > 9:
            later = {name for name, number in spies.rounds_tried if number > 1}
            assert later >= LOOKING_BACK
