"""Experiments on one's own data: folds, candidates, tuning, and models side by side at the top.

The benchmark's jobs, `attop deploy`, `attop headroom` and estimators that cross-validate use the same
functions.
"""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
