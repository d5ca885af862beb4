"""Items among the first k, by method: found by one, missed by another; places that ties decide."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from attop_bench.report.compute.tables import RUN, rows_of


@dataclass(frozen=True)
class Pair:
    """Items of a draw of the folds that two methods list, on average.

    One of tied items counts as a share, one of several test parts in each. `positives` and `others` are
    listed by both, by the first alone, by the second alone; of the positives the last are listed by neither.
    """

    first: str
    second: str
    positives: list[float]
    others: list[float]


def _items(listed: pd.DataFrame) -> pd.DataFrame:
    """Unfold a row for each item of each run's list."""
    return (
        listed.explode(["row", "label", "listed"])
        .dropna(subset="row")
        .astype({"listed": float})
    )


def found_by(listed: pd.DataFrame) -> pd.DataFrame:
    """Count for each item and method in how many test parts of a repeat it is listed, on average.

    `listed` is the table of this name of `attop_bench.run.tables.TABLES`.
    """
    parts = []
    for _, part in listed.groupby("dataset", sort=False):
        key = ["dataset", "top", "row", "label"]
        times = _items(part).pivot_table(
            "listed", key, "method", "sum", fill_value=0.0
        )
        parts.append(
            (times / part.groupby("method")["repeat"].nunique()).reset_index()
        )
    nothing = pd.DataFrame(columns=["dataset", "top", "row", "label"])
    return pd.concat(parts, ignore_index=True) if parts else nothing


def compare_lists(listed: pd.DataFrame, first: str, second: str) -> Pair | None:
    """Compare the lists of two methods on one data set, over the runs of both; None without any."""
    key = [*RUN, "row", "label"]
    a, b = (rows_of(listed, method=method) for method in (first, second))
    shared = a[[*RUN, "n_pos"]].merge(b[RUN])
    if shared.empty:
        return None
    own = [_items(one.merge(shared[RUN]))[[*key, "listed"]] for one in (a, b)]
    items = (
        own[0]
        .merge(own[1], on=key, how="outer")
        .fillna({"listed_x": 0.0, "listed_y": 0.0})
    )
    p = items["listed_x"]
    q = items["listed_y"]
    shares = (
        pd.DataFrame({0: p * q, 1: p * (1 - q), 2: q * (1 - p)})
        .groupby(items["label"])
        .sum()
    )
    draws = shared["repeat"].nunique()
    positives, others = (
        (shares / draws).reindex([1, 0], fill_value=0.0).to_numpy().tolist()
    )
    return Pair(
        first,
        second,
        [*positives, shared["n_pos"].sum() / draws - sum(positives)],
        others,
    )


def tied_places(listed: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Count the places of a list that ties decide, and all of them: means, for each method with any."""
    known = listed["listed"]
    tied = known.map(lambda shares: sum(share for share in shares if share < 1))
    means = (
        pd.DataFrame({"tied": tied, "k": known.map(sum)})
        .groupby(listed["method"], sort=False)
        .mean()
    )
    return {
        str(method): (tied, k)
        for method, tied, k in means[means["tied"] > 0].itertuples()
    }
