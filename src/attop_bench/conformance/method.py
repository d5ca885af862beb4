"""A method under examination, the samples it is given, and how a check says what it found."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from attop.core.typing import Floats, Ints
from attop.metrics.scorer import scores_of

__all__ = [
    "EASY",
    "Failed",
    "Method",
    "NotApplicable",
    "Sample",
    "easy_sample",
    "expect",
    "fits_or_refuses",
    "quiet",
    "refuses",
    "same",
    "score",
]


#: Share of the pairs that whatever learns anything ranks correctly on `easy_sample`.
EASY = 0.75


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
    """Return a sample, a third positive, that two of four features tell apart."""
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
    params: Mapping[str, Any] = field(default_factory=dict)

    def new(self, **changes: Any) -> Any:
        """Return an unfitted estimator, seeded as the benchmark does."""
        estimator = self.kind(**self.params)
        if "random_state" in estimator.get_params():
            changes = {"random_state": 0, **changes}
        return estimator.set_params(**changes) if changes else estimator

    @property
    def takes_groups(self) -> bool:
        """Whether the benchmark passes it groups."""
        return "groups" in inspect.signature(self.new().fit).parameters

    def fit(self, sample: Sample, *, groups: bool = False, **changes: Any) -> Any:
        """Return a fitted estimator."""
        extra = {"groups": sample.groups} if groups else {}
        return self.new(**changes).fit(sample.X, sample.y, **extra)

    def scores(self, sample: Sample, **options: Any) -> Floats:
        """Return the scores of the items it is fitted on."""
        return score(self.fit(sample, **options), sample.X)


def score(model: Any, X: Floats) -> Floats:
    """Return scores as the benchmark takes them: of the right shape, and finite."""
    try:
        return scores_of(model, X, protect=True)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise Failed(str(error)) from error


def expect(condition: Any, reason: str) -> None:
    """Fail for a reason unless a condition holds."""
    if not condition:
        raise Failed(reason)


def same(one: Floats, other: Floats, what: str) -> None:
    """Fail unless scores agree to nine digits: sums may be made in another order."""
    scale = max(1.0, float(np.abs(one).max()))
    apart = float(np.abs(one - other).max())
    expect(apart <= 1e-9 * scale, f"{what}: scores differ by up to {apart:.3g}")


def fits_or_refuses(work: Callable[[], Any], what: str) -> None:
    """Fail unless `work` ends, or raises a ValueError that says something."""
    try:
        work()
    except Failed as failure:
        raise Failed(f"{what}: {failure}; a ValueError is needed, or finite scores") from failure
    except ValueError as error:
        expect(str(error).strip(), f"{what}: a ValueError without a word")
    except (Exception, SystemExit) as error:
        raise Failed(
            f"{what}: {type(error).__name__}: {error}; a ValueError is needed, or finite scores"
        ) from error


def refuses(work: Callable[[], Any], what: str) -> None:
    """Fail unless `work` raises a ValueError that says something."""
    try:
        work()
    except ValueError as error:
        expect(str(error).strip(), f"{what}: a {type(error).__name__} without a word")
    except Exception as error:
        raise Failed(f"{what}: {type(error).__name__}: {error}; a ValueError is needed") from error
    else:
        raise Failed(f"{what} is accepted; a ValueError is needed")


def quiet(work: Callable[[], None]) -> None:
    """Do `work` without warnings: samples this small give reason for many."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work()
