"""What every room of the library needs: tops, labels and groups, types, seeds, files."""
