"""Splits into rows that train, select and test."""
