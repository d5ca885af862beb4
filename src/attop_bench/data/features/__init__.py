"""Features made during preparation: of pairs, queries, ratings and images."""
