"""Pushes of every price and loss, and short lists to try them on."""

import itertools

import numpy as np

from attop.surrogates import ExpPushExp, HingePush, LogisticPush, PNormPushExp
from oracles.push import LOSSES, PRICES

COMBINATIONS = list(itertools.product(LOSSES, PRICES))
SMOOTH = [c for c in COMBINATIONS if c[0] != "hinge"]


def surrogate(loss, price, p=4.0):
    if loss == "exponential":
        return PNormPushExp(p) if price == "power" else ExpPushExp()
    return {"hinge": HingePush, "logistic": LogisticPush}[loss](price, p)


def nasty_list(rng):
    """Scores and labels of a short list: ties, kinks of the hinge, one-item classes, any scale."""
    n = int(rng.integers(2, 11))
    n_pos = int(rng.choice([1, n - 1, rng.integers(1, n)]))
    y = rng.permutation(np.arange(n) < n_pos).astype(int)
    kind = rng.integers(4)
    if kind == 0:
        return rng.integers(-2, 3, n).astype(float), y
    if kind == 1:
        return rng.choice([-1.0, 0.0, 0.5], n), y
    return rng.normal(scale=rng.choice([1e-3, 1.0, 4.0]), size=n), y
