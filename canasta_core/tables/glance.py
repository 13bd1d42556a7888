"""Tables as lists show them: who sits there and whose move it is, without the game itself."""

from dataclasses import dataclass

from canasta_core.legality import who_acts
from canasta_core.rules import Rules
from canasta_core.state import Outline, PublicState
from canasta_core.tables.model import Invite, Seats, Sitter, Stage, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance(Seats):
    """What a list shows of a table; see `Table` for what the fields mean."""

    id: int
    guild_id: int
    channel_id: int
    host_id: int
    locale: str
    rules: Rules
    stage: Stage
    version: int
    sitters: tuple[Sitter, ...]
    acting: tuple[int, ...]
    """Seats that have to act; none while no game runs, and between two rounds."""
    round_number: int
    """0 before the first."""
    deadline: float | None
    paused: bool
    invites: tuple[Invite, ...]
    lost: str


def glance_at(table: Table) -> Glance:
    """What is to be seen at a glance of a table that is loaded."""
    public = None if table.state is None else table.state.public
    return Glance(
        id=table.id,
        guild_id=table.guild_id,
        channel_id=table.channel_id,
        host_id=table.host_id,
        locale=table.locale,
        rules=table.rules,
        stage=table.stage,
        version=table.version,
        sitters=table.sitters,
        acting=acting(table.stage, public),
        round_number=0 if public is None else public.round_number,
        deadline=table.deadline,
        paused=table.paused is not None,
        invites=table.invites,
        lost=table.lost,
    )


def acting(stage: Stage, public: PublicState | Outline | None) -> tuple[int, ...]:
    """Seats that have to act at a table."""
    return () if public is None or stage is not Stage.PLAYING else who_acts(public)
