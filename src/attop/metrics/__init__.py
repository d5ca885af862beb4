"""Metrics of the top of a ranked list: exact, ties declared."""
