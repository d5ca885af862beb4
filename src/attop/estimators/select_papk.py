"""Select-pAp@k: a classifier of the items that currently make up pAp@k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from attop.core.typing import Floats, Ints, TopLike
from attop.estimators.base import LinearRanker
from attop.estimators.convergence_warnings import warn_of_cross_entropies
from attop.solvers.papk.select import select_papk

__all__ = ["SelectPApK"]


class SelectPApK(LinearRanker):
    r"""Learn a linear ranker by classifying, again and again, the items at the top of their class.

    From a logistic regression ``w_0`` on all items, in iteration t = 1, 2, ...: of each user select the
    ``beta = min(n+, k)`` positives and the k negatives with the highest scores under ``w_{t-1}``;
    ``w_t`` minimises the cross entropy of the selected items of all users.

    Parameters
    ----------
    top : int, mapping or Top, optional
        The top of each group: k, for example ``10``, or a fraction of its items such as
        ``{"tau": 0.1}``, which None stands for.
    lam : float, positive
        Regularisation ``lam/2 ||w||^2`` of the mean cross entropy.
    max_iter : int, at least 1
        Iterations at most.
    tol : float, at least 0
        See Notes.
    time_limit : float, optional
        Seconds for a call of `fit`, checked after each iteration.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    objective_ : float
        Risk, 1 - micro-pAp@k, of `coef_` on the training sample.
    n_iter_ : int
    converged_ : bool
        Whether the iteration converged, see Notes, and every cross entropy in it was minimised.
    status_ : str
        "converged", "max_iter" or "deadline": how the iteration ended.
    history_ : History
        The risk after each iteration.
    n_features_in_ : int

    See Also
    --------
    GreedyPApK, GDPApK

    Notes
    -----
    The iteration has converged when a selection has been made before, in the last iteration or, in a cycle,
    earlier: a selection determines all that follows. It has also converged when the training
    micro-pAp@k of ``w_t`` differs by at most `tol` from that of ``w_{t-1}``. The model is the ``w_t``,
    t >= 1, of the highest training micro-pAp@k, the first among equals. Groups without a positive or with
    fewer than k negatives take no part after ``w_0``; without groups, the sample is one. Items of equal
    score are selected in the order of the rows. The cross entropy has an intercept, which is dropped.

    `fit` takes no sample_weight: its selection is a whole number of items, and what a share of one would be
    trained on is not defined.

    Differences from the paper: Budhiraja et al. do not say when to stop, nor do Hiranandani et al., who use
    the procedure as a baseline. The stopping rule, the start and the choice of the model are ours. The cross
    entropy is minimised by L-BFGS instead of gradient descent.

    References
    ----------
    Budhiraja, Hiranandani, Yarrabelly, Choure, Koyejo and Jain (2020), algorithm 1, as described in
    Hiranandani, Vijitbenjaronk, Koyejo and Jain (2020), "Optimization and analysis of the pAp@k metric
    for recommender systems", section 7.3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.select_papk import SelectPApK
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = SelectPApK(top=2).fit(X, [1, 1, 0, 0, 0])
    >>> sorted(model.decision_function(X).argsort()[-2:].tolist())
    [0, 1]
    """

    _takes_sparse: ClassVar[bool] = True
    _default_top: ClassVar[TopLike] = {"tau": 0.1}

    def __init__(
        self,
        top: TopLike | None = None,
        lam: float = 0.01,
        max_iter: int = 30,
        tol: float = 1e-4,
        time_limit: float | None = None,
    ):
        self.top = top
        self.lam = lam
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit

    def _solve_many(
        self, X: Any, y: Ints, groups: Ints | None, weight: Floats | None, models: Sequence[Any]
    ) -> None:
        minimised: list[bool] = []
        for model in models:
            solution = select_papk(
                X,
                y,
                model._top(),
                groups=groups,
                lam=model.lam,
                max_iter=model.max_iter,
                tol=model.tol,
                time_limit=model.time_limit,
            )
            minimised += solution.minimised
            model.objective_ = float(solution.objective[0])
            model._set_course(solution)
            model.converged_ = solution.status == "converged" and all(solution.minimised)
            model._set_linear(solution.coef[:, 0], X, y)
        warn_of_cross_entropies(minimised)
