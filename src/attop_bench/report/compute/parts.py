"""Parts of the rows, such as regions: their share of a method's list, and how good it is in each."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from attop.experiment import ratio_of_sums

#: What a share or a precision has: itself and its 95% interval.
_ENDS = ("", "_low", "_high")


def parts_of_lists(
    parts: pd.DataFrame, runs: pd.DataFrame, alike: Mapping[str, float] | None = None
) -> pd.DataFrame:
    """Return the share and the precision of each part among the first k, with 95% intervals.

    Parameters
    ----------
    parts, runs : DataFrame
        The tables of these names of `attop_bench.run.tables.TABLES`.
    alike : mapping of str to float, optional
        Data set -> rows that are worth one, where rows of an entity are alike.

    Returns
    -------
    DataFrame
        A row for each data set, method, top and part: `of_all`, its share of the rows, `positive`, the share
        of positives in it, `share` and `precision` among the first k, each with `_low` and `_high`.
    """
    rows = []
    for key, listed in parts.groupby(["dataset", "method", "top", "column"], sort=False):
        dataset, method, top, _ = key
        method_runs = runs[(runs["dataset"] == dataset) & (runs["method"] == method) & (runs["top"] == top)]
        sizes = method_runs[["n_test", "n_train"]].sum()
        ratio = float(sizes["n_test"] / sizes["n_train"]) if sizes["n_train"] > 0 else math.nan
        worth = (alike or {}).get(str(dataset), 1.0)
        by_run = listed.pivot_table(["rows", "positives", "among", "found"], ["repeat", "fold"], "part")
        for name in dict.fromkeys(listed["part"]):
            one, among = by_run.xs(name, axis=1, level="part"), by_run["among"]
            share = ratio_of_sums(one["among"].to_numpy(), among.sum(axis=1).to_numpy(), ratio, worth)
            precision = ratio_of_sums(one["found"].to_numpy(), one["among"].to_numpy(), ratio, worth)
            n = float(one["rows"].sum())
            row = dict(zip(("dataset", "method", "top", "column"), key, strict=True))
            row |= {"part": name, "of_all": n / float(by_run["rows"].to_numpy().sum())}
            row |= {"positive": float(one["positives"].sum()) / n if n else math.nan}
            row |= {f"share{end}": value for end, value in zip(_ENDS, share, strict=True)}
            row |= {f"precision{end}": value for end, value in zip(_ENDS, precision, strict=True)}
            rows.append(row)
    return pd.DataFrame(rows)
