"""EASE: items predicted from the other items of a user, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_lapack_funcs
from scipy.sparse import csr_matrix

from attop._core.typing import Floats, Ints
from attop.learners._user_lists import UserLists, pairs_matrix
from attop.learners._validation import check_parameters

#: Columns of the Gram matrix that are made or moved at a time.
_BLOCK = 512


@dataclass(repr=False, eq=False)
class EASE(UserLists):
    r"""Learn a weight of every item for every other one, by ridge regressions that share a matrix.

    Minimises :math:`\|X - X B\|_F^2 + \lambda \|B\|_F^2` over B of zero diagonal, X being the matrix of ones
    where a user has an item. The scores of a user are a row of :math:`X B`. Off the diagonal the solution is
    :math:`B_{ij} = -P_{ij} / P_{jj}` with :math:`P = (X^\top X + \lambda I)^{-1}`.

    Parameters
    ----------
    lam : float, positive, default=500.0
        Weight of the squared norm. Values from 10 to 5000 are usual; more pairs bear a smaller one.

    Attributes
    ----------
    item_weights_ : ndarray of shape (n_items, n_items)
        B, single precision.
    seen_ : sparse matrix of shape (n_users, n_items)
        The pairs learnt from.

    Notes
    -----
    The Gram matrix is factorised and inverted in its place, in double precision: a fit holds 12 bytes for
    each pair of items, and takes n_items cubed multiplications. Users cost little.

    Source: H. Steck, "Embarrassingly shallow autoencoders for sparse data", WWW 2019, equations (1) to (8).
    Differences from the paper: none.

    Examples
    --------
    >>> pairs = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 3], [2, 4], [3, 3], [3, 4], [3, 5]]
    >>> EASE(lam=1.0).fit(pairs).recommend([0, 2], 1).tolist()
    [[2], [5]]
    """

    lam: float = 500.0

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn from pairs of users and items; `y` is ignored.

        Parameters
        ----------
        X : sparse matrix of shape (n_users, n_items), or array-like of shape (n_pairs, 2)
            What is stored, or a row (user, item) of codes from 0 on. Values do not count, nor repeats.

        Raises
        ------
        ValueError
            If there is no pair, a code is negative or not an integer, or `lam` is so small that the matrix
            cannot be inverted.
        """
        check_parameters(self)
        if self.lam == 0:
            raise ValueError("lam must be a positive number, got 0: without it the solution is not unique")
        pairs = pairs_matrix(X)
        inverse = _inverse_in_place(_gram_matrix(pairs, self.lam), self.lam)
        self.item_weights_ = _weights_of_inverse(inverse)
        self._keep_pairs(pairs)
        return self

    def _scores(self, users: Ints) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = self.seen_[users].astype(np.float32) @ self.item_weights_
        return scores


def _gram_matrix(pairs: csr_matrix, lam: float) -> Floats:
    """Return X'X + lam I, as LAPACK stores a matrix: by columns."""
    X = pairs.astype(np.float64).tocsc()
    n_items = X.shape[1]
    gram = np.empty((n_items, n_items), order="F")
    for start in range(0, n_items, _BLOCK):
        columns = slice(start, start + _BLOCK)
        gram[:, columns] = (X.T @ X[:, columns]).toarray()
    gram[np.diag_indices(n_items)] += lam
    return gram


def _inverse_in_place(matrix: Floats, lam: float) -> Floats:
    """Return the inverse of a positive definite matrix, which it overwrites, both triangles filled."""
    factorise, invert = get_lapack_funcs(("potrf", "potri"), (matrix,))
    factor, failed = factorise(matrix, lower=True, overwrite_a=True, clean=False)
    if not failed:
        inverse, failed = invert(factor, lower=True, overwrite_c=True)
    if failed:
        raise ValueError(f"X'X + lam I cannot be inverted with lam={lam:g}: take a larger lam")
    for start in range(0, len(inverse), _BLOCK):
        stop = start + _BLOCK
        corner = inverse[start:stop, start:stop]
        corner[:] = np.tril(corner) + np.tril(corner, -1).T
        inverse[start:stop, stop:] = inverse[stop:, start:stop].T
    return inverse


def _weights_of_inverse(inverse: Floats) -> NDArray[np.float32]:
    """Return B of P: a column divided by minus its diagonal element, and zeros on the diagonal."""
    diagonal = inverse.diagonal().copy()
    weights = np.empty(inverse.shape, dtype=np.float32)
    for start in range(0, len(inverse), _BLOCK):
        rows = slice(start, start + _BLOCK)
        weights[rows] = inverse[rows] / -diagonal
    np.fill_diagonal(weights, 0.0)
    return weights
