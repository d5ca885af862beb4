"""The line every table is read against: a scorer that learns nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from sklearn.utils import check_random_state

from attop.estimators.base import Ranker, Training


class RandomDirection(Ranker):
    """Score by a direction drawn from the standard normal distribution; nothing is learnt.

    Parameters
    ----------
    random_state : int, RandomState or None
    """

    def __init__(self, random_state: int | np.random.RandomState | None = 0):
        self.random_state = random_state

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        for model in models:
            draw = check_random_state(model.random_state).standard_normal(data.X.shape[1])
            model._set_linear(draw, data)
