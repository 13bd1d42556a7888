"""Answers to interactions, delivered through whatever a network does to them.

An interaction lives three seconds without a first answer and fifteen minutes with one. What somebody asked
for is done all the same when the answer cannot be delivered: they see it on the board. So nothing here
raises when Discord cannot be reached; it is tried again while that is of use, and then logged once.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import aiohttp
import discord

from cogs.ui.layout import Layout

log = logging.getLogger(__name__)

Interaction = discord.Interaction[Any]

FIRST_TRY: Final = 1.3
"""Seconds for one try of the first answer: two fit into the three that Discord waits."""
FIRST_TRIES: Final = 2
LATER_TRY: Final = 20.0
"""Seconds for one try of what follows."""
PAUSES: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
"""Seconds between the tries: well within the life of a token."""

ANSWERED: Final = 40060
"""Discord has the first answer already: an earlier try arrived, only its receipt did not."""
EXPIRED: Final = frozenset({10015, 10062, 50027})
"""Discord knows the interaction, or its token, no longer."""
NETWORK: Final = (aiohttp.ClientError, TimeoutError, OSError)
"""What a request raises when Discord is not reached, or takes too long."""
_BEGUN: Final = "begun"


def may_pass(error: Exception) -> bool:
    """Whether the same request may work later."""
    if isinstance(error, discord.HTTPException):
        return error.status == 429 or error.status >= 500
    return isinstance(error, (discord.RateLimited, *NETWORK))


async def defer(interaction: Interaction, *, update: bool) -> None:
    """Give the first answer: with `update` the message that was clicked, else a private one to be filled.

    Once for an interaction. When it fails, what follows is done all the same. Raises HTTPException for a
    request that Discord calls wrong.
    """
    if interaction.response.is_done() or _BEGUN in interaction.extras:
        return
    interaction.extras[_BEGUN] = True
    for left in reversed(range(FIRST_TRIES)):
        try:
            async with asyncio.timeout(FIRST_TRY):
                if update:
                    await interaction.response.defer()
                else:
                    await interaction.response.defer(ephemeral=True, thinking=True)
        except discord.InteractionResponded:
            return
        except (discord.HTTPException, *NETWORK) as error:
            code = error.code if isinstance(error, discord.HTTPException) else 0
            if code == ANSWERED:
                return
            if code in EXPIRED or not left:
                log.warning("interaction %s has no first answer: %s", interaction.id, describe(error))
                return
            if not may_pass(error) and not isinstance(error, discord.Forbidden | discord.NotFound):
                raise
        else:
            return


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that goes with a layout, which shows it as `attachment://name`."""

    name: str
    data: bytes
    alt: str = ""
    """What is to be seen in a picture."""

    def file(self) -> discord.File:
        """Anew for each try: a try uses it up."""
        return discord.File(BytesIO(self.data), self.name, description=self.alt or None)


async def deliver(interaction: Interaction, layout: Layout, uploads: Sequence[Upload] | None = None) -> None:
    """Put a layout where the first answer is; where that has gone, into a new private message.

    Its files become those of the message; None leaves those that it has.

    Raises HTTPException for a layout that Discord calls wrong.
    """
    pauses = iter(PAUSES)
    anew = False
    while True:
        try:
            async with asyncio.timeout(LATER_TRY):
                await (_send if anew else _edit)(interaction, layout, uploads)
        except (discord.HTTPException, discord.RateLimited, *NETWORK) as error:
            gone = isinstance(error, discord.NotFound | discord.Forbidden)
            code = error.code if isinstance(error, discord.HTTPException) else 0
            pause = next(pauses, None)
            if gone and not anew and code not in EXPIRED:
                anew = True
                continue
            if gone or (pause is None and may_pass(error)):
                log.warning("interaction %s: answer not delivered: %s", interaction.id, describe(error))
                return
            if pause is None or not may_pass(error):
                raise
            await asyncio.sleep(pause)
        else:
            return


async def publish(interaction: Interaction, layout: Layout, uploads: Sequence[Upload] = ()) -> None:
    """A message for all to see, in the channel of an interaction that has its first answer.

    Raises HTTPException, or what a network raises.
    """
    async with asyncio.timeout(LATER_TRY):
        await _send(interaction, layout, uploads, private=False)


async def _edit(interaction: Interaction, layout: Layout, uploads: Sequence[Upload] | None) -> None:
    await interaction.edit_original_response(
        view=layout,
        allowed_mentions=discord.AllowedMentions.none(),
        attachments=discord.utils.MISSING if uploads is None else [upload.file() for upload in uploads],
    )


async def _send(
    interaction: Interaction, layout: Layout, uploads: Sequence[Upload] | None, *, private: bool = True
) -> None:
    await interaction.followup.send(
        view=layout,
        ephemeral=private,
        allowed_mentions=discord.AllowedMentions.none(),
        files=[upload.file() for upload in uploads or ()],
    )


def describe(error: Exception) -> str:
    """An error for the log: without the address of the request, which may hold a token."""
    if isinstance(error, discord.HTTPException):
        return f"status {error.status}, code {error.code}"
    return type(error).__name__
