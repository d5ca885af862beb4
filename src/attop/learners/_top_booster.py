"""A small model of boosted trees whose log loss is weighted around the cut, where that pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix, issparse
from scipy.special import expit

from attop._core.top import Top
from attop._core.typing import Features, Floats, Ints, TopLike
from attop.experiment._splits import tuning_folds
from attop.learners._base import Training, ranker
from attop.learners._validation import repeatable
from attop.learners.soft_top._refinement import RefinedRows, precision_about, unit
from attop.learners.soft_top._search import best_gain
from attop.learners.soft_top._soft_top import RefinedRanker

_BANDWIDTHS = (1.0, 2.0, 4.0)
#: Weight far from the cut, relative to that at the cut: those rows teach the model how to get near it.
_FAR = 0.1


@ranker
class TopBooster(RefinedRanker):
    r"""Boost trees on log loss, then again with the rows around the cut weighted, where that pays.

    A first model of log loss scores the training rows. A second, of as many trees, minimises

    .. math:: \sum_i \omega_i \, \log\bigl(1 + e^{\mp F(x_i)}\bigr), \qquad
              \omega_i \propto 0.1 + 0.9 \cdot 4 \, \sigma'\Bigl(\frac{s_i - t}{h u}\Bigr),

    where s are the scores of the first, t is the k-th highest of them and u the standard deviation of the 4k
    highest; the sign is minus for positives. Whether to take the second, and its h, is chosen by
    cross-validation, by the precision averaged over nine k' from k/2 to 2k. Where the best h gains no more
    than its standard error the model of log loss is kept.

    Parameters
    ----------
    top : int, mapping or Top, optional
        See `SoftTop`.
    n_estimators : int, at least 1, default=100
        Trees.
    num_leaves : int, at least 2, default=2
        Leaves of a tree. Trees of two leaves make a sum of functions of one feature each.
    learning_rate : float, positive, default=0.1
    min_child_samples : int, at least 1, default=20
        Least number of rows in a leaf.
    bandwidth : float, positive, optional
        h. None chooses among 1, 2 and 4.

    Attributes
    ----------
    booster_ : lightgbm.Booster
        The model that is used.
    base_ : lightgbm.Booster
        The model of log loss; `booster_` is another one where the model is refined.

    See Also
    --------
    attop.SoftTop : The same for linear models.
    attop.objectives : Surrogates as objectives of boosters.

    Notes
    -----
    `fit` needs LightGBM, which comes with ``attop[boosters]``.

    It is for models that have to be small, because they are read or must be fast: those cannot describe the
    probability everywhere, and are told where it has to be right. A booster of any size wants log loss for
    every k; :doc:`/howto/boosters-and-networks` has the measurements. Missing values and sparse features are
    left to LightGBM.

    Differences from a paper: it has none. The weights are those of a local likelihood around the cut.

    Examples
    --------
    >>> import numpy as np
    >>> from attop import TopBooster
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=600) > 3
    >>> model = TopBooster(top=20, n_estimators=30).fit(X, y)  # doctest: +SKIP
    """

    _takes_missing = True

    top: TopLike | None = None
    n_estimators: int = 100
    num_leaves: int = 2
    learning_rate: float = 0.1
    min_child_samples: int = 20
    bandwidth: float | None = None

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        _lightgbm()
        for model in models:
            model._tune(data)

    def _tune(self, data: Training) -> None:
        """Boost on log loss, choose a width or none, and boost again."""
        X, labels, codes, weight, entity = data.with_positive_weight()
        part = RefinedRows(np.arange(len(labels)), labels, codes, weight)
        top = self._top_of(part)
        self._choose_width(X, part, top, codes if entity is None else entity)
        bandwidths = [] if self.bandwidth_ is None else [self.bandwidth_]
        self.base_, *weighted = self._boost(X, part, top, bandwidths)
        self.booster_ = weighted[0] if weighted else self.base_
        self._set_threshold(self._score(X), labels, weight)

    def _choose_width(
        self, X: Features, part: RefinedRows, top: Top, whole: Ints | None
    ) -> None:
        """Choose the width with the highest mean precision; none where that gains too little."""
        from joblib import Parallel, delayed

        bandwidths = (
            _BANDWIDTHS if self.bandwidth is None else (float(self.bandwidth),)
        )
        seed = int(repeatable(self.random_state).randint(2**31 - 1))
        pairs = tuning_folds(part.y, whole, self.cv, np.random.default_rng(seed))
        folds = [(part.take(train), part.take(test)) for train, test in pairs]

        def validate(train: RefinedRows, test: RefinedRows) -> Floats:
            models = self._boost(X, train, top, bandwidths)
            return precision_about(
                np.column_stack([_raw(m, X[test.rows]) for m in models]), test, top
            )

        values = Parallel(self.n_jobs, prefer="threads")(
            delayed(validate)(*fold) for fold in folds
        )
        usable = np.array([value for value in values if np.isfinite(value).all()])
        self.bandwidth_ = None
        self.cv_gain_ = np.nan
        self.cv_gain_se_ = np.nan
        if len(usable) > 1:
            best, self.cv_gain_, self.cv_gain_se_ = best_gain(
                usable[:, 1:] - usable[:, :1]
            )
            if self.cv_gain_ > self.min_gain_se * self.cv_gain_se_:
                self.bandwidth_ = bandwidths[best]
        self.refined_ = self.bandwidth_ is not None

    def _boost(
        self, X: Features, part: RefinedRows, top: Top, bandwidths: Sequence[float]
    ) -> list[Any]:
        """Boost a model of log loss, and for each width one weighted around the cut of the first."""
        lightgbm = _lightgbm()
        parameters = {
            "objective": "binary",
            "num_leaves": self.num_leaves,
            "learning_rate": self.learning_rate,
            "min_data_in_leaf": self.min_child_samples,
            "num_threads": 1,
            "deterministic": True,
            "force_col_wise": True,
            "verbosity": -1,
        }
        rows = X[part.rows]

        def boost(weight: Floats | None) -> Any:
            data = lightgbm.Dataset(_matrix(rows), part.y, weight=weight)
            return lightgbm.train(parameters, data, self.n_estimators)

        base = boost(part.weight)
        scores = _raw(base, rows) if len(bandwidths) else np.zeros(0)
        return [
            base,
            *(
                boost(_around_the_cut(scores, part, top, bandwidth))
                for bandwidth in bandwidths
            ),
        ]

    def _score(self, X: Features) -> Floats:
        return _raw(self.booster_, X)


def _lightgbm() -> Any:
    try:
        import lightgbm
    except ImportError as error:
        raise ImportError(
            "TopBooster needs the package lightgbm: install attop[boosters], or use SoftTop, which refines "
            "linear models and needs no other package"
        ) from error
    return lightgbm


def _raw(model: Any, X: Features) -> Floats:
    return np.asarray(
        model.predict(_matrix(X), raw_score=True, num_threads=1), dtype=np.float64
    )


def _matrix(X: Features) -> Any:
    """Convert features for LightGBM, sparse ones to the older interface, which it takes without a warning."""
    return csr_matrix(X) if issparse(X) else X


def _around_the_cut(
    scores: Floats, part: RefinedRows, top: Top, bandwidth: float
) -> Floats:
    """Weigh rows around the cut: most at the k-th highest score of each list, with mean 1."""
    width = bandwidth * unit(scores, part, top)
    near = np.zeros(len(scores))
    for at, k in part.lists(top):
        order = at[np.argsort(-scores[at], kind="stable")]
        amount = (
            np.arange(1, len(at) + 1)
            if part.weight is None
            else np.cumsum(part.weight[order])
        )
        cut = scores[order[np.searchsorted(amount, k)]]
        p = expit((scores[at] - cut) / width)
        near[at] = 4.0 * p * (1.0 - p)
    weight = _FAR + (1.0 - _FAR) * near
    if part.weight is not None:
        weight *= part.weight
    return weight / weight.mean()
