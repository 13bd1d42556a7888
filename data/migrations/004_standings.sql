-- Finished games, in the order in which they count for standings.
CREATE TABLE games (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id INTEGER NOT NULL UNIQUE REFERENCES tables (id) ON DELETE CASCADE,
    guild_id INTEGER NOT NULL,
    profile TEXT NOT NULL,
    shape TEXT NOT NULL,
    finished_at REAL NOT NULL
) STRICT;
INSERT INTO games (table_id, guild_id, profile, shape, finished_at)
    SELECT table_id, guild_id, profile, shape, finished_at FROM results
    GROUP BY table_id ORDER BY finished_at, table_id;

-- What each seat did in a finished round; of rounds from before this table there is nothing.
CREATE TABLE seat_rounds (
    table_id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    round_number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    user_id INTEGER,
    points INTEGER NOT NULL,
    canastas INTEGER NOT NULL,
    naturals INTEGER NOT NULL,
    went_out INTEGER NOT NULL CHECK (went_out IN (0, 1)),
    concealed INTEGER NOT NULL CHECK (concealed IN (0, 1)),
    turns INTEGER NOT NULL,
    PRIMARY KEY (table_id, round_number, seat)
) STRICT, WITHOUT ROWID;
ALTER TABLE tables ADD COLUMN tally TEXT NOT NULL DEFAULT '';       -- the same for the running round

ALTER TABLE results ADD COLUMN rating_before REAL;                  -- in the own pool, of all time
ALTER TABLE results ADD COLUMN rating_after REAL;
CREATE INDEX results_by_user ON results (user_id, guild_id) WHERE user_id IS NOT NULL;

-- What games are compared in: scope (a guild, or 0 for all), profile and shape, season.
CREATE TABLE pools (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    name TEXT NOT NULL,
    season TEXT NOT NULL,
    UNIQUE (scope, name, season)
) STRICT;

-- What people have reached in each pool: computed from the games, and from nothing else.
CREATE TABLE standings (
    pool_id INTEGER NOT NULL REFERENCES pools (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL,
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    rating REAL NOT NULL,
    games INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    win_rate REAL NOT NULL,
    rounds INTEGER NOT NULL,
    points INTEGER NOT NULL,
    round_average REAL NOT NULL,
    canastas INTEGER NOT NULL,
    naturals INTEGER NOT NULL,
    exits INTEGER NOT NULL,
    concealed INTEGER NOT NULL,
    fastest_exit INTEGER,
    biggest_round INTEGER,
    streak INTEGER NOT NULL,
    best_streak INTEGER NOT NULL,
    last_at REAL NOT NULL,
    PRIMARY KEY (pool_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX standings_by_rating ON standings (pool_id, rating DESC, user_id, games);
CREATE INDEX standings_by_wins ON standings (pool_id, wins DESC, user_id, games);
CREATE INDEX standings_by_games ON standings (pool_id, games DESC, user_id);
CREATE INDEX standings_by_win_rate ON standings (pool_id, win_rate DESC, user_id, games);
CREATE INDEX standings_by_round_average ON standings (pool_id, round_average DESC, user_id, games);
CREATE INDEX standings_by_canastas ON standings (pool_id, canastas DESC, user_id, games);
CREATE INDEX standings_by_fastest_exit ON standings (pool_id, fastest_exit, user_id, games) WHERE fastest_exit IS NOT NULL;
CREATE INDEX standings_by_biggest_round ON standings (pool_id, biggest_round DESC, user_id, games)
    WHERE biggest_round IS NOT NULL;
CREATE INDEX standings_by_best_streak ON standings (pool_id, best_streak DESC, user_id, games);
