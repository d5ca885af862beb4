"""Labels, and users with given numbers of positives; whether two folds are the same."""

import numpy as np


def labels(n=203, n_pos=23):
    return np.random.default_rng(0).permutation(np.arange(n) < n_pos).astype(int)


def users(sizes, n_pos, seed=0):
    """Labels and groups of users with given numbers of rows and positives, rows in random order."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    y = np.concatenate([np.arange(n) < p for n, p in zip(sizes, n_pos, strict=True)]).astype(int)
    order = np.random.default_rng(seed).permutation(len(y))
    return y[order], group[order]


def same(a, b):
    arrays = [[f.train, f.test, *(p for pair in f.inner for p in pair)] for f in (a, b)]
    return all(np.array_equal(u, v) for u, v in zip(*arrays, strict=True))
