"""Memory and passes of training on sparse files, from the file to the learner.

    python -m benchmarks.sparse [--part 0.1]

Makes files of SVMlight of the shapes of real-sim (70,000 x 20,000, 50 values a row) and news20 (20,000 x
1,300,000, 450 values a row), prepares each as `attop run` does, and trains each learner in a process of its
own. Memory is the most a process had above what its imports and compiled kernels need, over the size of the
file, which is text. A pass is the processor time of a product with the features, `X @ w`, and one with their
transpose. With `--part` files have this share of the rows and of the columns, and as many values a row.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.sparse import random_array
from sklearn.linear_model import LogisticRegression

from attop.extending import Top
from attop.from_papers import SGDAtK, SVMPerf, TopPush
from attop_bench.data.base import Dataset
from attop_bench.data.build import make
from benchmarks.measure import alone

SHAPES = {"real-sim": (70_000, 20_000, 50), "news20": (20_000, 1_300_000, 450)}
#: As in config/methods.yaml, in the middle of their grids.
LEARNERS = {
    "LIBLINEAR (logistic)": lambda top: LogisticRegression(solver="liblinear"),
    "logistic regression": lambda top: LogisticRegression(max_iter=1000),
    "TopPush": lambda top: TopPush(lam=0.1),
    "SVMperf": lambda top: SVMPerf(top=top, lam=100),
    "SGD@k-avg": lambda top: SGDAtK(top=top, surrogate="avg", batch_size=500, epochs=25, radius=10, eta=1),
}
ROWS_A_TIME = 2_000


def write(path, n_rows, n_columns, n_values):
    """Write rows of weights of words, common ones more often, of which a few words make the label."""
    rng = np.random.default_rng(0)
    signs = np.random.default_rng(1).normal(size=n_columns)
    signs[n_columns // 50 :] = 0
    with open(path, "w") as file:
        for start in range(0, n_rows, ROWS_A_TIME):
            rows = min(ROWS_A_TIME, n_rows - start)
            words = (n_columns * rng.random((rows, n_values)) ** 3).astype(np.int64)
            words.sort(axis=1)
            weights = rng.random((rows, n_values)).round(6)
            scores = (weights * signs[words]).sum(axis=1) / np.sqrt(n_values)
            positive = scores + 0.05 * rng.normal(size=rows) > 0.5
            for i in range(rows):
                first = np.r_[True, np.diff(words[i]) > 0]
                fields = zip(words[i][first] + 1, weights[i][first], strict=True)
                line = " ".join(f"{j}:{value:.6g}" for j, value in fields)
                file.write(f"{1 if positive[i] else -1} {line}\n")


def most_memory():
    """Return the most bytes that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def prepare(path, prepared):
    """Read a file and write the prepared data; return the memory it took."""
    before = most_memory()
    make("file", 0, path=str(path), positive="1", sparse=True).save(prepared)
    return {"memory": most_memory() - before}


def train(prepared, name):
    """Train a learner on four fifths of the rows, scaled; return memory, passes and precision at the top."""
    rng = np.random.default_rng(0)
    few = random_array((300, 50), density=0.2, format="csr", rng=rng)
    LEARNERS[name](Top(tau=0.1)).fit(few, few[:, [0]].toarray()[:, 0] > 0)  # compiles its kernels
    before = most_memory()
    data = Dataset.load(prepared)
    rows = rng.permutation(len(data.y))
    train = np.sort(rows[len(rows) // 5 :])
    test = rows[: len(rows) // 5]
    X = data.X[train]
    y = data.y[train]
    X_test = data.X[test]
    y_test = data.y[test]
    del data
    scale = np.sqrt(np.mean(X.multiply(X).sum(axis=1)))
    X.data /= scale
    w = np.ones(X.shape[1])
    c = np.ones(X.shape[0])
    start = time.process_time()
    for _ in range(5):
        X @ w
        X.T @ c
    a_pass = (time.process_time() - start) / 5
    start = time.process_time()
    model = LEARNERS[name](Top(tau=0.01)).fit(X, y)
    seconds = time.process_time() - start
    X_test.data /= scale
    k = max(1, len(y_test) // 100)
    first = np.argsort(-model.decision_function(X_test), kind="stable")[:k]
    memory = most_memory() - before
    precision = float(y_test[first].mean())
    return {"passes": seconds / a_pass, "seconds": seconds, "precision": precision, "memory": memory}


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sparse")
    parser.add_argument("--part", type=float, default=1.0, help="share of rows and columns")
    part = parser.parse_args().part
    print("| file | step | memory / file | seconds | passes | precision at 1% |")
    print("|---|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, (n_rows, n_columns, n_values) in SHAPES.items():
            path = Path(folder, f"{name}.svm")
            prepared = Path(folder, f"{name}.npz")
            write(path, round(part * n_rows), round(part * n_columns), n_values)
            size = path.stat().st_size
            label = f"{name}, {size / 1e6:.0f} MB"
            result = alone(prepare, path, prepared)
            print(f"| {label} | prepared | {result['memory'] / size:.1f} | | | |", flush=True)
            for learner in LEARNERS:
                result = alone(train, prepared, learner)
                memory = result["memory"] / size
                cost = f"{result['seconds']:.1f} | {result['passes']:,.0f}"
                numbers = f"{memory:.1f} | {cost} | {result['precision']:.3f}"
                print(f"| {label} | {learner} | {numbers} |", flush=True)
            path.unlink()
            prepared.unlink()


if __name__ == "__main__":
    main()
