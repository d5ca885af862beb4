"""Compiling what methods need before the first training job."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sklearn.model_selection import ParameterGrid

from attop_bench.jobs.limits import Limits
from attop_bench.jobs.supervise import supervise
from attop_bench.run.fitting import import_estimator, rehearse

__all__ = ["compile_methods"]


def compile_methods(methods: Mapping[str, Mapping[str, Any]], logs: str | Path) -> dict[str, dict[str, Any]]:
    """Fit every method once on a toy sample, so that its compiled code is in the cache.

    Parameters
    ----------
    methods : mapping
        Identifier to ``estimator``, ``params``, ``param_grid`` and ``limits``: the seconds and memory_mb its
        training jobs may use. Each has a child process of its own.
    logs : path
        Folder that takes what each prints.

    Returns
    -------
    summary : dict
        How each ended, and the seconds it took. A method that fails here is left to fail where it is
        recorded, in its training jobs.
    """
    summary = {}
    for name, method in methods.items():
        start = time.perf_counter()
        limits = Limits(**method["limits"])
        end = supervise(partial(_fit, method), Path(logs) / f"{name}.log", limits, lambda: False)
        seconds = time.perf_counter() - start
        summary[name] = {"ended": end.status, "message": end.message, "seconds": seconds}
    return summary


def _fit(method: Mapping[str, Any]) -> None:
    estimator = import_estimator(method["estimator"])(**method["params"])
    rehearse(estimator, list(ParameterGrid(method["param_grid"])))
