"""Runs of repeated cross-validation of models whose true precision is known."""

from functools import cache

import numpy as np
from scipy import stats
from scipy.optimize import brentq

N, K, POSITIVE = 2000, 100, 0.1  # the list, its top, the share of positives
SHARED = 0.5  # of the scores' noise, between the models


def splits(rng, n, folds=5, repeats=2):
    """Return (train, test) of each run."""
    runs = []
    for _ in range(repeats):
        for test in np.array_split(rng.permutation(n), folds):
            runs.append((np.setdiff1d(np.arange(n), test), test))
    return runs


def covariance(runs, n, training):
    """Return the covariance of runs whose value is a mean over test items plus one over training items.

    `training` is the variance of what a training item does to the model, in units of the variance of what a
    test item does to the value.
    """
    weights = np.zeros((len(runs), 2 * n))
    for row, (train, test) in zip(weights, runs, strict=True):
        row[test] = 1 / len(test)
        row[n + train] = np.sqrt(training) / len(train)
    return weights @ weights.T


def correlated(rng, cov, means, sd):
    """Return values of shape (runs, models): Gaussian, models alike but for their means, `sd` a run's."""
    root = np.linalg.cholesky(cov / np.diag(cov).mean() + 1e-12 * np.eye(len(cov)))
    return np.asarray(means) + sd * root @ rng.normal(size=(len(cov), len(means)))


@cache
def separation(precision, top=K / N, positive=POSITIVE):
    """Return how far the positives' scores lie above the negatives' for a precision at the top."""

    def excess(mu):
        cut = brentq(
            lambda t: positive * stats.norm.sf(t - mu) + (1 - positive) * stats.norm.sf(t) - top, -9, 20
        )
        return positive * stats.norm.sf(cut - mu) / top - precision

    return brentq(excess, -2, 12)


def resampled(rng, precisions, folds=5, repeats=2, *, n=N, positives=N // 10, k=K, shared=SHARED):
    """Return precision@k of fixed scorers on the test parts of one sample, shape (runs, models)."""
    y = np.zeros(n, dtype=int)
    y[:positives] = 1
    difficulty = np.sqrt(shared) * rng.normal(size=n)
    values = []
    parts = [test for _, test in splits(rng, n, folds, repeats)]
    for precision in precisions:
        noise = difficulty + np.sqrt(1 - shared) * rng.normal(size=n)
        scores = separation(precision, k / n, positives / n) * y + noise
        values.append([y[test][np.argsort(-scores[test])[: k // folds]].mean() for test in parts])
    return np.array(values).T
