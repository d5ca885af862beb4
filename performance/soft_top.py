"""One fit of SoftTop against its limits: products with X, logistic regressions, rows, memory.

    python performance/soft_top.py [--quick] [--rows 100000 200000]

A fit tunes the base, then chooses among 16 settings on 3 folds. It cannot do without the products of each
evaluation, so the refinement of 4 settings is timed against as many pairs `X @ W`, `X.T @ C`; the whole fit,
for information, against one logistic regression of scikit-learn for each of the 24 bases and 16 settings on
each fold. "A row" is the time of a fit of the longer sample, per row, over that of the shorter. Memory is
what is allocated beyond X.
"""

import argparse
import time
import tracemalloc

import numpy as np
from measure import Readings, header, interleave, row
from sklearn.linear_model import LogisticRegression

from attop import SoftTop
from attop.solvers.descent.lbfgs_many import lbfgs_many
from attop.surrogates import SoftPrecAtK

FOLDS, BASES, SETTINGS = 3, 24, 16


def sample(n, d=50):
    """Two ways to be positive, so that refining goes somewhere."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    score = X @ rng.standard_normal(d) * 0.2 + rng.standard_normal(n)
    return X, ((score > 3.2) | (X[:, 0] > 3)).astype(int)


def fit(X, y, n_jobs=None):
    return SoftTop(top={"tau": 0.005}, cv=FOLDS, n_jobs=n_jobs).fit(X, y)


def seconds(call):
    """Return processor and wall time of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return np.array([time.process_time() - cpu, time.perf_counter() - wall])


def readings(ours, peer):
    """Return one reading of either."""
    ours, peer = np.atleast_2d(ours), np.atleast_2d(peer)
    return Readings(ours[:, 0], ours[:, 1], peer[:, 0], peer[:, 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, fewer repeats")
    parser.add_argument(
        "--rows", type=int, nargs=2, default=[100_000, 200_000], help="shorter and longer sample"
    )
    args = parser.parse_args()
    short, long = (n // 10 if args.quick else n for n in args.rows)
    header()

    X, y = sample(short)
    fit(*sample(2000))  # compiles
    loss = SoftPrecAtK({"tau": 0.005}).bind(y)
    W = np.random.default_rng(1).standard_normal((X.shape[1], 4))

    def evaluate(W):
        value, coef = loss(X @ W)
        return value, X.T @ coef

    def refine():
        lbfgs_many(evaluate, W, max_iter=10, tol=0.0)

    def products():
        for _ in range(11):
            X.T @ (X @ W)

    interleave(refine, products, 3 if args.quick else 9).show("refining 4 settings : its products with X", 3)

    whole = seconds(lambda: fit(X, y))
    one = seconds(lambda: LogisticRegression(max_iter=1000).fit(X, y))
    fits = FOLDS * (BASES + SETTINGS)
    readings(whole, one * fits).show(f"a fit of {short:,} x 50 : {fits} logistic regressions")
    longer = seconds(lambda: fit(*sample(long)))
    readings(longer / long, whole / short).show(f"a row, of {long:,} : of {short:,}", 1.2)

    tracemalloc.start()
    fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    row(
        "peak memory beyond X : X",
        f"{peak / 2**20:.0f} MB",
        f"{X.nbytes / 2**20:.0f} MB",
        peak / X.nbytes,
        goal=3,
    )


if __name__ == "__main__":
    main()
