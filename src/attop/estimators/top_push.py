"""TopPush as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from attop.estimators.base import LinearRanker
from attop.estimators.bundle_ranker import store_solution
from attop.solvers.base import Solution
from attop.solvers.top_push_dual import top_push_dual

__all__ = ["TopPush"]


class TopPush(LinearRanker):
    r"""TopPush (Li, Jin and Zhou 2014): positives against the highest negative, in linear time.

    .. math:: \min_w \tfrac\lambda2 \|w\|^2
              + \frac1{n_+} \sum_{i=1}^{n_+} (1 + \max_j w \cdot x^-_j - w \cdot x^+_i)_+^2

    Parameters
    ----------
    lam : float, positive, default=0.01
        Regularisation. The loss is 1 at w = 0.
    tol : float, positive, default=1e-3
        Relative duality gap to certify.
    max_iter : int, at least 1, default=10000
    time_limit : float, optional
        Seconds per model.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
        Places the cut of `predict`; see `LinearRanker`.
    objective_ : float
    gap_ : float
        Certified relative gap: the objective exceeds the optimum by at most ``gap_ * objective_``.
    n_iter_ : int
    converged_ : bool
        Whether the gap reached `tol`.
    status_ : str
        "converged", "max_iter", "deadline" or "diverged".
    history_ : attop.solvers.base.History
        Seconds, objective and absolute gap of each iteration.
    n_features_in_ : int

    See Also
    --------
    InfinitePush : The same comparison with the hinge loss.
    attop.solvers.top_push_dual.top_push_dual : The algorithm.

    Notes
    -----
    All items are ranked in one list: `groups` passed to `fit` are ignored. For the mean over groups use
    ``BundleRanker("top-push")``, which reads the sample less often and is the faster on large ones.

    Differences from the paper: stops at a certified gap; see `attop.solvers.top_push_dual.top_push_dual`.

    References
    ----------
    N. Li, R. Jin and Z.-H. Zhou, "Top Rank Optimization in Linear Time", NIPS 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.top_push import TopPush
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = TopPush().fit(X, [1, 1, 0, 0, 0])
    >>> sorted(model.decision_function(X).argsort()[-2:].tolist())
    [0, 1]
    """

    _takes_sparse: ClassVar[bool] = True

    def __init__(
        self, lam: float = 0.01, tol: float = 1e-3, max_iter: int = 10_000, time_limit: float | None = None
    ):
        self.lam = lam
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit

    def _solve_many(
        self, X: Any, y: NDArray[np.int64], groups: NDArray[np.int64] | None, models: Sequence[Any]
    ) -> None:
        solved: dict[tuple[Any, ...], Solution] = {}
        for model in models:
            setting = (model.lam, model.tol, model.max_iter, model.time_limit)
            if setting not in solved:
                lam, tol, max_iter, time_limit = setting
                solved[setting] = top_push_dual(
                    X, y, lam=lam, tol=tol, max_iter=max_iter, time_limit=time_limit
                )
            store_solution(model, solved[setting], X, y)
