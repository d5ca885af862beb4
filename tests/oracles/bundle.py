"""Convex surrogates written out for CVXPY, from their definitions."""

from itertools import combinations, permutations

import numpy as np

#: Losses that enumerate subsets or orderings: for about ten items.
ENUMERATED = ("prec@k-max", "prec@k-avg", "pap@k-max", "pap@k-ts-convex")
PLAIN = ("prec@k-struct", "pap@k-avg", "pauc", "auc", "infinite-push", "top-push", "top-push-k")


def optimum(name, X, y, k, lam, groups=None):
    """Minimum of ``lam/2 ||w||^2 + mean over groups of the loss``, and its w."""
    cp = _cvxpy()
    w = cp.Variable(X.shape[1])
    groups = np.zeros(len(y)) if groups is None else groups
    parts = [
        convex_loss(name, X[groups == g] @ w, y[groups == g], k)
        for g in np.unique(groups)
        if 0 < y[groups == g].sum() < np.sum(groups == g)
    ]
    problem = cp.Problem(cp.Minimize(lam / 2 * cp.sum_squares(w) + sum(parts) / len(parts)))
    value = problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return value, w.value


def pat_mat_optimum(X, y, k, lam, beta, negatives):
    """Minimum of ``lam/2 ||w||^2`` and Pat&Mat's loss, the threshold a variable; the loss rises with it."""
    cp = _cvxpy()
    w, t = cp.Variable(X.shape[1]), cp.Variable()
    counted = X[y == 0] if negatives else X
    loss = cp.sum(cp.square(cp.pos(1 + t - X[y == 1] @ w))) / y.sum()
    equation = cp.sum(cp.square(cp.pos(1 + beta * (counted @ w - t)))) <= k
    problem = cp.Problem(cp.Minimize(lam / 2 * cp.sum_squares(w) + loss), [equation])
    value = problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return value, w.value


def convex_loss(name, s, y, k):
    """A loss as an expression of the scores `s`."""
    cp = _cvxpy()
    if name in ENUMERATED and name != "pap@k-max":
        rows, constants = {
            "prec@k-max": prec_max_rows,
            "prec@k-avg": prec_avg_rows,
            "pap@k-ts-convex": ts_rows,
        }[name](y, k)
        return cp.max(rows @ s + constants)
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
    if name == "pap@k-max":
        beta = min(n_pos, k)
        chosen = np.array(
            [
                [float(j in negatives and i in positives) for j in range(n_neg) for i in range(n_pos)]
                for negatives in combinations(range(n_neg), k)
                for positives in combinations(range(n_pos), beta)
            ]
        )
        return cp.max(chosen @ hinge) / (beta * k)
    raise KeyError(name)


def _labellings(y, k):
    for chosen in combinations(range(len(y)), k):
        yhat = np.zeros(len(y))
        yhat[list(chosen)] = 1
        yield yhat


def prec_max_rows(y, k):
    """Each yhat with k ones, and each choice of n+ - k positives outside it."""
    rows, constants = [], []
    for yhat in _labellings(y, k):
        outside = np.flatnonzero((y == 1) & (yhat == 0))
        for credited in combinations(outside, max(int(y.sum()) - k, 0)):
            row = yhat - y
            row[list(credited)] += 1
            rows.append(row)
            constants.append(np.sum((1 - y) * yhat))
    return np.array(rows), np.array(constants)


def prec_avg_rows(y, k):
    rows, constants = [], []
    for yhat in _labellings(y, k):
        hits, n_pos = np.sum(y * yhat), y.sum()
        share = (n_pos - k) / (n_pos - hits) if n_pos > hits else 0.0
        rows.append(yhat - y + share * (1 - yhat) * y)
        constants.append(np.sum((1 - y) * yhat))
    return np.array(rows), np.array(constants)


def ts_rows(y, k):
    """Each set of k negatives, and each ordering of it and the positives (Hiranandani et al., eq. 14)."""
    pos, neg = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    beta = min(len(pos), k)
    found = set()
    for negatives in combinations(neg, k):
        for ranking in permutations([*pos, *negatives]):
            row, constant, above, rank = np.zeros(len(y)), 0, [], 0
            for item in ranking:
                if y[item] == 0:
                    above.append(item)
                    continue
                rank += 1
                row[item] -= len(above)
                row[above] += 1
                constant += len(above) if rank <= beta else 0
            found.add((*row, constant))
    table = np.array(sorted(found)) / (beta * k)
    return table[:, :-1], table[:, -1]


def simplex_minimum(H, b):
    cp = _cvxpy()
    alpha = cp.Variable(len(b), nonneg=True)
    root = np.linalg.cholesky(H + 1e-13 * np.trace(H) * np.eye(len(b))).T
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(root @ alpha) - b @ alpha), [cp.sum(alpha) == 1])
    return problem.solve(solver=cp.CLARABEL)


def sample(seed, n=40, d=4, n_pos=12, shift=1.0):
    """Overlapping classes."""
    rng = np.random.default_rng(seed)
    y = np.zeros(n, int)
    y[rng.permutation(n)[:n_pos]] = 1
    X = rng.standard_normal((n, d))
    X[:, : d // 2] += shift * y[:, None]
    return X, y


def _cvxpy():
    import cvxpy

    return cvxpy
