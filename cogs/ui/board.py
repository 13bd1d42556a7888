"""The board: the one public message of a running game. Nothing in it depends on a private card."""

from typing import Any, Final

import discord
from discord import ui

from canasta_core.events import GameEnded, RoundEnded
from canasta_core.legality import is_blocking, may_decline, who_acts
from canasta_core.profiles import profile_title
from canasta_core.rules import Exhausted
from canasta_core.state import Phase, PublicState, Reason
from canasta_core.tables.model import Stage
from cogs.ui.cards_text import melds_text, shown
from cogs.ui.events_text import event_lines
from cogs.ui.face import Face
from cogs.ui.layout import MAX_TEXT, Layout, Verb, button, rows, shorten, words
from cogs.ui.pings import clock_text
from cogs.ui.times import in_how_long, when

_PRIMARY: Final = discord.ButtonStyle.primary
_SUCCESS: Final = discord.ButtonStyle.success
PROMISE: Final = 16
"""Hex digits of a promise that the board shows; `/fair` shows all."""
_LAST_MOVES: Final = 6
"""Lines of last moves at most."""


def board(face: Face) -> Layout:
    """The board of a table that plays or has played."""
    public = face.public
    if public is None:
        return Layout(words(ended_text(face)))
    parts = [_title(face, public)]
    parts += [team_text(face, public, team) for team in range(face.rules.teams)]
    status = _status(face, public)
    if status:
        parts.append(status)
    else:
        parts += [pile_text(face, public), seats_text(face, public)]
    if face.stage is Stage.PLAYING:
        parts[-1] = "\n".join([parts[-1], *table_news(face), *_promise(face, public)])
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


def team_text(face: Face, public: PublicState, team: int) -> str:
    """A team's score, and what it has laid."""
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


def pile_text(face: Face, public: PublicState) -> str:
    """The pile, who may take it, and the stock."""
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


def seats_text(face: Face, public: PublicState) -> str:
    lines = []
    asked = face.rules.partners_of(public.turn) if public.phase is Phase.PERMISSION else ()
    for seat in range(face.rules.seats):
        facts = {"name": face.seat_title(seat), "count": face.words("count-cards", count=public.sizes[seat])}
        if seat in asked:
            key = "board-seat-asked" if seat in public.pending else "board-seat-yes"
            line = face.words(key, **facts)
        elif seat == public.turn and who_acts(public):
            doing = {Phase.DRAW: "draw", Phase.PLAY: "play"}.get(public.phase, "wait")
            if public.phase is Phase.DRAW and not public.stock_size:
                doing = "leave" if may_decline(public) else "last-draw"
            line = face.words("board-seat-turn", doing=face.words(f"board-doing-{doing}"), **facts)
        else:
            line = face.words("board-seat", **facts)
        note = seat_note(face, seat)
        lines.append(face.words("board-seat-note", line=line, note=note) if note else line)
    return "\n".join(lines)


def seat_note(face: Face, seat: int) -> str:
    """What is special about who sits there: away, kept by an AI player, or open to somebody."""
    sitter = face.sitter(seat)
    if sitter is None:
        return ""
    if not sitter.is_active:
        notes = [] if sitter.is_ai else [face.words("board-seat-kept")]
        invite = face.invited(seat)
        if invite is not None:
            open_to_all = invite.user_id is None
            who = "" if open_to_all else face.person(invite.user_id or 0)
            notes.append(
                face.words("board-seat-open") if open_to_all else face.words("board-seat-invited", who=who)
            )
        return face.words("list-comma").join(notes)
    if seat in face.owed:
        return face.words("board-seat-owed")
    if sitter.away_until is not None and face.is_away(sitter):
        return face.words("board-seat-away", when=when(sitter.away_until))
    return ""


def table_news(face: Face) -> list[str]:
    """What a running table has to say of itself: its clock, a pause, a proposal, a place that is lost."""
    clock = _clock(face)
    lines = [clock] if clock else []
    if face.proposal is not None:
        lines.append(
            face.words(
                "board-proposal",
                name=face.person(face.proposal.by),
                clock=clock_text(face.locale, face.proposal.clock),
                now=clock_text(face.locale, face.clock),
            )
        )
    if face.lost:
        lines.append(face.words("board-lost"))
    return lines


def _clock(face: Face) -> str:
    """Whose clock runs and until when, or why none does. Empty where there is nothing to say."""
    if face.paused is not None:
        return face.words("board-paused", when=when(face.paused.until), left=in_how_long(face.paused.until))
    if face.rests:
        return face.words("board-rests")
    public = face.public
    waited = [sitter for seat in who_acts(public) if (sitter := face.sitter(seat))] if public else []
    people = [sitter for sitter in waited if sitter.is_active and sitter.seat not in face.owed]
    if public is None or not people:
        return ""
    names = face.words("team-and").join(face.name(sitter.seat) for sitter in people)
    if face.deadline is not None:
        key = "board-clock-answer" if public.phase is Phase.PERMISSION else "board-clock"
        return face.words(key, name=names, when=when(face.deadline), left=in_how_long(face.deadline))
    if face.clock is not None and any(map(face.is_away, people)):
        return face.words("board-clock-away", name=names)
    return ""


def _promise(face: Face, public: PublicState) -> list[str]:
    """The beginning of the running round's promise: as much as nobody could fake."""
    if not who_acts(public):
        return []
    return [face.words("board-promise", promise=face.commitment[:PROMISE])]


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
            lines.append(face.words("board-next-round", when=in_how_long(face.deadline)))
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
        replay = button(face.click(Verb.REPLAY), face.words("button-replay"))
        if public.phase is not Phase.GAME_OVER:
            return [scores, replay, rules]
        again = button(face.click(Verb.REMATCH), face.words("button-rematch"), style=_PRIMARY)
        return [again, scores, replay, rules]
    if public.phase is Phase.ROUND_OVER:
        following = button(
            face.click(Verb.NEXT), face.words("button-next"), style=_PRIMARY, disabled=face.paused is not None
        )
        return [following, scores, rules, *seat_buttons(face)]
    drawing = public.phase is Phase.DRAW and face.paused is None
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
        *seat_buttons(face),
    ]


def seat_buttons(face: Face) -> list[ui.Button[Any]]:
    """*I am back* for whoever is away, and one button for each seat that may be taken."""
    found = []
    if any(sitter.absent or face.is_away(sitter) for sitter in face.sitters):
        found.append(back_button(face))
    for invite in face.invites:
        sitter = face.sitter(invite.seat)
        if sitter is not None and not sitter.is_active:
            key = "button-take-seat" if len(face.invites) == 1 else "button-take-seat-number"
            label = face.words(key, seat=invite.seat + 1)
            found.append(button(face.click(Verb.TAKE_SEAT, str(invite.seat)), label))
    return found


def back_button(face: Face) -> ui.Button[Any]:
    """*I am back*, which counts only for whoever presses it."""
    return button(face.click(Verb.BACK), face.words("button-back"), style=_SUCCESS)
