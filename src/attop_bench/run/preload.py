"""Imports what most training jobs use, for a server that forks them (`attop_bench.jobs.server`)."""

from contextlib import suppress

import numba
import numpy as np
import sklearn.linear_model
import sklearn.preprocessing
import sklearn.svm  # noqa: F401

import attop_bench.run.parameters
import attop_bench.run.resume  # noqa: F401
from attop import from_papers, learners
from attop.extending import safe_indexing
from attop_bench.run.record import environment

with suppress(ImportError):
    import lightgbm  # noqa: F401
for package in (learners, from_papers):
    for name in package.__all__:
        getattr(package, name)
environment()  # is cached
# Looks once for plugins of all that is installed.
safe_indexing(np.zeros((1, 1)), [0])
numba.njit(lambda x: x)(0)  # what numba does before the first function: 0.4 s
# Where a server is of an environment without Snakemake.
with suppress(ImportError):
    import snakemake.script  # noqa: F401 - unpickles what a job is about
