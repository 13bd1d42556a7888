"""Whole games through every layer: commands or clicks in, a real database file below, processes killed."""
