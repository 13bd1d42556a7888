"""Looking back: finished games, duplicates of games, and who has looked at a record."""

import json
from collections.abc import Iterable
from itertools import groupby
from typing import Final

from canasta_core.tables.standings import PastGames
from data.database import Database
from data.standings import played_game

OF_A_PERSON: Final = (
    "SELECT games.number, games.table_id, mine.seat AS own, mine.rating_before, mine.rating_after"
    " FROM results AS mine JOIN games ON games.table_id = mine.table_id"
    " WHERE mine.user_id = :user AND mine.guild_id = :guild"
    " ORDER BY games.number DESC LIMIT :limit OFFSET :offset"
)
OF_A_GUILD: Final = (
    "SELECT number, table_id,"
    " (SELECT min(seat) FROM results WHERE results.table_id = games.table_id AND won = 1) AS own,"
    " NULL AS rating_before, NULL AS rating_after"
    " FROM games WHERE guild_id = :guild ORDER BY number DESC LIMIT :limit OFFSET :offset"
)
_WITH_SEATS: Final = (
    " SELECT picked.number, games.table_id, games.guild_id, games.profile, games.shape, games.finished_at,"
    " picked.own, picked.rating_before, picked.rating_after,"
    " results.seat, results.team, results.user_id, results.ai, results.whole, results.score, results.won,"
    " coalesce(members.name, results.name) AS name"
    " FROM picked JOIN games ON games.number = picked.number"
    " JOIN results ON results.table_id = games.table_id"
    " LEFT JOIN members ON members.user_id = results.user_id"
    " ORDER BY picked.number DESC, results.seat"
)
COUNT_OF_A_PERSON: Final = (
    "SELECT count(*), coalesce(sum(won), 0) FROM results WHERE user_id = :user AND guild_id = :guild"
)
COUNT_OF_A_GUILD: Final = "SELECT count(*), 0 FROM games WHERE guild_id = :guild"


class SqliteHistory:
    """What `ports.TableStore` promises about past games, duplicates and readers of records."""

    _database: Database

    async def past_games(self, guild_id: int, user_id: int | None, *, limit: int, offset: int) -> PastGames:
        asked = {"guild": guild_id, "user": user_id, "limit": limit, "offset": offset}
        games, count = (OF_A_GUILD, COUNT_OF_A_GUILD) if user_id is None else (OF_A_PERSON, COUNT_OF_A_PERSON)
        rows = await self._database.fetch(f"WITH picked AS ({games}){_WITH_SEATS}", asked)
        counts = (await self._database.fetch(count, asked))[0]
        found = groupby(rows, key=lambda row: row["number"])
        return PastGames(tuple(played_game(list(seats)) for _, seats in found), counts[0], counts[1])

    async def duplicates(self, table_id: int) -> list[int]:
        rows = await self._database.fetch(
            "SELECT id FROM tables WHERE duplicate_of = ? ORDER BY id", (table_id,)
        )
        return [row[0] for row in rows]

    async def readers(self, table_ids: Iterable[int]) -> set[int]:
        rows = await self._database.fetch(
            "SELECT DISTINCT user_id FROM record_readers WHERE table_id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(table_ids)),),
        )
        return {row[0] for row in rows}

    async def note_reader(self, table_id: int, user_id: int) -> None:
        known = await self._database.fetch(
            "SELECT 1 FROM record_readers WHERE table_id = ? AND user_id = ?", (table_id, user_id)
        )
        if not known:
            await self._database.write(
                lambda db: db.execute(
                    "INSERT OR IGNORE INTO record_readers (table_id, user_id) VALUES (?, ?)",
                    (table_id, user_id),
                )
            )
