"""A method to be checked, the samples it is given, and how a check reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from attop.core.typing import Floats, Ints
from attop.experiment.candidate import takes
from attop.metrics.registry import get_metric
from attop.metrics.scorer import scores_of

__all__ = [
    "Failed",
    "Method",
    "NotApplicable",
    "Sample",
    "easy_sample",
    "expect",
    "expect_ranking",
    "expect_same",
    "refuses",
    "score",
    "works_or_refuses",
]

#: Share of the pairs that whatever learns anything ranks correctly on `easy_sample`.
_EASY = 0.75


class Failed(Exception):
    """The method does not do what a check asks; the message is the reason."""


class NotApplicable(Exception):
    """A check has nothing to check; the message says why."""


class Sample(NamedTuple):
    """Features of shape (n, d), labels 0 and 1, and groups, of shape (n,)."""

    X: Floats
    y: Ints
    groups: Ints


def easy_sample(n: int = 60, seed: int = 0) -> Sample:
    """Return a sample, a third positive, whose classes differ in two of four features."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(np.int64)
    X = rng.normal(size=(n, 4))
    X[:, :2] += 2.0 * y[:, None]
    order = rng.permutation(n)
    return Sample(X[order], y[order], (np.arange(n) % 5)[order])


@dataclass(frozen=True)
class Method:
    """A class with scikit-learn's interface and the parameters it is made with."""

    kind: Callable[..., Any]
    params: Mapping[str, object] = field(default_factory=dict)

    def new(self, **changes: object) -> Any:
        """Return an unfitted estimator, seeded as the benchmark does."""
        estimator = self.kind(**self.params)
        if "random_state" in estimator.get_params():
            changes = {"random_state": 0, **changes}
        return estimator.set_params(**changes) if changes else estimator

    @property
    def takes_groups(self) -> bool:
        """Whether the benchmark passes it groups."""
        return takes(self.new(), "groups")

    def fit(self, sample: Sample, *, groups: bool = False, **changes: object) -> Any:
        """Return a fitted estimator."""
        extra = {"groups": sample.groups} if groups else {}
        return self.new(**changes).fit(sample.X, sample.y, **extra)

    def scores(self, sample: Sample, *, groups: bool = False, **changes: object) -> Floats:
        """Return the scores of the items it is fitted on."""
        return score(self.fit(sample, groups=groups, **changes), sample.X)


def score(model: Any, X: Floats) -> Floats:
    """Return scores as the benchmark takes them: of the right shape, and finite."""
    try:
        return scores_of(model, X, protect=True)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise Failed(str(error)) from error


def expect(condition: bool, reason: str) -> None:
    """Fail for a reason unless a condition holds."""
    if not condition:
        raise Failed(reason)


def expect_same(one: Floats, other: Floats, what: str) -> None:
    """Fail unless scores agree to nine digits: sums may be made in another order."""
    scale = max(1.0, float(np.abs(one).max()))
    apart = float(np.abs(one - other).max())
    expect(apart <= 1e-9 * scale, f"{what}: scores differ by up to {apart:.3g}")


def expect_ranking(y: Ints, scores: Floats) -> None:
    """Fail unless most positives of an easy sample are above most negatives."""
    auc = get_metric("auc").value(y, scores)
    expect(auc >= _EASY, f"a positive is above a negative in {auc:.0%} of the pairs; the positive label is 1")


def works_or_refuses(work: Callable[[], object], what: str) -> None:
    """Fail unless `work` ends, or raises a ValueError with a message."""
    try:
        work()
    except ValueError as error:
        expect(bool(str(error).strip()), f"{what}: a {type(error).__name__} without a word")
    except (Exception, SystemExit) as error:
        reason = str(error) if isinstance(error, Failed) else f"{type(error).__name__}: {error}"
        raise Failed(f"{what}: {reason}; a ValueError is needed, or finite scores") from error


def refuses(work: Callable[[], object], what: str) -> None:
    """Fail unless `work` raises a ValueError with a message."""
    ended = []
    works_or_refuses(lambda: ended.append(work()), what)
    expect(not ended, f"{what} is accepted; a ValueError is needed")
