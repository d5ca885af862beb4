"""AATP's quadratic programs through CVXPY, as the paper solved them through CVX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attop._core.typing import Floats
from attop.from_papers.aatp._threshold_svm import ThresholdSolution, ThresholdSVM

#: Settings that make each solver about as exact as `ThresholdSVM`; SCS's own default is 1e-4.
_SETTINGS: dict[str, Any] = {
    "solver": "SCS",
    "eps_abs": 1e-9,
    "eps_rel": 1e-9,
    "max_iters": 200_000,
}


class CvxpyThresholdSVM(ThresholdSVM):
    """The problems of `ThresholdSVM`, solved one after the other by CVXPY.

    The gap reported is computed as in `ThresholdSVM`, from the returned multipliers moved into their
    bounds: it does not rely on what the solver says of itself.
    """

    batch_size = 1
    workers = 1

    def __init__(self, X: Floats, y: ArrayLike, upper: ArrayLike):
        try:
            import cvxpy
        except ImportError as error:
            raise ImportError(
                "solver='cvxpy' needs the package cvxpy: install attop[cvxpy], "
                "or use solver='interior-point', which needs no other package"
            ) from error
        super().__init__(X, y, upper)
        self._coordinates = self.Z
        self._basis = None
        d = self.Z.shape[1]
        # One compiled problem; the threshold item is its parameter.
        self._w = cvxpy.Variable(d)
        hinge = cvxpy.Variable(self.n, nonneg=True)
        self._threshold_item = cvxpy.Parameter(d)
        self._margin = hinge >= 1 - cvxpy.multiply(
            self.sign[:, 0], self.Z @ self._w - self._threshold_item @ self._w
        )
        self._problem = cvxpy.Problem(
            cvxpy.Minimize(
                0.5 * cvxpy.sum_squares(self._w) + self.upper[:, 0] @ hinge
            ),
            [self._margin],
        )

    def solve(
        self,
        threshold_items: ArrayLike,
        *,
        tol: float = 1e-6,
        expired: Callable[[], bool] = lambda: False,
    ) -> ThresholdSolution:
        """Solve one by one; `tol` is not passed on, as SCS has a tight tolerance of its own."""
        import cvxpy

        threshold_items = np.asarray(threshold_items, dtype=np.int64)
        w = np.zeros((self.Z.shape[1], len(threshold_items)))
        alpha = np.zeros((self.n, len(threshold_items)))
        for b, k in enumerate(threshold_items):
            if b and expired():
                break
            self._threshold_item.value = self.Z[k]
            try:
                self._problem.solve(**_SETTINGS)
            except cvxpy.error.SolverError:
                continue  # w = 0 and alpha = 0 stay, and so does their gap
            if self._w.value is not None:
                w[:, b] = self._w.value
                alpha[:, b] = np.clip(
                    self._margin.dual_value, 0.0, self.upper[:, 0]
                )
        return self._certified(threshold_items, w, alpha)
