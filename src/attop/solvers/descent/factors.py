"""Factors of users and items, descended on a surrogate of every user's list; Adam on blocks of users."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from attop.core.sample import RankingSample
from attop.core.typing import Floats, Ints
from attop.surrogates.base import BoundSurrogate
from attop.surrogates.grouped import GroupedSurrogate

__all__ = ["FactorSolution", "Singles", "factor_descent", "normalised"]

#: Factors and the products of their gradients are of single precision, losses of double.
Singles = NDArray[np.float32]

#: Scores held at once: with their order and coefficients 4 MB, which stay in cache.
_BLOCK = 2**17
#: Scores up to which the layout of all lists is kept from pass to pass: 130 MB.
_KEPT = 2**24
#: Adam's rates of decay, and what keeps it from dividing by zero (Kingma and Ba 2015).
_MEAN, _SQUARE, _TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class FactorSolution:
    """Factors, not normalised; the mean over users during each pass; users the surrogate is defined on."""

    users: Singles
    items: Singles
    objective: Floats
    n_users: int


def factor_descent(
    pairs: csr_matrix,
    surrogate: GroupedSurrogate,
    *,
    n_factors: int,
    scale: float,
    learning_rate: float,
    max_iter: int,
    batch_users: int | None,
    rng: np.random.Generator,
) -> FactorSolution:
    r"""Minimise the mean over users u of ``L(scale * cos(p_u, q_i) for all items i)``.

    Parameters
    ----------
    pairs : sparse matrix of shape (n_users, n_items), with sorted indices
        What is stored is positive; all other items of a user are negative.
    surrogate : GroupedSurrogate
        L; users it is undefined on are left out.
    n_factors, scale, learning_rate, max_iter, batch_users
        See `attop.FactorRanker`. Factors start from the normal distribution with standard deviation 0.1.
    rng : numpy.random.Generator
        Draws the start and the batches.
    """
    lists = _Lists(pairs, surrogate)
    factors = [(0.1 * rng.standard_normal((n, n_factors))).astype(np.float32) for n in pairs.shape]
    adam = _Adam(factors, learning_rate)
    n = len(lists.users)
    objective = np.zeros(max_iter)
    for t in range(max_iter):
        order = lists.users if batch_users is None else rng.permutation(lists.users)
        size = batch_users or n
        for step in [order] if size >= n else [order[first : first + size] for first in range(0, n, size)]:
            value, gradients = _gradients(lists, factors, step, scale)
            objective[t] += value * len(step) / n
            adam.step(gradients)
    return FactorSolution(factors[0], factors[1], objective, n)


def normalised(factors: Singles) -> tuple[Singles, Singles]:
    """Return the factors divided by their lengths, and the lengths."""
    length = np.sqrt(np.einsum("ij,ij->i", factors, factors))[:, np.newaxis]
    np.maximum(length, np.finfo(np.float32).tiny, out=length)
    return factors / length, length


def _gradients(
    lists: _Lists, factors: list[Singles], users: Ints, scale: float
) -> tuple[float, list[Singles]]:
    """Return the mean loss of `users`, and its gradient by all factors."""
    items, item_length = normalised(factors[1])
    of_users, of_items = np.zeros_like(factors[0]), np.zeros_like(items)
    value = 0.0
    for block, loss in lists.blocks(users):
        directions, length = normalised(factors[0][block])
        scores = (scale * (directions @ items.T)).astype(np.float64)
        one, coef = loss(scores.ravel())
        share = len(block) / len(users)
        value += share * float(one)
        slope = (coef * (scale * share)).astype(np.float32).reshape(len(block), -1)
        of_users[block] = _tangent(slope @ items, directions, length)
        of_items += slope.T @ directions
    return value, [of_users, _tangent(of_items, items, item_length)]


def _tangent(gradient: Singles, directions: Singles, length: Singles) -> Singles:
    """Turn a gradient by unit vectors into one by vectors of any `length`."""
    along = np.einsum("ij,ij->i", gradient, directions)[:, np.newaxis]
    return (gradient - along * directions) / length


class _Lists:
    """Every user's list of all items, laid out one block of users at a time."""

    def __init__(self, pairs: csr_matrix, surrogate: GroupedSurrogate):
        self._surrogate = surrogate
        n_items = pairs.shape[1]
        self._n_pos = np.diff(pairs.indptr).astype(np.int64)
        self.users = np.flatnonzero(surrogate.defined_on(self._n_pos, n_items - self._n_pos))
        self._n_items = n_items
        self._kept: list[tuple[Ints, BoundSurrogate]] = []
        # A list in order of items, with few exchanges, has its positives first: a positive beyond the n+
        # first places changes with an item in these that is none.
        user = np.repeat(np.arange(pairs.shape[0]), self._n_pos)
        place = np.arange(pairs.nnz) - pairs.indptr[user]
        inside = pairs.indices < self._n_pos[user]
        free = np.ones(pairs.nnz, np.bool_)
        free[pairs.indptr[user[inside]] + pairs.indices[inside]] = False
        n_moved = np.bincount(user[~inside], minlength=pairs.shape[0])
        start = np.concatenate([[0], np.cumsum(n_moved)])
        self._moves = csr_matrix((place[free], pairs.indices[~inside], start), shape=pairs.shape)

    def blocks(self, users: Ints) -> Iterable[tuple[Ints, BoundSurrogate]]:
        """Divide `users` into blocks, each with its bound surrogate; those of all users are kept if few."""
        if users is self.users and self._kept:
            return self._kept
        size = max(1, _BLOCK // self._n_items)
        blocks = (users[first : first + size] for first in range(0, len(users), size))
        bound = ((block, self.bind(block)) for block in blocks)
        if users is self.users and len(users) * self._n_items <= _KEPT:
            self._kept = list(bound)
            return self._kept
        return bound

    def bind(self, users: Ints) -> BoundSurrogate:
        """Return the surrogate bound to the lists of `users`, one after the other."""
        n_items = self._n_items
        order = np.arange(len(users) * n_items)
        moves = self._moves[users]
        begin = np.repeat(np.arange(len(users)) * n_items, np.diff(moves.indptr))
        place, item = begin + moves.data, begin + moves.indices
        order[place], order[item] = item, place
        n_pos = self._n_pos[users]
        sample = RankingSample(order, np.arange(len(users) + 1) * n_items, n_pos, n_items - n_pos)
        return self._surrogate.bind_sample(sample)


class _Adam:
    """Steps of Adam on several arrays, in place."""

    def __init__(self, arrays: list[Singles], learning_rate: float):
        self._arrays, self._rate, self._t = arrays, learning_rate, 0
        self._means = [np.zeros_like(array) for array in arrays]
        self._squares = [np.zeros_like(array) for array in arrays]

    def step(self, gradients: list[Singles]) -> None:
        self._t += 1
        rate = self._rate * np.sqrt(1 - _SQUARE**self._t) / (1 - _MEAN**self._t)
        for array, gradient, mean, square in zip(
            self._arrays, gradients, self._means, self._squares, strict=True
        ):
            mean += (1 - _MEAN) * (gradient - mean)
            square += (1 - _SQUARE) * (gradient * gradient - square)
            array -= np.float32(rate) * mean / (np.sqrt(square) + np.float32(_TINY))
