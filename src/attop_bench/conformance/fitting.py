"""Checks of fit: what it returns, what it leaves alone, and that it does the same again."""

from __future__ import annotations

from typing import Any

import numpy as np

from attop.metrics.registry import get_metric
from attop_bench.conformance.method import (
    EASY,
    Failed,
    Method,
    NotApplicable,
    easy_sample,
    expect,
    same,
    score,
)

__all__ = [
    "fits",
    "gives_scores",
    "keeps_input",
    "keeps_parameters",
    "learns_nothing_from_before",
    "names_classes",
    "ranks",
    "repeats",
]


def fits(method: Method) -> None:
    """Fit returns the estimator itself."""
    estimator, sample = method.new(), easy_sample()
    result = estimator.fit(sample.X, sample.y)
    expect(result is estimator, f"it returns {_short(result)}: end it with `return self`")


def gives_scores(method: Method) -> None:
    """Scores are one finite number per item, of any number of items."""
    model, other = method.fit(easy_sample()), easy_sample(7, seed=1)
    score(model, easy_sample().X)
    score(model, other.X)
    coef = getattr(model, "coef_", None)
    if isinstance(coef, np.ndarray) and coef.dtype.kind == "f":
        expect(np.isfinite(coef).all(), "coef_ is NaN or infinite")


def ranks(method: Method) -> None:
    """Positives get higher scores than negatives, on data that are easy."""
    sample = easy_sample(120)
    auc = get_metric("auc").value(sample.y, method.scores(sample))
    expect(auc >= EASY, f"a positive is above a negative in {auc:.0%} of the pairs; the positive label is 1")


def names_classes(method: Method) -> None:
    """classes_ has the two labels in order, the positive one last."""
    model = method.fit(easy_sample())
    if not hasattr(model, "classes_"):
        raise NotApplicable("it has no classes_, which make_top_scorer needs but the benchmark does not")
    expect(list(model.classes_) == [0, 1], f"it is {_short(model.classes_)}, for the labels 0 and 1")


def keeps_parameters(method: Method) -> None:
    """Fit changes no parameter."""
    estimator, sample = method.new(), easy_sample()
    before = {name: repr(value) for name, value in estimator.get_params().items()}
    estimator.fit(sample.X, sample.y)
    for name, value in estimator.get_params().items():
        expect(before[name] == repr(value), f"{name}={before[name]} became {_short(value)}")


def keeps_input(method: Method) -> None:
    """Fit and scoring leave their input as it was."""
    sample = easy_sample()
    before = [part.copy() for part in sample]
    score(method.fit(sample, groups=method.takes_groups), sample.X)
    for name, part, copy in zip(sample._fields, sample, before, strict=True):
        expect(np.array_equal(part, copy), f"{name} is changed: work on a copy")


def repeats(method: Method) -> None:
    """Two fits to the same data give the same scores, whatever the state of the global generators."""
    sample = easy_sample()
    state = np.random.get_state()  # noqa: NPY002
    try:
        np.random.seed(1)  # noqa: NPY002
        first = method.scores(sample)
        np.random.seed(2)  # noqa: NPY002
        second = method.scores(sample)
    finally:
        np.random.set_state(state)  # noqa: NPY002
    try:
        same(first, second, "two fits")
    except Failed as failure:
        known = "random_state" in method.new().get_params()
        remedy = "draw from it alone" if known else "give it one, and draw from it alone"
        raise Failed(f"{failure}, with the same random_state: {remedy}") from None


def learns_nothing_from_before(method: Method) -> None:
    """A second fit forgets the first."""
    first, second = easy_sample(45, seed=1), easy_sample()
    again = method.fit(first).fit(second.X, second.y)
    same(score(again, second.X), method.scores(second), "fitted to other data before, or not")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
