"""Methods that are hard on a cluster; jobs find them by PYTHONPATH."""

import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Patient(ClassifierMixin, BaseEstimator):
    """The difference of the class means, found with `megabytes` in use for `seconds`."""

    def __init__(self, seconds=0.0, megabytes=0):
        self.seconds = seconds
        self.megabytes = megabytes

    def fit(self, X, y):
        ballast = np.ones(self.megabytes * 131072)
        time.sleep(self.seconds)
        self.direction_ = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
        self.classes_ = np.array([0, 1]) + 0 * int(ballast.size)
        return self

    def decision_function(self, X):
        return X @ self.direction_
