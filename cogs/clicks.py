"""Where every click arrives: one dynamic item for all buttons and selects, whatever process sent them."""

from typing import Any, Protocol

import discord
from discord import app_commands, ui

from cogs.desk import Desk, DeskError, Interaction, begin
from cogs.ui.layout import TEMPLATE, Click


class Bot(Protocol):
    """What this room needs of a discord.py client."""

    @property
    def tree(self) -> app_commands.CommandTree[Any]: ...

    def add_dynamic_items(self, *items: type[ui.DynamicItem[ui.Item[Any]]]) -> None: ...

    def event(self, coro: Any, /) -> Any: ...

    def get_partial_messageable(self, channel_id: int, /) -> discord.PartialMessageable: ...

    def get_guild(self, guild_id: int, /) -> discord.Guild | None: ...

    def get_channel(self, channel_id: int, /) -> Any: ...

    async def fetch_channel(self, channel_id: int, /) -> Any: ...

    async def create_dm(self, user: Any) -> discord.DMChannel: ...


def register(desk: Desk, bot: Bot) -> None:
    """Make the bot answer every click, also those on messages of an older version of it."""

    class Control(ui.DynamicItem[ui.Item[Any]], template=TEMPLATE):
        """A button or select of this bot; its custom id says what it does."""

        @classmethod
        async def from_custom_id(cls, _: Interaction, item: ui.Item[Any], __: Any, /) -> "Control":
            return cls(item)

        async def callback(self, interaction: Interaction) -> None:
            await answer(desk, interaction, self.custom_id)

    async def on_interaction(interaction: Interaction) -> None:
        """discord.py drops a click that no item matches; its player is owed an answer all the same."""
        if interaction.type is not discord.InteractionType.component:
            return
        custom_id = str(dict(interaction.data or {}).get("custom_id", ""))
        if TEMPLATE.fullmatch(custom_id) is None:
            await answer(desk, interaction, custom_id)

    bot.add_dynamic_items(Control)
    bot.event(on_interaction)


async def answer(desk: Desk, interaction: Interaction, custom_id: str) -> None:
    """Do what a custom id says, or say that it is of no use any more."""
    async with desk.guarded(interaction):
        await begin(interaction)
        click = Click.read(custom_id)
        handler = desk.handlers.get(click.verb) if click is not None else None
        if click is None or handler is None:
            raise DeskError("outdated")
        await handler(desk, interaction, click)
