"""Standardised features, of mean 0 and variance 1, computed block by block where they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils import gen_batches

from attop._core.typing import Features, Floats
from attop.solvers._base import Transposed

#: Rows at a time: they stay in cache.
_BLOCK = 2048
#: Columns whose values, at most 1, vary less are constant but for rounding.
_CONSTANT = 1e-12


class Standardised:
    """The matrix ``(X / size - mean) / std``, which is never held whole."""

    def __init__(self, X: Features, size: Floats, mean: Floats, std: Floats):
        self._X = X
        self._size = size
        self._mean = mean
        self._std = std
        self.shape: tuple[int, int] = X.shape
        self.T = Transposed(self.correlate)

    def __getitem__(self, rows: Any) -> Floats:
        """Standardise some rows to an array."""
        block = self._X[rows] / self._size
        block -= self._mean
        block /= self._std
        return block

    def __matmul__(self, W: Floats) -> Floats:
        """Compute the product with `W` of shape (d,) or (d, m)."""
        # As exact as with the rows of `__getitem__`, whose division rounds as much.
        W = (W.T / self._std).T
        constant = self._mean @ W
        W = (W.T / self._size).T
        product = np.empty((self.shape[0], *W.shape[1:]))
        for rows in gen_batches(self.shape[0], _BLOCK):
            product[rows] = self._X[rows] @ W - constant
        return product

    def correlate(self, coef: Floats) -> Floats:
        """Compute the product of the transpose with `coef` of shape (n,) or (n, m)."""
        product = np.zeros((self.shape[1], *coef.shape[1:]))
        for rows in gen_batches(self.shape[0], _BLOCK):
            product += self._X[rows].T @ coef[rows]
        product = product.T / self._size - np.multiply.outer(
            coef.sum(axis=0), self._mean
        )
        return (product / self._std).T


def standardise(X: Features, weight: Floats) -> tuple[Any, Floats]:
    """Standardise features, and tell what each column was divided by.

    Constant columns become 0. A sparse matrix keeps its zeros: its columns are divided only, which ranks
    the same, and constant ones stay what they are. `weight`, at least 0, is that of the rows in means and
    variances.
    """
    weight = weight / weight.sum()
    if issparse(X):
        return _divided(X, weight)
    # Divided by the largest first, so that squares do not overflow.
    size = _size(np.maximum(X.max(axis=0), -X.min(axis=0)))
    zero = np.zeros(X.shape[1])
    one = np.ones(X.shape[1])
    mean = Standardised(X, size, zero, one).T @ weight
    centred = Standardised(X, size, mean, one)
    variance = np.zeros(X.shape[1])
    for rows in gen_batches(len(X), _BLOCK):
        variance += weight[rows] @ centred[rows] ** 2
    std = _std(variance)
    return Standardised(X, size, mean, std), size * std


def _divided(X: csr_matrix, weight: Floats) -> tuple[csr_matrix, Floats]:
    size = _size(abs(X).max(axis=0).toarray().ravel())
    Z = csr_matrix((X.data / size[X.indices], X.indices, X.indptr), X.shape)
    square = csr_matrix((Z.data**2, X.indices, X.indptr), X.shape)
    std = _std(square.T @ weight - (Z.T @ weight) ** 2)
    Z.data /= std[Z.indices]
    return Z, size * std


def _size(largest: Floats) -> Floats:
    return np.maximum(largest.astype(np.float64), np.finfo(np.float64).tiny)


def _std(variance: Floats) -> Floats:
    std = np.sqrt(np.maximum(variance, 0.0))
    std[std <= _CONSTANT] = 1.0
    return std
