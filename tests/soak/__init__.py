"""Long runs that look for what no case names: `python -m tests.soak`, and short ones for pytest."""
