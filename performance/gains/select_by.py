"""What to select hyper-parameters by where precision@k is what counts.

    export OMP_NUM_THREADS=1
    python performance/gains/select_by.py run FOLDER results.jsonl [--splits 10] [--part 0/2]
    python performance/gains/select_by.py table development|confirmation results.jsonl...

Protocol, fixed before any result was seen:

- Sets of `rare_sets`, at most 250 positives and 2,500 rows each: 8 for development, 12 for confirmation.
- Stratified splits, 70% to train on, 30% to test; the seed of a split is its number.
- The top is a quarter, a half and all of the positives of whatever sample is ranked. What counts is
  precision@k on the test part, ties in expectation.
- Grids: logistic regression on standardised features, C in 0.001, 0.01, ..., 100, classes as they are and
  balanced (12 settings); LightGBM, learning rate 0.1, leaves 7 or 31, at least 5 or 20 rows in a leaf, 25,
  50, 100 or 200 trees (16 settings); and both together (28).
- A setting is chosen by the mean of a target over 5 stratified folds of the training part, among equals the
  first, and refitted. Targets: precision@k; precision averaged over nine k' from k/2 to 2k; soft precision@k
  (`SoftPrecAtK`, its width the standard deviation of the 4k highest scores); average precision; AUC; log loss
  of the probabilities. Scores are log-odds.
- A set's gain is the mean over splits and tops of the precision with a target minus that with precision@k.
- Development: the target of the highest mean gain over the sets, averaged over the three grids, is the one
  that is tried. Confirmation: that one alone, with both grids together, Wilcoxon's signed-rank test over the
  sets, two-sided. It picks better if its mean gain is above 0 with p < 0.05.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from lightgbm import LGBMClassifier
from rare_sets import load
from scipy.special import logit
from scipy.stats import wilcoxon
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from attop.core.top import Top
from attop.metrics import auc, average_precision, precision_at_k
from attop.metrics.held_out import TopPrecision
from attop.surrogates import SoftPrecAtK

SETS = {
    "development": [
        "mammography", "oil-spill", "phoneme", "ann-thyroid-1", "wine-white", "steel-faults-4", "letter",
        "a9a",
    ],
    "confirmation": [
        "ai4i2020", "ann-thyroid", "abalone", "wine-low", "magic04", "steel-faults-5", "letter-G", "letter-X",
        "spambase", "ijcnn1", "coil2000", "mq2008",
    ],
}  # fmt: skip
TOPS = {"n+/4": {"kappa": 0.25}, "n+/2": {"kappa": 0.5}, "n+": {"kappa": 1.0}}
TREES = (25, 50, 100, 200)
GRIDS = {"logistic regression": ("linear",), "LightGBM": ("trees",), "both": ("linear", "trees")}


def soft_precision(y, scores, top):
    k = Top.of(top).resolve(len(y), int(y.sum()))
    width = np.std(np.sort(scores)[-4 * k :])
    return 1 - SoftPrecAtK(k, width if width > 0 else 1.0).value_and_coef(scores, y)[0]


TARGETS = {
    "precision@k": lambda y, p, top: precision_at_k(y, p, top),
    "k/2 to 2k": lambda y, p, top: TopPrecision(y, top).smoothed(p),
    "soft precision@k": lambda y, p, top: soft_precision(y, logit(np.clip(p, 1e-12, 1 - 1e-12)), top),
    "average precision": lambda y, p, top: average_precision(y, p),
    "AUC": lambda y, p, top: auc(y, p),
    "log loss": lambda y, p, top: -log_loss(y, np.clip(p, 1e-12, 1 - 1e-12)),
}


def probabilities(X, y, test):
    """Return the probabilities of the test rows by every setting."""
    found = {}
    for C in 10.0 ** np.arange(-3, 3):
        for balance in (None, "balanced"):
            linear = LogisticRegression(C=C, class_weight=balance, max_iter=2000)
            model = make_pipeline(StandardScaler(), linear).fit(X, y)
            found["linear", C, balance] = model.predict_proba(test)[:, 1]
    for leaves in (7, 31):
        for least in (5, 20):
            model = LGBMClassifier(
                n_estimators=TREES[-1], learning_rate=0.1, num_leaves=leaves, min_child_samples=least,
                n_jobs=1, verbosity=-1, random_state=0,
            ).fit(X, y)  # fmt: skip
            for trees in TREES:
                found["trees", leaves, least, trees] = model.predict_proba(test, num_iteration=trees)[:, 1]
    return found


def run_one(name, split, folder):
    """Return the rows of one split of one set."""
    X, y = load(name, Path(folder), n_pos=250, n_rows=2500)
    X, test, y, truth = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
    folds = StratifiedKFold(5, shuffle=True, random_state=split).split(X, y)
    inner = [(y[rest], probabilities(X[train], y[train], X[rest])) for train, rest in folds]
    final = probabilities(X, y, test)
    for label, top in TOPS.items():
        means = {
            what: {s: np.mean([target(labels, p[s], top) for labels, p in inner]) for s in final}
            for what, target in TARGETS.items()
        }
        on_test = {s: precision_at_k(truth, p, top) for s, p in final.items()}
        for grid, kinds in GRIDS.items():
            settings = [s for s in final if s[0] in kinds]
            chosen = {what: max(settings, key=mean.__getitem__) for what, mean in means.items()}
            yield {
                "set": name, "split": split, "top": label, "grid": grid,
                "best": max(on_test[s] for s in settings), **{what: on_test[s] for what, s in chosen.items()},
            }  # fmt: skip


def run(args):
    part, parts = map(int, args.part.split("/"))
    path = Path(args.results)
    done = {(row["set"], row["split"]) for row in read([path])} if path.exists() else set()
    names = [name for sets in SETS.values() for name in sets]
    todo = [(name, split) for split in range(args.splits) for name in names]
    with path.open("a", encoding="utf-8") as file:
        for name, split in todo[part::parts]:
            if (name, split) not in done:
                rows = list(run_one(name, split, args.folder))
                file.writelines(json.dumps(row) + "\n" for row in rows)
                file.flush()


def read(paths):
    return [
        json.loads(line) for path in paths for line in Path(path).read_text(encoding="utf-8").splitlines()
    ]


def table(args):
    names, rows = SETS[args.sets], read(args.results)
    complete = set.intersection(*({r["split"] for r in rows if r["set"] == name} for name in names))
    rows = [row for row in rows if row["split"] in complete and row["set"] in names]
    others = [what for what in TARGETS if what != "precision@k"]
    print(f"{len(complete)} splits of {len(names)} sets\n")
    for grid in GRIDS:
        here = [row for row in rows if row["grid"] == grid]
        print(f"| {grid} | precision@k | best | {' | '.join(others)} |\n|---|---|---|{'---|' * len(others)}")
        gains = {what: [] for what in ["best", *others]}
        for name in names:
            of = [row for row in here if row["set"] == name]
            for what, values in gains.items():
                values.append(np.mean([row[what] - row["precision@k"] for row in of]))
            cells = [f"{values[-1]:+.3f}" for values in gains.values()]
            print(f"| {name} | {np.mean([r['precision@k'] for r in of]):.3f} | {' | '.join(cells)} |")
        print(f"| mean | | {' | '.join(f'{np.mean(values):+.4f}' for values in gains.values())} |")
        for label in TOPS:
            of = [row for row in here if row["top"] == label]
            cells = [f"{np.mean([row[what] - row['precision@k'] for row in of]):+.4f}" for what in gains]
            print(f"| mean at {label} | | {' | '.join(cells)} |")
        cells = [f"{wilcoxon(values).pvalue:.2g}" for values in gains.values()]
        print(f"| Wilcoxon p | | {' | '.join(cells)} |\n")


def main():
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("folder")
    runs.add_argument("results")
    runs.add_argument("--splits", type=int, default=10)
    runs.add_argument("--part", default="0/1", help="this process does every PARTS-th fit, from PART")
    runs.set_defaults(do=run)
    tables = commands.add_parser("table")
    tables.add_argument("sets", choices=SETS)
    tables.add_argument("results", nargs="+")
    tables.set_defaults(do=table)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
