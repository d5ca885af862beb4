"""Cross entropy of a linear model, fully minimised."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["minimise_cross_entropy"]


def minimise_cross_entropy(X: Any, y: NDArray[np.int64], lam: float) -> NDArray[np.float64]:
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
        At a gradient of at most 1e-6 in each coordinate, or after 2000 iterations of L-BFGS. `b` moves
        all scores alike and is left out.

    Raises
    ------
    ValueError
        If `lam` is not positive.
    """
    from sklearn.linear_model import LogisticRegression

    if not lam > 0:
        raise ValueError(f"lam must be positive, got {lam}")
    model = LogisticRegression(C=1.0 / (lam * len(y)), tol=1e-6, max_iter=2000)
    return model.fit(X, y).coef_[0]
