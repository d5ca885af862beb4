"""Checks of samples that are odd: they are fitted, or refused with a reason."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from attop.metrics.registry import get_metric
from attop.metrics.scorer import scores_of
from attop_bench.conformance.method import (
    EASY,
    Method,
    NotApplicable,
    Sample,
    easy_sample,
    expect,
    fits_or_refuses,
    refuses,
)

__all__ = [
    "takes_constant_feature",
    "takes_constant_features",
    "takes_groups",
    "takes_infinities",
    "takes_nan",
    "takes_one_class",
    "takes_one_positive",
    "takes_sparse",
    "takes_ties",
    "takes_wrong_columns",
    "takes_wrong_lengths",
]


def takes_constant_feature(method: Method) -> None:
    """A constant feature does no harm."""
    sample = easy_sample()
    method.scores(sample._replace(X=np.column_stack([sample.X, np.full(len(sample.y), 7.0)])))


def takes_constant_features(method: Method) -> None:
    """Features that are all constant: finite scores or a ValueError."""
    sample = easy_sample()
    _works(method, sample._replace(X=np.ones_like(sample.X)), "constant features")


def takes_ties(method: Method) -> None:
    """Equal items, some positive and some negative, are fitted."""
    sample = easy_sample()
    method.scores(sample._replace(X=np.sign(sample.X)))


def takes_one_positive(method: Method) -> None:
    """One positive: finite scores or a ValueError."""
    sample = easy_sample()
    y = np.zeros_like(sample.y)
    y[np.flatnonzero(sample.y)[0]] = 1
    _works(method, sample._replace(y=y), "one positive")


def takes_one_class(method: Method) -> None:
    """One class only: finite scores or a ValueError."""
    sample = easy_sample()
    for label in (0, 1):
        _works(method, sample._replace(y=np.full_like(sample.y, label)), f"all labels {label}")


def takes_nan(method: Method) -> None:
    """NaN in the features: finite scores or a ValueError."""
    _works(method, _with_entry(np.nan), "NaN in X")


def takes_infinities(method: Method) -> None:
    """Infinity in the features: finite scores or a ValueError."""
    _works(method, _with_entry(np.inf), "infinity in X")


def takes_wrong_lengths(method: Method) -> None:
    """Labels or groups of another number than the items: a ValueError."""
    X, y, groups = easy_sample()
    refuses(lambda: method.new().fit(X, y[1:]), f"{len(X)} items with {len(y) - 1} labels")
    if method.takes_groups:
        refuses(lambda: method.new().fit(X, y, groups=groups[1:]), f"{len(X)} items with {len(X) - 1} groups")


def takes_wrong_columns(method: Method) -> None:
    """Items with another number of features than those fitted: a ValueError."""
    sample = easy_sample()
    model = method.fit(sample)
    scored = model.decision_function if hasattr(model, "decision_function") else model.predict_proba
    refuses(lambda: scored(sample.X[:, 1:]), "one feature less")


def takes_groups(method: Method) -> None:
    """Groups are fitted, those without a positive included."""
    if not method.takes_groups:
        raise NotApplicable("fit has no argument groups: items are one list")
    sample = easy_sample()
    codes = np.where((sample.y == 0) & (sample.groups == 0), 9, sample.groups)
    for groups in (sample.groups, codes, np.zeros_like(codes)):
        method.scores(sample._replace(groups=groups), groups=True)


def takes_sparse(method: Method) -> None:
    """Sparse features: finite scores, positives above negatives, or an error that says sparse."""
    sample = easy_sample(120)
    matrix = sparse.csr_array(sample.X)
    try:
        model = method.new().fit(matrix, sample.y)
        scores = scores_of(model, matrix)
    except Exception as error:
        clear = isinstance(error, (TypeError, ValueError)) and "sparse" in str(error).lower()
        expect(clear, f"{type(error).__name__}: {error}; an error that says sparse is needed")
        raise NotApplicable("it refuses them, in words") from None
    auc = get_metric("auc").value(sample.y, scores)
    expect(auc >= EASY, f"a positive is above a negative in {auc:.0%} of the pairs")


def _works(method: Method, sample: Sample, what: str) -> None:
    fits_or_refuses(partial(method.scores, sample), what)


def _with_entry(value: float) -> Sample:
    sample = easy_sample()
    sample.X[3, 1] = value
    return sample
