"""Tables that are played in this process by moves an AI chooses, and looked at after each of them."""

from __future__ import annotations

import random
import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from canasta_core.actions import Answer, Discard, Group, LayMelds, SeatAction, TakePile
from canasta_core.ai import policy
from canasta_core.cards import name_of
from canasta_core.codec import encode_state
from canasta_core.legality import who_acts
from canasta_core.state import GameState, Phase
from canasta_core.tables.model import Stage, Table
from canasta_core.tables.rows import events_text
from canasta_core.tables.service import TableService
from canasta_core.views import PlayerView
from cogs.ui.cards_text import hand_text, melds_text
from cogs.ui.choices import discards, lay_choices, takes
from cogs.ui.face import face_of
from cogs.ui.text import number_text
from tests.cogs.players import LABELS, by_slash, table_of, who_of
from tests.discord.harness import Game, buttons_of, selects_of, text_of
from tests.games.test_privacy import Onlooker
from tests.tables.tools import SeededChance

BOARD = "Canasta · table"
"""Words of every board, and of nothing else."""
STRETCH = 16
"""Actions in a row that are commands; then as many are clicks."""
MOST = 4000
"""Actions of the longest game that is believed."""


def dealing(seed: int) -> Callable[..., Any]:
    """Builds the bot with cards that fall the same in every run."""

    def create(**settings: Any) -> Any:
        from bot import DiscordClock, create_bot

        bot = create_bot(**settings)
        pauses = {name: settings[name] for name in ("ai_delay", "next_round") if name in settings}
        bot.service = TableService(bot._store, clock=DiscordClock(), chance=SeededChance(seed), **pauses)
        return bot

    return create


async def open_by_seats(game: Game, seats: dict[int, int], house: str = "", **options: Any) -> Table:
    """A table whose people choose their seats (by member; the host has seat 0); it starts when it is full."""
    if house:
        options["options"] = house
    await game.slash(0, "canasta new", seats=len(seats) + 1, **options)
    for who, seat in seats.items():
        await game.slash(who, "canasta join", seat=seat + 1)
    table = await table_of(game)
    assert table.stage is Stage.PLAYING
    assert {who_of(game, table, seat): seat for seat in range(table.rules.seats)} == {0: 0} | seats
    return table


async def set_up(game: Game, database: Path, change: Callable[[GameState], None]) -> Table:
    """Change what is stored of table 1, and start the bot anew, so that it finds it so."""
    state = (await table_of(game)).state
    assert state is not None
    stored = state.copy()
    change(stored)
    stored.public.sizes = [len(hand.cards) for hand in stored.hands]
    stored.public.stock_size = len(stored.stock)
    with closing(sqlite3.connect(database)) as file, file:
        new = encode_state(stored), events_text(())
        file.execute("UPDATE tables SET state = ?, recent = ? WHERE id = 1", new)
    await game.restart()
    return await table_of(game)


def places_of(view: PlayerView, groups: tuple[Group, ...]) -> list[int] | None:
    """Where groups stand among the choices of melds; None where they cannot be said by clicks."""

    def said(group: Group) -> tuple[str, list[int]]:
        return group.label, sorted(card >> 2 for card in group.cards)

    choices = [said(choice) for choice in lay_choices(view)]
    wanted = [said(group) for group in groups]
    return [choices.index(one) for one in wanted] if all(one in choices for one in wanted) else None


class Watched:
    """One table in play. Everybody acts as an AI would; each action is followed by a look at everything."""

    def __init__(self, game: Game, seed: str, *, from_now: bool = False) -> None:
        """`from_now`: what was sent before was of another position, and is not looked at."""
        self.game = game
        self.rng, self.player = random.Random(seed), policy("medium")
        self.onlooker = Onlooker(game)
        self.onlooker.seen = len(game.public_payloads()) if from_now else 0
        self.hands: dict[int, Any] = {}
        """The message in which a member last saw their hand."""
        self.done: Counter[tuple[str, str]] = Counter()
        """Actions by way (`command`, `click`) and kind."""
        self.rounds = 0

    async def table(self) -> Table:
        return await table_of(self.game)

    async def play(self, rounds: int = MOST) -> Table:
        """To the end of the game, or for so many rounds more, by commands and by clicks in turns."""
        end = self.rounds + rounds
        for _ in range(MOST):
            table = await self.table()
            assert table.state is not None
            public = table.state.public
            if not who_acts(public):
                await self.look_at_scores(table)
                self.rounds += 1
                if table.stage is Stage.ENDED or self.rounds == end:
                    return table
                await self.game.click(self.rng.randrange(len(table.sitters)), label="Next round")
                await self.look(await self.table())
                continue
            seat = self.rng.choice(who_acts(public))
            await self.act(seat, clicking=table.version // STRETCH % 2 == 0)
        raise AssertionError("the game has no end")

    async def act(self, seat: int, *, clicking: bool) -> None:
        """What an AI would do at this seat."""
        view = (await self.table()).view(seat)
        await self.do(seat, self.player.choose(view, self.rng), clicking=clicking)

    async def do(self, seat: int, action: SeatAction, *, clicking: bool) -> None:
        """One action of a seat, and a look at what came of it."""
        table = await self.table()
        view = table.view(seat)
        who = who_of(self.game, table, seat)
        if clicking and self.can_click(view, action):
            await self.click(table, seat, action)
            self.done["click", action.kind] += 1
        else:
            command, options = by_slash(table.rules, action)
            result = await self.game.slash(who, command, **options)
            assert result.ephemeral
            self.hands[who] = result.response
            self.done["command", action.kind] += 1
        after = await self.table()
        assert after.version == table.version + 1, f"{action} at {table.version}: {self.game.screen(who)}"
        await self.look(after)
        if not isinstance(action, Answer) or not clicking:
            self.look_at_hand(after, seat)

    def can_click(self, view: PlayerView, action: SeatAction) -> bool:
        if isinstance(action, TakePile):
            return action in takes(view)
        return not isinstance(action, LayMelds) or places_of(view, action.groups) is not None

    async def click(self, table: Table, seat: int, action: SeatAction) -> None:
        """The same by buttons and selects, in the hand that is on the screen where it is still good."""
        game, view, who = self.game, table.view(seat), who_of(self.game, table, seat)
        if isinstance(action, Answer):
            question = next(one for one in reversed(game.messages()) if "may I go out" in text_of(one))
            result = await game.click(who, label="Yes" if action.yes else "No", message=question)
            assert result.ephemeral
            return
        hand = self.hands.get(who)
        if hand is None or not is_fresh(hand, table):
            result = await game.click(who, label="My hand", message=game.board(BOARD))
            assert result.ephemeral
            hand = self.hands[who] = result.response
        match action:
            case TakePile() if len(takes(view)) == 1:
                await game.click(who, label="Take pile", message=hand)
            case TakePile():
                place = takes(view).index(action)
                await game.select(who, values=[str(place)], custom_id="cn:take", message=hand)
            case Discard(card):
                likes = next(first for first, cards in discards(view) if card in cards)
                pick = next(one for one in selects_of(hand) if name_of(likes) in one.values)
                await game.select(who, values=[name_of(likes)], custom_id=pick.custom_id, message=hand)
            case LayMelds(groups):
                await self.lay(who, hand, places_of(view, groups) or [])
            case _:
                await game.click(who, label=LABELS[action.kind], message=hand)

    async def lay(self, who: int, hand: Any, places: list[int]) -> None:
        for part in sorted({place // 25 for place in places}):
            values = [str(place) for place in places if place // 25 == part]
            ids = [one.custom_id for one in selects_of(hand)]
            pick = next(one for one in ids if re.match(rf"cn:pick:\d+:\d+:{part}-", one))
            await self.game.select(who, values=values, custom_id=pick, message=hand)
        await self.game.click(who, custom_id="cn:lay", message=hand)

    # What is seen

    async def look(self, table: Table) -> None:
        """The board says how it is; one person is pinged, the one in turn; nothing private is public."""
        assert table.state is not None
        public, face = table.state.public, face_of(table)
        board = self.game.board(BOARD)
        said = text_of(board)
        assert is_fresh(board, table), f"the board is not of version {table.version}"
        for team in range(table.rules.teams):
            assert f"**{face.team_title(team)}** — {number_text(public.scores[team])}" in said, said
            for line in melds_text(table.locale, public.teams[team].melds):
                assert line in said
        acting = who_acts(public)
        pings = [text_of(one) for one in self.game.messages() if "your turn at" in text_of(one)]
        if acting:
            turn = face.seat_title(public.turn)
            assert said.count("➤") == 1
            assert f"➤ **{turn}** · {cards(public.sizes[public.turn])}" in said
            for seat in set(range(table.rules.seats)) - {public.turn}:
                assert (
                    f"{face.seat_title(seat)}{'**' * (seat in acting)} · {cards(public.sizes[seat])}" in said
                )
            assert said.count("❓") == len(public.pending)
            assert len(pings) == 1
            assert self.game.members[who_of(self.game, table, public.turn)].mention in pings[0]
        else:
            assert "➤" not in said
            assert not pings
        self.onlooker.look(table)

    def look_at_hand(self, table: Table, seat: int) -> None:
        """The player's own message is private, and shows the hand as it is now."""
        assert table.state is not None
        hand = self.hands[who_of(self.game, table, seat)]
        assert hand.ephemeral
        held = table.state.hands[seat].cards
        said = text_of(hand)
        assert (hand_text(held) if held else "Your hand is empty") in said
        assert (cards(len(held)) in said) or not held
        assert all(button.custom_id.split(":")[3] == str(table.version) for button in buttons_of(hand))

    async def look_at_scores(self, table: Table) -> None:
        """The message at the end of a round has the sheets of all teams, and so has `/score`."""
        assert table.state is not None
        public, face = table.state.public, face_of(table)
        news = text_of(self.game.messages()[-1])
        over = public.phase is Phase.GAME_OVER
        assert (" win" if over else f"Round {public.round_number} is over") in news
        who = self.rng.randrange(len(table.sitters))
        private = await self.game.slash(who, "score", **({"table": "1"} if over else {}))
        assert private.ephemeral
        for said in (news, text_of(private)):
            lines = [
                re.split(r"\s{2,}| (?=[−\d])", line.strip()) for line in said.split("```")[-2].split("\n")
            ]
            numbers = {line[0]: line[1:] for line in lines}
            for name, values in {
                "Total": [sheet.after for sheet in public.sheets],
                "Before": [sheet.before for sheet in public.sheets],
                "This round": [sheet.total for sheet in public.sheets],
            }.items():
                shown = [int(number.replace(",", "").replace("−", "-")) for number in numbers[name]]
                assert shown == values, said
            for team in range(table.rules.teams):
                assert face.team_name(team) in said, said
        assert [sheet.after for sheet in public.sheets] == public.scores


def is_fresh(message: Any, table: Table) -> bool:
    """Whether all that can be clicked is of the table's version."""
    return all(button.custom_id.split(":")[3] == str(table.version) for button in buttons_of(message))


def cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"
