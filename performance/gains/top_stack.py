"""TopStack against tuned LightGBM on public sets with few positives.

    export OMP_NUM_THREADS=1
    python performance/gains/top_stack.py run FOLDER results.jsonl [--splits 10] [--part 0/2]
    python performance/gains/top_stack.py table results.jsonl...

Protocol, fixed before any result was seen:

- 17 sets of `rare_sets`, at most 250 positives and 2,500 rows each. No choice in TopStack was made on
  them; its design (members, clipping, 16 k candidates) comes from an earlier trial that had most of them, on
  other draws.
- Stratified splits, 70% to train on, 30% to test; the seed of a split is its number.
- The top is a quarter, a half and all of the positives of whatever sample is ranked. Measured: precision@k
  on the test part, ties in expectation.
- Baseline: LightGBM, learning rate 0.1, leaves 7 or 31, at least 5 or 20 rows in a leaf, 25, 50, 100 or 200
  trees: 16 settings, the best for each top by the smoothed precision of 5-fold cross-fitted scores, refitted.
- TopStack(estimators="auto", cv=5, random_state=0), nothing tuned. Its boosting has one setting.
- A set's gain is the mean over its splits. Wilcoxon's signed-rank test, two-sided, is over sets. A set is
  won or lost where the gain is beyond 0.002.
- What stacking alone explains: the same members and splits with the mean, and with the logistic regression
  of all rows, whatever TopStack chose; and the best member by cross-validation.
- Time: processor time of one fit for one top over that of its members' fits (cross-fitted and on all rows).

Splits come one after the other over all sets, so that what was run before an end is complete splits.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from lightgbm import LGBMClassifier
from rare_sets import load
from scipy.stats import wilcoxon
from sklearn.model_selection import train_test_split

import attop.estimators.top_stack as stacking
from attop import TopStack
from attop.estimators.folds import deal_folds
from attop.metrics import precision_at_k
from attop.metrics.held_out import TopPrecision

SETS = [
    "mammography",
    "oil-spill",
    "phoneme",
    "ai4i2020",
    "ann-thyroid-1",
    "ann-thyroid",
    "abalone",
    "wine-white",
    "wine-low",
    "magic04",
    "steel-faults-4",
    "steel-faults-5",
    "letter",
    "spambase",
    "a9a",
    "ijcnn1",
    "coil2000",
]
TOPS = {"n+/4": {"kappa": 0.25}, "n+/2": {"kappa": 0.5}, "n+": {"kappa": 1.0}}
TREES = (25, 50, 100, 200)
GRID = [(leaves, least) for leaves in (7, 31) for least in (5, 20)]
COLUMNS = {
    "stack": "TopStack",
    "best member": "best member",
    "mean": "mean",
    "logistic": "logistic",
    "top-logistic": "top-logistic",
}


class Stopwatch:
    """Adds up the processor time of the calls of a function."""

    def __init__(self, function):
        self.function, self.seconds = function, 0.0

    def __call__(self, *args):
        start = time.process_time()
        result = self.function(*args)
        self.seconds += time.process_time() - start
        return result


def booster(leaves, least):
    return LGBMClassifier(
        n_estimators=TREES[-1],
        learning_rate=0.1,
        num_leaves=leaves,
        min_child_samples=least,
        n_jobs=1,
        verbosity=-1,
        random_state=0,
    )


def tuned_lightgbm(X, y, test):
    """Scores of the test part, one setting chosen for each top."""
    folds = deal_folds(5, y, None, np.random.RandomState(0))
    held_out = {}
    for setting in GRID:
        for trees in TREES:
            held_out[*setting, trees] = np.empty(len(y))
        for train, rest in folds:
            model = booster(*setting).fit(X[train], y[train])
            for trees in TREES:
                held_out[*setting, trees][rest] = model.predict(X[rest], raw_score=True, num_iteration=trees)
    whole, found = {}, {}
    for name, top in TOPS.items():
        measure = TopPrecision(y, top)
        *setting, trees = max(held_out, key=lambda s: measure.smoothed(held_out[s]))
        if tuple(setting) not in whole:
            whole[tuple(setting)] = booster(*setting).fit(X, y)
        found[name] = whole[tuple(setting)].predict(test, raw_score=True, num_iteration=trees)
    return found


def run_one(name, split, folder):
    """Return the rows of one split of one set."""
    X, y = load(name, Path(folder), n_pos=250, n_rows=2500)
    X, test, y, truth = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
    start = time.process_time()
    base = tuned_lightgbm(X, y, test)
    seconds = {"lightgbm": time.process_time() - start}
    watches = stacking.cross_fit, stacking.refit = Stopwatch(stacking.cross_fit), Stopwatch(stacking.refit)
    start = time.process_time()
    settings = [{"top": top} for top in TOPS.values()]
    stacks = TopStack(cv=5, random_state=0).fit_many(X, y, settings=settings)
    total = time.process_time() - start
    seconds["members"] = sum(watch.seconds for watch in watches)
    seconds["combining one top"] = (total - seconds["members"]) / len(TOPS)
    stacking.cross_fit, stacking.refit = (watch.function for watch in watches)
    for (label, top), stack in zip(TOPS.items(), stacks, strict=True):
        members = stack.member_scores(test)
        best = max(stack.member_values_, key=lambda m: stack.member_values_[m].smoothed)
        scores = {
            "lightgbm": base[label],
            "stack": stack.decision_function(test),
            "best member": members[:, list(stack.member_values_).index(best)],
            **{kind: combiner(members) for kind, combiner in stack.combiners_.items()},
        }
        values = {what: precision_at_k(truth, given, top) for what, given in scores.items()}
        yield {
            "set": name, "split": split, "top": label, **values,
            "chosen": stack.combiner_, "member": best, "seconds": seconds,
        }  # fmt: skip


def run(args):
    part, parts = map(int, args.part.split("/"))
    path = Path(args.results)
    done = {(row["set"], row["split"]) for row in read([path])} if path.exists() else set()
    todo = [(name, split) for split in range(args.splits) for name in SETS]
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
    rows = read(args.results)
    complete = set.intersection(*({r["split"] for r in rows if r["set"] == name} for name in SETS))
    rows = [row for row in rows if row["split"] in complete]
    print(f"{len(complete)} splits of {len(SETS)} sets\n")
    for label in TOPS:
        here = [row for row in rows if row["top"] == label]
        base = {n: np.array([r["lightgbm"] for r in here if r["set"] == n]) for n in SETS}
        gains = {
            what: {n: np.array([r[what] for r in here if r["set"] == n]) - base[n] for n in SETS}
            for what in COLUMNS
        }
        print(f"| {label} | LightGBM | {' | '.join(COLUMNS.values())} |\n|---|---|{'---|' * len(COLUMNS)}")
        for name in SETS:
            cells = [f"{gains[what][name].mean():+.3f}" for what in COLUMNS]
            if len(complete) > 1:
                cells[0] += f" ± {gains['stack'][name].std(ddof=1) / np.sqrt(len(complete)):.3f}"
            print(f"| {name} | {base[name].mean():.3f} | {' | '.join(cells)} |")
        means = {what: np.array([gains[what][n].mean() for n in SETS]) for what in COLUMNS}
        cells = [f"**{m.mean():+.3f}**" for m in means.values()]
        print(f"| mean | {np.mean([b.mean() for b in base.values()]):.3f} | {' | '.join(cells)} |")
        cells = [
            f"{(m > 0.002).sum()}-{(abs(m) <= 0.002).sum()}-{(m < -0.002).sum()}" for m in means.values()
        ]
        print(f"| won-tied-lost | | {' | '.join(cells)} |")
        print(f"| Wilcoxon p | | {' | '.join(f'{wilcoxon(m).pvalue:.2g}' for m in means.values())} |")
        kinds = [row["chosen"] for row in here]
        print(f"\nchosen: {', '.join(f'{kind} {kinds.count(kind)}' for kind in sorted(set(kinds)))}\n")
    seconds = [row["seconds"] for row in rows if row["top"] == "n+"]
    total = {what: sum(s[what] for s in seconds) for what in seconds[0]}
    print(f"one fit over its members' fits: {1 + total['combining one top'] / total['members']:.3f}")
    print(f"seconds a fit: { ({what: round(s / len(seconds), 2) for what, s in total.items()}) }")


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
    tables.add_argument("results", nargs="+")
    tables.set_defaults(do=table)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
