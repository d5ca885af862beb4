"""Seconds, memory and precision at the top against rows: the learners for use, and three others.

    python -m benchmarks.large FOLDER docs/explanation/large.csv [--most 60] [--sets made]
    python -m benchmarks.large docs/explanation/large.csv
    python -m benchmarks.large --draw docs/explanation/large.csv docs/images/large.png

FOLDER holds ADBench's `8_celeba.npz` and `10_cover.npz`; the third set is made (`soft_top.sample`). Rows are
drawn at random, with the share of positives of all; those of a size are among those of the next. Precision@k
with k = n+/2 is that of 60,000 rows which no learner is trained on (the made set: 100,000).

Each fit is timed by `time.process_time` with one thread, after a fit on a few rows that imports and compiles.
A pass is one product `X @ w` with the rows trained on. Memory is the peak that Linux reports of the process,
above what it held before the fit, features among it. Without a second file the exponents are printed by which
time and memory of each learner grow, between the last two sizes of the made set. A size is left out for a
learner whose time at the size before, times the ratio of rows, is more than `--most` seconds. What the file
holds is not run again.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import csv
import functools
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from attop.metrics import precision_at_k, scores_of
from benchmarks.measure import clocked
from benchmarks.soft_top import memory, sample

TOP = {"kappa": 0.5}
SIZES = {"celeba": (1_000, 10_000, 100_000), "cover": (1_000, 10_000, 100_000)}
SIZES["made"] = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
N_TEST = {"celeba": 60_000, "cover": 60_000, "made": 100_000}


@functools.cache
def learners():
    """Return name -> function that makes the learner; the linear ones get standardised features."""
    from lightgbm import LGBMClassifier

    from attop import BundleRanker, GDRanker, SoftTop, TopBooster, TopStack

    def scaled(learner):
        return make_pipeline(StandardScaler(), learner)

    return {
        "Logistic regression": lambda: scaled(LogisticRegression(max_iter=1000)),
        "LIBLINEAR": lambda: scaled(LinearSVC(dual=False)),
        "LightGBM": lambda: LGBMClassifier(n_jobs=1, verbose=-1),
        "SoftTop": lambda: SoftTop(top=TOP),
        "GDRanker, pAUC": lambda: scaled(GDRanker("pauc", top={"tau": 0.1})),
        "BundleRanker, pAUC": lambda: scaled(BundleRanker("pauc", top={"tau": 0.1})),
        "TopBooster": lambda: TopBooster(top=TOP),
        "TopStack": lambda: TopStack(top=TOP),
    }


@functools.cache
def parts(name, folder):
    """Return features and labels to train on, in random order, and to test on."""
    if name == "made":
        X, y = sample(max(SIZES[name]) + N_TEST[name], 20)
    else:
        with np.load(next(folder.glob(f"*_{name}.npz"))) as file:
            X = file["X"].astype(float)
            y = file["y"].astype(int)
    return train_test_split(X, y, test_size=N_TEST[name], stratify=y, random_state=0)


def drawn(y, n):
    """Return `n` rows with the share of positives of all; those of fewer are among them."""
    n_pos = round(n * y.mean())
    return np.sort(np.r_[np.flatnonzero(y == 1)[:n_pos], np.flatnonzero(y == 0)[: n - n_pos]])


def pass_seconds(X):
    """Return the least processor time of five products with `X`."""
    w, calls = np.ones(X.shape[1]), max(1, 2_000_000 // X.size)
    return min(clocked(lambda: X @ w, calls)[0] for _ in range(5))


@functools.cache
def warm(make):
    X = np.random.default_rng(0).standard_normal((500, 5))
    make().fit(X, X[:, 0] > 1)  # imports and compiles


def measure(make, X, y, X_test, y_test):
    warm(make)
    # The peak of what has been so far is forgotten.
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    start = time.process_time()
    model = make().fit(X, y)
    seconds = time.process_time() - start
    peak = memory("VmHWM") - before
    a_pass = pass_seconds(X)
    return {
        "seconds": f"{seconds:.3g}",
        "passes": f"{seconds / a_pass:.3g}",
        "megabytes": f"{peak / 2**20:.3g}",
        "precision": f"{precision_at_k(y_test, scores_of(model, X_test), TOP):.4f}",
    }


def run(folder, results, most, sets):
    rows = list(csv.DictReader(results.open())) if results.exists() else []
    done = {(row["set"], row["learner"], int(row["rows"])): float(row["seconds"]) for row in rows}
    with results.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not rows:
            writer.writerow(["set", "learner", "rows", "seconds", "passes", "megabytes", "precision"])
        for at in range(max(map(len, SIZES.values()))):
            for learner, make in learners().items():
                for name in (name for name in sets if at < len(SIZES[name])):
                    n = SIZES[name][at]
                    before = SIZES[name][at - 1]
                    expected = done.get((name, learner, before), np.inf) * n / before if at else 0.0
                    if (name, learner, n) in done or expected > most:
                        continue
                    X, X_test, y, y_test = parts(name, folder)
                    at_random = drawn(y, n)
                    figures = measure(make, X[at_random], y[at_random], X_test, y_test)
                    done[name, learner, n] = float(figures["seconds"])
                    writer.writerow([name, learner, n, *figures.values()])
                    file.flush()


def growth(results):
    """Print the exponents of time and of memory, by the last two sizes of the made set."""
    import pandas as pd

    rows = pd.read_csv(results)
    for learner, its in rows[rows["set"] == "made"].groupby("learner", sort=False):
        last = its.sort_values("rows")[["rows", "seconds", "megabytes"]].tail(2)
        steps = np.log(last.iloc[1] / last.iloc[0])
        print(learner, *last["rows"], *(steps / steps["rows"]).round(2)[1:], sep=", ")


def draw(results, picture):
    import pandas as pd
    from matplotlib.figure import Figure

    from attop_bench.report.figures.scene import MUTED, figure_theme

    rows = pd.read_csv(results)
    # Okabe and Ito's colours; the three that are not ours in grey.
    colours = ["#1b1b1a", "#b0b0ae", "#8c8c8a", "#d55e00", "#e69f00", "#56b4e9", "#009e73", "#0072b2"]
    names = dict(zip(learners(), zip(colours, "sXDo^v<P", strict=True), strict=True))
    with figure_theme():
        canvas = Figure(figsize=(8, 5.2), layout="constrained")
        axes = canvas.subplots(2, len(SIZES), sharex="col")
        for (name, its), (above, below) in zip(rows.groupby("set"), axes.T, strict=True):
            for learner, (colour, marker) in names.items():
                one = its[its["learner"] == learner].sort_values("rows")
                style = {"color": colour, "marker": marker, "markersize": 4.5, "linewidth": 1.4}
                above.plot(one["rows"], one["seconds"], **style, label=learner)
                below.plot(one["rows"], one["precision"], **style)
            a_pass = (its["seconds"] / its["passes"]).groupby(its["rows"]).median()
            for passes in (1, 100):
                above.plot(a_pass.index, passes * a_pass, ":", color=MUTED, linewidth=1.2)
                said = "one pass over X" if passes == 1 else f"{passes} passes"
                above.annotate(said, (a_pass.index[0], passes * a_pass.iloc[0]), (6, -8), color=MUTED,
                               textcoords="offset points", fontsize=7)  # fmt: skip
            sizes = sorted(set(its["rows"]))
            above.set(title=name, xscale="log", yscale="log", ylim=(1e-6, 200))
            above.set_yticks(powers := [1e-6, 1e-4, 0.01, 1, 10], [f"{power:g}" for power in powers])
            below.set(xlabel="rows trained on")
            below.set_xticks(sizes, [f"10{'³⁴⁵⁶⁷'[len(str(n)) - 4]}" for n in sizes])
            below.set_ylim(min(below.get_ylim()[0], its["precision"].max() - 0.2))
            for one in (above, below):
                one.minorticks_off()
                one.spines[["top", "right"]].set_visible(False)
        axes[0, 0].set_ylabel("processor time, s")
        axes[1, 0].set_ylabel("precision at n+/2")
        canvas.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
        canvas.savefig(picture, dpi=150, facecolor="white", metadata={"Software": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="of the files, else the results")
    parser.add_argument("results", type=Path, nargs="?", help="a CSV file, or with --draw the picture")
    parser.add_argument("--most", type=float, default=60.0, help="seconds a fit may be expected to take")
    parser.add_argument("--sets", nargs="+", choices=list(SIZES), default=list(SIZES), help="by default all")
    parser.add_argument("--draw", action="store_true", help="draw the results")
    args = parser.parse_args()
    if args.results is None:
        return growth(args.folder)
    if args.draw:
        return draw(args.folder, args.results)
    warnings.filterwarnings("ignore")
    with threadpool_limits(1):
        run(args.folder, args.results, args.most, args.sets)


if __name__ == "__main__":
    main()
