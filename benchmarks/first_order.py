"""First-order solvers against the products with the features that they cannot do without.

    python -m benchmarks.first_order [--quick]

- An epoch of Perceptron@k and SGD@k at 100,000 x 117 in batches of 500, against one ``X @ w``, both on
  one thread: the BLAS's second one would wait in a loop while ours run, and count as their time.
- A step of GD-pAp@k at 42,000 x 90, 638 users, 70 settings, against ``X @ W`` and ``X.T @ C`` alone.
- The same step, per model, against the gradient of one model written as a loop over a frame's users.

Columns: see `measure`.
"""

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from attop.extending import AveragedDescent, MistakeDriven, Top, batches_of, descend
from attop.solvers import gradient_descent
from attop.surrogates import PApKAvg, PApKMax, PApKTS, PrecAtKAvg, PrecAtKMax
from benchmarks.measure import by_quick, header, interleave, show

STEPS = 20


def one_list(times):
    rng = np.random.default_rng(0)
    n = 100_000
    d = 117
    y = (rng.random(n) < 0.0061).astype(np.int64)
    X = rng.standard_normal((n, d))
    X[:, :5] += 0.8 * y[:, None]
    w = rng.standard_normal(d)

    for name, state in {
        "Perceptron@k-avg": lambda: MistakeDriven(d, "avg"),
        "Perceptron@k-max": lambda: MistakeDriven(d, "max"),
        "SGD@k-avg": lambda: AveragedDescent(d, PrecAtKAvg, eta=0.1, radius=10.0),
        "SGD@k-max": lambda: AveragedDescent(d, PrecAtKMax, eta=0.1, radius=10.0),
    }.items():

        def epoch(state=state):
            descend(batches_of(X, y, None, Top(kappa=0.25), 500, np.random.default_rng(0)), state())

        show(f"{name}, an epoch : X @ w", interleave(epoch, lambda: X @ w, times), goal=3)


def users(times):
    rng = np.random.default_rng(0)
    n_users = 638
    k = 8
    d = 90
    size = rng.lognormal(0, 0.9, n_users)
    size = np.maximum(15, size / size.sum() * 42_000).astype(int)
    groups = np.repeat(np.arange(n_users), size)
    n = len(groups)
    y = (rng.random(n) < 0.22).astype(np.int64)
    X = 0.3 * rng.standard_normal((n, d))
    X[:, :5] += 0.2 * y[:, None]
    eta, lam = (a.ravel() for a in np.meshgrid(np.geomspace(1e-3, 0.5, 10), np.geomspace(1e-3, 1, 7)))
    m = len(eta)
    W, C = rng.standard_normal((d, m)), rng.standard_normal((n, m))
    start = rng.standard_normal(d)
    frame = pd.DataFrame(X).assign(user=groups, y=y)

    def products():
        for _ in range(STEPS):
            X @ W
            X.T @ C
        X @ W  # the last iterate is evaluated too

    for name, surrogate in {"avg": PApKAvg, "max": PApKMax, "TS": PApKTS}.items():
        loss = surrogate(k).bind(y, groups)

        def descent(loss=loss):
            gradient_descent(X, loss, eta=eta, lam=lam, max_iter=STEPS, tol=0, coef_init=start)

        def loop(name=name):
            return user_loop(frame, start, k, name)

        difference = loop() - X.T @ loss(X @ start)[1]
        assert np.abs(difference).max() < 1e-10, "the loop is another gradient"
        per_step = interleave(descent, products, times) / STEPS
        show(f"GD-pAp@k-{name}, {m} models, a step : products", per_step, goal=2)
        per_model = interleave(descent, loop, 3) / [[STEPS * m], [1]]
        show(f"GD-pAp@k-{name}, a step per model : user loop", per_model, goal=1 / 200)


def user_loop(frame, w, k, name):
    """Gradient of a pAp@k surrogate for one model, user by user, straight from the definition."""
    features = list(range(len(w)))
    gradient = np.zeros(len(w))
    n_users = 0
    for _, rows in frame.groupby("user"):
        scored = rows.assign(score=rows[features].to_numpy() @ w)
        positive = scored[scored["y"] == 1].sort_values("score", ascending=name == "max")
        negative = scored[scored["y"] == 0].sort_values("score", ascending=False).head(k)
        if len(positive) == 0 or len(negative) < k:
            continue
        n_users += 1
        x_pos = positive[features].to_numpy()
        x_neg = negative[features].to_numpy()
        s_pos = positive["score"].to_numpy()
        s_neg = negative["score"].to_numpy()
        if name == "avg":
            x_pos = x_pos.mean(axis=0, keepdims=True)
            s_pos = np.array([s_pos.mean()])
        beta = min(len(s_pos), k)
        if name == "max":
            x_pos = x_pos[:beta]
            s_pos = s_pos[:beta]
        margin = (np.arange(len(s_pos)) < beta)[:, None]
        active = (margin + s_neg - s_pos[:, None] > 0) / (beta * k)
        gradient += active.sum(axis=0) @ x_neg - active.sum(axis=1) @ x_pos
    return gradient / n_users


def main():
    times = by_quick(__doc__, 5, 15)
    header()
    with threadpool_limits(1, "blas"):
        one_list(times)
    users(min(times, 9))


if __name__ == "__main__":
    main()
