"""Short lists with many ties, in groups or not, and how exactly metrics of them must agree."""

import numpy as np

from attop.metrics import METRICS

# The closed forms are sums of a few terms of order one, so that only rounding separates them from fractions.
ROUNDING = {"rel": 1e-12, "abs": 1e-14}
NAMES = sorted(METRICS)


def random_cases(seed, count=250):
    """Labels, scores with many ties and k, from lists without ties to lists of one tie block."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, 9))
        y = (rng.random(n) < rng.choice([0.2, 0.5, 0.8])).astype(int)
        scores = rng.integers(0, rng.integers(1, 6), n) - 2
        yield y.tolist(), scores.tolist(), int(rng.integers(1, n + 1))


def tied_cases(seed, count=300, n_max=8):
    """Cases with an item of either class."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(2, n_max + 1))
        y = rng.permutation(np.arange(n) < rng.integers(1, n)).astype(int)
        yield y.tolist(), rng.integers(0, rng.integers(1, 5), n).tolist(), int(rng.integers(1, n + 1))


def random_groups(seed, n_groups=6):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, n_groups, 50)
    return rng.integers(0, 2, 50), rng.integers(0, 4, 50).astype(float), groups
