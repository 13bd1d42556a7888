"""Level medium: plain good play by rules of thumb, without looking ahead."""

import random

from canasta_core.actions import Answer, AskPartner, Discard, EndTurn, LayMelds, SeatAction
from canasta_core.ai.discarding import best_discard
from canasta_core.ai.exits import Exit, answer, decide
from canasta_core.ai.laying import next_lay, opening
from canasta_core.ai.reading import Reading
from canasta_core.ai.taking import take_or_draw
from canasta_core.going_out import is_far_from_out
from canasta_core.legality import hand_way_out, why_not
from canasta_core.offers import offers
from canasta_core.state import Phase
from canasta_core.views import PlayerView


class MediumPlayer:
    """Takes piles, opens promptly, makes canastas with few wilds, gives little away, and goes out in time."""

    def choose(self, view: PlayerView, rng: random.Random) -> SeatAction:
        reading = Reading(view)
        offered = offers(view)
        match view.public.phase:
            case Phase.PERMISSION:
                return Answer(answer(reading))
            case Phase.DRAW:
                return take_or_draw(reading, offered)
            case _:
                return _leave(reading, offered) or _lay(reading, offered) or _end(reading, offered, rng)


def _leave(reading: Reading, offered: list[SeatAction]) -> SeatAction | None:
    """Going out, or the question to the partner, where that is best."""
    view = reading.view
    if is_far_from_out(reading.rules, reading.own, reading.hand):
        return None
    way = hand_way_out(view)
    if way is None:
        return None
    verdict = decide(reading, way, may_ask=AskPartner() in offered)
    if verdict is Exit.STAY:
        return None
    if verdict is Exit.ASK:
        return AskPartner()
    action: SeatAction | None = LayMelds(way.groups) if way.groups else None
    if action is None and way.discard is not None:
        action = Discard(way.discard)
    return action if action is not None and why_not(view, action) is None else None


def _lay(reading: Reading, offered: list[SeatAction]) -> SeatAction | None:
    return next_lay(reading) if reading.own.melds else opening(reading, offered)


def _end(reading: Reading, offered: list[SeatAction], rng: random.Random) -> SeatAction:
    """The discard; or the end of a turn that has none."""
    discards = [action for action in offered if isinstance(action, Discard)]
    if discards:
        return best_discard(reading, discards, rng)
    return next((action for action in offered if isinstance(action, EndTurn)), offered[0])
