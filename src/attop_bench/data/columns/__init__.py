"""Features of columns: labels, days, categories, texts and numbers, as a model takes them."""
