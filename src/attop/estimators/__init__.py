"""Estimators with scikit-learn's interface."""

from attop.estimators.base import LinearRanker, fit_many

__all__ = ["LinearRanker", "fit_many"]
