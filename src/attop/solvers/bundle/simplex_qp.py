"""Convex quadratic programs over the simplex, by active sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attop.core.typing import Floats

__all__ = ["SimplexSolution", "minimise_on_simplex"]


#: Ridge of a Newton system, relative to its diagonal: above the rounding of a Cholesky factorisation of a
#: few hundred rows. It changes the direction of a step, not the problem.
_RIDGE = 1e-12

#: Newton steps on one support before the next index is tried.
_REFINEMENTS = 4

#: Rounding error of the gap, relative to the larger term of the value.
_ROUNDING = 1e-15


@dataclass
class SimplexSolution:
    """Where a program over the simplex ended.

    Attributes
    ----------
    alpha : ndarray of shape (m,)
        Non-negative, sums to 1; exactly 0 outside the support.
    gap : float
        Certified bound on the distance of the value from the minimum.
    n_steps : int
        Newton systems solved.
    """

    alpha: Floats
    gap: float
    n_steps: int


def minimise_on_simplex(
    H: Floats, b: Floats, start: Floats | None = None, *, tol: float = 0.0
) -> SimplexSolution:
    r"""Minimise :math:`\tfrac12 \alpha^\top H \alpha - b^\top \alpha` over the simplex.

    Parameters
    ----------
    H : ndarray of shape (m, m)
        Symmetric and positive semidefinite; it may be singular.
    b : ndarray of shape (m,)
    start : ndarray of shape (m,), optional
        A point of the simplex, best one with a small support: the solution of a similar program. By
        default the best vertex.
    tol : float
        Stop at a certified gap of at most this, or where rounding leaves nothing to gain: about 1e-15
        times the larger of :math:`\alpha^\top H \alpha` and :math:`b^\top \alpha`.

    Returns
    -------
    SimplexSolution

    Notes
    -----
    Primal active sets, as in Wolfe's method for the point of minimum norm. The support grows by the index
    with the smallest entry of the gradient g; a Newton step minimises over the plane of the support,
    cut off where a weight becomes 0, which leaves the support. The gap is
    :math:`g^\top \alpha - \min_t g_t`, the bound convexity gives. A ridge keeps the systems solvable
    where H is singular on the support; as the step starts at the current point, repeating it removes
    what the ridge bent (it is the proximal point method), and where the program is linear along a
    direction it leads far beyond the simplex, to where it is cut off.

    References
    ----------
    Wolfe (1976), Finding the nearest point in a polytope.
    """
    from attop.solvers.bundle.kernels.simplex import active_set

    m = len(b)
    if start is None:
        alpha = np.zeros(m)
        alpha[np.argmin(0.5 * np.diag(H) - b)] = 1.0
    else:
        alpha = start / start.sum()
    gap, n_steps = active_set(
        np.ascontiguousarray(H, dtype=np.float64),
        np.asarray(b, dtype=np.float64),
        alpha,
        tol,
        _ROUNDING,
        _RIDGE,
        _REFINEMENTS,
        20 * m + 100,
    )
    return SimplexSolution(alpha, max(float(gap), 0.0), int(n_steps))
