"""Methods over data sets, in numbers and in sentences, and the board of every top.

The samples of a comparison over data sets are the data sets: folds share items, so they are averaged first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from attop.extending import (
    count_noun,
    format_fixed,
    format_p,
    join_words,
    main_top,
    sort_tops,
)
from attop.metrics import get_metric
from attop.statistics import (
    Bootstrap,
    Comparison,
    Effect,
    Friedman,
    Posterior,
    against_control,
    all_pairs,
    bayesian_signed_rank,
    bootstrap_means,
    complete_block,
    difference,
    effect_sizes,
    friedman,
    rank_rows,
    regret,
    wilcoxon,
)
from attop_bench.report.compute.tables import Titles, costs, count_runs

#: Half-width of the region of practical equivalence, for metrics from 0 to 1.
ROPE = 0.01
#: Data set -> its metric, or its top.
ByDataset = Mapping[str, str]
_UNIT = (0.0, 1.0)


@dataclass(frozen=True)
class Standing:
    """One method over the data sets."""

    method: str
    #: Mean rank over the compared data sets, 1 the best; NaN for a method left out.
    rank: float
    #: n, m: Data sets it was ranked on, or if left out has values on, of those with any value.
    n: int
    m: int
    #: Of a rank like the best's, see `Across.test`; NaN for the best and where refused.
    p: float = math.nan
    #: better, equal: Compared data sets on which it beats and equals the best.
    better: int = 0
    equal: int = 0
    #: Of the method against the best, negative where it is worse; None for the best and methods left out.
    effect: Effect | None = None
    #: Of being practically worse, equivalent and better, by the Bayesian signed-rank test with a rope of
    #: `ROPE`; None likewise.
    posterior: Posterior | None = None
    #: Empty if it was not left out.
    reason: str = ""


@dataclass(frozen=True)
class Across:
    """The methods compared over all data sets."""

    #: Best first, methods left out last.
    standings: tuple[Standing, ...]
    #: Data sets compared.
    n_datasets: int
    #: Metric, top and direction in words.
    unit: str
    #: The test behind `Standing.p`: "Holm" (mean ranks against the best, adjusted), "Wilcoxon" (two methods)
    #: or "" where refused.
    test: str
    friedman: Friedman
    #: All pairs, with cliques and `critical_difference`.
    nemenyi: Comparison
    #: Data set that was not compared -> reason.
    left_out: dict[str, str]
    #: Reason why nothing was tested.
    refused: str
    #: Of the mean ranks, over the compared data sets.
    resampled: Bootstrap

    @property
    def over(self) -> str:
        """Number of data sets compared, in words."""
        return share_of(
            self.n_datasets, max([s.m for s in self.standings], default=0)
        )


def across(
    evaluation: pd.DataFrame,
    metrics: ByDataset,
    *,
    titles: Titles,
) -> Across:
    """Compare the methods over the data sets; nothing is imputed, nothing is tested on too few.

    `metrics` is data set -> the metric that compares methods there, at its main top; others are left out.
    Methods that only `titles` knows have no run.

    Notes
    -----
    Mean differences, Wilcoxon's test and the posterior are refused unless all data sets have one metric or
    all metrics lie in [0, 1]. The best method is chosen on the data it is then tested on, so p against it
    counts only where Friedman's test shows a difference; the diagram's test is of all pairs.
    """
    tops = {
        str(d): main_top(group)
        for d, group in evaluation.groupby("dataset", sort=False)["top"]
    }
    matrix = metric_matrix(evaluation, metrics, tops, titles)
    scores = matrix.scores
    used = {d: metrics[d] for d in scores.index}
    tested = friedman(scores)
    nemenyi = all_pairs(scores)
    order = [str(m) for m in tested.ranks.index]
    test, p, refused = _against_best(scores, order, used, nemenyi)
    m = int(matrix.counts.any(axis=1).sum())
    standings = []
    for method in order:
        standing = Standing(
            method,
            rank=float(tested.ranks[method]),
            n=len(scores),
            m=m,
            p=p.get(method, math.nan),
        )
        standings.append(_against(scores, standing, order[0], used))
    for method, why in matrix.without_methods.items():
        n = int((matrix.counts[method] > 0).sum())
        standings.append(Standing(method, math.nan, n, m, reason=why))
    return Across(
        standings=tuple(standings),
        n_datasets=len(scores),
        unit=_unit_in_words(used, tops),
        test=test,
        friedman=tested,
        nemenyi=nemenyi,
        left_out=matrix.without_datasets,
        refused=refused,
        resampled=bootstrap_means(rank_rows(scores), higher_is_better=False),
    )


def share_of(n: int, m: int) -> str:
    """Write n of m data sets in words."""
    return (
        count_noun(n, "data set")
        if n == m
        else f"{n} of {count_noun(m, 'data set')}"
    )


def _unit_in_words(used: ByDataset, tops: ByDataset) -> str:
    """Write metrics, tops and directions in words."""
    if not used:
        return "no metric"
    words = []
    for metric in dict.fromkeys(used.values()):
        datasets = [d for d, m in used.items() if m == metric]
        at = join_words(list(dict.fromkeys(tops[d] for d in datasets)))
        direction = "higher" if get_metric(metric).higher_is_better else "lower"
        on = (
            f" on {count_noun(len(datasets), 'data set')}"
            if len(set(used.values())) > 1
            else ""
        )
        words.append(f"{metric}{on} ({direction} is better; at {at})")
    return join_words(words) + ", the mean over the runs of a data set"


def _against_best(
    scores: pd.DataFrame,
    order: list[str],
    used: ByDataset,
    nemenyi: Comparison,
) -> tuple[str, dict[str, float], str]:
    """Test each method against the best: name of the test, p-values, and the reason if it is refused."""
    if len(order) == 2 and len(scores):
        if not have_shared_unit(used):
            return (
                "",
                {},
                "The metrics have no common unit, so differences of two methods cannot be ranked.",
            )
        result = wilcoxon(scores[order[1]], scores[order[0]])
        return (
            ("", {}, result.refused)
            if result.refused
            else ("Wilcoxon", {order[1]: result.p}, "")
        )
    if nemenyi.refused:
        return "", {}, nemenyi.refused
    pairs = against_control(scores, order[0], nemenyi.alpha).pairs
    return "Holm", {pair.first: pair.p_adjusted for pair in pairs}, ""


def _against(
    scores: pd.DataFrame, standing: Standing, best: str, used: ByDataset
) -> Standing:
    """Compare the method of a standing with the best; the best itself stays as it is."""
    n = len(scores)
    if standing.method == best or not n:
        return standing
    values = scores[standing.method].to_numpy(float)
    best_values = scores[best].to_numpy(float)
    ahead = difference(values, best_values)
    effect = Effect(
        n,
        refused="The metrics have no common unit, so differences cannot be averaged.",
    )
    if have_shared_unit(used):
        effect = effect_sizes(values, best_values)
    posterior = Posterior(
        n, ROPE, refused=f"A rope of {ROPE:g} is for metrics from 0 to 1."
    )
    if {get_metric(metric).bounds for metric in used.values()} == {_UNIT}:
        posterior = bayesian_signed_rank(values, best_values, rope=ROPE, seed=0)
    return replace(
        standing,
        better=int((ahead > 0).sum()),
        equal=int((ahead == 0).sum()),
        effect=effect,
        posterior=posterior,
    )


def sentences(
    result: Across,
    titles: Titles,
    dataset_titles: Titles | None = None,
) -> tuple[str, ...]:
    """State the best, differences of ranks, the methods worse, and those left out."""
    names = dataset_titles or {}
    tested = result.friedman
    nemenyi = result.nemenyi
    ranked = [s for s in result.standings if not s.reason and s.rank == s.rank]
    lines = []
    opening = "No comparison over data sets."
    if len(ranked) > 1:
        first = ranked[0]
        best = [titles[s.method] for s in ranked if s.rank == first.rank]
        where = f"among {len(ranked)} methods on {share_of(first.n, first.m)}"
        if len(best) == len(ranked):
            lines.append(f"No method ranks best: equal mean ranks {where}.")
            opening = "Nothing is tested."
        else:
            rank = "ranks" if len(best) == 1 else "rank"
            mean = f"mean rank {format_fixed(first.rank, 2)} {where}"
            alone = "By rank alone, which ignores how much is lost,"
            lines.append(f"{alone} {join_words(best)} {rank} best: {mean}.")
            opening = "Whether that is more than chance is not tested."
    if result.refused:
        lines.append(f"{opening} {result.refused}")
    elif result.test == "Wilcoxon":
        p = ranked[1].p
        lines.append(
            f"The difference of the two is {'' if p < nemenyi.alpha else 'not '}more than chance explains "
            f"(Wilcoxon's signed-rank test, {format_p(p, 'p')})."
        )
    elif tested.p_F >= nemenyi.alpha:
        lines.append(
            f"The ranks differ no more than chance explains (Friedman's test, {format_p(tested.p_F, 'p')}): "
            "over these data sets no method can be called better than another."
        )
    else:
        lines.append(
            f"The methods do not all rank alike (Friedman's test, {format_p(tested.p_F, 'p')})."
        )
        lines[-1] += f" {_apart(ranked, nemenyi, titles)}"
    absent = by_reason(
        [(titles[s.method], s.reason) for s in result.standings if s.reason]
    )
    lines += [f"Not ranked: {methods} ({why})." for methods, why in absent]
    left_out = by_reason(
        [(names.get(d, d), why) for d, why in result.left_out.items()]
    )
    if left_out:
        lines.append(
            f"Left out: {'; '.join(f'{datasets} ({why})' for datasets, why in left_out)}."
        )
    return tuple(lines)


def by_reason(reasons: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join names with the same reason."""
    distinct = dict.fromkeys(why for _, why in reasons)
    return [
        (join_words([name for name, its in reasons if its == why]), why)
        for why in distinct
    ]


def _apart(ranked: Sequence[Standing], nemenyi: Comparison, titles: Titles) -> str:
    """Name the methods worse than the best, and those that the test of all pairs does not separate."""
    first = ranked[0].method
    alpha = nemenyi.alpha
    worse = [s.method for s in ranked[1:] if s.p < alpha]
    alike = [s.method for s in ranked[1:] if not s.p < alpha]
    joined = {m for clique in nemenyi.cliques if first in clique for m in clique}
    words = []
    if worse:
        named = join_words([titles[m] for m in worse])
        words.append(
            f"Worse than {titles[first]} beyond chance (Holm, alpha = {alpha:g}): {named}."
        )
    if joined & set(worse):
        words.append(
            f"Of these, {join_words([titles[m] for m in worse if m in joined])} not by the stricter test of "
            "all pairs (Nemenyi), which does not take the best as given."
        )
    if alike:
        others = join_words([titles[m] for m in alike])
        words.append(f"No significant difference from {titles[first]}: {others}.")
    return " ".join(words)


@dataclass(frozen=True)
class Matrix:
    """One metric and one top of each data set; nothing is imputed."""

    #: Means over the runs, negated if lower is better. None is missing, and those of a row are over the same
    #: runs.
    scores: pd.DataFrame
    #: Defined runs, also of those left out.
    counts: pd.DataFrame
    #: without_datasets, without_methods: Those left out of `scores`, with reasons.
    without_datasets: dict[str, str]
    without_methods: dict[str, str]


def metric_matrix(
    evaluation: pd.DataFrame,
    metrics: ByDataset,
    tops: ByDataset,
    titles: Titles,
) -> Matrix:
    """Average the runs of each method on each data set, and leave out means that may not be compared.

    A mean may if it is over every run for which any method has a value: fewer might flatter. As long as one
    may not, the method or data set that lacks the largest share of them is left out; of equals the method,
    because data sets are the samples. Two methods with a value in common both stay. `metrics` and `tops` are
    by data set, `tops` of all that have runs; `titles` are of methods, first those that it has.
    """
    titles = {m: titles.get(m, m) for m in [*titles, *evaluation["method"]]}
    without = {d: "no run has a result" for d in metrics if d not in tops}
    without |= {
        d: "no metric was named to compare by" for d in tops if not metrics.get(d)
    }
    rows = [d for d in tops if d not in without]
    part = evaluation[
        (
            evaluation["metric"]
            == evaluation["dataset"].map({d: metrics[d] for d in rows})
        )
        & (
            evaluation["top"]
            == evaluation["dataset"].map({d: tops[d] for d in rows})
        )
    ]
    signs = {
        d: 1.0 if get_metric(metrics[d]).higher_is_better else -1.0 for d in rows
    }
    part = part[np.isfinite(part["value"].astype(float))]
    means = pd.DataFrame(np.nan, index=rows, columns=list(titles))
    counts = pd.DataFrame(0, index=rows, columns=list(titles))
    for (dataset, method), values in part.groupby(["dataset", "method"])["value"]:
        # fsum: equal values in another order have an equal mean
        means.at[dataset, method] = signs[dataset] * math.fsum(values) / len(values)
        counts.at[dataset, method] = len(values)
    shared = count_runs(part).reindex(rows, fill_value=0)
    without |= {
        d: f"no method has a value of {metrics[d]} at {tops[d]}"
        for d in rows
        if not shared[d]
    }
    complete = counts.eq(shared, axis=0).loc[[d for d in rows if shared[d]]]
    block, gone, incomplete = complete_block(complete)
    dropped = {
        m: f"complete on {complete[m].sum()} of {len(complete)} data sets"
        for m in gone
    }
    if complete.empty:
        dropped = dict.fromkeys(map(str, complete), "no data set has a value")
    runs = count_runs(evaluation)
    for d, lacking in incomplete.items():
        without[d] = join_words(
            [
                f"{titles[m]} has {counts.loc[d, m]} of {runs[d]} runs"
                for m in lacking
            ]
        )
    without = {d: without[d] for d in {**metrics, **tops} if d in without}
    return Matrix(means.loc[block.index, block.columns], counts, without, dropped)


def have_shared_unit(used: ByDataset) -> bool:
    """Tell whether values of the metrics, one a data set, may be averaged."""
    return len(set(used.values())) <= 1 or {
        get_metric(m).bounds for m in used.values()
    } == {_UNIT}


def board(
    evaluation: pd.DataFrame,
    runs: pd.DataFrame,
    metrics: ByDataset,
    titles: Titles,
) -> pd.DataFrame:
    """Compare the methods at the smallest top of each data set, at the second, and so on.

    Returns
    -------
    DataFrame
        A row for each top and method that has a value on all compared data sets, the best mean rank first.
        Nothing, if the data sets have different numbers of tops, or there are fewer than two of them.

        - ``top``: such as "1 of 4", or the top where it is the same everywhere; ``datasets``: compared;
        - ``mean``: over data sets of the means over runs, NaN where for some metrics higher is better and
          for others lower; ``regret``: distance to the best of each data set in hundredths, of precision
          items of 100; ``regret_low``, ``regret_high``: 95% bootstrap interval over data sets; ``worst``: the
          largest regret; ``p_best``: share of the resamples in which it has the best mean. NaN where the data
          sets' metrics have no common unit;
        - ``rank``, ``rank_low``, ``rank_high``: mean rank, and its interval;
        - ``seconds``: of a job, which serves all tops: geometric mean over data sets of the median;
        - ``pareto``: in the `pareto_front` of seconds and regret (without a common unit: rank).
    """
    compared = evaluation[
        evaluation["dataset"].isin([d for d, metric in metrics.items() if metric])
    ]
    tops = {
        str(d): sort_tops(its)
        for d, its in compared.groupby("dataset", sort=False)["top"]
    }
    if len(tops) < 2 or len(set(map(len, tops.values()))) != 1:
        return pd.DataFrame()
    spent = pd.DataFrame({d: _seconds(runs, d) for d in tops}).T
    each = list(zip(*tops.values(), strict=True))
    rows = []
    for i, at in enumerate(each, 1):
        scores = metric_matrix(
            compared, metrics, dict(zip(tops, at, strict=True)), titles
        ).scores
        name = at[0] if len(set(at)) == 1 else f"{i} of {len(each)}"
        rows.append(_at(name, scores, {d: metrics[d] for d in scores.index}, spent))
    return pd.concat(rows, ignore_index=True)


def _at(
    name: str, scores: pd.DataFrame, used: ByDataset, spent: pd.DataFrame
) -> pd.DataFrame:
    """Build the rows of one top."""
    ranks = bootstrap_means(rank_rows(scores), higher_is_better=False)
    mean_rank = {"rank": ranks.mean, "rank_low": ranks.low, "rank_high": ranks.high}
    table = pd.DataFrame(mean_rank, index=scores.columns)
    regrets = 100 * regret(scores, higher_is_better=True)
    lost = bootstrap_means(regrets, higher_is_better=False)
    directions = {get_metric(metric).higher_is_better for metric in used.values()}
    sign = math.nan if len(directions) > 1 else 1.0 if True in directions else -1.0
    means = {
        "mean": sign * scores.mean(axis=0),
        "regret": lost.mean,
        "regret_low": lost.low,
    }
    means |= {
        "regret_high": lost.high,
        "worst": regrets.max(),
        "p_best": lost.p_best,
    }
    shared = have_shared_unit(used)
    table = table.assign(**(means if shared else dict.fromkeys(means, np.nan)))
    seconds = spent.reindex(index=scores.index, columns=table.index)
    table["seconds"] = np.exp(
        np.log(seconds.astype(float)).mean(axis=0, skipna=False)
    )
    front = pareto_front(table["seconds"], -table["regret" if shared else "rank"])
    table["pareto"] = table.index.isin(front)
    table.insert(0, "top", name)
    table.insert(1, "datasets", len(scores))
    table = table.rename_axis("method").reset_index()
    return table.sort_values("rank", kind="stable", ignore_index=True)


def _seconds(runs: pd.DataFrame, dataset: str) -> pd.Series:
    """Compute the median seconds of a job of each method."""
    spent = costs(runs, dataset)
    total = spent[["selection", "training", "scoring"]].sum(axis=1)
    return total.where(total > 0)


def pareto_front(cost: pd.Series, score: pd.Series) -> list[str]:
    """Select the entries that none beats at both, cheapest first."""
    table = pd.DataFrame({"cost": cost, "score": score}).dropna()
    table = table.sort_values(
        ["cost", "score"], ascending=[True, False], kind="stable"
    )
    best = table["score"].cummax()
    least = table["cost"].groupby(best).transform("min")
    return list(table.index[(table["score"] == best) & (table["cost"] == least)])
