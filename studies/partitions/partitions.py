"""A paper's methods over many partitions, with features prepared in several ways, tested in pairs.

Data sets of the run that are called ``name.preparation`` are the same items, split the same way; what differs
is how features are prepared.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from attop.experiment import Verdict, decide, scaled_error
from attop.extending import sort_tops
from attop.statistics import difference, holm, wilcoxon
from attop_bench.papers.findings import Plot, Tables, count_runs
from attop_bench.papers.pictures import dumbbells
from attop_bench.report.compute.judgements import split_ratio
from studies.aatp2012 import PREPARATIONS

#: What a test must fall below.
LEVEL = 0.05
_RUN = ["repeat", "fold"]


def partition_tables(
    results: Tables, metric: str, own: Collection[str], printed: Mapping[str, Collection[str]] | None = None
) -> dict[str, pd.DataFrame]:
    """Return means, and paired tests of the methods `own`; none without such data sets.

    ``verdict`` is "above" or "below" where p, of Wilcoxon's signed-rank test over partitions, adjusted by
    Holm for the rivals of a method at a top, is below `LEVEL`, else "open". ``p_corrected`` is that of the
    corrected t-test. ``p_printed`` is adjusted for the paper's rivals alone, in `printed` by data set.
    """
    summary = results["summary"]
    rows = summary[(summary["metric"] == metric) & summary["dataset"].map(_preparation).notna()]
    if rows.empty:
        return {}
    means = _split_name(rows.rename(columns={"std": "spread", "n_constant": "constant"}))
    columns = ["dataset", "preparation", "top", "method", "mean", "spread", "n", "constant"]
    evaluation = results["evaluation"]
    values = evaluation[(evaluation["metric"] == metric) & evaluation["dataset"].map(_preparation).notna()]
    return {
        "partitions": means[columns].reset_index(drop=True),
        "tests": paired_tests(results, metric, own, printed),
        "values.csv.gz": _split_name(values)[["dataset", "preparation", "top", "method", *_RUN, "value"]],
    }


def picture(tests: pd.DataFrame) -> Plot:
    """Draw, by data set, the difference to each rival, features standardised; the colour is the verdict."""
    rows = tests[tests["preparation"] == "standard"]
    rows = rows[rows["method"] == rows["method"].iloc[0]]
    rows = rows.assign(row=rows["rival"] + " " + rows["top"], printed=0.0, ours=rows["difference"])
    parts = {str(name): its for name, its in rows.groupby("dataset", sort=False)}
    n = count_runs(rows.filter(like="partitions_").sum(axis=1), "partition")
    return Plot("differences", f"Differences to each rival: {n}", dumbbells(parts, "difference", 6.0))


def paired_tests(
    tables: Mapping[str, pd.DataFrame],
    metric: str,
    own: Collection[str],
    printed: Mapping[str, Collection[str]] | None = None,
) -> pd.DataFrame:
    """Return every method of `own` against every other one; parameters as for `partition_tables`."""
    evaluation = tables["evaluation"]
    part = evaluation[(evaluation["metric"] == metric) & evaluation["dataset"].map(_preparation).notna()]
    rows: list[dict[str, Any]] = []
    for dataset, its in part.groupby("dataset", sort=False):
        ratio, methods = split_ratio(tables["runs"], str(dataset)), its["method"].unique()
        for method in (m for m in own if m in methods):
            for top in sort_tops(its["top"]):
                wide = its[its["top"] == top].pivot(index=_RUN, columns="method", values="value")
                about = {"dataset": dataset, "top": top, "method": method}
                rows += [
                    {**about, "rival": rival, **_pair(wide[method], wide[rival], ratio)}
                    for rival in methods
                    if rival != method and rival in wide
                ]
    table, family = pd.DataFrame(rows), ["dataset", "top", "method"]
    tested = table.dropna(subset="p")
    table["p"] = tested.groupby(family)["p"].transform(holm)
    table["verdict"] = list(map(Verdict.beside, table["difference"], table["p"] < LEVEL))
    if printed is not None:
        names = zip(tested["dataset"], tested["rival"], strict=True)
        named = [rival in printed.get(dataset.rpartition(".")[0], ()) for dataset, rival in names]
        table["p_printed"] = tested[np.array(named, bool)].groupby(family)["p"].transform(holm)
    table = _split_name(table)
    first = ["dataset", "preparation", "top", "method", "rival"]
    return table[[*first, *(c for c in table if c not in first)]]


def _pair(a: pd.Series, b: pd.Series, ratio: float) -> dict[str, Any]:
    shared = a.notna() & b.notna()
    x, y = a[shared].to_numpy(float), b[shared].to_numpy(float)
    ahead, corrected = difference(x, y), math.nan
    if len(x) > 1 and 0 < ratio < math.inf and (error := scaled_error(ahead, ratio)):
        # The larger of the two one-sided tests, by twice the p of the one: the two-sided test.
        (decision,) = decide([abs(ahead.mean())], [error], [len(x) - 1], tolerance=math.nan, chosen_from=2)
        corrected = decision.p
    return {
        "difference": float((x - y).mean()) if len(x) else math.nan,
        "partitions_higher": int((ahead > 0).sum()),
        "partitions_equal": int((ahead == 0).sum()),
        "partitions_lower": int((ahead < 0).sum()),
        "p": wilcoxon(x, y).p,
        "p_corrected": corrected,
    }


def _preparation(dataset: str) -> str | None:
    preparation = dataset.rpartition(".")[2]
    return preparation if "." in dataset and preparation in PREPARATIONS else None


def _split_name(table: pd.DataFrame) -> pd.DataFrame:
    parts = table["dataset"].str.rpartition(".")
    return table.assign(dataset=parts[0], preparation=parts[2])
