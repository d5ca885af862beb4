"""EASE by its definition: a ridge regression of each item on all others."""

import numpy as np


def ease_weights(X, lam):
    """Return B of zero diagonal that minimises the squares of X - X B and lam times those of B."""
    n_items = X.shape[1]
    weights = np.zeros((n_items, n_items))
    for item in range(n_items):
        others = np.delete(np.arange(n_items), item)
        Z = X[:, others]
        weights[others, item] = np.linalg.solve(Z.T @ Z + lam * np.eye(n_items - 1), Z.T @ X[:, item])
    return weights
