"""Other ways to refine a linear model for the top than SoftTop's, and SoftTop at other k.

    export OMP_NUM_THREADS=1
    python performance/gains/refinements.py run FOLDER results.csv [--splits 2]
    python performance/gains/refinements.py table results.csv

Protocol, fixed before the run:

- The 14 sets of `rare_sets.MORE`, all for development; stratified splits, 70 % to train on, split s with
  seed 10 + s; features standardised by the training part, then clipped to [-20, 20].
- Three refinements of the same base, which SoftTop tunes; each has its settings and "or none" chosen by the
  same five folds and the same rule, a gain of more than its standard error:
  "sigmoid" is SoftTop, 16 settings;
  "ramp" ascends `PrecAtKRamp` over k, a hinge for the sigmoid and no soft cut, by L-BFGS from the base, with
  the same 16 settings;
  "local weights" refits a logistic regression four times, each time with weights 0.1 + 0.9 * 4 sigma'(z), z
  the distance of the last scores from their soft cut in units of h u: h of 0.3, 1 and 3, C of 0.1, 1 and 10.
- Tops: n+/4, n+/2 and n+. The sigmoid also for 1 % of the rows, and for 100 items of the test part where it
  has 1,000.
- Measured: precision@k of the test part, less the base's. A set is won or lost beyond 0.002; the test over
  sets is Wilcoxon's, two-sided, zeros dropped.
- A refinement holds its ground, and becomes a choice of SoftTop, if at two of the three tops its mean gain is
  not below the sigmoid's and it loses on no more sets.
"""

import argparse
import csv
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
from rare_sets import MORE, load
from scipy.special import expit
from scipy.stats import wilcoxon
from sklearn.model_selection import train_test_split

from attop import SoftTop
from attop.metrics import precision_at_k
from attop.solvers.descent.pointwise_newton import newton_path
from attop.solvers.descent.soft_top import refine, unit
from attop.surrogates import PrecAtKRamp

TOPS = {"n+/4": {"kappa": 0.25}, "n+/2": {"kappa": 0.5}, "n+": {"kappa": 1.0}}
COLUMNS = (
    "set",
    "split",
    "refinement",
    "top",
    "base",
    "refined",
    "taken",
    "cv_gain",
    "cv_gain_se",
    "seconds",
)
ROUNDS, LEAST, WIDTHS, CS = 4, 0.1, (0.3, 1.0, 3.0), (0.1, 1.0, 10.0)


class RampOverK(PrecAtKRamp):
    """The ramp loss as a share of k, like the loss of the sigmoid."""

    def bind(self, y, groups=None, sample_weight=None):
        loss, k = super().bind(y, groups, sample_weight), self.top.resolve(len(y), int(y.sum()))

        def divided(scores):
            value, coef = loss(scores)
            return value / k, coef / k

        return divided


def ramp(*args, **options):
    """`refine` with another loss."""
    with patch("attop.solvers.descent.soft_top.SoftPrecAtK", RampOverK):
        return refine(*args, **options)


def local_weights(X, part, top, start, widths, anchors):
    """Refit by weights about the cut; the anchors are 1 / C."""
    X, k = X[part.rows], part.resolve(top, np.arange(len(part.y)))
    columns = []
    for width, anchor in zip(widths, anchors, strict=True):
        coef = start
        for _ in range(ROUNDS):
            z = X @ coef / (width * unit(X @ coef, part, top))
            sigma = expit(z - soft_cut(z, k))
            weight = LEAST + (1 - LEAST) * 4 * sigma * (1 - sigma)
            coef = newton_path(X, part.y, weight, [1 / anchor], "logistic")[:, 0]
        columns.append(coef)
    return np.column_stack(columns)


def soft_cut(z, k):
    """Return t such that the sigmoids of z - t add up to k, by halving an interval."""
    low, high = z.min() - 50, z.max() + 50
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(z - middle).sum() > k else (low, middle)
    return low


def fit(refinement, X, y, tops):
    """Return a model with margin=0 for each top."""
    model = SoftTop(margin=0.0)
    settings = [{"top": top} for top in tops]
    if refinement == "sigmoid":
        return model.fit_many(X, y, settings=settings)
    search, estimator = "attop.solvers.descent.soft_top_search.refine", "attop.estimators.soft_top"
    if refinement == "ramp":
        with patch(search, ramp):
            return model.fit_many(X, y, settings=settings)
    grid = patch(f"{estimator}._WIDTHS", WIDTHS), patch(f"{estimator}._ANCHORS", tuple(1 / C for C in CS))
    with patch(search, local_weights), grid[0], grid[1]:
        return model.fit_many(X, y, settings=settings)


def run_one(name, split, folder):
    """Yield a row of `COLUMNS` for each refinement and top."""
    X, y = load(name, folder)
    train, test = train_test_split(np.arange(len(y)), test_size=0.3, random_state=10 + split, stratify=y)
    mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
    Z = np.clip((X - mean) / np.where(spread > 0, spread, 1.0), -20, 20)
    more = {"1 %": {"tau": 0.01}}
    if len(test) >= 1000:
        more["100"] = {"k": 100, "of": len(test)}
    for refinement in ("sigmoid", "ramp", "local weights"):
        tops = TOPS | (more if refinement == "sigmoid" else {})
        start = time.process_time()
        models = fit(refinement, Z[train], y[train], tops.values())
        seconds = time.process_time() - start
        for (label, top), model in zip(tops.items(), models, strict=True):
            base, refined = (
                precision_at_k(y[test], Z[test] @ w, top) for w in (model.base_coef_, model.coef_)
            )
            chosen = model.refined_, model.cv_gain_, model.cv_gain_se_
            yield name, split, refinement, label, base, refined, *chosen, round(seconds, 2)


def run(args):
    path = Path(args.results)
    done = {(row["set"], int(row["split"])) for row in read(path)} if path.exists() else set()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not done:
            writer.writerow(COLUMNS)
        for split in range(args.splits):
            for name in sorted(MORE):
                if (name, split) not in done:
                    writer.writerows(list(run_one(name, split, Path(args.folder))))
                    file.flush()


def read(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def table(args):
    rows = read(Path(args.results))
    names = sorted({row["set"] for row in rows})
    splits = {row["split"] for row in rows}
    print(f"{len(names)} sets, {len(splits)} splits\n")
    print("| refinement | top | sets | base | gain | won-tied-lost | worst | p | refined | seconds |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for refinement, top in dict.fromkeys((row["refinement"], row["top"]) for row in rows):
        here = [row for row in rows if (row["refinement"], row["top"]) == (refinement, top)]
        gains = []
        for name in names:
            of_set = [row for row in here if row["set"] == name]
            if of_set:
                gains.append(
                    np.mean([pays(row) * (float(row["refined"]) - float(row["base"])) for row in of_set])
                )
        gains = np.round(gains, 12)  # a sum that is 0 but for rounding is 0
        won, lost = int((gains > 0.002).sum()), int((gains < -0.002).sum())
        p = f"{wilcoxon(gains[gains != 0]).pvalue:.2g}" if gains.any() else ""
        base, seconds = (np.mean([float(row[column]) for row in here]) for column in ("base", "seconds"))
        print(
            f"| {refinement} | {top} | {len(gains)} | {base:.3f} | {gains.mean():+.3f} "
            f"| {won}-{len(gains) - won - lost}-{lost} | {gains.min():+.3f} | {p} "
            f"| {np.mean([pays(row) for row in here]):.0%} | {seconds:.1f} |"
        )


def pays(row):
    """Return whether SoftTop's rule takes the refinement: it gains more than its standard error."""
    return row["taken"] == "True" and float(row["cv_gain"]) > float(row["cv_gain_se"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("folder")
    runs.add_argument("results")
    runs.add_argument("--splits", type=int, default=2)
    runs.set_defaults(call=run)
    tables = commands.add_parser("table")
    tables.add_argument("results")
    tables.set_defaults(call=table)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()
