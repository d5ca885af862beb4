"""L-BFGS on a smooth surrogate, by scipy."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from attop.core.typing import Floats
from attop.solvers.base import Callback, Solution
from attop.solvers.monitor import Monitor
from attop.solvers.needs import Needs
from attop.surrogates.base import BoundSurrogate

__all__ = ["lbfgs"]

NEEDS = Needs("lbfgs", smooth=True)


def lbfgs(
    X: Any,
    loss: BoundSurrogate,
    *,
    max_iter: int = 200,
    tol: float = 1e-8,
    time_limit: float | None = None,
    callback: Callback | None = None,
) -> Solution:
    """Minimise a smooth ``loss(X @ w)`` from ``w = 0``, without regularisation.

    Parameters
    ----------
    X : ndarray of shape (n, d), or ThresholdRankers
        Anything with a shape that multiplies a vector, and whose transpose does.
    loss : BoundSurrogate
        Smooth.
    max_iter : int, at least 1
        Iterations.
    tol : float, at least 0
        Largest absolute entry of the gradient at which the solver stops.
    time_limit : float or None
        Seconds; checked between iterations, so that there is one at least.
    callback : callable or None
        See `attop.solvers.base.Callback`; `coef` is of shape (d, 1), `objective` of shape (1,).

    Returns
    -------
    solution : Solution
        ``"converged"`` also covers an objective that falls by no more than its rounding.

    Raises
    ------
    ValueError
        If shapes disagree, a parameter is out of range, or the surrogate is not smooth.

    Notes
    -----
    On separable data the minimum is at infinity: the number of iterations is then the regulariser, as
    the number of rounds is in boosting.
    """
    NEEDS.check(X, loss)
    if isinstance(max_iter, bool) or not isinstance(max_iter, Integral) or max_iter < 1:
        raise ValueError(f"max_iter must be an integer of at least 1, got {max_iter!r}")
    if not (math.isfinite(tol) and tol >= 0):
        raise ValueError(f"tol must be a finite number of at least 0, got {tol!r}")
    monitor = Monitor(time_limit, callback)

    def record(w: Floats, value: float) -> None:
        monitor.record(len(monitor.history.iteration), w[:, None].copy(), np.array([value]))

    def objective(w: Floats) -> tuple[float, Floats]:
        value, coef = loss(X @ w)
        if not monitor.history.iteration:
            record(w, float(value))
        return float(value), X.T @ coef

    def after_iteration(intermediate_result: OptimizeResult) -> None:
        record(intermediate_result.x, intermediate_result.fun)
        if monitor.over():
            raise StopIteration

    start = np.zeros(X.shape[1])
    if start.size == 0:  # which older SciPy does not take
        value, _ = objective(start)
        return Solution(start[:, None], np.array([value]), 0, "converged", monitor.history)
    result = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=after_iteration,
        options={
            "maxiter": int(max_iter),
            "maxfun": 25 * int(max_iter),  # more than its line searches may take
            "gtol": tol,
            "ftol": np.finfo(float).eps,
        },
    )
    return Solution(
        result.x[:, None],
        np.array([result.fun]),
        int(result.nit),
        monitor.ended or ("converged" if result.success else "max_iter"),
        monitor.history,
    )
