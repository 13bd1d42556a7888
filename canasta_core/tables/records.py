"""What a store knows of tables beyond the tables themselves: their logs and scores, servers, names."""

from collections.abc import Iterable, Mapping
from typing import Final

from canasta_core.tables.model import LogEntry, ServerSettings, Tenure, What
from canasta_core.tables.ports import ResultRow, RoundRow, TableStore
from canasta_core.tables.rows import read_log
from canasta_core.tables.settings import read_server_settings, server_setting_rows
from canasta_core.tables.standings import (
    Leaderboard,
    Line,
    Order,
    PastGames,
    PlayedGame,
    Pool,
    SeatRound,
    Standing,
)

OF_THE_GAME: Final = frozenset({What.LOTS, What.DEAL, What.MOVE, What.UNDO})
"""Changes that are moves, or chance."""


class Records:
    """These requests of a TableService. Nothing here changes a table."""

    _store: TableStore

    async def log(self, table_id: int) -> list[LogEntry]:
        """All changes of a table, oldest first. Packs and hands are in it: not for players in a round."""
        return [read_log(row) for row in await self._store.log(table_id)]

    async def doings(self, table_id: int) -> list[LogEntry]:
        """What was done to a table, oldest first: all its changes but moves and chance, and the last one.

        A log is long and nearly all of it is the game, which is not even decoded here.
        """
        rows = await self._store.log(table_id)
        return [read_log(row) for row in rows if row is rows[-1] or row.what not in OF_THE_GAME]

    async def tenures(self, table_id: int) -> list[Tenure]:
        """Everybody who ever held a seat there."""
        return await self._store.tenures(table_id)

    async def rounds(self, table_id: int) -> list[RoundRow]:
        """Scores of the finished rounds, by round and team."""
        return await self._store.rounds(table_id)

    async def seat_rounds(self, table_id: int) -> list[SeatRound]:
        """What each seat did in the finished rounds, where that was counted."""
        return await self._store.seat_rounds(table_id)

    async def results(self, table_id: int) -> list[ResultRow]:
        """The seats' shares in a finished game."""
        return await self._store.results(table_id)

    async def leaderboard(
        self, pool: Pool, order: Order, *, minimum: int = 1, limit: int = 10, offset: int = 0
    ) -> Leaderboard:
        """Some lines of a leaderboard of the people with at least `minimum` games.

        That of all servers holds only those who agreed to be on it.
        """
        return await self._store.leaderboard(pool, order, minimum=minimum, limit=limit, offset=offset)

    async def place_of(self, pool: Pool, order: Order, user_id: int, minimum: int = 1) -> Line | None:
        """One person's line; None when they are not on it."""
        return await self._store.place_of(pool, order, user_id, minimum)

    async def standing(self, pool: Pool, user_id: int) -> Standing:
        """What one person has reached in a pool: that of a newcomer when they have not played there."""
        found = await self._store.standings([(pool, user_id)])
        return found.get((pool, user_id), Standing())

    async def pools_in(self, scope: int) -> list[Pool]:
        """Pools of a guild (or of WORLD) in which somebody has played, by name and season."""
        return await self._store.pools_in(scope)

    async def played(self, user_id: int, guild_id: int | None = None) -> list[PlayedGame]:
        """Finished games in which a person sat at the end, oldest first."""
        return await self._store.played(user_id, guild_id)

    async def past_games(
        self, guild_id: int, user_id: int | None, *, limit: int, offset: int = 0
    ) -> PastGames:
        """Finished games of a guild, or those of them in which a person sat at the end; newest first."""
        return await self._store.past_games(guild_id, user_id, limit=limit, offset=offset)

    async def server_settings(self, guild_id: int) -> ServerSettings:
        """What a server has chosen for its tables; what is stored and damaged counts as not chosen."""
        return read_server_settings(await self._store.guild_settings(guild_id))

    async def set_server_settings(self, guild_id: int, settings: ServerSettings) -> None:
        """Choose for the tables that are opened from now on. Raises TableError bad_setting."""
        stored = await self._store.guild_settings(guild_id)
        for key, value in server_setting_rows(settings).items():
            if stored.get(key) != value:
                await self._store.set_guild_setting(guild_id, key, value)

    async def names(self, user_ids: Iterable[int]) -> Mapping[int, str]:
        """Last known names; people who never came in are left out."""
        return await self._store.names(user_ids)
