"""A sample of many rows that keeps the positives."""

from __future__ import annotations

import numpy as np

from attop._core.typing import Floats, Ints


def thinned(
    y: Ints, weight: Floats | None, most: int, seed: int
) -> tuple[Ints, Floats | None]:
    """Draw at most `most` rows, in ascending order, and their weights.

    All rows and `weight` itself where there are no more. Else up to half of them are positives, all where
    there are no more than that, drawn at random as the negatives are; the weights of the rows of a class make
    up for those left out.
    """
    if len(y) <= most:
        return np.arange(len(y)), weight
    rng = np.random.default_rng(seed)
    weight = np.ones(len(y)) if weight is None else weight.copy()
    n_pos = int(y.sum())
    n_pos_drawn = max(min(n_pos, most // 2), most - len(y) + n_pos)
    draws = []
    for label, n_drawn in ((1, n_pos_drawn), (0, most - n_pos_drawn)):
        of_class = np.flatnonzero(y == label)
        draws.append(rng.choice(of_class, n_drawn, replace=False))
        weight[of_class] *= len(of_class) / n_drawn
    rows = np.sort(np.concatenate(draws))
    return rows, weight[rows]
