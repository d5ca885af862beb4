"""Features of a user-item pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop.core.typing import Floats
from attop_bench.data.base import DatasetError

__all__ = ["interaction_features"]


def interaction_features(user: ArrayLike, item: ArrayLike) -> Floats:
    """Return user features, item features and their Hadamard product, side by side.

    Parameters
    ----------
    user, item : array-like of shape (n, r)
        Features of the user and of the item of each row.

    Returns
    -------
    X : ndarray of shape (n, 3 r)

    Raises
    ------
    DatasetError
        If the shapes differ.

    Notes
    -----
    Within one user the user's features are constant: they change no ranking, and are kept because the
    paper has them. A linear model ranks by the item features and, through the product, by their
    agreement with the user's.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.1: <user-feat, item-feat, prod-feat, label>.
    """
    u = np.asarray(user, dtype=np.float64)
    v = np.asarray(item, dtype=np.float64)
    if u.ndim != 2 or u.shape != v.shape:
        raise DatasetError(
            f"user and item features must be tables of one shape, got {u.shape} and {v.shape}: "
            "give both the same number of dimensions"
        )
    return np.hstack([u, v, u * v])
