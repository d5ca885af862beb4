"""The gain at the top is the gain of misspecification: measured on made data, drawn beside the public sets.

    export OMP_NUM_THREADS=1
    python -m studies.gains.misspecification run docs/explanation/misspecification.csv
    python -m studies.gains.misspecification table docs/explanation
    python -m studies.gains.misspecification draw docs/explanation

Made data: six normal features. Many positives, never more than a quarter, lie along one direction, the sure
ones along another; the angle between the two says how wrong a linear model of the probability is. At 0
degrees the order by logistic regression is the best there is, at 90 it is the "misspecified linear" kind of
`known_headroom`. Training on 2,000 rows, the top is the highest 5% of 50,000 others, ten samples an angle.
Logistic regression tuned, the same refined (`SoftTop(base="logistic")`), LightGBM with the settings of
`headroom`'s booster, and the true probabilities.

The figure has the public sets from soft-top.csv and trees.csv, where both have the split: they are the
same partitions.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.special import expit
from scipy.stats import spearmanr

from attop import SoftTop
from attop.learners.top_stack._members import booster
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


def read(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def public_sets(folder):
    """Return {top: (sets, precision of linear, SoftTop, LightGBM)} on splits that all have."""
    linear, trees = read(folder / "soft-top.csv"), read(folder / "trees.csv")
    kappas = {"n+/4": "0.25", "n+/2": "0.5", "n+": "1.0"}
    found = {}
    for top, kappa in kappas.items():
        values = defaultdict(dict)
        for row in linear:
            if row["kappa"] == kappa:
                values[row["set"], row["split"]].update(linear=row["base"], soft=row["soft"])
        for row in trees:
            if row["top"] == top:
                values[row["set"], row["split"]].update(lightgbm=row["lightgbm"])
        of_set = defaultdict(list)
        for (name, _), models in values.items():
            if len(models) == 3:
                of_set[name].append([float(v) for v in models.values()])
        names = sorted(of_set)
        found[top] = names, np.array([np.mean(of_set[name], axis=0) for name in names])
    return found


def table(args):
    print("| k | linear | SoftTop | LightGBM |\n|---|---|---|---|")
    for top, (names, values) in public_sets(args.folder).items():
        cells = " | ".join(f"{v:.3f}" for v in values.mean(axis=0))
        print(f"| {top} | {cells} |")
        room, gain = values[:, 2] - values[:, 0], values[:, 1] - values[:, 0]
        rho = spearmanr(room, gain)
        print(f"{len(names)} sets; Spearman {rho.statistic:.2f}, p {rho.pvalue:.2g}; LightGBM above linear")
        print(f"on {(room > 0).sum()} sets, SoftTop above LightGBM on {(gain > room).sum()}")


def draw(args):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "attop", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.0), layout="constrained")
    made = defaultdict(list)
    for row in read(args.folder / "misspecification.csv"):
        made[int(row["angle"])].append([float(row[model]) for model in MODELS])
    mean = np.array([np.mean(values, axis=0) for values in made.values()])
    error = np.array([np.std(values, axis=0, ddof=1) / np.sqrt(len(values)) for values in made.values()])
    for i, (name, style) in enumerate(zip(MODELS, ("C7o-", "C0o-", "C1s-", "k:"), strict=True)):
        left.errorbar(list(made), mean[:, i], error[:, i], fmt=style, ms=4, lw=1.2, label=name)
    left.set(xlabel="angle between the many and the sure positives, degrees", xticks=ANGLES)
    left.set(ylabel="precision at the top 5 %", title="Made data: how wrong a linear model is")
    left.legend(frameon=False)

    marks = {"n+/4": "C0o", "n+/2": "C2^", "n+": "C3s"}
    for top, (names, values) in public_sets(args.folder).items():
        room, gain = values[:, 2] - values[:, 0], values[:, 1] - values[:, 0]
        right.plot(room, gain, marks[top], ms=5, label=f"k = {top.replace('n+', 'n₊')}")
        for i, (name, x, y) in enumerate(zip(names, room, gain, strict=True)):
            if top == "n+/4" and max(x, y) > 0.2:
                offset = (4, 3 if i % 2 else -9)
                right.annotate(name, (x, y), xytext=offset, textcoords="offset points", fontsize=8)
    right.axhline(0, color="0.8", lw=0.8, zorder=0)
    right.axline((0, 0), slope=1, color="0.8", lw=0.8, ls="--", zorder=0)
    right.set(xlabel="LightGBM above the linear model", ylabel="SoftTop above the linear model")
    right.set_title("Public sets: gains in precision@k")
    right.legend(frameon=False, loc="upper left")
    right.margins(x=0.12)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(args.folder / "misspecification.svg", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    for do, path in ((run, "out"), (table, "folder"), (draw, "folder")):
        command = commands.add_parser(do.__name__)
        command.add_argument(path, type=Path, help="folder: of the three CSV files; the figure goes there")
        command.set_defaults(do=do)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
