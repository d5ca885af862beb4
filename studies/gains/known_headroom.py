"""Samples of which it is known whether there is anything to gain at the top, and by what."""

import numpy as np
from scipy.special import expit

from attop.extending import NOTHING, RICHER, TRAINING

#: Kind of sample and the right verdict.
KINDS = {"linear": NOTHING, "nonlinear rare cue": RICHER, "misspecified linear": TRAINING}
#: The share of the rows at the top.
TOP = {"tau": 0.05}


def known_headroom(kind, n, seed):
    """Return features, labels and the probabilities they were drawn with.

    Six features of variance 1.

    linear
        The log-odds are linear: no model is above logistic regression but by chance.
    nonlinear rare cue
        The same, but in a small box in the middle, 5% of the rows, 9 of 10 are positive. No linear score has
        the middle at its top.
    misspecified linear
        Many positives along one direction, never more than a quarter, and the sure ones along another, at
        right angles, aslant in all features: a linear score has the best top, but not the one that fits all
        rows best; what splits feature by feature needs many rows to see it.
    """
    rng = np.random.default_rng([seed, list(KINDS).index(kind)])
    X = rng.normal(size=(n, 6))
    broad, sure = np.linalg.qr(rng.normal(size=(6, 2)))[0].T
    if kind == "linear":
        p = expit(2 * X @ broad - 4)
    elif kind == "nonlinear rare cue":
        middle = (np.abs(X[:, 0]) < 0.2) & (np.abs(X[:, 1]) < 0.4)
        p = np.where(middle, 0.9, expit(1.5 * X @ broad - 4.5))
    else:
        p = np.maximum(0.25 * expit(3 * (X @ broad - 0.7)), 0.9 * expit(8 * (X @ sure - 1.7)))
    return X, (rng.random(n) < p).astype(int), p
