"""People who play by slash commands, or by clicks: they choose among the engine's offers."""

from __future__ import annotations

import random
from typing import Any

from simcord.results import InteractionResult

from canasta_core.actions import Answer, Discard, Group, LayMelds, SeatAction, TakePile
from canasta_core.cards import name_of
from canasta_core.legality import who_acts
from canasta_core.offers import offers
from canasta_core.rules import Rules
from canasta_core.state import Phase
from canasta_core.tables.model import Stage, Table
from canasta_core.views import PlayerView
from cogs.autocomplete import group_value
from cogs.ui.choices import lay_choices, takes
from tests.discord.harness import Game, buttons_of, selects_of, text_of

COMMANDS = {"draw": "draw", "ask": "ask-partner", "decline": "decline", "end": "end-turn"}
LABELS = {"draw": "Draw", "ask": "Ask partner", "decline": "Leave the pile", "end": "End turn"}


async def table_of(game: Game, table_id: int = 1) -> Table:
    return await game.bot.service.get(table_id)  # type: ignore[attr-defined, no-any-return]


def who_of(game: Game, table: Table, seat: int) -> int:
    """Number of the member who sits there."""
    sitter = table.sitter(seat)
    assert sitter is not None
    return next(number for number, member in enumerate(game.members) if member.id == sitter.user_id)


def choose(view: PlayerView, rng: random.Random) -> SeatAction:
    """An offered action; melds and takes are liked, so that rounds come to an end."""
    legal = offers(view)
    liked = [action for action in legal if isinstance(action, LayMelds | TakePile)]
    return rng.choice(liked if liked and rng.random() < 0.8 else legal)


def by_slash(rules: Rules, action: SeatAction) -> tuple[str, dict[str, Any]]:
    """The command that says an action, and its options."""

    def say(*groups: Group) -> str:
        return ", ".join(group_value(rules, group) for group in groups)

    match action:
        case TakePile(group, further):
            options = {"with": say(group), "also": say(*further)}
            return "take-pile", {key: value for key, value in options.items() if value}
        case LayMelds(groups):
            return "meld", {"cards": say(*groups)}
        case Discard(card):
            return "discard", {"card": name_of(card)}
        case Answer(yes):
            return "answer", {"reply": "yes" if yes else "no"}
    return COMMANDS[action.kind], {}


async def slash_turn(game: Game, rng: random.Random, table_id: int = 1) -> InteractionResult:
    """One action of whoever must act, as a command."""
    table = await table_of(game, table_id)
    assert table.state is not None
    seat = who_acts(table.state.public)[0]
    name, options = by_slash(table.rules, choose(table.view(seat), rng))
    return await game.slash(who_of(game, table, seat), name, **options)


async def click_turn(game: Game, rng: random.Random, table_id: int = 1) -> InteractionResult:
    """One action of whoever must act, by buttons and selects alone."""
    table = await table_of(game, table_id)
    assert table.state is not None
    seat = who_acts(table.state.public)[0]
    view, who = table.view(seat), who_of(game, table, seat)
    action = choose(view, rng)
    if isinstance(action, Answer):
        question = game.messages()[-1]
        return await game.click(who, label="Yes" if action.yes else "No", message=question)
    shown = await game.click(who, label="My hand", message=game.board("Canasta · table"))
    hand = shown.response
    if isinstance(action, TakePile):
        ways = takes(view)
        if len(ways) == 1:
            return await game.click(who, label="Take pile", message=hand)
        place = ways.index(action if action in ways else rng.choice(ways))
        return await game.select(who, values=[str(place)], custom_id="cn:take", message=hand)
    if isinstance(action, Discard):
        values = next(one.values for one in selects_of(hand) if one.custom_id.startswith("cn:discard"))
        alike = [value for value in values if value[0] == name_of(action.card)[0]]
        return await game.select(who, values=alike[:1], custom_id="cn:discard", message=hand)
    if isinstance(action, LayMelds):
        places = [_place(view, group) for group in action.groups]
        for part in sorted({place // 25 for place in places}):
            values = [str(place) for place in places if place // 25 == part]
            await game.select(who, values=values, custom_id=_pick_id(hand, part), message=hand)
        return await game.click(who, custom_id="cn:lay", message=hand)
    return await game.click(who, label=LABELS[action.kind], message=hand)


def _pick_id(hand: Any, part: int) -> str:
    """Custom id of a select of melds, whatever is chosen already."""
    ids = [one.custom_id for one in selects_of(hand) if one.custom_id.startswith("cn:pick")]
    return next(one for one in ids if one.split(":")[4].startswith(f"{part}-"))


def _place(view: PlayerView, group: Group) -> int:
    """Where a group stands among the choices."""
    wanted = (group.label, sorted(card >> 2 for card in group.cards))
    return next(
        place
        for place, choice in enumerate(lay_choices(view))
        if (choice.label, sorted(card >> 2 for card in choice.cards)) == wanted
    )


async def open_table(game: Game, people: int = 4, **options: Any) -> Table:
    """A table at which so many members sit, the rest AIs; the game has begun."""
    await game.slash(0, "canasta new", **options)
    for who in range(1, people):
        await game.click(who, label="Join")
    table = await table_of(game, len(await game.bot.service.tables_in(game.guild.id)))  # type: ignore[attr-defined]
    if table.stage is Stage.LOBBY:
        await game.click(0, label="Start")
    return await table_of(game, table.id)


async def end_table(game: Game, who: int = 0, table_id: int = 1) -> InteractionResult:
    """End a table, also where that has to be said twice."""
    asked = await game.slash(who, "canasta end", table=str(table_id))
    sure = [button for button in buttons_of(asked.response) if button.custom_id]
    return await game.click(who, label=sure[0].label, message=asked.response) if sure else asked


async def is_over(game: Game, table_id: int = 1) -> bool:
    """Whether the round is over."""
    table = await table_of(game, table_id)
    return table.state is not None and table.state.public.phase in (Phase.ROUND_OVER, Phase.GAME_OVER)


def said(result: InteractionResult) -> str:
    """The words of a private answer; it must be one."""
    assert result.response is not None, "not answered"
    assert result.response.ephemeral, f"public: {text_of(result)}"
    return text_of(result)


def enabled(message: Any) -> set[str]:
    """Labels of the buttons that can be pressed."""
    return {button.label for button in buttons_of(message) if not button.disabled}
