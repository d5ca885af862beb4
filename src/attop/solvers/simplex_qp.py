"""Convex quadratic programs over the simplex, by active sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

__all__ = ["SimplexSolution", "minimise_on_simplex"]

Floats = NDArray[np.float64]

#: Ridge of a Newton system, relative to its largest diagonal entry: above the rounding of a Cholesky
#: factorisation of a few hundred rows. It bends the direction, never the problem.
_RIDGE = 1e-12

#: Newton steps on one support before the next index is tried.
_REFINEMENTS = 4


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
    m = len(b)
    if start is None:
        alpha = np.zeros(m)
        alpha[np.argmin(0.5 * np.diag(H) - b)] = 1.0
    else:
        alpha = start / start.sum()
    support = np.flatnonzero(alpha)
    refinements = 0  # full steps since the support last changed
    bounced = 0  # steps of length zero since the last one of any length
    gap = np.inf
    step = 0
    for step in range(20 * m + 100):  # noqa: B007
        weight = alpha[support]
        curved = H[:, support] @ weight
        gradient = curved - b
        mean = float(weight @ gradient[support])
        entering = int(np.argmin(gradient))
        gap = mean - float(gradient[entering])
        rounding = 1e-15 * max(abs(float(weight @ curved[support])), abs(float(b[support] @ weight)))
        if gap <= max(tol, rounding):
            break
        # An index that enters before the support is settled may have to leave at once: settle it first.
        settled = np.ptp(gradient[support]) <= (0.0 if bounced else 0.1 * gap) or refinements >= _REFINEMENTS
        if settled and (alpha[entering] > 0.0 or bounced == 2):
            break  # rounding leaves nothing to gain
        if settled:
            support = np.append(support, entering)
            weight = np.append(weight, 0.0)
            refinements = 0
        direction = _newton_direction(H[np.ix_(support, support)], gradient[support] - mean)
        falling = direction < 0.0
        room = np.full(len(support), np.inf)
        room[falling] = weight[falling] / -direction[falling]
        first = int(np.argmin(room))
        weight = weight + min(1.0, room[first]) * direction
        bounced = bounced + 1 if room[first] == 0.0 else (0 if settled else bounced)
        if room[first] < 1.0:
            weight[first] = 0.0
            refinements = 0
        else:
            refinements += 1
        weight = np.maximum(weight, 0.0)
        alpha = np.zeros(m)
        alpha[support] = weight / weight.sum()
        support = support[alpha[support] > 0.0]
    return SimplexSolution(alpha, max(gap, 0.0), step)


def _newton_direction(H: Floats, gradient: Floats) -> Floats:
    """Minimise ``gradient . p + 1/2 p' H p``, plus a ridge, over p that sum to 0."""
    size = np.diag(H)
    # The smallest plane takes what the others leave: its entries do not drown theirs.
    rest = int(np.argmin(size))
    others = np.delete(np.arange(len(H)), rest)
    direction = np.zeros(len(H))
    if len(others) == 0:
        return direction
    row = H[rest, others]
    reduced = H[np.ix_(others, others)] - row - row[:, np.newaxis] + size[rest]
    diagonal = np.diag_indices(len(others))
    ridge = _RIDGE * (np.maximum(reduced[diagonal], 0.0) + 1e-2 * (size[others] + size[rest]))
    ridge += np.finfo(float).tiny
    while True:
        regular = reduced.copy()
        regular[diagonal] += ridge
        try:
            factor = cho_factor(regular, lower=True, overwrite_a=True, check_finite=False)
            break
        except LinAlgError:
            ridge *= 100.0
    direction[others] = cho_solve(factor, gradient[rest] - gradient[others], check_finite=False)
    direction[rest] = -direction.sum()
    return direction
