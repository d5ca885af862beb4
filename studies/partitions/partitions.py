"""A paper's methods over many partitions, with features prepared in several ways, tested in pairs.

Data sets of the run that are called ``name.preparation`` are the same items, split the same way; what differs
is how features are prepared.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pandas as pd

from attop.core.top import sort_tops
from attop.statistics.ranks import holm
from attop.statistics.two_methods import corrected_t_test, wilcoxon
from attop_bench.papers.findings import Comparison
from attop_bench.report.compute.leads import split_ratio

__all__ = ["LEVEL", "PREPARATIONS", "paired_tests", "partition_comparisons", "sentences"]

#: What a test must fall below.
LEVEL = 0.05
#: Preparation in the name of a data set -> what a reader calls it.
PREPARATIONS: Mapping[str, str] = {
    "standard": "standardised",
    "range": "scaled to their range",
    "raw": "raw",
    "log1p": "standardised logarithms log(1 + x)",
}
_RUN = ["repeat", "fold"]
_NOTE_MEANS = (
    "Mean and standard deviation (spread) over n partitions drawn at random; parameters chosen on inner "
    "folds of the training part. constant: those of the n whose model gives all test items one score."
)
_NOTE_TESTS = (
    "Each method of the paper against each other method on the same partitions: mean difference, partitions "
    "with a higher, equal and lower value, p of Wilcoxon's signed-rank test over partitions, adjusted by "
    "Holm for the rivals of a method at a top; it speaks of other partitions of these items. p_corrected: "
    "Nadeau and Bengio's corrected t-test, not adjusted, which speaks of other items too and has little "
    "power where few items train. verdict: 'higher' or 'lower' where p is below 0.05, else 'open'."
)


def partition_comparisons(
    tables: Mapping[str, pd.DataFrame], metric: str, own: Collection[str]
) -> list[Comparison]:
    """Return a table of means and one of paired tests of the methods `own`; none without such data sets."""
    summary = tables["summary"]
    rows = summary[(summary["metric"] == metric) & summary["dataset"].map(_preparation).notna()]
    if rows.empty:
        return []
    names = {"std": "spread", "n_constant": "constant"}
    means = _split_name(rows.rename(columns=names))
    columns = ["dataset", "preparation", "top", "method", "mean", "spread", "n", "constant"]
    return [
        Comparison(
            "partitions", f"{metric} by preparation", means[columns].reset_index(drop=True), _NOTE_MEANS
        ),
        Comparison("tests", f"{metric}, methods in pairs", paired_tests(tables, metric, own), _NOTE_TESTS),
    ]


def paired_tests(tables: Mapping[str, pd.DataFrame], metric: str, own: Collection[str]) -> pd.DataFrame:
    """Return every method of `own` against every other one; parameters as for `partition_comparisons`."""
    evaluation = tables["evaluation"]
    part = evaluation[evaluation["metric"] == metric]
    rows: list[dict[str, Any]] = []
    for dataset in [d for d in dict.fromkeys(part["dataset"]) if _preparation(d) is not None]:
        its = part[part["dataset"] == dataset]
        ratio = split_ratio(tables["runs"], dataset)
        for method in (m for m in own if m in set(its["method"])):
            for top in sort_tops(its["top"]):
                wide = its[its["top"] == top].pivot(index=_RUN, columns="method", values="value")
                rows += [
                    {"dataset": dataset, "top": top, "method": method, **row}
                    for row in _against_rivals(wide, method, list(dict.fromkeys(its["method"])), ratio)
                ]
    table = _split_name(pd.DataFrame(rows))
    first = ["dataset", "preparation", "top", "method", "rival"]
    return table[[*first, *(c for c in table if c not in first)]]


def sentences(
    tests: pd.DataFrame, means: pd.DataFrame, titles: Mapping[str, str], what: str
) -> Iterator[str]:
    """Say, per data set and preparation, what each method is higher and lower than.

    At several tops: at how many of them, for each method and rival. At one: than how many rivals, the methods
    in order of their means. `titles` are those of data sets and methods, `what` is the metric's name.
    """
    n = means.groupby(["dataset", "preparation"])["n"].max()
    for key, table in tests.groupby(["dataset", "preparation"], sort=False):
        dataset, preparation = map(str, key)
        where = (
            f"{titles.get(dataset, dataset)}, features {PREPARATIONS[preparation]}, "
            f"{n[dataset, preparation]} partitions, "
        )
        if table["top"].nunique() == 1:
            its = means[(means["dataset"] == dataset) & (means["preparation"] == preparation)]
            said = _among_rivals(table, its.set_index("method")["mean"], titles, what)
            yield f"{where}{table['top'].iloc[0]}: {said}."
            continue
        for method, pairs in table.groupby("method", sort=False):
            said = _at_targets(pairs, titles)
            tops = f"{table['top'].nunique()} tops: {what} of {titles.get(str(method), method)}"
            yield f"{where}{tops} against {said}."


def _at_targets(pairs: pd.DataFrame, titles: Mapping[str, str]) -> str:
    against = []
    for rival, its in pairs.groupby("rival", sort=False):
        count = its["verdict"].value_counts()
        parts = [f"{count[v]} {v}" for v in ("higher", "lower", "open") if v in count]
        against.append(f"{titles.get(str(rival), rival)} {', '.join(parts)}")
    return "; ".join(against)


def _among_rivals(table: pd.DataFrame, means: pd.Series, titles: Mapping[str, str], what: str) -> str:
    said, most = [], 0
    for method in sorted(table["method"].unique(), key=lambda m: -means[m]):
        verdicts = table.loc[table["method"] == method, "verdict"]
        count = [int((verdicts == v).sum()) for v in ("higher", "open", "lower")]
        most = max(most, len(verdicts))
        said.append(f"{titles.get(method, method)} {means[method]:.2f} ({', '.join(map(str, count))})")
    return f"{what}, and the number of its {most} rivals it is above, open with, below: {'; '.join(said)}"


def _against_rivals(wide: pd.DataFrame, method: str, order: list[str], ratio: float) -> list[dict[str, Any]]:
    """Compare a column with every other one, and adjust for their number."""
    family = [
        {"rival": rival, **_pair(wide[method], wide[rival], ratio)}
        for rival in order
        if rival != method and rival in wide
    ]
    tested = [row for row in family if not math.isnan(row["p"])]
    for row, p in zip(tested, holm([row["p"] for row in tested]), strict=True):
        row["p"] = float(p)
    for row in family:
        sure = row["p"] < LEVEL
        row["verdict"] = ("higher" if row["difference"] > 0 else "lower") if sure else "open"
    return family


def _pair(a: pd.Series, b: pd.Series, ratio: float) -> dict[str, Any]:
    shared = a.notna() & b.notna()
    x, y = a[shared].to_numpy(float), b[shared].to_numpy(float)
    corrected = math.nan
    if 0 < ratio < math.inf:
        corrected = corrected_t_test(x, y, test_train_ratio=ratio).p
    return {
        "difference": float((x - y).mean()) if len(x) else math.nan,
        "partitions_higher": int((x > y + 1e-12).sum()),
        "partitions_equal": int((abs(x - y) <= 1e-12).sum()),
        "partitions_lower": int((x < y - 1e-12).sum()),
        "p": wilcoxon(x, y).p,
        "p_corrected": corrected,
    }


def _preparation(dataset: str) -> str | None:
    preparation = dataset.rpartition(".")[2]
    return preparation if "." in dataset and preparation in PREPARATIONS else None


def _split_name(table: pd.DataFrame) -> pd.DataFrame:
    parts = table["dataset"].str.rpartition(".")
    return table.assign(dataset=parts[0], preparation=parts[2])
