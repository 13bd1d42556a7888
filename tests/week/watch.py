"""What the database itself keeps of a week, for the judge: written by triggers, in the bot's transactions."""

WATCH = """
CREATE TABLE week_notices (
    id INTEGER PRIMARY KEY, table_id INTEGER, version INTEGER, kind TEXT, data TEXT, turn INTEGER, at REAL,
    gone INTEGER NOT NULL DEFAULT 0, turn_then INTEGER, version_then INTEGER, stage_then TEXT
);
CREATE TRIGGER week_written AFTER INSERT ON outbox BEGIN
    INSERT INTO week_notices (id, table_id, version, kind, data, turn, at)
    SELECT NEW.id, NEW.table_id, NEW.version, NEW.kind, NEW.data, turn_version, touched_at
    FROM tables WHERE id = NEW.table_id;
END;
CREATE TRIGGER week_told AFTER DELETE ON outbox BEGIN
    UPDATE week_notices SET gone = 1,
        turn_then = (SELECT turn_version FROM tables WHERE id = OLD.table_id),
        version_then = (SELECT version FROM tables WHERE id = OLD.table_id),
        stage_then = (SELECT stage FROM tables WHERE id = OLD.table_id)
    WHERE id = OLD.id;
END;
CREATE TABLE week_tables (
    table_id INTEGER, version INTEGER, at REAL, stage TEXT, turn INTEGER, clock INTEGER, deadline REAL,
    reminder REAL, alarm REAL, paused TEXT, lost TEXT, channel_id INTEGER, played INTEGER, wait TEXT,
    PRIMARY KEY (table_id, version)
);
CREATE TABLE week_seats (
    table_id INTEGER, seat INTEGER, user_id INTEGER, at REAL, version INTEGER, from_version INTEGER,
    to_version INTEGER, missed INTEGER, absent INTEGER, kept INTEGER, away_until REAL, away_used REAL
);
CREATE TRIGGER week_sat AFTER INSERT ON seats BEGIN
    INSERT INTO week_seats SELECT NEW.table_id, NEW.seat, NEW.user_id, touched_at, version,
        NEW.from_version, NEW.to_version, NEW.missed, NEW.absent, NEW.kept, NEW.away_until, NEW.away_used
    FROM tables WHERE id = NEW.table_id;
END;
CREATE TRIGGER week_shifted AFTER UPDATE ON seats BEGIN
    INSERT INTO week_seats SELECT NEW.table_id, NEW.seat, NEW.user_id, touched_at, version,
        NEW.from_version, NEW.to_version, NEW.missed, NEW.absent, NEW.kept, NEW.away_until, NEW.away_used
    FROM tables WHERE id = NEW.table_id;
END;
CREATE TRIGGER week_changed AFTER UPDATE ON tables WHEN NEW.version <> OLD.version BEGIN
    INSERT OR REPLACE INTO week_tables VALUES (NEW.id, NEW.version, NEW.touched_at, NEW.stage,
        NEW.turn_version, NEW.clock, NEW.deadline, NEW.reminder, NEW.alarm, NEW.paused, NEW.lost,
        NEW.channel_id, NEW.played, NEW.wait);
END;
"""
"""Has the database itself keep every notice that was ever written, and each version's times."""
