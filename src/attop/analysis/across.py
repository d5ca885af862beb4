"""Methods compared over data sets: each data set is one sample, its runs averaged first."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from attop.analysis.across_figures import diagram_figure, profile_figure
from attop.analysis.scene import Figure, Scene
from attop.analysis.style import MethodStyle
from attop.analysis.targets import main_target
from attop.analysis.wording import counted, fixed, listed
from attop.metrics import METRICS, get_metric
from attop.statistics import (
    Comparison,
    Effect,
    Friedman,
    MetricMatrix,
    Posterior,
    against_control,
    all_pairs,
    bayesian_signed_rank,
    effect_sizes,
    friedman,
    mean_ranks,
    metric_matrix,
    performance_profile,
    wilcoxon,
)

__all__ = ["ROPE", "Across", "Standing", "across"]

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
    sentences : tuple of str
        For the reader: the leader, whether the ranks differ, who is worse, what was left out.
    standings : tuple of Standing
        Best first, methods left out last.
    n_datasets, m_datasets : int
        Data sets compared, of those there are.
    unit : str
        What was compared, in words: metric, target, direction.
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
    diagram, profile : Figure
        Critical differences and performance profile, or sentences in their stead.
    """

    sentences: tuple[str, ...]
    standings: tuple[Standing, ...]
    n_datasets: int
    m_datasets: int
    unit: str
    test: str
    friedman: Friedman
    nemenyi: Comparison
    left_out: dict[str, str]
    refused: str
    diagram: Figure
    profile: Figure

    @property
    def critical_difference(self) -> float:
        """Nemenyi's critical difference of mean ranks, NaN where refused."""
        return self.nemenyi.critical_difference


def across(
    evaluation: pd.DataFrame,
    metrics: Mapping[str, str],
    *,
    titles: Mapping[str, str],
    styles: Mapping[str, MethodStyle],
    dataset_titles: Mapping[str, str] | None = None,
    expected: Mapping[str, int] | None = None,
    alpha: float = 0.05,
) -> Across:
    """Compare the methods over the data sets; nothing is imputed, nothing is tested on too few.

    Parameters
    ----------
    evaluation : DataFrame
        Tidy: dataset, method, repeat, fold, target, metric, value (not finite where undefined).
    metrics : mapping of str to str
        Data set -> the metric methods are compared by there, at the data set's main target. Data sets without
        one are left out.
    titles : mapping
        Method -> name shown; methods only this mapping knows have no run.
    styles : mapping
        Method -> colour and marker.
    dataset_titles : mapping, optional
        Data set -> name shown.
    expected : mapping of str to int, optional
        Runs planned per data set; by default those any method has.
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
    Which values may be compared is `attop.statistics.metric_matrix`'s rule: averages over the same runs.
    Ranks need no common unit; mean differences, Wilcoxon's test and the posterior do, and are refused unless
    all data sets have one metric or all metrics lie in [0, 1]. The best method is chosen on the data it is
    then tested on, which makes p against it somewhat too small; the diagram's test is of all pairs.
    """
    names = {d: (dataset_titles or {}).get(d, d) for d in evaluation["dataset"].unique()}
    known = dict.fromkeys([*titles, *evaluation["method"]])
    shown = {m: titles.get(m, m) for m in known}
    matrix, left_out = _matrix(evaluation, metrics, list(known), shown, expected)
    scores = matrix.scores
    used = {d: metrics[d] for d in scores.index}
    unit = _unit(used, matrix.targets)
    shared_unit = _has_shared_unit(used)

    order = [str(m) for m in (mean_ranks(scores).index if len(scores) else scores.columns)]
    tested, nemenyi = friedman(scores), all_pairs(scores, alpha)
    test, p, refused = _against_best(scores, order, tested, shared_unit, alpha)
    m = sum(bool(matrix.counts.loc[d].any()) for d in matrix.counts.index)
    standings = [_standing(scores, method, order[0], m, p, shared_unit, used) for method in order]
    standings += [
        Standing(method, math.nan, int((matrix.counts[method] > 0).sum()), m, reason=why)
        for method, why in matrix.without_methods.items()
    ]
    scene = Scene("across", "", "", order, shown, styles)
    return Across(
        _sentences(
            standings, tested, nemenyi, test, refused, shown, {names[d]: w for d, w in left_out.items()}
        ),
        tuple(standings),
        len(scores),
        len(names),
        unit,
        test,
        tested,
        nemenyi,
        left_out,
        refused,
        diagram_figure(scene, nemenyi, tested, unit),
        _profile(scene, matrix.complete, shared_unit, unit),
    )


def _matrix(
    evaluation: pd.DataFrame,
    metrics: Mapping[str, str],
    methods: list[str],
    titles: Mapping[str, str],
    expected: Mapping[str, int] | None,
) -> tuple[MetricMatrix, dict[str, str]]:
    """Average each data set's own metric at its main target, higher always better; say what is left out."""
    named = {d: m for d, m in metrics.items() if m}
    targets = {str(d): main_target(its) for d, its in evaluation.groupby("dataset", sort=False)["target"]}
    mine = (evaluation["metric"] == evaluation["dataset"].map(named)) & (
        evaluation["target"] == evaluation["dataset"].map(targets)
    )
    signs = {m: 1.0 if get_metric(m).higher_is_better else -1.0 for m in set(named.values())}
    part = evaluation[mine]
    part = part.assign(
        value=part["value"].astype(float) * part["metric"].map(signs).astype(float), metric="comparison"
    )
    one = replace(next(iter(METRICS.values())), name="comparison", higher_is_better=True)
    runs = evaluation.drop_duplicates(["dataset", "repeat", "fold"]).groupby("dataset").size()
    matrix = metric_matrix(
        part, one, targets, methods=methods, expected={**runs.to_dict(), **(expected or {})}
    )
    left_out = {}
    for dataset, target in targets.items():
        if dataset not in named:
            left_out[dataset] = "no metric was named to compare by"
        elif dataset not in matrix.counts.index or not matrix.counts.loc[dataset].any():
            left_out[dataset] = f"no method has a value of {named[dataset]} at {target}"
        elif dataset in matrix.without_datasets:
            counts = matrix.counts.loc[dataset, list(matrix.complete.columns)]
            short = counts[counts < counts.max()] if counts.nunique() > 1 else counts
            left_out[dataset] = listed(
                [f"{titles[str(m)]} has {n} of {matrix.expected[dataset]} runs" for m, n in short.items()]
            )
    return matrix, left_out


def _has_shared_unit(used: Mapping[str, str]) -> bool:
    return len(set(used.values())) <= 1 or {get_metric(m).bounds for m in used.values()} == {_UNIT}


def _unit(used: Mapping[str, str], targets: Mapping[str, str]) -> str:
    """Say which metric, where and in which direction, is compared."""
    if not used:
        return "no metric"
    words = []
    for metric in dict.fromkeys(used.values()):
        its = [d for d, m in used.items() if m == metric]
        at = listed(list(dict.fromkeys(targets[d] for d in its)))
        direction = "higher" if get_metric(metric).higher_is_better else "lower"
        on = f" on {counted(len(its), 'data set')}" if len(set(used.values())) > 1 else ""
        words.append(f"{metric}{on} ({direction} is better; at {at})")
    return listed(words) + ", the mean over the runs of a data set"


def _against_best(
    scores: pd.DataFrame, order: list[str], tested: Friedman, shared_unit: bool, alpha: float
) -> tuple[str, dict[str, float], str]:
    """Return the test, p of each method against the best, and why there is none."""
    if len(order) == 2 and len(scores):
        if not shared_unit:
            return "", {}, "The metrics have no common unit, so differences of two methods cannot be ranked."
        result = wilcoxon(scores[order[1]], scores[order[0]])
        return ("", {}, result.refused) if result.refused else ("Wilcoxon", {order[1]: result.p}, "")
    if tested.refused:
        return "", {}, tested.refused
    pairs = against_control(scores, order[0], alpha).pairs
    return "Holm", {pair.first: pair.p_adjusted for pair in pairs}, ""


def _standing(
    scores: pd.DataFrame,
    method: str,
    best: str,
    m: int,
    p: Mapping[str, float],
    shared_unit: bool,
    used: Mapping[str, str],
) -> Standing:
    n = len(scores)
    ranks = mean_ranks(scores) if n else pd.Series(math.nan, index=scores.columns)
    found = Standing(method, float(ranks[method]), n, m)
    if method == best or not n:
        return found
    own, its = scores[method].to_numpy(float), scores[best].to_numpy(float)
    equal = np.abs(own - its) <= 1e-12 * np.maximum(np.abs(own), np.abs(its))
    unlike = "The metrics have no common unit, so differences cannot be averaged."
    bounded = {get_metric(metric).bounds for metric in used.values()} == {_UNIT}
    return replace(
        found,
        p=p.get(method, math.nan),
        better=int(((own > its) & ~equal).sum()),
        equal=int(equal.sum()),
        effect=effect_sizes(own, its) if shared_unit else Effect(n, refused=unlike),
        posterior=bayesian_signed_rank(own, its, rope=ROPE, seed=0)
        if bounded
        else Posterior(n, ROPE, refused=f"A rope of {ROPE:g} is for metrics from 0 to 1."),
    )


def _profile(scene: Scene, values: pd.DataFrame, shared_unit: bool, unit: str) -> Figure:
    if len(values) < _PROFILE_DATASETS:
        few = f"It needs at least {_PROFILE_DATASETS} data sets, and there are {len(values)}."
        return profile_figure(scene, None, unit, few)
    profile = performance_profile(values, higher_is_better=True)
    if profile.kind == "gap" and not shared_unit:
        unlike = "A value is zero or negative, so there are no ratios, and the metrics have no common unit."
        return profile_figure(scene, None, unit, unlike)
    return profile_figure(scene, profile, unit)


def _sentences(
    standings: list[Standing],
    tested: Friedman,
    nemenyi: Comparison,
    test: str,
    refused: str,
    titles: Mapping[str, str],
    left_out: Mapping[str, str],
) -> tuple[str, ...]:
    ranked = [s for s in standings if not s.reason and s.rank == s.rank]
    said = []
    if len(ranked) > 1:
        first = ranked[0]
        best = [titles[s.method] for s in ranked if s.rank == first.rank]
        said.append(
            f"{listed(best)} {'ranks' if len(best) == 1 else 'rank'} best: mean rank {fixed(first.rank, 2)} "
            f"among {counted(len(ranked), 'method')} on {counted(first.n, 'data set')}."
            if len(best) < len(ranked)
            else f"All {len(ranked)} methods have the same mean rank on {counted(first.n, 'data set')}."
        )
    if refused:
        said.append(
            ("Whether that is more than chance is not tested. " if said else "No comparison over data sets. ")
            + refused
        )
    elif test == "Wilcoxon":
        p = ranked[1].p
        said.append(
            f"The difference of the two is {'' if p < nemenyi.alpha else 'not '}more than chance explains "
            f"(Wilcoxon's signed-rank test, p {_p(p)})."
        )
    elif tested.p_F >= nemenyi.alpha:
        said.append(
            f"The methods' ranks differ no more than chance explains (Friedman's test, p {_p(tested.p_F)}): "
            "over these data sets none can be called better than another."
        )
    else:
        said.append(
            f"The methods do not all rank alike (Friedman's test, p {_p(tested.p_F)}). "
            + _apart(ranked, nemenyi, titles)
        )
    said += [f"{titles[s.method]} is not ranked: it {s.reason}." for s in standings if s.reason]
    if left_out:
        said.append("Left out: " + "; ".join(f"{d} ({why})" for d, why in left_out.items()) + ".")
    return tuple(said)


def _apart(ranked: list[Standing], nemenyi: Comparison, titles: Mapping[str, str]) -> str:
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
        words.append(f"Not told apart from {titles[first]}: {listed([titles[m] for m in alike])}.")
    return " ".join(words)


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
