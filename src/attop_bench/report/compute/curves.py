"""Mean ROC curves, and what models trained for one top are worth at another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attop.core.top import Top, sort_tops
from attop.core.typing import Floats
from attop.core.wording import fine
from attop.metrics.registry import get_metric

__all__ = ["Transfer", "left_end", "mean_roc", "tpr_at", "transfer"]


def tpr_at(fpr: Floats, fp: Floats, tp: Floats, n_neg: int, n_pos: int) -> Floats:
    """Read one ROC curve at given false-positive rates.

    Parameters
    ----------
    fpr : ndarray of shape (m,)
        Where to read, in [0, 1].
    fp, tp : ndarray of shape (p,)
        Corners of the curve in counts; neighbours are joined by straight lines.
    n_neg, n_pos : int
        At least 1 each.

    Returns
    -------
    tpr : ndarray of shape (m,)
        Where the curve rises vertically, the upper end.
    """
    fp, tp = np.concatenate([[0], fp, [n_neg]]), np.concatenate([[0], tp, [n_pos]])
    order = np.lexsort((tp, fp))
    x, height = fp[order] / n_neg, tp[order] / n_pos
    left = np.searchsorted(x, fpr, side="right") - 1
    right = np.minimum(left + 1, len(x) - 1)
    width = x[right] - x[left]
    share = np.divide(fpr - x[left], width, out=np.zeros_like(fpr), where=width > 0)
    return height[left] + share * (height[right] - height[left])


def mean_roc(roc: pd.DataFrame, fpr: Floats) -> tuple[Floats, int]:
    """Average the ROC curves of one method vertically, the true-positive rate at each false-positive rate.

    Parameters
    ----------
    roc : DataFrame
        Corners of the curves: repeat, fold, fp, tp, n_neg, n_pos.
    fpr : ndarray of shape (m,)

    Returns
    -------
    tpr : ndarray of shape (m,)
    n : int
        Number of curves averaged; those without a positive or a negative have no rates and are left out.
    """
    curves = [
        tpr_at(
            fpr,
            run["fp"].to_numpy(float),
            run["tp"].to_numpy(float),
            int(run["n_neg"].iloc[0]),
            int(run["n_pos"].iloc[0]),
        )
        for _, run in roc[(roc["n_neg"] > 0) & (roc["n_pos"] > 0)].groupby(["repeat", "fold"])
    ]
    return (np.mean(curves, axis=0) if curves else np.full(len(fpr), np.nan)), len(curves)


def left_end(top: str, n_neg: float, n_pos: float, grouped: bool) -> float:
    """Return how much of the false-positive axis the enlarged left end shows.

    Twice the k of the top as a share of the negatives, but at least 10 negatives and at most a tenth of
    them. With groups k counts items of one group while the curve pools them all, so it is a tenth.
    """
    if grouped:
        return 0.1
    try:
        k = Top.parse(top).resolve(int(n_neg + n_pos), int(n_pos))
    except ValueError:  # more than there are items: the tenth is all there is to show
        return 0.1
    return min(0.1, max(2 * k, 10) / n_neg)


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
