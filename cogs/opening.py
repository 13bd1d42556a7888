"""Opening tables: `/canasta new`, what the server has chosen for them, and who may open one where.

What is judged and what is offered is the same for the tables of a cup (`cogs.cup`).
"""

import asyncio
import inspect
import logging
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any, Final, TypedDict

import discord
from discord import app_commands

from canasta_core.profiles import load_rules, profile, profile_ids
from canasta_core.tables.errors import StoreError
from canasta_core.tables.model import CLOCKS, DAY, ServerSettings
from cogs.answers import NETWORK, describe, may_pass
from cogs.autocomplete import Choice
from cogs.desk import Desk, DeskError, Interaction, begin, guild_of, locale_of, person_of, say_done
from cogs.house_rules import DEFAULT_PROFILE, house_rules, rules_options, seat_counts, targets, team_counts
from cogs.permissions import check_permissions
from cogs.replays import tables_ended
from cogs.ui.layout import bare_name
from cogs.ui.pings import clock_text
from cogs.ui.text import DEFAULT, command_text, languages, text

log = logging.getLogger(__name__)

NO_CLOCK: Final = 0
"""Stands for no clock where only a number can be said."""
MOST_NAMED: Final = 10
"""Channels or roles that a refusal names."""
ARCHIVE: Final = 10_080
"""Minutes without a message after which Discord puts a table's thread away: the longest there is."""
_THREAD_NAME: Final = 100
_RECEIPT: Final = 3.0
"""Seconds after which Discord has told of a thread by its gateway, if it was made although the request
failed."""


class Pace(TypedDict):
    """What a new table, or those of a cup, get whatever their rules are."""

    locale: str
    clock: int | None
    undo: bool
    away_limit: int


def profile_choices(seats: int | None = None) -> list[app_commands.Choice[str]]:
    """The profiles that there are, or that so many can play."""
    return [
        app_commands.Choice(name=profile(name).title, value=name)
        for name in profile_ids()
        if seats is None or seats in profile(name).seats
    ]


def clock_choices() -> list[app_commands.Choice[int]]:
    """Every clock that a table can have, for the options of commands."""
    return [
        app_commands.Choice(name=clock_text(DEFAULT, clock), value=NO_CLOCK if clock is None else clock)
        for clock in CLOCKS
    ]


def read_clock(value: int) -> int | None:
    """The clock that an option says."""
    return None if value == NO_CLOCK else value


def register(desk: Desk, group: app_commands.Group) -> None:
    """Add `/canasta new` to the group."""

    async def new(
        interaction: Interaction,
        profile: str | None = None,
        seats: int | None = None,
        teams: int | None = None,
        target: int | None = None,
        options: str = "",
        clock: int | None = None,
        undo: bool | None = None,
        thread: bool | None = None,
        duplicate: str | None = None,
        language: str | None = None,
    ) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            settings, pace = await terms(desk, interaction, clock=clock, undo=undo, language=language)
            earlier = None
            if duplicate:
                if profile or seats or teams or target or options:
                    raise DeskError("duplicate_rules")
                earlier = await desk.named_table(interaction, duplicate)
            name = profile or settings.profile
            wanted = {} if earlier else rules_options(name, seats, options, teams, target)
            if earlier is None:
                load_rules(name, seats, wanted)  # before there is a thread for nothing
            else:
                name = earlier.rules.profile
                await desk.service.check_repeatable(earlier.id, person_of(interaction))
            place = _Place.find(interaction, settings.threads if thread is None else thread, thread)
            check_permissions(interaction, makes_thread=place.makes_thread)
            channel_id = await place.make(desk, interaction, _thread_name(pace["locale"], name, interaction))
            try:
                host = person_of(interaction)
                if earlier is not None:
                    table = await desk.service.repeat(earlier.id, channel_id, host, **pace)
                else:
                    table = await desk.service.create(
                        guild_of(interaction),
                        channel_id,
                        host,
                        name,
                        seats=seats,
                        options=wanted,
                        **pace,
                    )
            except Exception:
                # A thread may not stay without its table; the error is answered where all are.
                await place.unmake()
                raise
            key = "lobby-opened-thread" if place.makes_thread else "lobby-opened"
            await say_done(interaction, table, key, channel=f"<#{channel_id}>")

    if len(languages()) == 1:
        shown = inspect.signature(new)
        fewer = [one for name, one in shown.parameters.items() if name != "language"]
        new.__signature__ = shown.replace(parameters=fewer)  # type: ignore[attr-defined]
    else:
        app_commands.choices(
            language=[
                app_commands.Choice(name=text(code, "language-name"), value=code) for code in languages()
            ]
        )(new)
        app_commands.describe(language=command_text("option-language"))(new)
    app_commands.describe(
        profile=command_text("option-profile"),
        seats=command_text("option-seats"),
        teams=command_text("option-teams"),
        target=command_text("option-target"),
        options=command_text("option-options"),
        clock=command_text("option-clock"),
        undo=command_text("option-undo"),
        thread=command_text("option-thread"),
        duplicate=command_text("option-duplicate"),
    )(new)
    app_commands.choices(profile=profile_choices())(new)
    app_commands.choices(clock=clock_choices())(new)
    app_commands.autocomplete(
        seats=with_default(desk, seat_counts),
        teams=with_default(desk, team_counts),
        target=with_default(desk, targets),
        options=with_default(desk, house_rules),
        duplicate=tables_ended(desk),
    )(new)
    group.command(name="new", description=command_text("command-new"))(new)


async def terms(
    desk: Desk,
    interaction: Interaction,
    *,
    clock: int | None,
    undo: bool | None = None,
    language: str | None = None,
) -> tuple[ServerSettings, Pace]:
    """What the server has chosen for tables, and what a new one gets where the host has not said otherwise.

    Raises DeskError when none may be opened in this channel, or by this person.
    """
    settings = await desk.service.server_settings(guild_of(interaction))
    check_may_open(interaction, settings)
    return settings, {
        "locale": language or settings.locale or _language(interaction),
        "clock": settings.clock if clock is None else read_clock(clock),
        "undo": settings.undo if undo is None else undo,
        "away_limit": settings.away_days * DAY,
    }


def check_may_open(interaction: Interaction, settings: ServerSettings) -> None:
    """Whether tables may be opened in this channel, and by this person. Raises DeskError.

    Who manages the server may open one whatever roles are asked for.
    """
    check_channel(interaction, settings, interaction.channel)
    mine = {role.id for role in getattr(interaction.user, "roles", ())}
    if settings.host_roles and not settings.host_roles & mine and not interaction.permissions.manage_guild:
        guild = interaction.guild
        there = {role.id for role in guild.roles} if guild is not None else mine
        roles = _mentions(settings.host_roles & there, "<@&{}>")
        raise DeskError("host_roles", roles=roles) if roles else DeskError("host_roles_gone")


def check_channel(interaction: Interaction, settings: ServerSettings, channel: object) -> None:
    """Whether the server allows tables in a channel, in its category, or in the channel of a thread.

    Raises DeskError.
    """
    if not settings.channels or settings.channels & _places(channel):
        return
    guild = interaction.guild
    there = {one.id for one in guild.channels} if guild is not None else set(settings.channels)
    channels = _mentions(settings.channels & there, "<#{}>")
    raise DeskError("channels", channels=channels) if channels else DeskError("channels_gone")


def _places(channel: object) -> set[int]:
    """Ids of a channel, and of the channel and the category that it is in."""
    if isinstance(channel, discord.Thread):
        return {channel.id, channel.parent_id} | (_places(channel.parent) if channel.parent else set())
    found = (getattr(channel, name, None) for name in ("id", "category_id"))
    return {one for one in found if isinstance(one, int)}


def _mentions(ids: frozenset[int], form: str) -> str:
    named = [form.format(one) for one in sorted(ids)]
    return ", ".join([*named[:MOST_NAMED], *(["…"] if len(named) > MOST_NAMED else [])])


def _language(interaction: Interaction) -> str:
    """The host's own language, where the bot speaks it."""
    code = locale_of(interaction).split("-", maxsplit=1)[0].lower()
    return code if code in languages() else DEFAULT


def _thread_name(locale: str, profile_name: str, interaction: Interaction) -> str:
    """What a table's thread is called: a table has no number before it has a place."""
    host = bare_name(interaction.user.display_name, 40)
    return text(locale, "thread-name", title=profile(profile_name).title, name=host)[:_THREAD_NAME]


class _Place:
    """Where a new table will be: this channel, or a thread that is made for it."""

    def __init__(self, parent: discord.TextChannel | None) -> None:
        self._parent = parent
        self._thread: discord.Thread | None = None

    @classmethod
    def find(cls, interaction: Interaction, wanted: bool, asked: bool | None) -> "_Place":
        """Raises DeskError when the host has asked for a thread where there can be none.

        Where only the server wants threads, a channel without them holds the table itself.
        """
        channel = interaction.channel
        if isinstance(channel, discord.TextChannel) and wanted:
            return cls(channel)
        if asked:
            raise DeskError("no_thread_here")
        return cls(None)

    @property
    def makes_thread(self) -> bool:
        return self._parent is not None

    async def make(self, desk: Desk, interaction: Interaction, name: str) -> int:
        """Id of the channel, the thread being there. Raises DeskError."""
        if self._parent is None:
            if interaction.channel_id is None:
                raise DeskError("guild_only")
            return interaction.channel_id
        kind = (
            discord.ChannelType.news_thread if self._parent.is_news() else discord.ChannelType.public_thread
        )
        asked = discord.utils.time_snowflake(discord.utils.utcnow() - timedelta(seconds=_RECEIPT))
        try:
            self._thread = await self._parent.create_thread(
                name=name, type=kind, auto_archive_duration=ARCHIVE
            )
        except (discord.HTTPException, discord.RateLimited, *NETWORK) as error:
            log.warning("no thread in channel %s: %s", self._parent.id, describe(error))
            if may_pass(error):
                self._thread = await self._made_all_the_same(desk, self._parent, name, asked)
            if self._thread is None:
                raise DeskError("no_thread" if not may_pass(error) else "discord") from error
        return self._thread.id

    async def _made_all_the_same(
        self, desk: Desk, parent: discord.TextChannel, name: str, asked: int
    ) -> discord.Thread | None:
        """The thread whose receipt did not come: it would be left without a table."""
        await asyncio.sleep(_RECEIPT)
        for thread in own_threads(parent, name):
            if thread.id >= asked and not await desk.service.tables_in(parent.guild.id, thread.id):
                return thread
        return None

    async def unmake(self) -> None:
        """The table has not come about: its thread goes again, if it can."""
        if self._thread is None:
            return
        try:
            await self._thread.delete()
        except (discord.HTTPException, discord.RateLimited, *NETWORK) as error:
            log.warning("thread %s stays, without a table: %s", self._thread.id, describe(error))


def own_threads(parent: discord.TextChannel, name: str) -> list[discord.Thread]:
    """The bot's own threads of this name that Discord has told of."""
    mine = parent.guild.me.id
    return [thread for thread in parent.threads if thread.owner_id == mine and thread.name == name]


Offer = Callable[[Interaction, Any, str], Coroutine[Any, Any, Any]]


def with_default(desk: Desk, offer: Offer) -> Callable[[Interaction, Any], Coroutine[Any, Any, list[Choice]]]:
    """Offers for the server's own profile where none is chosen."""

    async def complete(interaction: Interaction, typed: Any) -> Any:
        default = DEFAULT_PROFILE
        if interaction.namespace.profile is None and interaction.guild_id is not None:
            try:
                default = (await desk.service.server_settings(interaction.guild_id)).profile
            except StoreError:
                return []
        return await offer(interaction, typed, default)

    return complete
