"""One round of the p-norm push at 33,333 + 66,667 x 117, and a whole path against the form with all pairs.

    python -m benchmarks.push [--quick]

A round chooses a weak ranker and steps along it. Its limit is one product `X.T @ v`, which choosing among
features cannot do without; the goal is three times that. The time of a round is the difference of two
paths of 22 and 2 rounds, over 20. Memory is what numpy allocates beyond X during a path, and the limit
is X itself.
"""

import tracemalloc
from functools import partial

import numpy as np

from attop.extending import ThresholdRankers, coordinate_descent
from attop.surrogates import PNormPushExp
from benchmarks.measure import by_quick, clocked, header, interleave, row, show

P, ROUNDS = 4.0, 20


def sample(n_pos, n_neg, d):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [n_pos, n_neg])
    X = rng.standard_normal((n_pos + n_neg, d))
    X[:n_pos] += rng.uniform(0, 0.3, d)
    return X / np.abs(X).max(axis=0), y


def path_with_pairs(X, y, p, rounds):
    """Greedy coordinate descent on sum_k (sum_i exp(-M_ik))^p with the n+ x n- array of pairs."""
    pos = X[y == 1]
    neg = X[y == 0]
    w = np.zeros(X.shape[1])
    for _ in range(rounds):
        losses = np.exp(-((pos @ w)[:, None] - (neg @ w)[None, :]))
        weight = losses * (losses.sum(axis=0) ** (p - 1))
        weight /= weight.sum()
        gradient = weight.sum(axis=0) @ neg - weight.sum(axis=1) @ pos
        j = int(np.argmax(np.abs(gradient)))
        margin = pos[:, None, j] - neg[None, :, j]
        step = 0.0
        for _ in range(50):  # Newton's method for the minimum of the logarithm along the line
            moved = losses * np.exp(-step * margin)
            sums = moved.sum(0)
            first = (moved * margin).sum(0)
            second = (moved * margin**2).sum(0)
            price = sums**p
            mean = -first / sums
            curve = second / sums - (first / sums) ** 2
            share = price / price.sum()
            slope = p * (share @ mean)
            bend = p * (share @ curve) + p**2 * (share @ mean**2 - (share @ mean) ** 2)
            step -= slope / bend
            if abs(slope / bend) <= 1e-8 * abs(step):
                break
        w[j] += step
    return w


def rounds_against_product(X, rankers, loss, times):
    """Seconds of one round and of one product, in turn."""
    v = np.random.default_rng(1).standard_normal(len(X))

    def path(rounds):
        return clocked(lambda: coordinate_descent(rankers, loss, max_iter=rounds, tol=0.0))

    path(1)
    return np.array(
        [[(path(ROUNDS + 2) - path(2)) / ROUNDS, clocked(lambda: X.T @ v, ROUNDS)] for _ in range(times)]
    )


def main():
    times = by_quick(__doc__, 5, 15)
    header()

    X, y = sample(33_333, 66_667, 117)
    loss = PNormPushExp(P).bind(y)
    binned = ThresholdRankers.at_quantiles(X, 32)
    for name, rankers in (("features", X), ("32 thresholds a feature", binned)):
        show(f"push round, {name} : X.T @ v", rounds_against_product(X, rankers, loss, times), 3)
    for name, make in (("features", lambda: X), ("thresholds", lambda: ThresholdRankers.at_quantiles(X, 32))):
        tracemalloc.start()
        coordinate_descent(make(), loss, max_iter=3)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        row(
            f"push, {name}: peak memory : X",
            f"{peak / 2**20:.0f} MB",
            f"{X.nbytes / 2**20:.0f} MB",
            peak / X.nbytes,
            goal=1,
        )

    X, y = sample(100, 200, 8)
    loss = PNormPushExp(P).bind(y)
    ours = partial(coordinate_descent, X, loss, max_iter=200, tol=0.0)
    theirs = partial(path_with_pairs, X, y, P, 200)
    if not np.allclose(ours().coef[:, 0], theirs(), rtol=1e-4, atol=1e-6):
        raise SystemExit("the two paths differ: the comparison would mean nothing")
    show("push, 200 rounds at 300 x 8 : with all pairs", interleave(ours, theirs, times), 0.1)


if __name__ == "__main__":
    main()
