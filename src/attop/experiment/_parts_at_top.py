"""Parts of the rows at the top of a list: their share of the first k, and the precision in each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attop._core.sample import lists_of
from attop._core.top import Top
from attop._core.typing import Floats, Ints
from attop.experiment._forecast import HeldOut
from attop.experiment._interval import Units, interval
from attop.experiment._parts import Parts
from attop.metrics._overlap import inside_top
from attop.statistics._effective import likeness_within

if TYPE_CHECKING:
    import pandas as pd


def parts_at_top(
    models: dict[str, list[HeldOut]],
    parts: Parts,
    top: Top,
    ratio: float,
    *,
    y: Ints,
    groups: NDArray[Any] | None = None,
    entity: Ints | None = None,
) -> pd.DataFrame:
    """Tabulate the share and the precision of each part among the first k, one row a model and part.

    Rows are counted whatever they weigh, tied rows by the share of their orders in which they are among the
    first k. Counts are summed over all test parts, so that no run is undefined for lack of such rows. An
    interval is that of a mean over runs (`interval`), of what each run adds to the ratio of the sums, and is
    never narrower than the exact one of as many independent rows.

    Parameters
    ----------
    models : dict of str to list of HeldOut
    parts : Parts
    top : Top
        Of each test part, or of each of its groups.
    ratio : float
        Test items per training item.
    y, groups, entity : ndarray of shape (n,)
        Of all rows.
    """
    import pandas as pd

    rows = []
    for model, tested in models.items():
        alike = likeness_within([one.rows for one in tested], y, entity)
        counts = np.array(
            [counts_at_top(one, parts, top, groups) for one in tested]
        )
        for code, name in enumerate(parts.names):
            inside = parts.codes == code
            share = ratio_of_sums(
                counts[:, code, 0], counts[:, :, 0].sum(axis=1), ratio, alike
            )
            precision = ratio_of_sums(
                counts[:, code, 1], counts[:, code, 0], ratio, alike
            )
            named = {"model": model, parts.column: name, "rows": int(inside.sum())}
            named |= {
                "of_all": float(inside.mean()),
                "positive": float(y[inside].mean()),
            }
            for column, values in (("share", share), ("precision", precision)):
                columns = (column, f"{column}_low", f"{column}_high")
                named |= dict(zip(columns, values, strict=True))
            rows.append(named)
    return pd.DataFrame(rows).set_index(["model", parts.column])


def counts_at_top(
    tested: HeldOut, parts: Parts, top: Top, groups: NDArray[Any] | None
) -> Floats:
    """Count the expected rows and positives of each part among the first k of a test part: (parts, 2)."""
    lists: Sequence[Any] = (
        [slice(None)] if groups is None else lists_of(groups[tested.rows])
    )
    counts = np.zeros((len(parts.names), 2))
    for one in lists:
        labels = tested.y_true[one]
        scores = tested.y_score[one]
        try:
            k = top.resolve(len(labels), int(labels.sum()))
        except ValueError:  # a list shorter than k has no top
            continue
        among = inside_top(scores, k)
        codes = parts.codes[tested.rows[one]]
        counts[:, 0] += np.bincount(codes, among, len(counts))
        counts[:, 1] += np.bincount(codes, among * labels, len(counts))
    return counts


def ratio_of_sums(
    above: Floats, below: Floats, ratio: float, alike: float
) -> tuple[float, float, float]:
    """Estimate a ratio of sums over runs, with its interval; NaN where the denominator is 0."""
    total = float(below.sum())
    if total <= 0:
        return math.nan, math.nan, math.nan
    share = min(float(above.sum()) / total, 1.0)
    mean = total / len(below)
    of_each_run = share + (above - share * below) / mean
    units = Units(max(mean / alike, 1e-9), hits=True)
    return (share, *interval(of_each_run, ratio, units=units, bounds=(0.0, 1.0)))
