"""The gain at the top is the gain of misspecification: measured on made data, drawn beside the public sets.

    export OMP_NUM_THREADS=1
    python performance/gains/misspecification.py run docs/explanation/misspecification.csv
    python performance/gains/misspecification.py draw docs/explanation

Made data: six normal features. Many positives, never more than a quarter, lie along one direction, the sure
ones along another; the angle between the two says how wrong a linear model of the probability is. At 0
degrees the order by logistic regression is the best there is, at 90 it is the "misspecified linear" kind of
tests/support/known_gaps.py. Training on 2,000 rows, the top is the highest 5% of 50,000 others, ten samples
an angle. Logistic regression tuned, the same refined (`SoftTop(base="logistic")`), LightGBM with the settings
of TopStack's member, and the true probabilities.

The figure has the public sets from soft-top.csv and top-stack.csv, where both have the split: they are the
same partitions.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.special import expit

from attop import SoftTop
from attop.estimators.members import booster
from attop.metrics import precision_at_k

ANGLES = (0, 15, 30, 45, 60, 75, 90)
SEEDS = 10
TOP = {"tau": 0.05}
MODELS = ("logistic regression", "SoftTop", "LightGBM", "true probabilities")


def sample(angle, n, rng, directions):
    """Return features, labels and their probabilities."""
    broad, across = directions
    sure = np.cos(np.radians(angle)) * broad + np.sin(np.radians(angle)) * across
    X = rng.normal(size=(n, 6))
    p = np.maximum(0.25 * expit(3 * (X @ broad - 0.7)), 0.9 * expit(8 * (X @ sure - 1.7)))
    return X, (rng.random(n) < p).astype(int), p


def measure(angle, seed):
    """Return the precision at the top of each of `MODELS`."""
    rng = np.random.default_rng([seed, angle])
    directions = np.linalg.qr(rng.normal(size=(6, 2)))[0].T
    X, y, _ = sample(angle, 2000, rng, directions)
    test, truth, p = sample(angle, 50_000, rng, directions)
    soft = SoftTop(top=TOP, base="logistic").fit(X, y)
    richer = booster().set_params(random_state=0).fit(X, y)
    scores = (test @ soft.base_coef_, test @ soft.coef_, richer.predict(test, raw_score=True), p)
    return [precision_at_k(truth, s, TOP) for s in scores]


def run(args):
    with args.out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("angle", "seed", *MODELS))
        for angle in ANGLES:
            for seed in range(SEEDS):
                writer.writerow((angle, seed, *(round(v, 4) for v in measure(angle, seed))))
                file.flush()


def means(path, key, columns, keep=lambda row: True):
    """Return {key: mean of each column} of the rows of a CSV file that are kept."""
    found = defaultdict(list)
    for row in csv.DictReader(path.read_text().splitlines()):
        if keep(row):
            found[row[key]].append([float(row[c]) for c in columns])
    return {name: np.mean(values, axis=0) for name, values in found.items()}


def draw(args):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "attop", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.0), layout="constrained")
    made = means(args.folder / "misspecification.csv", "angle", MODELS)
    for i, (name, style) in enumerate(zip(MODELS, ("C7o-", "C0o-", "C1s-", "k:"), strict=True)):
        left.plot([int(a) for a in made], [v[i] for v in made.values()], style, ms=4, label=name)
    left.set(xlabel="angle between the many and the sure positives, degrees", xticks=ANGLES)
    left.set(ylabel="precision at the top 5 %", title="Made data: how wrong a linear model is")
    left.legend(frameon=False)

    splits = {r["split"] for r in csv.DictReader((args.folder / "top-stack.csv").read_text().splitlines())}
    marks = {"n+/4": ("0.25", "C0o"), "n+/2": ("0.5", "C2^"), "n+": ("1.0", "C3s")}
    for label, (kappa, mark) in marks.items():
        linear = means(
            args.folder / "soft-top.csv", "set", ("base", "soft"),
            lambda row, kappa=kappa: row["kappa"] == kappa and row["split"] in splits,
        )  # fmt: skip
        trees = means(args.folder / "top-stack.csv", "set", ("lightgbm",), lambda r, t=label: r["top"] == t)
        names = sorted(linear.keys() & trees.keys())
        room = np.array([trees[n][0] - linear[n][0] for n in names])
        gain = np.array([linear[n][1] - linear[n][0] for n in names])
        right.plot(room, gain, mark, ms=5, label=f"k = {label.replace('n+', 'n₊')}")
        if label == "n+/4":
            for name, at in zip(names, zip(room, gain, strict=True), strict=True):
                if at[1] > 0.05:
                    right.annotate(name, at, xytext=(4, 3), textcoords="offset points", fontsize=8)
    right.axhline(0, color="0.8", lw=0.8, zorder=0)
    right.axline((0, 0), slope=1, color="0.8", lw=0.8, ls="--", zorder=0)
    right.set(xlabel="LightGBM above the linear model", ylabel="SoftTop above the linear model")
    right.set_title("Fourteen public sets: gains in precision@k")
    right.legend(frameon=False, loc="upper left")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(args.folder / "misspecification.svg", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("out", type=Path)
    runs.set_defaults(do=run)
    draws = commands.add_parser("draw")
    draws.add_argument("folder", type=Path, help="holds the three CSV files; the figure goes there")
    draws.set_defaults(do=draw)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
