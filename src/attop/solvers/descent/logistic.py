"""Cross entropy of a linear model, fully minimised."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from attop.core.compiled import blas
from attop.core.typing import Floats, Ints

__all__ = ["minimise_cross_entropy"]


def minimise_cross_entropy(X: Any, y: Ints, lam: float) -> tuple[Floats, bool]:
    r"""Minimise ``mean_i log(1 + exp(-z_i (w . x_i + b))) + lam/2 ||w||^2`` over `w` and `b`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    y : ndarray of shape (n,), 0 and 1
        ``z = 2 y - 1``; both classes.
    lam : float, positive
        Regularisation, not of `b`.

    Returns
    -------
    w : ndarray of shape (d,)
        At a gradient of at most 1e-6 in each coordinate, or where the objective falls by no more than its
        rounding, or after 2000 iterations of L-BFGS. `b` moves all scores alike and is left out.
    converged : bool
        Whether it was one of the first two.

    Raises
    ------
    ValueError
        If `lam` is not positive.
    """
    if not lam > 0:
        raise ValueError(f"lam must be positive, got {lam}")
    z = 2.0 * y - 1.0

    def objective(parameters: Floats) -> tuple[float, Floats]:
        w = parameters[:-1]
        margin = z * (X @ w + parameters[-1])
        slope = -z * expit(-margin) / len(y)
        value = float(np.logaddexp(0.0, -margin).mean() + 0.5 * lam * (w @ w))
        return value, np.append(X.T @ slope + lam * w, slope.sum())

    # A second thread of the BLAS costs more than it saves: products with a single vector wait for memory.
    with np.errstate(over="ignore", invalid="ignore"), blas().limit(limits=1):
        result = minimize(
            objective,
            np.zeros(X.shape[1] + 1),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 2000, "gtol": 1e-6, "ftol": 64 * np.finfo(float).eps, "maxls": 50},
        )
    return result.x[:-1], bool(result.success)
