"""Parts that all rooms of the library share: tops, labels and groups, types, seeds, wording."""
