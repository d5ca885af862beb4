"""Users and items by factors, from their pairs alone."""
