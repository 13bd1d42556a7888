"""Coming and going: what people do about their seats, and what they choose for themselves."""

from __future__ import annotations

from typing import Any

from canasta_core.tables.model import Stage
from tests.week.doing import Doing
from tests.week.plan import HOUR


class Coming(Doing):
    """People who leave, are away, come back."""

    async def leave(self, who: int, number: int) -> None:
        table = await self.table(number)
        if table is None or table.stage is not Stage.PLAYING or self.seat(table, who) is None:
            return
        self.again(who, "leave", number)
        await self.slash(who, self.plan.tables[number], "canasta leave", table=str(table.id))
        after = await self.table(number)
        if after is not None and self.seat(after, who) is None:
            self.week.moods[who, number] = "left"
            self.week.counts["left"] += 1

    async def rejoin(self, who: int, number: int) -> None:
        table = await self.table(number)
        if table is None or table.stage is not Stage.PLAYING or self.seat(table, who) is not None:
            return
        await self.slash(who, self.plan.tables[number], "canasta join", table=str(table.id))
        after = await self.table(number)
        if after is not None and self.seat(after, who) is not None:
            self.week.moods.pop((who, number), None)
            self.week.counts["came back to a seat they left"] += 1
            self.week.plan(self.life.now + 60, who, "look", number)

    async def back(self, who: int, number: int) -> None:
        """Back from being absent or away."""
        self.week.moods.pop((who, number), None)
        table = await self.table(number)
        seat = self.seat(table, who) if table is not None else None
        sitter = table.sitter(seat) if table is not None and seat is not None else None
        if table is None or sitter is None or table.stage is Stage.ENDED:
            return
        self.again(who, "look", number)
        if sitter.absent or sitter.away_until is not None:
            was_absent = sitter.absent
            await self.command(who, number, "back")
            after = await self.table(number)
            now = after.sitter(sitter.seat) if after is not None else None
            if was_absent and now is not None and now.user_id == sitter.user_id and not now.absent:
                self.week.counts["came back to a kept seat"] += 1

    async def away(self, who: int, number: int, seconds: float) -> None:
        """Say that one is away, and be it; sometimes one is back earlier."""
        table = await self.table(number)
        if table is None or table.stage is not Stage.PLAYING or self.seat(table, who) is None:
            return
        hours = max(1, round(seconds / HOUR))
        if await self.command(who, number, "away", until=f"{hours} hours"):
            self.week.moods[who, number] = "away"
            self.week.counts["went away"] += 1
            part = self.rng.uniform(0.3, 0.9) if self.rng.random() < 0.4 else 1.0
            what = "back" if part < 1.0 else "mood"
            details = (number,) if part < 1.0 else (number, "")
            self.week.plan(self.life.now + part * hours * HOUR, who, what, *details)

    async def quiet(self, who: int, number: int) -> None:
        """Choose for oneself when nothing should make a noise, and where reminders come."""
        begin = int(self.plan.people[who].sleeps // 60)
        end = (begin + 480) % 1440
        hours = f"{begin // 60:02}:{begin % 60:02}-{end // 60:02}:{end % 60:02}"
        options: dict[str, Any] = {
            "quiet": hours,
            "zone": "UTC",
            "reminders": self.rng.choice(("channel", "dm", "off")),
        }
        await self.command(who, number, "preferences", **options)

    async def two_step(self, who: int, number: int) -> None:
        chosen: dict[str, Any] = {"two-step": True}
        await self.command(who, number, "preferences", **chosen)
