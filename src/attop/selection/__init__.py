"""Lists with a guarantee, from rows that no model was trained on."""
