"""Which printed orderings of table 3 hold, its methods trained in which way, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from attop_bench.papers.findings import Comparison, Findings, printed_numbers
from attop_bench.run.paper import Simulation

__all__ = ["SIMULATIONS", "findings", "orderings", "side_by_side"]

#: A split each, so that they run side by side.
SIMULATIONS = {
    f"ways_{split}": Simulation("studies.movielens.ways.ways", ("movielens",), {"split": split})
    for split in range(5)
}

#: Cause -> what it says of an ordering.
CAUSES = {
    "every way": "hold in every way the methods were trained",
    "not the code": "hold as worded and at the optimum, not as the code trains them",
    "the code": "hold as the code trains them alone",
    "descent": "hold with what is descended as worded, not at the optimum",
    "the optimum": "hold at the optimum, not with what is descended as worded",
    "none": "hold in no way",
}
_WAYS = ("code", "words", "exact")

_WAYS_NOTE = (
    "code: as the authors' public code trains them (121 steps; the iterate of the lowest loss without "
    "regulariser; SGD@k-avg with one k' for all users; Greedy-pAp@k's classifiers moved by one number for "
    "all weights). words: as the paper words them, by descent of as many steps. exact: at the optimum. "
    "Settings by the validation part, for each start. mean and spread over splits, spread_starts over starts "
    "within a split; constant: models that rank nothing."
)
_ORDERINGS_NOTE = (
    "Whether each holds with the methods trained in each way, and what follows of it; within_starts: the "
    "printed difference is below the spread over starts, as the code trains them, of one of the two."
)


def findings(tables: Mapping[str, pd.DataFrame], story: Mapping[str, Any]) -> Findings:
    """Return the ways beside the printed numbers, and the orderings that hold; ``"ways_0"`` on are used."""
    splits = [table for name, table in tables.items() if name.startswith("ways_") and len(table)]
    printed = printed_numbers("papk2020")
    ways = side_by_side(pd.concat(splits), printed[printed["dataset"] == "movielens"])
    found = orderings(ways)
    return Findings(
        title="The pAp@k metric, ICML 2020: MovieLens, its methods trained three ways",
        citation="G. Hiranandani, W. Vijitbenjaronk, S. Koyejo, P. Jain. Optimization and Analysis of the "
        "pAp@k Metric for Recommender Systems. ICML 2020.",
        answers=list(sentences(found, ways)),
        choices=[
            "5 splits, 10 starts of what is descended, lambda 0.001; eta 0.5 as worded and 0.2 as the code "
            "has it, 121 steps. What is exact chooses lambda of 0.1, 0.01, 0.001 by the validation part."
        ],
        comparisons=[
            Comparison("ways", "MovieLens, the methods trained three ways", ways, _WAYS_NOTE),
            Comparison("orderings", "The printed orderings of two methods at a k", found, _ORDERINGS_NOTE),
        ],
    )


def side_by_side(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Return the ways beside each other, from the tables of `studies.movielens.ways.ways` of all splits.

    One row per method, way and k: ``mean`` over splits of the mean over starts; ``spread``, the standard
    deviation of the latter over ``splits``; ``spread_starts``, the mean over splits of the standard deviation
    over ``starts``, NaN for one; ``constant``, models that rank nothing; ``printed``.
    """
    each = runs.groupby(["method", "way", "k", "split"], sort=False).agg(
        mean=("value", "mean"), std=("value", "std"), starts=("value", "size"), constant=("constant", "sum")
    )
    groups = each.groupby(["method", "way", "k"], sort=False)
    table = groups.agg(
        mean=("mean", "mean"),
        spread=("mean", "std"),
        spread_starts=("std", "mean"),
        splits=("mean", "size"),
        starts=("starts", "max"),
        constant=("constant", "sum"),
    ).reset_index()
    told = {(row.method, int(row.top.removeprefix("k="))): row.mean for row in printed.itertuples()}
    table["printed"] = [told.get(key, np.nan) for key in zip(table["method"], table["k"], strict=True)]
    return table


def orderings(table: pd.DataFrame) -> pd.DataFrame:
    """Return every printed ordering of two methods at a k, in which ways it holds, and its cause.

    From what `side_by_side` returned: ``k``, ``higher`` and ``lower`` as printed, ``printed`` (the
    difference); for each way whether it holds there (missing where one of the two was not trained so);
    ``cause``, a key of `CAUSES`; and ``within_starts``, whether the printed difference is below the larger
    spread over starts of the two as their code trains them, and so may be one of the start alone.
    """
    told = table[table["printed"].notna()]
    means = told.pivot(index=["k", "method"], columns="way", values="mean").reindex(columns=list(_WAYS))
    starts = told.pivot(index=["k", "method"], columns="way", values="spread_starts").reindex(
        columns=["code"]
    )
    numbers = told.groupby(["k", "method"])["printed"].first()
    rows = []
    for k in sorted(set(told["k"])):
        for pair in combinations(numbers[k].index, 2):
            lower, higher = sorted(pair, key=lambda m: numbers[k, m])
            gap = numbers[k, higher] - numbers[k, lower]
            differences = means.loc[(k, higher)] - means.loc[(k, lower)]
            holds = {way: None if np.isnan(d) else bool(d > 0) for way, d in differences.items()}
            chance = np.nanmax([starts.loc[(k, m), "code"] for m in pair] + [0.0])
            rows.append((k, higher, lower, gap, *holds.values(), _cause(*holds.values()), bool(gap < chance)))
    columns = ["k", "higher", "lower", "printed", *_WAYS, "cause", "within_starts"]
    return pd.DataFrame(rows, columns=columns)


def sentences(found: pd.DataFrame, table: pd.DataFrame) -> Iterator[str]:
    """Say how many orderings hold in each way, what is behind them, and where the printed numbers lie."""
    held = [f"{int(found[way].eq(True).sum())} of {found[way].notna().sum()} {said}" for way, said in _SAID]
    count = found["cause"].value_counts()
    yield f"Of the paper's {len(found)} orderings of two methods at a k there hold {', '.join(held)}."
    causes = "; ".join(f"{count.get(cause, 0)} {words}" for cause, words in CAUSES.items())
    chance = int(found["within_starts"].sum())
    yield (
        f"What is behind them (orderings.csv): {causes}. {chance} of the printed differences are below the "
        "spread over starts of the baselines' code."
    )
    lines = table[table["way"] == "reference"]
    wide = lines.pivot(index="k", columns="method", values="mean")
    by_k = table[table["printed"].notna()].groupby("k")["printed"]
    for k, low, high in zip(wide.index, by_k.min(), by_k.max(), strict=True):
        said = ", ".join(f"{name} {value:.3f}" for name, value in wide.loc[k].items())
        yield f"MovieLens, k={k}: printed from {low:.3f} to {high:.3f}; reference lines {said} (ways.csv)."


_SAID = (
    ("code", "as the authors' code trains the methods, without Select-pAp@k"),
    ("words", "as the paper words them"),
    ("exact", "at the optimum of each objective"),
)


def _cause(code: bool | None, words: bool | None, exact: bool | None) -> str:
    if words and exact:
        return "not the code" if code is False else "every way"
    if words:
        return "descent"
    if exact:
        return "the optimum"
    return "the code" if code else "none"
