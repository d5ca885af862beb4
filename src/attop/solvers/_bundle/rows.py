"""Sparse features with far more columns than rows: vectors as combinations of the rows."""

from __future__ import annotations

import numpy as np

from attop._core.typing import Features, Floats, Ints
from attop.solvers._base import Transposed
from attop.solvers._blocks import take_rows
from attop.solvers._bundle.cutting_planes import Planes


class RowFeatures:
    """Features whose vectors ``X^T a`` are a, and then the scores ``X X^T a``: 2 n numbers instead of d.

    The product with ``X^T b`` is ``a . X X^T b``. No more than one vector has d numbers at a time.
    """

    def __init__(self, X: Features, rows: slice | Ints = slice(None)):
        self.X = X
        self.rows = rows
        self.n = X.shape[0]
        self.shape = (self.n, 2 * self.n)

    def __matmul__(self, vectors: Floats) -> Floats:
        return vectors[self.n :][self.rows]

    def __getitem__(self, rows: Ints) -> RowFeatures:
        return RowFeatures(self.X, rows)

    @property
    def T(self) -> Transposed:
        return Transposed(self._vectors)

    def _vectors(self, coef: Floats) -> Floats:
        part = take_rows(self.X, self.rows)
        weights = np.zeros((self.n, *coef.shape[1:]))
        weights[self.rows] = coef
        scores = np.apply_along_axis(lambda c: self.X @ (part.T @ c), 0, coef)
        return np.concatenate([weights, scores])


class RowPlanes(Planes):
    """Planes whose vectors are combinations of rows."""

    def image(self, vectors: Floats) -> Floats:
        # Either half by the other, so that products are symmetric.
        return np.roll(vectors, vectors.shape[-1] // 2, axis=-1) / 2

    def orthonormal(self, points: Floats) -> tuple[Floats, Floats]:
        squares, vectors = np.linalg.eigh(self.image(points.T) @ points)
        # These are squares of singular values.
        significant = squares > 1e-12 * squares[-1]
        mix = vectors[:, significant] / np.sqrt(squares[significant])
        return points @ mix, mix
