"""
A method of one's own
=====================

Any class with ``fit`` and ``decision_function`` takes part.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from attop import compare_at_top


class Centroids(ClassifierMixin, BaseEstimator):
    """Score by the direction from the mean negative to the mean positive."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.coef_ = X[y == self.classes_[1]].mean(axis=0) - X[y == self.classes_[0]].mean(axis=0)
        return self

    def decision_function(self, X):
        return X @ self.coef_


X, y = load_breast_cancer(return_X_y=True)
models = {
    "centroids": make_pipeline(StandardScaler(), Centroids()),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
}
found = compare_at_top(models, X, y == 0, top=200, verbose=False)
print(found.sentence)
found.plot()
