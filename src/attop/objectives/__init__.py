"""Surrogates as objectives and metrics as evaluation metrics of other libraries.

A library is imported only where its objective or metric is used.
"""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
