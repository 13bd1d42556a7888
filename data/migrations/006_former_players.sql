-- People who wanted to be forgotten: the number that stands for each in the games that they played.
CREATE TABLE former_players (
    former_id INTEGER PRIMARY KEY CHECK (former_id < 0),
    user_id INTEGER UNIQUE,                             -- only until it is replaced everywhere
    wiped INTEGER NOT NULL DEFAULT 0 CHECK (wiped IN (0, 1))    -- the file was written anew since then
) STRICT;
