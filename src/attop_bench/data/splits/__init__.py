"""Which rows train, select and test."""
