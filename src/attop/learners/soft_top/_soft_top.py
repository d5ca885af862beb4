"""A pointwise linear model refined for the top of the list, where that pays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from attop._core.compiled import blas
from attop._core.top import Top
from attop._core.typing import Features, Floats, TopLike
from attop.experiment._splits import tuning_folds
from attop.learners._base import SplittingRanker, Training, ranker, sharing
from attop.learners._validation import repeatable
from attop.learners.soft_top._bases import PointwiseBases, PointwiseLoss
from attop.learners.soft_top._refinement import RefinedRows
from attop.learners.soft_top._search import (
    Bases,
    Outcome,
    Request,
    Run,
    Trials,
    search,
    subsampled,
)
from attop.learners.soft_top._standardised import Standardised, standardise
from attop.surrogates._prec_at_k import SoftPrecAtK

_BASES: dict[str, tuple[PointwiseLoss, ...]] = {
    "auto": ("logistic", "squared-hinge"),
    "logistic": ("logistic",),
    "svm": ("squared-hinge",),
}
_BANDWIDTHS = (0.1, 0.3, 1.0, 3.0)
_L2_TO_BASE = (3e-4, 0.003, 0.03, 0.3)
#: Rows by which base and setting are chosen, at most: more would cost more and hardly choose better.
_MOST_TO_CHOOSE_BY = 200_000


@dataclass(repr=False, eq=False, kw_only=True)
class RefinedRanker(SplittingRanker):
    """Base of the rankers that refine a model for the top, where cross-validation says that this pays.

    Parameters
    ----------
    cv : int, at least 2, default=5
        Folds; of whole groups or entities where there are any.
    min_gain_se : float, default=1.0
        Standard errors over the folds that the gain over the base has to exceed; ``-np.inf`` always refines,
        ``np.inf`` never.
    random_state : int or RandomState, optional
        Deals the folds, and draws from the rows of a large sample.
        None is 0, so that a fit repeats; `compare_at_top` and the benchmark seed it by the run.
    n_jobs : int, optional
        Threads, as in scikit-learn. The result does not depend on it.

    Attributes
    ----------
    refined_ : bool
        Whether the model is refined or the base.
    cv_gain_ : float
        Mean gain over the base of the best refinement, in precision averaged over k/2 to 2k, over the
        folds. It is the best of several, and so too high an estimate. NaN where there are too few
        positives or groups to divide.
    cv_gain_se_ : float
        Its standard error, as if the folds were independent.
    bandwidth_ : float or None
        Of the refinement; None where the base is kept.
    """

    _dtypes: ClassVar[tuple[type[np.floating[Any]], ...]] = (np.float64, np.float32)
    _takes_sparse: ClassVar[bool] = True
    _default_top: ClassVar[TopLike] = {"tau": 0.05}

    cv: int = 5
    min_gain_se: float = 1.0
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    def _top_of(self, part: RefinedRows) -> Top:
        """Resolve the top that samples like `part` have; one beyond `part` is refused."""
        top = self._top()
        SoftPrecAtK(top).bind(part.y, part.groups, part.weight)
        return part.as_share(top)


@ranker
class SoftTop(RefinedRanker):
    r"""Tune a pointwise linear model, then refine it for precision at the top, where that pays.

    The refinement ascends a smoothed precision@k from the base's weights :math:`w_0`,

    .. math:: \min_w \; 1 - \frac1k \sum_{y_i = 1} \sigma\Bigl(\frac{w \cdot x_i - t}{h}\Bigr)
              + \frac\lambda2 \Bigl\| w - \frac{w_0}{u} \Bigr\|^2,
              \qquad \sum_i \sigma\Bigl(\frac{w \cdot x_i - t}{h}\Bigr) = k,

    u being the standard deviation of the 4k highest training scores of the base. Base, h and
    :math:`\lambda` are chosen by cross-validation, by the precision averaged over nine k' from k/2 to 2k.
    Where the best refinement gains no more than its standard error the base is kept.

    Parameters
    ----------
    top : int, mapping or Top, optional
        The top that counts, in each group where there are groups: k, for example ``100``, or a share such
        as ``{"tau": 0.01}``; None stands for ``{"tau": 0.05}``. A k without groups is that of the training
        sample: the folds are cut at the same share.
    base : {"auto", "logistic", "svm"} or estimator, default="auto"
        What is refined: logistic regression and the squared-hinge SVM, both with classes as they are and
        balanced, for six values of C each; one of the two; or any linear scikit-learn estimator with
        `coef_`, trained as it is on standardised features.
    bandwidth : float, positive, optional
        h, in units of u. None chooses among 0.1, 0.3, 1 and 3.
    l2_to_base : float, at least 0, optional
        :math:`\lambda`. None chooses among 0.0003, 0.003, 0.03 and 0.3.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        In units of the features.
    base_ : str
        The base that was chosen.
    base_coef_ : ndarray of shape (n_features,)
        Its weights, trained on all rows.
    l2_to_base_ : float or None
        As `bandwidth_`.

    See Also
    --------
    attop.surrogates.SoftPrecAtK : The smoothed precision.

    Notes
    -----
    It gains where the base is wrong: a linear model that fits all rows as well as possible may still be wrong
    where the list is cut. Where the features describe the probability well, there is nothing to gain, and the
    base is kept; :doc:`/explanation/soft-top` has the measurements. Scores are no longer probabilities, the
    AUC falls, and a model serves only the k it was refined for.

    Features are standardised inside, without being clipped; the base's C are those of scikit-learn on
    standardised features, the intercept is not penalised. `fit_many` tunes the bases once for all tops.

    With more than 200,000 rows, base and setting are chosen on a sample of that size (half of it positives
    where there are enough, reweighted to make up for it; groups are kept whole). Where a fold has more than
    24,000 to train on, all are tried on 8,000 of them in two folds, and the best eighth on 24,000 in all
    folds. What is chosen is trained on all rows, block by block: X, which may be a memory-mapped file, is
    copied only for a `base` that is an estimator.

    An item of weight 2 counts as two, except in the folds.

    Differences from a paper: it has none. The soft top-k is that of Xie et al. (2020); see `SoftPrecAtK`.

    Examples
    --------
    >>> import numpy as np
    >>> from attop import SoftTop
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> y = (X[:, 0] + rng.normal(size=2000) > 2.5) | (X[:, 1] > 2.2)
    >>> model = SoftTop(top=30).fit(X, y)
    >>> model.base_coef_.shape, model.coef_.shape
    ((2,), (2,))
    """

    top: TopLike | None = None
    base: str | BaseEstimator = "auto"
    bandwidth: float | None = None
    l2_to_base: float | None = None

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        X, y, groups, weight, entity = data = data.with_positive_weight()
        # A single group is the whole sample.
        groups = None if groups is None or not groups.any() else groups
        part = RefinedRows(np.arange(len(y)), y, groups, weight)
        Z, scale = standardise(X, np.ones(len(y)) if weight is None else weight)
        if isinstance(Z, Standardised) and len(part.y) <= _MOST_TO_CHOOSE_BY:
            # Of so few rows a copy: they are gone through hundreds of times.
            Z = Z[:]
        # Those that share their bases.
        for alike in sharing(
            models,
            lambda model: (repr(model.base), model.cv, repr(model.random_state)),
        ):
            one = alike[0]
            seed = int(repeatable(one.random_state).randint(2**31 - 1))
            some = Z
            sample = subsampled(part, _MOST_TO_CHOOSE_BY, seed)
            whole = sample.groups if entity is None else entity[sample.rows]
            if sample is not part:
                some = Z[sample.rows]
                sample = replace(sample, rows=np.arange(len(sample.rows)))
            pairs = tuning_folds(
                sample.y, whole, one.cv, np.random.default_rng(seed)
            )
            folds = [
                (sample.take(train), sample.take(test)) for train, test in pairs
            ]
            trials = Trials(
                some, folds, _bases(one.base), _runner(one.n_jobs), seed
            )
            requests = [model._request(part) for model in alike]
            with blas().limit(limits=1):
                outcomes = search(Z, part, trials, requests)
            for model, outcome in zip(alike, outcomes, strict=True):
                model._store(outcome, scale, data)

    def _request(self, part: RefinedRows) -> Request:
        bandwidths = (
            _BANDWIDTHS if self.bandwidth is None else (float(self.bandwidth),)
        )
        l2s_to_base = (
            _L2_TO_BASE if self.l2_to_base is None else (float(self.l2_to_base),)
        )
        settings = np.array(list(product(bandwidths, l2s_to_base)))
        return Request(self._top_of(part), settings, self.min_gain_se)

    def _store(self, outcome: Outcome, scale: Floats, data: Training) -> None:
        self.base_ = outcome.base
        self.base_coef_ = outcome.base_coef / scale
        self.refined_ = outcome.bandwidth is not None
        self.cv_gain_ = outcome.gain
        self.cv_gain_se_ = outcome.gain_se
        self.bandwidth_ = outcome.bandwidth
        self.l2_to_base_ = outcome.l2_to_base
        self._set_linear(outcome.coef / scale, data)


class GivenBase:
    """A base given by the user: one scikit-learn estimator with `coef_`, or a search over its parameters."""

    def __init__(self, estimator: Any):
        self._estimator = estimator
        self.names = [repr(estimator)]

    def fit(self, X: Features, part: RefinedRows, which: Sequence[int]) -> Floats:
        """Read the weights of the estimator, in a column."""
        # With all of scikit-learn's ensembles.
        from attop.experiment._learner import fit

        every = len(part.rows) == X.shape[0] and not isinstance(X, Standardised)
        rows = X if every else X[part.rows]
        model = fit(
            self._estimator,
            rows,
            part.y,
            sample_weight=part.weight,
            groups=part.groups,
        )
        coef = getattr(getattr(model, "best_estimator_", model), "coef_", None)
        if coef is None or np.size(coef) != X.shape[1]:
            shape = (
                "no coef_" if coef is None else f"coef_ of shape {np.shape(coef)}"
            )
            raise ValueError(
                f"base must be a linear estimator with one coef_ a feature, "
                f"got {self._estimator!r} with {shape}"
            )
        return np.asarray(coef, np.float64).reshape(-1, 1)


def _bases(base: str | BaseEstimator) -> Bases:
    if isinstance(base, str) and base in _BASES:
        return PointwiseBases(_BASES[base])
    if not (hasattr(base, "fit") and hasattr(base, "get_params")):
        names = ", ".join(map(repr, _BASES))
        raise ValueError(
            f"base must be {names} or a linear estimator, got {base!r}"
        )
    return GivenBase(base)


def _runner(n_jobs: int | None) -> Run:
    from joblib import Parallel, delayed

    # Threads share X; what they wait for, products and compiled loops, runs side by side.
    return lambda function, calls: Parallel(n_jobs, prefer="threads")(
        delayed(_alone)(function, *call) for call in calls
    )


def _alone(function: Callable[..., Floats], *call: object) -> Floats:
    """Call a function, perhaps on another machine, as it would be called here."""
    with blas().limit(limits=1):  # sums are then the same for any number of jobs
        return function(*map(_aligned, call))


def _aligned(value: Any) -> Any:
    """Align an array from another machine, which may begin at any byte, for the BLAS."""
    if isinstance(value, RefinedRows):
        return replace(value, weight=_aligned(value.weight))
    return (
        np.require(value, requirements="A")
        if isinstance(value, np.ndarray)
        else value
    )
