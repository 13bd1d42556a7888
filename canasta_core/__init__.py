"""The game of Canasta and its tables: standard library only, no I/O in the rules."""
