"""L-BFGS by scipy: a smooth surrogate, and the cross entropy of a linear model."""

from __future__ import annotations

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from scipy.special import expit

from attop.core.compiled import blas
from attop.core.typing import Features, Floats, Ints
from attop.solvers.base import Deadline, History, Solution, Status, check_loss
from attop.solvers.parameters import check_numbers
from attop.surrogates.base import BoundSurrogate


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
        See `attop.solvers.base`. The loss is smooth; X may be anything with a shape that multiplies a vector,
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
        history.record(len(history.iteration), deadline.elapsed, np.array([value]))

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
