"""The loop over the groups of a sample, around the loss of one group and one model.

Scores are items by models; a loss works on contiguous rows. Within a group the models come in blocks: a
block is copied to a tile with one row per model, positives first, the loss replaces each row of scores by
its coefficients, and the tile is copied back. The transposition thus happens in cache and needs no pass over
memory of its own.
"""

from types import FunctionType

import numpy as np
from numba import njit

from attop._core.compiled import HELPER, KERNEL

LARGEST = np.finfo(np.float64).max


def over_groups(one):
    """Compile the loop over groups for one loss, so that nothing of other losses is compiled.

    Parameters
    ----------
    one : function
        ``one(row, n_pos, w, k, constant, values, positions)`` returns the loss of one group and model, and
        overwrites `row`, its scores, `n_pos` positives first, with the subgradient. `w` are the weights of
        the items, empty where all weigh 1; the last two are buffers of two rows each, as long as `row`.

    Returns
    -------
    evaluate : compiled function
        Adds the loss, averaged over groups, of every model to `value` and writes its subgradient::

            evaluate(scores, order, start, n_pos, k, weight, value, coef, item_weight, constant,
                     tile, values, positions)

        scores : ndarray of shape (n, m), C-contiguous
        order, start, n_pos : see `attop.extending.RankingSample`
        k : ndarray of shape (n_groups,)
        weight : float, of each group
        value : ndarray of shape (m,), to which the values times `weight` are added
        coef : ndarray of shape (n, m), which receives the subgradient times `weight` in the rows in `order`
        item_weight : ndarray of shape (n,), in that order, or empty
        constant : float, what else the loss takes
        tile, values, positions : buffers for the largest group
    """
    return specialise(
        _loop, f"{one.__module__}.{one.__name__}", one=njit(inline="always")(one)
    )


def over_lists(evaluate):
    """Compile the loop over users' lists of all items, for the loss of an `evaluate` of `over_groups`.

    It overwrites scores, a row a user, by `factor` times the slopes of the loss at `scale` times them, and
    returns the sum of the losses. The positives of user u are ``indices[indptr[u] : indptr[u + 1]]``,
    ascending; the last three arguments are buffers.
    """
    name = f"{evaluate.py_func.__qualname__}.lists"
    return specialise(_lists, name, one=evaluate.py_func.__globals__["one"])


def specialise(loop, name, **functions):
    """Compile `loop` with `functions` as its globals, under a `name` of its own.

    numba can cache no function that takes functions as arguments.
    """
    made = FunctionType(loop.__code__, {**loop.__globals__, **functions})
    made.__qualname__ = name  # the key of the cache
    return njit(**KERNEL)(made)


def _loop(
    scores,
    order,
    start,
    n_pos,
    k,
    weight,
    value,
    coef,
    item_weight,
    constant,
    tile,
    values,
    positions,
):
    m = scores.shape[1]
    for g in range(len(n_pos)):
        items = order[start[g] : start[g + 1]]
        w = item_weight[start[g] : start[g + 1]]
        for first in range(0, m, len(tile)):
            size = load(scores, items, first, tile, value)
            for r in range(size):
                row = tile[r, : len(items)]
                value[first + r] += weight * one(  # noqa: F821
                    row, n_pos[g], w, k[g], constant, values, positions
                )
            store(tile, items, first, size, weight, coef)


def _lists(
    scores,
    users,
    indptr,
    indices,
    k,
    scale,
    factor,
    constant,
    row,
    values,
    positions,
):
    total = 0.0
    wrong = 0
    for g in range(len(users)):
        list_ = scores[g]
        for j in range(len(row)):
            finite = abs(list_[j]) < np.inf
            wrong += not finite
            row[j] = scale * list_[j] if finite else 0.0
        at = indices[indptr[users[g]] : indptr[users[g] + 1]]
        for i in range(len(at)):  # ascending, so that each is still in its place
            row[i], row[at[i]] = row[at[i]], row[i]
        total += one(  # noqa: F821
            row, len(at), row[:0], k[users[g]], constant, values, positions
        )
        for i in range(len(at) - 1, -1, -1):
            row[i], row[at[i]] = row[at[i]], row[i]
        for j in range(len(row)):
            list_[j] = factor * scale * row[j]
    return total if wrong == 0 else np.nan


@njit(**HELPER)
def weight_of(w, i):
    """Read the weight of item i; 1 where `w` is empty."""
    return w[i] if len(w) > 0 else 1.0


@njit(**HELPER)
def total_of(w):
    """Sum weights, in their order."""
    total = 0.0
    for i in range(len(w)):
        total += w[i]
    return total


@njit(**HELPER)
def load(scores, items, first, tile, value):
    """Copy the scores of `items` under a block of models, from `first` on, to `tile`.

    A model with a score that is not finite gets the value NaN, and 0 in the tile: kernels write to where
    comparisons lead them, and NaN leads nowhere. Returns the size of the block.
    """
    size = min(len(tile), scores.shape[1] - first)
    for i in range(len(items)):
        for r in range(size):
            s = scores[items[i], first + r]
            if not abs(s) <= LARGEST:
                value[first + r] = np.nan
                s = 0.0
            tile[r, i] = s
    return size


@njit(**HELPER)
def store(tile, items, first, size, weight, coef):
    """Copy the coefficients in `tile`, times `weight`, to the rows `items` of `coef`."""
    for i in range(len(items)):
        for r in range(size):
            coef[items[i], first + r] = weight * tile[r, i]
