"""Time of `attop rescore` on made predictions: 50 data sets, 30 methods, 9 folds (3 x 3).

    python -m benchmarks.rescore [rows in a test part, by default 1000]

What is asked: under 5 minutes on two cores.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from attop_bench.cli.main import main
from benchmarks.measure import clocked

DATASETS, METHODS, REPEATS, FOLDS = 50, 30, 3, 3


def make(folder, n_test):
    """Write one Parquet file for each data set: a signal that the methods see more or less of."""
    for d in range(DATASETS):
        rng = np.random.default_rng(d)
        n = n_test * FOLDS
        signal = rng.normal(size=n)
        y = (signal + rng.normal(size=n) > 2.2).astype(np.int8)
        table = pd.DataFrame({"dataset": f"set{d:02}", "row": np.arange(n), "label": y})
        runs = []
        for repeat in range(REPEATS):
            its = table.assign(repeat=repeat, fold=rng.permutation(n) % FOLDS)
            for m in range(METHODS):
                score = (signal + rng.normal(0, 0.5 + m / 20, n)).astype(np.float32)
                runs.append(its.assign(method=f"method{m:02}", score=score))
        pd.concat(runs).to_parquet(folder / f"set{d:02}.parquet", index=False)


def measure(n_test):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "predictions").mkdir()
        make(folder / "predictions", n_test)
        size = sum(file.stat().st_size for file in (folder / "predictions").iterdir())
        rows = DATASETS * METHODS * REPEATS * FOLDS * n_test
        print(f"{rows:,} scores, {size / 1e6:.0f} MB", flush=True)
        arguments = ["rescore", str(folder / "predictions"), "--output", str(folder / "out"), "--jobs", "2"]
        own, wall = clocked(lambda: main(arguments))
        page = (folder / "out/report.html").stat().st_size / 1e6
        print(f"{wall:.0f} s wall, {own:.0f} s of processor time in the main process; page {page:.1f} MB")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
