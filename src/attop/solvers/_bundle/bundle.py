"""Cutting planes for a regularised convex loss of linear scores, to a certified gap."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from attop._core.parameters import check_numbers
from attop._core.typing import Features, Floats
from attop.solvers._base import (
    NOTHING,
    Deadline,
    History,
    Solution,
    Status,
    check_loss,
    relative_gap,
)
from attop.solvers._bundle.cutting_planes import LevelStep, Planes, plane_offset
from attop.solvers._bundle.rows import RowFeatures, RowPlanes
from attop.solvers._bundle.working_set import WorkingSet
from attop.surrogates._base import BoundSurrogate

#: Earlier candidates that span the subspace searched in an iteration, with the best iterate.
_MEMORY = 10
#: Evaluations of the loss in one search of the subspace, at most.
_EVALUATIONS = 12
#: A search ends when its gap is this share of the gap of the whole problem.
_SHARE = 0.1
#: A search moves by this share of the way from its best point to the minimiser of the model.
_DAMPING = 0.7
#: Error of the best iterate's scores, as a share of the largest, beyond which they are computed again: they
#: are combinations of those of points that may be nearly alike, and errors would grow from one to the next.
_DRIFT = 1e-11
#: A subgradient at scores no larger than this counts as one at ``w = 0``.
_TINY = 1e-8
#: The candidate's model value, as a share of the way from the lower bound to the best objective.
_LEVEL = (0.3, 0.7)


def bundle(
    X: Features,
    loss: BoundSurrogate,
    *,
    lam: float,
    tol: float = 1e-3,
    max_iter: int = 1000,
    time_limit: float | None = None,
) -> Solution:
    r"""Minimise ``J(w) = lam/2 ||w||^2 + loss(X w)`` for a convex loss.

    Each subgradient of the loss is a plane below it; the largest of the planes found so far is a model
    of the loss, and the minimum of the model with the regulariser, a small quadratic program over the
    simplex, is a lower bound of ``J``. Whatever the path, the distance of the best iterate from the
    optimum is therefore certified.

    Parameters
    ----------
    X, loss, max_iter, time_limit
        See `attop.solvers`. The loss is convex.
    lam : float, positive
        Regularisation; in the form ``1/2 ||w||^2 + C loss``, ``C = 1 / lam``.
    tol : float, positive
        Stop at ``J(w) - lower bound <= tol * (J(0) - lower bound)``; see `attop.solvers`.

    Returns
    -------
    solution : Solution
        One model. ``gap`` is the certified ``J(w) - lower bound``; in the history, objective and gap are
        those of the best iterate and the best lower bound. The status is ``"diverged"`` if a slope, or the
        loss of a candidate, is not finite.

    Raises
    ------
    ValueError
        Also if subgradients of the surrogate are none: a lower bound from its planes exceeds its value.

    Notes
    -----
    An iteration reads `X` twice: once for the slopes ``X^T c`` of the new planes, a handful of columns
    at most, once for the scores ``X w`` of a candidate. Between, it searches the subspace spanned by the
    best iterate, the candidate and the last ten candidates, whose scores are kept: there the problem is
    the same with n x 12 "features", and a few cutting planes in it cost no pass over `X`. This takes the
    place of the line search of Franc and Sonnenburg. The candidate is the point nearest to the best
    iterate at which the model is about halfway between lower bound and best objective, as in the level
    method. Planes that the last 30 candidates did not need are dropped, which leaves the bound intact.

    As long as no iterate improves on ``w = 0``, each candidate also adds a plane near 0 in its direction.
    If 0 is the optimum, as it often is for losses of the top on overlapping classes, these planes certify it,
    and the returned model is exactly 0.

    The subgradients of a loss of the top of the list are sparse. While at most a quarter of the rows have
    nonzero entries, slopes read those rows only, and up to twenty candidates, each with a plane, are
    evaluated on them between two evaluations on all rows.

    Memory: ``12 n`` numbers for scores, ``d + m`` for each of the m planes, and a copy of the working set.
    Where X is sparse and has more than twice as many columns as rows, points and planes are kept as
    combinations of rows, with their scores: ``2 n`` numbers instead of d, at one product with X more a plane.

    References
    ----------
    Teo, Vishwanathan, Smola and Le (2010), Bundle methods for regularized risk minimization.
    Joachims (2006), Training linear SVMs in linear time.
    Franc and Sonnenburg (2009), Optimized cutting plane algorithm for large-scale risk minimization.
    Lemarechal, Nemirovskii and Nesterov (1995), New variants of bundle methods.
    """
    deadline = Deadline(time_limit)
    history = History()
    check_loss("bundle", X, loss, "convex")
    check_numbers(tol=tol, max_iter=max_iter)
    if not 0 < lam < np.inf:
        raise ValueError(f"lam must be a positive number, got {lam!r}")
    status: Status = "max_iter"
    # A dense matrix is larger than its planes.
    wide = issparse(X) and X.shape[1] > 2 * X.shape[0]
    features = RowFeatures(X) if wide else X
    n, d = features.shape
    planes = RowPlanes(d) if wide else Planes(d)
    best = np.zeros(d)
    start, c = _evaluate(loss, np.zeros(n))
    objective = start
    lower = -np.inf
    level = LevelStep(lam, _LEVEL)
    span = _Span(features)
    working_set = WorkingSet(features)
    new_planes = [(c, start)]
    t = 0
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(1, max_iter + 1):
            new_coef, new_offset = zip(*new_planes, strict=True)
            slopes = working_set.slopes(np.column_stack(new_coef))
            if not np.isfinite(np.einsum("ij,ij", slopes, slopes) / lam):
                status = "diverged"
                break
            planes.add(slopes, np.array(new_offset))
            lower = max(lower, planes.minimise(lam)[1])
            gap = objective - lower
            if -gap > 1e-8 * max(abs(objective), abs(start)):
                raise ValueError(
                    f"the lower bound {lower:g} from the subgradients exceeds the objective {objective:g}: "
                    "the loss is not convex, or its subgradients are wrong; use gradient_descent"
                )
            gap = max(gap, 0.0)
            history.record(t, deadline.elapsed, [objective], [gap])
            if relative_gap(start, objective, lower) <= tol:
                status = "converged"
                break
            if deadline.expired:
                status = "deadline"
                break
            if t == max_iter:
                break
            candidate, lower = working_set.refine(
                loss, planes, lam, best, span.scores[:, 0], objective, lower
            )
            if candidate is best:
                candidate = level.step(planes, best, objective, lower)
                planes.drop_idle()
            span.add(candidate, features @ candidate)
            best, objective, new_planes = span.search(
                loss, planes, lam, objective, lower
            )
            if not new_planes:  # the loss overflows at the candidate
                status = "diverged"
                break
            if start - objective <= NOTHING * abs(start):
                new_planes.append(_plane_at_zero(loss, span.scores[:, 1]))
    if relative_gap(start, start, lower) == 0.0:
        # The optimum; any other iterate is equal to it up to rounding.
        best = np.zeros(d)
    coef = X.T @ best[:n] if wide else best
    # The scores of the best iterate are linear combinations, with rounding errors: evaluate the model itself.
    exact = _evaluate(loss, np.asarray(X @ coef))[0] + 0.5 * lam * float(
        coef @ coef
    )
    return Solution(
        coef=coef[:, np.newaxis],
        objective=np.array([exact]),
        n_iter=t,
        status=status,
        history=history,
        gap=np.array([max(exact - lower, 0.0)]),
        relative_gap=np.array([relative_gap(start, exact, lower)]),
    )


class _Span:
    """The best iterate and the last candidates, with their scores."""

    def __init__(self, X: Features):
        self.X = X
        self.points = np.zeros((X.shape[1], 1))
        self.scores = np.zeros((X.shape[0], 1))
        self.errors = np.zeros(1)  # bounds of the error of scores, a column each

    def add(self, point: Floats, scores: Floats) -> None:
        """Insert a point after the best, and drop the oldest."""
        self.points = np.column_stack(
            [self.points[:, 0], point, self.points[:, 1 : _MEMORY + 1]]
        )
        # Columns contiguous.
        self.scores = np.insert(self.scores.T, 1, scores, axis=0)[: _MEMORY + 2].T
        self.errors = np.insert(self.errors, 1, _rounding(scores))[: _MEMORY + 2]

    def search(
        self,
        loss: BoundSurrogate,
        planes: Planes,
        lam: float,
        objective: float,
        lower: float,
    ) -> tuple[Floats, float, list[tuple[Floats, float]]]:
        """Minimise over the span by cutting planes.

        Returns the best iterate, new or old, with its objective; and the planes to add to the model of the
        whole problem: subgradients in the scores, with their offsets.
        """
        basis, mix = planes.orthonormal(self.points)
        model = planes.restricted(basis)
        z_best = basis.T @ planes.image(self.points[:, 0])
        z = basis.T @ planes.image(self.points[:, 1])
        new_planes: list[tuple[Floats, float]] = []
        before = objective
        best_at = None
        for evaluation in range(_EVALUATIONS):
            scores = self.scores @ (mix @ z)
            value, c = _evaluate(loss, scores)
            if not np.isfinite(value):
                break
            new_planes.append((c, plane_offset(value, c, scores)))
            model.add(
                (mix.T @ (self.scores.T @ c))[np.newaxis],
                np.array([new_planes[-1][1]]),
            )
            reached = value + 0.5 * lam * float(z @ z)
            if reached < objective:
                objective = reached
                z_best = z
                best_at = evaluation
            z_model, floor = model.minimise(lam)
            if objective - floor <= _SHARE * (objective - lower):
                break
            z = z_best + _DAMPING * (z_model - z_best)
        if best_at is not None:
            weights = mix @ z_best
            point = self.points @ weights
            scores = self.scores @ weights
            error = float(np.abs(weights) @ self.errors)
            if error > _DRIFT * np.abs(scores).max():
                scores = np.asarray(self.X @ point)
                error = _rounding(scores)
                value = _evaluate(loss, scores)[0]
                objective = value + 0.5 * lam * planes.square(point)
            if objective < before:
                self.points[:, 0], self.scores[:, 0] = point, scores
                self.errors[0] = error
            else:
                objective = before
        active = np.flatnonzero(model.weights[len(planes.offsets) :]).tolist()
        chosen = sorted({0, *active, best_at or 0})[: len(new_planes)]
        return self.points[:, 0].copy(), objective, [new_planes[i] for i in chosen]


def _rounding(scores: Floats) -> float:
    return np.finfo(np.float64).eps * np.abs(scores).max()


def _plane_at_zero(loss: BoundSurrogate, scores: Floats) -> tuple[Floats, float]:
    """Choose a plane of the loss at 0: of the subgradients there, one active in the direction of `scores`.

    The bound of planes from far away is less exact, because of rounding.
    """
    near = scores * (_TINY / max(_TINY, np.abs(scores).max()))
    value, c = _evaluate(loss, near)
    return c, plane_offset(value, c, near)


def _evaluate(loss: BoundSurrogate, scores: Floats) -> tuple[float, Floats]:
    value, coef = loss(scores)
    return float(value), coef
