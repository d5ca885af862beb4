"""A working set of rows: cutting planes that read only the rows with nonzero subgradients."""

from __future__ import annotations

import numpy as np

from attop._core.typing import Features, Floats
from attop.solvers._bundle.cutting_planes import LevelStep, Planes, plane_offset
from attop.surrogates._base import BoundSurrogate

#: The working set is used while it holds at most this share of the rows.
_FEW = 0.25
#: Candidates of a refinement: at most, and at least after refinements that predicted badly.
_CANDIDATES = (20, 3)
#: A refinement predicted badly if the objective fell by less than this share of the predicted decrease.
_KEPT = 0.1
#: A refinement ends when its gap is this share of the gap of the whole problem.
_SHARE = 0.2
#: Levels near the best objective give short steps, for which stale scores are a good approximation.
_LEVEL = (0.95, 0.99)


class WorkingSet:
    """The rows of `X` with nonzero entries in recent subgradients: of a loss of the top, few.

    The slope ``X^T c`` of a plane needs no others. And planes can be computed from scores that are up to date
    in these rows only: the loss is convex in the scores, so for any vector `s`, with value `v` and
    subgradient `c` at `s`, ``v - c . s + (X^T c) . w`` is a lower bound of the loss at w, even if no model
    has the scores `s`.
    """

    def __init__(self, X: Features):
        self.X = X
        self.n: int = X.shape[0]
        self._candidates = _CANDIDATES[0]
        self._before = np.inf
        self._promise = 0.0
        self._recent = self._used = np.zeros(self.n, bool)

    def slopes(self, coef: Floats) -> Floats:
        """Compute ``coef.T @ X`` of shape (k, d) for subgradients of shape (n, k).

        The working set becomes their rows, and those used since the previous call.
        """
        used = np.asarray(coef.any(axis=1))
        self._recent = used | self._used
        self._used = used
        rows = np.flatnonzero(used)
        if len(rows) > _FEW * self.n:
            return np.asarray(self.X.T @ coef).T
        return np.asarray(self.X[rows].T @ coef[rows]).T

    def refine(
        self,
        loss: BoundSurrogate,
        planes: Planes,
        lam: float,
        best: Floats,
        scores: Floats,
        objective: float,
        lower: float,
    ) -> tuple[Floats, float]:
        """Add planes computed from scores that are updated in the working set only.

        Given are the best iterate, all its scores, its objective and a lower bound of the optimum. Returns
        the best point by the scores of the working set, which is `best` itself if there is no better one or
        the working set is empty or too large; and a lower bound at least as high.
        """
        rows = np.flatnonzero(self._recent)
        if not 0 < len(rows) <= _FEW * self.n:
            return best, lower
        most, least = _CANDIDATES
        # If each step brings new items to the top, the working set predicts too large a decrease: try fewer.
        if self._before - objective < _KEPT * self._promise:
            self._candidates = max(self._candidates // 2, least)
        else:
            self._candidates = most
        part = self.X[rows]
        level = LevelStep(lam, _LEVEL)
        centre = best
        reached = objective
        floor = lower
        moved = scores.copy()
        for t in range(self._candidates):
            if t > 0:
                floor = max(floor, planes.minimise(lam)[1])
            # With stale scores the loss may be underestimated, so `reached` may fall below the bound.
            if reached - floor <= _SHARE * (objective - lower):
                break
            point = level.step(planes, centre, reached, floor)
            planes.drop_idle()
            moved[rows] = part @ point
            value, c = loss(moved)
            if not np.isfinite(value):
                break
            used = c != 0
            self._used = self._used | used
            slope = np.asarray(part.T @ c[rows])
            others = np.flatnonzero(used & ~self._recent)
            if len(others) > 0:
                slope = slope + np.asarray(self.X[others].T @ c[others])
            offset = plane_offset(float(value), c, moved)
            planes.add(slope[np.newaxis], np.array([offset]))
            total = float(value) + 0.5 * lam * planes.square(point)
            if total < reached:
                centre = point
                reached = total
        self._before = objective
        self._promise = objective - reached
        return centre, floor
