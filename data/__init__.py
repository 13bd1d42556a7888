"""What outlives the process: tables, logs, seats, notices and results, in one SQLite file."""
