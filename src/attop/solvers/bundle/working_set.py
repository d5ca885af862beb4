"""Cutting planes from the few rows that matter, at a few per cent of the cost of those from all."""

from __future__ import annotations

from typing import Any

import numpy as np

from attop.solvers.bundle.cutting_planes import LevelStep, Planes, plane_offset
from attop.surrogates.base import BoundSurrogate
from attop.typing import Floats

__all__ = ["FewRows"]


#: Rows are few up to this share of all.
_FEW = 0.25
#: Candidates of one refinement: at most, and where the last ones have misled.
_CANDIDATES = (20, 3)
#: Share of a promised descent that must come true for more candidates to be tried next time.
_KEPT = 0.1
#: A refinement ends when its gap is this share of the gap of the whole problem.
_SHARE = 0.2
#: Planes are plentiful here: short steps, on which they stay true, make best use of them.
_LEVEL = (0.95, 0.99)


class FewRows:
    """The rows of `X` that recent planes are made of, and what can be done with them alone.

    A subgradient of a loss of the top of the list is zero but for the items that may enter or leave the
    top. Two things follow. The slope ``X^T c`` of a plane takes the rows where c is not zero. And a plane
    may be found at scores that are up to date for few rows and out of date for the others: as the
    loss is convex in the scores, for any `s` with value `v` and subgradient `c` there,
    ``v - c . s + (X^T c) . w`` is nowhere above the loss at w, whether or not any model has the scores `s`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    """

    def __init__(self, X: Any):
        self.X = X
        self.n: int = X.shape[0]
        self._candidates = _CANDIDATES[0]
        self._before, self._promise = np.inf, 0.0
        self._recent = self._used = np.zeros(self.n, bool)

    def slopes(self, coef: Floats) -> Floats:
        """Return ``coef.T @ X`` of shape (k, d) for subgradients of shape (n, k).

        Recent from now on are their rows, and those used since the call before.
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
        """Add planes found at scores that change in the recent rows only.

        Parameters
        ----------
        best, scores : ndarray of shape (d,), (n,)
            The best iterate and all its scores.
        objective, lower : float
            Its objective, and a lower bound of the optimum.

        Returns
        -------
        candidate : ndarray of shape (d,)
            The best point as far as the few rows can tell; `best` itself where that is none or
            the rows are not few.
        lower : float
            A lower bound at least as high.
        """
        rows = np.flatnonzero(self._recent)
        if not 0 < len(rows) <= _FEW * self.n:
            return best, lower
        most, least = _CANDIDATES
        # Where new items come to the top with every step, what the few rows promise does not come true.
        if self._before - objective < _KEPT * self._promise:
            self._candidates = max(self._candidates // 2, least)
        else:
            self._candidates = most
        part = self.X[rows]
        level = LevelStep(lam, _LEVEL)
        centre, reached, floor = best, objective, lower
        moved = scores.copy()
        for t in range(self._candidates):
            if t > 0:
                floor = max(floor, planes.minimise(lam)[1])
            # A stale score may cost the loss too little: then `reached` may fall below the bound.
            if reached - floor <= _SHARE * (objective - lower):
                break
            point = level.step(planes, centre, reached, floor)
            planes.drop_idle()
            moved[rows] = part @ point
            value, c = loss(moved)
            if not np.isfinite(value):
                break
            planes.add(self._slope(part, c), np.array([plane_offset(float(value), c, moved)]))
            total = float(value) + 0.5 * lam * float(point @ point)
            if total < reached:
                centre, reached = point, total
        self._before, self._promise = objective, objective - reached
        return centre, floor

    def _slope(self, part: Any, c: Floats) -> Floats:
        """Return ``c @ X`` of shape (1, d), with `part` for the recent rows."""
        used = c != 0
        self._used = self._used | used
        slope = np.asarray(part.T @ c[self._recent])
        others = np.flatnonzero(used & ~self._recent)
        if len(others) > 0:
            slope = slope + np.asarray(self.X[others].T @ c[others])
        return slope[np.newaxis]
