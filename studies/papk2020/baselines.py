"""Baselines of pAp@k: classifiers combined two by two, or trained on the items at the top."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot

from attop.extending import (
    Deadline,
    Features,
    Floats,
    Ints,
    RankingSample,
    Status,
    Top,
    TopLike,
    Training,
    against_negatives,
    blas,
    eligible,
    ranker,
    repeatable,
)
from attop.learners import Ranker
from attop.metrics import MICRO_PAP
from attop.solvers import History

#: Share of the users, or of the items of a single list, that a combination is chosen on.
_HELD_OUT = 0.2


@ranker
class GreedyPApK(Ranker):
    r"""Learn a linear ranker by combining linear classifiers for micro-pAp@k, one after the other.

    A fifth of the users is held out. A logistic regression is trained on each of `n_classifiers` folds of the
    items of the others. From that of the highest micro-pAp@k on the held-out users, ``w``, on, each next one
    ``w'`` enters by the best of ``w + alpha w'`` and ``alpha w + w'`` over a grid of alpha.

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
    random_state : int or RandomState, optional
        None is 0, so that a fit repeats; the benchmark seeds it by the run.
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

    `fit` takes no sample_weight: the metric that combines the classifiers counts items.

    Differences from the paper: Ricamato and Tortorella combine given classifiers for the AUC. Hiranandani et
    al. extend this to pAp@k in one sentence; folds, grid and details are ours.

    References
    ----------
    Ricamato and Tortorella (2011), "Partial AUC maximization in a linear combination of dichotomizers".
    Hiranandani, Vijitbenjaronk, Koyejo and Jain (2020), "Optimization and analysis of the pAp@k metric
    for recommender systems", section 7.3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from studies.papk2020.baselines import GreedyPApK
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
    random_state: int | np.random.RandomState | None = None

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        minimised: list[bool] = []
        X, y = data.X, data.y
        for model in models:
            rng = repeatable(model.random_state)
            held, held_groups, top = hold_out(y, data.groups, model._top(), rng)
            folds = shards(np.setdiff1d(np.arange(len(y)), held), y, model.n_classifiers, rng)
            trained = [minimise_cross_entropy(X[rows], y[rows], model.lam) for rows in folds]
            W = np.column_stack([coef for coef, _ in trained])
            alphas = np.linspace(0, 1, model.n_alphas)
            order, model.weights_, model.gains_ = combine(X[held] @ W, y[held], held_groups, top, alphas)
            model._set_linear(W[:, order] @ model.weights_, data)
            minimised += [converged for _, converged in trained]
        warn_of_cross_entropies(minimised)


def hold_out(
    y: Ints, groups: Ints | None, top: Top, rng: np.random.RandomState
) -> tuple[Ints, Ints | None, Top]:
    """Draw the rows the combination is judged on; return them, their groups (None if one list) and top."""
    sample = RankingSample.from_labels(y, groups)
    k, defined, need = against_negatives(top, sample.n_pos, sample.n_neg)
    kept = eligible(sample, defined, need)
    if kept.n_groups > 1 and groups is not None:
        chosen = rng.permutation(np.flatnonzero(defined))[: max(1, round(_HELD_OUT * kept.n_groups))]
        rows = np.flatnonzero(np.isin(groups, chosen))
        return rows, groups[rows], top
    n_pos, n_neg = int(kept.n_pos[0]), int(kept.n_neg[0])
    if min(n_pos, n_neg) < 2:
        raise ValueError(
            f"y holds {n_pos} positives and {n_neg} negatives, but two of each are needed: one to train the "
            "classifiers, one to choose their combination"
        )
    parts = np.split(kept.order, [n_pos])
    rows = np.concatenate([rng.permutation(part)[: max(1, round(_HELD_OUT * len(part)))] for part in parts])
    held_neg = int(np.sum(y[rows] == 0))
    return np.sort(rows), None, Top(k=min(max(1, round(_HELD_OUT * k[defined][0])), held_neg))


def shards(rows: Ints, y: Ints, n_folds: int, rng: np.random.RandomState) -> list[Ints]:
    """Divide `rows` into at most `n_folds` training sets, alike in either class to one item, none without."""
    classes = [rng.permutation(rows[y[rows] == label]) for label in (0, 1)]
    n_folds = min(n_folds, *map(len, classes))
    return [np.concatenate([members[i::n_folds] for members in classes]) for i in range(n_folds)]


def combine(
    scores: Floats, y: Ints, groups: Ints | None, top: Top, alphas: Floats
) -> tuple[Ints, Floats, Floats]:
    """Fold the columns of `scores` one after the other into a combination of high micro-pAp@k.

    Returns the columns, the best first, their weights in ``scores[:, order] @ weights``, and micro-pAp@k
    after each of them.
    """

    def gain(s: Floats) -> float:
        return MICRO_PAP.group_mean(y, s, top, groups).value

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

    `fit` takes no sample_weight: it selects whole items.

    Differences from the paper: Neither paper says when to stop. The stopping rule, the start and the choice
    of the model are ours. The cross entropy is minimised by L-BFGS instead of gradient descent.

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
            minimised += model._alternate(data)
        warn_of_cross_entropies(minimised)

    def _alternate(self, data: Training) -> list[bool]:
        """Select and classify in turn; return whether each cross entropy was minimised."""
        X, y = data.X, data.y
        deadline, history = Deadline(self.time_limit), History()
        select = Selection(y, data.groups, self._top())

        def risk(scores: Floats) -> float:
            return 1.0 - MICRO_PAP.group_mean(y, scores, self._top(), data.groups).value

        coef, converged = minimise_cross_entropy(X, y, self.lam)
        minimised = [converged]
        scores = safe_sparse_dot(X, coef)
        last, best, lowest = risk(scores), coef, np.inf
        status: Status = "max_iter"
        self.n_iter_, seen = 0, set()
        for t in range(1, self.max_iter + 1):
            rows = select(scores)
            if rows.tobytes() in seen:
                status = "converged"
                break
            seen.add(rows.tobytes())
            coef, converged = minimise_cross_entropy(X[rows], y[rows], self.lam)
            minimised.append(converged)
            scores = safe_sparse_dot(X, coef)
            now, self.n_iter_ = risk(scores), t
            if now < lowest:
                best, lowest = coef, now
            history.record(t, deadline.elapsed, np.array([now]))
            if abs(now - last) <= self.tol:
                status = "converged"
                break
            if deadline.expired:
                status = "deadline"
                break
            last = now
        self._set_linear(best, data)
        self.objective_, self.history_, self.status_ = lowest, history, status
        self.converged_ = self.status_ == "converged" and all(minimised)
        return minimised


class Selection:
    """The min(n+, k) highest positives and the k highest negatives of each group that has them."""

    def __init__(self, y: Ints, groups: Ints | None, top: Top):
        sample = RankingSample.from_labels(y, groups)
        k, defined, need = against_negatives(top, sample.n_pos, sample.n_neg)
        kept = eligible(sample, defined, need)
        k = k[defined]
        # Each group is two blocks, its positives and its negatives.
        size = np.column_stack([kept.n_pos, kept.n_neg]).ravel()
        quota = np.column_stack([np.minimum(kept.n_pos, k), k]).ravel()
        start = np.cumsum(size) - size
        self._items = kept.order
        self._block = np.repeat(np.arange(len(size)), size)
        self._chosen = np.arange(len(kept.order)) - np.repeat(start, size) < np.repeat(quota, size)

    def __call__(self, scores: Floats) -> Ints:
        """Return the rows selected at `scores` of shape (n,), in increasing order."""
        order = np.lexsort((-scores[self._items], self._block))
        return np.sort(self._items[order[self._chosen]])


def minimise_cross_entropy(X: Features, y: Ints, lam: float) -> tuple[Floats, bool]:
    r"""Minimise ``mean_i log(1 + exp(-z_i (w . x_i + b))) + lam/2 ||w||^2`` over `w` and `b`.

    `y` is 0 and 1, both of them, and ``z = 2 y - 1``. Returns w, of shape (d,), and whether it converged: to
    a gradient of at most 1e-6 in each coordinate, or where the objective falls by no more than its rounding;
    else the 2000 iterations of L-BFGS were too few. `b` moves all scores alike and is left out.
    """
    if not lam > 0:
        raise ValueError(f"lam must be positive, got {lam}")
    z = 2.0 * y - 1.0

    def objective(parameters: Floats) -> tuple[float, Floats]:
        w = parameters[:-1]
        margin = z * (X @ w + parameters[-1])
        slope = -z * expit(-margin) / len(y)
        value = float(np.logaddexp(0.0, -margin).mean() + 0.5 * lam * (w @ w))
        return value, np.append(X.T @ slope + lam * w, slope.sum())

    # A second thread of the BLAS costs more than it saves: products with a single vector wait for memory.
    with np.errstate(over="ignore", invalid="ignore"), blas().limit(limits=1):
        result = minimize(
            objective,
            np.zeros(X.shape[1] + 1),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 2000, "gtol": 1e-6, "ftol": 64 * np.finfo(float).eps, "maxls": 50},
        )
    return result.x[:-1], bool(result.success)


class RandomDirection(Ranker):
    """Score by a direction drawn from the standard normal distribution; nothing is learnt.

    Parameters
    ----------
    random_state : int or RandomState, optional
        None is 0, so that a fit repeats; the benchmark seeds it by the run.
    """

    def __init__(self, random_state: int | np.random.RandomState | None = None):
        self.random_state = random_state

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        for model in models:
            draw = repeatable(model.random_state).standard_normal((data.X.shape[1],))
            model._set_linear(draw, data)


def warn_of_cross_entropies(minimised: Sequence[bool]) -> None:
    """Warn of classifiers, parts of a model, whose cross entropy was not minimised."""
    missed = len(minimised) - sum(minimised)
    if missed:
        warnings.warn(
            f"L-BFGS did not minimise the cross entropy of {missed} of {len(minimised)} classifiers in 2000 "
            "iterations: scale the features or raise lam",
            ConvergenceWarning,
            stacklevel=5,
        )
