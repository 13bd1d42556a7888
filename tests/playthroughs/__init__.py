"""Whole recorded games, replayed action by action and hash by hash.

A file has a header line (profile, seats, options) and one line an action: the first eight characters of
the state's hash after it, the seat (`-` for chance), and the action in the notation of RULES.md §11.
`python -m tests.playthroughs` records those that are missing; a changed one must be deleted first.
"""
