"""Gains of training for the top: protocols and results; see README.md."""
