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

#: Numbers of single or double precision.
Reals = NDArray[np.floating[Any]]

#: Columns of the Gram matrix that are made or moved at a time.
_BLOCK = 512
#: The largest relative error of the inverse in single precision. Scores are rounded by as much.
_ERROR = 1e-6


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
    The Gram matrix is factorised and inverted in its place: a fit holds 4 bytes for each pair of items, and
    takes n_items cubed multiplications. Users cost little. Single precision is enough unless the matrix is
    nearly singular. That is measured: if a random combination of the columns of P is off by more than a
    millionth, all is made again in double precision, of 8 bytes for each pair.

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
            raise ValueError(
                "lam must be a positive number, got 0: without it the solution is not unique"
            )
        pairs = pairs_matrix(X)
        self.item_weights_ = _weights_of_inverse(_inverse(pairs, self.lam))
        self._keep_pairs(pairs)
        return self

    def _scores(self, users: Ints) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = (
            self.seen_[users].astype(np.float32) @ self.item_weights_
        )
        return scores


def _inverse(pairs: csr_matrix, lam: float) -> Reals:
    """Invert X'X + lam I, in single precision where this is enough."""
    inverse = _inverse_in_place(_gram_matrix(pairs, lam, np.float32))
    if inverse is not None and _error_of(inverse, pairs, lam) <= _ERROR:
        return inverse
    del inverse  # before another one is made
    inverse = _inverse_in_place(_gram_matrix(pairs, lam, np.float64))
    if inverse is None:
        raise ValueError(
            f"X'X + lam I cannot be inverted with lam={lam:g}: take a larger lam"
        )
    return inverse


def _gram_matrix(
    pairs: csr_matrix, lam: float, precision: type[np.floating[Any]]
) -> Reals:
    """Compute X'X + lam I, stored as LAPACK has it: by columns."""
    X = pairs.astype(precision).tocsc()
    n_items = X.shape[1]
    gram = np.empty((n_items, n_items), precision, order="F")
    for start in range(0, n_items, _BLOCK):
        columns = slice(start, start + _BLOCK)
        gram[:, columns] = (X.T @ X[:, columns]).toarray()
    gram[np.diag_indices(n_items)] += precision(lam)
    return gram


def _inverse_in_place(matrix: Reals) -> Reals | None:
    """Invert a matrix in its own memory, both triangles filled.

    It is None if the matrix is not positive definite in its precision.
    """
    factorise, invert = get_lapack_funcs(("potrf", "potri"), (matrix,))
    factor, failed = factorise(matrix, lower=True, overwrite_a=True, clean=False)
    if failed:
        return None
    inverse: Reals
    inverse, failed = invert(factor, lower=True, overwrite_c=True)
    if failed:
        return None
    for start in range(0, len(inverse), _BLOCK):
        stop = start + _BLOCK
        corner = inverse[start:stop, start:stop]
        corner[:] = np.tril(corner) + np.tril(corner, -1).T
        inverse[start:stop, stop:] = inverse[stop:, start:stop].T
    return inverse


def _error_of(inverse: Reals, pairs: csr_matrix, lam: float) -> float:
    """Estimate the relative error of an inverse of X'X + lam I, by Frobenius norms.

    The error E of the inverse P has E v = P (v - (X'X + lam I) P v), but for terms of second order, and
    the squared length of E v for random signs v is in the mean the squared norm of E.
    """
    X = pairs.astype(np.float64)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], X.shape[1])
    solution = _times(inverse, signs)
    residual = signs - (X.T @ (X @ solution) + lam * solution)
    return float(
        np.linalg.norm(_times(inverse, residual)) / np.linalg.norm(solution)
    )


def _times(matrix: Reals, vector: Floats) -> Floats:
    """Multiply in the precision of the matrix."""
    return (matrix @ vector.astype(matrix.dtype)).astype(np.float64)


def _weights_of_inverse(inverse: Reals) -> NDArray[np.float32]:
    """Compute B of P, in the memory of P where its precision is single.

    A column is divided by minus its diagonal element, and the diagonal is 0. P is symmetric, so that its
    transpose, whose rows are contiguous, serves as well.
    """
    rows = inverse.T
    rows /= -inverse.diagonal()
    np.fill_diagonal(rows, 0.0)
    return rows.astype(np.float32, copy=False)
