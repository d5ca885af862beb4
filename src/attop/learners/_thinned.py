"""A sample of many rows that keeps the positives."""

from __future__ import annotations

import numpy as np

from attop._core.typing import Floats, Ints


def thinned(
    y: Ints, weight: Floats | None, most: int, seed: int
) -> tuple[Ints, Floats | None]:
    """Return at most `most` rows, in ascending order, and their weights.

    All rows and `weight` itself where there are no more. Else up to half of them are positives, all where
    there are no more than that, drawn at random as the negatives are; the weights of the rows of a class make
    up for those left out.
    """
    if len(y) <= most:
        return np.arange(len(y)), weight
    rng = np.random.default_rng(seed)
    weight = np.ones(len(y)) if weight is None else weight.copy()
    pos = np.flatnonzero(y == 1)
    neg = np.flatnonzero(y == 0)
    n_neg = min(len(neg), most - min(len(pos), most // 2))
    draws = [
        rng.choice(pos, most - n_neg, replace=False),
        rng.choice(neg, n_neg, replace=False),
    ]
    for rows, candidates in zip(draws, (pos, neg), strict=True):
        weight[rows] *= len(candidates) / len(rows)
    rows = np.sort(np.concatenate(draws))
    return rows, weight[rows]
