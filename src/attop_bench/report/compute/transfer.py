"""What models trained for one top are worth at another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attop.core.wording import fine
from attop.metrics.registry import get_metric
from attop_bench.report.compute.tops import sort_tops

__all__ = ["Transfer", "transfer"]


@dataclass(frozen=True)
class Transfer:
    """Values and regrets of one method on one data set.

    Attributes
    ----------
    method : str
    tops : tuple of str
    value : ndarray of shape (t, t)
        Mean over the runs that have all of them: trained for the row's top, evaluated at the column's.
    regret : ndarray of shape (t, t)
        By how much worse than training for the column's top itself; negative where training for another
        top is better. The diagonal is 0.
    se : ndarray of shape (t, t)
        Standard error of the regret, run by run; NaN for a single run.
    n, n_expected : int
        Runs with all values, and runs of the method.
    """

    method: str
    tops: tuple[str, ...]
    value: np.ndarray
    regret: np.ndarray
    se: np.ndarray
    n: int
    n_expected: int

    def reading(self) -> str:
        """Say what training for the wrong top costs at worst."""
        if self.n == 0:
            return "no run has a value at every pair of tops"
        if np.abs(self.regret).max() == 0:
            return "the same at every top: what it learns does not depend on the top, or not here"
        row, column = np.unravel_index(int(np.argmax(self.regret)), self.regret.shape)
        if self.regret[row, column] <= 0:
            return "no top is better trained for directly than by way of another"
        return (
            f"at most {fine(float(self.regret[row, column]))}: trained for {self.tops[row]}, "
            f"used at {self.tops[column]}"
        )


def transfer(cross: pd.DataFrame, dataset: str, methods: Sequence[str]) -> list[Transfer]:
    """Average the table ``cross`` over the runs of one data set.

    Parameters
    ----------
    cross : DataFrame
        dataset, method, repeat, fold, top (trained for), at (evaluated at), metric (one), value.
    dataset : str
    methods : sequence of str
        In the order wanted.

    Returns
    -------
    transfers : list of Transfer
        Of the methods with values; empty with fewer than two tops.
    """
    part = cross[cross["dataset"] == dataset]
    tops = sort_tops(part["top"])
    if len(tops) < 2:
        return []
    found = []
    for method in methods:
        its = part[part["method"] == method]
        if its.empty:
            continue
        higher = get_metric(its["metric"].iloc[0]).higher_is_better
        wide = its.pivot(index=["repeat", "fold"], columns=["top", "at"], values="value")
        wide = wide.reindex(columns=pd.MultiIndex.from_product([tops, tops]))
        whole = wide.dropna()
        values = whole.to_numpy(float).reshape(-1, len(tops), len(tops))
        direct = np.diagonal(values, axis1=1, axis2=2)[:, None, :]
        regret = (direct - values) * (1.0 if higher else -1.0)
        n = len(values)
        nothing = np.full((len(tops),) * 2, np.nan)
        found.append(
            Transfer(
                method,
                tuple(tops),
                values.mean(axis=0) if n else nothing,
                regret.mean(axis=0) if n else nothing,
                regret.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else nothing,
                n,
                len(wide),
            )
        )
    return found
