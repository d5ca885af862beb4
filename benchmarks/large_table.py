"""Memory and processor time of large tables, from the file to a model to take away.

    python -m benchmarks.large_table [--rows 1_000_000] [--columns 50] [--whole] [--folder FOLDER]

Makes a table of so many rows and columns, nine of ten of them numbers and the others text of eight values,
with a label of which 5% are positive, as CSV and as Parquet. Then reads the CSV by `pandas.read_csv`, and
prepares both files as `attop run` does. With `--whole` it looks at the CSV, runs one split of logistic
regression and LightGBM, and deploys both. Each step is a process of its own. Memory is the most it and its
children had, in preparing above what the imports need, as a multiple of the memory of the frame that pandas
makes of the file; time is that of the processor, as a multiple of `pandas.read_csv`'s. Of a command of
`attop` both are those of all its processes, of which one job runs at a time.
"""

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import numpy as np
import psutil

from benchmarks.measure import alone

ROWS_A_TIME = 100_000
VALUES = ["red", "green", "blue", "white", "black", "grey", "brown", "pink"]
METHODS = ("logistic-regression", "lightgbm")
#: That a job may have: what a process of its own is killed beyond.
MEMORY_MB = 24_000
#: A variable of the environment by which a command's processes are known.
MARK = "ATTOP_LARGE_TABLE"


def frames(n_rows, n_columns):
    """Yield the rows of the table, some at a time."""
    import pandas as pd

    rng = np.random.default_rng(0)
    n_texts = n_columns // 10
    weights = np.random.default_rng(1).normal(size=n_columns - n_texts)
    for start in range(0, n_rows, ROWS_A_TIME):
        rows = min(ROWS_A_TIME, n_rows - start)
        numbers = rng.normal(size=(rows, len(weights))).round(4)
        frame = pd.DataFrame(numbers, columns=[f"n{i}" for i in range(len(weights))])
        for i in range(n_texts):
            frame[f"t{i}"] = rng.choice(VALUES, rows)
        scores = numbers @ weights / np.linalg.norm(weights) + rng.normal(size=rows)
        frame["y"] = (scores > 2.33).astype(int)
        yield frame


def write(folder, n_rows, n_columns):
    """Write the table as CSV, and as Parquet."""
    import pyarrow
    import pyarrow.parquet

    writer = None
    with open(folder / "table.csv", "w", newline="") as file:
        for number, frame in enumerate(frames(n_rows, n_columns)):
            frame.to_csv(file, index=False, header=number == 0)
            rows = pyarrow.Table.from_pandas(frame, preserve_index=False)
            writer = writer or pyarrow.parquet.ParquetWriter(folder / "table.parquet", rows.schema)
            writer.write_table(rows)
    writer.close()


def most_memory(who=resource.RUSAGE_SELF):
    """Return the most bytes that this process, or one of its children, has had."""
    return resource.getrusage(who).ru_maxrss * 1024


def measured(step, *arguments):
    """Return what a step returns, its memory above that of the imports, and its processor time."""
    import pandas  # noqa: F401 - imports are not measured
    import sklearn.preprocessing  # noqa: F401

    import attop_bench.data.build  # noqa: F401

    before, start = most_memory(), time.process_time()
    result = step(*arguments)
    return {"seconds": time.process_time() - start, "memory": most_memory() - before, "result": result}


def read(path):
    """Read a CSV by pandas; return the memory of the frame."""
    import pandas as pd

    return int(pd.read_csv(path).memory_usage(deep=True).sum())


def prepare(path, prepared):
    """Read a file and write the prepared data; return the memory of the features."""
    from attop_bench.data.build import make

    data = make("file", 0, path=str(path), label="y", positive=1, one_hot=True)
    data.save(prepared)
    return int(data.X.memory_usage(deep=True).sum())


def configuration(folder):
    """Write a configuration of one split of the CSV; return its path."""
    entry = {"id": "table", "kind": "file", "tops": [{"tau": 0.01}]}
    entry["params"] = {"path": str(folder / "table.csv"), "label": "y", "positive": 1, "one_hot": True}
    entry["protocol"] = {"kind": "holdout", "options": {"train": 0.7, "inner_folds": 2}, "repeats": 1}
    grids = {"logistic-regression": {"C": [1]}, "lightgbm": {"num_leaves": [16]}}
    methods = [{"id": name, "param_grid": grids[name]} for name in METHODS]
    whole = {"output": str(folder / "results"), "datasets": [entry], "methods": methods}
    text = json.dumps({**whole, "limits": {"memory_mb": MEMORY_MB}})
    path = folder / "table.yaml"
    path.write_text(text)
    return path


def commands(folder):
    """Yield the name of each command of `attop` that goes the whole way, and its arguments."""
    config = configuration(folder)
    yield "look", ["look", str(folder / "table.csv"), "--label", "y"]
    yield "run, one split", ["run", "--configfile", str(config), "--cores", "1"]
    for method in METHODS:
        model = str(folder / f"model-{method}")
        what = ["deploy", "table", method, "--configfile", str(config), "--output", model, "--jobs", "1"]
        yield f"deploy, {method}", what


def processes_of(mark):
    """Yield the running processes with a mark in their environment, which children inherit."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get(MARK) == mark:
                yield process


def spent(arguments):
    """Run a command of `attop`; return its code, processor time and most memory, of all its processes.

    Memory is that of all at one time. What a process needed after it was last seen, a twentieth of a second
    before its end, is not counted.
    """
    attop = [str(Path(sys.executable).parent / "attop"), *arguments]
    mark = uuid.uuid4().hex
    environment = {**os.environ, "OMP_NUM_THREADS": "1", MARK: mark}
    seconds, most = {}, 0
    with subprocess.Popen(attop, stdout=sys.stderr, env=environment) as command:
        while command.poll() is None:
            memory = 0
            for process in processes_of(mark):
                with contextlib.suppress(psutil.Error):
                    memory += process.memory_info().rss
                    seconds[process.pid] = sum(process.cpu_times()[:2])
            most = max(most, memory)
            time.sleep(0.05)
    return command.returncode, sum(seconds.values()), most


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_table")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--whole", action="store_true", help="look, run and deploy too")
    parser.add_argument("--folder", type=Path, help="where there is room, by default a temporary one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        folder = Path(temporary)
        write(folder, options.rows, options.columns)
        size = (folder / "table.csv").stat().st_size
        print(f"{options.rows:,} x {options.columns}, CSV of {size / 1e6:,.0f} MB\n")
        print("| step | memory, MB | of the frame | of pandas.read_csv's time |")
        print("|---|---:|---:|---:|")
        pandas = alone(measured, read, folder / "table.csv")
        frame, usual = pandas["result"], pandas["seconds"]
        steps = {"pandas.read_csv": pandas}
        for kind in ("csv", "parquet"):
            steps[f"prepared, {kind}"] = alone(
                measured, prepare, folder / f"table.{kind}", folder / f"{kind}.npz"
            )
        for name, step in steps.items():
            memory = step["memory"]
            print(
                f"| {name} | {memory / 1e6:,.0f} | {memory / frame:.2f} | {step['seconds'] / usual:.2f} |",
                flush=True,
            )
        for name, arguments in commands(folder) if options.whole else ():
            code, seconds, memory = spent(arguments)
            said = name if code == 0 else f"{name}: failed ({code})"
            print(f"| {said} | {memory / 1e6:,.0f} | | {seconds / usual:.2f} |", flush=True)


if __name__ == "__main__":
    main()
