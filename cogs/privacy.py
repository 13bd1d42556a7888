"""`/privacy`: everything that is stored about oneself, as a file; and its deletion."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final

from discord import app_commands

from cogs.answers import Upload
from cogs.desk import Desk, DeskError, Interaction, begin, is_private, locale_of, now, show
from cogs.ui.layout import Click, Verb
from cogs.ui.privacy import MOST_FILES, delete_question, deleted, files_layout, files_of
from cogs.ui.text import command_text

log = logging.getLogger(__name__)

MARGIN: Final = 256 * 1024
"""Bytes of an upload that are not the file's own."""


def register(desk: Desk, tree: app_commands.CommandTree[Any]) -> None:
    """Add the group to the tree, and the click that deletes to the desk.

    It is to be had in direct messages too: for those who have left the server where they played.
    """
    desk.handlers[Verb.FORGET] = _click_forget
    group = app_commands.Group(
        name="privacy",
        description=command_text("command-privacy"),
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True),
        allowed_installs=app_commands.AppInstallationType(guild=True),
    )

    @group.command(name="export", description=command_text("command-privacy-export"))
    async def export(interaction: Interaction) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            await _export(desk, interaction)

    @group.command(name="delete", description=command_text("command-privacy-delete"))
    async def delete(interaction: Interaction) -> None:
        async with desk.guarded(interaction):
            await begin(interaction)
            seated = await desk.service.tables_of(interaction.user.id)
            await show(interaction, delete_question(locale_of(interaction), len(seated)))

    tree.add_command(group)


async def _export(desk: Desk, interaction: Interaction) -> None:
    locale = locale_of(interaction)
    data = await desk.service.own_data(interaction.user.id)
    limit = interaction.filesize_limit - MARGIN
    files = await asyncio.to_thread(files_of, locale, data, now(), limit)
    if len(files) > MOST_FILES:
        raise DeskError("own_data_too_long")
    uploads = [Upload(name, content) for name, content in files.items()]
    await show(interaction, files_layout(locale, list(files)), uploads)


async def _click_forget(desk: Desk, interaction: Interaction, click: Click) -> None:
    """Whoever clicks on a private message is the one who was asked. Raises DeskError on any other."""
    if not is_private(interaction) or click.table:
        raise DeskError("outdated")
    forgotten = await desk.service.forget(interaction.user.id)
    desk.refused.forget_all(interaction.user.id)
    await show(interaction, deleted(locale_of(interaction), forgotten))
