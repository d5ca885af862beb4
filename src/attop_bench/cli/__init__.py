"""The command `attop`: what a run of the benchmark has done, and what to do about it."""
