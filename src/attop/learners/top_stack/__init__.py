"""Models combined for the top of the list."""
