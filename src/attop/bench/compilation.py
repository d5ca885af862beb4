"""Compiling what methods need before the first training job."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from attop.bench.training import import_estimator, settings_of
from attop.estimators.base import fit_many

__all__ = ["compile_methods"]


def compile_methods(methods: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Fit every method once on a toy sample, so that its compiled code is in the cache.

    Parameters
    ----------
    methods : mapping
        Identifier to ``estimator``, ``params`` and ``search``.

    Returns
    -------
    seconds : dict
        What each took. A method that fails is left to fail where it is recorded, in its training jobs.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    groups = np.arange(60) // 30
    seconds = {}
    for name, method in methods.items():
        start = time.perf_counter()
        try:
            estimator = import_estimator(method["estimator"])(**method["params"])
            settings = [{**setting, "top": 3} for setting in settings_of(method["search"])[:2]]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit_many(estimator, X, y, groups, settings=settings)
        except Exception as error:  # an own class may raise anything
            print(f"{name}: {type(error).__name__}: {error}")
        seconds[name] = time.perf_counter() - start
    return seconds
