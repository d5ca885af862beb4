"""Coordinate descent over weak rankers."""
