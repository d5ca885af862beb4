"""The p-norm push as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attop.estimators.base import LinearRanker
from attop.solvers.coordinate_descent import CoordinateSolution, coordinate_descent
from attop.surrogates.pnorm_push import PNormPushExp

__all__ = ["PNormPush"]


class PNormPush(LinearRanker):
    r"""Ranking with a p-norm push, exponential loss, by boosting (Rudin 2005).

    Minimises over :math:`\lambda`

    .. math:: F_p(\lambda) = \sum_k \Bigl(\sum_i \exp[-f(x_i) + f(\tilde x_k)]\Bigr)^p,
        \qquad f = \sum_j \lambda_j h_j,

    where :math:`x_i` are the positives, :math:`\tilde x_k` the negatives and the weak rankers
    :math:`h_j` are the features as given, real-valued or binary. Each round chooses the weak ranker
    along which :math:`F_p` changes most and minimises exactly along it. ``p = 1`` is RankBoost
    (with real-valued weak rankers where the features are real); the larger `p`, the more a negative
    pays for being near the top.

    Parameters
    ----------
    p : float, at least 1, default 4
        Power of the price. The paper uses 1, 2, 4, 8, 16 and 64.
    max_iter : int, at least 1, default 200
        Rounds. A few rounds are a sparse model: each changes one coefficient.
    tol : float, at least 0, default 1e-8
        Stops earlier when no entry of the gradient of :math:`\log F_p` exceeds it.
    time_limit : float or None, default None
        Seconds after which the best model so far is kept.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        :math:`\lambda`.
    intercept_ : float
        Places the cut of `predict`; see `LinearRanker`.
    n_iter_ : int
        Rounds done.
    objective_ : float
        :math:`\log F_p` at `coef_`.
    converged_ : bool
        Whether the gradient vanished to within `tol`. On separable data :math:`\log F_p` has no minimum
        and this stays false; `coef_` is finite nevertheless.
    history_ : attop.solvers.base.History
        :math:`\log F_p` and seconds, one entry a round, the first for :math:`\lambda = 0`.
    classes_, n_features_in_
        See `LinearRanker`.

    See Also
    --------
    attop.surrogates.pnorm_push.PNormPushExp : the objective, and why it is its logarithm.
    attop.solvers.coordinate_descent.coordinate_descent : the algorithm.

    Notes
    -----
    Scaling is the caller's: the largest derivative, and so the choice of weak ranker, depends on the
    units of the features. The paper scales each feature to [-1, 1], or thresholds it to {0, 1}:
    ``make_pipeline(MinMaxScaler((-1, 1)), PNormPush())``.

    The objective is bipartite: `groups` passed to `fit` are ignored, and pairs across groups count like
    any other.

    Differences from the paper: none in the path of :math:`\lambda`; it is computed from the factorised
    objective in O(n d) a round, without the paper's array of pairs, and the coefficients are
    not normalised at the end, which would not change the order.

    References
    ----------
    C. Rudin, "Ranking with a P-Norm Push", NYU Tech Report TR2005-874, 2005, figure 1.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.pnorm_push import PNormPush
    >>> X = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.3], [0.1, -0.5], [0.6, -0.2]])
    >>> y = np.array([1, 1, 0, 0, 0])
    >>> PNormPush(p=8).fit(X, y).decision_function(X).argsort()[::-1][:2].tolist()
    [0, 1]
    """

    def __init__(self, p: float = 4, max_iter: int = 200, tol: float = 1e-8, time_limit: float | None = None):
        self.p = p
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit

    def _solve_many(
        self,
        X: NDArray[np.float64],
        y: NDArray[np.int64],
        groups: NDArray[np.int64] | None,
        models: Sequence[Any],
    ) -> None:
        solved: dict[tuple[Any, ...], CoordinateSolution] = {}
        for model in models:
            setting = (model.p, model.max_iter, model.tol, model.time_limit)
            if setting not in solved:
                solved[setting] = coordinate_descent(
                    X,
                    PNormPushExp(model.p).bind(y),
                    max_iter=model.max_iter,
                    tol=model.tol,
                    time_limit=model.time_limit,
                )
            solution = solved[setting]
            model._set_linear(solution.coef[:, 0], X, y)
            model.n_iter_ = solution.n_iter
            model.objective_ = float(solution.objective[0])
            model.converged_ = solution.status == "converged"
            model.history_ = solution.history
