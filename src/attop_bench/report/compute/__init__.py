"""Summaries and comparisons of the tables; no figure, no HTML."""
