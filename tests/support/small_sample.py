"""A small sample, what spoils it, and tops that are none."""

import warnings

import numpy as np

from support.every_estimator import make

RNG = np.random.default_rng(0)

# Eighths: exact in float16, and sums of few of them are exact in any order.
X = np.round(RNG.normal(size=(48, 3)) * 8) / 8
Y = (X[:, 0] + RNG.normal(size=48) > 0.8).astype(int)
GROUPS = np.arange(48) % 4
NAN, INF = float("nan"), float("inf")


def with_entry(array, value):
    changed = np.array(array, dtype=float if isinstance(value, float) else object)
    changed[(3,) * changed.ndim if changed.ndim == 1 else (3, 1)] = value
    return changed


def fitted(name, sample):
    with warnings.catch_warnings():
        # Convergence is not the question here; neither is a model of noise that comes out zero.
        warnings.simplefilter("ignore")
        return make(name).fit(*sample)


TOPS = [
    (0, "k must be an integer of at least 1, got 0"),
    (-3, "k must be an integer of at least 1, got -3"),
    (3.5, "must be an integer, which is k, or lie between 0 and 1, .* got 3.5: write for example 10 or 0.05"),
    (-0.2, "must be an integer, .* got -0.2"),
    (True, "cannot read a top from True"),
    (np.True_, "cannot read a top from np.True_"),
    ("ten", "a top is written as k=10, .* got 'ten'"),
    (NAN, "must be an integer, .* got nan"),
    (INF, "must be an integer, .* got inf"),
    (10**400, "cannot read a top from 1000"),
    ([3], r"cannot read a top from \[3\]"),
    ({}, "exactly one of k, tau and kappa, got none"),
    ({"rho": 1}, r"unknown key \['rho'\].*use one of k, tau, kappa"),
    ({"k": 3, "tau": 0.1}, "exactly one of k, tau and kappa"),
    ({"k": "3"}, "k must be a finite number, got '3'"),
    ({"tau": 0}, "tau must lie strictly between 0 and 1, got 0"),
    ({"tau": 1}, "tau must lie strictly between 0 and 1, got 1"),
    ({"tau": 5}, "got 5: it is a fraction of the items, for 5% write 0.05"),
    ({"tau": -0.1}, "tau must lie strictly between 0 and 1"),
    ({"kappa": 0}, "kappa must be positive, got 0"),
    ({"kappa": NAN}, "kappa must be a finite number, got nan"),
]
