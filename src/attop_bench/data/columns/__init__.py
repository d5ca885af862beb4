"""What a column is to a model: a label, a day, a category, a text, a number."""
