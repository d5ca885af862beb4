"""Factors of users and items, descended on a surrogate of every user's list; Adam on blocks of users."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import sgemm
from scipy.sparse import csr_matrix, diags_array

from attop._core.typing import Floats, Ints
from attop.surrogates._grouped import GroupedSurrogate, Kernel

#: Factors and the products of their gradients are of single precision, losses of double.
Singles = NDArray[np.float32]

#: Scores held at once: 4 MB; with fewer, products of matrices with many items take longer.
_BLOCK = 2**20
#: Rows of factors changed at once, so that what a step needs of them stays in cache.
_ROWS = 1000
#: Adam's rates of decay, and what keeps it from dividing by zero (Kingma and Ba 2015).
_MEAN, _SQUARE, _TINY = 0.9, 0.999, 1e-8


class Lists(Protocol):
    """The loss of every user's list of all items.

    Attributes
    ----------
    users : ndarray
        Users that the loss is defined on.
    scores : ndarray of shape (n, n_items), single precision
        Room for the scores of a block of users.
    """

    users: Ints
    scores: Singles

    def descend(
        self, scores: Singles, users: Ints, scale: float, factor: float
    ) -> float:
        """Overwrite `scores` by `factor` times the slopes of the losses of `users`; return the losses' sum.

        The losses are those of `scale` times the scores.
        """


def factor_descent(
    lists: Lists,
    backbone: Backbone,
    *,
    n_factors: int,
    scale: float,
    learning_rate: float,
    max_iter: int,
    batch_users: int | None,
    rng: np.random.Generator,
) -> tuple[list[Singles], Floats]:
    """Minimise the mean over users u of ``L(scale * cos(p_u, q_i) for all items i)``; see `FactorRanker`.

    L are the losses of the `lists`. `rng` draws the start, normal with standard deviation 0.1, and the
    batches. Returns both factors, of length 1, and the mean during each pass.
    """
    factors = [
        (0.1 * rng.standard_normal((n, n_factors))).astype(np.float32)
        for n in backbone.shape
    ]
    adam = _Adam(factors, learning_rate)
    n = len(lists.users)
    size = batch_users or n
    objective = np.zeros(max_iter)
    for t in range(max_iter):
        for users in np.split(rng.permutation(lists.users), range(size, n, size)):
            value, gradients = _gradients(lists, backbone, factors, users, scale)
            objective[t] += value * len(users) / n
            adam.step(gradients)
    return [
        _normalised(array)[0] for array in backbone.smoothed(factors)
    ], objective


def _normalised(factors: Singles) -> tuple[Singles, Singles]:
    """Divide the factors by their lengths; return the lengths too."""
    length = np.sqrt(np.einsum("ij,ij->i", factors, factors))[:, np.newaxis]
    np.maximum(length, np.finfo(np.float32).tiny, out=length)
    return factors / length, length


class Backbone:
    """Vectors of users and items by their factors: these themselves, or means over LightGCN's layers.

    A layer gives each user the sum of the items of their pairs, and each item that of its users, every pair
    divided by the root of the product of both numbers of pairs. It is a symmetric linear map.
    """

    def __init__(self, pairs: csr_matrix, n_layers: int):
        self.shape = pairs.shape
        self._n_layers = n_layers
        if n_layers:
            left, right = (
                diags_array(_degrees(pairs, axis) ** -0.5) for axis in (1, 0)
            )
            self._of_items = (left @ pairs @ right).astype(np.float32).tocsr()
            self._of_users = self._of_items.T.tocsr()

    def smoothed(self, factors: list[Singles]) -> list[Singles]:
        """Average the factors over LightGCN's layers, the first being themselves; a symmetric map."""
        if not self._n_layers:
            return factors
        total = [array.copy() for array in factors]
        layer = factors
        for _ in range(self._n_layers):
            layer = [self._of_items @ layer[1], self._of_users @ layer[0]]
            for whole, part in zip(total, layer, strict=True):
                whole += part
        return [array / np.float32(self._n_layers + 1) for array in total]


def _degrees(pairs: csr_matrix, axis: int) -> Floats:
    """Count the pairs of each user (axis 1) or item (axis 0), as at least 1."""
    return np.maximum(pairs.getnnz(axis=axis), 1).astype(np.float64)


def _gradients(
    lists: Lists,
    backbone: Backbone,
    factors: list[Singles],
    users: Ints,
    scale: float,
) -> tuple[float, list[Singles]]:
    """Compute the mean loss of `users`, and its gradient by all factors."""
    vectors = backbone.smoothed(factors)
    items, item_length = _normalised(vectors[1])
    of_users, of_items = (np.zeros_like(array) for array in factors)
    value = 0.0
    for block in np.split(
        users, range(len(lists.scores), len(users), len(lists.scores))
    ):
        directions, length = _normalised(vectors[0][block])
        slope = np.matmul(directions, items.T, out=lists.scores[: len(block)])
        value += lists.descend(slope, block, scale, 1 / len(users))
        of_users[block] = _tangent(slope @ items, directions, length)
        # BLAS adds the product to `of_items`.
        sgemm(
            1.0,
            directions.T,
            slope.T,
            1.0,
            of_items.T,
            trans_b=True,
            overwrite_c=True,
        )
    return value / len(users), backbone.smoothed(
        [of_users, _tangent(of_items, items, item_length)]
    )


def _tangent(gradient: Singles, directions: Singles, length: Singles) -> Singles:
    """Turn a gradient by unit vectors, in place, into one by vectors of any `length`."""
    gradient -= (
        np.einsum("ij,ij->i", gradient, directions)[:, np.newaxis] * directions
    )
    gradient /= length
    return gradient


def room_for_scores(n_items: int) -> Singles:
    """Allocate an array for the scores of the users that are held at once."""
    return np.empty((max(1, _BLOCK // n_items), n_items), np.float32)


class SurrogateLists:
    """`Lists` of a surrogate: pairs, with sorted indices, are positive, all else is negative."""

    def __init__(self, pairs: csr_matrix, surrogate: GroupedSurrogate):
        n = pairs.shape[1]
        n_pos = np.diff(pairs.indptr).astype(np.int64)
        k, defined = surrogate.k_of_groups(n_pos, n - n_pos)
        self.users = np.flatnonzero(defined)
        self.scores = room_for_scores(n)
        self._positives = pairs.indptr, pairs.indices, k
        self._buffers = (
            surrogate._constant(),
            np.empty(n),
            np.empty((2, n)),
            np.empty((2, n), np.int64),
        )
        self._descend = _compiled(getattr(surrogate._kernels(), surrogate.loss))

    def descend(
        self, scores: Singles, users: Ints, scale: float, factor: float
    ) -> float:
        """Overwrite scores by slopes; see `Lists`."""
        return self._descend(
            scores, users, *self._positives, scale, factor, *self._buffers
        )


@functools.cache
def _compiled(kernel: Kernel) -> Callable[..., float]:
    from attop.surrogates._kernels.groups import over_lists

    descend: Callable[..., float] = over_lists(kernel)
    return descend


class _Adam:
    """Steps of Adam on several arrays, in place."""

    def __init__(self, arrays: list[Singles], learning_rate: float):
        self._rate, self._t = learning_rate, 0
        self._states = [
            (array, np.zeros_like(array), np.zeros_like(array)) for array in arrays
        ]

    def step(self, gradients: list[Singles]) -> None:
        self._t += 1
        rate = np.float32(
            self._rate * np.sqrt(1 - _SQUARE**self._t) / (1 - _MEAN**self._t)
        )
        for state, whole in zip(self._states, gradients, strict=True):
            for first in range(0, len(whole), _ROWS):
                array, mean, square, gradient = (
                    a[first : first + _ROWS] for a in (*state, whole)
                )
                mean += (1 - _MEAN) * (gradient - mean)
                square += (1 - _SQUARE) * (gradient * gradient - square)
                array -= rate * mean / (np.sqrt(square) + np.float32(_TINY))
