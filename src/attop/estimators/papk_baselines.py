"""Baselines of pAp@k: classifiers combined two by two, or trained on the items at the top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from attop.core.typing import TopLike
from attop.estimators.base import Ranker, Training, ranker, warn_of_cross_entropies
from attop.solvers.papk.greedy import greedy_papk
from attop.solvers.papk.select import select_papk

__all__ = ["GreedyPApK", "SelectPApK"]


@ranker
class GreedyPApK(Ranker):
    r"""Learn a linear ranker by combining linear classifiers for micro-pAp@k, one after the other.

    A fifth of the users is held out. The items of the others are dealt to `n_classifiers` folds, and a
    logistic regression ``w_i`` is trained on each. They are ranked by micro-pAp@k on the held-out users;
    from the best, ``w``, on, each next one ``w'`` enters by the best of ``w + alpha w'`` and
    ``alpha w + w'`` over a grid of alpha, judged by the same number.

    Parameters
    ----------
    top : int, mapping or Top, optional
        The top of each group: k, for example ``10``, or a fraction of its items such as
        ``{"tau": 0.1}``, which None stands for.
    lam : float, positive
        Regularisation ``lam/2 ||w||^2`` of the classifiers' mean cross entropy.
    n_classifiers : int, at least 1
        K; fewer if there are fewer positives, or negatives, to train with.
    n_alphas : int, at least 2
        Values of alpha, evenly from 0 to 1.
    random_state : int, RandomState or None
        Draws the held-out users and the folds.

    Attributes
    ----------
    weights_ : ndarray of shape (K,)
        Of the classifiers in the combination, in the order they entered.
    gains_ : ndarray of shape (K,)
        Held-out micro-pAp@k after each entered; it never falls.

    See Also
    --------
    SelectPApK, GDPApK

    Notes
    -----
    Held out are a fifth, and at least one, of the groups with a positive and at least k negatives.
    Without groups, or with one such group only, a fifth of the items of each class are held out instead,
    and k, resolved on the whole list, is divided by five there. Folds have equal shares of positives.
    Among equal gains the smallest alpha, and ``w + alpha w'`` before ``alpha w + w'``, wins. Classifiers
    have an intercept, which ranks nothing and is dropped, and are not scaled before they are combined.

    `fit` takes no sample_weight: the folds hold items, and the metric that combines the classifiers counts
    them.

    Differences from the paper: Ricamato and Tortorella combine given classifiers for the area under the
    ROC curve. Hiranandani et al. extend this to pAp@k in one sentence; folds, grid and details above
    are ours.

    References
    ----------
    Ricamato and Tortorella (2011), "Partial AUC maximization in a linear combination of dichotomizers".
    Hiranandani, Vijitbenjaronk, Koyejo and Jain (2020), "Optimization and analysis of the pAp@k metric
    for recommender systems", section 7.3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from attop import GreedyPApK
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> model = GreedyPApK(top=5).fit(X, y)
    >>> y[model.decision_function(X).argsort()[-5:]].tolist()
    [1, 1, 1, 1, 1]
    """

    _takes_sparse: ClassVar[bool] = True
    _default_top: ClassVar[TopLike] = {"tau": 0.1}

    top: TopLike | None = None
    lam: float = 0.01
    n_classifiers: int = 5
    n_alphas: int = 11
    random_state: int | np.random.RandomState | None = 0

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        minimised: list[bool] = []
        for model in models:
            solution = greedy_papk(
                data.X,
                data.y,
                model._top(),
                groups=data.groups,
                lam=model.lam,
                n_classifiers=model.n_classifiers,
                n_alphas=model.n_alphas,
                rng=check_random_state(model.random_state),
            )
            minimised += solution.minimised
            model.weights_, model.gains_ = solution.weights, solution.gains
            model._set_linear(solution.coef[:, 0], data)
        warn_of_cross_entropies(minimised)


@ranker
class SelectPApK(Ranker):
    r"""Learn a linear ranker by classifying, again and again, the items at the top of their class.

    From a logistic regression ``w_0`` on all items, in iteration t = 1, 2, ...: of each user select the
    ``beta = min(n+, k)`` positives and the k negatives with the highest scores under ``w_{t-1}``;
    ``w_t`` minimises the cross entropy of the selected items of all users.

    Parameters
    ----------
    top, lam
        See `GreedyPApK`.
    max_iter : int, at least 1
        Iterations at most.
    tol : float, at least 0
        See Notes.
    time_limit : float, optional
        Seconds for a call of `fit`, checked after each iteration.

    Attributes
    ----------
    objective_ : float
        Risk, 1 - micro-pAp@k, of `coef_` on the training sample.
    n_iter_ : int
    converged_ : bool
        Whether the iteration converged, see Notes, and every cross entropy in it was minimised.
    status_ : str
        "converged", "max_iter" or "deadline": how the iteration ended.
    history_ : History
        The risk after each iteration.

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
    """

    _takes_sparse: ClassVar[bool] = True
    _default_top: ClassVar[TopLike] = {"tau": 0.1}

    top: TopLike | None = None
    lam: float = 0.01
    max_iter: int = 30
    tol: float = 1e-4
    time_limit: float | None = None

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        minimised: list[bool] = []
        for model in models:
            solution = select_papk(
                data.X,
                data.y,
                model._top(),
                groups=data.groups,
                lam=model.lam,
                max_iter=model.max_iter,
                tol=model.tol,
                time_limit=model.time_limit,
            )
            minimised += solution.minimised
            model._set_linear(solution.coef[:, 0], data)
            model._set_course(solution)
            model.objective_ = float(solution.objective[0])
            model.converged_ = solution.status == "converged" and all(solution.minimised)
        warn_of_cross_entropies(minimised)
