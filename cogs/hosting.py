"""What hosts and moderators do with a table: `/canasta move|pause|replace|…`, and the clicks that answer it.

A command without `table:` means the one of this channel that the person hosts, else the only one here.
"""

from collections.abc import Callable, Coroutine
from typing import Any, Final, NoReturn

import discord
from discord import app_commands

from canasta_core import ai
from canasta_core.tables.errors import StoreError, TableCode, TableError
from canasta_core.tables.hosting import check_replace
from canasta_core.tables.model import DAY, Person, Sitter, Stage, Table
from cogs.autocomplete import LONGEST, MOST, tables_here
from cogs.dates import here, read_until, until_dates
from cogs.desk import (
    Desk,
    DeskError,
    Interaction,
    SeveralTablesError,
    begin,
    guild_of,
    is_moderator,
    is_private,
    locale_of,
    now,
    only_of,
    person_of,
    say_done,
    sentence,
    show,
)
from cogs.opening import clock_choices, read_clock
from cogs.ui.face import face_of
from cogs.ui.layout import MAX_CUSTOM_ID, Click, Verb, button, cut, name_text, note, table_name
from cogs.ui.log import log_layout
from cogs.ui.pings import clock_text
from cogs.ui.refusals_text import table_error_text
from cogs.ui.text import DEFAULT, command_text, text
from cogs.ui.times import duration, in_how_long, when

HOUR: Final = 3_600
PAUSES: Final = (HOUR, 8 * HOUR, DAY, 3 * DAY, 7 * DAY, 14 * DAY, 28 * DAY)
"""Lengths of a pause, in seconds."""
NOBODY: Final = "0"
"""Stands for no guest."""
WITHDRAWN: Final = "-"
"""Stands for an invitation that is taken back."""

Number = app_commands.Choice[int]
Seats = Callable[[Interaction, Any], Coroutine[Any, Any, list[Any]]]


def register(desk: Desk, group: app_commands.Group) -> None:
    """Add the commands to the group `/canasta`, and what they and the clicks do to the desk."""
    desk.errands |= {
        "pause": _pause,
        "resume": _resume,
        "replace": _replace,
        "invite": _invite,
        "host": _host,
        "clock": _clock,
        "end": _end,
        "log": _log,
    }
    desk.handlers |= {
        Verb.AGREE: _click_agree,
        Verb.KEEP_CLOCK: _click_keep_clock,
        Verb.END_TABLE: _click_end,
        Verb.LOG: _click_log,
        Verb.REPLACE: _click_replace,
    }
    _time_commands(desk, group)
    _seat_commands(desk, group)
    _plain_commands(desk, group)


def _time_commands(desk: Desk, group: app_commands.Group) -> None:
    @group.command(name="pause", description=command_text("command-pause"))
    @app_commands.rename(length="for")
    @app_commands.describe(
        length=command_text("option-for"),
        until=command_text("option-until"),
        table=command_text("option-table"),
    )
    @app_commands.choices(
        length=[app_commands.Choice(name=duration(DEFAULT, length), value=length) for length in PAUSES]
    )
    @app_commands.autocomplete(until=until_dates(desk), table=tables_here(desk))
    async def pause(
        interaction: Interaction, length: int | None = None, until: str = "", table: str | None = None
    ) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            if length is not None and until.strip():
                raise DeskError("for_and_until")
            end = now() + (length or DAY)
            if until.strip():
                end = read_until(until, await here(desk, interaction), locale_of(interaction)).timestamp()
            await run(desk, interaction, table, "pause", str(int(end)))

    @group.command(name="clock", description=command_text("command-clock"))
    @app_commands.describe(to=command_text("option-clock"), table=command_text("option-table"))
    @app_commands.choices(to=clock_choices())
    @app_commands.autocomplete(table=tables_here(desk))
    async def clock(interaction: Interaction, to: int, table: str | None = None) -> None:
        await run(desk, interaction, table, "clock", str(to))


def _seat_commands(desk: Desk, group: app_commands.Group) -> None:
    tables = tables_here(desk)

    @group.command(name="replace", description=command_text("command-replace"))
    @app_commands.describe(
        seat=command_text("option-seat-replace"),
        level=command_text("option-level"),
        member=command_text("option-member-replace"),
        table=command_text("option-table"),
    )
    @app_commands.choices(level=[app_commands.Choice(name=level, value=level) for level in ai.levels()])
    @app_commands.autocomplete(seat=seats_of(desk, lambda sitter: not sitter.is_ai), table=tables)
    async def replace(
        interaction: Interaction,
        seat: int,
        level: str = "medium",
        member: discord.User | None = None,
        table: str | None = None,
    ) -> None:
        await run(desk, interaction, table, "replace", f"{seat} {level} {_guest_text(member)}")

    @group.command(name="invite", description=command_text("command-invite"))
    @app_commands.describe(
        seat=command_text("option-seat-invite"),
        member=command_text("option-member-invite"),
        withdraw=command_text("option-withdraw"),
        table=command_text("option-table"),
    )
    @app_commands.autocomplete(seat=seats_of(desk, lambda sitter: not sitter.is_active), table=tables)
    async def invite(
        interaction: Interaction,
        seat: int,
        member: discord.User | None = None,
        withdraw: bool = False,
        table: str | None = None,
    ) -> None:
        guest = WITHDRAWN if withdraw else _guest_text(member)
        await run(desk, interaction, table, "invite", f"{seat} {guest}")

    @group.command(name="host", description=command_text("command-host"))
    @app_commands.describe(to=command_text("option-host"), table=command_text("option-table"))
    @app_commands.autocomplete(table=tables)
    async def host(interaction: Interaction, to: discord.User, table: str | None = None) -> None:
        await run(desk, interaction, table, "host", str(to.id))


def _plain_commands(desk: Desk, group: app_commands.Group) -> None:
    tables = tables_here(desk)

    @group.command(name="resume", description=command_text("command-resume"))
    @app_commands.describe(table=command_text("option-table"))
    @app_commands.autocomplete(table=tables)
    async def resume(interaction: Interaction, table: str | None = None) -> None:
        await run(desk, interaction, table, "resume")

    @group.command(name="end", description=command_text("command-end"))
    @app_commands.describe(table=command_text("option-table"))
    @app_commands.autocomplete(table=tables)
    async def end(interaction: Interaction, table: str | None = None) -> None:
        await run(desk, interaction, table, "end")

    @group.command(name="log", description=command_text("command-log"))
    @app_commands.describe(table=command_text("option-table"))
    @app_commands.autocomplete(table=tables)
    async def log(interaction: Interaction, table: str | None = None) -> None:
        await run(desk, interaction, table, "log")


async def table_meant(desk: Desk, interaction: Interaction, named: str | None) -> Table:
    """The named table; else the one of this channel that the person hosts; else the only one here.

    Never one of another channel: nobody would expect that one to be paused, or to end.
    """
    if named:
        return await desk.named_table(interaction, named)
    here = await desk.service.tables_in(guild_of(interaction), interaction.channel_id)
    own = [table for table in here if table.host_id == interaction.user.id]
    return only_of(own, here) or refuse("no_table_here")


def refuse(code: str) -> NoReturn:
    raise DeskError(code)


async def run(desk: Desk, interaction: Interaction, named: str | None, errand: str, typed: str = "") -> None:
    """A whole command of a host."""
    await desk.run(interaction, named, errand, typed, find=table_meant)


def seats_of(desk: Desk, fits: Callable[[Sitter], bool]) -> Seats:
    """The option `seat:` of a host's command: the seats of the table that is meant, by who sits there."""

    async def complete(interaction: Interaction, typed: Any) -> list[Number]:
        try:
            table = await table_meant(desk, interaction, getattr(interaction.namespace, "table", None))
        except (DeskError, SeveralTablesError, TableError, StoreError):
            return []
        fitting = [sitter for sitter in table.sitters if fits(sitter)]
        named = [
            (text(table.locale, "choose-seat", seat=sitter.seat + 1, name=sitter.name), sitter.seat + 1)
            for sitter in fitting
        ]
        wanted = str(typed).strip().lower()
        return [
            Number(name=cut(name, LONGEST), value=seat) for name, seat in named if wanted in name.lower()
        ][:MOST]

    return complete


# What the commands do


async def _pause(desk: Desk, interaction: Interaction, table: Table, typed: str) -> None:
    until = float(typed)
    paused = await desk.service.pause(
        table.id, person_of(interaction), until, moderator=is_moderator(interaction, table)
    )
    await say_done(interaction, paused, "host-paused", when=when(until), left=in_how_long(until))


async def _resume(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    resumed = await desk.service.resume(
        table.id, person_of(interaction), moderator=is_moderator(interaction, table)
    )
    await say_done(interaction, resumed, "host-resumed")


async def _replace(desk: Desk, interaction: Interaction, table: Table, typed: str) -> None:
    """A person's seat goes to an AI player, and a guest may take it over: once that has been asked."""
    seat, level, guest = _read_replace(interaction, table, typed)
    sitter = table.sitter(seat)
    label = text(table.locale, "button-replace")
    click = Click(Verb.REPLACE, table.id, table.version, typed)
    spare = len(click.custom_id) - MAX_CUSTOM_ID
    if spare > 0:  # the guest's name, which comes last and is only the one they had last
        click = Click(Verb.REPLACE, table.id, table.version, typed[:-spare])
    key = "host-replace-sure-lobby" if table.stage is Stage.LOBBY else "host-replace-sure"
    said = sentence(
        table,
        key if guest is None else "host-replace-sure-guest",
        name=name_text(sitter.name if sitter else ""),
        seat=seat + 1,
        level=level,
        guest="" if guest is None else f"<@{guest.user_id}>",
    )
    await show(interaction, note(said, button(click, label, style=discord.ButtonStyle.danger)))


def _read_replace(interaction: Interaction, table: Table, typed: str) -> tuple[int, str, Person | None]:
    """Which seat goes to an AI player of which level, and who may take it over.

    Raises TableError, and DeskError where that person is the last one at the table.
    """
    number, level, guest_words = typed.split(" ", maxsplit=2)
    seat, by, guest = int(number) - 1, person_of(interaction), _guest(guest_words)
    check_replace(table, seat, by, level, moderator=is_moderator(interaction, table))
    if len(table.people) == 1:
        # With its last person the table would end, whoever is invited.
        raise DeskError("replace_last")
    held = None if guest is None else table.seat_of(guest.user_id)
    if guest is not None and held not in (None, seat):
        raise TableError(TableCode.GUEST_SEATED, seat=held or 0, name=guest.name)
    return seat, level, guest


async def _replace_now(desk: Desk, interaction: Interaction, table: Table, typed: str) -> None:
    seat, level, guest = _read_replace(interaction, table, typed)
    by, moderator, before = person_of(interaction), is_moderator(interaction, table), table.sitter(seat)
    replaced = await desk.service.replace(table.id, seat, by, level=level, moderator=moderator)
    facts: dict[str, int | str] = {
        "seat": seat + 1,
        "name": name_text(before.name if before else ""),
        "ai": _name(replaced, seat),
    }
    if guest is None or replaced.stage is not Stage.PLAYING:
        await say_done(interaction, replaced, "host-replaced", **facts)
        return
    try:
        invited = await desk.service.invite(table.id, seat, by, guest, moderator=moderator)
    except TableError as error:
        # The seat has changed hands all the same.
        lines = [sentence(replaced, "host-replaced", **facts), table_error_text(replaced.locale, error)]
        await show(interaction, note("\n".join(lines)))
        return
    await say_done(interaction, invited, "host-replaced-invited", guest=f"<@{guest.user_id}>", **facts)


async def _invite(desk: Desk, interaction: Interaction, table: Table, typed: str) -> None:
    number, guest_words = typed.split(" ", maxsplit=1)
    seat = int(number) - 1
    if guest_words == WITHDRAWN:
        alone = await desk.service.withdraw(
            table.id, seat, person_of(interaction), moderator=is_moderator(interaction, table)
        )
        await say_done(interaction, alone, "host-withdrawn", seat=seat + 1)
        return
    guest = _guest(guest_words)
    invited = await desk.service.invite(
        table.id, seat, person_of(interaction), guest, moderator=is_moderator(interaction, table)
    )
    if guest is None:
        await say_done(interaction, invited, "host-opened", seat=seat + 1)
    else:
        await say_done(interaction, invited, "host-invited", seat=seat + 1, guest=f"<@{guest.user_id}>")


async def _host(desk: Desk, interaction: Interaction, table: Table, typed: str) -> None:
    handed = await desk.service.hand_over(
        table.id, person_of(interaction), int(typed), moderator=is_moderator(interaction, table)
    )
    seat = handed.seat_of(int(typed))
    await say_done(interaction, handed, "host-handed", name="?" if seat is None else _name(handed, seat))


async def _clock(desk: Desk, interaction: Interaction, table: Table, typed: str) -> None:
    clock = read_clock(int(typed))
    changed = await desk.service.propose_clock(
        table.id, person_of(interaction), clock, moderator=is_moderator(interaction, table)
    )
    key = "host-clock-proposed" if changed.clock != clock else "host-clock"
    await say_done(interaction, changed, key, clock=clock_text(changed.locale, clock))


async def _end(desk: Desk, interaction: Interaction, table: Table, _: str) -> None:
    """A running game is ended by a second click: so much must not depend on one slip."""
    if table.stage is Stage.PLAYING:
        if interaction.user.id != table.host_id and not is_moderator(interaction, table):
            raise TableError(TableCode.NOT_HOST)
        round_number = table.state.public.round_number if table.state is not None else 0
        await ask_to_end(
            interaction, table, sentence(table, "host-end-sure", round=round_number, people=len(table.people))
        )
        return
    await _end_now(desk, interaction, table)


async def ask_to_end(interaction: Interaction, table: Table, said: str) -> None:
    """Say what it means that a running game ends, with the button that ends it."""
    label = text(table.locale, "button-end-table", table=table_name(table.locale, table.id))
    sure = button(Click(Verb.END_TABLE, table.id, table.version), label, style=discord.ButtonStyle.danger)
    await show(interaction, note(said, sure))


async def _end_now(desk: Desk, interaction: Interaction, table: Table) -> None:
    ended = await desk.service.end(
        table.id, person_of(interaction), moderator=is_moderator(interaction, table)
    )
    await say_done(interaction, ended, "lobby-ended")


async def _log(desk: Desk, interaction: Interaction, table: Table, _: str = "", page: int = 0) -> None:
    """Who came and went and what was done to the table: nothing of the game itself."""
    entries = await desk.service.doings(table.id)
    tenures = await desk.service.tenures(table.id)
    told = [entry.actor for entry in entries if entry.actor is not None]
    told += [value for entry in entries if isinstance(value := entry.detail.get("user_id"), int)]
    names = await desk.service.names(set(told))
    await show(interaction, log_layout(face_of(table), entries, tenures, names, page))


# What the clicks do


async def _click_agree(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _answer_proposal(desk, interaction, click, yes=True)


async def _click_keep_clock(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _answer_proposal(desk, interaction, click, yes=False)


async def _answer_proposal(desk: Desk, interaction: Interaction, click: Click, *, yes: bool) -> None:
    """The buttons belong to one proposal: they say nothing of a later one."""
    table = await desk.table(interaction, click.table)
    proposed = table.proposal
    if proposed is None or proposed.version != click.version:
        raise TableError(TableCode.NO_PROPOSAL)
    agreed = await desk.service.agree(table.id, person_of(interaction), yes, proposed.version)
    if not yes:
        await say_done(interaction, agreed, "host-clock-kept", clock=clock_text(agreed.locale, agreed.clock))
    elif agreed.proposal is None:
        await say_done(interaction, agreed, "host-clock", clock=clock_text(agreed.locale, agreed.clock))
    else:
        await say_done(interaction, agreed, "host-clock-agreed")


async def _click_replace(desk: Desk, interaction: Interaction, click: Click) -> None:
    """The second click; whoever has sat down since the question is not meant by it."""
    table = await desk.table(interaction, click.table)
    number, _, _ = click.arg.partition(" ")
    if not (is_private(interaction) and number.isdecimal()):
        raise DeskError("outdated")
    sitter = table.sitter(int(number) - 1)
    if sitter is not None and not sitter.is_ai and sitter.since > click.version:
        raise DeskError("outdated")
    await _replace_now(desk, interaction, table, click.arg)


async def _click_log(desk: Desk, interaction: Interaction, click: Click) -> None:
    await _log(desk, interaction, await desk.table(interaction, click.table), page=click.version)


async def _click_end(desk: Desk, interaction: Interaction, click: Click) -> None:
    """The second click: it is on the private question, and nowhere else."""
    if not is_private(interaction):
        raise DeskError("outdated")
    table = await desk.table(interaction, click.table)
    me = interaction.user.id
    alone = [one.user_id for one in table.people] == [me]
    if alone and me != table.host_id and not is_moderator(interaction, table):
        # The last one at a table of somebody else's, as in a cup: it ends because they leave.
        await desk.service.leave(table.id, person_of(interaction))
        await say_done(interaction, table, "lobby-left-closed")
        return
    await _end_now(desk, interaction, table)


def _guest_text(member: discord.User | discord.Member | None) -> str:
    """A guest as it travels in a question; names can be anything, so they come last. Raises DeskError."""
    if member is None:
        return NOBODY
    if member.bot:
        raise DeskError("guest_bot")
    return f"{member.id} {member.display_name[:32]}"


def _guest(words: str) -> Person | None:
    user_id, _, name = words.partition(" ")
    return None if user_id == NOBODY else Person(int(user_id), name)


def _name(table: Table, seat: int) -> str:
    return face_of(table).name(seat)
