"""A booster on any surrogate, as a method of a configuration: LightGBM from log loss on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from attop.extending import Floats, Ints, TopLike
from attop.objectives import LightGBMObjective


@dataclass(repr=False, eq=False)
class SurrogateBooster(BaseEstimator):
    """LightGBM's trees of log loss, then as many on `attop.objectives.LightGBMObjective`.

    Groups are lists of their own. Rows are sorted by group, as LightGBM asks.
    """

    surrogate: str = "prec@k-soft"
    top: TopLike | None = None
    n_estimators: int = 20
    num_leaves: int = 8
    random_state: int | None = 0

    def fit(self, X: Floats, y: Ints, groups: Ints | None = None) -> Self:
        """Learn from features and labels 0 and 1."""
        import lightgbm

        order, sizes = np.arange(len(y)), None
        if groups is not None:
            order = np.argsort(groups, kind="stable")
            sizes = np.unique(groups, return_counts=True)[1]
        params: dict[str, Any] = {
            "objective": "binary",
            "num_leaves": self.num_leaves,
            "num_threads": 1,
            "seed": self.random_state or 0,
            "deterministic": True,
            "verbosity": -1,
        }
        data = lightgbm.Dataset(np.asarray(X)[order], y[order], free_raw_data=False)
        first = lightgbm.train(params, data, self.n_estimators)
        again = lightgbm.Dataset(np.asarray(X)[order], y[order], group=sizes, free_raw_data=False)
        params["objective"] = LightGBMObjective(self.surrogate, self.top)
        self.booster_ = lightgbm.train(params, again, self.n_estimators, init_model=first)
        return self

    def decision_function(self, X: Floats) -> Floats:
        """Return the sum of all trees."""
        return np.asarray(self.booster_.predict(np.asarray(X), raw_score=True))
