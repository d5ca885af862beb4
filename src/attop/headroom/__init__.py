"""Headroom: how much there is to gain at the top of one data set."""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
