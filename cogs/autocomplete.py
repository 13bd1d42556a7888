"""What the options of commands offer while somebody types: legal values from their own hand, nothing else.

An autocomplete never shows another's hand, and offers nothing when anything is in the way.
"""

import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final

from discord import app_commands

from canasta_core.actions import Group, LayMelds
from canasta_core.cards import JOKER, name_of
from canasta_core.legality import why_not
from canasta_core.offers import lay_parts, offers
from canasta_core.rules import Rules
from canasta_core.state import Phase
from canasta_core.tables.errors import StoreError, TableError
from canasta_core.views import PlayerView
from cogs.desk import Desk, DeskError, Interaction, SeveralTablesError, guild_of, locale_of, may_see, now
from cogs.ui.cards_text import card_text, cards_text, points, ranks_text
from cogs.ui.choices import combine, discards, takes
from cogs.ui.layout import cut, table_name
from cogs.ui.tables import in_order, listed, state_plain

log = logging.getLogger(__name__)

Choice = app_commands.Choice[str]
Completion = Callable[[Interaction, str], Coroutine[Any, Any, list[Choice]]]

MOST: Final = 25
LONGEST: Final = 100
"""Characters of a choice's name and value."""


def tables_here(desk: Desk) -> Completion:
    """The option `table:`: what waits for the person first, then their own tables, then the others."""

    async def complete(interaction: Interaction, typed: str) -> list[Choice]:
        try:
            tables = await desk.service.glances_in(guild_of(interaction))
        except (DeskError, TableError, StoreError):
            return []
        locale, at = locale_of(interaction), now()
        seen = [listed(table, interaction.user.id) for table in tables if may_see(interaction, table)]
        rows = in_order(seen, interaction.channel_id)
        found = [
            (f"{table_name(locale, row.id)} · {row.title} · {state_plain(locale, row, at)}", str(row.id))
            for row in rows
        ]
        return choices([(name, value) for name, value in found if typed.lower() in name.lower()], "")

    return complete


def from_hand(desk: Desk, values: Callable[[PlayerView, Any], Iterable[tuple[str, str]]]) -> Completion:
    """An option about cards: names and values from the player's own view of the table that is meant."""

    async def complete(interaction: Interaction, typed: str) -> list[Choice]:
        try:
            table = await desk.my_table(interaction, getattr(interaction.namespace, "table", None))
            seat = table.seat_of(interaction.user.id)
            if seat is None or table.state is None:
                return []
            return choices(values(table.view(seat), interaction.namespace), typed)
        except (DeskError, SeveralTablesError, TableError, StoreError):
            return []
        except Exception:
            # An autocomplete has no way to show an error; the command it is for has.
            log.exception("an autocomplete failed")
            return []

    return complete


def choices(found: Iterable[tuple[str, str]], typed: str) -> list[Choice]:
    """At most 25 choices that contain what was typed; those that cannot be a value are left out."""
    wanted = _plain(typed)
    seen: dict[str, str] = {}
    for name, value in found:
        if 0 < len(value) <= LONGEST and wanted in _plain(value) and value not in seen:
            seen[value] = cut(name, LONGEST)
    return [app_commands.Choice(name=name, value=value) for value, name in list(seen.items())[:MOST]]


def _plain(typed: str) -> str:
    """A text for comparing: capitals, single spaces."""
    return " ".join(typed.upper().replace(",", " , ").replace("/", " , ").split())


def discard_values(view: PlayerView, _: Any) -> list[tuple[str, str]]:
    """Cards that may be discarded, each different one once."""
    found = []
    for _card, cards in discards(view):
        found += [(card_text(card), name_of(card)) for card in dict.fromkeys(cards)]
    return found


def meld_values(view: PlayerView, _: Any) -> list[tuple[str, str]]:
    """Whole texts for `cards:`: what is offered, and everything that can be laid together."""
    actions = [offer for offer in offers(view) if isinstance(offer, LayMelds)]
    if view.public.phase is Phase.PLAY and view.public.turn == view.seat:
        together = combine(view, [part.group for part in lay_parts(view) if not _has_wilds(part.group)])
        if together.groups and why_not(view, together) is None:
            actions.insert(0, together)
    return [_named(view, action.groups) for action in actions]


def _has_wilds(group: Group) -> bool:
    return any(card == JOKER or name_of(card)[0] == "2" for card in group.cards)


def with_values(view: PlayerView, _: Any) -> list[tuple[str, str]]:
    """Cards that take the upcard."""
    return [_named(view, [take.group]) for take in takes(view) if take.group.cards]


def also_values(view: PlayerView, namespace: Any) -> list[tuple[str, str]]:
    """Melds to lay along with a take, for the cards typed in `with:` where they are known ones."""
    own = _plain(getattr(namespace, "with", None) or "")
    ways = [take for take in takes(view) if take.further]
    fitting = [take for take in ways if own == _plain(group_value(view.public.rules, take.group))]
    return [_named(view, take.further) for take in fitting or ways]


def _named(view: PlayerView, groups: Sequence[Group]) -> tuple[str, str]:
    """What a choice shows, and the text it stands for."""
    value = ", ".join(group_value(view.public.rules, group) for group in groups)
    worth = points(view.public.rules, [card for group in groups for card in group.cards])
    shown = ", ".join(
        (f"{group.label}: " if group.label else "") + cards_text(group.cards) for group in groups
    )
    return f"{shown} · {worth}", value


def group_value(rules: Rules, group: Group) -> str:
    """A group as a person would type it: ranks alone where suits do not matter."""
    cards = " ".join(map(name_of, group.cards)) if rules.runs else ranks_text(group.cards)
    return f"{group.label}: {cards}" if group.label else cards
