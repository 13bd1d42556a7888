"""`python -m tests.playthroughs`: record the games that are missing."""

from tests.playthroughs.recording import record, tables

if __name__ == "__main__":
    for table in tables():
        if not table.path.exists():
            table.path.write_text(record(table, table.path.stem), encoding="utf-8")
            print(table.path.name)
