"""Linear models refined for the top of the list."""
