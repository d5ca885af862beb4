"""Losses of scores: value and subgradient, grouped, batched over models.

A surrogate is bound to labels and groups once and then called with scores; see
`attop.surrogates.Surrogate`. Kernels are compiled when a surrogate is first bound and called.
"""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
