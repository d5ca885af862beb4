"""Checks of what the benchmark alone asks: the top, many settings at once, one thread, no processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attop.core.top import Top
from attop.experiment.candidate import fit_many
from attop_bench.conformance.method import Method, NotApplicable, easy_sample, expect, same, score

__all__ = ["fits_many", "leaves_no_process", "takes_top", "uses_one_thread"]

_TOPS = (Top(k=3), Top(tau=0.1), Top(kappa=0.5))


def takes_top(method: Method) -> None:
    """The parameter top takes what the benchmark sets: k, tau or kappa."""
    if "top" not in method.new().get_params():
        raise NotApplicable("it has no parameter top: one model serves all tops")
    for top in _TOPS:
        model = method.fit(easy_sample(), top=top)
        score(model, easy_sample().X)
        expect(Top.of(model.get_params()["top"]) == top, f"{top} became {model.get_params()['top']!r}")


def fits_many(method: Method) -> None:
    """fit_many gives the model of each setting, in order, and leaves the estimator unfitted."""
    if not hasattr(method.new(), "fit_many"):
        raise NotApplicable("it has no fit_many: settings are fitted one by one")
    sample, estimator = easy_sample(), method.new()
    tops = _TOPS if "top" in estimator.get_params() else ()
    settings: list[dict[str, Any]] = [{}, *({"top": top} for top in tops)]
    before = set(vars(estimator))
    models = fit_many(estimator, sample.X, sample.y, candidates=settings)
    expect(set(vars(estimator)) == before, f"it leaves {', '.join(set(vars(estimator)) - before)}")
    expect(len(models) == len(settings), f"{len(models)} models for {len(settings)} settings")
    for model, setting in zip(models, settings, strict=True):
        alone = method.scores(sample, **setting)
        same(alone, score(model, sample.X), f"with {setting or 'no change'}, together and alone")


def uses_one_thread(method: Method) -> None:
    """It keeps to one thread where the libraries below it are set to one."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), _started() as started:
        before = _tasks()
        score(method.fit(easy_sample()), easy_sample().X)
        after = _tasks()
    expect(not started, f"it starts threads of its own: {', '.join(started[:3])}; leave n_jobs at 1")
    expect(after <= before, f"it leaves {after - before} threads that run: a job has one core")


def leaves_no_process(method: Method) -> None:
    """It leaves no process behind."""
    before = _children()
    score(method.fit(easy_sample()), easy_sample().X)
    left = _children() - before
    expect(not left, f"{len(left)} still run after the fit: a job has one core; leave n_jobs at 1")


@contextmanager
def _started() -> Iterator[list[str]]:
    """Note the names of the threads that Python starts."""
    names: list[str] = []
    start = threading.Thread.start

    def note(self: threading.Thread) -> None:
        names.append(self.name)
        start(self)

    threading.Thread.start = note  # type: ignore[method-assign]
    try:
        yield names
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]


def _tasks() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        raise NotApplicable("threads are counted on Linux only") from None


def _children() -> set[int]:
    lists = list(Path("/proc/self/task").glob("*/children"))
    if not lists:
        raise NotApplicable("processes are counted on Linux only")
    return {int(pid) for file in lists for pid in file.read_text().split()}
