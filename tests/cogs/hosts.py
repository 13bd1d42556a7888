"""What hosts and moderators do, for the tests of it: who they are, and how they use their commands."""

from __future__ import annotations

from typing import Any

import discord

from canasta_core.tables.model import LogEntry
from cogs.ui.cards_text import card_text
from tests.cogs.players import said
from tests.discord.harness import Game, text_of

MODERATOR, PLAYER, GUEST = 5, 1, 4
"""Member 0 is the host, 1 to 3 play, 4 watches; 5 is a moderator."""


def moderator(game: Game, who: int = MODERATOR) -> None:
    role = game.guild.create_role(f"mod{who}", permissions=discord.Permissions(manage_messages=True))
    game.env.backend.edit_member(game.guild.id, game.members[who].id, {"role_ids": [role.id]})


def people(game: Game, options: dict[str, Any]) -> dict[str, Any]:
    """Options with members instead of their numbers."""
    return {
        name: game.members[value] if name in ("to", "member") and value in range(6) else value
        for name, value in options.items()
    }


async def use(game: Game, who: int, command: str, **options: Any) -> str:
    """Use a command that takes members, and say yes to its question; what it answers."""
    shown = await game.slash(who, f"canasta {command}", **people(game, options))
    answer = said(shown)
    if command == "replace" and "is told" in answer:
        await game.click(who, label="Give the seat away", message=shown.response)
        return text_of(shown.response)
    return answer


async def log_of(game: Game, who: int = 0) -> str:
    return said(await game.slash(who, "canasta log", table="1"))


async def last(game: Game) -> LogEntry:
    log = await game.bot.service.log(1)  # type: ignore[attr-defined]
    return log[-1]  # type: ignore[no-any-return]


def assert_no_card(table: Any, told: str) -> None:
    assert not any(card_text(card) in told for hand in table.state.hands for card in hand.cards)
