"""Samples, and the problem that AATP's searches are given."""

import numpy as np

from attop.extending import ThresholdSVM, item_weights


def sample(n, d, seed, positive=0.4, shift=0.4):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < positive).astype(int)
    y[:2] = 0, 1
    X = rng.standard_normal((n, d))
    X[y == 1] += shift
    return X, y


def search_input(y, C, weights, taus, X):
    weight = item_weights(y, weights)
    tops = [int(np.ceil(round(tau * weight.sum(), 9))) for tau in taus]
    return ThresholdSVM(X, y, C * weight), weight, tops
