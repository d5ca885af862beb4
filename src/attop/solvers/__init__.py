"""Solvers: features and a bound surrogate in, a `Solution` out.

They take `X`, an ndarray or CSR matrix of shape (n, d); `loss`, a `BoundSurrogate` bound to the labels and
groups of its rows; `max_iter` of at least 1; and `time_limit`, in seconds, None for none, checked once an
iteration, of which there is at least one. They raise ValueError where a parameter is out of range, shapes do
not fit, or the surrogate lacks what they need.
"""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
