-- Cups: tournaments of tables.
CREATE TABLE cups (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used again: old buttons name their cup
    guild_id INTEGER NOT NULL,
    channel_id INTEGER NOT NULL,
    host_id INTEGER NOT NULL,
    title TEXT NOT NULL,
    rules_text TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('swiss', 'round_robin')),
    rounds INTEGER NOT NULL,
    clock INTEGER,
    undo INTEGER NOT NULL CHECK (undo IN (0, 1)),
    away_limit INTEGER NOT NULL,
    locale TEXT NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('open', 'playing', 'over', 'ended')),
    round INTEGER NOT NULL,
    created_at REAL NOT NULL,
    message_id INTEGER,
    told INTEGER NOT NULL,                  -- rounds whose standings have been told
    packs TEXT NOT NULL DEFAULT ''          -- of the running round, as in tables.packs
) STRICT;
CREATE INDEX cups_by_guild ON cups (guild_id, id) WHERE stage IN ('open', 'playing');

CREATE TABLE cup_entrants (
    cup_id INTEGER NOT NULL REFERENCES cups (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL,
    number INTEGER NOT NULL,                -- in the order in which they signed up
    gone INTEGER NOT NULL DEFAULT 0 CHECK (gone IN (0, 1)),     -- plays in no further round
    PRIMARY KEY (cup_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX cup_entrants_by_user ON cup_entrants (user_id);

-- One table of a round, as it was paired; the table of the game is opened after that.
CREATE TABLE cup_tables (
    cup_id INTEGER NOT NULL REFERENCES cups (id) ON DELETE CASCADE,
    round INTEGER NOT NULL,
    number INTEGER NOT NULL,
    table_id INTEGER UNIQUE REFERENCES tables (id) ON DELETE SET NULL,
    difference INTEGER,                     -- score of the first team less that of the second; empty while it runs
    PRIMARY KEY (cup_id, round, number)
) STRICT, WITHOUT ROWID;

-- Who was to sit there; empty for an AI player.
CREATE TABLE cup_seats (
    cup_id INTEGER NOT NULL,
    round INTEGER NOT NULL,
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    user_id INTEGER,
    PRIMARY KEY (cup_id, round, number, seat),
    FOREIGN KEY (cup_id, round, number) REFERENCES cup_tables (cup_id, round, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX cup_seats_by_user ON cup_seats (user_id) WHERE user_id IS NOT NULL;
