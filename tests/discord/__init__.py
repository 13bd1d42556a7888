"""What tests of the bot stand on: a checked, simulated Discord (see README.md in this directory)."""

if __name__ == "discord":
    # Without tests/__init__.py, pytest puts the directory tests/ first on sys.path; this package would then
    # stand in for discord.py everywhere, with errors that say nothing of the cause.
    raise ImportError("tests/discord was imported as 'discord': the directory tests/ needs an __init__.py")
