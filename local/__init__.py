"""The bot on a page in the browser, without a token: a simulated Discord on 127.0.0.1 (simcord's preview)."""

import logging

# simcord makes a client without intents when it is imported, to look at it, and discord.py warns of that.
_warnings = logging.getLogger("discord.state")
_warnings.disabled = True

from local.page import PageError, serve  # noqa: E402 - the warning comes with this import

_warnings.disabled = False

__all__ = ["PageError", "serve"]
