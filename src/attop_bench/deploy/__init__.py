"""A model to take away: chosen, fitted on all rows, with its list, a card, and new rows scored in a line."""
