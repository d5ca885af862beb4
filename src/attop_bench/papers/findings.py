"""What rebuilding a paper found: its tables beside ours, its figures, and what was learnt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "ABOVE",
    "BELOW",
    "COLUMNS",
    "LEVEL",
    "NOT_COMPARABLE",
    "Comparison",
    "Findings",
    "Plot",
    "compare",
    "ours_alone",
    "printed_numbers",
    "verdict",
]

Verdict = Literal["above", "below", "level", "not comparable"]

ABOVE: Verdict = "above"
BELOW: Verdict = "below"
LEVEL: Verdict = "level"
NOT_COMPARABLE: Verdict = "not comparable"

#: What names a printed number.
KEY = ["table", "dataset", "top", "method", "metric"]

#: The columns of a comparison.
COLUMNS = [
    "dataset",
    "top",
    "metric",
    "method",
    "selection",
    "ours",
    "spread",
    "n",
    "constant",
    "printed",
    "printed_spread",
    "verdict",
    "why",
]


@dataclass(frozen=True)
class Comparison:
    """A table of the paper beside ours.

    Attributes
    ----------
    name : str
        Name of its file.
    title : str
    table : DataFrame
        With `COLUMNS` where numbers are printed; a table of ours alone has its own columns.
    note : str
        What a reader must know to read it.
    """

    name: str
    title: str
    table: pd.DataFrame
    note: str = ""


@dataclass(frozen=True)
class Plot:
    """A figure of the paper, drawn anew from our numbers.

    Attributes
    ----------
    name : str
        Name of its files.
    caption : str
        States metric, direction, n and what the spread is.
    canvas : matplotlib Figure
    data : DataFrame
        The numbers it shows.
    """

    name: str
    caption: str
    canvas: Figure
    data: pd.DataFrame


@dataclass(frozen=True)
class Findings:
    """All that is rebuilt of a paper.

    Attributes
    ----------
    title, citation : str
    answers : sequence of str
        The paper's claims, each with what we found, in a sentence.
    choices : sequence of str
        What the paper leaves open, and what was chosen.
    comparisons : sequence of Comparison
    plots : sequence of Plot
    own : mapping of str to str
        The paper's methods, as ours are called -> as its printed numbers are; all others are baselines.
    """

    title: str
    citation: str
    answers: Sequence[str] = ()
    choices: Sequence[str] = ()
    comparisons: Sequence[Comparison] = ()
    plots: Sequence[Plot] = field(default_factory=tuple)
    own: Mapping[str, str] = field(default_factory=dict)


def printed_numbers(paper: str) -> pd.DataFrame:
    """Return a paper's printed numbers: `KEY`, ``mean`` and ``std``."""
    text = files("attop_bench.papers") / "printed" / f"{paper}.csv"
    with text.open(encoding="utf-8") as file:
        return pd.read_csv(file, dtype=dict.fromkeys(KEY, str))


def verdict(
    ours: float, spread: float, printed: float, printed_spread: float = math.nan
) -> tuple[Verdict, str]:
    """Return the verdict on a mean, and why.

    Parameters
    ----------
    ours, spread : float
        Mean and standard deviation over the runs.
    printed, printed_spread : float
        The paper's. NaN where it prints none.

    Returns
    -------
    verdict : str
        ``"level"`` if the two means differ by no more than the smaller standard deviation, or than the only
        one there is; else ``"above"`` or ``"below"``, of ours; ``"not comparable"`` if a mean is missing
        or there is no spread. A spread of 0, as of a few runs with equal values, is none.
    why : str
        Reason why they cannot be compared, or what the comparison leaned on; may be empty.

    Examples
    --------
    >>> verdict(0.94, 0.02, 0.89, 0.04)
    ('above', '')
    >>> verdict(0.94, 0.06, 0.89, 0.05)
    ('level', '')
    """
    if math.isnan(printed):
        return NOT_COMPARABLE, "the paper prints no number"
    if math.isnan(ours):
        return NOT_COMPARABLE, "no number of ours"
    spreads = [s for s in (spread, printed_spread) if s > 0]
    if not spreads:
        return NOT_COMPARABLE, "neither number has a spread"
    why = ""
    if not printed_spread > 0:
        why = "the paper prints no spread: ours alone decides"
    elif not spread > 0:
        why = "ours has no spread: the paper's alone decides"
    # Printed numbers are rounded: a difference of exactly one spread is not to hang on the last bit.
    if abs(ours - printed) <= min(spreads) + 1e-12:
        return LEVEL, why
    return (ABOVE if ours > printed else BELOW), why


def compare(
    printed: pd.DataFrame,
    summary: pd.DataFrame,
    datasets: dict[str, tuple[str, str]],
    *,
    not_comparable: dict[str, str] | None = None,
) -> pd.DataFrame:
    """Put printed numbers beside ours.

    Parameters
    ----------
    printed : DataFrame
        Rows of `printed_numbers`; method, top and metric named as in the benchmark.
    summary : DataFrame
        See `attop_bench.report.compute.tables.summarise`.
    datasets : dict
        Data set of the benchmark -> (data set as printed, how parameters were selected).
    not_comparable : dict, optional
        Metric -> why its printed numbers are not what we compute.

    Returns
    -------
    table : DataFrame
        `COLUMNS`; one row per printed number and data set of the benchmark. ``constant`` counts those of
        the n runs whose model ranks nothing. Where ours is missing, ``why`` says so.
    """
    reasons = not_comparable or {}
    ours = summary.set_index(["dataset", "top", "metric", "method"])
    rows: list[dict[str, Any]] = []
    for row in printed.itertuples():
        for dataset, (name, selection) in datasets.items():
            if name != row.dataset:
                continue
            key = (dataset, row.top, row.metric, row.method)
            mean, std, n, constant = (
                ours.loc[key, ["mean", "std", "n", "n_constant"]]
                if key in ours.index
                else (float("nan"), float("nan"), 0, 0)
            )
            judged, why = verdict(mean, std, row.mean, row.std)
            if row.metric in reasons:
                judged, why = NOT_COMPARABLE, reasons[row.metric]
            values = (row.dataset, row.top, row.metric, row.method, selection)
            numbers = (mean, std, int(n), int(constant), row.mean, row.std, judged, why)
            rows.append(dict(zip(COLUMNS, values + numbers, strict=True)))
    return pd.DataFrame(rows, columns=COLUMNS)


def ours_alone(
    printed: pd.DataFrame, summary: pd.DataFrame, datasets: dict[str, tuple[str, str]]
) -> pd.DataFrame:
    """Return what was run and is not printed; parameters as for `compare`.

    Returns
    -------
    table : DataFrame
        One row per data set of the benchmark, top, metric and method, without the columns of a verdict.
    """
    key = ["dataset", "top", "metric", "method"]
    rows = summary[summary["dataset"].isin(list(datasets))]
    rows = rows.assign(
        dataset=rows["dataset"].map(lambda d: datasets[d][0]),
        selection=rows["dataset"].map(lambda d: datasets[d][1]),
    )
    known = set(printed[key].itertuples(index=False, name=None))
    rows = rows[[k not in known for k in rows[key].itertuples(index=False, name=None)]]
    rows = rows.rename(columns={"mean": "ours", "std": "spread", "n_constant": "constant"})
    return rows[COLUMNS[: COLUMNS.index("printed")]].reset_index(drop=True)
