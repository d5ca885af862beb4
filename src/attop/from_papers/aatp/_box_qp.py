"""Interior point for many linear support vector machines without intercept at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attop._core.typing import Floats
from attop.from_papers.aatp._difference_rows import Rows
from attop.solvers._base import NOTHING

#: Rounding error of primal minus dual value, relative to the primal at ``w = 0``.
_ROUNDING = 64 * np.finfo(np.float64).eps


@dataclass
class BoxQPSolution:
    """Best primal and best dual point of each problem.

    Attributes
    ----------
    coef : ndarray of shape (d, m)
    dual : ndarray of shape (n, m)
        Feasible: ``0 <= dual <= upper``, exactly.
    start : ndarray of shape (m,)
        The primal value at ``w = 0``.
    primal_value, dual_value : ndarray of shape (m,)
        Of `coef` and of `dual`: the optimum lies between them; see `relative_gap`.
    """

    coef: Floats
    dual: Floats
    start: Floats
    primal_value: Floats
    dual_value: Floats


def relative_gap(start: Floats, primal: Floats, dual: Floats) -> Floats:
    """``(primal - dual) / min(primal, start - dual)``, `start` being the primal at ``w = 0``.

    Shapes (m,). As in `attop.solvers`: of what can be gained over w = 0, at most this
    share is missing; 0 where no more than rounding can be gained, or is missing. Where the objective itself
    is smaller, as it is for large C, the gap is a share of that.
    """
    gain = np.minimum(primal, start - dual)
    nothing = start - dual <= NOTHING * start
    missing = primal - dual
    missing = np.where(missing > _ROUNDING * start, missing, 0.0)
    return np.where(nothing, 0.0, missing / np.where(nothing, 1.0, gain))


def interior_point(
    rows: Rows,
    upper: Floats,
    *,
    tol: float,
    max_iter: int = 100,
    cautious: bool = False,
    expired: Callable[[], bool] = lambda: False,
) -> BoxQPSolution:
    """Solve ``min_w 1/2 ||w||^2 + sum_i c_i (1 - v_i . w)+`` for every problem of a batch.

    Parameters
    ----------
    rows : Rows
        The vectors ``v_i`` of the m problems.
    upper : ndarray of shape (n, m)
        ``c_i > 0``.
    tol : float
        A problem leaves the batch at a gap of at most this; see `relative_gap`.
    cautious : bool
        Shorter steps, nearer to the central path: for problems that failed with the usual ones.
    expired : callable
        Called before each iteration but the first; true stops, and the best points found are returned.

    Notes
    -----
    Mehrotra's predictor-corrector method on the dual,
    ``max sum_i alpha_i - 1/2 ||sum_i alpha_i v_i||^2, 0 <= alpha_i <= c_i``, with multipliers z and u of
    the two bounds, so that ``v_i . w - 1 - z_i + u_i = 0``, and w kept as an unknown of its own
    (Ferris and Munson 2002), which costs a d x d system and spares w the rounding of a sum over alpha.
    The gap is computed from a feasible alpha and the hinge loss at w, not from the iteration's residuals.

    References
    ----------
    Mehrotra (1992), On the implementation of a primal-dual interior point method.
    Ferris and Munson (2002), Interior-point methods for massive support vector machines.
    """
    from attop.from_papers.aatp._kernels import (
        advance,
        correct,
        objectives,
        predict,
        weigh,
    )

    n, d, m = rows.shape
    c = upper = np.ascontiguousarray(upper, dtype=np.float64)
    # w = 0 and alpha = 0 are feasible: the values to beat.
    start = upper.sum(axis=0)
    best = BoxQPSolution(
        np.zeros((d, m)), np.zeros((n, m)), start, start.copy(), np.zeros(m)
    )
    left = np.arange(m)  # the problems still in the batch
    # Start at the best multiple of c, clipped: near a bound the first steps would be short.
    ascent = rows.combine(c)
    with np.errstate(all="ignore"):
        best_multiple = c.sum(axis=0) / np.einsum("dm,dm->m", ascent, ascent)
    w = np.zeros((d, m))
    alpha = np.clip(best_multiple, 0.2, 0.5) * c
    slack = c - alpha
    z = np.full((n, m), 2.0)
    u = np.full((n, m), 3.0)
    # At the limit of double precision a step may divide by zero: such a problem keeps its best points.
    with np.errstate(all="ignore"):
        for iteration in range(max_iter + 1):
            margins = rows.margins(w)
            combined = rows.combine(alpha)
            hinge, total = objectives(c, alpha, margins)
            primal = 0.5 * np.einsum("dm,dm->m", w, w) + hinge
            dual = total - 0.5 * np.einsum("dm,dm->m", combined, combined)
            better = primal < best.primal_value[left]
            best.primal_value[left[better]] = primal[better]
            best.coef[:, left[better]] = w[:, better]
            better = dual > best.dual_value[left]
            best.dual_value[left[better]] = dual[better]
            best.dual[:, left[better]] = alpha[:, better]
            going = (
                relative_gap(
                    best.start[left], best.primal_value[left], best.dual_value[left]
                )
                > tol
            )
            going &= np.isfinite(primal) & np.isfinite(dual)
            if (
                not going.any()
                or iteration == max_iter
                or (iteration and expired())
            ):
                break
            if not going.all():
                left = left[going]
                rows = rows.keep(going)
                stay = np.flatnonzero(going)
                c, w, alpha, slack, z, u, margins, combined = (
                    np.take(v, stay, axis=1)
                    for v in (c, w, alpha, slack, z, u, margins, combined)
                )
            theta, right, da, lower, higher = np.empty((5, *alpha.shape))
            mu = weigh(alpha, slack, z, u, margins, theta, right)
            solve = rows.normal_equations(theta)
            lag = w - combined
            # Predictor, then corrector: towards the central path, with the second-order term.
            dw = solve(rows.combine(right) - lag)
            target = predict(
                alpha, slack, z, u, margins, theta, rows.margins(dw), mu, da
            )
            if cautious:
                target = np.maximum(target, 0.2 * mu)
            correct(
                alpha,
                slack,
                z,
                u,
                margins,
                theta,
                target,
                0.0 if cautious else 1.0,
                da,
                lower,
                higher,
                right,
            )
            dw = solve(rows.combine(right) - lag)
            share = 0.9 if cautious else 0.999
            w = w + dw * advance(
                alpha,
                slack,
                z,
                u,
                theta,
                right,
                rows.margins(dw),
                lower,
                higher,
                share,
            )
    np.minimum(best.dual, upper, out=best.dual)
    return best
