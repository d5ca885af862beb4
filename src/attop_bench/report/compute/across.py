"""Methods over data sets, in numbers and in sentences: a data set is one sample, its runs averaged first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from attop.core.top import main_top
from attop.core.wording import counted, fixed, listed, with_p
from attop.metrics.registry import get_metric
from attop.statistics.profiles import Bootstrap, Profile, bootstrap_means, performance_profile
from attop.statistics.ranks import Comparison, Friedman, against_control, all_pairs, friedman, rank_rows
from attop.statistics.two_methods import Effect, Posterior, bayesian_signed_rank, effect_sizes, wilcoxon
from attop_bench.report.compute.board import have_shared_unit, metric_matrix

__all__ = ["ROPE", "Across", "Standing", "across", "by_reason", "sentences", "share_of"]

#: Half-width of the region of practical equivalence, for metrics from 0 to 1.
ROPE = 0.01
_UNIT = (0.0, 1.0)
_PROFILE_DATASETS = 3  # fewer make a profile of one or two steps


@dataclass(frozen=True)
class Standing:
    """One method over the data sets.

    Attributes
    ----------
    method : str
    rank : float
        Mean rank over the compared data sets, 1 the best; NaN for a method left out.
    n, m : int
        Data sets it was ranked on (for a method left out: on which it has values), of those with any value.
    p : float
        That it ranks like the best, see `Across.test`; NaN for the best and where refused.
    better, equal : int
        Compared data sets on which it beats and equals the best.
    effect : Effect or None
        Of the method against the best, negative where it is worse; None for the best and methods left out.
    posterior : Posterior or None
        That the method is practically worse than the best, equivalent and better, by the Bayesian signed-rank
        test with a rope of `ROPE`; None likewise.
    reason : str
        Why it was left out, empty if it was not.
    """

    method: str
    rank: float
    n: int
    m: int
    p: float = math.nan
    better: int = 0
    equal: int = 0
    effect: Effect | None = None
    posterior: Posterior | None = None
    reason: str = ""


@dataclass(frozen=True)
class Across:
    """What can be said of the methods over all data sets.

    Attributes
    ----------
    standings : tuple of Standing
        Best first, methods left out last.
    n_datasets : int
        Data sets compared.
    unit : str
        What was compared, in words: metric, top, direction.
    test : str
        The test behind `Standing.p`: "Holm" (mean ranks against the best, adjusted), "Wilcoxon" (two methods)
        or "" where refused.
    friedman : Friedman
    nemenyi : Comparison
        All pairs, with cliques and `critical_difference`.
    left_out : dict of str to str
        Data sets that were not compared, and why.
    refused : str
        Why nothing was tested, empty if something was.
    profile : Profile
        Of the values of the methods that have one on every compared data set.
    resampled : Bootstrap
        Of the mean ranks, over the compared data sets.
    """

    standings: tuple[Standing, ...]
    n_datasets: int
    unit: str
    test: str
    friedman: Friedman
    nemenyi: Comparison
    left_out: dict[str, str]
    refused: str
    profile: Profile
    resampled: Bootstrap

    @property
    def order(self) -> tuple[str, ...]:
        """Methods compared, best first."""
        return tuple(s.method for s in self.standings if not s.reason)

    @property
    def over(self) -> str:
        """How many data sets were compared, in words."""
        return share_of(self.n_datasets, max([s.m for s in self.standings], default=0))


def across(
    evaluation: pd.DataFrame,
    metrics: Mapping[str, str],
    *,
    titles: Mapping[str, str],
    alpha: float = 0.05,
) -> Across:
    """Compare the methods over the data sets; nothing is imputed, nothing is tested on too few.

    Parameters
    ----------
    evaluation : DataFrame
        Tidy: dataset, method, repeat, fold, top, metric, value (not finite where undefined).
    metrics : mapping of str to str
        Data set -> the metric methods are compared by there, at the data set's main top. Data sets without
        one are left out.
    titles : mapping
        Method -> name shown; methods only this mapping knows have no run.
    alpha : float
        Family-wise error of the tests.

    Returns
    -------
    Across

    Raises
    ------
    ValueError
        If a column is missing, a metric is unknown or a value is there twice.

    Notes
    -----
    Ranks need no common unit; mean differences, Wilcoxon's test and the posterior do, and are refused unless
    all data sets have one metric or all metrics lie in [0, 1]. The best method is chosen on the data it is
    then tested on, so p against it counts only where Friedman's test shows a difference (`sentences`,
    `leaders`); the diagram's test is of all pairs.
    """
    shown = {m: titles.get(m, m) for m in [*titles, *evaluation["method"]]}
    tops = {str(d): main_top(its) for d, its in evaluation.groupby("dataset", sort=False)["top"]}
    matrix = metric_matrix(evaluation, metrics, tops, shown)
    scores = matrix.scores
    used = {d: metrics[d] for d in scores.index}
    shared_unit = have_shared_unit(used)

    tested, nemenyi = friedman(scores), all_pairs(scores, alpha)
    order = [str(m) for m in tested.ranks.index]
    test, p, refused = _against_best(scores, order, shared_unit, nemenyi)
    m = int(matrix.counts.any(axis=1).sum())
    standings = [
        replace(
            _against(scores, method, order[0], used),
            rank=float(tested.ranks[method]),
            m=m,
            p=p.get(method, math.nan),
        )
        for method in order
    ]
    standings += [
        Standing(method, math.nan, int((matrix.counts[method] > 0).sum()), m, reason=why)
        for method, why in matrix.without_methods.items()
    ]
    return Across(
        tuple(standings),
        len(scores),
        _unit_in_words(used, matrix.tops),
        test,
        tested,
        nemenyi,
        matrix.without_datasets,
        refused,
        _profile(scores, shared_unit),
        bootstrap_means(rank_rows(scores), higher_is_better=False),
    )


def share_of(n: int, m: int) -> str:
    """Return n of m data sets."""
    return counted(n, "data set") if n == m else f"{n} of {counted(m, 'data set')}"


def _unit_in_words(used: Mapping[str, str], tops: Mapping[str, str]) -> str:
    """Say which metric, where and in which direction, is compared."""
    if not used:
        return "no metric"
    words = []
    for metric in dict.fromkeys(used.values()):
        its = [d for d, m in used.items() if m == metric]
        at = listed(list(dict.fromkeys(tops[d] for d in its)))
        direction = "higher" if get_metric(metric).higher_is_better else "lower"
        on = f" on {counted(len(its), 'data set')}" if len(set(used.values())) > 1 else ""
        words.append(f"{metric}{on} ({direction} is better; at {at})")
    return listed(words) + ", the mean over the runs of a data set"


def _against_best(
    scores: pd.DataFrame, order: list[str], shared_unit: bool, nemenyi: Comparison
) -> tuple[str, dict[str, float], str]:
    """Return the test, p of each method against the best, and why there is none."""
    if len(order) == 2 and len(scores):
        if not shared_unit:
            return "", {}, "The metrics have no common unit, so differences of two methods cannot be ranked."
        result = wilcoxon(scores[order[1]], scores[order[0]])
        return ("", {}, result.refused) if result.refused else ("Wilcoxon", {order[1]: result.p}, "")
    if nemenyi.refused:
        return "", {}, nemenyi.refused
    pairs = against_control(scores, order[0], nemenyi.alpha).pairs
    return "Holm", {pair.first: pair.p_adjusted for pair in pairs}, ""


def _against(scores: pd.DataFrame, method: str, best: str, used: Mapping[str, str]) -> Standing:
    """Return how far a method is from the best, without its rank."""
    n = len(scores)
    found = Standing(method, math.nan, n, n)
    if method == best or not n:
        return found
    own, its = scores[method].to_numpy(float), scores[best].to_numpy(float)
    equal = np.abs(own - its) <= 1e-12 * np.maximum(np.abs(own), np.abs(its))
    unlike = "The metrics have no common unit, so differences cannot be averaged."
    bounded = {get_metric(metric).bounds for metric in used.values()} == {_UNIT}
    return replace(
        found,
        better=int(((own > its) & ~equal).sum()),
        equal=int(equal.sum()),
        effect=effect_sizes(own, its) if have_shared_unit(used) else Effect(n, refused=unlike),
        posterior=bayesian_signed_rank(own, its, rope=ROPE, seed=0)
        if bounded
        else Posterior(n, ROPE, refused=f"A rope of {ROPE:g} is for metrics from 0 to 1."),
    )


def _profile(values: pd.DataFrame, shared_unit: bool) -> Profile:
    if len(values) < _PROFILE_DATASETS:
        few = f"It needs at least {_PROFILE_DATASETS} data sets, and there are {len(values)}."
        return Profile("ratio", values, values.count(), len(values), refused=few)
    profile = performance_profile(values, higher_is_better=True)
    if profile.kind == "gap" and not shared_unit:
        unlike = "A value is zero or negative, so there are no ratios, and the metrics have no common unit."
        return replace(profile, refused=unlike)
    return profile


def sentences(
    found: Across, titles: Mapping[str, str], dataset_titles: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Say who leads, whether the ranks differ, who is worse, and what was left out.

    Parameters
    ----------
    found : Across
    titles : mapping
        Method -> name shown.
    dataset_titles : mapping, optional
        Data set -> name shown.
    """
    names = dataset_titles or {}
    tested, nemenyi = found.friedman, found.nemenyi
    ranked = [s for s in found.standings if not s.reason and s.rank == s.rank]
    said, opening = [], "No comparison over data sets."
    if len(ranked) > 1:
        first = ranked[0]
        best = [titles[s.method] for s in ranked if s.rank == first.rank]
        where = f"among {len(ranked)} methods on {share_of(first.n, first.m)}"
        if len(best) == len(ranked):
            said.append(f"No method ranks best: equal mean ranks {where}.")
            opening = "Nothing is tested."
        else:
            rank = "ranks" if len(best) == 1 else "rank"
            said.append(f"{listed(best)} {rank} best: mean rank {fixed(first.rank, 2)} {where}.")
            opening = "Whether that is more than chance is not tested."
    if found.refused:
        said.append(f"{opening} {found.refused}")
    elif found.test == "Wilcoxon":
        p = ranked[1].p
        said.append(
            f"The difference of the two is {'' if p < nemenyi.alpha else 'not '}more than chance explains "
            f"(Wilcoxon's signed-rank test, {with_p(p)})."
        )
    elif tested.p_F >= nemenyi.alpha:
        said.append(
            f"The ranks differ no more than chance explains (Friedman's test, {with_p(tested.p_F)}): over "
            "these data sets no method can be called better than another."
        )
    else:
        said.append(
            f"The methods do not all rank alike (Friedman's test, {with_p(tested.p_F)}). "
            + _apart(ranked, nemenyi, titles)
        )
    absent = by_reason([(titles[s.method], s.reason) for s in found.standings if s.reason])
    said += [f"Not ranked: {who} ({why})." for who, why in absent]
    left_out = [(names.get(d, d), why) for d, why in found.left_out.items()]
    if left_out:
        said.append("Left out: " + "; ".join(f"{who} ({why})" for who, why in by_reason(left_out)) + ".")
    return tuple(said)


def by_reason(reasons: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put those with the same reason together."""
    return [
        (listed([name for name, its in reasons if its == why]), why)
        for why in dict.fromkeys(why for _, why in reasons)
    ]


def _apart(ranked: Sequence[Standing], nemenyi: Comparison, titles: Mapping[str, str]) -> str:
    """Name the methods worse than the best, and those of them the test of all pairs does not separate."""
    first, alpha = ranked[0].method, nemenyi.alpha
    worse = [s.method for s in ranked[1:] if s.p < alpha]
    alike = [s.method for s in ranked[1:] if not s.p < alpha]
    joined = {m for clique in nemenyi.cliques if first in clique for m in clique}
    words = []
    if worse:
        words.append(
            f"Worse than {titles[first]} beyond chance (Holm, alpha = {alpha:g}): "
            f"{listed([titles[m] for m in worse])}."
        )
    if joined & set(worse):
        words.append(
            f"Of these, {listed([titles[m] for m in worse if m in joined])} not by the stricter test of all "
            "pairs (Nemenyi), which does not take the best as given."
        )
    if alike:
        words.append(f"No significant difference from {titles[first]}: {listed([titles[m] for m in alike])}.")
    return " ".join(words)
