"""Inner sums of a push: for every negative, the losses of all positives against it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from attop.core.typing import Floats

__all__ = ["hinge_sums", "logistic_sums"]


#: From weights of the sums to coefficients of the positives and of the negatives.
PullBack = Callable[[Floats], tuple[Floats, Floats]]

LOG2 = math.log(2)
#: Pairs held at once, where there are not more positives than that: 2 MB an array, which stays in cache.
PAIRS_PER_BLOCK = 2**18


def hinge_sums(pos: Floats, neg: Floats, times: Floats) -> tuple[Floats, PullBack]:
    r"""Sum hinge losses by negative, in O(n log n).

    Parameters
    ----------
    pos, neg : ndarray of shape (I,), (K,)
        Scores.
    times : ndarray of shape (I,), at least 0
        How often each positive counts.

    Returns
    -------
    sums : ndarray of shape (K,)
        :math:`u_k = \sum_i t_i (1 - pos_i + neg_k)_+`.
    pull_back : callable
        From weights :math:`w_k \ge 0` to a subgradient of :math:`\sum_k w_k u_k` in `pos` and in `neg`.
        A hinge at its kink has slope -1.

    Notes
    -----
    As a function of a threshold z the sum :math:`\sum_i t_i (z - pos_i)_+` grows at the rate of the number
    of positives below z, or their weight. It is therefore accumulated along the merged order of the
    positives and of :math:`1 + neg_k` from terms that are never negative: no digits cancel, as they would
    in a difference of prefix sums, and a power of the sums keeps its precision.
    """
    n_pos = len(pos)
    at = np.concatenate([pos, neg + 1])
    order = np.argsort(at, kind="stable")  # a positive goes before a negative at its kink
    is_pos = order < n_pos
    positives, negatives = order[is_pos], order[~is_pos] - n_pos
    below = np.zeros(len(at))
    below[is_pos] = times[positives]
    below = np.cumsum(below)
    rise = below.copy()
    rise[1:] = rise[:-1] * np.diff(at[order])
    rise[0] = 0.0
    sums = np.empty(len(neg))
    sums[negatives] = np.cumsum(rise)[~is_pos]

    def pull_back(weight: Floats) -> tuple[Floats, Floats]:
        passed = np.zeros(len(at))
        passed[~is_pos] = weight[negatives]
        pos_coef, neg_coef = np.empty(n_pos), np.empty(len(neg))
        pos_coef[positives] = -np.cumsum(passed[::-1])[::-1][is_pos] * times[positives]
        neg_coef[negatives] = passed[~is_pos] * below[~is_pos]
        return pos_coef, neg_coef

    return sums, pull_back


def logistic_sums(
    pos: Floats, neg: Floats, times: Floats, pairs_per_block: int = PAIRS_PER_BLOCK
) -> tuple[Floats, PullBack]:
    r"""Sum logistic losses by negative, pair by pair in blocks of bounded memory.

    Parameters
    ----------
    pos, neg : ndarray of shape (I,), (K,)
        Scores.
    times : ndarray of shape (I,), at least 0
        How often each positive counts.
    pairs_per_block : int, at least 1
        A block holds this many pairs, or those of one negative if there are more positives.

    Returns
    -------
    sums : ndarray of shape (K,)
        :math:`u_k = \sum_i t_i \log_2(1 + \exp(-pos_i + neg_k))`; the base makes the loss 1 at 0, as an
        upper bound of the 0-1 loss must be.
    pull_back : callable
        From weights :math:`w_k` to the gradient of :math:`\sum_k w_k u_k` in `pos` and in `neg`.

    Notes
    -----
    No exact form faster than O(I K) is known. Blocks are computed again by `pull_back` rather than
    kept: the weights depend on all sums.
    """
    step = max(1, pairs_per_block // len(pos))

    def blocks() -> Iterator[tuple[slice, Floats, Floats]]:
        for start in range(0, len(neg), step):
            rows = slice(start, start + step)
            lead = neg[rows, np.newaxis] - pos
            decay = np.abs(lead)
            np.negative(decay, out=decay)
            yield rows, lead, np.exp(decay, out=decay)

    sums = np.empty(len(neg))
    for rows, lead, decay in blocks():
        loss = np.maximum(lead, 0.0, out=lead)
        loss += np.log1p(decay, out=decay)
        sums[rows] = loss @ times
    sums /= LOG2

    def pull_back(weight: Floats) -> tuple[Floats, Floats]:
        pos_coef, neg_coef = np.zeros(len(pos)), np.empty(len(neg))
        for rows, lead, decay in blocks():
            slope = np.where(lead >= 0, 1.0, decay)
            decay += 1.0
            slope /= decay
            neg_coef[rows] = slope @ times
            pos_coef -= weight[rows] @ slope
        neg_coef *= weight
        pos_coef *= times
        return pos_coef / LOG2, neg_coef / LOG2

    return sums, pull_back
