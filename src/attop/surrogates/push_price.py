"""Prices of a push: how the inner sums of the negatives are averaged so that the large ones count more."""

from __future__ import annotations

import math
from numbers import Real
from typing import Literal

import numpy as np

from attop.core.typing import Floats

__all__ = ["Price", "check_power", "exp_mean", "power_mean"]

Price = Literal["power", "exp"]


def check_power(p: float) -> float:
    """Return the power of a price as a float.

    Raises
    ------
    TypeError
        If `p` is not a real number.
    ValueError
        If `p` is below 1 or not finite.
    """
    if isinstance(p, bool) or not isinstance(p, Real):
        raise TypeError(f"p must be a real number of at least 1, got {p!r}")
    if not (math.isfinite(p) and p >= 1):
        raise ValueError(
            f"p must be finite and at least 1, got {p!r}: below 1 the price would be concave, and "
            "negatives at the top would count less, not more"
        )
    return float(p)


def power_mean(u: Floats, times: Floats, p: float) -> tuple[float, Floats]:
    r"""Average non-negative `u` by the price :math:`g(r) = r^p`.

    Parameters
    ----------
    u : ndarray of shape (K,), at least 0
    times : ndarray of shape (K,), at least 0
        How often each counts.
    p : float, at least 1

    Returns
    -------
    mean : float
        :math:`(\sum_k t_k u_k^p / \sum_k t_k)^{1/p}`; powers are taken of ``u / max(u)`` and cannot overflow.
    weight : ndarray of shape (K,)
        Its derivatives, at least 0; all 0 where `u` is 0, the minimum.
    """
    top = float(u[times > 0].max())
    if top == 0:
        return 0.0, np.zeros_like(u)
    share = np.where(times > 0, u / top, 0.0)
    total = float(times.sum())
    mean = float(np.sum(times * share**p)) / total
    return top * mean ** (1 / p), times * share ** (p - 1) * (mean ** (1 / p - 1) / total)


def exp_mean(u: Floats, times: Floats) -> tuple[float, Floats]:
    r"""Average `u` by the price :math:`g(r) = \exp(r)`.

    Parameters
    ----------
    u : ndarray of shape (K,)
    times : ndarray of shape (K,), at least 0
        How often each counts.

    Returns
    -------
    mean : float
        :math:`\log (\sum_k t_k \exp(u_k) / \sum_k t_k)`, as a log-sum-exp.
    weight : ndarray of shape (K,)
        Its derivatives: at least 0, of sum 1.
    """
    top = float(u[times > 0].max())
    below = np.where(times > 0, u - top, 0.0)
    weight = times * np.exp(below)
    weight /= weight.sum()
    # log1p and expm1: where all exponents are nearly equal, the logarithm is tiny and would lose its digits.
    return top + math.log1p(float(np.sum(times * np.expm1(below)) / times.sum())), weight
