"""AATP by its definition (Boyd et al. 2012), in plain loops and a general convex solver."""

import math
from fractions import Fraction

import numpy as np


def weights_of(y, weights):
    if weights == "items":
        return [1] * len(y)
    pairs = [(i, j) for i in range(len(y)) for j in range(len(y)) if y[i] == 1 and y[j] == 0]
    return [sum(item in pair for pair in pairs) for item in range(len(y))]


def threshold_loss(scores, y, k, weights="items"):
    total = 0.0
    for s, label, a in zip(scores, y, weights_of(y, weights), strict=True):
        margin = s - scores[k] if label == 1 else scores[k] - s
        total += a * max(0.0, 1.0 - margin)
    return total


def primal(X, y, k, C, w, weights="items"):
    """Objective of problem (2), from differences of raw features."""
    return 0.5 * float(w @ w) + C * threshold_loss((X - X[k]) @ w, y, k, weights)


def dual(X, y, k, alpha):
    """Objective of problem (3)."""
    w = sum(a * (1 if label == 1 else -1) * (x - X[k]) for a, label, x in zip(alpha, y, X, strict=True))
    return float(np.sum(alpha)) - 0.5 * float(w @ w)


def solve(X, y, k, C, weights="items", solver="CLARABEL"):
    """Minimiser and minimum of problem (2)."""
    import cvxpy

    w = cvxpy.Variable(X.shape[1])
    sign = np.where(np.asarray(y) == 1, 1.0, -1.0)
    margins = (sign[:, None] * (X - X[k])) @ w
    hinge = cvxpy.sum(cvxpy.multiply(np.array(weights_of(y, weights), float), cvxpy.pos(1 - margins)))
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(w) / 2 + C * hinge))
    tight = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}
    problem.solve(solver=solver, **(tight if solver == "CLARABEL" else {"eps_abs": 1e-9, "eps_rel": 1e-9}))
    return w.value, problem.value


def kernel_scores(K, y, k, C, K_new):
    """Scores by problem (4), the dual with a kernel: of the items, and of new ones, `K_new` to the items."""
    import cvxpy

    n = len(y)
    sign = np.where(np.asarray(y) == 1, 1.0, -1.0)
    at = K - K[:, [k]] - K[[k], :] + K[k, k]
    values, vectors = np.linalg.eigh(at)
    root = vectors * np.sqrt(np.maximum(values, 0))
    alpha = cvxpy.Variable(n)
    gain = cvxpy.sum(alpha) - cvxpy.sum_squares(root.T @ cvxpy.multiply(sign, alpha)) / 2
    problem = cvxpy.Problem(cvxpy.Maximize(gain), [alpha >= 0, alpha <= C])
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13)
    weights = sign * alpha.value
    return [part @ weights - part[:, k] * weights.sum() for part in (K, K_new)]


def quantile(scores, y, tau, weights="items"):
    """The ceil(tau N)-th largest score of the sample; with "pairs", of the N = 2 n+ n- members of pairs."""
    if weights == "items":
        sample = list(scores)
    else:
        sample = [
            s
            for i in range(len(y))
            for j in range(len(y))
            if y[i] == 1 and y[j] == 0
            for s in (scores[i], scores[j])
        ]
    return sorted(sample, reverse=True)[math.ceil(Fraction(str(tau)) * len(sample)) - 1]


def sweep(X, y, C, weights="items"):
    """Minimiser and minimum for every item."""
    return [solve(X, y, k, C, weights) for k in range(len(y))]


def choose(models, X, y, tau, weights="items", equal=1e-5):
    """Item whose score is closest to the quantile, among equals the smallest objective."""
    distances = [abs((X @ w)[k] - quantile(X @ w, y, tau, weights)) for k, (w, _) in enumerate(models)]
    nearest = min(distances)
    best = min((value, k) for k, (_, value) in enumerate(models) if distances[k] <= nearest + equal)[1]
    return best, distances[best]
