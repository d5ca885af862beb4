"""The cost-sensitive support vector machine of table 2."""

from __future__ import annotations

from typing import Any, Self

from sklearn.svm import LinearSVC


class CostSensitiveSVM(LinearSVC):
    """Linear support vector machine in which an error at a positive costs `cost` times one at a negative."""

    def __init__(self, C: float = 1.0, cost: float = 1.0, max_iter: int = 5000):
        super().__init__(C=C, max_iter=max_iter)
        self.cost = cost

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from features and labels 0 and 1."""
        self.class_weight = {1: self.cost}
        return super().fit(X, y)
