"""Simulations: how often a verdict, an interval or a list keeps its promise; see README.md."""
