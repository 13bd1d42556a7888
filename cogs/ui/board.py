"""The board: the one public message of a running game. Nothing in it depends on a private card."""

from typing import Any, Final

import discord
from discord import ui

from canasta_core.events import GameEnded, RoundEnded
from canasta_core.legality import is_blocking, who_acts
from canasta_core.profiles import profile_title
from canasta_core.rules import Exhausted
from canasta_core.state import Phase, PublicState, Reason
from canasta_core.tables.model import Stage
from cogs.ui.cards_text import melds_text, shown
from cogs.ui.events_text import event_lines
from cogs.ui.face import Face
from cogs.ui.layout import MAX_TEXT, Layout, Verb, button, rows, shorten, words

_PRIMARY: Final = discord.ButtonStyle.primary
_LAST_MOVES: Final = 6
"""Lines of last moves at most."""


def board(face: Face) -> Layout:
    """The board of a table that plays or has played."""
    public = face.public
    if public is None:
        return Layout(words(ended_text(face)))
    parts = [_title(face, public)]
    parts += [_team(face, public, team) for team in range(face.rules.teams)]
    status = _status(face, public)
    if status:
        parts.append(status)
    else:
        parts += [_pile(face, public), _seats(face, public)]
    room = MAX_TEXT - sum(map(len, parts)) - 100
    recent = [event for event in face.recent if not (status and isinstance(event, RoundEnded | GameEnded))]
    moves = event_lines(face, recent)[-_LAST_MOVES:]
    shown = shorten([face.words("board-moves", line=line) for line in moves], max(room, 0))
    if shown:
        parts.append(shown)
    box: ui.Container[Any] = ui.Container()
    for place, part in enumerate(parts):
        if place:
            box.add_item(ui.Separator())
        box.add_item(words(part))
    for row in rows(_controls(face, public)):
        box.add_item(row)
    return Layout(box)


def _title(face: Face, public: PublicState) -> str:
    return face.words(
        "board-title-exact" if face.rules.exact_target else "board-title",
        table=face.words("table-name", id=str(face.id)),
        title=profile_title(face.rules),
        round=public.round_number,
        target=face.rules.target,
    )


def _team(face: Face, public: PublicState, team: int) -> str:
    own = public.teams[team]
    minimum = public.minimum(team)
    lines = [face.words("board-team", team=face.team_title(team), score=public.scores[team])]
    if own.opened:
        lines += melds_text(face.locale, own.melds)
    else:
        needs = face.words("board-needs", minimum=minimum) if minimum else face.words("board-needs-any")
        lines.append(f"{face.words('board-no-melds')} · {needs}")
    needed = face.rules.canastas_to_go_out
    if needed > 1:
        lines.append(face.words("board-canastas", count=own.canastas, needed=needed))
    if own.red_threes:
        lines.append(face.words("board-red-threes", count=len(own.red_threes)))
    return "\n".join(lines)


def _pile(face: Face, public: PublicState) -> str:
    stock = face.words("board-stock", count=public.stock_size)
    upcard = public.upcard
    if upcard is None:
        return f"{face.words('board-pile-empty')}\n{stock}"
    lines = [
        face.words("board-pile", count=len(public.pile)),
        face.words("board-upcard", card=shown([upcard])),
    ]
    if is_blocking(upcard):
        lines.append(face.words("board-blocked", card=shown([upcard])))
    if face.rules.always_frozen:
        lines.append(face.words("board-frozen-always"))
    elif public.frozen:
        lines.append(face.words("board-frozen"))
    else:
        teams = [face.team_name(team) for team in range(face.rules.teams) if public.frozen_for(team)]
        if teams:
            lines.append(face.words("board-frozen-for", teams=", ".join(teams)))
    return "\n".join([*lines, stock])


def _seats(face: Face, public: PublicState) -> str:
    lines = []
    asked = face.rules.partners_of(public.turn) if public.phase is Phase.PERMISSION else ()
    for seat in range(face.rules.seats):
        facts = {"name": face.seat_title(seat), "count": face.words("count-cards", count=public.sizes[seat])}
        if seat in asked:
            key = "board-seat-asked" if seat in public.pending else "board-seat-yes"
            lines.append(face.words(key, **facts))
        elif seat == public.turn and who_acts(public):
            doing = {Phase.DRAW: "draw", Phase.PLAY: "play"}.get(public.phase, "wait")
            lines.append(face.words("board-seat-turn", doing=face.words(f"board-doing-{doing}"), **facts))
        else:
            lines.append(face.words("board-seat", **facts))
    return "\n".join(lines)


def _status(face: Face, public: PublicState) -> str:
    """What stands in place of pile and seats when nobody is to move."""
    if public.phase is Phase.GAME_OVER and public.winner is not None:
        return face.words(
            "board-game-over",
            winner=face.team_name(public.winner),
            players=len(face.rules.seats_of(public.winner)),
            score=public.scores[public.winner],
        )
    if face.stage is Stage.ENDED:
        return ended_text(face)
    if public.phase is Phase.ROUND_OVER:
        if public.reason is Reason.WENT_OUT and public.went_out is not None:
            key = "board-went-out-concealed" if public.concealed else "board-went-out"
            reason = face.words(key, name=face.name(public.went_out))
        else:
            reason = face.words(f"reason-{public.reason}")
        lines = [face.words("board-round-over", reason=reason)]
        if face.deadline is not None:
            lines.append(face.words("board-next-round", when=f"<t:{int(face.deadline)}:R>"))
        return "\n".join(lines)
    return ""


def ended_text(face: Face) -> str:
    """Why a table is over."""
    return face.words(f"board-ended-{face.ended or 'finished'}")


def _controls(face: Face, public: PublicState) -> list[ui.Button[Any]]:
    """Buttons by public facts alone; whether a take is legal is told privately."""
    rules = button(face.click(Verb.RULES), face.words("button-rules"))
    scores = button(face.click(Verb.SCORE), face.words("button-score"))
    if face.stage is Stage.ENDED:
        if public.phase is not Phase.GAME_OVER:
            return [scores, rules]
        return [button(face.click(Verb.REMATCH), face.words("button-rematch"), style=_PRIMARY), scores, rules]
    if public.phase is Phase.ROUND_OVER:
        return [button(face.click(Verb.NEXT), face.words("button-next"), style=_PRIMARY), scores, rules]
    drawing = public.phase is Phase.DRAW
    stock = public.stock_size > 0 or face.rules.exhausted is Exhausted.DRAW_ENDS
    upcard = public.upcard
    return [
        button(face.click(Verb.HAND), face.words("button-hand"), style=_PRIMARY),
        button(face.click(Verb.DRAW), face.words("button-draw"), disabled=not (drawing and stock)),
        button(
            face.click(Verb.PILE),
            face.words("button-take"),
            disabled=not drawing or upcard is None or is_blocking(upcard),
        ),
        rules,
    ]
