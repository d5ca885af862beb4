"""Methods compared on one data set, run by run: the best of each target against every other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attop.analysis.compute.targets import sort_targets
from attop.analysis.wording import counted, fine, listed
from attop.metrics import get_metric
from attop.statistics import CorrectedT, Posterior, corrected_t_test, correlated_t, effect_sizes, holm
from attop.typing import Floats

__all__ = ["MIN_RUNS", "SURE", "Lead", "Rival", "default_rope", "leads", "split_ratio"]

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
        Its p, adjusted by Holm for the other methods of the target; NaN where refused.
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
    """The best method of a data set at one target, against all others.

    Attributes
    ----------
    dataset, target, metric : str
    rope : float
        Differences up to this are of no practical importance; NaN if none is stated.
    best : str
        Of the methods with the most runs, the (first) one with the best mean; empty if no value is defined.
    rivals : tuple of Rival
        Every other method with a value, best mean first, those with fewer runs last.
    unranked : tuple of str
        The rivals with fewer runs, whose means may be flattered by the runs they lack.
    """

    dataset: str
    target: str
    metric: str
    rope: float
    best: str = ""
    rivals: tuple[Rival, ...] = ()
    unranked: tuple[str, ...] = ()

    def reading(self, titles: dict[str, str]) -> str:
        """Say in words whether the lead is real; `titles` maps methods to the names a reader sees."""
        if not self.best:
            return "No method has a defined value."
        first = titles[self.best]
        ranked = [r for r in self.rivals if r.method not in self.unranked]
        words = []
        if not ranked:
            words.append(f"{first} has no other method to be compared with.")
        else:
            words.append(_about_next(first, titles[ranked[0].method], ranked[0], self.rope))
            beaten = [r.method for r in ranked if r.verdict == "better"]
            if len(ranked) > 1 and not all(r.verdict == "refused" for r in ranked):
                which = "all" if len(beaten) == len(ranked) else f"{len(beaten) or 'none'} of the"
                words.append(f"Really better than {which} {len(ranked)} others.")
        if self.unranked:
            words.append(f"Not ranked, values on fewer runs: {listed([titles[m] for m in self.unranked])}.")
        return " ".join(words)


def _about_next(first: str, second: str, rival: Rival, rope: float) -> str:
    over = "" if rival.n == rival.m else f" (over {rival.n} of {counted(rival.m, 'run')})"
    if rival.n and rival.equal == rival.n:
        return f"{first} and {second} are best, equal in every run{over}."
    lead = (
        f"{first} and {second} have equal means{over}; a difference"
        if abs(rival.mean) <= 1e-12
        else f"{first} is best; the difference to {second}, {fine(rival.mean)}{over},"
    )
    chances, verdict = rival.posterior, rival.verdict
    if verdict == "refused":
        return f"{lead} is not tested. {rival.test.refused}"
    if chances.refused:
        known = "is real" if verdict == "better" else "is not distinguishable from chance"
        return f"{lead} {known} (corrected resampled t-test, p {_p(rival.test.p)})."
    if verdict == "better":
        return f"{lead} is real (P {_p(chances.better)} that it is more than {rope:g})."
    if verdict == "equivalent":
        return f"{lead} is practically none (P {_p(chances.equivalent)} that it is at most {rope:g})."
    return (
        f"{lead} is not distinguishable from chance (that it is more than {rope:g}: P {_p(chances.better)}; "
        f"that {second} is better by as much: P {_p(chances.worse)})."
    )


def _p(p: float) -> str:
    """Return a probability that never looks certain, with its sign of relation."""
    if p < 0.001:
        return "< 0.001"
    return "> 0.99" if p > 0.99 else f"= {p:.2f}" if p >= 0.1 else f"= {p:.3f}"


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
    """Compare the best method of each target of a data set with every other one.

    Parameters
    ----------
    evaluation : DataFrame
        Tidy: dataset, method, repeat, fold, target, metric, value (not finite where undefined).
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
        One for each target, in order.

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
    for target in sort_targets(here["target"]):
        its = part[part["target"] == target]
        table = its.pivot(index=["repeat", "fold"], columns="method", values="value").astype(float)
        table = sign * table.where(np.isfinite(table))[list(dict.fromkeys(its["method"]))]
        found.append(_lead(Lead(dataset, target, metric, rope), table, m, test_train_ratio))
    return found


def _lead(lead: Lead, scores: pd.DataFrame, m: int, ratio: float) -> Lead:
    """Fill in the comparisons of one target; `scores` are runs x methods, higher is better."""
    values = scores.to_numpy()
    counts = np.isfinite(values).sum(axis=0)
    kept: list[int] = np.flatnonzero(counts).tolist()
    if not kept:
        return lead
    # fsum: the same numbers in another order have the same mean
    means = {j: math.fsum(values[np.isfinite(values[:, j]), j]) / counts[j] for j in kept}
    order = sorted(kept, key=lambda j: (counts[j] < counts.max(), -means[j]))
    best, others = order[0], order[1:]
    rivals = [
        _rival(str(scores.columns[j]), values[:, best], values[:, j], m, ratio, lead.rope) for j in others
    ]
    tested = [r.test.p for r in rivals if r.test.p == r.test.p]
    adjusted = iter(holm(tested).tolist())
    return Lead(
        lead.dataset,
        lead.target,
        lead.metric,
        lead.rope,
        str(scores.columns[best]),
        tuple(
            Rival(**{**vars(r), "p_adjusted": next(adjusted)}) if r.test.p == r.test.p else r for r in rivals
        ),
        tuple(str(scores.columns[j]) for j in others if counts[j] < counts.max()),
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
