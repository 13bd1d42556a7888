"""One life of the process: bot, simulated Discord and people, until it is killed or the week ends."""

from __future__ import annotations

import contextlib
import heapq
import json
import random
import sqlite3
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import simcord
from simcord.builders import ChannelHandle
from simcord.results import InteractionResult, ResponseMessage

from canasta_core.tables.model import Table
from cogs.opening import NO_CLOCK
from tests.discord import waits
from tests.discord.chance import seed_process
from tests.discord.harness import Game, World, playing, text_of
from tests.week.deaths import Reaper
from tests.week.judge import LATE
from tests.week.people import DEFECTS, People
from tests.week.plan import NEXT_ROUND, Plan
from tests.week.watch import WATCH
from tests.week.world import IN_START, NONCES_LAST, WITH_A_RESULT, Keeper, Week, load

AI_DELAY = 2.0
CHECKED_EVERY = 6 * 3600.0
RESTARTS = 0.15
"""How often the bot is restarted in order on such an occasion."""
LAST_WORDS = 900.0
"""Seconds that the bot gets at the end of the week, in which nobody does anything."""


class Life:
    """What people need of the running bot."""

    def __init__(self, game: Game, keeper: Keeper, reaper: Reaper, plan: Plan) -> None:
        self.game, self.keeper, self.reaper, self.plan = game, keeper, reaper, plan
        self.week = keeper.week
        self.numbers = {table: number for number, table in self.week.tables.items()}
        self._users = {member.id: number for number, member in enumerate(game.members)}
        self._verbs = 0
        self._checked = self.now + LATE - CHECKED_EVERY
        self._commands: frozenset[str] = frozenset()
        self.people = People(self)

    @property
    def now(self) -> float:
        return float(self.game.env.backend.clock.elapsed)

    @property
    def service(self) -> Any:
        return self.game.bot.service  # type: ignore[attr-defined]

    def wrong(self, text: str) -> None:
        self.week.wrong(self.now, text)

    def number_of(self, user: int) -> int:
        return self._users[user]

    # The week

    async def run(self) -> None:
        """Until the end of the week, or death."""
        while self.now < self.plan.end:
            self.people.notice_pings()
            if self.now > self._checked + CHECKED_EVERY:
                await self.check_overdue()
                if self.week.rng.random() < RESTARTS:
                    self.week.counts["restarts in order"] += 1
                    await self.game.restart()
            self._reap()
            timer = waits.next_timer(self.game.env)
            due = self.week.agenda[0][0] if self.week.agenda else self.plan.end
            target = min(due, timer or due, self.plan.end)
            if target > self.now:
                await self.game.advance(target - self.now)
                self.keeper.look()
                continue
            if timer is not None and timer <= self.now and due > self.now:
                await self.game.advance(0.000001)
                continue
            self._take_up_late()
            if self.week.agenda and self.week.agenda[0][0] <= self.now:
                _, _, who, what, details = _pop(self.week)
                await self._do(who, what, details)
        await self.game.advance(LAST_WORDS)
        self.keeper.look()

    async def check_overdue(self) -> None:
        """Whatever the bot had to do by itself, or to tell, is done, however long it was down."""
        late = self.game.env.backend.clock.now().timestamp() - LATE
        with contextlib.closing(sqlite3.connect(self.keeper.file.with_name("bot.db"))) as file:
            rows = file.execute("SELECT id, version, ? - alarm FROM tables WHERE alarm < ?", (late, late))
            for table, version, seconds in rows.fetchall():
                self.wrong(f"table {table} version {version}: its alarm was {seconds + LATE:.0f} s ago")
            rows = file.execute(
                "SELECT table_id, version, kind FROM week_notices WHERE gone = 0 AND at < ?", (late,)
            )
            for table, version, kind in rows.fetchall():
                self.wrong(f"table {table} version {version}: its {kind} is not told after {LATE:.0f} s")
        self.week.counts["looks at all alarms"] += 1
        self._checked = self.now

    async def _do(self, who: int, what: str, details: tuple[Any, ...]) -> None:
        try:
            await self.people.do(who, what, details)
        except NotImplementedError:
            self.week.counts[f"not done: {what}"] += 1
        except (AssertionError, LookupError, RuntimeError, TimeoutError, simcord.SetupError) as error:
            self.wrong(f"{what} {details} of member {who}: {type(error).__name__}: {error}")
        self.keeper.look()
        self._verbs += 1
        if self._verbs % 50 == 0:
            self.keeper.forget()

    def _take_up_late(self) -> None:
        """Who found the bot down tries again when it is up, not all in the same second."""
        late = [entry for entry in self.week.agenda if entry[0] < self.now - 1]
        for _ in late:
            _, _, who, what, details = _pop(self.week)
            self.week.plan(self.now + self.week.rng.uniform(5, 600), who, what, *details)

    def _reap(self) -> None:
        kills = self.plan.kills
        if self.reaper.how or self.week.kills >= len(kills):
            return
        kill = kills[self.week.kills]
        if self.now >= kill.at:
            if kill.how == "in the start":
                self.keeper.die(kill.how)
            self.reaper.arm(kill.how, kill.count)

    # What people do

    async def verb(self, who: int, verb: Coroutine[Any, Any, InteractionResult]) -> InteractionResult | None:
        """Let somebody do something, and look at the answer."""
        self.week.counts["verbs"] += 1
        result = await verb
        self._judge(result)
        return result

    async def together(self, verbs: Sequence[Coroutine[Any, Any, InteractionResult]]) -> None:
        self.week.counts["verbs"] += len(verbs)
        for result in await self.game.at_once(verbs):
            self._judge(result)

    def _judge(self, result: InteractionResult) -> None:
        said = text_of(result)
        if not result.acknowledged or (result.response is None and result.modal is None):
            self.wrong("an interaction was not answered")
        if any(word in said for word in DEFECTS):
            self.wrong(f"somebody was told: {said[:300]}")

    def has_command(self, name: str) -> bool:
        if not self._commands:
            self._commands = frozenset(self.game.members[0].available_commands(self.place(0)))
        return name in self._commands

    def clock_option(self, seconds: int | None) -> dict[str, Any]:
        """The option `clock:` of `/canasta new`."""
        return {"clock": self.clock_value(seconds)}

    def clock_value(self, seconds: int | None) -> int:
        """A clock as the options of commands say it."""
        return NO_CLOCK if seconds is None else seconds

    # Where things are

    def place(self, channel: int) -> ChannelHandle:
        """A channel, by its number in the plan; where it is gone, the next one."""
        after = [*self.week.channels[channel:], *self.week.channels]
        return self.handle(next(one for one in after if self.is_there(one)))

    def handle(self, channel_id: int) -> ChannelHandle:
        return ChannelHandle(self.game.env, self.game.guild, self.game.env.backend.channels[channel_id])

    def is_there(self, channel_id: int) -> bool:
        return channel_id in self.game.env.backend.channels

    def delete_channel(self, channel_id: int) -> None:
        self.game.env.backend.delete_channel(channel_id)
        self._commands = frozenset()

    def channel_of(self, table: Table) -> ChannelHandle:
        """A table's channel; where it is gone, the first one."""
        if table.channel_id in self.game.env.backend.channels:
            return self.handle(table.channel_id)
        return self.place(0)

    async def message(self, table: Table, slot: str) -> ResponseMessage | None:
        """A message of a table that is still there."""
        known = await self.service.message(table.id, slot)
        if known is None:
            return None
        stored = self.game.env.backend.messages.get(known.channel_id, {}).get(known.message_id)
        return ResponseMessage(self.game.env, stored) if stored is not None else None

    def stored(self, message: Any) -> ResponseMessage | None:
        """A message as it is now."""
        found = self.game.env.backend.messages.get(message.channel_id, {}).get(message.id)
        return ResponseMessage(self.game.env, found) if found is not None else None

    async def newly_opened(self, who: int) -> int | None:
        """A table that somebody has opened and that is none of those known yet."""
        user = self.game.members[who].id
        for table in await self.service.tables_in(self.game.guild.id):
            if table.host_id == user and table.id not in self.numbers:
                return int(table.id)
        return None


def _pop(week: Week) -> tuple[float, int, int, str, tuple[Any, ...]]:
    return heapq.heappop(week.agenda)


async def live(folder: Path, plan: Plan) -> None:
    """Live until the week is over, or die."""
    kept = load(folder / "discord.pickle")
    week = kept[1] if kept is not None else Week(random.Random(f"people {plan.seed}"))
    week.life += 1
    seed_process(f"{plan.seed} {week.life}")
    keeper = Keeper(folder / "discord.pickle", week)
    reaper = Reaper(keeper, f"{plan.seed} {week.life}")
    if plan.kills and not week.counts[f"killed: {WITH_A_RESULT}"]:
        reaper.die_with_a_result()
    world: World | None = None
    if kept is not None:
        world = kept[0]
        keeper.world = lambda: kept[0]
        _pass_the_night(folder, plan, week, world, reaper)
    async with playing(
        folder / "bot.db",
        len(plan.people),
        world=world,
        attend=keeper.attend,
        check_errors=False,
        settle_timeout=60.0,
        ai_delay=AI_DELAY,
        next_round=NEXT_ROUND,
    ) as game:
        if world is None:
            week.channels = [
                game.guild.create_text_channel(f"cards-{number}").id for number in range(plan.channels)
            ]
            await game.env.settle()
            with contextlib.closing(sqlite3.connect(folder / "bot.db")) as file:
                file.executescript(WATCH)
            keeper.world = lambda: game.world
        life = Life(game, keeper, reaper, plan)
        if world is None:
            life.people.begin()
        keeper.look()
        await life.run()
        keeper.save()
        game.checker.take()
    (folder / "done").write_text(json.dumps({"counts": week.counts}), encoding="utf-8")


def _pass_the_night(folder: Path, plan: Plan, week: Week, world: World, reaper: Reaper) -> None:
    """The time between a death and the next start, and a death in that start if it is to be."""
    how = json.loads((folder / "died").read_text(encoding="utf-8"))["how"]
    if how == IN_START:
        week.downs.append((world.backend.clock.elapsed, world.backend.clock.elapsed + 5.0))
        world.backend.clock.advance(5.0)
        return
    # Long enough that Discord does not know the nonces any more.
    down = 2 * NONCES_LAST if how == WITH_A_RESULT else plan.kills[week.kills - 1].down
    week.downs.append((world.backend.clock.elapsed, world.backend.clock.elapsed + down))
    world.backend.clock.advance(down)
    week.counts["seconds down"] += int(down)
    if how == "in the start":
        reaper.arm(IN_START, plan.kills[week.kills - 1].count)
