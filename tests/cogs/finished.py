"""Finished games for leaderboards: short ones played move by move, and leagues of scripted ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from canasta_core.ai import policy
from canasta_core.legality import who_acts
from canasta_core.tables.model import Person, Stage, Table
from ratings import OpenSkill
from tests.data.league import League, finish_all
from tests.discord.harness import Game
from tests.tables.tools import SeededChance

BEGIN = 1_764_000_000.0
"""24 November 2025, five weeks before the time at which the simulated Discord begins."""
NAMES = (
    *("Ann", "Bob", "Cleo", "Dan", "Eve"),
    *("Finn", "Gus", "Hal", "Ida", "Jon", "Kim", "Liv", "Max", "Nora", "Olaf", "Pia", "Quinn"),
    *("Rosa", "Sam", "Tom", "Uma", "Vic", "Wil", "Xenia", "Yara"),
)


def person(game: Game, who: int) -> Person:
    return Person(game.members[who].id, game.members[who].name)


async def finish_game(game: Game, people: Sequence[int], seed: int, *, ais: int = 0) -> Table:
    """The shortest game there is (`browser`, a thousand points), played as an AI would by these members."""
    service = game.bot.service  # type: ignore[attr-defined]
    service._chance = SeededChance(seed)
    rng, player = random.Random(seed), policy("medium")
    host = person(game, people[0])
    # What the service starts counts as the bot's own, so that the harness waits for it.
    with game.env._bot_scope():
        table = await service.create(
            game.guild.id,
            game.channel.id,
            host,
            "browser",
            seats=len(people) + ais,
            options={"target": 1000},
        )
        for who in people[1:]:
            table = await service.join(table.id, person(game, who))
        if ais:
            table = await service.begin(table.id, host)
    while (table := await service.get(table.id)).stage is Stage.PLAYING:
        seat = next(iter(who_acts(table.state.public)), None)
        user_id = None if seat is None else table.sitter(seat).user_id
        if seat is not None and user_id is None:
            await game.advance(1)
            continue
        with game.env._bot_scope():
            if seat is None:
                await service.next_round(table.id, host)
            else:
                await service.act(table.id, user_id, player.choose(table.view(seat), rng))
    await game.env.settle()
    return table  # type: ignore[no-any-return]


async def play_league(
    game: Game, count: int, *, seed: int = 5, guild_id: int = 0, every: float = 12_000.0
) -> League:
    """Store a league of so many games on the game's server, before any other.

    The first of `NAMES` are the game's members; the weakest is the first. A game ends `every` seconds.
    """
    store: Any = game.bot._store  # type: ignore[attr-defined]
    league = League(seed, len(NAMES))
    league.people[: len(game.members)] = [member.id for member in game.members]
    games = [
        replace(one, guild_id=guild_id or game.guild.id, finished_at=BEGIN + number * every)
        for number, one in enumerate(league.games(count))
    ]
    await finish_all(store, games, OpenSkill())
    for user_id, name in zip(league.people, NAMES, strict=True):
        await store.meet(Person(user_id, name))
    return league


def nick(game: Game, who: int, name: str) -> None:
    """A member is called something else from now on."""
    backend = game.env.backend
    backend.guilds[game.guild.id].members[game.members[who].id].nick = name
