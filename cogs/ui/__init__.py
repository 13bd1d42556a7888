"""Layouts: pure functions from what a person may see to the message that shows it."""
