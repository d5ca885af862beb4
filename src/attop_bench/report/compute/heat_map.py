"""Every method on every data set and top: how far from the best, and whether it is told apart from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from attop_bench.report.compute.comparison import Lead, default_rope

__all__ = ["SHADES", "Cell", "Column", "HeatMap", "Row", "by_chance", "heat_map"]

#: A mean this many ropes behind the best has the shade of that place; further behind, the last.
SHADES = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Column:
    """A data set at one top, by one metric; `chance` is the value of a random order, NaN if not known."""

    dataset: str
    top: str
    metric: str
    chance: float = math.nan


@dataclass(frozen=True)
class Cell:
    """A method in a column.

    Attributes
    ----------
    mean : float
    shade : int
        Place of the distance to the best in `SHADES`; -1 without a value or not ranked.
    state : str
        "best", "level" (not told apart from the best), "worse", "untested", "unranked" (fewer runs than
        others have) or "absent".
    n, m : int
        Runs with a value, of those there are.
    """

    mean: float = math.nan
    shade: int = -1
    state: str = "absent"
    n: int = 0
    m: int = 0


@dataclass(frozen=True)
class Row:
    """A method, its mean rank over the data sets (NaN where it was left out) and its cells."""

    method: str
    rank: float
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class HeatMap:
    """Rows by mean rank, methods left out of the ranking last; columns by data set and top."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def chance(self) -> bool:
        """Whether the value of a random order is known in any column."""
        return any(not math.isnan(column.chance) for column in self.columns)


def heat_map(
    table: pd.DataFrame,
    leads: Mapping[str, Sequence[Lead]],
    ranks: Mapping[str, float],
    about: Mapping[str, Mapping[str, Any]],
) -> HeatMap:
    """Lay out the methods against the data sets and their tops.

    Parameters
    ----------
    table : DataFrame
        What `attop_bench.report.compute.tables.standings` returned.
    leads : mapping
        Data set -> the comparison at each of its tops.
    ranks : mapping
        Method -> mean rank over the data sets, best first, NaN where it has none.
    about : mapping
        Data set -> its facts: items, positives, groups.
    """
    every = [lead for its in leads.values() for lead in its]
    columns = tuple(
        Column(a.dataset, a.top, a.metric, by_chance(a.metric, about.get(a.dataset, {}))) for a in every
    )
    key = ["dataset", "top", "metric", "method"]
    values = table.set_index(key)[["mean", "n", "n_expected", "ranked", "gap"]]
    found = {k: tuple(row) for k, row in zip(values.index, values.itertuples(index=False), strict=True)}
    rows = [
        Row(
            method,
            rank,
            tuple(_cell(a, method, found.get((a.dataset, a.top, a.metric, method))) for a in every),
        )
        for method, rank in ranks.items()
    ]
    return HeatMap(columns, tuple(sorted(rows, key=lambda row: (math.isnan(row.rank), row.rank))))


def _cell(lead: Lead, method: str, found: tuple[Any, ...] | None) -> Cell:
    if found is None or not found[1]:
        return Cell(m=lead.m)
    mean, n, m, ranked, gap = found
    if not ranked:
        return Cell(float(mean), -1, "unranked", int(n), int(m))
    state = (
        "best"
        if method in (lead.best, *lead.tied)
        else "level"
        if method in lead.level
        else "untested"
        if method in lead.untested
        else "worse"
    )
    rope = default_rope(lead.metric)
    unit = rope if rope == rope else 0.01 * abs(lead.mean) or 1.0
    # the page's script has nine digits of each value, and must put a gap of whole ropes in the same place
    shade = sum(gap > ropes * unit * (1 + 1e-6) for ropes in SHADES)
    return Cell(float(mean), shade, state, int(n), int(m))


def by_chance(metric: str, about: Mapping[str, Any]) -> float:
    """Return the expected value of a metric when the items are in random order; NaN if that is not known.

    Known for the area under the ROC curve, 1/2, and for precision@k without groups, the share of positives.
    """
    if metric == "auc":
        return 0.5
    items, positives = about.get("items"), about.get("positives")
    if metric == "precision@k" and items and positives is not None and not about.get("groups"):
        return float(positives / items)
    return math.nan
