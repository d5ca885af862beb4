"""Conformal selection by its definitions, and the splits of a pool into calibration rows and a list."""

import itertools


def p_value(y, scores, new):
    worse = sum(1 for label, s in zip(y, scores, strict=True) if label == 0 and s >= new)
    return (1 + worse) / (len(y) + 1)


def benjamini_hochberg(p, q):
    ordered = sorted(p)
    passed = [v for k, v in enumerate(ordered, 1) if v <= q * k / len(p) + 1e-12]
    return [v <= max(passed, default=-1) for v in p]


def splits(pool, m):
    """All ways to take m rows of a pool as the list: (calibration, list), as row numbers."""
    rows = range(pool)
    for new in itertools.combinations(rows, m):
        yield [i for i in rows if i not in new], list(new)
