"""What people do: they look when they are pinged, or when it suits them, and act by commands or clicks."""

from __future__ import annotations

import math
from typing import Any

from canasta_core.actions import AskPartner, Discard, LayMelds, SeatAction
from canasta_core.legality import who_acts, why_not
from canasta_core.offers import offers
from canasta_core.state import Phase
from canasta_core.tables.model import Stage, Table
from canasta_core.views import PlayerView
from cogs.ui.layout import Verb
from tests.cogs.players import by_slash
from tests.week.coming import Coming
from tests.week.hosting import Hosting
from tests.week.plan import DAY, HOUR, MINUTE, PersonPlan, TablePlan

BETWEEN = (4.0, 40.0)
"""Seconds between two actions of one turn."""
LOOKS_IN = 0.9 * DAY
"""Seconds between two looks of somebody whom nothing pinged."""
ASKS = 0.7
"""How often somebody asks their partner who may."""
SPLITS, UNDOES = (0.2, 0.8), (0.07, 0.5)
"""How often others, and undoers, lay one meld at a time; and take back what they have laid."""
DEFECTS = ("Something went wrong", "storage")
"""Words of an answer that no person should ever get."""


class People(Coming, Hosting):
    """Everybody's habits, in one life of the process."""

    # When

    def begin(self) -> None:
        """What everybody means to do, at the beginning of the week."""
        for table in self.plan.tables:
            self.week.plan(table.opens, table.people[0], "open", table.number)
            for who in table.people:
                self.week.plan(self.rng.uniform(0.5, 1) * LOOKS_IN, who, "look_in", table.number)
                self._habits(table, self.plan.people[who])

    def _habits(self, table: TablePlan, person: PersonPlan) -> None:
        who, number, end = person.number, table.number, self.plan.end
        start = self.rng.uniform(table.opens + 0.03 * end, 0.5 * end)
        later = self.rng.uniform(start + 0.05 * end, 0.9 * end)
        match person.habit:
            case "absent":
                self.week.plan(start, who, "mood", number, "absent")
                if self.rng.random() < 0.6:
                    self.week.plan(later, who, "back", number)
            case "replaced":
                self.week.plan(start, who, "mood", number, "absent")
                self.week.plan(later, table.people[0], "replace", number, who)
            case "away":
                self.week.plan(start, who, "away", number, self.rng.uniform(0.3, 2) * DAY * self.plan.haste)
            case "leaver":
                self.week.plan(start, who, "leave", number)
                if self.rng.random() < 0.6:
                    self.week.plan(later, who, "rejoin", number)
            case "mover":
                for what in ("move", "pause", "clock", "host", "lose_channel", "move", "pause", "pause"):
                    if self.rng.random() < 0.7:
                        self.week.plan(self.rng.uniform(start, 0.9 * end), who, what, number)
            case "undoer":
                if self.rng.random() < 0.5:
                    self.week.plan(table.opens + HOUR, who, "two_step", number)
            case "sleeper":
                self.week.plan(table.opens + self.rng.uniform(0, 2) * HOUR, who, "quiet", number)

    def notice_pings(self) -> None:
        """Who was pinged looks at the table after a while of their own."""
        pings, self.week.pinged = self.week.pinged, []
        for at, user, tables in pings:
            who = self.life.number_of(user)
            for table in tables:
                if table in self.life.numbers:
                    self.week.plan(self.when(who, at), who, "look", self.life.numbers[table])

    def when(self, who: int, at: float) -> float:
        """When somebody who is told something at an instant comes to act on it."""
        person = self.plan.people[who]
        at += person.pace * math.exp(self.rng.gauss(0, 0.7))
        return self.awake(person, at)

    def awake(self, person: PersonPlan, at: float) -> float:
        since = (at - person.sleeps) % DAY
        return at if since > 8 * HOUR else at + 8 * HOUR - since + self.rng.uniform(1, 30) * MINUTE

    # What

    async def do(self, who: int, what: str, details: tuple[Any, ...]) -> None:
        """Do one thing of the agenda."""
        await getattr(self, what)(who, *details)

    async def open(self, who: int, number: int) -> None:
        table = self.plan.tables[number]
        if number in self.week.tables:
            return
        found = await self.life.newly_opened(who)
        if found is None:
            self.week.plan(self.life.now + 5 * MINUTE, who, "open", number)  # should this not work
            house = {"options": table.options} if table.options else {}
            clock = self.life.clock_option(table.clock)
            await self.slash(
                who, table, "canasta new", profile=table.profile, seats=table.seats, **clock, **house
            )
            found = await self.life.newly_opened(who)
            if found is None:
                return
        self.week.tables[number] = found
        self.life.numbers[found] = number
        for guest in table.people[1:]:
            self.week.plan(self.life.now + self.rng.uniform(20, 3600), guest, "join", number)
        self.week.plan(self.life.now + self.rng.uniform(3700, 5000), who, "start", number)

    async def join(self, who: int, number: int) -> None:
        table = await self.table(number)
        if table is None or table.stage is not Stage.LOBBY or self.seat(table, who) is not None:
            return
        self.again(who, "join", number)
        if self.rng.random() < 0.5:
            await self.click(who, number, "join")
        else:
            await self.slash(who, self.plan.tables[number], "canasta join", table=str(table.id))

    async def start(self, who: int, number: int) -> None:
        table = await self.table(number)
        if table is None or table.stage is not Stage.LOBBY:
            return
        self.again(who, "start", number)
        if table.free_seats and self.rng.random() < 0.3:
            await self.slash(who, self.plan.tables[number], "canasta add-ai", table=str(table.id))
        table = await self.table(number)
        if table is not None and table.stage is Stage.LOBBY:
            await self.slash(who, self.plan.tables[number], "canasta start", table=str(table.id))

    async def mood(self, who: int, number: int, mood: str) -> None:
        self.week.moods[who, number] = mood
        if not mood:
            self.week.plan(self.life.now + 60, who, "look", number)

    async def look_in(self, who: int, number: int) -> None:
        """Nothing pinged, but one looks in now and then."""
        at = self.life.now + self.rng.uniform(0.7, 1.3) * LOOKS_IN
        self.week.plan(self.awake(self.plan.people[who], at), who, "look_in", number)
        if self.week.moods.get((who, number)):
            return
        if self.rng.random() < 0.2:
            await self.command(who, number, "canasta list")
        await self.look(who, number)

    async def look(self, who: int, number: int) -> None:
        """Look at a table and act if it is one's turn, then again until it is not."""
        if self.week.moods.get((who, number)):
            return
        table = await self.table(number)
        if table is None or table.state is None or table.stage is not Stage.PLAYING:
            return
        seat = self.seat(table, who)
        if seat is None:
            return
        sitter = table.sitter(seat)
        if sitter is not None and sitter.absent:
            await self.back(who, number)
            return
        if table.state.public.phase is Phase.ROUND_OVER and self.rng.random() < 0.2:
            await self.click(who, number, "next", slot="round")
            return
        if seat not in who_acts(table.state.public) or table.paused is not None:
            return
        self.week.plan(self.life.now + self.rng.uniform(*BETWEEN), who, "look", number)
        await self.act(who, number, table, seat)

    async def act(self, who: int, number: int, table: Table, seat: int) -> None:
        view = table.view(seat)
        person = self.plan.people[who]
        action = self.player.choose(view, self.rng)
        if person.habit == "sloppy" and self.rng.random() < 0.3:
            await self.blunder(who, number, table, view, action)
            return
        if AskPartner() in offers(view) and self.rng.random() < ASKS:
            action = AskPartner()
        if isinstance(action, LayMelds) and self.rng.random() < SPLITS[person.habit == "undoer"]:
            action = self.first_of(view, action)
        if self.wants_undo(person, table, action):
            self.week.counts["undo tried"] += 1
            hand = await self.open_hand(who, number) if self.rng.random() < 0.5 else None
            if hand is None or not await self.push(who, hand, f"cn:{Verb.UNDO}:{table.id}:"):
                await self.command(who, number, "undo")
            return
        if person.clicks and await self.by_clicks(who, number, table, view, action):
            self.week.counts["acts by clicks"] += 1
            return
        self.week.counts["acts by commands"] += 1
        name, options = by_slash(table.rules, action)
        await self.slash(who, self.plan.tables[number], name, **options, **self.naming(table))

    def first_of(self, view: PlayerView, action: LayMelds) -> LayMelds:
        """One meld at a time, where that is allowed: there is more to take back then."""
        first = LayMelds(action.groups[:1])
        return first if why_not(view, first) is None else action

    def wants_undo(self, person: PersonPlan, table: Table, action: SeatAction) -> bool:
        """Before the discard, or in the midst of laying."""
        if not table.before or not isinstance(action, Discard | LayMelds):
            return False
        chance = UNDOES[person.habit == "undoer"]
        return self.rng.random() < (chance if isinstance(action, Discard) else chance / 4)

    def naming(self, table: Table) -> dict[str, str]:
        """The table is named, for there are several in a channel."""
        return {"table": str(table.id)}

    # Mischief

    async def blunder(
        self, who: int, number: int, table: Table, view: PlayerView, action: SeatAction
    ) -> None:
        """Do it twice at once, or after it is too late, or do what is not allowed."""
        name, options = by_slash(table.rules, action)
        before = table.version
        kind = self.rng.choice(("twice", "clicks", "other", "illegal", "stranger", "stale"))
        self.week.counts[f"mischief: {kind}"] += 1
        where, plan = self.life.channel_of(table), self.plan.tables[number]
        game = self.life.game
        if kind == "twice":
            verbs = [game.slash(who, name, channel_=where, **options, table=str(table.id)) for _ in range(2)]
            await self.life.together(verbs)
        elif kind == "clicks":
            board = await self.life.message(table, "board")
            click = f"cn:draw:{table.id}:{table.version}"
            if board is not None:
                await self.life.together([game.press(who, board, click) for _ in range(2)])
        elif kind == "other":
            other = self.rng.choice(offers(view))
            name2, options2 = by_slash(table.rules, other)
            verbs = [
                game.slash(who, name, channel_=where, **options, table=str(table.id)),
                game.slash(who, name2, channel_=where, **options2, table=str(table.id)),
            ]
            await self.life.together(verbs)
        elif kind == "illegal":
            await self.slash(who, plan, "meld", cards="4S 5H JK JK", table=str(table.id))
        elif kind == "stranger":
            # Somebody who does not sit there at all.
            stranger = next(one.number for one in self.plan.people if self.seat(table, one.number) is None)
            await self.slash(stranger, plan, name, **options, table=str(table.id))
        else:
            board = await self.life.message(table, "board")
            if board is not None:
                old = max(1, table.version - 3)
                await self.life.verb(who, game.press(who, board, f"cn:draw:{table.id}:{old}"))
        after = await self.table(number)
        moved = after.version - before if after is not None else 0
        if kind in ("illegal", "stranger") and moved:
            self.life.wrong(f"table {table.id}: {kind} move was accepted")
        if (kind == "twice" and moved > 2) or (kind == "clicks" and moved > 1):
            self.life.wrong(f"table {table.id}: {moved} changes came of {kind}")
