"""A function as a watched process: its limits, its log, and how it ended, whatever it does."""
