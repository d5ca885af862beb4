"""Mean ROC curves of several runs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from attop.core.top import Top
from attop.core.typing import Floats

__all__ = ["left_end", "mean_roc", "tpr_at"]


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
