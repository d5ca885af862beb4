"""Pointwise linear models to start from: candidates, and the weights of each on a part of the rows."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from attop.core.typing import Floats
from attop.solvers.descent.pointwise_newton import PointwiseLoss, newton_path
from attop.solvers.descent.soft_top import Part
from attop.solvers.descent.standardised import Standardised

__all__ = ["Bases", "GivenBase", "PointwiseBases"]


class Bases(Protocol):
    """Candidates for the start of a refinement.

    Attributes
    ----------
    names : list of str
        What each candidate is called.
    """

    names: list[str]

    def fit(self, X: Any, part: Part, which: Sequence[int]) -> Floats:
        """Return the weights, shape (d, len(which)), of some candidates trained on `part` of `X`."""


class PointwiseBases:
    """Logistic regression and the squared-hinge SVM for several C, classes as they are and balanced.

    Parameters
    ----------
    losses : sequence of str
        Of `newton_path`.
    """

    _NAMES: ClassVar[dict[str, str]] = {"logistic": "LogisticRegression", "squared-hinge": "LinearSVC"}
    #: Strongest regularisation first: of equally good values the first is chosen.
    _CS: ClassVar[dict[PointwiseLoss, list[float]]] = {
        "logistic": [1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0],
        "squared-hinge": [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0],
    }

    def __init__(self, losses: Sequence[PointwiseLoss] = ("logistic", "squared-hinge")):
        self._candidates = [
            (loss, balanced, C) for loss in losses for balanced in (False, True) for C in self._CS[loss]
        ]
        self.names = [
            f"{self._NAMES[loss]}(C={C:g}{', balanced' * balanced})" for loss, balanced, C in self._candidates
        ]

    def fit(self, X: Any, part: Part, which: Sequence[int]) -> Floats:
        """Return the weights of candidates; see `Bases`. Rows outside of `part` weigh nothing."""
        y, weight = np.zeros(X.shape[0], np.int64), np.zeros(X.shape[0])
        y[part.rows] = part.y
        weight[part.rows] = 1.0 if part.weight is None else part.weight
        total, positive = weight.sum(), weight[y == 1].sum()
        classes = np.where(y == 1, total / (2 * positive), total / (2 * (total - positive)))
        coef = np.empty((X.shape[1], len(which)))
        chosen = [self._candidates[j] for j in which]
        for loss, balanced in dict.fromkeys(c[:2] for c in chosen):
            at = [i for i, c in enumerate(chosen) if c[:2] == (loss, balanced)]
            Cs = [chosen[i][2] for i in at]
            coef[:, at] = newton_path(X, y, weight * classes if balanced else weight, Cs, loss)
        return coef


class GivenBase:
    """One scikit-learn estimator with `coef_`, as it is; a search over its parameters counts as one."""

    def __init__(self, estimator: Any):
        self._estimator = estimator
        self.names = [repr(estimator)]

    def fit(self, X: Any, part: Part, which: Sequence[int]) -> Floats:
        """Return the weights of the estimator, in a column; see `Bases`."""
        from sklearn.base import clone

        model = clone(self._estimator)
        takes = inspect.signature(model.fit).parameters
        given = {"sample_weight": part.weight, "groups": part.groups}
        more = {name: value for name, value in given.items() if name in takes and value is not None}
        every = len(part.rows) == X.shape[0] and not isinstance(X, Standardised)
        model.fit(X if every else X[part.rows], part.y, **more)
        coef = getattr(getattr(model, "best_estimator_", model), "coef_", None)
        if coef is None or np.size(coef) != X.shape[1]:
            raise ValueError(
                f"base must be a linear estimator with one coef_ a feature, got {self._estimator!r} "
                f"with {'no coef_' if coef is None else f'coef_ of shape {np.shape(coef)}'}"
            )
        return np.asarray(coef, np.float64).reshape(-1, 1)
