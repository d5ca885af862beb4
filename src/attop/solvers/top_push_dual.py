"""TopPush by accelerated projected gradient on its dual, at a cost linear in the sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attop.solvers.base import Callback, Deadline, History, Solution, Status

__all__ = ["balance", "top_push_dual"]

Floats = NDArray[np.float64]


def top_push_dual(
    X: Any,
    y: NDArray[np.int64],
    *,
    lam: float,
    tol: float = 1e-4,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    callback: Callback | None = None,
) -> Solution:
    r"""Minimise TopPush's objective, truncated quadratic loss against the highest negative.

    .. math:: P(w) = \tfrac\lambda2 \|w\|^2
              + \frac1{n_+} \sum_{i=1}^{n_+} (1 + \max_j w \cdot x^-_j - w \cdot x^+_i)_+^2

    through its dual: maximise over :math:`\alpha \ge 0, \beta \ge 0, \sum_i \alpha_i = \sum_j \beta_j`

    .. math:: D(\alpha, \beta) = \frac1{n_+} \sum_i (\alpha_i - \alpha_i^2 / 4)
              - \frac1{2 \lambda n_+^2} \Bigl\| \sum_i \alpha_i x^+_i - \sum_j \beta_j x^-_j \Bigr\|^2,
              \qquad w = \frac1{\lambda n_+} \Bigl( \sum_i \alpha_i x^+_i - \sum_j \beta_j x^-_j \Bigr).

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    y : ndarray of shape (n,)
        1 for positives, 0 for negatives; both must occur.
    lam : float, positive
        Regularisation.
    tol : float, positive
        Stop at ``P(w) - D <= tol * P(w)``, for the best primal and the best dual point so far.
    max_iter : int, at least 1
    time_limit : float, optional
        Seconds; at least one iteration is done.
    callback : callable, optional
        Called as ``callback(t, coef, objective)`` with the best iterate so far, shapes (d, 1) and (1,);
        True stops the solver. It must not change the arrays.

    Returns
    -------
    solution : Solution
        One model, with the certified gap. The status is ``"diverged"`` if scores overflow.

    Raises
    ------
    ValueError
        If a parameter is out of range, or a class is missing.

    Notes
    -----
    An iteration reads `X` twice, and once more for each halving of the step; projection takes linear
    time. The unit of the features does not matter: with that of `X` goes that of w, ``lam`` being one of
    its square, and the path is the same. What does is ``lam`` against the square of the features: where the
    classes overlap, the number of iterations grows like its inverse square root. Features of size 1000 at
    ``lam = 0.01`` are all but unregularised, and best left to `attop.solvers.bundle.bundle`, or scaled.

    Steps lengthen and shorten by backtracking, and the momentum is dropped where it points uphill
    (O'Donoghue and Candes), which makes convergence linear where the dual is strongly concave.

    Differences from the paper: weights are in units where the bound on the sums is absent, as there; the
    paper stops by the change of the objective, this at a certified gap; the restart is an addition; the
    paper finds the threshold of the projection by random pivots, here by medians.

    References
    ----------
    N. Li, R. Jin and Z.-H. Zhou, "Top Rank Optimization in Linear Time", NIPS 2014, section 3.
    """
    deadline = Deadline(time_limit)
    for name, number in (("tol", tol), ("lam", lam)):
        if not 0 < number < np.inf:
            raise ValueError(f"{name} must be a positive number, got {number!r}")
    problem = _Dual(X, y, lam)
    if max_iter < 1:
        raise ValueError(f"max_iter must be at least 1, got {max_iter}")
    history = History()
    status: Status = "max_iter"
    point = np.zeros(len(y))
    image = np.zeros(X.shape[1])  # signed sum of the rows, X^T (sign * point)
    previous, previous_image = point, image
    best, objective, lower = image, 1.0, 0.0  # P(0) and D(0)
    momentum, smoothness = 1.0, 0.25 / problem.n_pos
    t = 0
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(1, max_iter + 1):
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            lead = (momentum - 1.0) / following
            ahead = point + lead * (point - previous)
            ahead_image = image + lead * (image - previous_image)
            value, gradient, primal = problem.at(ahead, ahead_image)
            if not (np.isfinite(value) and np.isfinite(primal)):
                status = "diverged"
                break
            if primal < objective:
                best, objective = ahead_image, primal
            smoothness *= 0.8
            while True:
                trial = problem.project(ahead + gradient / smoothness)
                trial_image = problem.image(trial)
                change = trial - ahead
                bound = 0.5 * smoothness * float(change @ change)
                curvature = problem.curvature(change, trial_image - ahead_image)
                if not curvature > bound * (1.0 + 1e-9):
                    break
                smoothness = max(2.0 * smoothness, 1.1 * smoothness * curvature / max(bound, 1e-300))
            if not np.isfinite(smoothness):
                status = "diverged"
                break
            lower = max(lower, problem.dual(trial, trial_image))
            uphill = float(gradient @ (trial - point)) < 0.0
            previous, previous_image = point, image
            point, image = trial, trial_image
            momentum = 1.0 if uphill else following

            history.record(t, deadline.elapsed, np.array([objective]), np.array([objective - lower]))
            if objective - lower <= tol * objective:
                status = "converged"
                break
            coef = problem.coef(best)[:, np.newaxis]
            if callback is not None and callback(t, coef, np.array([objective])):
                status = "stopped"
                break
            if deadline.expired:
                status = "deadline"
                break
    w = problem.coef(best)
    gap = np.array([max(objective - lower, 0.0)])
    return Solution(w[:, np.newaxis], np.array([objective]), t, status, history, gap)


class _Dual:
    """TopPush's dual in one vector: alpha at the positives, beta at the negatives.

    Features are taken in a unit in which the largest is about 1. It is a power of two, so that they are
    none the less exact, and leaves lam, which is in its inverse square, a normal number.
    """

    def __init__(self, X: Any, y: NDArray[np.int64], lam: float):
        self.X = X
        self.positive = np.asarray(y) == 1
        self.n_pos = int(self.positive.sum())
        if X.shape[0] != len(y) or not 0 < self.n_pos < len(y):
            raise ValueError(
                f"TopPush needs positives and negatives, one label per row: got {X.shape[0]} rows, "
                f"{len(y)} labels, {self.n_pos} of them positive"
            )
        self.sign = np.where(self.positive, 1.0, -1.0)
        exponent = np.frexp(max(X.max(), -X.min()))[1]
        middle = np.frexp(lam)[1] // 2
        self.unit = float(np.ldexp(1.0, int(np.clip(exponent, middle - 500, middle + 500))))
        self.lam = lam / self.unit / self.unit

    def image(self, point: Floats) -> Floats:
        return np.asarray(self.X.T @ (self.sign * point / self.unit))

    def primal_point(self, image: Floats) -> Floats:
        return image / (self.lam * self.n_pos)

    def coef(self, image: Floats) -> Floats:
        """Return the model for features as they are given."""
        return self.primal_point(image) / self.unit

    def dual(self, point: Floats, image: Floats) -> float:
        alpha = point[self.positive]
        fit = float(alpha.sum()) - 0.25 * float(alpha @ alpha)
        return fit / self.n_pos - float(image @ image) / (2.0 * self.lam * self.n_pos**2)

    def at(self, point: Floats, image: Floats) -> tuple[float, Floats, float]:
        """Return the dual, its gradient, and the primal at the point that belongs to it."""
        w = self.primal_point(image)
        scores = np.asarray(self.X @ (w / self.unit))
        gradient = -self.sign * scores
        gradient[self.positive] += 1.0 - 0.5 * point[self.positive]
        lead = 1.0 + scores[~self.positive].max() - scores[self.positive]
        slack = np.maximum(lead, 0.0)
        primal = 0.5 * self.lam * float(w @ w) + float(slack @ slack) / self.n_pos
        return self.dual(point, image), gradient / self.n_pos, primal

    def curvature(self, change: Floats, image: Floats) -> float:
        """What the dual falls short of its tangent by."""
        alpha = change[self.positive]
        fit = 0.25 * float(alpha @ alpha) / self.n_pos
        return fit + float(image @ image) / (2.0 * self.lam * self.n_pos**2)

    def project(self, point: Floats) -> Floats:
        threshold = balance(point[self.positive], point[~self.positive])
        return np.maximum(point - self.sign * threshold, 0.0)


def balance(a: Floats, b: Floats) -> float:
    r"""Return the threshold of the projection onto sums that balance.

    The nearest point to (a, b) with :math:`\alpha, \beta \ge 0` and
    :math:`\sum_i \alpha_i = \sum_j \beta_j` is :math:`\alpha = (a - \tau)_+, \beta = (b + \tau)_+`.

    Parameters
    ----------
    a, b : ndarray
        Neither empty.

    Returns
    -------
    tau : float
        Solves :math:`\sum_i (a_i - \tau)_+ = \sum_j (b_j + \tau)_+`.

    Notes
    -----
    The difference of the two sums falls with tau and is linear between the values a_i and -b_j. Halving
    the values that can still be next to the root by their median takes linear time in all.
    """
    low, high = -float(b.max()), float(a.max())
    if low >= high:
        return 0.5 * (low + high)  # both sums vanish between
    # At tau >= low only the a_i above low count, at tau <= high only the -b_j below high: all in between.
    sums = np.concatenate([a[a > low], -b[-b < high]])
    # Entries settled so far, as slope and intercept of the two sums: (value - tau) of a, (tau - value) of b.
    is_a = np.concatenate([np.ones(int((a > low).sum()), bool), np.zeros(int((-b < high).sum()), bool)])
    count, total = 0.0, 0.0
    while len(sums):
        middle = float(np.partition(sums, len(sums) // 2)[len(sums) // 2])
        right, left = is_a & (sums > middle), ~is_a & (sums < middle)
        excess = total - count * middle
        excess += float((sums[right] - middle).sum()) - float((middle - sums[left]).sum())
        if excess > 0.0:
            # The root is to the right: b's up to the middle count for good, a's up to it never again.
            settled = ~is_a & (sums <= middle)
            stay = sums > middle
        else:
            settled = is_a & (sums >= middle)
            stay = sums < middle
        count += float(settled.sum())
        total += float(sums[settled].sum())
        sums, is_a = sums[stay], is_a[stay]
    return total / count
