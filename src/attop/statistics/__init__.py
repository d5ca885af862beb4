"""Comparing methods over data sets: ranks, pairs, profiles, and a sentence where nothing can be said."""
