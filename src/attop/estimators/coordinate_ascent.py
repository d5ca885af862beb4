"""Coordinate ascent on a metric, as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from attop.core.typing import Floats, Ints, TopLike
from attop.estimators.base import LinearRanker
from attop.metrics.registry import get_metric
from attop.solvers.descent.coordinate_ascent import coordinate_ascent

__all__ = ["CoordinateAscent"]


class CoordinateAscent(LinearRanker):
    r"""Maximise a metric itself over linear rankers, one coefficient at a time (Metzler and Croft 2007).

    .. math:: \max_w \; \mathrm{metric}(y, X w)

    Parameters
    ----------
    top : int, mapping or Top, optional
        Of each group, for a metric that has a top; None stands for as many as there are positives,
        ``{"kappa": 1.0}``.
    metric : str, default="precision@k"
        Name of a metric of `attop.metrics`.
    n_starts : int, at least 1, default=5
        The best of as many ascents is kept, the first among equals. The first starts from equal weights of
        the standardised features, the others at random.
    max_iter : int, at least 1, default=25
        Passes over the coefficients, from each start.
    random_state : int, RandomState or None, default=0
        Draws starts and the order of the coefficients.
    time_limit : float, optional
        Seconds per model.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
        Places the cut of `predict`; see `LinearRanker`.
    value_ : float
        The metric of the training items.
    n_iter_ : int
        Passes, of the ascent that is kept; so are the following.
    converged_ : bool
        Whether no step that is tried along any one coefficient raises the metric. That is no certificate of
        an optimum, not even of a local one.
    status_ : str
        "converged", "max_iter" or "deadline".
    history_ : attop.solvers.base.History
        The objective is the metric, with the sign that makes it fall, at the start and after each pass.
    n_features_in_ : int

    See Also
    --------
    SoftTop : Ascent of a smoothed precision@k.
    attop.solvers.descent.coordinate_ascent.coordinate_ascent : The line search.

    Notes
    -----
    With `groups`, the metric is the mean over those it is defined on. A metric is constant but for jumps, and
    most directions change it by luck: what it gains in training it need not keep, the less so the smaller k.
    A pass computes the metric about 27 times a feature, each time sorting the items: for samples of
    thousands, not millions. Features are dense.

    `fit` takes no sample_weight: for the metrics a weight is what an item is worth, not how often it is
    there, and most have none.

    Differences from the paper: there, weights are not negative and add up to 1, the features being
    probabilities; here any sign goes. The paper does not say which steps its line search tries; those are
    ours, in units of the scores' spread, as are the random starts beside the uniform one.

    References
    ----------
    D. Metzler and W. B. Croft, "Linear Feature-Based Models for Information Retrieval", Information
    Retrieval 10, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.coordinate_ascent import CoordinateAscent
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> y = (X[:, 0] - X[:, 1] > 1).astype(int)
    >>> CoordinateAscent(top=5).fit(X, y).value_
    1.0
    """

    _default_top: ClassVar[TopLike] = {"kappa": 1.0}

    def __init__(
        self,
        top: TopLike | None = None,
        metric: str = "precision@k",
        n_starts: int = 5,
        max_iter: int = 25,
        random_state: int | np.random.RandomState | None = 0,
        time_limit: float | None = None,
    ):
        self.top = top
        self.metric = metric
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.random_state = random_state
        self.time_limit = time_limit

    def _solve(
        self, X: Any, y: Ints, groups: Ints | None, weight: Floats | None, models: Sequence[Any]
    ) -> None:
        metric = get_metric(self.metric)
        sign = 1.0 if metric.higher_is_better else -1.0
        top = self._top()

        def value(scores: Floats) -> float:
            return sign * metric.group_mean(y, scores, top, groups).value

        solution = coordinate_ascent(
            X,
            value,
            n_starts=self.n_starts,
            max_iter=self.max_iter,
            rng=check_random_state(self.random_state),
            time_limit=self.time_limit,
        )
        self._set_linear(solution.coef[:, 0], X, y)
        self.value_ = -sign * float(solution.objective[0])
        self._set_course(solution)
        self.converged_ = solution.status == "converged"
