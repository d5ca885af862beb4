"""Cutting planes: the piecewise linear model, its minimisers, and the level method."""

from __future__ import annotations

import numpy as np

from attop._core.typing import Floats

#: Ridge of a Newton system, relative to its diagonal: above the rounding of a Cholesky factorisation of a
#: few hundred rows. It changes the direction of a step, not the problem.
_RIDGE = 1e-12
#: Newton steps on one support before the next index is tried.
_REFINEMENTS = 4
#: Rounding error of the gap of a program, relative to the larger term of the value.
_GAP_ROUNDING = 1e-15


def minimise_on_simplex(
    H: Floats, b: Floats, start: Floats | None = None, *, tol: float = 0.0
) -> tuple[Floats, float, int]:
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
    alpha, gap, n_steps
        Weights, exactly 0 outside the support; certified bound on the distance of the value from the minimum;
        number of Newton systems solved.

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
    from attop.solvers._bundle.kernels import active_set

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
        _GAP_ROUNDING,
        _RIDGE,
        _REFINEMENTS,
        20 * m + 100,
        np.empty((2, m), np.int64),
        np.empty((3, m)),
        np.empty((m, m)),
    )
    return alpha, max(float(gap), 0.0), int(n_steps)


#: A plane that this many candidates in a row did not need is dropped.
_PATIENCE = 30
#: Bound on the rounding error of a sum, relative to its largest term.
_ROUNDING = 16 * np.finfo(np.float64).eps


def plane_offset(value: float, coef: Floats, scores: Floats) -> float:
    """Compute the offset of the plane of a loss at `scores`, where it has `value` and subgradient `coef`.

    It is lowered by a bound of the rounding error: at the first iterates with large features, terms that
    cancel can exceed the optimum by many orders of magnitude.
    """
    rounding = _ROUNDING * (abs(value) + float(np.abs(coef) @ np.abs(scores)))
    return value - float(coef @ scores) - rounding


class Planes:
    """Planes ``slope . w + offset`` below a convex function of w, and their Gram matrix.

    Vectors have d numbers. The product of two, u and v, is ``u @ image(v)``.
    """

    def __init__(self, d: int):
        self.slopes = np.zeros((0, d))
        self.offsets = np.zeros(0)
        self.gram = np.zeros((0, 0))
        self.weights = np.zeros(0)  # of the last minimum: the start of the next
        self.idle = np.zeros(0, np.int64)

    def add(self, slopes: Floats, offsets: Floats) -> None:
        """Add planes: slopes of shape (k, d), offsets of shape (k,)."""
        k = len(offsets)
        image = self.image(slopes).T
        side = self.slopes @ image
        self.gram = np.block([[self.gram, side], [side.T, slopes @ image]])
        self.slopes = np.concatenate([self.slopes, slopes])
        self.offsets = np.append(self.offsets, offsets)
        self.weights = np.append(self.weights, np.zeros(k))
        self.idle = np.append(self.idle, np.zeros(k, np.int64))

    def image(self, vectors: Floats) -> Floats:
        """Turn vectors, along the last axis, into second factors of their products with others."""
        return vectors

    def orthonormal(self, points: Floats) -> tuple[Floats, Floats]:
        """Compute a basis of the span of `points`, columns, and the mix with ``points @ mix == basis``."""
        left, singular, right = np.linalg.svd(points, full_matrices=False)
        significant = singular > 1e-8 * singular[0]
        return left[:, significant], right[significant].T / singular[significant]

    def square(self, w: Floats) -> float:
        """Compute ``||w||^2``."""
        return float(w @ self.image(w))

    def minimise(self, lam: float) -> tuple[Floats, float]:
        """Minimise ``lam/2 ||w||^2 + max of the planes``; return w and a lower bound of the minimum.

        The bound is the dual value, true for any weights of the simplex.
        """
        start = self.weights if self.weights.any() else None
        self.weights = minimise_on_simplex(self.gram / lam, self.offsets, start)[0]
        self.idle[self.weights > 0] = 0
        w = self.weights @ self.slopes / -lam
        return w, float(self.weights @ self.offsets) - 0.5 * lam * self.square(w)

    def minimise_near(
        self, lam: float, rho: float, centre: Floats, start: Floats | None
    ) -> tuple[Floats, Floats, float]:
        """Minimise with ``rho/2 ||w - centre||^2`` added; return w, the weights and the model at w."""
        both = lam + rho
        origin = (rho / both) * centre
        at_origin = self.offsets + self.slopes @ self.image(origin)
        weights = minimise_on_simplex(self.gram / both, at_origin, start)[0]
        self.idle[weights > 0] = 0
        w = origin - weights @ self.slopes / both
        return (
            w,
            weights,
            0.5 * lam * self.square(w)
            + (self.slopes @ self.image(w) + self.offsets).max(),
        )

    def restricted(self, basis: Floats) -> Planes:
        """Write the planes as functions of z for ``w = basis z``."""
        planes = Planes(basis.shape[1])
        planes.add(self.slopes @ self.image(basis.T).T, self.offsets)
        return planes

    def drop_idle(self) -> None:
        """Drop planes that no minimum has needed for a while; called once a candidate."""
        self.idle += 1
        keep = self.idle <= _PATIENCE
        if not keep.all():
            for name in ("slopes", "offsets", "weights", "idle"):
                setattr(self, name, getattr(self, name)[keep])
            self.gram = self.gram[np.ix_(keep, keep)]


class LevelStep:
    """Candidates of the level method, by a proximal term whose weight is carried on.

    A candidate's model value, as a share of the way from the lower bound to the best objective, is between
    `shares`: the higher, the nearer to the best point.
    """

    def __init__(self, lam: float, shares: tuple[float, float]):
        self.lam = lam
        self.rho = lam
        self.shares = shares

    def step(
        self, planes: Planes, best: Floats, objective: float, lower: float
    ) -> Floats:
        """Find a point near `best` whose model value is between lower bound and `objective`."""
        low, high = (lower + share * (objective - lower) for share in self.shares)
        least, most = 0.0, np.inf  # bracket of rho
        w = best
        weights = planes.weights
        for _ in range(12):
            w, weights, value = planes.minimise_near(
                self.lam, self.rho, best, weights
            )
            if value > high:
                most = self.rho
            elif value < low:
                least = self.rho
            else:
                break
            if least > 0 and most < np.inf:
                self.rho = np.sqrt(least) * np.sqrt(most)
            else:
                self.rho *= 4 if least > 0 else 0.25
        # Keep rho in a range from which the next steps, by factors of 4, can return.
        self.rho = float(np.clip(self.rho, 1e-6 * self.lam, 1e12 * self.lam))
        return w
