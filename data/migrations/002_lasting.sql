-- Clocks, people who are away, and tables that rest.
ALTER TABLE tables ADD COLUMN clock INTEGER;            -- seconds for a turn; empty: as long as it takes
ALTER TABLE tables ADD COLUMN reminder REAL;
ALTER TABLE tables ADD COLUMN alarm REAL;               -- when the service has to look at the table by itself
ALTER TABLE tables ADD COLUMN ai_turn INTEGER NOT NULL DEFAULT 0 CHECK (ai_turn IN (0, 1));
ALTER TABLE tables ADD COLUMN paused TEXT NOT NULL DEFAULT '';
ALTER TABLE tables ADD COLUMN wait TEXT NOT NULL DEFAULT '';       -- whom the clock waits for, and since when
ALTER TABLE tables ADD COLUMN undo INTEGER NOT NULL DEFAULT 0 CHECK (undo IN (0, 1));
ALTER TABLE tables ADD COLUMN before TEXT NOT NULL DEFAULT '';      -- states that melds can be taken back to
ALTER TABLE tables ADD COLUMN proposal TEXT NOT NULL DEFAULT '';
ALTER TABLE tables ADD COLUMN invites TEXT NOT NULL DEFAULT '';
ALTER TABLE tables ADD COLUMN lost TEXT NOT NULL DEFAULT '';
ALTER TABLE tables ADD COLUMN away_limit INTEGER NOT NULL DEFAULT 1209600;
ALTER TABLE tables ADD COLUMN played INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tables ADD COLUMN touched_at REAL NOT NULL DEFAULT 0;

-- Tables from before had no clocks: they stay as they were agreed, and are looked at once.
UPDATE tables SET played = version, alarm = coalesce(deadline, 0) WHERE stage <> 'ended';
UPDATE tables SET touched_at = CAST(strftime('%s', 'now') AS REAL);
UPDATE tables SET ai_turn = 1 WHERE stage = 'playing';

DROP INDEX tables_by_deadline;
CREATE INDEX tables_by_alarm ON tables (alarm) WHERE alarm IS NOT NULL;
CREATE INDEX tables_by_ai_turn ON tables (id) WHERE ai_turn = 1;

ALTER TABLE seats ADD COLUMN missed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seats ADD COLUMN absent INTEGER NOT NULL DEFAULT 0 CHECK (absent IN (0, 1));
ALTER TABLE seats ADD COLUMN kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1));
ALTER TABLE seats ADD COLUMN away_until REAL;
ALTER TABLE seats ADD COLUMN away_used REAL NOT NULL DEFAULT 0;

-- What people have chosen for themselves.
CREATE TABLE preferences (
    user_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;
