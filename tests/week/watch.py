"""What the database itself keeps of a week, for the judge: written by triggers, in the bot's transactions."""

WATCH = """
CREATE TABLE week_notices (
    id INTEGER PRIMARY KEY, table_id INTEGER, version INTEGER, kind TEXT, data TEXT, at REAL,
    gone INTEGER NOT NULL DEFAULT 0, gone_at REAL, posts_then INTEGER, version_then INTEGER, stage_then TEXT
);
CREATE TRIGGER week_written AFTER INSERT ON outbox BEGIN
    INSERT INTO week_notices (id, table_id, version, kind, data, at)
    VALUES (NEW.id, NEW.table_id, NEW.version, NEW.kind, NEW.data, week_now());
END;
CREATE TRIGGER week_told AFTER DELETE ON outbox BEGIN
    UPDATE week_notices SET gone = 1, gone_at = week_now(), posts_then = week_posts(),
        version_then = (SELECT version FROM tables WHERE id = OLD.table_id),
        stage_then = (SELECT stage FROM tables WHERE id = OLD.table_id)
    WHERE id = OLD.id;
END;
CREATE TABLE week_remembered (message_id INTEGER);
CREATE TRIGGER week_kept AFTER INSERT ON messages BEGIN
    INSERT INTO week_remembered VALUES (NEW.message_id);
END;
CREATE TRIGGER week_kept_anew AFTER UPDATE ON messages BEGIN
    INSERT INTO week_remembered VALUES (NEW.message_id);
END;
CREATE TABLE week_choices (user_id INTEGER, key TEXT, value TEXT, at REAL);
CREATE TRIGGER week_chose AFTER INSERT ON preferences BEGIN
    INSERT INTO week_choices VALUES (NEW.user_id, NEW.key, NEW.value, week_now());
END;
CREATE TRIGGER week_chose_anew AFTER UPDATE ON preferences BEGIN
    INSERT INTO week_choices VALUES (NEW.user_id, NEW.key, NEW.value, week_now());
END;
CREATE TABLE week_tables (
    table_id INTEGER, version INTEGER, at REAL, stage TEXT, clock INTEGER, deadline REAL, reminder REAL,
    PRIMARY KEY (table_id, version)
);
CREATE TRIGGER week_changed AFTER UPDATE ON tables WHEN NEW.version <> OLD.version BEGIN
    INSERT OR REPLACE INTO week_tables VALUES (NEW.id, NEW.version, NEW.touched_at, NEW.stage,
        NEW.clock, NEW.deadline, NEW.reminder);
END;
"""
"""Has the database itself keep every notice that was ever written, and each version's times.

`Keeper.help` gives each connection week_now(), the time at Discord in unix seconds, and week_posts(), how
many messages the bot has posted by then.
"""
