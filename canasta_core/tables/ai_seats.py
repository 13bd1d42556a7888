"""AI players at a table: they act through the same door as people, after a pause that says nothing."""

import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final

from canasta_core import ai
from canasta_core.actions import SeatAction
from canasta_core.offers import offers
from canasta_core.refusals import Refusal
from canasta_core.state import Phase
from canasta_core.tables.change import next_ai
from canasta_core.tables.chores import Chores
from canasta_core.tables.errors import StaleTable, StoreCode, StoreError, TableError
from canasta_core.tables.lobby import STAND_IN
from canasta_core.tables.model import Table
from canasta_core.tables.ports import Chance, Clock, Thinker
from canasta_core.views import PlayerView

log = logging.getLogger(__name__)

ANSWER_PAUSE: Final = 1.0
"""Seconds before an AI player answers a question, whatever the answer (less where all pauses are)."""
_LONGEST_RETRY: Final = 60.0
"""Seconds between two tries at most when the store cannot store a move."""


class InlineThinker:
    """Thinks where it is asked.

    The levels there are need less than 2 ms for a move: less than handing a view to another process
    and back costs, and too little for anybody to wait for.
    """

    async def choose(self, level: str, view: PlayerView, rng: random.Random) -> SeatAction:
        return ai.policy(level).choose(view, rng)


class AiSeats:
    """Moves the AI seats of each table, in one task a table, while one of them has to act.

    Before each turn it waits `delay` seconds, before an answer a short while: always the same, so that
    the time tells nothing of the hand. Within a turn it goes straight on.
    """

    def __init__(
        self,
        thinker: Thinker,
        clock: Clock,
        chance: Chance,
        delay: float,
        load: Callable[[int], Awaitable[Table]],
        move: Callable[[Table, int, SeatAction], Awaitable[None]],
    ) -> None:
        """`move` plays an action of a seat at just this version of the table."""
        self._thinker = thinker
        self._clock = clock
        self._chance = chance
        self._delay = delay
        self._load = load
        self._move = move
        self.failures = 0
        """Moves that a policy could not choose or the rules refused: each is a defect."""
        self.chores = Chores("AI seats", self._work)

    async def _work(self, table_id: int) -> None:
        waited_for: object = None
        retries = 0
        while True:
            try:
                table = await self._load(table_id)
                seat = next_ai(table)
                if seat is None or table.state is None:
                    return
                answering = table.state.public.phase is Phase.PERMISSION
                occasion = (table.turn_version, seat, answering)
                if occasion != waited_for:
                    await self._clock.sleep(min(ANSWER_PAUSE, self._delay) if answering else self._delay)
                    waited_for = occasion
                    continue
                if not await self._act(table, seat):
                    return
                retries = 0
            except StaleTable:
                continue
            except TableError as error:
                log.warning("AI seats of table %s stop: %s", table_id, error)
                return
            except StoreError as error:
                if error.code is StoreCode.DAMAGED:
                    log.warning("AI seats of table %s stop: %s", table_id, error)
                    return
                pause = min(_LONGEST_RETRY, 2.0**retries)
                retries += 1
                log.warning("AI seats of table %s wait %.0f s: %s", table_id, pause, error)
                await self._clock.sleep(pause)

    async def _act(self, table: Table, seat: int) -> bool:
        """Make one move of a seat. False when nothing at all is accepted."""
        view = table.view(seat)
        sitter = table.sitter(seat)
        level = (sitter.ai if sitter is not None else "") or STAND_IN
        try:
            action = await self._thinker.choose(level, view, self._chance.rng())
        except Exception:
            # Whatever a policy does wrong is counted and logged, and the game goes on with an offer.
            self._count_failure(table, seat, level, "raised")
            log.exception("the policy's error")
        else:
            if await self._try(table, seat, level, action):
                return True
        # The game must go on: the first offer that is accepted, and all of them are meant to be.
        for offer in offers(view):
            if await self._try(table, seat, level, offer):
                return True
        log.critical("table %s version %s: seat %s can do nothing", table.id, table.version, seat)
        return False

    async def _try(self, table: Table, seat: int, level: str, action: SeatAction) -> bool:
        try:
            await self._move(table, seat, action)
        except Refusal as refusal:
            # The code only: facts may name cards, and logs are read by people who play.
            self._count_failure(table, seat, level, f"{action.kind} refused, {refusal.code}")
            return False
        except (TableError, StoreError):
            raise
        except Exception:
            # What a policy returned may be no action at all: a defect of its own, not of the table.
            self._count_failure(table, seat, level, "not an action")
            log.exception("what the engine made of it")
            return False
        return True

    def _count_failure(self, table: Table, seat: int, level: str, what: str) -> None:
        self.failures += 1
        log.error(
            "AI level %s, seat %s: %s. Position: the log of table %s up to version %s",
            level,
            seat,
            what,
            table.id,
            table.version,
        )
