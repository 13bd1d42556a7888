"""How the store is: the few numbers that a sign of life needs."""

from dataclasses import dataclass

from canasta_core.tables.errors import StoreError
from data.database import Database


@dataclass(frozen=True, slots=True)
class Vitals:
    playing: int
    """Tables with a running game."""
    untold: int
    """Notices that are still to be told."""
    last_commit: float | None
    """Unix seconds; None when nothing was stored since it was opened."""
    trouble: str
    """Why the last write, or this look, failed; empty when neither did."""


async def look(database: Database) -> Vitals:
    """Costs two short index scans; never raises StoreError."""
    try:
        ((playing, untold),) = await database.fetch(
            "SELECT (SELECT count(*) FROM tables WHERE stage = 'playing'), (SELECT count(*) FROM outbox)"
        )
    except StoreError as error:
        return Vitals(0, 0, database.last_commit, str(error))
    return Vitals(playing, untold, database.last_commit, database.trouble)
