"""Shared by all rooms of the library: tops, labels and groups, types, seeds, files."""
