"""Accuracy at the top as an estimator."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from attop._core.top import Top
from attop._core.typing import Floats, Ints, TopLike
from attop._core.wording import format_duration
from attop.from_papers.aatp._candidates import QuantileModel
from attop.from_papers.aatp._search import (
    SEARCHES,
    Report,
    Search,
    problems_at_most,
    work,
)
from attop.from_papers.aatp._threshold_svm import ThresholdSVM
from attop.from_papers.aatp._threshold_svm_cvxpy import CvxpyThresholdSVM
from attop.learners._base import Training, WeightedRanker, ranker, sharing
from attop.solvers._base import Deadline
from attop.surrogates._accuracy_at_top import Weights, item_weights

_SOLVERS = {"interior-point": ThresholdSVM, "cvxpy": CvxpyThresholdSVM}
#: From this much work (`work`), about a minute, a search is timed beforehand.
_LONG_WORK = 5e9
#: Seconds: a search that takes longer is announced; progress is printed as often as this.
_LONG, _EVERY = 60.0, 1.0


@ranker
class AATP(WeightedRanker):
    r"""Accuracy at the top (Boyd, Cortes, Mohri and Radovanovic 2012).

    Seeks a model whose top, the items scored at or above the quantile q of its scores, is as positive as
    possible:

    .. math:: \min_w \tfrac12 \|w\|^2 + C \Bigl[ \sum_{neg} a_i (w \cdot x_i - q + 1)_+
        + \sum_{pos} b_i (q - w \cdot x_i + 1)_+ \Bigr], \qquad q = \text{quantile of } w \cdot x.

    As q is the score of some item :math:`z_k`, the convex problem with :math:`q = w \cdot z_k` is solved for
    every item k; the result is the :math:`w_k` whose :math:`w_k \cdot z_k` is closest to the quantile of its
    own scores and, of equally close ones, that with the smallest objective.

    Parameters
    ----------
    top : int, mapping or Top, optional
        Size of the top: the quantile is the k-th largest training score, ``k = ceil(tau n)``. None
        stands for ``{"tau": 0.05}``.
    C : float, positive, default=1.0
        Weight of the loss.
    weights : {"items", "pairs"}, default="items"
        ``a_i`` and ``b_i``. ``"items"``: 1. ``"pairs"``: as often as an item occurs in pairs of a positive
        and a negative (``a_i = n_pos``, ``b_i = n_neg``), in the loss and in the sample the quantile is
        taken of, where the rank is ``ceil(tau * 2 n_pos n_neg)``, tau being k / n where `top` is a number.
    search : {"auto", "exhaustive", "fixed-point"}, default="auto"
        ``"exhaustive"`` solves for each of the n items, as the paper does: before a search of more than a
        minute a warning says how long it will take. ``"fixed-point"`` stops at the first item k it
        finds that is at the quantile of its own model (`quantile_distance_` 0). Up to 500 items it finds
        one if there is any; on larger samples it gives up after a time, with a warning. ``"auto"`` is
        exhaustive where that costs no more, up to some 1,500 items of 40 features, else ``"fixed-point"``.
    solver : {"interior-point", "cvxpy"}, default="interior-point"
        ``"cvxpy"`` needs the package of that name, and is slow.
    tol : float, positive, default=1e-6
        Relative duality gap to certify for each problem: of the gain over ``w = 0``, or of the objective
        where that is smaller.
    time_limit : float or None, default=None
        Seconds after which the best of the problems solved so far is kept; per value of C where several
        are trained together.
    verbose : bool, default=False
        Print the estimated time, and how far the search is, once a second.

    Attributes
    ----------
    intercept_ : float
        Places the cut of `predict`; see `Ranker`. It is not the quantile.
    threshold_item_ : int
        The training item k.
    quantile_distance_ : float
        :math:`|w_k \cdot z_k - q|`; 0 means that the model is feasible for the paper's problem (1).
    objective_ : float
        Of item k's problem.
    gap_ : float
        Certified relative duality gap of item k's problem.
    n_iter_ : int
        Problems solved.
    history_ : History
        The smallest distance from the quantile against problems solved and seconds.
    converged_ : bool
        Whether the search was complete (all items tried, or one found at the quantile) and every problem
        it solved reached `tol`.

    See Also
    --------
    attop.surrogates.AccuracyAtTop : The loss of one item's problem.

    Notes
    -----
    `fit_many` solves once for all settings that differ in `top` only. `groups` passed to `fit` are
    ignored: all items are ranked in one list. Features are best standardised; shifting them changes
    nothing.

    Differences from the paper: the paper's sums over pairs are ``weights="pairs"``; the default counts
    each item once, as its experiments suggest. The problems are solved by an interior point of our own,
    many at once, and equal distances to the quantile are equal up to that solver's accuracy.
    ``search="fixed-point"`` is an addition, and the default for large samples. Kernels (section 3.3) are
    features: after a full Nyström map the problem is the paper's problem (4).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.kernel_approximation import Nystroem
    >>> from sklearn.pipeline import make_pipeline
    >>> from attop import AATP
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> y = [0, 0, 1, 0, 0]
    >>> model = make_pipeline(Nystroem(gamma=1.0, n_components=len(X)), AATP(top=1, C=10.0)).fit(X, y)
    >>> int(model.decision_function(X).argmax())
    2

    References
    ----------
    S. Boyd, C. Cortes, M. Mohri and A. Radovanovic, "Accuracy at the Top", NIPS 2012, problems (1)-(3)
    and section 3.2.
    """

    _default_top: ClassVar[TopLike] = {"tau": 0.05}

    top: TopLike | None = None
    C: float = 1.0
    weights: Weights = "items"
    search: Literal["auto", "exhaustive", "fixed-point"] = "auto"
    solver: Literal["interior-point", "cvxpy"] = "interior-point"
    tol: float = 1e-6
    time_limit: float | None = None
    verbose: bool = False

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        for alike in sharing(models, _all_but_top):
            alike[0]._search(data, alike)

    def _search(self, data: Training, models: Sequence[Self]) -> None:
        """Fit models that differ in `top` only."""
        deadline = Deadline(self.time_limit)
        X, y, _, weight, _ = data
        # An item of weight 0 is as good as absent: it is not tried as the threshold item either.
        rows = np.arange(len(y)) if weight is None else np.flatnonzero(weight)
        if weight is not None:
            X = X[rows]
            y = y[rows]
            weight = weight[rows]
        counts = item_weights(y, self.weights, weight)
        ranks = [_rank(model._top(), y, weight, counts) for model in models]
        problem = _SOLVERS[self.solver](
            X, y, np.asarray(self.C * counts, np.float64)
        )
        report = self._announce(problem)
        run = Search(
            problem, counts, ranks, tol=self.tol, deadline=deadline, report=report
        )
        choices = SEARCHES[self.search](run)
        late = deadline.expired
        for model, choice in zip(models, choices, strict=True):
            model._set_linear(choice.coef, data)
            model.threshold_item_ = int(rows[choice.threshold_item])
            model.quantile_distance_ = choice.quantile_distance
            model.objective_ = choice.objective
            model.gap_ = choice.gap
            model.n_iter_ = choice.n_solved
            model.history_ = choice.history
            model.converged_ = choice.complete and choice.n_missed == 0
        self._warn(choices, len(rows), late)

    def _announce(self, problem: ThresholdSVM) -> Report | None:
        """Say how long a long search will take; return the printer of its progress, if `verbose`."""
        most = problems_at_most(problem, self.search)
        if most * work(problem) > _LONG_WORK:
            seconds = most * _seconds_each(problem, self.tol) / problem.workers
            name = type(self).__name__
            what = f"{name} solves up to {most} quadratic programs, in about {format_duration(seconds)}"
            if self.verbose:
                print(what, flush=True)
            if seconds > _LONG and self.time_limit is None:
                advice = (
                    "search='fixed-point' solves fewer, "
                    if most == problem.n
                    else ""
                )
                message = f"{what}: {advice}time_limit keeps the best of those solved by then"
                warnings.warn(message, stacklevel=6)
        return _progress(type(self).__name__, most) if self.verbose else None

    def _warn(self, choices: Sequence[QuantileModel], n: int, late: bool) -> None:
        """Warn of a search that ended early or missed its tolerance; `late`: its time was up."""
        solved = choices[0].n_solved
        missed = choices[0].n_missed
        incomplete = [choice for choice in choices if not choice.complete]
        messages = []
        if late and (incomplete or missed):
            messages.append(
                f"{type(self).__name__} stopped (deadline) after {solved} of {n} quadratic programs: "
                "raise time_limit"
            )
        elif missed:
            messages.append(
                f"{missed} of {solved} quadratic programs did not reach tol={self.tol:g}, the largest "
                f"relative duality gap is {choices[0].worst_gap:.1e}: standardise the features, lower C or "
                "raise tol"
            )
        if incomplete and not late:
            messages.append(
                f"none of the {solved} threshold items tried, out of {n}, lies at the quantile of its own "
                f"model, and the closest misses it by {incomplete[0].quantile_distance:.1e}: "
                "search='exhaustive' tries them all"
            )
        for message in messages:
            warnings.warn(message, ConvergenceWarning, stacklevel=6)


def _all_but_top(model: AATP) -> Hashable:
    return tuple(
        value
        for name, value in model.get_params(deep=False).items()
        if name != "top"
    )


def _seconds_each(problem: ThresholdSVM, tol: float) -> float:
    """Time one problem, the second of two, as the first compiles; the first alone if it is slow."""
    seconds = math.inf
    for _ in range(2):
        start = time.perf_counter()
        problem.solve([0], tol=tol)
        seconds = min(seconds, time.perf_counter() - start)
        if seconds > 5.0:
            break
    return seconds


def _progress(name: str, most: int) -> Report:
    start = last = time.perf_counter()

    def report(n_solved: int, distance: Floats) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= _EVERY:
            last = now
            nearest = f"the nearest misses its quantile by {distance.min():.2g}"
            passed = format_duration(now - start)
            print(
                f"{name}: {n_solved} of up to {most} programs, {passed}, {nearest}",
                flush=True,
            )

    return report


def _rank(top: Top, y: Ints, weight: Floats | None, counts: Ints | Floats) -> int:
    """Compute the rank of the quantile in the sample that holds item i `counts[i]` times.

    `weight` is how often the item is among those that `top` counts: once, if it is None.
    """
    n = len(y)
    n_pos = int(y.sum())
    total = Fraction(counts.sum().item())
    if weight is None:
        k = top.resolve(n, n_pos)
    else:
        amounts: Any = Fraction(float(weight.sum())), Fraction(float(weight @ y))
        n, n_pos = amounts
        k = top.resolve(n, n_pos, where="this sample, by weight")
    if total == n:
        return k
    # As in Top: the decimal the user wrote, not its binary neighbour.
    tau = Fraction(str(top.tau)) if top.tau is not None else Fraction(k) / n
    return math.ceil(tau * total)
