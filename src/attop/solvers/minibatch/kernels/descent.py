"""A step of projected descent with averaging, for all models at once."""

import numpy as np
from numba import njit

__all__ = ["projected_step"]


@njit(cache=True, nogil=True)
def projected_step(W, gradient, step, radius, total):
    """Move `W` by ``-step * gradient``, back into the ball, and add it to `total`.

    Parameters
    ----------
    W, gradient, total : ndarray of shape (d, m)
    step, radius : ndarray of shape (m,)
    """
    d, m = W.shape
    square = np.zeros(m)
    for i in range(d):
        for j in range(m):
            W[i, j] -= step[j] * gradient[i, j]
            square[j] += W[i, j] * W[i, j]
    shrink = np.minimum(1.0, radius / np.sqrt(square))
    for i in range(d):
        for j in range(m):
            W[i, j] *= shrink[j]
            total[i, j] += W[i, j]
