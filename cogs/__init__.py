"""Discord, and nothing else: commands, clicks, and the words and layouts they are answered with.

`setup` makes a client answer; `DiscordTeller` is how tables tell people what has happened.
"""

from typing import Any

import discord
from discord import app_commands

from canasta_core.tables.service import TableService
from cogs import (
    away,
    clicks,
    cup,
    fair,
    history,
    hosting,
    info,
    leaderboard,
    lists,
    lobby,
    moving,
    opening,
    play,
    preferences,
    privacy,
    replays,
    server_settings,
    stats,
)
from cogs.clicks import Bot
from cogs.desk import Desk, Interaction
from cogs.teller import DiscordTeller
from cogs.ui.text import command_text

__all__ = ["DiscordTeller", "setup"]


async def setup(bot: Bot, service: TableService) -> None:
    """Register all commands on `bot.tree`, all clicks, and the answer to every error.

    Call it once, before the commands are synced and the first event comes in.
    """
    desk = Desk(service)
    tree = bot.tree
    group = app_commands.Group(name="canasta", description=command_text("command-canasta"))
    opening.register(desk, group)
    lobby.register(desk, group)
    hosting.register(desk, group)
    moving.register(desk, group)
    server_settings.register(desk, group)
    lists.register(desk, group)
    cup.register(desk, group, bot)
    tree.add_command(group)
    play.register(desk, tree)
    info.register(desk, tree)
    away.register(desk, tree)
    preferences.register(desk, tree)
    leaderboard.register(desk, tree)
    stats.register(desk, tree)
    history.register(desk, tree)
    replays.register(desk, tree)
    fair.register(desk, tree)
    for command in tree.get_commands():
        if isinstance(command, app_commands.Command | app_commands.Group):
            command.allowed_contexts = app_commands.AppCommandContext(guild=True)
            command.allowed_installs = app_commands.AppInstallationType(guild=True)
    privacy.register(desk, tree)
    tree.error(_on_error(desk))
    clicks.register(desk, bot)


def _on_error(desk: Desk) -> Any:
    async def on_error(interaction: Interaction, error: app_commands.AppCommandError) -> None:
        """What fails before a command's own code is reached, as an option that cannot be read."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        if interaction.type is not discord.InteractionType.autocomplete:
            await desk.answer_error(interaction, cause)

    return on_error
