"""One fit of SoftTop against its limits: products with X and logistic regressions.

    python -m benchmarks.soft_top [--quick]

A fit tunes the base, then chooses among 16 settings on 3 folds. It cannot do without the products of each
evaluation, so the refinement of 4 settings is timed against as many pairs `X @ W`, `X.T @ C`; the whole fit,
for information, against one logistic regression of scikit-learn for each of the 24 bases and 16 settings on
each fold.

What rows and memory cost is in `benchmarks.large`.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils import gen_batches

from attop import SoftTop
from attop.extending import lbfgs_many
from attop.surrogates import SoftPrecAtK
from benchmarks.measure import clocked, header, interleave, show

FOLDS, BASES, SETTINGS = 3, 24, 16


def sample(n, d, seed=0):
    """Two ways to be positive, so that refining goes somewhere; in blocks, for no memory beside X."""
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal(d) * np.sqrt(2 / d)
    X = np.empty((n, d))
    y = np.empty(n, np.int64)
    for rows in gen_batches(n, 10_000):
        X[rows] = rng.standard_normal(X[rows].shape)
        score = X[rows] @ direction + rng.standard_normal(len(y[rows]))
        y[rows] = (score > 3.2) | (X[rows, 0] > 3)
    return X, y


def fit(X, y):
    return SoftTop(top={"tau": 0.005}, cv=FOLDS).fit(X, y)


def memory(what):
    """Return the bytes this process holds ("VmRSS") or held at most ("VmHWM"), as Linux tells them."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(what)).split()[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, fewer repeats")
    args = parser.parse_args()
    less = 10 if args.quick else 1
    header()

    X, y = sample(100_000 // less, 50)
    fit(*sample(2000, 50))  # compiles
    loss = SoftPrecAtK({"tau": 0.005}).bind(y)
    W = np.random.default_rng(1).standard_normal((X.shape[1], 4))

    def evaluate(W, models):
        value, coef = loss(X @ W)
        return value, X.T @ coef

    def refine():
        lbfgs_many(evaluate, W, max_iter=10, tol=0.0)

    def products():
        for _ in range(11):
            X.T @ (X @ W)

    show("refining 4 settings : its products with X", interleave(refine, products, 3 if args.quick else 9), 3)

    whole = clocked(lambda: fit(X, y))
    one = clocked(lambda: LogisticRegression(max_iter=1000).fit(X, y))
    fits = FOLDS * (BASES + SETTINGS)
    show(f"a fit of {len(X):,} x 50 : {fits} logistic regressions", np.array([[whole, one * fits]]))


if __name__ == "__main__":
    main()
