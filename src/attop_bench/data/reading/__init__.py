"""A file as a table of text: its format, the way it is written, its lines, its cells."""
