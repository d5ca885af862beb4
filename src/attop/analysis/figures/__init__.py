"""Figures of the report, one module each."""
