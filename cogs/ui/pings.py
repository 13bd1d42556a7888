"""Short public messages about clocks and seats: a reminder, a stand-in, a proposal, an invitation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import discord

from canasta_core.legality import who_acts
from canasta_core.state import Phase
from canasta_core.tables.model import Proposal, Sitter
from cogs.ui.face import Face, person_name
from cogs.ui.layout import Click, Layout, Row, Verb, button, note, table_name
from cogs.ui.text import text
from cogs.ui.times import duration, in_how_long


def reminder(face: Face, user_ids: Sequence[int], deadline: float, url: str) -> tuple[str, Row]:
    """Tells people that their clock will run out, with *My hand*."""
    content = face.words(
        "reminder-answer" if face.phase is Phase.PERMISSION else "reminder",
        mention=" ".join(f"<@{user_id}>" for user_id in user_ids),
        table=linked(face, url),
        when=in_how_long(deadline),
    )
    return content, _hand(face)


def stand_in(
    face: Face, sitter: Sitter, url: str, *, pings: bool, others: Sequence[Sitter] = ()
) -> tuple[str, Row]:
    """Tells a person that an AI player keeps their seat, with the one click that ends it.

    `others` were told before, and are named along with them.
    """
    who = f"<@{sitter.user_id}>" if pings else f"**{face.name(sitter.seat)}**"
    names = [who, *(f"**{face.name(other.seat)}**" for other in others)]
    content = face.words("stand-in", mention=face.words("list-comma").join(names), table=linked(face, url))
    click = face.click(Verb.BACK)
    return content, Row(button(click, face.words("button-back"), style=discord.ButtonStyle.success))


def proposal(face: Face, proposed: Proposal, url: str) -> tuple[str, Row]:
    """Another clock, who has agreed, and who is still to."""
    agreed = [sitter.seat for sitter in face.sitters if sitter.user_id in proposed.agreed]
    open_ = [sitter.seat for sitter in face.sitters if sitter.is_active and sitter.seat not in agreed]
    by = next((sitter.seat for sitter in face.sitters if sitter.user_id == proposed.by), None)
    lines = [
        face.words(
            "proposal",
            name="?" if by is None else face.name(by),
            table=linked(face, url),
            clock=clock_text(face.locale, proposed.clock),
        )
    ]
    if open_:
        names = face.words("list-comma").join(face.name(seat) for seat in open_)
        lines.append(face.words("proposal-open", names=names))
    return "\n".join(lines), Row(
        button(
            Click(Verb.AGREE, face.id, proposed.version),
            face.words("button-agree"),
            style=discord.ButtonStyle.success,
        ),
        button(Click(Verb.KEEP_CLOCK, face.id, proposed.version), face.words("button-keep-clock")),
    )


def proposal_decided(face: Face, asked: int | None, *, by: str, decider: str, yes: bool | None) -> str:
    """What a proposal has come to. `by` proposed the clock `asked`.

    `yes`: it counts, since all agreed or since the moderator `decider` said so; with a no of `decider` it
    does not; None: it has lapsed.
    """
    key = {True: "set" if decider else "agreed", False: "kept", None: "lapsed"}[yes]
    return face.words(
        f"proposal-{key}",
        table=table_name(face.locale, face.id),
        by=by,
        name=decider,
        asked=clock_text(face.locale, asked),
        clock=clock_text(face.locale, face.clock),
    )


def left(face: Face, seat: int, name: str, host: str) -> str:
    """Somebody has left a running game; `host` is who has that part now, if it was theirs."""
    facts: dict[str, int | str] = {
        "name": name,
        "table": table_name(face.locale, face.id),
        "ai": face.name(seat),
        "seat": seat + 1,
    }
    said = face.words("left", **facts)
    return f"{said} {face.words('left-host', name=host)}" if host else said


def replaced(face: Face, seat: int, user_id: int, by: str, role: str, url: str) -> str:
    """Tells a person that they have lost their seat. `role`: `host`, `moderator`, or `taken` by a guest."""
    return face.words(
        "replaced-taken" if role == "taken" else "replaced",
        mention=f"<@{user_id}>",
        by=by,
        role=role,
        seat=seat + 1,
        table=linked(face, url),
    )


def invitations(face: Face, url: str, before: Mapping[int, str]) -> tuple[str, Row]:
    """Invites to all seats that an AI player plays and somebody may take: one person each, or anybody.

    `before`: the names of those who had these seats.
    """
    lines = []
    for invite in face.invites:
        facts: dict[str, int | str] = {
            "table": linked(face, url),
            "seat": invite.seat + 1,
            "what": _seat_offered(face, invite.seat, before),
        }
        if invite.user_id is None:
            lines.append(face.words("invite-open", **facts))
        else:
            lines.append(face.words("invite", mention=f"<@{invite.user_id}>", **facts))
    key = "button-take-seat" if len(lines) == 1 else "button-take-seat-number"
    buttons = [
        button(
            face.click(Verb.TAKE_SEAT, str(invite.seat)),
            face.words(key, seat=invite.seat + 1),
            style=discord.ButtonStyle.success,
        )
        for invite in face.invites
    ]
    return "\n".join(lines), Row(*buttons)


def _seat_offered(face: Face, seat: int, before: Mapping[int, str]) -> str:
    """For whom one would play on, with whom, and how many cards there are."""
    sitter, rules = face.sitter(seat), face.rules
    if sitter is not None and not sitter.is_ai:
        said = [face.words("invite-for-kept", name=person_name(face.locale, sitter.user_id, sitter.name))]
    elif seat in before:
        said = [face.words("invite-for", name=before[seat])]
    else:
        said = [face.words("invite-for-ai", name=face.name(seat))]
    if rules.has_partners:
        partners = face.words("team-and").join(face.name(one) for one in rules.partners_of(seat))
        said.append(face.words("invite-team", team=face.letter(rules.team_of(seat)), names=partners))
    if face.public is not None and who_acts(face.public):
        said.append(face.words("count-cards", count=face.public.sizes[seat]))
    return face.words("list-comma").join(said)


def moved(face: Face, channel_id: int) -> Layout:
    """What the old board becomes: a pointer to the new place."""
    return note(
        face.words("moved", table=table_name(face.locale, face.id), channel=f"<#{channel_id}>"),
    )


def lost_text(locale: str, why: str) -> str:
    """Why a table's channel cannot be reached: `Table.lost` in words."""
    return text(locale, f"lost-{why}")


def elsewhere(face: Face, why: str, channel_id: int) -> str:
    """Why somebody is told here, and what to do about it."""
    return face.words(
        "told-elsewhere",
        table=table_name(face.locale, face.id),
        number=str(face.id),
        channel=f"<#{channel_id}>",
        why=lost_text(face.locale, why),
    )


def clock_text(locale: str, clock: int | None) -> str:
    """A clock in words; None: no clock."""
    return text(locale, "clock-none") if clock is None else duration(locale, clock)


def linked(face: Face, url: str) -> str:
    """The table's name, as a link to its board where there is one."""
    name = table_name(face.locale, face.id)
    return f"[{name}]({url})" if url else name


def _hand(face: Face) -> Row:
    return Row(button(face.click(Verb.HAND), face.words("button-hand"), style=discord.ButtonStyle.primary))
