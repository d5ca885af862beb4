"""Measures of time and memory, run by hand; see README.md."""
