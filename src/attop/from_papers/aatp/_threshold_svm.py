"""AATP's quadratic programs: a linear support vector machine for each threshold item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from attop._core.compiled import allowed_threads
from attop._core.typing import Floats, Ints
from attop.from_papers.aatp._box_qp import interior_point, relative_gap
from attop.from_papers.aatp._difference_rows import (
    DifferenceRows,
    ThresholdRows,
    outer_products,
)

#: Largest array of outer products, in numbers (128 MB), and number of features up to which they pay.
_OUTER, _OUTER_FEATURES = 2**24, 160
#: Numbers in an (n, m) array of a batch: more save the BLAS little, and leave the cache.
_BATCH = 2**15


@dataclass
class ThresholdSolution:
    """Solutions for m threshold items.

    Attributes
    ----------
    threshold_items : ndarray of shape (m,)
    coef : ndarray of shape (d, m)
    scores : ndarray of shape (n, m)
        Of the sample, up to a constant per model.
    dual : ndarray of shape (n, m)
        Feasible, ``0 <= dual <= upper``.
    objective : ndarray of shape (m,)
        ``1/2 ||w||^2 + sum_i c_i (1 - y_i w . (z_i - z_k))+`` at `coef`.
    gap : ndarray of shape (m,)
        Relative duality gap; see `relative_gap`.
    """

    threshold_items: Ints
    coef: Floats
    scores: Floats
    dual: Floats
    objective: Floats
    gap: Floats


class ThresholdSVM:
    """The problems ``min_w 1/2 ||w||^2 + sum_i c_i (1 - y_i w . (z_i - z_k))+`` of one sample, for any k.

    Problem (2) of Boyd et al. (2012); its dual is problem (3).

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Items z.
    y : ndarray of shape (n,)
        Labels, 0 or 1.
    upper : ndarray of shape (n,)
        ``c_i > 0``: C times the item's weight.

    Notes
    -----
    The features are centred, which changes no difference and saves digits. With fewer items than
    features the problems are solved in the coordinates of the items' own span (a rotation, by a QR
    factorisation), so a system is never larger than min(n, d).

    Differences from the paper: the paper solves each problem by itself with CVX.
    """

    def __init__(self, X: Floats, y: ArrayLike, upper: ArrayLike):
        self.Z = X - X.mean(axis=0)
        self.sign = np.where(np.asarray(y) == 1, 1.0, -1.0)[:, None]
        self.upper = np.asarray(upper, dtype=np.float64)[:, None]
        n, d = X.shape
        self._basis: Floats | None = None
        self._coordinates = self.Z
        if n < d:
            self._basis, triangle = scipy.linalg.qr(
                self.Z.T, mode="economic", check_finite=False
            )
            self._coordinates = np.ascontiguousarray(triangle.T)
        self._outer: Floats | None = None

    @property
    def n(self) -> int:
        """Number of items, each of which can be the threshold item."""
        return len(self.Z)

    @property
    def batch_size(self) -> int:
        """Number of threshold items that are solved fastest together."""
        return int(np.clip(_BATCH // self.n, 16, 128)) if self._outer_fits else 1

    @property
    def workers(self) -> int:
        """Batches that may be solved at the same time: as many as the BLAS may use threads."""
        return allowed_threads()

    @property
    def _outer_fits(self) -> bool:
        n, d = self._coordinates.shape
        return d <= _OUTER_FEATURES and d * (d + 1) // 2 * n <= _OUTER

    def solve(
        self,
        threshold_items: ArrayLike,
        *,
        tol: float = 1e-6,
        expired: Callable[[], bool] = lambda: False,
    ) -> ThresholdSolution:
        """Solve for `threshold_items` to a relative duality gap of at most `tol`, and usually ``tol / 100``.

        The additional accuracy takes one or two steps, and makes scores comparable. A problem that misses
        `tol` is solved again by itself with shorter steps; the better of the two results is returned, with
        its gap.

        All are solved at once: memory is of order ``m (n + d^2)``, see `batch_size`. True of `expired` stops,
        with the best found.
        """
        threshold_items = np.asarray(threshold_items, dtype=np.int64)
        m = len(threshold_items)
        aim = min(tol, max(tol / 100, 1e-10))
        upper = np.broadcast_to(self.upper, (self.n, m))
        if m > 1 and self._outer_fits:
            signed = np.hstack([self.sign * self._coordinates, self.sign])
            if self._outer is None:
                self._outer = outer_products(signed)
            rows = ThresholdRows(
                signed,
                np.ascontiguousarray(self._coordinates[threshold_items].T),
                self._outer,
            )
            optimum = interior_point(rows, upper, tol=aim, expired=expired)
            w = optimum.coef
            alpha = optimum.dual
        else:
            single = [
                interior_point(
                    DifferenceRows(self._coordinates, self.sign, k),
                    self.upper,
                    tol=aim,
                    expired=expired,
                )
                for k in threshold_items
            ]
            w = np.hstack([s.coef for s in single])
            alpha = np.hstack([s.dual for s in single])
        solution = self._certified(threshold_items, w, alpha)
        for b in np.flatnonzero(solution.gap > tol):
            if expired():
                break
            alone = DifferenceRows(self._coordinates, self.sign, threshold_items[b])
            again = interior_point(
                alone,
                self.upper,
                tol=aim,
                max_iter=300,
                cautious=True,
                expired=expired,
            )
            retried = self._certified(threshold_items[[b]], again.coef, again.dual)
            if retried.gap[0] < solution.gap[b]:
                for name in ("coef", "scores", "dual", "objective", "gap"):
                    getattr(solution, name)[..., b] = getattr(retried, name)[..., 0]
        return solution

    def _certified(
        self, threshold_items: Ints, w: Floats, alpha: Floats
    ) -> ThresholdSolution:
        """Evaluate both objectives by their definitions, in the features the model will be used with."""
        coef = w if self._basis is None else self._basis @ w
        scores = self.Z @ coef
        threshold_score = scores[threshold_items, np.arange(len(threshold_items))]
        signed = self.sign * alpha
        combined = self.Z.T @ signed - self.Z[threshold_items].T * signed.sum(
            axis=0
        )
        primal = 0.5 * np.einsum("dm,dm->m", coef, coef)
        primal += (
            self.upper
            * np.maximum(1.0 - self.sign * (scores - threshold_score), 0.0)
        ).sum(axis=0)
        dual = alpha.sum(axis=0) - 0.5 * np.einsum("dm,dm->m", combined, combined)
        gap = relative_gap(self.upper.sum(), primal, dual)
        return ThresholdSolution(
            threshold_items=threshold_items,
            coef=coef,
            scores=scores,
            dual=alpha,
            objective=primal,
            gap=gap,
        )
