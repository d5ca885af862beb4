"""Greedy-pAp@k: classifiers combined two by two for pAp@k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from attop.estimators.base import LinearRanker
from attop.estimators.convergence_warnings import warn_of_cross_entropies
from attop.metrics import get_metric
from attop.sample import RankingSample
from attop.solvers.descent.logistic import minimise_cross_entropy
from attop.surrogates.base import eligible
from attop.surrogates.grouped import resolve_each
from attop.top import Top
from attop.typing import Floats, Ints, TopLike

__all__ = ["GreedyPApK"]


#: Share of the users, or of the items of a single list, that the combination is chosen on.
_HELD_OUT = 0.2


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

    Differences from the paper: Ricamato and Tortorella combine given classifiers for the area under the
    ROC curve. Hiranandani et al. extend this to pAp@k in one sentence; folds, grid and details above
    are ours.

    References
    ----------
    Ricamato and Tortorella (2011), "Partial AUC maximization in a linear combination of dichotomizers".
    Hiranandani, Vijitbenjaronk, Koyejo and Jain (2020), "Optimization and analysis of the pAp@k metric
    for recommender systems", section 6.

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

    def _solve_many(self, X: Any, y: Ints, groups: Ints | None, models: Sequence[Any]) -> None:
        minimised: list[bool] = []
        for model in models:
            if model.n_classifiers < 1 or model.n_alphas < 2:
                raise ValueError(
                    "n_classifiers must be at least 1 and n_alphas at least 2, "
                    f"got {model.n_classifiers} and {model.n_alphas}"
                )
            top = Top.of({"tau": 0.1} if model.top is None else model.top)
            rng = check_random_state(model.random_state)
            held, held_groups, top = hold_out(y, groups, top, rng)
            train = np.setdiff1d(np.arange(len(y)), held)
            folds = deal(train, y, model.n_classifiers, rng)
            trained = [minimise_cross_entropy(X[rows], y[rows], model.lam) for rows in folds]
            W = np.column_stack([coef for coef, _ in trained])
            minimised += [converged for _, converged in trained]
            order, model.weights_, model.gains_ = combine(
                X[held] @ W, y[held], held_groups, top, np.linspace(0, 1, model.n_alphas)
            )
            model._set_linear(W[:, order] @ model.weights_, X, y)
        warn_of_cross_entropies(minimised)


def hold_out(
    y: Ints, groups: Ints | None, top: Top, rng: np.random.RandomState
) -> tuple[Ints, Ints | None, Top]:
    """Draw the rows the combination is judged on.

    Returns
    -------
    rows : ndarray
        In increasing order.
    groups : ndarray or None
        Of the rows; None if they are one list.
    top : Top
        For the rows.

    Raises
    ------
    ValueError
        If pAp@k is undefined on every group, or a single list has fewer than two items of a class.
    """
    sample = RankingSample.from_labels(y, groups)
    k = resolve_each(top, sample)
    defined = (sample.n_pos > 0) & (k > 0) & (k <= sample.n_neg)
    kept = eligible(sample, defined, f"a positive and at least k negatives ({top})")
    if kept.n_groups > 1 and groups is not None:
        chosen = rng.permutation(np.flatnonzero(defined))[: max(1, round(_HELD_OUT * kept.n_groups))]
        rows = np.flatnonzero(np.isin(groups, chosen))
        return rows, groups[rows], top
    n_pos, n_neg = int(kept.n_pos[0]), int(kept.n_neg[0])
    if min(n_pos, n_neg) < 2:
        raise ValueError(
            f"{n_pos} positives and {n_neg} negatives cannot be split to train and to combine classifiers: "
            "two of each are needed"
        )
    parts = np.split(kept.order, [n_pos])
    rows = np.concatenate([rng.permutation(part)[: max(1, round(_HELD_OUT * len(part)))] for part in parts])
    held_neg = int(np.sum(y[rows] == 0))
    return np.sort(rows), None, Top(k=min(max(1, round(_HELD_OUT * k[defined][0])), held_neg))


def deal(rows: Ints, y: Ints, n_folds: int, rng: np.random.RandomState) -> list[Ints]:
    """Deal `rows` to at most `n_folds` folds that differ by at most one in either class, none without."""
    classes = [rng.permutation(rows[y[rows] == label]) for label in (0, 1)]
    n_folds = min(n_folds, *map(len, classes))
    return [np.concatenate([members[i::n_folds] for members in classes]) for i in range(n_folds)]


def combine(
    scores: Floats, y: Ints, groups: Ints | None, top: Top, alphas: Floats
) -> tuple[Ints, Floats, Floats]:
    """Fold the columns of `scores` one after the other into a combination of high micro-pAp@k.

    Returns
    -------
    order : ndarray of shape (K,)
        Columns, the best first.
    weights : ndarray of shape (K,)
        ``scores[:, order] @ weights`` is the combination.
    gains : ndarray of shape (K,)
        Micro-pAp@k after each column.
    """
    metric = get_metric("micro-pap@k")

    def gain(s: Floats) -> float:
        return metric.group_mean(y, s, top, groups).value

    alone = np.array([gain(s) for s in scores.T])
    order = np.argsort(-alone, kind="stable")
    weights = np.zeros(len(order))
    weights[0] = 1.0
    gains = alone[order]
    total = scores[:, order[0]]
    for i in range(1, len(order)):
        added = scores[:, order[i]]
        pairs = [(1.0, a) for a in alphas] + [(a, 1.0) for a in alphas]
        values = [gain(old * total + new * added) for old, new in pairs]
        old, new = pairs[int(np.argmax(values))]
        total = old * total + new * added
        weights[:i] *= old
        weights[i] = new
        gains[i] = max(values)
    return order, weights, gains
