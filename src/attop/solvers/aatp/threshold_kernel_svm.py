"""AATP's quadratic programs with a kernel in the place of the inner product."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from attop.core.typing import Floats, Ints
from attop.solvers.aatp.threshold_svm import ThresholdSolution, ThresholdSVM

__all__ = ["KernelThresholdSVM"]


class KernelThresholdSVM(ThresholdSVM):
    """The problems of `ThresholdSVM` in the feature space of a kernel.

    Problem (4) of Boyd et al. (2012): ``max_alpha sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j
    K_k(z_i, z_j)``, ``0 <= alpha_i <= c_i``, with ``K_k(z, z') = K(z, z') - K(z, z_k) - K(z_k, z') +
    K(z_k, z_k)``.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        ``K(z_i, z_j)``, symmetric and positive semi-definite.
    y, upper
        As for `ThresholdSVM`.

    Raises
    ------
    ValueError
        If `gram` is not symmetric.

    Warns
    -----
    UserWarning
        If `gram` is not positive semi-definite.

    Notes
    -----
    One eigendecomposition of the Gram matrix of the centred items, which leaves every ``K_k`` as it is,
    gives the items coordinates of which it is the matrix of inner products; in these the problems are
    linear. Solutions come as weights of the items: `ThresholdSolution.coef` has shape (n, m), and column b
    stands for ``h(z) = sum_i coef_i K(z_i, z) = sum_i alpha_i y_i (K(z_i, z) - K(z_k, z))``. Objective and
    gap are those of this h.

    Where kernel values are large against 1 / C, rounding in the sum over alpha costs digits of the scores
    that the coordinates w of the solution still have. Such an h gets the weights of its w instead, which are
    the above up to a correction of the size of the rounding; the gap is certified again.
    """

    def __init__(self, gram: Floats, y: ArrayLike, upper: ArrayLike):
        scale = np.abs(gram).max()
        if np.abs(gram - gram.T).max() > 1e-6 * scale:
            raise ValueError("the kernel matrix of the training items must be symmetric")
        mean = gram.mean(axis=0)
        values, vectors = scipy.linalg.eigh(gram - mean - mean[:, None] + mean.mean())
        if values[0] < -1e-8 * scale * len(gram):
            warnings.warn(
                f"the kernel is not positive semi-definite: its centred matrix has eigenvalues from "
                f"{values[0]:.1e} to {values[-1]:.1e}, and the negative ones are set to 0: "
                "choose a positive semi-definite kernel, such as rbf",
                stacklevel=2,
            )
        # The matrix has as many eigenvalues as items, but often a lower rank: eigenvalues this small are
        # rounding errors of 0.
        real = values > len(gram) * np.finfo(float).eps * scale
        if not real.any():
            real[-1] = True
        super().__init__(vectors[:, real] * np.sqrt(np.maximum(values[real], 0.0)), y, upper)
        self._squares = np.einsum("nd,nd->d", self.Z, self.Z)[:, None]

    def scores(self, coef: Floats) -> Floats:
        """Scores of the sample, up to a constant, by weights of the items."""
        return self.Z @ (self.Z.T @ coef)

    def _certified(self, threshold_items: Ints, w: Floats, alpha: Floats, n_iter: Ints) -> ThresholdSolution:
        """Evaluate both objectives at the weights of the items, read from the dual point or from w."""
        weights = self.sign * alpha
        weights[threshold_items, np.arange(len(threshold_items))] -= weights.sum(axis=0)
        image = self.Z.T @ weights
        solution = super()._certified(threshold_items, image, alpha, n_iter)
        solution = dataclasses.replace(solution, coef=weights)
        if (self._squares == 0).any():
            return solution
        weights = weights + self.Z @ ((w - image) / self._squares)  # the columns of Z are orthogonal
        corrected = super()._certified(threshold_items, self.Z.T @ weights, alpha, n_iter)
        better = corrected.objective < solution.objective * (1 - 1e-8)
        solution.coef[:, better] = weights[:, better]
        for name in ("scores", "objective", "gap"):
            getattr(solution, name)[..., better] = getattr(corrected, name)[..., better]
        return solution
