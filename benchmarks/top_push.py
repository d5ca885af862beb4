"""TopPush to 1e-6 of what is gained over w = 0: cutting planes, and the dual as published.

    python -m benchmarks.top_push [--quick]

Three samples: one like spambase (3,068 x 57 in [0, 1], most features 0), and two of 67,240 x 15: classes
that overlap, for which w = 0 is the optimum and a certificate has to say so, and classes of which a part can
be told from all negatives. The limits are 0.2 s and 2 s on one core. The dual is the paper's accelerated
projected gradient, in plain NumPy; it gets fifty times the time, at most 20 s, and the gap it is left with,
relative to the gain too, stands in its line.
"""

from __future__ import annotations

import time

import numpy as np

from attop.solvers import bundle, relative_gap
from attop.surrogates import TopPushLoss
from benchmarks.measure import by_quick, duration, header, row

TOL = 1e-6


def words():
    rng = np.random.default_rng(0)
    y = (rng.random(3068) < 0.4).astype(np.int64)
    X = rng.exponential(size=(3068, 57)) * (rng.random((3068, 57)) < 0.2)
    X[:, :8] *= np.where(y, 3.0, 0.3)[:, np.newaxis]
    return X / X.max(axis=0), y


def mixture(told_apart):
    rng = np.random.default_rng(1)
    y = (rng.random(67_240) < 0.01).astype(np.int64)
    X = rng.standard_normal((len(y), 15)) + 0.1 * y[:, np.newaxis]
    far = np.flatnonzero(y)[: int(told_apart * y.sum())]
    X[far] += 4.0 * np.abs(rng.standard_normal((len(far), 1))) + 1.0
    return X, y


def project(alpha, beta):
    """Nearest non-negative (alpha, beta) of equal sums, by sorting (the paper: by pivots, in linear time)."""
    if alpha.max() <= -beta.max():
        return np.zeros_like(alpha), np.zeros_like(beta)
    knots = np.sort(np.concatenate([alpha, -beta]))
    a = np.sort(alpha)
    b = np.sort(beta)
    above_a = np.append(np.cumsum(a[::-1])[::-1], 0.0)
    above_b = np.append(np.cumsum(b[::-1])[::-1], 0.0)
    i = np.searchsorted(a, knots)
    j = np.searchsorted(b, -knots)
    excess = above_a[i] - (len(a) - i) * knots - above_b[j] - (len(b) - j) * knots  # falls along the knots
    at = np.flatnonzero(excess >= 0)[-1]
    after = min(at + 1, len(knots) - 1)
    fall = excess[at] - excess[after]
    tau = knots[at] + (knots[after] - knots[at]) * (excess[at] / fall if fall > 0 else 0.0)
    return np.maximum(alpha - tau, 0.0), np.maximum(beta + tau, 0.0)


def dual(X, y, lam, seconds):
    """Accelerated projected gradient on TopPush's dual (Li, Jin and Zhou 2014); the best gap in `seconds`."""
    P = X[y == 1]
    N = X[y == 0]
    m = len(P)
    alpha, beta = np.zeros(m), np.zeros(len(N))
    old_alpha = alpha
    old_beta = beta
    momentum = 1.0
    smoothness = 0.25 / m
    objective = 1.0
    lower = 0.0
    t = 0

    def value(alpha, beta):
        image = P.T @ alpha - N.T @ beta
        return (alpha.sum() - alpha @ alpha / 4) / m - image @ image / (2 * lam * m**2), image / (lam * m)

    start = time.process_time()
    while time.process_time() - start < seconds and relative_gap(1.0, objective, lower) > TOL:
        t += 1
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        lead = (momentum - 1) / following
        ahead_alpha = alpha + lead * (alpha - old_alpha)
        ahead_beta = beta + lead * (beta - old_beta)
        at, w = value(ahead_alpha, ahead_beta)
        positive = P @ w
        negative = N @ w
        slack = np.maximum(1 + negative.max() - positive, 0)
        objective = min(objective, lam / 2 * w @ w + slack @ slack / m)
        g_alpha = (1 - ahead_alpha / 2 - positive) / m
        g_beta = negative / m
        while True:
            new_alpha, new_beta = project(
                ahead_alpha + g_alpha / smoothness, ahead_beta + g_beta / smoothness
            )
            da = new_alpha - ahead_alpha
            db = new_beta - ahead_beta
            reached = value(new_alpha, new_beta)[0]
            if reached >= at + g_alpha @ da + g_beta @ db - smoothness / 2 * (da @ da + db @ db) - 1e-15:
                break
            smoothness *= 2
        lower = max(lower, reached)
        old_alpha = alpha
        old_beta = beta
        alpha = new_alpha
        beta = new_beta
        momentum = following
    return relative_gap(1.0, objective, lower), t, time.process_time() - start


def main():
    most = by_quick(__doc__, 1, 20)
    sample = words()
    bundle(sample[0], TopPushLoss().bind(sample[1]), lam=1.0)  # compiles
    header()
    for name, (X, y), lams, limit in (
        ("like spambase", sample, (1.0, 0.1, 0.01, 0.001), 0.2),
        ("overlapping", mixture(0.0), (0.001,), 2.0),
        ("half told apart", mixture(0.5), (1.0, 0.001), 2.0),
    ):
        for lam in lams:
            start = time.process_time()
            solution = bundle(X, TopPushLoss().bind(y), lam=lam, tol=TOL)
            seconds = time.process_time() - start
            what = f"{name}, lam={lam:g}: {solution.n_iter} iterations, {solution.status}"
            row(what, duration(seconds), duration(limit), seconds / limit, goal=1)
            gap, n_iter, spent = dual(X, y, lam, min(50 * seconds, most))
            what = f"  the dual: {n_iter} iterations, gap {gap:.1g}"
            row(what, duration(seconds), duration(spent), seconds / spent)


if __name__ == "__main__":
    main()
