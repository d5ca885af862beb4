"""Greedy-pAp@k: classifiers combined two by two for pAp@k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from attop.core.typing import Floats, Ints, TopLike
from attop.estimators.base import LinearRanker
from attop.estimators.convergence_warnings import warn_of_cross_entropies
from attop.solvers.papk.greedy import greedy_papk

__all__ = ["GreedyPApK"]


class GreedyPApK(LinearRanker):
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
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    weights_ : ndarray of shape (K,)
        Of the classifiers in the combination, in the order they entered.
    gains_ : ndarray of shape (K,)
        Held-out micro-pAp@k after each entered; it never falls.
    n_features_in_ : int

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
    >>> from attop.estimators.greedy_papk import GreedyPApK
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> model = GreedyPApK(top=5).fit(X, y)
    >>> y[model.decision_function(X).argsort()[-5:]].tolist()
    [1, 1, 1, 1, 1]
    """

    _takes_sparse: ClassVar[bool] = True
    _default_top: ClassVar[TopLike] = {"tau": 0.1}

    def __init__(
        self,
        top: TopLike | None = None,
        lam: float = 0.01,
        n_classifiers: int = 5,
        n_alphas: int = 11,
        random_state: int | np.random.RandomState | None = 0,
    ):
        self.top = top
        self.lam = lam
        self.n_classifiers = n_classifiers
        self.n_alphas = n_alphas
        self.random_state = random_state

    def _solve_many(
        self, X: Any, y: Ints, groups: Ints | None, weight: Floats | None, models: Sequence[Any]
    ) -> None:
        minimised: list[bool] = []
        for model in models:
            solution = greedy_papk(
                X,
                y,
                model._top(),
                groups=groups,
                lam=model.lam,
                n_classifiers=model.n_classifiers,
                n_alphas=model.n_alphas,
                rng=check_random_state(model.random_state),
            )
            minimised += solution.minimised
            model.weights_, model.gains_ = solution.weights, solution.gains
            model._set_linear(solution.coef[:, 0], X, y)
        warn_of_cross_entropies(minimised)
