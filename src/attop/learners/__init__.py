"""Learners to use, with scikit-learn's interface; each loads when it is first used."""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
