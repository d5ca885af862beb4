"""Metrics of the top of a ranked list: exact, ties declared."""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
