"""From scores to decisions: the top of a batch, and a threshold for a share of future items."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import check_groups, check_scores
from attop._core.top import Top
from attop._core.typing import Bools, TopLike
from attop.learners._base import cut_below
from attop.metrics._scorer import scores_of


def predict_top(
    estimator: Any, X: Any, top: TopLike, groups: ArrayLike | None = None
) -> Bools:
    """Select the top of a batch: exactly k items, whatever the ties.

    Parameters
    ----------
    estimator : fitted classifier
        With `decision_function` or `predict_proba`.
    X : array-like, frame or sparse matrix of length n
        The batch.
    top : int, mapping or Top
        k, for example ``100``, or a share of the batch such as ``{"tau": 0.01}``, rounded up.
    groups : array-like of shape (n,), optional
        With groups (users, queries, days), the top of each.

    Returns
    -------
    chosen : ndarray of shape (n,), dtype bool
        Of items of equal score the earlier come first.

    Raises
    ------
    ValueError
        If the batch, or a group, has fewer items than the top, or the top is a share of
        the positives (``kappa``), which a batch does not know.

    Examples
    --------
    >>> import numpy as np
    >>> from attop import SVMPAUC, predict_top
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = SVMPAUC(top=2).fit(X, [1, 1, 0, 0, 0])
    >>> predict_top(model, X, 2).tolist()
    [True, True, False, False, False]
    """
    scores = scores_of(estimator, X)
    top = Top.of(top)
    codes = (
        np.zeros(len(scores), np.int64)
        if groups is None
        else check_groups(groups, len(scores))
    )
    order = np.lexsort((-scores, codes))
    size = np.bincount(codes)
    smallest = int(size.min())
    where = "the batch" if groups is None else "the smallest group"
    top.resolve(smallest, None, where=where)
    k = np.array([top.resolve(n, None) for n in size.tolist()])
    place = np.arange(len(order)) - np.repeat(np.cumsum(size) - size, size)
    chosen = np.zeros(len(scores), dtype=bool)
    chosen[order[place < np.repeat(k, size)]] = True
    return chosen


class TopThreshold(NamedTuple):
    """A threshold, and the share of items above it.

    Attributes
    ----------
    threshold : float
        Items scored above it are taken.
    share : float
        Of the held-out items that it takes: what to expect of others like them.
    standard_error : float
        Of `share`, as the mean of independent items. Items of a batch that are alike vary more.
    """

    threshold: float
    share: float
    standard_error: float


def top_threshold(scores: ArrayLike, top: TopLike) -> TopThreshold:
    """Find the score above which the top of a held-out sample lies.

    For items that come one at a time. Where they come in batches, `predict_top` takes exactly k.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Of items the model was not trained on: on those it was, scores are too high, and the share with them.
    top : int, mapping or Top
        What is to be taken, a number or a share of these items.

    Returns
    -------
    found : TopThreshold
        The threshold lies midway between the last score taken and the next. Where equal scores straddle the
        cut none of them is taken: the share is below what was asked for, never above. It is an error if that
        is none at all, or `top` takes all items.

    Examples
    --------
    >>> found = top_threshold([0.1, 0.9, 0.4, 0.3, 0.8], {"tau": 0.4})
    >>> round(found.threshold, 3), found.share
    (0.6, 0.4)
    """
    values = np.sort(check_scores(scores))[::-1]
    k = Top.of(top).resolve(len(values), None, where="a held-out sample")
    if k == len(values):
        raise ValueError(
            f"a top of all {k} items needs no threshold: choose a smaller top"
        )
    taken = (
        int(np.count_nonzero(values > values[k]))
        if values[k - 1] == values[k]
        else k
    )
    if taken == 0:
        tied = int(np.count_nonzero(values == values[0]))
        raise ValueError(
            f"the {tied} highest scores are tied, so that any threshold selects either none of the "
            f"{len(values)} items or more than {k}: break the ties by a second model, or use predict_top on "
            "batches"
        )
    share = taken / len(values)
    return TopThreshold(
        cut_below(values, taken),
        share,
        math.sqrt(share * (1 - share) / len(values)),
    )
