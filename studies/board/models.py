"""Methods of the board that need a few lines around a library: LambdaMART, AATP on a sample, AutoGluon."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split

from attop.extending import Floats, Top, TopLike
from attop.from_papers import AATP

#: Rows of a list that LightGBM accepts.
_LONGEST = 10_000


@dataclass(repr=False, eq=False)
class _LambdaMART(ClassifierMixin, BaseEstimator):
    """Boosted trees on LambdaMART's gradients of NDCG, of pairs of which one is among the first k.

    The training rows are one list. `top` says what k is; 5% of the items if left out.
    """

    top: TopLike | None = None
    n_estimators: int = 100
    size: int = 8
    learning_rate: float = 0.1
    random_state: int | None = 0

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Boost; labels are 0 and 1."""
        X, y = np.asarray(X), np.asarray(y)
        self.classes_ = np.unique(y)
        k = Top.of(self.top or {"tau": 0.05}).resolve(len(y), int(y.sum()))
        self.model_ = self._boost(X, y, k)
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores."""
        return np.asarray(self.model_.predict(np.asarray(X)), np.float64)

    def _boost(self, X: Floats, y: Floats, k: int) -> Any:
        raise NotImplementedError


class LambdaMARTLightGBM(_LambdaMART):
    """LambdaMART of LightGBM, truncated at k; `size` is the number of leaves.

    LightGBM takes lists of 10,000 rows. Longer ones are cut at random into equal lists, k with them.
    """

    def _boost(self, X: Floats, y: Floats, k: int) -> Any:
        from lightgbm import LGBMRanker

        n_lists = math.ceil(len(y) / _LONGEST)
        order = np.random.default_rng(self.random_state).permutation(len(y)) if n_lists > 1 else slice(None)
        sizes = [len(part) for part in np.array_split(np.arange(len(y)), n_lists)]
        ranker = LGBMRanker(
            n_estimators=self.n_estimators,
            num_leaves=self.size,
            learning_rate=self.learning_rate,
            lambdarank_truncation_level=max(1, round(k / n_lists)),
            random_state=self.random_state,
            n_jobs=1,
            verbosity=-1,
        )
        return ranker.fit(X[order], y[order], group=sizes)


class LambdaMARTXGBoost(_LambdaMART):
    """LambdaMART of XGBoost, with pairs of the k items that are first; `size` is the depth."""

    def _boost(self, X: Floats, y: Floats, k: int) -> Any:
        from xgboost import XGBRanker

        ranker = XGBRanker(
            objective="rank:ndcg",
            lambdarank_pair_method="topk",
            lambdarank_num_pair_per_sample=k,
            n_estimators=self.n_estimators,
            max_depth=self.size,
            learning_rate=self.learning_rate,
            tree_method="hist",
            random_state=self.random_state,
            n_jobs=1,
        )
        return ranker.fit(X, y, qid=np.zeros(len(y), np.int32))


@dataclass(repr=False, eq=False)
class AATPOnSample(ClassifierMixin, BaseEstimator):
    """AATP by its fixed point, on at most `n_rows` rows, drawn with the share of positives kept."""

    top: TopLike | None = None
    C: float = 1.0
    n_rows: int = 1000
    random_state: int | None = 0

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Draw the rows and solve."""
        X, y = np.asarray(X), np.asarray(y)
        if len(y) > self.n_rows:
            X, _, y, _ = train_test_split(
                X, y, train_size=self.n_rows, stratify=y, random_state=self.random_state
            )
        self.model_ = AATP(C=self.C, search="fixed-point", top=self.top).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores."""
        return self.model_.decision_function(X)


@dataclass(repr=False, eq=False)
class AutoGluon(ClassifierMixin, BaseEstimator):
    """AutoGluon's stack of its own models, by average precision; none with pretrained weights."""

    seconds: float = 300
    presets: str = "high_quality"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train within `seconds`."""
        import pandas as pd
        from autogluon.tabular import TabularPredictor

        self.classes_ = np.unique(np.asarray(y))
        self._folder = tempfile.TemporaryDirectory()
        predictor = TabularPredictor(
            "label",
            problem_type="binary",
            eval_metric="average_precision",
            path=self._folder.name,
            verbosity=0,
        )
        self.model_ = predictor.fit(
            pd.DataFrame(np.asarray(X)).add_prefix("x").assign(label=np.asarray(y)),
            time_limit=self.seconds,
            presets=self.presets,
            excluded_model_types=["TABPFNV2", "REALTABPFN-V2", "TABPFNMIX", "TABICL", "MITRA", "AG_AUTOMM"],
            num_cpus=1,
            num_gpus=0,
        )
        return self

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probabilities of both classes."""
        import pandas as pd

        return self.model_.predict_proba(pd.DataFrame(np.asarray(X)).add_prefix("x")).to_numpy()
