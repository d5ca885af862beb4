"""What refining for the top gains over the better of tuned logistic regression and linear SVM, on 14 sets.

    python performance/gains/soft_top.py FOLDER [--splits 20] [--shard 1/2] [--out gains.csv]
    python performance/gains/soft_top.py --table gains.csv [...] [--margin 0]

FOLDER holds the files as `rare_sets` names them. The protocol, fixed before the confirmation sets were run:

- Sets: the 14 of `rare_sets.SETS`. In alphabetical order every second one, from the second on, was there for
  development, with four other labels of the same files (letter G and X, thyroid class 1, wine low) and other
  splits; the others confirm.
- Splits: stratified, 70 % to train on; split s has seed s.
- Preparation: features standardised by the training part, then clipped to [-20, 20].
- Tops: kappa = 1/4, 1/2 and 1, which is k = n+/4, n+/2 and n+ of whatever part it is applied to.
- Baseline: `SoftTop.base_coef_`, the best by inner cross-validation of logistic regressions and
  squared-hinge SVMs, with classes as they are and balanced, for six C each, refitted on the training part.
- SoftTop with margin=0: base, width, anchor and "or none" are chosen on 5 inner folds of the training part,
  and a refinement is taken where it gains at all. `--margin 1` shows what its default would have taken.
- Measured: precision@k of the test part; the gain of a set is the mean over its splits.
- Tests: over sets Wilcoxon's signed-rank test, two-sided, of their mean gains, zeros dropped. Within a set
  the t-test corrected for overlapping training parts (Nadeau and Bengio 2003), at 5 %, not corrected for
  the number of sets.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
from rare_sets import SETS, load
from scipy.stats import t as student
from scipy.stats import wilcoxon
from sklearn.model_selection import StratifiedShuffleSplit

from attop import SoftTop
from attop.metrics import get_metric

DEVELOPMENT = sorted(SETS)[1::2]
KAPPAS = (0.25, 0.5, 1.0)
COLUMNS = (
    "set",
    "split",
    "kappa",
    "base",
    "soft",
    "refined",
    "cv_gain",
    "cv_gain_se",
    "width",
    "anchor",
    "seconds",
)


def split_and_fit(name, split, folder):
    """Return a row of `COLUMNS` for each top."""
    X, y = load(name, folder)
    train, test = next(StratifiedShuffleSplit(1, test_size=0.3, random_state=split).split(X, y))
    mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
    Z = np.clip((X - mean) / np.where(spread > 0, spread, 1.0), -20, 20)
    start = time.process_time()
    models = SoftTop(margin=0.0).fit_many(
        Z[train], y[train], settings=[{"top": {"kappa": kappa}} for kappa in KAPPAS]
    )
    seconds = time.process_time() - start
    precision = get_metric("precision@k").value
    for kappa, model in zip(KAPPAS, models, strict=True):
        at = {"kappa": kappa}
        base, soft = (precision(y[test], Z[test] @ w, at) for w in (model.base_coef_, model.coef_))
        chosen = (model.refined_, model.cv_gain_, model.cv_gain_se_, model.width_, model.anchor_)
        yield (name, split, kappa, base, soft, *chosen, round(seconds, 2))


def table(paths, margin):
    """Print the gains of every set, their means and tests; `margin` is that of SoftTop."""
    rows = [row for path in paths for row in csv.DictReader(Path(path).read_text().splitlines())]
    for kappa in KAPPAS:
        print(f"\nkappa = {kappa:g}\n\n| set | base | SoftTop | gain | standard error | refined | p |")
        print("|---|---|---|---|---|---|---|")
        gains = {}
        for name in sorted(SETS):
            of_set = [row for row in rows if row["set"] == name and float(row["kappa"]) == kappa]
            if not of_set:
                continue
            base, soft = (np.array([float(row[column]) for row in of_set]) for column in ("base", "soft"))
            pays = [float(row["cv_gain"]) > margin * float(row["cv_gain_se"]) for row in of_set]
            soft = np.where(pays, soft, base)
            gain = soft - base
            # Parts of the splits overlap: 3/7 is test to train.
            error = np.sqrt((1 / len(gain) + 3 / 7) * gain.var(ddof=1))
            p = 2 * student.sf(abs(gain.mean()) / error, len(gain) - 1) if error > 0 else 1.0
            gains[name] = gain.mean()
            star = "" if name in DEVELOPMENT else " *"
            print(
                f"| {name}{star} | {base.mean():.3f} | {soft.mean():.3f} | {gain.mean():+.3f} | {error:.3f} "
                f"| {sum(pays)}/{len(gain)} | {p:.2g} |"
            )
        for title, names in (
            ("all", gains),
            ("confirmation (*)", [name for name in gains if name not in DEVELOPMENT]),
        ):
            values = np.round([gains[name] for name in names], 12)  # a sum that is 0 but for rounding is 0
            won, lost = int((values > 0.002).sum()), int((values < -0.002).sum())
            p = wilcoxon(values[values != 0]).pvalue
            print(
                f"\n{title}: mean gain {values.mean():+.3f}, won-tied-lost "
                f"{won}-{len(values) - won - lost}-{lost}, Wilcoxon p {p:.2g}"
            )


def main():
    parser = argparse.ArgumentParser(prog="soft_top.py", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="where the files of the sets are")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--shard", default="1/1", help="of the splits, to share them among processes")
    parser.add_argument("--out", type=Path, default=Path("gains.csv"))
    parser.add_argument("--table", nargs="+", metavar="CSV", help="print the tables of these, run nothing")
    parser.add_argument("--margin", type=float, default=0.0, help="of the tables; at least 0")
    args = parser.parse_args()
    if args.table:
        return table(args.table, args.margin)
    if args.folder is None:
        parser.error("name the folder of the sets, or --table")
    shard, of = map(int, args.shard.split("/"))
    with args.out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for split in range(shard - 1, args.splits, of):
            for name in sorted(SETS):
                writer.writerows(split_and_fit(name, split, args.folder))
                file.flush()


if __name__ == "__main__":
    main()
