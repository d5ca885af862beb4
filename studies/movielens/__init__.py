"""Printed orderings of table 3, its methods trained in several ways: those that hold, and why."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from attop_bench.papers.findings import Findings, Plot, Tables, printed_numbers
from attop_bench.papers.pictures import dumbbells
from attop_bench.run.paper import Simulation
from studies.papk2020 import CITATION, PRINTED, three_ways

#: A split each, so that they run side by side.
SIMULATIONS = {
    f"ways_{split}": Simulation("studies.movielens.ways.ways", ("movielens",), {"split": split})
    for split in range(5)
}

_WAYS = ("code", "words", "exact")


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the ways beside the printed numbers, and the orderings that hold; ``"ways_0"`` on are used."""
    splits = [table for name, table in results.items() if name.startswith("ways_") and len(table)]
    printed = printed_numbers(PRINTED)
    ways = side_by_side(pd.concat(splits), printed[printed["dataset"] == "movielens"])
    return {"ways": ways, "orderings": orderings(ways)}


def findings(tables: Tables) -> Findings:
    """Return the findings alone, without the paper's page."""
    ways = tables["ways"]
    top = sorted(set(ways["k"]))[2]
    at = ways[(ways["k"] == top) & ways["printed"].notna()]
    parts = {
        f"{way}, k={top}": its.assign(row=its["method"], ours=its["mean"], verdict="open")
        for way, its in at.groupby("way", sort=False)
    }
    return Findings(
        title="The pAp@k metric, ICML 2020: MovieLens, its methods trained three ways",
        citation=CITATION,
        verdict=["**A part of the page of [PAP](../papk2020/README.md).**"],
        picture=Plot("ways", "Printed (hollow) and ours", dumbbells(parts, "micro-pAp@k", 2.6)),
        tables=[three_ways(ways, tables["orderings"])],
    )


def side_by_side(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Return the ways beside each other, from the tables of `studies.movielens.ways.ways` of all splits.

    One row per method, way and k: ``mean`` over splits of the mean over starts; ``spread``, the standard
    deviation of the latter over ``splits``; ``spread_starts``, the mean over splits of the standard deviation
    over ``starts``, NaN for one; ``constant``, models that rank nothing; ``choice``, how settings
    are chosen; ``printed``.
    """
    each = runs.groupby(["method", "way", "k", "split"], sort=False).agg(
        mean=("value", "mean"),
        std=("value", "std"),
        starts=("value", "size"),
        constant=("constant", "sum"),
        choice=("choice", "first"),
    )
    groups = each.groupby(["method", "way", "k"], sort=False)
    table = groups.agg(
        choice=("choice", "first"),
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
    ``cause``, the ways in which it does; and ``within_starts``, whether the printed difference is below the
    larger spread over starts of the two as their code trains them, and so may be one of the start alone.
    """
    told = table[table["printed"].notna()]
    means = told.pivot(index=["k", "method"], columns="way", values="mean").reindex(columns=list(_WAYS))
    starts = told[told["way"] == "code"].set_index(["k", "method"])["spread_starts"]
    numbers = told.groupby(["k", "method"])["printed"].first()
    rows = []
    for k in sorted(set(told["k"])):
        for pair in combinations(numbers[k].index, 2):
            lower, higher = sorted(pair, key=lambda m: numbers[k, m])
            gap = numbers[k, higher] - numbers[k, lower]
            differences = means.loc[(k, higher)] - means.loc[(k, lower)]
            holds = {way: None if np.isnan(d) else bool(d > 0) for way, d in differences.items()}
            chance = np.nanmax([starts.get((k, m), 0.0) for m in pair] + [0.0])
            rows.append((k, higher, lower, gap, *holds.values(), _cause(*holds.values()), bool(gap < chance)))
    columns = ["k", "higher", "lower", "printed", *_WAYS, "cause", "within_starts"]
    return pd.DataFrame(rows, columns=columns)


def _cause(code: bool | None, words: bool | None, exact: bool | None) -> str:
    if words and exact:
        return "not the code" if code is False else "every way"
    if words:
        return "descent"
    if exact:
        return "the optimum"
    return "the code" if code else "none"
