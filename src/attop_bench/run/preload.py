"""Imports what most training jobs use, for a server that forks them (`attop_bench.jobs.server`)."""

import sklearn.linear_model
import sklearn.preprocessing
import sklearn.svm  # noqa: F401

import attop.metrics.registry  # noqa: F401
from attop import estimators
from attop_bench.run.record import environment

for name in estimators.__all__:
    getattr(estimators, name)
environment()  # what it finds out stays known
