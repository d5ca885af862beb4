"""Surrogates as objectives and metrics as evaluation metrics of other libraries.

Each library has a module, which imports it only where it is needed; `attop.objectives._objective` and
`attop.objectives._evaluation` are what they share.
"""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
