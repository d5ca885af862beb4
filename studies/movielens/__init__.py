"""Study: movielens."""
