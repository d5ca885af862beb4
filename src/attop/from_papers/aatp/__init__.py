"""Accuracy at the top (Boyd, Cortes, Mohri, Radovanovic 2012)."""
