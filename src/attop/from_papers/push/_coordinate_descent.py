"""Greedy coordinate descent with exact line search: boosting by weak rankers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attop._core.parameters import check_numbers
from attop._core.typing import Floats, Ints
from attop.solvers._base import Deadline, History, Solution, Status, check_loss
from attop.surrogates._base import AlongLine, BoundSurrogate, Slope

if TYPE_CHECKING:  # it imports compiled code
    from attop.from_papers.push._threshold_rankers import ThresholdRankers


class FeatureRankers:
    """The features themselves as weak rankers; no copy of `X` (n, d) is made.

    `width` is the largest minus the smallest value of each.
    """

    def __init__(self, X: Floats):
        self.shape: tuple[int, int] = X.shape
        low = X.min(axis=0)
        high = X.max(axis=0)
        self.width = high - low
        self._centre = low / 2 + high / 2
        self._X = X

    def correlate(self, coef: Floats) -> Floats:
        """Compute ``X.T @ coef``, shape (d,)."""
        return self._X.T @ coef

    def column(self, j: int) -> Floats:
        """Shift and scale feature j to [-1/2, 1/2]; its `width` must be positive."""
        column = self._X[:, j] - self._centre[j]
        column /= self.width[j]
        return column


#: A step changes the margin of a pair by at most this much, so that the exponential of the change is finite.
LONGEST_STEP = math.log(np.finfo(float).max)
EPS = float(np.finfo(float).eps)


@dataclass(kw_only=True)
class CoordinateSolution(Solution):
    """A `Solution` with the path that led to it.

    Attributes
    ----------
    coordinates : ndarray of shape (n_iter,)
        The coordinate chosen in each round.
    steps : ndarray of shape (n_iter,)
        The step along it.
    """

    coordinates: Ints
    steps: Floats

    def after(self, rounds: int) -> CoordinateSolution:
        """Cut the solution back to `rounds`: the start of a path is the path of fewer rounds."""
        check_numbers(max_iter=rounds)
        if rounds >= self.n_iter:
            return self
        coef = np.zeros_like(self.coef)
        np.add.at(coef[:, 0], self.coordinates[:rounds], self.steps[:rounds])
        head = slice(rounds + 1)
        history = History(
            self.history.iteration[head],
            self.history.seconds[head],
            self.history.objective[head],
        )
        return CoordinateSolution(
            coef,
            history.objective[-1],
            rounds,
            "max_iter",
            history,
            coordinates=self.coordinates[:rounds],
            steps=self.steps[:rounds],
        )


def coordinate_descent(
    X: Floats | ThresholdRankers,
    loss: BoundSurrogate,
    *,
    max_iter: int = 200,
    tol: float = 1e-8,
    time_limit: float | None = None,
) -> CoordinateSolution:
    r"""Minimise ``loss(X @ w)`` one weak ranker at a time (Rudin 2005, figure 1).

    From :math:`\lambda_1 = 0`, each round chooses the coordinate :math:`j_t` of largest absolute
    derivative, minimises exactly along it, and sets
    :math:`\lambda_{t+1} = \lambda_t + \alpha_t e_{j_t}`.

    Parameters
    ----------
    X : ndarray of shape (n, d), or ThresholdRankers
        Weak rankers in columns: real-valued or binary. The choice of coordinate depends on their scale.
    loss, max_iter, time_limit
        See `attop.solvers`. The loss is convex and smooth, with derivatives along lines: for example
        ``PNormPushExp(p).bind(y)``.
    tol : float, at least 0
        Largest absolute entry of the gradient at which the solver stops.

    Returns
    -------
    solution : CoordinateSolution
        ``"converged"`` also covers that the derivative along the chosen coordinate is zero up to
        rounding, which a `tol` below the resolution of the features would never admit.

    Notes
    -----
    A round costs one product ``X.T @ c``, one evaluation of the loss, and a line search on one column;
    the scores are kept up to date. No object is larger than `X`.

    Differences from the paper: the loss may be the logarithm of the paper's objective, which has the same
    signs, the same largest coordinate and the same minimiser on every line, hence the same path. Columns
    are shifted and scaled to width 1 for the line search only, for its precision; a constant column is
    never chosen. Where a coordinate separates the classes, the minimum along it is at infinity: a
    step changes the margin of any pair, ``f(x_i) - f(x_k)``, by at most ``log`` of the largest
    double, about 709. The paper leaves that to the line search of its software.
    """
    check_loss("coordinate_descent", X, loss, "convex", "smooth", "along_line")
    assert isinstance(loss, AlongLine)
    check_numbers(max_iter=max_iter, tol=tol)
    deadline = Deadline(time_limit)
    history = History()
    rankers = FeatureRankers(X) if isinstance(X, np.ndarray) else X
    width = rankers.width

    coef = np.zeros((rankers.shape[1], 1))
    scores = np.zeros(loss.n)
    coordinates: list[int] = []
    steps: list[float] = []
    status: Status = "max_iter"
    for iteration in range(int(max_iter) + 1):
        value, c = loss(scores)
        if not np.isfinite(value):
            status = "diverged"
            break
        # Each round decreases the loss, so the last iterate is the best, up to rounding.
        best = coef.copy()
        objective = np.array([value], dtype=float)
        history.record(iteration, deadline.elapsed, objective)
        slopes = np.abs(np.where(width > 0, rankers.correlate(c), 0.0))
        if slopes.max(initial=0.0) <= tol:
            status = "converged"
            break
        if iteration == max_iter:
            break
        if deadline.expired:
            status = "deadline"
            break
        chosen = int(np.argmax(slopes))
        # A common shift of the scores does not change the loss, so the column may be centred.
        column = rankers.column(chosen)
        step = line_search(
            loss.along(scores, column), noise=4 * EPS * float(np.abs(c).sum())
        )
        if step == 0:
            status = "converged"
            break
        scores += step * column
        coef[chosen] += step / width[chosen]
        coordinates.append(chosen)
        steps.append(step / width[chosen])
    return CoordinateSolution(
        best,
        objective,
        len(steps),
        status,
        history,
        coordinates=np.array(coordinates, np.int64),
        steps=np.array(steps),
    )


def line_search(slope: Slope, *, noise: float = 0.0) -> float:
    """Minimise a smooth convex function of one variable by safeguarded Newton, from 0 to LONGEST_STEP.

    ``slope(step)`` returns the first and the second derivative; a first derivative of at most `noise` cannot
    be told from 0. Returns the minimiser, to about the precision of the derivative, or the bound where the
    function still falls there.
    """
    first, second = slope(0.0)
    if abs(first) <= noise:
        return 0.0
    side = -math.copysign(1.0, first)
    # Search in the direction of descent `side`, in which the first derivative at 0 is negative.
    first *= side
    at = 0.0
    low = 0.0
    high = LONGEST_STEP
    bracketed = False
    moved = math.inf
    reach = 8.0
    for _ in range(100):
        newton = at - first / second if second > 0 else math.inf
        if not bracketed:
            # Where the function is nearly linear, a Newton step is far too long: extend the range by factors.
            trial = min(newton, reach, LONGEST_STEP)
            reach *= 8
        elif low < newton < high and abs(newton - at) <= moved / 2:
            trial = newton
        else:
            trial = low / 2 + high / 2
        moved = abs(trial - at)
        if moved <= math.sqrt(EPS) * trial + EPS:
            # Newton converges quadratically: the remaining error is about the square of this move.
            return side * trial
        at = trial
        first, second = slope(side * at)
        first *= side
        if abs(first) <= noise or (first < 0 and at >= LONGEST_STEP):
            return side * at
        if first < 0:
            low = at
        else:
            high = at
            bracketed = True
    return side * low
