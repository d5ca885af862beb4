"""Convex surrogates written out for CVXPY, from their definitions."""

import numpy as np

TIGHT = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
PLAIN = ("prec@k-struct", "pap@k-avg", "pauc", "auc", "infinite-push", "top-push", "top-push-k")


def optimum(name, X, y, k, lam):
    """Minimum of ``lam/2 ||w||^2 + loss``, and its w."""
    import cvxpy as cp

    w = cp.Variable(X.shape[1])
    problem = cp.Problem(cp.Minimize(lam / 2 * cp.sum_squares(w) + convex_loss(name, X @ w, y, k)))
    return problem.solve(solver=cp.CLARABEL, **TIGHT), w.value


def pat_mat_optimum(X, y, k, lam, beta, negatives):
    """Minimum of ``lam/2 ||w||^2`` and Pat&Mat's loss, the threshold a variable; the loss rises with it."""
    import cvxpy as cp

    w, t = cp.Variable(X.shape[1]), cp.Variable()
    counted = X[y == 0] if negatives else X
    loss = cp.sum(cp.square(cp.pos(1 + t - X[y == 1] @ w))) / y.sum()
    equation = cp.sum(cp.square(cp.pos(1 + beta * (counted @ w - t)))) <= k
    problem = cp.Problem(cp.Minimize(lam / 2 * cp.sum_squares(w) + loss), [equation])
    return problem.solve(solver=cp.CLARABEL, **TIGHT), w.value


def convex_loss(name, s, y, k):
    """A loss as an expression of the scores `s`."""
    import cvxpy as cp

    pos, neg = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    n_pos, n_neg = len(pos), len(neg)
    if name == "prec@k-struct":
        return cp.sum_largest(s + (1 - y), k) - cp.sum(s[pos])
    if name == "pap@k-avg":
        return cp.sum_largest(cp.pos(1 + s[neg] - cp.sum(s[pos]) / n_pos), k) / k
    if name in ("top-push", "top-push-k"):
        size = 1 if name == "top-push" else k
        t = cp.sum_largest(s[neg], size) / size
        return cp.sum(cp.square(cp.pos(1 + t - s[pos]))) / n_pos
    # Hinge of every pair, and its sum over the positives for each negative.
    hinge = cp.pos(
        1 + np.repeat(np.eye(len(y))[neg], n_pos, 0) @ s - np.tile(np.eye(len(y))[pos], (n_neg, 1)) @ s
    )
    per_negative = np.kron(np.eye(n_neg), np.ones(n_pos)) @ hinge
    if name == "auc":
        return cp.sum(hinge) / (n_pos * n_neg)
    if name == "pauc":
        return cp.sum_largest(per_negative, k) / (n_pos * k)
    if name == "infinite-push":
        return cp.max(per_negative) / n_pos
    raise KeyError(name)


def sample(seed, n=40, d=4, n_pos=12, shift=1.0):
    """Overlapping classes."""
    rng = np.random.default_rng(seed)
    y = np.zeros(n, int)
    y[rng.permutation(n)[:n_pos]] = 1
    X = rng.standard_normal((n, d))
    X[:, : d // 2] += shift * y[:, None]
    return X, y
