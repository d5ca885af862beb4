"""A function as a watched process: its limits, its log and its result, whatever it does."""
