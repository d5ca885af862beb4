"""Parts of the rows, such as regions, on a model's list: their share of it, and how good it is in each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attop.experiment import HeldOut, parts_at_top
from attop.extending import Top
from attop_bench.data.base import Dataset
from attop_bench.run.record import Record

if TYPE_CHECKING:
    import pandas as pd


def parts_of(
    top: Top, dataset: Dataset, records: Sequence[Record], ratio: float
) -> pd.DataFrame | None:
    """Measure the share and the precision of each part of a data set in the first k of a model's test parts.

    None where the data set names no parts; the columns are those of `attop.experiment.parts_at_top`.
    """
    parts = dataset.parts
    if parts is None:
        return None
    tested = [
        HeldOut(one.test, dataset.y[one.test], one.scores[0]) for one in records
    ]
    table = parts_at_top(
        {"model": tested},
        parts,
        top,
        ratio,
        y=dataset.y,
        groups=dataset.groups,
        entity=dataset.entity,
    )
    return table.loc["model"]


def part_lines(table: pd.DataFrame) -> Iterator[str]:
    """Write the parts as a table of Markdown."""
    yield f"| {table.index.name} | rows | of all | of the list | precision there |"
    yield "|---|---:|---:|---:|---:|"
    for name, row in table.iterrows():
        share = _with_interval(row["share"], row["share_low"], row["share_high"])
        precision = _with_interval(
            row["precision"], row["precision_low"], row["precision_high"]
        )
        yield f"| {name} | {row['rows']:,.0f} | {row['of_all']:.1%} | {share} | {precision} |"


def _with_interval(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return "none on the list"
    return (
        f"{value:.1%}"
        if math.isnan(low)
        else f"{value:.1%} ({low:.1%} to {high:.1%})"
    )
