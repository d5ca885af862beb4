"""Who is best on one data set, and is it real: the best of each top against every other, run by run.

The one place that says so: tables, map, verdicts and headlines read it from here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from attop.core.typing import Floats
from attop.metrics.registry import get_metric
from attop.statistics.bayesian import Posterior, correlated_t
from attop.statistics.effects import effect_sizes
from attop.statistics.ranks import holm
from attop.statistics.two_methods import CorrectedT, corrected_t_test
from attop_bench.report.compute.tops import sort_tops

__all__ = ["BASELINE", "FEW", "MIN_RUNS", "SURE", "Lead", "Rival", "default_rope", "leads", "split_ratio"]

#: The method others are set against, where it takes part: the plainest one that is often good enough.
BASELINE = "logistic-regression"
#: Methods up to this are few: more in colour are none in colour.
FEW = 5
#: Fewer runs than this, and their variance is anyone's guess.
MIN_RUNS = 5
#: A probability from which on something is called real.
SURE = 0.95
_ROPE = 0.01  # of the metric's range


@dataclass(frozen=True)
class Rival:
    """The best method against another, over the runs both have; positive where the best is better.

    Attributes
    ----------
    method : str
        The other.
    n, m : int
        Runs both have a value of, of those there are.
    mean : float
        Mean difference in units of the metric, NaN without a shared run.
    better, equal : int
        Shared runs in which the best beats and equals the other.
    a12 : float
        Effect size: Vargha and Delaney's probability that a value of the best exceeds one of the other,
        equals counted half; 0.5 is no effect.
    test : CorrectedT
        Corrected resampled t-test.
    p_adjusted : float
        Its p, adjusted by Holm for the other methods of the top; NaN where refused.
    posterior : Posterior
        That the best is practically worse, equivalent and better: Bayesian correlated t-test.
    """

    method: str
    n: int
    m: int
    mean: float
    better: int
    equal: int
    a12: float
    test: CorrectedT
    posterior: Posterior
    p_adjusted: float = math.nan

    @property
    def verdict(self) -> str:
        """Whether the lead is real: "better", "equivalent", "open" (not distinguishable) or "refused"."""
        if self.posterior.refused:  # without a rope there is still the t-test
            real = self.test.p < 1 - SURE
            return "refused" if self.test.refused else "better" if real else "open"
        if self.posterior.better >= SURE:
            return "better"
        return "equivalent" if self.posterior.equivalent >= SURE else "open"


@dataclass(frozen=True)
class Lead:
    """The best method of a data set at one top, against all others.

    Attributes
    ----------
    dataset, top, metric : str
    rope : float
        Differences up to this are of no practical importance; NaN if none is stated.
    best : str
        Of the methods with the most runs, the (first) one with the best mean; empty if no value is defined.
    tied : tuple of str
        Methods with as many runs and the same mean as `best`, rounding aside.
    mean, std : float
        Of the best.
    n, m : int
        Runs in which the best has a value, of those there are.
    rivals : tuple of Rival
        Every other method with a value, best mean first, those with fewer runs last.
    unranked : tuple of str
        The rivals with fewer runs, whose means may be flattered by the runs they lack.
    """

    dataset: str
    top: str
    metric: str
    rope: float
    best: str = ""
    tied: tuple[str, ...] = ()
    mean: float = math.nan
    std: float = math.nan
    n: int = 0
    m: int = 0
    rivals: tuple[Rival, ...] = ()
    unranked: tuple[str, ...] = ()

    @property
    def ranked(self) -> tuple[Rival, ...]:
        """The rivals with as many runs as the best."""
        return tuple(r for r in self.rivals if r.method not in self.unranked)

    @property
    def verdict(self) -> str:
        """Whether the best is really better than the next, see `Rival.verdict`; empty without a next one."""
        return self.ranked[0].verdict if self.ranked else ""

    @property
    def level(self) -> tuple[str, ...]:
        """The best and all that are not told apart from it: tied, or tested and not shown to be worse."""
        if not self.best:
            return ()
        tested = (r.method for r in self.ranked if r.verdict in ("equivalent", "open"))
        return tuple(dict.fromkeys((self.best, *self.tied, *tested)))

    @property
    def leaders(self) -> tuple[str, ...]:
        """Those to show in colour: the methods that are `level` if few, else the best and its equals."""
        best = (self.best, *self.tied) if self.best else ()
        return self.level if len(self.level) <= FEW else best

    @property
    def untested(self) -> tuple[str, ...]:
        """Ranked methods behind the best of which there is no test."""
        return tuple(r.method for r in self.ranked if r.verdict == "refused" and r.method not in self.tied)


def default_rope(metric: str) -> float:
    """Return the half-width within which differences of a metric do not matter; NaN if it has no bounds.

    It is a hundredth of the metric's range: 0.01 for metrics from 0 to 1.
    """
    low, high = get_metric(metric).bounds
    return _ROPE * (high - low) if math.isfinite(high - low) else math.nan


def split_ratio(runs: pd.DataFrame, dataset: str) -> float:
    """Return the test items per training item of a data set, all runs together; NaN if not known."""
    part = runs[(runs["dataset"] == dataset) & (runs["status"] == "ok")]
    if not {"n_train", "n_test"} <= set(part.columns):
        return math.nan
    part = part.drop_duplicates(["repeat", "fold"])
    train, test = part["n_train"].astype(float).sum(), part["n_test"].astype(float).sum()
    return float(test / train) if train > 0 and test > 0 else math.nan


def leads(
    evaluation: pd.DataFrame,
    dataset: str,
    metric: str,
    *,
    test_train_ratio: float,
    rope: float | None = None,
) -> list[Lead]:
    """Compare the best method of each top of a data set with every other one.

    Parameters
    ----------
    evaluation : DataFrame
        Tidy: dataset, method, repeat, fold, top, metric, value (not finite where undefined).
    dataset, metric : str
    test_train_ratio : float
        Test items per training item, 1 / (K - 1) for K-fold cross-validation: how much the runs overlap.
        Nothing is tested if it is not known (NaN).
    rope : float, optional
        Half-width of the region of practical equivalence in units of the metric, `default_rope` by default;
        no posterior without one.

    Returns
    -------
    list of Lead
        One for each top, in order.

    Raises
    ------
    ValueError
        If the metric is unknown, `rope` is negative, or a value is there twice.

    Notes
    -----
    Tests speak of this data set only. Nothing is imputed: a pair is compared over the runs both have. The
    best is chosen on the runs it is then tested on, which flatters a lead over close rivals.
    """
    definition = get_metric(metric)
    sign = 1.0 if definition.higher_is_better else -1.0
    rope = default_rope(metric) if rope is None else rope
    here = evaluation[evaluation["dataset"] == dataset]
    m = len(here.drop_duplicates(["repeat", "fold"]))
    part = here[here["metric"] == metric]
    found = []
    for top in sort_tops(here["top"]):
        its = part[part["top"] == top]
        table = its.pivot(index=["repeat", "fold"], columns="method", values="value").astype(float)
        table = sign * table.where(np.isfinite(table))[list(dict.fromkeys(its["method"]))]
        found.append(_lead(Lead(dataset, top, metric, rope), table, sign, m, test_train_ratio))
    return found


def _lead(lead: Lead, scores: pd.DataFrame, sign: float, m: int, ratio: float) -> Lead:
    """Fill in the comparisons of one top; `scores` are runs x methods, times `sign` higher is better."""
    values = scores.to_numpy()
    counts = np.isfinite(values).sum(axis=0)
    kept: list[int] = np.flatnonzero(counts).tolist()
    if not kept:
        return replace(lead, m=m)
    # fsum: the same numbers in another order have the same mean
    means = {j: math.fsum(values[np.isfinite(values[:, j]), j]) / counts[j] for j in kept}
    order = sorted(kept, key=lambda j: (counts[j] < counts.max(), -means[j]))
    best, others = order[0], order[1:]
    rounding = 1e-12 * max(1.0, abs(means[best]))
    rivals = [
        _rival(str(scores.columns[j]), values[:, best], values[:, j], m, ratio, lead.rope) for j in others
    ]
    tested = [r.test.p for r in rivals if r.test.p == r.test.p]
    adjusted = iter(holm(tested).tolist())
    own = values[np.isfinite(values[:, best]), best]
    full = [j for j in others if counts[j] == counts.max()]
    return replace(
        lead,
        best=str(scores.columns[best]),
        tied=tuple(str(scores.columns[j]) for j in full if means[best] - means[j] <= rounding),
        mean=sign * means[best],
        std=float(np.std(own, ddof=1)) if len(own) > 1 else math.nan,
        n=len(own),
        m=m,
        rivals=tuple(replace(r, p_adjusted=next(adjusted)) if r.test.p == r.test.p else r for r in rivals),
        unranked=tuple(str(scores.columns[j]) for j in others if counts[j] < counts.max()),
    )


def _rival(method: str, best: Floats, other: Floats, m: int, ratio: float, rope: float) -> Rival:
    shared = np.isfinite(best) & np.isfinite(other)
    a, b = best[shared], other[shared]
    n = len(a)
    equal = np.abs(a - b) <= 1e-12 * np.maximum(np.abs(a), np.abs(b))
    effect = effect_sizes(a, b)
    refused = None
    if n < MIN_RUNS:
        refused = f"At least {MIN_RUNS} shared runs are needed, and there {'is' if n == 1 else 'are'} {n}."
    elif not 0 < ratio < math.inf:
        refused = (
            "How many items the runs train and test on is not known, so neither is how much they overlap."
        )
    test = (
        CorrectedT(n, ratio, refused=refused) if refused else corrected_t_test(a, b, test_train_ratio=ratio)
    )
    if refused is None and rope != rope:
        refused = "The metric has no upper bound, and no rope was stated, so what matters is not known."
    posterior = (
        Posterior(n, rope, refused=refused)
        if refused
        else correlated_t(a, b, rope=rope, test_train_ratio=ratio)
    )
    return Rival(
        method,
        n,
        m,
        effect.mean,
        int(((a > b) & ~equal).sum()),
        int(equal.sum()),
        effect.a12,
        test,
        posterior,
    )
