"""What tuning chose, whether at the edge of its grid, and what it all cost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from attop_bench.report.compute.tops import sort_tops

__all__ = ["Choice", "choices", "costs"]


@dataclass(frozen=True)
class Choice:
    """What was chosen for one parameter of one method on one data set.

    Attributes
    ----------
    method, parameter : str
    grid : tuple of str
        The values tried, in the order of the grid.
    chosen : tuple of tuple of (str, int)
        For each top, the values chosen and in how many runs, the most frequent first.
    at_edge, total : int
        Selections at an end of the grid, of all selections over runs and tops.
    """

    method: str
    parameter: str
    grid: tuple[str, ...]
    chosen: tuple[tuple[tuple[str, int], ...], ...]
    at_edge: int
    total: int

    @property
    def mostly_at_edge(self) -> bool:
        """Whether at least half of the selections are at an end of the grid."""
        return self.total > 0 and 2 * self.at_edge >= self.total


def choices(
    runs: pd.DataFrame, dataset: str, methods: Sequence[str], grids: Mapping[str, Mapping[str, Sequence[Any]]]
) -> tuple[list[str], list[Choice]]:
    """Count what was chosen on a data set.

    Parameters
    ----------
    runs : DataFrame
    dataset : str
    methods : sequence of str
        In the order wanted; those without anything chosen are left out.
    grids : mapping
        Method -> parameter -> values tried; parameters with a single value are no choice and left out.

    Returns
    -------
    tops : list of str
    choices : list of Choice
    """
    part = runs[(runs["dataset"] == dataset) & (runs["status"] == "ok")]
    tops = sort_tops(part["top"])
    found = []
    for method in methods:
        its_runs = part[part["method"] == method]
        picked = [
            (t, _loads(c, {}), _loads(e, [])) for t, c, e in zip(*map(its_runs.get, _COLUMNS), strict=True)
        ]
        grid = grids.get(method, {})
        for name in dict.fromkeys(name for _, setting, _ in picked for name in setting):
            if len(grid.get(name, (0, 1))) < 2:
                continue
            counts = [Counter(_text(s[name]) for t, s, _ in picked if t == top and name in s) for top in tops]
            found.append(
                Choice(
                    method,
                    name,
                    tuple(map(_text, grid.get(name, ()))),
                    tuple(tuple(c.most_common()) for c in counts),
                    sum(name in edges for _, _, edges in picked),
                    sum(name in s for _, s, _ in picked),
                )
            )
    return tops, found


_COLUMNS = ("top", "chosen", "at_edge")


def _loads(value: Any, default: Any) -> Any:
    if isinstance(value, str):
        return json.loads(value) if value.strip() else default
    return default if value is None or value != value else value


def _text(value: Any) -> str:
    return (
        f"{value:g}" if isinstance(value, float) else value if isinstance(value, str) else json.dumps(value)
    )


def costs(runs: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the cost of each method on a data set: medians over its successful training jobs.

    Returns
    -------
    DataFrame
        Indexed by method: jobs, n_settings, selection, training, scoring (seconds of one job, which covers
        all its tops) and memory (the largest peak, MB).
    """
    part = runs[(runs["dataset"] == dataset) & (runs["status"] == "ok")]
    jobs = part.drop_duplicates(["method", "repeat", "fold"])
    return jobs.groupby("method", sort=False).agg(
        jobs=("fold", "size"),
        n_settings=("n_settings", "max"),
        selection=("seconds_selection", "median"),
        training=("seconds_training", "median"),
        scoring=("seconds_scoring", "median"),
        memory=("peak_memory_mb", "max"),
    )
