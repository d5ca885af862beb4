"""Checks of minutes to hours, run by hand before a release; see README.md."""
