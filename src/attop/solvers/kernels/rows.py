"""Products with rows of a matrix that lie anywhere in it, without copying them."""

from numba import njit

__all__ = ["add_rows", "score_rows"]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def score_rows(X, rows, w, scores):
    """Write ``X[rows] @ w`` to `scores`.

    Four rows at a time: waiting for one row from memory then overlaps with the arithmetic of others.
    """
    full = len(rows) // 4 * 4
    for i in range(0, full, 4):
        x0, x1, x2, x3 = X[rows[i]], X[rows[i + 1]], X[rows[i + 2]], X[rows[i + 3]]
        s0 = s1 = s2 = s3 = 0.0
        for j in range(len(w)):
            v = w[j]
            s0 += x0[j] * v
            s1 += x1[j] * v
            s2 += x2[j] * v
            s3 += x3[j] * v
        scores[i], scores[i + 1], scores[i + 2], scores[i + 3] = s0, s1, s2, s3
    for i in range(full, len(rows)):
        x, s = X[rows[i]], 0.0
        for j in range(len(w)):
            s += x[j] * w[j]
        scores[i] = s


@njit(cache=True, nogil=True)
def add_rows(X, rows, coef, total):
    """Add ``X[rows].T @ coef`` to `total`; rows with coefficient 0 are not read."""
    for i in range(len(rows)):
        c = coef[i]
        if c != 0.0:
            x = X[rows[i]]
            for j in range(len(total)):
                total[j] += c * x[j]
