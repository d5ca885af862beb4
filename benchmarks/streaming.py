"""One pass of SGD@k-avg over a sample on disk, against reading it; time a row and memory against the rows.

    python -m benchmarks.streaming [--quick] [--rows 1000000 2000000 5000000]

A file of 5,000,000 x 50 float32 (1 GB) is made in a temporary folder and removed. Each run is a process
of its own, whose peak resident memory the operating system reports. "streamed" reads chunks of it;
"mapped" trains `SGDAtK` on the file as one array, whose pages the system counts as resident while it has
no better use for them. "reading" only reads the chunks.

Columns: see `measure`.
"""

import argparse
import resource
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import alone, clocked, duration, header, row, show

N_FEATURES = 50
CHUNK = 50_000
REPEATS = 5
MOST_MB = 400


def make(folder, n_rows):
    rng = np.random.default_rng(0)
    direction = rng.standard_normal(N_FEATURES).astype(np.float32)
    with open(folder / "X", "wb") as X, open(folder / "y", "wb") as y:
        for start in range(0, n_rows, CHUNK):
            size = min(CHUNK, n_rows - start)
            labels = rng.random(size) < 0.02
            rows = rng.standard_normal((size, N_FEATURES), np.float32)
            rows[labels] += 0.3 * direction
            rows.tofile(X)
            labels.astype(np.int8).tofile(y)


def chunks_of(folder, n_rows):
    def chunks():
        for start in range(0, n_rows, CHUNK):
            size = min(CHUNK, n_rows - start)
            rows = np.fromfile(folder / "X", np.float32, size * N_FEATURES, offset=4 * N_FEATURES * start)
            yield rows.reshape(size, N_FEATURES), np.fromfile(folder / "y", np.int8, size, offset=start)

    return chunks


def stream(chunks):
    from attop.extending import AveragedDescent, StreamedBatches, Top, descend
    from attop.surrogates import PrecAtKAvg

    batches = StreamedBatches(chunks, N_FEATURES, Top(kappa=0.25), 500, np.random.default_rng(0))
    descend(batches, AveragedDescent(N_FEATURES, PrecAtKAvg, eta=0.1, radius=10.0))


def fit_mapped(folder, n_rows):
    from attop.from_papers import SGDAtK

    X = np.memmap(folder / "X", np.float32, "r", shape=(n_rows, N_FEATURES))
    y = np.fromfile(folder / "y", np.int8, n_rows)
    SGDAtK(epochs=1).fit(X, y)


def read(chunks):
    for X, _ in chunks():
        X.sum()


def measure(what, folder, n_rows):
    """Return processor time, seconds and peak MB of a run in this process; compiled code is warmed up."""
    few = chunks_of(folder, 5000)
    chunks = chunks_of(folder, n_rows)
    stream(few)
    if what == "mapped":
        fit_mapped(folder, 5000)
    run = {
        "streamed": lambda: stream(chunks),
        "mapped": lambda: fit_mapped(folder, n_rows),
        "reading": lambda: read(chunks),
    }[what]
    return [*clocked(run), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]


def repeated(folder, rows):
    """Return processor time, seconds and peak MB of each run, by what and rows, shape (REPEATS, 3)."""
    found = {(what, n): [] for what in ("reading", "streamed", "mapped") for n in rows}
    for _ in range(REPEATS):
        for (what, n), readings in found.items():
            readings.append(alone(measure, what, folder, n))
    return {at: np.array(readings) for at, readings in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 2_000_000, 5_000_000])
    parser.add_argument("--quick", action="store_true", help="200,000 and 400,000 rows")
    args = parser.parse_args()
    rows = [200_000, 400_000] if args.quick else args.rows
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), max(rows))
        found = repeated(Path(name), rows)
    header()
    for what in ("streamed", "mapped"):
        for n in rows:
            sides = np.stack([found[what, n], found["reading", n]], axis=1)
            show(f"SGD@k-avg, {what}, {n:,} rows : reading them", sides[..., :2])
    few = min(rows)
    many = max(rows)
    a_row = {n: found["streamed", n][:, 0] / n for n in (few, many)}
    row(
        f"streamed, a row of {many:,} : of {few:,}",
        duration(np.median(a_row[many])),
        duration(np.median(a_row[few])),
        a_row[many] / a_row[few],
        goal=1.2,
    )
    peak = found["streamed", many][:, 2]
    row(
        f"streamed, peak memory at {many:,} rows : {MOST_MB} MB",
        f"{np.median(peak):.0f} MB",
        f"{MOST_MB} MB",
        peak / MOST_MB,
        goal=1,
    )


if __name__ == "__main__":
    main()
