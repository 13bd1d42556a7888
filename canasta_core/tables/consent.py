"""Who has to agree to another clock."""

from canasta_core.tables.clocks import is_away, is_gone
from canasta_core.tables.model import Table


def to_agree(table: Table, now: float) -> tuple[int, ...]:
    """User ids of those whose agreement the proposal still lacks, by seat.

    Everybody who plays and is neither away nor gone has a say. `now` in unix seconds.
    """
    agreed = table.proposal.agreed if table.proposal is not None else ()
    return tuple(user_id for user_id in voters(table, now) if user_id not in agreed)


def voters(table: Table, now: float) -> tuple[int, ...]:
    """User ids of those who play and are neither away nor gone, by seat."""
    return tuple(
        sitter.user_id
        for sitter in table.sitters
        if sitter.user_id is not None
        and sitter.is_active
        and not is_away(sitter, now)
        and not is_gone(table, sitter, now)
    )


def is_agreed(table: Table, now: float) -> bool:
    """Whether nobody who has a say is left to agree, and somebody has one."""
    return table.proposal is not None and bool(voters(table, now)) and not to_agree(table, now)
