"""Comparing methods over data sets: ranks, pairs, regret, and a sentence where nothing can be said."""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
