-- Duplicate games: tables at which the packs of an earlier game are dealt again.
ALTER TABLE tables ADD COLUMN duplicate_of INTEGER REFERENCES tables (id) ON DELETE SET NULL;
ALTER TABLE tables ADD COLUMN packs TEXT NOT NULL DEFAULT '';       -- shuffles that are still to be dealt, one a line
CREATE INDEX tables_by_duplicate ON tables (duplicate_of, id) WHERE duplicate_of IS NOT NULL;
CREATE INDEX games_by_guild ON games (guild_id, number);

-- Who has looked at the record of a game, and so knows its packs.
CREATE TABLE record_readers (
    table_id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL,
    PRIMARY KEY (table_id, user_id)
) STRICT, WITHOUT ROWID;
