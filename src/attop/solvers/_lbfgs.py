"""L-BFGS by scipy, on a smooth surrogate."""

from __future__ import annotations

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from attop._core.parameters import check_numbers
from attop._core.typing import Features, Floats
from attop.solvers._base import Deadline, History, Solution, Status, check_loss
from attop.surrogates._base import BoundSurrogate


def lbfgs(
    X: Features,
    loss: BoundSurrogate,
    *,
    max_iter: int = 200,
    tol: float = 1e-8,
    time_limit: float | None = None,
) -> Solution:
    """Minimise a smooth ``loss(X @ w)`` from ``w = 0``, without regularisation.

    Parameters
    ----------
    X, loss, max_iter, time_limit
        See `attop.solvers`. The loss is smooth; X may be anything with a shape that multiplies a vector,
        and whose transpose does.
    tol : float, at least 0
        Largest absolute entry of the gradient at which the solver stops.

    Returns
    -------
    solution : Solution
        ``"converged"`` also covers an objective that falls by no more than its rounding.

    Notes
    -----
    On separable data the minimum is at infinity: the number of iterations is then the regulariser, as
    the number of rounds is in boosting.
    """
    check_loss("lbfgs", X, loss, "smooth")
    check_numbers(max_iter=max_iter, tol=tol)
    deadline, history = Deadline(time_limit), History()
    status: Status = "max_iter"

    def record(value: float) -> None:
        history.record(len(history.iteration), deadline.elapsed, [value])

    def objective(w: Floats) -> tuple[float, Floats]:
        value, coef = loss(X @ w)
        if not history.iteration:
            record(float(value))
        return float(value), X.T @ coef

    def after_iteration(intermediate_result: OptimizeResult) -> None:
        nonlocal status
        record(intermediate_result.fun)
        if deadline.expired:
            status = "deadline"
            raise StopIteration

    start = np.zeros(X.shape[1])
    if start.size == 0:  # which older SciPy does not take
        value, _ = objective(start)
        return Solution(start[:, None], np.array([value]), 0, "converged", history)
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
        "converged" if result.success else status,
        history,
    )
