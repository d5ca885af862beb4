"""Figures of the report, one module each, listed in `registry`."""
