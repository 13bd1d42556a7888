"""What hosts do with a table, and what others do about it."""

from __future__ import annotations

from typing import Any

from canasta_core.tables.model import CLOCKS, Stage, Table
from cogs.ui.layout import Verb
from tests.week.doing import Doing
from tests.week.plan import HOUR


class Hosting(Doing):
    """Hosts; and people who answer them."""

    async def move(self, who: int, number: int) -> None:
        """Take the table to another channel: from there, or by naming it."""
        managed = await self.managed(number)
        if managed is None:
            return
        table, who = managed
        others = [one for one in self.week.channels if one != table.channel_id and self.life.is_there(one)]
        where = self.life.handle(self.rng.choice(others))
        self.week.counts["moves to another channel tried"] += 1
        if self.rng.random() < 0.5:
            await self.command(who, number, "canasta move", where=where)
        else:
            await self.command(who, number, "canasta move", to=where)

    async def lose_channel(self, who: int, number: int) -> None:
        """A channel is deleted; its tables are brought elsewhere from there, sooner or later."""
        if len(self.week.deleted) >= max(1, len(self.week.channels) // 5):
            return
        table = await self.table(number)
        if table is None or not self.life.is_there(table.channel_id):
            return
        self.week.counts["channels deleted"] += 1
        lost = table.channel_id
        self.week.deleted.add(lost)
        self.life.delete_channel(lost)
        for other, found in self.week.tables.items():
            there = await self.table(other)
            if there is not None and there.channel_id == lost:
                self.week.lost_tables.setdefault(found, self.life.now)
                for sitter in there.people:
                    at = self.life.now + self.rng.uniform(0.5, 12) * HOUR
                    self.week.plan(at, self.life.number_of(sitter.user_id or 0), "bring", other)

    async def bring(self, who: int, number: int) -> None:
        """Bring a table whose channel is gone to one that is there."""
        table = await self.table(number)
        if table is None or table.stage is Stage.ENDED or self.life.is_there(table.channel_id):
            return
        self.again(who, "bring", number)
        there = [one for one in self.week.channels if self.life.is_there(one)]
        await self.command(who, number, "canasta move", where=self.life.handle(self.rng.choice(there)))
        after = await self.table(number)
        if after is not None and after.channel_id != table.channel_id:
            self.week.counts["tables brought from a deleted channel"] += 1

    async def pause(self, who: int, number: int) -> None:
        managed = await self.managed(number)
        if managed is None or managed[0].stage is not Stage.PLAYING:
            return
        who = managed[1]
        length = self.rng.choice((3600, 28800, 86400) if self.plan.haste == 1.0 else (3600, 3600, 28800))
        options: dict[str, Any] = {"for": length}
        if await self.command(who, number, "canasta pause", **options):
            self.week.counts["paused"] += 1
            if self.rng.random() < 0.5:
                at = self.life.now + length * self.rng.uniform(0.2, 0.8)
                self.week.plan(at, who, "resume", number)

    async def resume(self, who: int, number: int) -> None:
        managed = await self.managed(number)
        if managed is not None and managed[0].paused is not None:
            who = managed[1]
            await self.command(who, number, "canasta resume")

    async def clock(self, who: int, number: int) -> None:
        """Propose another clock; the others agree or do not."""
        table = await self.table(number)
        if table is None or table.stage is not Stage.PLAYING or self.seat(table, who) is None:
            return
        other = self.rng.choice([one for one in CLOCKS if one != table.clock])
        await self.command(who, number, "canasta clock", to=self.life.clock_value(other))
        for sitter in table.people:
            at = self.life.now + self.rng.uniform(0.1, 6) * HOUR
            self.week.plan(at, self.life.number_of(sitter.user_id or 0), "agree", number)

    async def agree(self, who: int, number: int) -> None:
        table = await self.table(number)
        if table is None or table.proposal is None or self.week.moods.get((who, number)):
            return
        verb = Verb.AGREE if self.rng.random() < 0.85 else Verb.KEEP_CLOCK
        self.week.counts["answers to a proposed clock"] += await self.click(who, number, verb, "proposal")

    async def host(self, who: int, number: int) -> None:
        """Hand the host's part to somebody else."""
        managed = await self.managed(number)
        if managed is None:
            return
        table, who = managed
        heirs = [one for one in table.people if one.is_active and one.user_id != table.host_id]
        if heirs:
            heir = self.life.game.members[self.life.number_of(self.rng.choice(heirs).user_id or 0)]
            await self.command(who, number, "canasta host", to=heir)

    async def replace(self, who: int, number: int, absent: int) -> None:
        """Give the seat of somebody who does not come to an AI player, and invite somebody to it."""
        table = await self.table(number)
        seat = self.seat(table, absent) if table is not None else None
        if table is None or seat is None or table.stage is not Stage.PLAYING:
            return
        host = self.life.number_of(table.host_id)
        if host == absent:
            return
        asked = await self.slash(
            host, self.plan.tables[number], "canasta replace", seat=seat + 1, table=str(table.id)
        )
        if asked is None or asked.response is None:
            return
        await self.push(host, asked.response, f"cn:{Verb.REPLACE}:{table.id}:")
        after = await self.table(number)
        if after is None or self.seat(after, absent) is not None:
            self.week.counts["replace refused"] += 1
            return
        self.week.counts["replaced"] += 1
        guest = self.rng.choice(
            [one.number for one in self.plan.people if self.seat(table, one.number) is None]
        )
        options: dict[str, Any] = {"member": self.life.game.members[guest]} if self.rng.random() < 0.7 else {}
        await self.command(host, number, "canasta invite", seat=seat + 1, **options)
        self.week.plan(self.life.now + self.rng.uniform(0.2, 8) * HOUR, guest, "take_seat", number)

    async def take_seat(self, who: int, number: int) -> None:
        """Take the seat that one is invited to."""
        table = await self.table(number)
        if table is None or table.stage is not Stage.PLAYING or self.seat(table, who) is not None:
            return
        self.again(who, "take_seat", number)
        if self.rng.random() < 0.5 or not await self.click(who, number, Verb.TAKE_SEAT, "invite"):
            await self.command(who, number, "canasta join")
        after = await self.table(number)
        if after is not None and self.seat(after, who) is not None:
            self.week.counts["took the seat of somebody who was replaced"] += 1
            self.week.plan(self.life.now + 60, who, "look", number)

    async def managed(self, number: int) -> tuple[Table, int] | None:
        """The table and its present host, while it has not ended."""
        table = await self.table(number)
        if table is None or table.stage is Stage.ENDED:
            return None
        return table, self.life.number_of(table.host_id)
