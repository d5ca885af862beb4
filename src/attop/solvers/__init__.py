"""Solvers: features and a surrogate in, models and a history out."""
