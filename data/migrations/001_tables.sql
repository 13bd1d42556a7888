-- Marks the file as one of this program ("CANA").
PRAGMA application_id = 0x43414E41;

-- One row a table: the snapshot from which play resumes.
CREATE TABLE tables (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used again: old buttons name their table
    guild_id INTEGER NOT NULL,
    channel_id INTEGER NOT NULL,
    host_id INTEGER NOT NULL,
    locale TEXT NOT NULL,
    profile TEXT NOT NULL,
    rules TEXT NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('lobby', 'playing', 'ended')),
    version INTEGER NOT NULL CHECK (version > 0),
    began INTEGER NOT NULL,
    turn_version INTEGER NOT NULL,
    state TEXT,
    recent TEXT NOT NULL,
    commitment TEXT NOT NULL,
    deadline REAL,
    created_at REAL NOT NULL,
    ended TEXT,
    ended_version INTEGER,
    CHECK ((stage = 'ended') = (ended IS NOT NULL)),
    CHECK ((stage = 'ended') = (ended_version IS NOT NULL))
) STRICT;
CREATE INDEX tables_by_place ON tables (guild_id, channel_id) WHERE stage <> 'ended';
CREATE INDEX tables_playing ON tables (id) WHERE stage = 'playing';
CREATE INDEX tables_by_deadline ON tables (deadline) WHERE deadline IS NOT NULL;

-- Every change of a table. The primary key is the optimistic lock.
CREATE TABLE table_log (
    table_id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    at REAL NOT NULL,
    what TEXT NOT NULL,
    actor INTEGER,
    seat INTEGER,
    action TEXT,
    events TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (table_id, version)
) STRICT;

-- Who held a seat, from which version to which; to_version is empty while they sit there.
CREATE TABLE seats (
    table_id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    seat INTEGER NOT NULL,
    user_id INTEGER,
    ai TEXT NOT NULL,
    name TEXT NOT NULL,
    from_version INTEGER NOT NULL,
    from_at REAL NOT NULL,
    to_version INTEGER,
    to_at REAL,
    PRIMARY KEY (table_id, seat, from_version),
    CHECK ((user_id IS NULL) = (ai <> '')),
    CHECK ((to_version IS NULL) = (to_at IS NULL))
) STRICT;
CREATE UNIQUE INDEX seats_held ON seats (table_id, seat) WHERE to_version IS NULL;
CREATE UNIQUE INDEX seats_by_user ON seats (user_id, table_id) WHERE to_version IS NULL AND user_id IS NOT NULL;

-- Notices to be told: written with the change they tell of, deleted when told.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_by_table ON outbox (table_id, id);

-- Messages that were sent for a table, and the version that each tells of.
CREATE TABLE messages (
    table_id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    slot TEXT NOT NULL,
    channel_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (table_id, slot)
) STRICT, WITHOUT ROWID;

-- Scores of finished rounds, a row for each team.
CREATE TABLE round_results (
    table_id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    round_number INTEGER NOT NULL,
    team INTEGER NOT NULL,
    points INTEGER NOT NULL,
    score INTEGER NOT NULL,
    reason TEXT NOT NULL,
    sheet TEXT NOT NULL,
    finished_at REAL NOT NULL,
    PRIMARY KEY (table_id, round_number, team)
) STRICT;

-- Shares in finished games, a row for each seat.
CREATE TABLE results (
    table_id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    guild_id INTEGER NOT NULL,
    profile TEXT NOT NULL,
    shape TEXT NOT NULL,
    seat INTEGER NOT NULL,
    team INTEGER NOT NULL,
    user_id INTEGER,
    ai TEXT NOT NULL,
    name TEXT NOT NULL,
    whole INTEGER NOT NULL CHECK (whole IN (0, 1)),
    score INTEGER NOT NULL,
    won INTEGER NOT NULL CHECK (won IN (0, 1)),
    rounds INTEGER NOT NULL,
    finished_at REAL NOT NULL,
    PRIMARY KEY (table_id, seat)
) STRICT;

CREATE TABLE guild_settings (
    guild_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (guild_id, key)
) STRICT, WITHOUT ROWID;

-- Last known names.
CREATE TABLE members (
    user_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;
