"""Data sets: loading, preparing, simulating and splitting."""
