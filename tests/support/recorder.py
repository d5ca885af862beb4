"""Estimators that say what they were trained on."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers what it was trained on; scores by the column its parameter names."""

    seen: list = []  # noqa: RUF012

    def __init__(self, column=0, random_state=None):
        self.column = column
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Recorder.seen.append((X.copy(), y.copy(), self.random_state))
        return self

    def decision_function(self, X):
        return X[:, self.column]


class Diverging(Recorder):
    def decision_function(self, X):
        return np.full(len(X), np.nan)


class Wrong(Recorder):
    def decision_function(self, X):
        return X[:3, 0]


class Complex(Recorder):
    def decision_function(self, X):
        return X[:, 0] + 1j


class Large(Recorder):
    def decision_function(self, X):
        return 2**60 + np.argsort(np.argsort(X[:, 0]))


class Text(Recorder):
    def decision_function(self, X):
        return X[:, 0].astype(str)
