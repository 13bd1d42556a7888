"""How people do things at a table in a simulated Discord: by commands, or by buttons and selects."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from simcord.builders import ChannelHandle
from simcord.results import InteractionResult, ResponseMessage

from canasta_core.actions import Answer, Discard, LayMelds, SeatAction, TakePile
from canasta_core.ai import policy
from canasta_core.cards import name_of
from canasta_core.tables.errors import TableError
from canasta_core.tables.model import Table
from canasta_core.views import PlayerView
from cogs.ui.choices import takes
from cogs.ui.layout import Verb
from tests.discord.harness import buttons_of, selects_of
from tests.games.tables import places_of
from tests.week.plan import MINUTE, TablePlan

if TYPE_CHECKING:
    from tests.week.life import Life

ABOUT_NO_TABLE = ("preferences", "canasta list")
"""Commands without the option `table:`."""


class Doing:
    """Somebody (by number), a table (by its number in the plan), and what is done there."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.week, self.plan = life.week, life.plan
        self.rng: random.Random = life.week.rng
        self.player = policy("medium")

    # At a table

    async def table(self, number: int) -> Table | None:
        """A table as its people could look it up; None before it is open."""
        found = self.week.tables.get(number)
        if found is None:
            return None
        try:
            table: Table = await self.life.service.get(found)
        except TableError:
            return None
        return table

    def seat(self, table: Table, who: int) -> int | None:
        return table.seat_of(self.life.game.members[who].id)

    def again(self, who: int, what: str, number: int) -> None:
        """Try the same once more later: whoever sees that nothing came of it would."""
        self.week.plan(self.life.now + self.rng.uniform(2, 15) * MINUTE, who, what, number)

    async def command(
        self,
        who: int,
        number: int,
        name: str,
        *,
        where: ChannelHandle | None = None,
        **options: Any,
    ) -> bool:
        """Use a command about a table, if there is such a command."""
        if not self.life.has_command(name):
            self.week.counts[f"no command {name}"] += 1
            return False
        if name not in ABOUT_NO_TABLE:
            options["table"] = str(self.week.tables[number])
        if where is not None:
            verb = self.life.game.slash(who, name, channel_=where, **options)
            return await self.life.verb(who, verb) is not None
        return await self.slash(who, self.plan.tables[number], name, **options) is not None

    async def slash(
        self, who: int, plan: TablePlan, name: str, /, **options: Any
    ) -> InteractionResult | None:
        found = self.week.tables.get(plan.number)
        where = self.life.place(plan.channel)
        if found is not None:
            table = await self.table(plan.number)
            where = self.life.channel_of(table) if table is not None else where
        return await self.life.verb(who, self.life.game.slash(who, name, channel_=where, **options))

    # Clicks

    async def by_clicks(
        self, who: int, number: int, table: Table, view: PlayerView, action: SeatAction
    ) -> bool:
        """Say an action by buttons and selects alone; False where there are none for it."""
        if isinstance(action, Answer):
            return await self.click(who, number, "yes" if action.yes else "no", slot="question")
        if isinstance(action, TakePile) and action not in takes(view)[:25]:
            return False
        places = places_of(view, action.groups) if isinstance(action, LayMelds) else []
        if places is None:
            return False
        hand = await self.open_hand(who, number)
        if hand is None:
            return False
        if isinstance(action, TakePile) and len(takes(view)) == 1:
            return await self.push(who, hand, f"cn:take:{table.id}:")
        if isinstance(action, TakePile):
            return await self.choose(who, hand, f"cn:take:{table.id}:", [str(takes(view).index(action))])
        if isinstance(action, Discard):
            return await self.discard(who, hand, table, action)
        if isinstance(action, LayMelds):
            return await self.lay(who, hand, table, places)
        return await self.push(who, hand, f"cn:{action.kind}:{table.id}:")

    async def open_hand(self, who: int, number: int) -> ResponseMessage | None:
        table = await self.table(number)
        board = await self.life.message(table, "board") if table is not None else None
        if table is None or board is None:
            return None
        result = await self.push_result(who, board, f"cn:hand:{table.id}:")
        return result.response if result is not None else None

    async def discard(self, who: int, hand: Any, table: Table, action: Discard) -> bool:
        name = name_of(action.card)
        for select in selects_of(hand):
            if not select.custom_id.startswith(f"cn:discard:{table.id}:"):
                continue
            alike = [value for value in select.values if value == name]
            if not table.rules.runs:
                alike = alike or [value for value in select.values if value[:-1] == name[:-1]]
            if alike:
                shown = await self.life.verb(
                    who,
                    self.life.game.select(who, values=alike[:1], custom_id=select.custom_id, message=hand),
                )
                if shown is not None and shown.response is not None:
                    # Who wants to be asked once more is.
                    await self.push(who, shown.response, f"cn:{Verb.THROW}:{table.id}:")
                return True
        return False

    async def lay(self, who: int, hand: Any, table: Table, places: list[int]) -> bool:
        for part in sorted({place // 25 for place in places}):
            ids = [one.custom_id for one in selects_of(hand) if one.custom_id.startswith("cn:pick:")]
            mine = [one for one in ids if one.split(":")[4].startswith(f"{part}-")]
            chosen = [str(place) for place in places if place // 25 == part]
            if not mine or not await self.choose(who, hand, mine[0], chosen):
                return False
            fresh = self.life.stored(hand)
            if fresh is None:
                return False
            hand = fresh
        return await self.push(who, hand, f"cn:lay:{table.id}:")

    async def choose(self, who: int, message: Any, prefix: str, values: list[str]) -> bool:
        for select in selects_of(message):
            if select.custom_id.startswith(prefix):
                if not set(values) <= set(select.values):
                    return False
                verb = self.life.game.select(who, values=values, custom_id=select.custom_id, message=message)
                return await self.life.verb(who, verb) is not None
        return False

    async def push(self, who: int, message: Any, prefix: str) -> bool:
        return await self.push_result(who, message, prefix) is not None

    async def push_result(self, who: int, message: Any, prefix: str) -> InteractionResult | None:
        for button in buttons_of(message):
            if button.custom_id.startswith(prefix) and not button.disabled:
                verb = self.life.game.click(who, custom_id=button.custom_id, message=message)
                return await self.life.verb(who, verb)
        return None

    async def click(self, who: int, number: int, verb: str, slot: str = "board") -> bool:
        """Press a button of a message of the table."""
        table = await self.table(number)
        message = await self.life.message(table, slot) if table is not None else None
        if table is None or message is None:
            return False
        return await self.push(who, message, f"cn:{verb}:{table.id}:")
