"""A sample on which a linear model that is best on the whole is wrong at the top."""

import numpy as np


def misspecified(n=1500, seed=0):
    """Two ways to be positive: a broad, weak one and, at the top of another feature, a sure one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = ((X[:, 0] + 1.5 * rng.normal(size=n) > 2.8) & (X[:, 1] < 1.5)) | (X[:, 1] > 2.0)
    return X, y.astype(int)
