"""The gain at the top is the gain of misspecification: measured on made data, drawn beside the public sets.

    export OMP_NUM_THREADS=1
    python -m studies.gains.misspecification run docs/explanation/misspecification.csv
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
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

from attop import SoftTop
from attop.extending import booster
from attop.metrics import precision_at_k
from attop_bench.papers.pictures import half_interval

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
    rows = [(angle, seed, *measure(angle, seed)) for angle in ANGLES for seed in range(SEEDS)]
    pd.DataFrame(rows, columns=["angle", "seed", *MODELS]).round(4).to_csv(args.out, index=False)


def public_sets(folder):
    """Yield top, and by set the leads of LightGBM and SoftTop over linear, on splits that all have."""
    linear, trees = (pd.read_csv(folder / name) for name in ("soft-top.csv", "trees.csv"))
    linear["top"] = linear["kappa"].map({0.25: "n+/4", 0.5: "n+/2", 1.0: "n+"})
    both = linear.merge(trees, on=["top", "set", "split"])
    for top, its in both.groupby("top", sort=False):
        means = its.groupby("set")[["base", "soft", "lightgbm"]].mean()
        yield top, means["lightgbm"] - means["base"], means["soft"] - means["base"]


def half_intervals(groups):
    """Return half the 95% interval of each group's mean."""
    return half_interval(groups.sem(), groups.count())


def draw(args):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "attop", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.0), layout="constrained")
    made = pd.read_csv(args.folder / "misspecification.csv").groupby("angle")
    for name, style in zip(MODELS, ("C7o-", "C0o-", "C1s-", "k:"), strict=True):
        mean, half = made[name].mean(), half_intervals(made[name])
        left.errorbar(mean.index, mean, half, fmt=style, ms=4, lw=1.2, label=name)
    left.set(xlabel="angle between the many and the sure positives, degrees", xticks=ANGLES)
    left.set(ylabel="precision at the top 5 %", title="Made data: how wrong a linear model is")
    left.legend(frameon=False)

    marks = {"n+/4": "C0o", "n+/2": "C2^", "n+": "C3s"}
    for top, room, gain in public_sets(args.folder):
        right.plot(room, gain, marks[top], ms=5, label=f"k = {top.replace('n+', 'n₊')}")
        for i, (name, x, y) in enumerate(zip(room.index, room, gain, strict=True)):
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
    for do, path in ((run, "out"), (draw, "folder")):
        command = commands.add_parser(do.__name__)
        command.add_argument(path, type=Path, help="folder: of the three CSV files; the figure goes there")
        command.set_defaults(do=do)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
