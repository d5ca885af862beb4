"""The line every table is read against: a scorer that learns nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from attop.core.typing import Floats, Ints
from attop.estimators.base import LinearRanker

__all__ = ["RandomDirection"]


class RandomDirection(LinearRanker):
    """Score by a direction drawn from the standard normal distribution; nothing is learnt.

    Parameters
    ----------
    random_state : int, RandomState or None
    """

    def __init__(self, random_state: int | np.random.RandomState | None = 0):
        self.random_state = random_state

    def _solve(
        self, X: Any, y: Ints, groups: Ints | None, weight: Floats | None, models: Sequence[Any]
    ) -> None:
        for model in models:
            draw = check_random_state(model.random_state).standard_normal(X.shape[1])
            model._set_linear(draw, X, y)
