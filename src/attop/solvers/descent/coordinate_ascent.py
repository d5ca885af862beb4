"""Coordinate ascent on any function of the ranked list, steps and jumps included."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attop.core.typing import Floats, Ints
from attop.solvers.base import Deadline, Solution, Status
from attop.solvers.monitor import Monitor

__all__ = ["coordinate_ascent"]

#: Lengths of steps along a coefficient, in standard deviations of the scores; short ones first.
_LENGTHS = 2.0 ** np.arange(-8, 5)


def coordinate_ascent(
    X: Floats,
    value: Callable[[Floats], float],
    *,
    n_starts: int,
    max_iter: int,
    rng: np.random.Generator | np.random.RandomState,
    time_limit: float | None = None,
) -> Solution:
    """Maximise ``value(X @ w)``, one coefficient at a time, from several starts.

    Special-purpose: it takes no surrogate, but the metric itself, and asks it for nothing but values.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    value : callable
        Value of scores of shape (n,), the higher the better.
    n_starts : int, at least 1
        The first start weighs all standardised features alike, the others are drawn.
    max_iter : int, at least 1
        Passes over the coefficients, from each start.
    rng : numpy.random.Generator or RandomState
        Draws starts, and the order of the coefficients anew in each pass.
    time_limit : float, optional
        Seconds. At least the first start is evaluated.

    Returns
    -------
    solution : Solution
        The best model, ``objective = -value``. Iterations, status and history, an entry a pass, are those
        of its start; the first entry is the start itself. ``"converged"``: no step along any one coefficient
        is better.

    Notes
    -----
    A line search tries the steps of 2^-8 to 2^4 standard deviations of the scores, up and down, and the one
    that makes the coefficient 0. It takes the best, the shortest among equals, if that is better than no
    step: the value never falls. Units of the features therefore do not matter. A pass costs about 27 values
    a feature.
    """
    deadline = Deadline(time_limit)
    spread = X.std(axis=0)
    used = np.flatnonzero(spread > 0)
    best: _Run | None = None
    for start in range(n_starts):
        w = np.zeros(X.shape[1])
        w[used] = (np.ones(len(used)) if start == 0 else rng.normal(size=len(used))) / spread[used]
        run = _ascend(X, value, w, used, spread, max_iter, rng, deadline)
        if best is None or run.value > best.value:
            best = run
        if deadline.expired:
            break
    assert best is not None
    history = best.monitor.history
    objective = np.array([-best.value])
    return Solution(best.w[:, np.newaxis], objective, history.iteration[-1], best.status, history)


class _Run(NamedTuple):
    w: Floats
    value: float
    status: Status
    monitor: Monitor


def _ascend(
    X: Floats,
    value: Callable[[Floats], float],
    w: Floats,
    used: Ints,
    spread: Floats,
    max_iter: int,
    rng: np.random.Generator | np.random.RandomState,
    deadline: Deadline,
) -> _Run:
    """Pass over the coefficients until none of them has a better step."""
    monitor = Monitor(deadline)
    scores = X @ w
    current = value(scores)
    monitor.record(0, w[:, np.newaxis], np.array([-current]))
    status: Status = "max_iter"
    for t in range(1, max_iter + 1):
        before = current
        for j in rng.permutation(used):
            if monitor.over():
                break
            step, reached = _line_search(X[:, j], value, scores, w[j], spread[j])
            if reached > current:
                moved = w.copy()
                moved[j] += step
                # The product rounds differently from the sum, which ties may show: the model's value decides.
                product = X @ moved
                reached = value(product)
                if reached > current:
                    w, scores, current = moved, product, reached
        monitor.record(t, w[:, np.newaxis], np.array([-current]))
        if monitor.over():
            status = monitor.ended or "deadline"
            break
        if current == before:
            status = "converged"
            break
    return _Run(w, current, status, monitor)


def _line_search(
    x: Floats, value: Callable[[Floats], float], scores: Floats, coefficient: float, spread: float
) -> tuple[float, float]:
    """Return the best step along the feature `x`, and its value."""
    unit = (scores.std() or 1.0) / spread
    steps = np.append(np.outer(_LENGTHS, [unit, -unit]).ravel(), -coefficient)
    values = [value(scores + step * x) for step in steps]
    best = int(np.argmax(values))
    return float(steps[best]), values[best]
