"""Accuracy at the top: hinge losses about the score of one item (Boyd et al. 2012)."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import check_labels
from attop._core.typing import Floats, Ints
from attop.surrogates._base import BoundSurrogate, Surrogate

Weights = Literal["items", "pairs"]


def item_weights(
    y: ArrayLike, weights: Weights, sample_weight: Floats | None = None
) -> Ints | Floats:
    """Weigh the items of a sample once each, or once for each pair of a positive and a negative.

    With ``"items"`` each item weighs 1. With ``"pairs"`` a positive weighs ``n_neg`` and a negative
    ``n_pos``, the numbers of pairs they are part of. `sample_weight` is how often each item is in the sample;
    without it, the result is of integers.
    """
    if weights not in get_args(Weights):
        raise ValueError(f"weights must be 'items' or 'pairs', got {weights!r}")
    labels = check_labels(y)
    counts = (
        np.ones(len(labels), np.int64) if sample_weight is None else sample_weight
    )
    if weights == "items":
        return counts
    n_pos = counts[labels == 1].sum()
    n_neg = counts[labels == 0].sum()
    return counts * np.where(labels == 1, n_neg, n_pos)


class AccuracyAtTop(Surrogate):
    """AATP's surrogate with the score of item `threshold_item` in the place of the quantile.

    ``sum_neg a_i (s_i - s_k + 1)+ + sum_pos b_i (s_k - s_i + 1)+`` with k = `threshold_item`, the bracket of
    Boyd et al. (2012), problem (2). The threshold item's own term is the constant ``a_k`` (or ``b_k``).

    Parameters
    ----------
    threshold_item : int or array-like of shape (m,)
        Item k; an array gives each of m models its own.
    weights : {"items", "pairs"}, default="items"
        ``a_i`` and ``b_i``: 1, or the number of pairs of a positive and a negative that the item is in.

    Notes
    -----
    Items form one list: `groups` are not looked at.

    Differences from the paper: the paper sums over pairs, which is ``weights="pairs"``.
    """

    convex = True
    smooth = False

    def __init__(self, threshold_item: ArrayLike, weights: Weights = "items"):
        self.threshold_item = threshold_item
        self.weights = weights

    def _bind(
        self, y: ArrayLike, groups: ArrayLike | None, weight: Floats | None
    ) -> BoundSurrogate:
        labels = check_labels(y)
        threshold_item = np.asarray(self.threshold_item)
        if threshold_item.dtype.kind not in "iu" or threshold_item.ndim > 1:
            raise ValueError(
                f"threshold_item must be an item's position or a list of them, got {self.threshold_item!r}"
            )
        if (
            threshold_item.size == 0
            or threshold_item.min() < 0
            or threshold_item.max() >= len(labels)
        ):
            raise ValueError(
                f"threshold_item must lie in 0 .. {len(labels) - 1}, got {self.threshold_item!r}"
            )
        return _Bound(
            labels, item_weights(labels, self.weights, weight), threshold_item
        )


class _Bound(BoundSurrogate):
    n_groups = 1
    n_left_out = 0

    def __init__(self, labels: Ints, weight: Ints | Floats, threshold_item: Ints):
        self.n = len(labels)
        self.sign = np.where(labels == 1, 1.0, -1.0)[:, None]
        self.weight = weight[:, None].astype(np.float64)
        self.threshold_item = threshold_item

    def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
        s = scores if scores.ndim == 2 else scores[:, None]
        m = s.shape[1]
        if self.threshold_item.ndim and len(self.threshold_item) != m:
            raise ValueError(
                f"scores must have a column for each of {len(self.threshold_item)} threshold items, got {m}"
            )
        k = np.broadcast_to(self.threshold_item, m)
        column = np.arange(m)
        hinge = 1.0 - self.sign * (s - s[k, column])
        value = (self.weight * np.maximum(hinge, 0.0)).sum(axis=0)
        coef = np.where(hinge > 0, -self.sign * self.weight, 0.0)
        # The threshold item's score enters every term with the opposite sign; its own term is constant.
        coef[k, column] -= coef.sum(axis=0)
        return (value, coef) if scores.ndim == 2 else (float(value[0]), coef[:, 0])
