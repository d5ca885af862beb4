"""All that is to be said against a table, at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from attop.core.wording import few
from attop.metrics.roc import auc
from attop_bench.data.kinds.columns import MANY_VALUES, positives
from attop_bench.data.look.column import Column
from attop_bench.data.look.label import Candidate

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["complaints"]

#: A feature that tells the label this well alone is most likely known only afterwards.
_LEAK = 0.99


def complaints(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    label: Candidate | None,
    named: bool,
    twins: Mapping[str, str],
    copies: int,
) -> Iterator[str]:
    """Yield all that is to be said against a table, a sentence each.

    Parameters
    ----------
    frame : DataFrame
        The cleaned table.
    columns : sequence of Column
    label : Candidate or None
    named : bool
        Whether the user named the label.
    twins : mapping of str to str
        See `attop_bench.data.look.Look`.
    copies : int
        Rows whose features are those of a row before.
    """
    if label is None:
        yield "no column has two values: name the label, --label COLUMN --positive VALUE"
    else:
        yield from _of_the_label(frame[label.column], label, named)
    by_kind: dict[str, list[Column]] = {}
    for column in columns:
        by_kind.setdefault(column.kind, []).append(column)
    for kind, what in (
        ("empty", "no value at all: dropped"),
        ("unusable", "infinite numbers, or no single values: dropped"),
        ("constant", "one value only: dropped"),
        ("identifier", "names things, not kinds of things: dropped"),
        ("date", "dates: no feature; make numbers of them, such as an age in days, to use them as one"),
        ("entity", "names what comes back in many rows: no feature, and kept on one side of a split"),
    ):
        if kind in by_kind:
            yield f"{few([column.name for column in by_kind[kind]])}: {what}"
    for column in by_kind.get("text of numbers", ()):
        if column.marks:
            yield f"{column.name}: numbers but for {', '.join(map(repr, column.marks))}, taken as missing"
        else:
            remedy = "read with decimal: ','" if column.comma else "dropped; write plain numbers to use them"
            yield f"{column.name}: numbers written as text, such as {column.example!r}: {remedy}"
    gaps = [c for c in columns if c.missing and c.is_feature and (label is None or c.name != label.column)]
    if gaps:
        worst = max(gaps, key=lambda c: c.missing)
        yield f"{len(gaps)} features have gaps, up to {worst.missing:.0%} ({worst.name}): filled by impute"
    many = [c for c in columns if c.kind == "category" and c.distinct > MANY_VALUES]
    if many:
        names = few([c.name for c in many])
        yield f"{names}: over {MANY_VALUES} categories, the rare ones are pooled by max_categories"
    for name, earlier in twins.items():
        yield f"{name}: the same values as {earlier}: dropped"
    if copies:
        yield f"{copies:,} rows have the features of a row before: kept on one side of every split"
    if label is not None:
        yield from _leaks(frame, columns, label)


def _of_the_label(values: pd.Series, label: Candidate, named: bool) -> Iterator[str]:
    if not named:
        yield f"the label is guessed: {label.column}; name it by --label if it is another"
    if lacking := int(values.isna().sum()):
        yield f"{label.column}: {lacking:,} rows have no label: drop them, or no run is possible"
    if values.nunique() > 2:
        yield f"{label.column}: {values.nunique():,} values; {label.positive!r} is positive, no other is"
    if (n_pos := round(label.share * len(values))) < 50:
        yield f"{label.column}: {n_pos} positives, so few that no difference between models will show"


def _leaks(frame: pd.DataFrame, columns: Sequence[Column], label: Candidate) -> Iterator[str]:
    import pandas as pd

    y = positives(frame[label.column], label.positive, "")
    if y.all():
        return
    for column in columns:
        values = frame[column.name]
        if column.name == label.column or not pd.api.types.is_numeric_dtype(values) or not column.is_feature:
            continue
        numbers = values.astype(float)
        area = auc(y.astype(int), numbers.fillna(numbers.median()).to_numpy())
        if (alone := max(area, 1 - area)) >= _LEAK:
            yield f"{column.name}: tells the label nearly alone (AUC {alone:.3f}): is it known beforehand?"
