"""Short public messages that ping: whose turn it is, and the partner's question."""

from collections.abc import Sequence

import discord

from canasta_core.events import Answered, Asked, Event
from cogs.ui.face import Face
from cogs.ui.layout import Row, Verb, button, table_name
from cogs.ui.times import in_how_long, when


def turn_ping(face: Face, user_id: int, url: str) -> tuple[str, Row]:
    """Tells one player that it is their turn, with a link to the board and *My hand*."""
    table = table_name(face.locale, face.id)
    facts = {"mention": f"<@{user_id}>", "table": table}
    content = face.words("turn-ping", url=url, **facts) if url else face.words("turn-ping-plain", **facts)
    if face.deadline is not None:
        until = face.words("turn-ping-until", when=when(face.deadline), left=in_how_long(face.deadline))
        content = f"{content} {until}"
    return content, Row(
        button(face.click(Verb.HAND), face.words("button-hand"), style=discord.ButtonStyle.primary)
    )


def question_ping(face: Face, user_ids: Sequence[int]) -> tuple[str, Row]:
    """Asks the partners; only they can press *Yes* and *No*."""
    public = face.public
    content = face.words(
        "question-ping",
        mentions=" ".join(f"<@{user_id}>" for user_id in user_ids),
        name=face.name(public.turn if public is not None else 0),
        partners=len(face.rules.partners_of(public.turn)) if public is not None else 1,
        table=table_name(face.locale, face.id),
    )
    return content, Row(
        button(face.click(Verb.YES), face.words("button-yes"), style=discord.ButtonStyle.success),
        button(face.click(Verb.NO), face.words("button-no"), style=discord.ButtonStyle.danger),
    )


def question_closed(face: Face, events: Sequence[Event]) -> str | None:
    """The question with its answer, from what has happened lately; None when that no longer tells."""
    asked = next((event for event in reversed(events) if isinstance(event, Asked)), None)
    if asked is None:
        return None
    later = list(events)[list(events).index(asked) :]
    answers = [event.yes for event in later if isinstance(event, Answered)]
    if not answers:
        return face.words("question-closed", name=face.name(asked.seat))
    return face.words("question-yes" if all(answers) else "question-no", name=face.name(asked.seat))
