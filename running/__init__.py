"""What keeps a process running for a year: its logs, its stop, and the sign of life that it gives."""
