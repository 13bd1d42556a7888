-- Logs of games that ended long ago: all rows of table_log of one table, compressed into one (see data/archive.py).
CREATE TABLE archived_logs (
    table_id INTEGER PRIMARY KEY REFERENCES tables (id) ON DELETE CASCADE,
    entries INTEGER NOT NULL CHECK (entries > 0),
    log BLOB NOT NULL
) STRICT;
CREATE INDEX tables_by_end ON tables (touched_at, id) WHERE stage = 'ended';
