"""From the evaluation table to a matrix of data sets by methods, with what is missing in plain sight.

The samples of a comparison over data sets are the data sets: folds share items, so they are averaged first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attop.metrics import Metric, get_metric

__all__ = ["MetricMatrix", "metric_matrix"]

_NEEDED = ("dataset", "method", "repeat", "fold", "top", "metric", "value")


@dataclass(frozen=True)
class MetricMatrix:
    """One metric, one top per data set; nothing is imputed.

    Attributes
    ----------
    metric : str
    higher_is_better : bool
    tops : dict of str to str
        The top of each data set.
    means : DataFrame, data sets x methods
        Mean over the defined runs, in the metric's own direction; NaN where there is none.
    counts : DataFrame, data sets x methods
        The n of "n of m": defined runs of the method.
    expected : Series, data sets
        The m of "n of m".
    complete : DataFrame
        The part of `means` to compare methods on: no NaN, every entry the mean over the same runs as the
        others of its row.
    without_datasets, without_methods : dict of str to str
        What `complete` leaves out, and why.
    """

    metric: str
    higher_is_better: bool
    tops: dict[str, str]
    means: pd.DataFrame
    counts: pd.DataFrame
    expected: pd.Series
    complete: pd.DataFrame
    without_datasets: dict[str, str]
    without_methods: dict[str, str]

    @property
    def scores(self) -> pd.DataFrame:
        """`complete`, negated where the metric is better when lower: what ranks and tests take."""
        return self.complete if self.higher_is_better else -self.complete


def metric_matrix(
    evaluation: pd.DataFrame,
    metric: str | Metric,
    top: str | Mapping[str, str],
    *,
    methods: Sequence[str] | None = None,
    expected: Mapping[str, int] | None = None,
) -> MetricMatrix:
    """Average the runs of each method on each data set, and tell which averages may be compared.

    An average may be compared if it is over every run for which any method has a value: fewer might flatter.
    As long as an average is missing, the method or data set that lacks the largest share of them is left out;
    of equals the method, because data sets are the samples. Two methods with a value in common both stay.

    Parameters
    ----------
    evaluation : DataFrame
        Tidy: dataset, method, repeat, fold, top, metric, value (not finite where undefined).
    metric : str or Metric
    top : str or mapping of str to str
        One top for all data sets, or one for each; data sets not in the mapping are left out.
    methods : sequence of str, optional
        The methods to compare, in this order; all in the table by default. Name those that may have failed
        everywhere.
    expected : mapping of str to int, optional
        Runs planned per data set; by default the distinct (repeat, fold) the table has of it.

    Returns
    -------
    MetricMatrix

    Raises
    ------
    ValueError
        If a column is missing, the metric is unknown or a value is there twice.
    """
    absent = [c for c in _NEEDED if c not in evaluation.columns]
    if absent:
        raise ValueError(f"evaluation lacks {', '.join(absent)}; it has {', '.join(evaluation.columns)}")
    definition = get_metric(metric)
    names = list(dict.fromkeys(evaluation["method"] if methods is None else methods))
    datasets = list(dict.fromkeys(evaluation["dataset"]))
    tops = {d: top if isinstance(top, str) else top.get(d, "") for d in datasets}
    without = {d: "no top was chosen for it" for d in datasets if not tops[d]}
    rows = [d for d in datasets if d not in without]

    part = evaluation[evaluation["metric"] == definition.name]
    part = part[(part["top"] == part["dataset"].map(tops)) & part["method"].isin(names)]
    twice = int(part.duplicated(["dataset", "method", "repeat", "fold"]).sum())
    if twice:
        raise ValueError(f"evaluation holds {twice} values of {definition.name} twice: keep one of each")
    part = part[np.isfinite(part["value"].astype(float))]

    means = pd.DataFrame(np.nan, index=rows, columns=names)
    counts = pd.DataFrame(0, index=rows, columns=names)
    for (dataset, method), values in part.groupby(["dataset", "method"])["value"]:
        # fsum: equal values in another order have an equal mean
        means.loc[dataset, method] = math.fsum(values) / len(values)
        counts.loc[dataset, method] = len(values)
    runs = evaluation.drop_duplicates(["dataset", "repeat", "fold"]).groupby("dataset").size()
    planned = pd.Series({d: int((expected or {}).get(d, runs[d])) for d in rows}, dtype="int64")
    shared = part.drop_duplicates(["dataset", "repeat", "fold"]).groupby("dataset").size()
    shared = shared.reindex(rows, fill_value=0)

    whole = counts.eq(shared, axis=0) & counts.gt(0)
    live = [d for d in rows if shared[d] > 0]
    without |= {d: f"no method has a value of {definition.name} at {tops[d]}" for d in rows if d not in live}
    dropped: dict[str, str] = {} if live else dict.fromkeys(names, "no data set has a value")
    kept, compared = [m for m in names if m not in dropped], list(live)
    while not (holes := ~whole.loc[compared, kept]).empty and holes.to_numpy().any():
        of_methods, of_datasets = holes.mean(axis=0), holes.mean(axis=1)
        if of_methods.max() == 1.0 or (of_methods.max() >= of_datasets.max() and len(kept) > 2):
            method = str(of_methods.idxmax())
            n = int(whole.loc[live, method].sum())
            dropped[method] = f"complete on {n} of {len(live)} data sets"
            kept.remove(method)
        else:
            dataset = str(of_datasets.idxmax())
            lacking = [m for m in kept if not whole.loc[dataset, m]]
            without[dataset] = "; ".join(
                f"{m} has {counts.loc[dataset, m]} of {planned[dataset]} runs" for m in lacking
            )
            compared.remove(dataset)
    complete = means.loc[compared, kept]
    return MetricMatrix(
        definition.name,
        definition.higher_is_better,
        {d: tops[d] for d in rows},
        means,
        counts,
        planned,
        complete,
        without,
        dropped,
    )
