"""Imports what most training jobs use, for a server that forks them (`attop.jobs.server`)."""

import sklearn.linear_model
import sklearn.preprocessing
import sklearn.svm  # noqa: F401

import attop.bench.job
import attop.bench.training
import attop.metrics.registry  # noqa: F401
from attop import estimators
from attop.bench.environment import environment

for name in estimators.__all__:
    getattr(estimators, name)
environment()  # what it finds out stays known
